package render

import (
	"encoding/json"
	"strings"
)

// Checkout is the page /checkout.
type Checkout struct {
	Cart      Cart
	Options   []DeliveryOption
	Addresses []Address // of the buyer's address book
	Methods   []PayMethod
	Filled    CheckoutFields
	Guest     bool  // not signed in
	Was       int64 // the total shown before prices changed; 0: they did not change
	Trouble   FormError
}

// CheckoutFields are the values of the checkout form.
type CheckoutFields struct {
	Name, Phone, Email, Comment string
	Delivery                    string // id of the chosen option
	Pay                         string // the selected method
	Address                     Address
	Attempt                     string // idempotency key of this checkout
}

// DeliveryOption is a delivery method of the shop.
type DeliveryOption struct {
	ID           json.Number `json:"id"`
	Name         string      `json:"name"`
	Description  string      `json:"description"`
	Price        int64       `json:"price"`
	FreeFrom     *int64      `json:"free_from"`
	NeedsAddress bool        `json:"needs_address"`
}

// Cost is the price of the option for goods of a sum.
func (d *DeliveryOption) Cost(sum int64) int64 {
	if d.FreeFrom != nil && sum >= *d.FreeFrom {
		return 0
	}
	return d.Price
}

// Chosen is the selected option, the first one if none is selected, nil if the shop has none.
func (c *Checkout) Chosen() *DeliveryOption {
	for i := range c.Options {
		if string(c.Options[i].ID) == c.Filled.Delivery {
			return &c.Options[i]
		}
	}
	if len(c.Options) == 0 {
		return nil
	}
	return &c.Options[0]
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

// IsChosen reports whether an option is the selected one.
func (c *Checkout) IsChosen(i int) bool { return c.Chosen() == &c.Options[i] }

// Grand is the total of the order with an option.
func (c *Checkout) Grand(d *DeliveryOption) int64 {
	if d == nil {
		return c.Cart.Subtotal
	}
	return c.Cart.Subtotal + d.Cost(c.Cart.Subtotal)
}

// GrandAt and CostAt are Grand and Cost of the i-th option.
func (c *Checkout) GrandAt(i int) int64 { return c.Grand(&c.Options[i]) }

// CostAt is described at GrandAt.
func (c *Checkout) CostAt(i int) int64 { return c.Options[i].Cost(c.Cart.Subtotal) }

// TakesAddress reports whether some option needs an address.
func (c *Checkout) TakesAddress() bool {
	for i := range c.Options {
		if c.Options[i].NeedsAddress {
			return true
		}
	}
	return false
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
