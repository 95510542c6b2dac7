package render

import (
	"strconv"
	"time"
)

// Account is the page /account.
type Account struct {
	Person    *Person // nil: nobody is signed in
	Addresses []Address
	Coupons   []Coupon
	Editing   Address // in the form
	Typed     Person  // in the forms of who is not signed in
	Next      string  // where to go when signed in; empty: here
	Asked     string  // the address that a code was sent to; empty: none
	Reset     string  // token of a link that sets a password anew; empty: none
	Done      string  // what was done, by name; empty: nothing
	Trouble   Trouble
	At        string // the form that the trouble is about
}

// Coupon is a code that the person has and can use.
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

// Share is a percentage as it is read.
func (c *Coupon) Share() string { return strconv.FormatFloat(c.Value.Percent, 'f', -1, 64) + "%" }

// Person is who is signed in.
type Person struct {
	Email string `json:"email"`
	Name  string `json:"name"`
	Phone string `json:"phone"`
	Next  string `json:"next_email"` // waits for its code; empty: none
}

// Shown is what the page calls the person.
func (p *Person) Shown() string { return orElse(p.Name, p.Email) }
