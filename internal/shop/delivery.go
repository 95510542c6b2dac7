package shop

import (
	"slices"
	"strings"
)

// DeliveryKind is how goods reach the buyer.
type DeliveryKind string

// The kinds.
const (
	DeliveryToAddress DeliveryKind = "delivery"
	DeliveryPickup    DeliveryKind = "pickup"
)

// DeliveryRate is what delivery costs for some destinations and carts. An empty list and a nil
// bound exclude nothing.
type DeliveryRate struct {
	Countries []string `json:"countries"` // ISO 3166-1 alpha-2
	Regions   []string `json:"regions"`   // as RegionKey returns them
	Postcodes []string `json:"postcodes"` // prefixes, as PostcodeKey returns them
	MinTotal  *int64   `json:"min_total"` // of the goods after discounts, inclusive
	MaxTotal  *int64   `json:"max_total"` // exclusive
	MinWeight *int64   `json:"min_weight_g"`
	MaxWeight *int64   `json:"max_weight_g"`
	Price     int64    `json:"price"`
	Days      *int     `json:"days"` // until the goods arrive at the latest; nil: not stated
}

// Matches reports whether the rate applies to goods of this sum and weight.
func (r *DeliveryRate) Matches(to Destination, total, grams int64) bool {
	return within(total, r.MinTotal, r.MaxTotal) && within(grams, r.MinWeight, r.MaxWeight) &&
		contains(r.Countries, to.Country) && contains(r.Regions, to.Region) &&
		(len(r.Postcodes) == 0 || slices.ContainsFunc(r.Postcodes, func(prefix string) bool { return strings.HasPrefix(to.Postcode, prefix) }))
}

func contains(list []string, key string) bool { return len(list) == 0 || slices.Contains(list, key) }

func within(n int64, from, below *int64) bool {
	return (from == nil || n >= *from) && (below == nil || n < *below)
}

// DeliveryPoint is where buyers collect their goods.
type DeliveryPoint struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Address string `json:"address"`
	Hours   string `json:"hours"`
}
