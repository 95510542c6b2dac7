package render

import (
	"encoding/json"
	"slices"
	"strings"

	"vitrine/internal/shop"
)

// Checkout is the page /checkout.
type Checkout struct {
	Cart        Cart
	Options     []DeliveryOption // that are possible
	Asks        Asks
	Addresses   []Address // of the buyer's address book
	Methods     []PayMethod
	Filled      CheckoutFields
	Guest       bool  // not signed in
	AsksConsent bool  // the shop asks whether it may remind of the cart
	Stuck       bool  // no delivery is possible
	Was, Is     int64 // the total before and after a change of prices; 0: they did not change
	Trouble     FormError
}

// CheckoutFields are the values of the checkout form.
type CheckoutFields struct {
	Name, Phone, Email, Comment string
	VATNumber                   string // of a business
	Delivery                    string // id of the chosen option
	Point                       string // id of the chosen point of a pickup
	Pay                         string // the selected method
	Address                     Address
	Agreed                      bool   // to a reminder
	Attempt                     string // idempotency key of this checkout
}

// DeliveryOption is a delivery method of the shop. Its price is for the goods and the destination
// shown beside it, otherwise that of the cheapest rate.
type DeliveryOption struct {
	ID           json.Number     `json:"id"`
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	Kind         string          `json:"kind"`
	Price        int64           `json:"price"`
	From         bool            `json:"-"` // other rates cost more
	Days         *int            `json:"days"`
	FreeFrom     *int64          `json:"free_from"`
	Points       []DeliveryPoint `json:"points"`
	NeedsAddress bool            `json:"needs_address"`
	Grand        int64           `json:"grand_total"` // of the order with this option
	Taxes        []shop.Tax      `json:"taxes"`       // likewise
}

// DeliveryPoint is where buyers collect their goods.
type DeliveryPoint struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Address string `json:"address"`
	Hours   string `json:"hours"`
}

// Asks is what the checkout asks before it shows the prices of delivery.
type Asks struct {
	Countries []string `json:"countries"`       // codes to choose from; empty: the country is not asked first
	Default   string   `json:"default_country"` // the one to begin with; empty: none
	Region    bool     `json:"region"`
	Postcode  bool     `json:"postcode"`
	VATNumber bool     `json:"vat_number"` // of businesses
}

// Place reports whether something is asked.
func (a Asks) Place() bool { return len(a.Countries) > 0 }

// NoPlace reports whether no delivery is possible because the country was not named yet.
func (c *Checkout) NoPlace() bool {
	return c.Stuck && c.Asks.Place() && c.Filled.Address.Country == ""
}

// Chosen is the delivery in the sums of the cart, nil if there is none.
func (c *Checkout) Chosen() *DeliveryOption {
	for i := range c.Options {
		if c.Cart.Delivery != nil && c.Options[i].ID == c.Cart.Delivery.ID {
			return &c.Options[i]
		}
	}
	return nil
}

// IsChosen reports whether an option is the one in the sums.
func (c *Checkout) IsChosen(i int) bool { return c.Chosen() == &c.Options[i] }

// IsPoint reports whether a point is the selected one of an option, which is the first one unless
// another was selected.
func (c *Checkout) IsPoint(d *DeliveryOption, i int) bool {
	for k := range d.Points {
		if d.Points[k].ID == c.Filled.Point {
			return k == i
		}
	}
	return i == 0
}

// SetWas notes that the order was refused because prices have changed: what was to pay, which is the
// sum that the page shows above its button, or else the sum of the goods.
func (c *Checkout) SetWas(goods, grand int64) {
	if c.Was, c.Is = grand, c.Cart.Grand; grand == 0 || c.Was == c.Is {
		c.Was, c.Is = goods, c.Cart.Subtotal
	}
}

// PayMethod is a way to pay.
type PayMethod struct {
	Method string `json:"method"`
	Title  string `json:"title"`

	Instructions string `json:"instructions"`
}

// Paying is the selected method, the first one if none is selected.
func (c *Checkout) Paying() string {
	for _, m := range c.Methods {
		if m.Method == c.Filled.Pay {
			return m.Method
		}
	}
	if len(c.Methods) == 0 {
		return ""
	}
	return c.Methods[0].Method
}

// TaxAdded reports whether the taxes of the order with an option are added to the prices.
func (c *Checkout) TaxAdded(d *DeliveryOption) bool {
	return d.Grand > c.Cart.Subtotal+d.Price
}

// TakesAddress reports whether some option needs an address.
func (c *Checkout) TakesAddress() bool {
	for i := range c.Options {
		if c.Options[i].NeedsAddress {
			return true
		}
	}
	return false
}

// KeptField is a typed field that the page does not show.
type KeptField struct{ Name, Value string }

// Kept are the typed parts of an address that no possible delivery needs. They stay in the form, for
// a buyer who goes back to another country.
func (c *Checkout) Kept() []KeptField {
	a := &c.Filled.Address
	kept := []KeptField{{"street", a.Street}, {"city", a.City}, {"note", a.Comment}}
	if !c.Asks.Postcode {
		kept = append(kept, KeptField{"postcode", a.Postcode})
	}
	if !c.Asks.Region {
		kept = append(kept, KeptField{"region", a.Region})
	}
	if !c.Asks.Place() {
		kept = append(kept, KeptField{"country", a.Country})
	}
	return slices.DeleteFunc(kept, func(f KeptField) bool { return f.Value == "" })
}

// Address is a delivery address.
type Address struct {
	ID        json.Number `json:"id,omitempty"`
	Name      string      `json:"name,omitempty"`
	Phone     string      `json:"phone,omitempty"`
	Country   string      `json:"country,omitempty"`
	Region    string      `json:"region,omitempty"`
	City      string      `json:"city,omitempty"`
	Street    string      `json:"street,omitempty"`
	Postcode  string      `json:"postcode,omitempty"`
	Comment   string      `json:"comment,omitempty"`
	IsDefault bool        `json:"is_default,omitempty"`
}

// Line formats the address on one line.
func (a Address) Line() string {
	var parts []string
	for _, p := range []string{a.Street, a.City, a.Region, a.Postcode, a.Country} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ", ")
}
