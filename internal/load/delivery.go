package load

import (
	"slices"

	"vitrine/compile/price"
	"vitrine/internal/shop"
	"vitrine/internal/store/sales"
)

// Deliveries returns the active options among those of a shop, as prices are computed with them.
func Deliveries(options []sales.DeliveryOption) (list []price.Delivery) {
	for _, d := range options {
		if d.IsActive {
			list = append(list, price.Delivery{ID: d.ID, Name: d.Name, Kind: d.Kind, Price: d.Price, FreeFrom: d.FreeFrom, Rates: d.Rates})
		}
	}
	return list
}

// Asks is what a checkout asks about the destination before it shows prices.
type Asks struct {
	Countries []string `json:"countries"`       // to choose from; empty: it does not ask for the country
	Default   string   `json:"default_country"` // the one to begin with; empty: none
	Region    bool     `json:"region"`
	Postcode  bool     `json:"postcode"`
	VATNumber bool     `json:"vat_number"` // of businesses
}

// AsksOf returns what the rates of deliveries and taxes depend on. A rate without countries, and a
// delivery without rates, allow all countries, except that a pickup without rates is no reason to
// ask. Taxes by country allow those of the deliveries.
func AsksOf(deliveries []price.Delivery, taxes *shop.Taxes) (a Asks) {
	byCountry, everywhere := false, len(deliveries) == 0
	a.Default = taxes.Country()
	if a.Default != "" {
		byCountry, a.VATNumber = len(taxes.Rates) > 0, taxes.ExemptEUBusiness
		a.Region = slices.ContainsFunc(taxes.Rates, func(r shop.TaxRule) bool { return r.Region != "" })
	}
	for _, d := range deliveries {
		everywhere = everywhere || len(d.Rates) == 0 && d.Kind != shop.DeliveryPickup
		for _, r := range d.Rates {
			byCountry, everywhere = byCountry || len(r.Countries) > 0, everywhere || len(r.Countries) == 0
			a.Region, a.Postcode = a.Region || len(r.Regions) > 0, a.Postcode || len(r.Postcodes) > 0
			a.Countries = append(a.Countries, r.Countries...)
		}
	}
	switch {
	case !byCountry && !a.Region && !a.Postcode:
		return Asks{}
	case everywhere, len(a.Countries) == 0:
		a.Countries = shop.Countries()
	}
	slices.Sort(a.Countries)
	a.Countries = slices.Compact(a.Countries)
	return a
}
