package render

import (
	"cmp"
	"strconv"
	"time"
)

// Account is the page /account.
type Account struct {
	Person    *Person // nil: not signed in
	Addresses []Address
	Coupons   []Coupon
	Links     []LinkedAssistant
	Editing   Address // the address in the form
	Typed     Person  // input of the forms for visitors who are not signed in
	Next      string  // where to redirect after sign-in; empty: the account page
	Asked     string  // address that a code was sent to; empty: none
	Reset     string  // token of a link for resetting the password; empty: none
	Done      string  // name of the completed action; empty: none
	Trouble   FormError
	At        string // the form that Trouble is about
	Factor    bool   // that form asks for the second factor
}

// Coupon is a promo code that the account owns and can use.
type Coupon struct {
	Code      string     `json:"code"`
	Name      string     `json:"name"`
	ExpiresAt *time.Time `json:"expires_at"`
	Value     struct {
		Percent float64 `json:"percent"`
		Amount  int64   `json:"amount"`
	} `json:"value"`
	MinTotal int64 `json:"min_total"`
}

// Share formats the percentage.
func (c *Coupon) Share() string { return strconv.FormatFloat(c.Value.Percent, 'f', -1, 64) + "%" }

// Person is the signed-in visitor.
type Person struct {
	Email string `json:"email"`
	Name  string `json:"name"`
	Phone string `json:"phone"`
	Next  string `json:"next_email"` // not yet confirmed by a code; empty: none

	Proven bool `json:"proven"` // a code of a letter to the address was entered
}

// Shown is the person's display name.
func (p *Person) Shown() string { return cmp.Or(p.Name, p.Email) }
