package setting

import (
	"encoding/json"
	"slices"
	"strings"

	"vitrine/internal/shop"
)

// Bounds of rates.
const (
	maxRates = 128 << 10     // bytes of the rates of an option, as JSON
	maxGrams = 1_000_000_000 // of a cart
	maxDays  = 365
)

// rateItem is a delivery rate as sent by the client.
type rateItem struct {
	Countries []string `json:"countries" max:"300" len:"64" refuse:"DELIVERY_INVALID" doc:"ISO 3166-1 alpha-2; empty: all"`
	Regions   []string `json:"regions" max:"200" refuse:"DELIVERY_INVALID" doc:"compared without case; in the US, Canada and Australia the part of ISO 3166-2 after the dash"`
	Postcodes []string `json:"postcodes" max:"500" len:"64" refuse:"DELIVERY_INVALID" doc:"prefixes, compared without spaces and case"`
	MinTotal  *int64   `json:"min_total" doc:"of the goods after discounts, inclusive"`
	MaxTotal  *int64   `json:"max_total" doc:"exclusive"`
	MinWeight *int64   `json:"min_weight_g" doc:"inclusive"`
	MaxWeight *int64   `json:"max_weight_g" doc:"exclusive"`
	Price     *int64   `json:"price" required:"always"`
	Days      *int     `json:"days" doc:"until the goods arrive at the latest; null: not stated"`
}

func readRates(sent []rateItem) (rates []shop.DeliveryRate, err error) {
	for n, s := range sent {
		rate, field, why := s.read()
		if why != "" {
			return nil, shop.AtEntry(errDelivery.At(field).With(why), "rates", n)
		}
		rates = append(rates, rate)
	}
	if text, err := json.Marshal(rates); err != nil || len(text) > maxRates {
		return nil, errDelivery.At("rates").With("at most 131072 bytes in all")
	}
	return rates, nil
}

// read normalizes a rate. For an invalid one it returns the field and why.
func (s *rateItem) read() (r shop.DeliveryRate, field, why string) {
	r = shop.DeliveryRate{
		Countries: distinct(s.Countries, func(code string) string { return strings.ToUpper(strings.TrimSpace(code)) }),
		MinTotal:  s.MinTotal, MaxTotal: s.MaxTotal, MinWeight: s.MinWeight, MaxWeight: s.MaxWeight, Days: s.Days,
	}
	r.Regions = distinct(s.Regions, func(region string) string {
		region = shop.RegionName("", region)
		for _, country := range r.Countries {
			region = shop.RegionName(country, region)
		}
		return region
	})
	r.Postcodes = distinct(s.Postcodes, shop.PostcodeKey)
	switch {
	case slices.ContainsFunc(r.Countries, func(code string) bool { return !shop.IsCountry(code) }):
		return r, "countries", "codes of ISO 3166-1 alpha-2"
	case slices.Contains(r.Regions, ""):
		return r, "regions", "must not be empty"
	case slices.Contains(r.Postcodes, ""):
		return r, "postcodes", "must not be empty"
	case s.Price == nil || *s.Price < 0 || *s.Price > maxMoney:
		return r, "price", "0 to 2000000000"
	case s.Days != nil && (*s.Days < 0 || *s.Days > maxDays):
		return r, "days", "0 to 365, or null"
	}
	r.Price = *s.Price
	if field, why = checkBounds("total", s.MinTotal, s.MaxTotal, maxMoney, "0 to 2000000000, or null"); why != "" {
		return r, field, why
	}
	field, why = checkBounds("weight_g", s.MinWeight, s.MaxWeight, maxGrams, "0 to 1000000000, or null")
	return r, field, why
}

// checkBounds returns the field and why of a bound that is out of range, or of an upper bound that
// leaves nothing above the lower one.
func checkBounds(what string, from, below *int64, most int64, allowed string) (field, why string) {
	switch {
	case from != nil && (*from < 0 || *from > most):
		return "min_" + what, allowed
	case below != nil && (*below < 0 || *below > most):
		return "max_" + what, allowed
	case below != nil && (*below == 0 || from != nil && *below <= *from):
		return "max_" + what, "must be above min_" + what
	}
	return "", ""
}

// distinct returns the normalized texts in their order. It leaves out a text that differs from an
// earlier one in case only.
func distinct(texts []string, normalize func(string) string) []string {
	list := make([]string, 0, len(texts))
	known := map[string]bool{}
	for _, text := range texts {
		text = normalize(text)
		if key := strings.ToLower(text); !known[key] {
			known[key] = true
			list = append(list, text)
		}
	}
	return list
}

// pointItem is a delivery point as sent by the client.
type pointItem struct {
	ID      shop.PointID `json:"id" len:"64" refuse:"DELIVERY_INVALID" doc:"chosen by the shop or taken from a response; without one it is made of name and address"`
	Name    string       `json:"name" len:"255" refuse:"DELIVERY_INVALID"`
	Address string       `json:"address" len:"500" refuse:"DELIVERY_INVALID"`
	Hours   string       `json:"hours" len:"255" refuse:"DELIVERY_INVALID"`
}

func readPoints(sent []pointItem) (points []shop.DeliveryPoint, err error) {
	there := map[shop.PointID]bool{}
	for n, s := range sent {
		p := shop.DeliveryPoint{ID: s.ID, Name: strings.TrimSpace(s.Name), Address: strings.TrimSpace(s.Address), Hours: strings.TrimSpace(s.Hours)}
		if p.ID == "" {
			p.ID = shop.NewPointID(p.Name, p.Address)
		}
		refuse := func(field, why string) error { return shop.AtEntry(errDelivery.At(field).With(why), "points", n) }
		switch {
		case p.Name == "":
			return nil, refuse("name", "must not be empty")
		case len(p.ID) > maxPointID:
			return nil, refuse("id", "at most 64 bytes")
		case there[p.ID]:
			return nil, refuse("id", "another point has this id, or name and address")
		}
		there[p.ID] = true
		points = append(points, p)
	}
	return points, nil
}

const maxPointID = 64
