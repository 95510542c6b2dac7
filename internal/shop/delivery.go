package shop

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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

// Values lists the kinds as texts.
func (DeliveryKind) Values() []string {
	return Texts([]DeliveryKind{DeliveryToAddress, DeliveryPickup})
}

// DeliveryRate is what delivery costs for some destinations and carts. An empty list and a nil
// bound exclude nothing.
type DeliveryRate struct {
	Countries []string `json:"countries"` // ISO 3166-1 alpha-2
	Regions   []string `json:"regions"`   // see RegionName
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
		matches(r.Countries, func(code string) bool { return code == to.Country }) &&
		matches(r.Regions, func(name string) bool { return strings.EqualFold(name, to.Region) }) &&
		matches(r.Postcodes, func(prefix string) bool { return strings.HasPrefix(to.Postcode, prefix) })
}

func matches(list []string, match func(string) bool) bool {
	return len(list) == 0 || slices.ContainsFunc(list, match)
}

func within(n int64, from, below *int64) bool {
	return (from == nil || n >= *from) && (below == nil || n < *below)
}

// DeliveryPoint is where buyers collect their goods.
type DeliveryPoint struct {
	ID      PointID `json:"id"` // unique within its delivery option
	Name    string  `json:"name"`
	Address string  `json:"address"`
	Hours   string  `json:"hours"`
}

// PointID is the id of a delivery point, a text that the shop may choose. It is decoded from a
// text or a number.
type PointID string

// UnmarshalJSON accepts a text or a number.
func (id *PointID) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '"' && string(b) != "null" {
		var n json.Number
		err := json.Unmarshal(b, &n)
		*id = PointID(n)
		return err
	}
	return json.Unmarshal(b, (*string)(id))
}

// NewPointID returns an id for a point that was sent without one. It depends on name and address
// only, so that a list of points that is sent again keeps its ids.
func NewPointID(name, address string) PointID {
	sum := sha256.Sum256([]byte(name + "\n" + address))
	return PointID(hex.EncodeToString(sum[:6]))
}
