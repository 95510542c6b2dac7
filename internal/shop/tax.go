package shop

import (
	"encoding/json"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Percent is a percentage in thousandths: 19000 is 19 %. In JSON it is a number with at most three
// decimals.
type Percent int64

// MaxPercent is the greatest percentage.
const MaxPercent Percent = 100_000

// InvalidPercent is read from JSON that is no number of 0 to 100 with at most three decimals, so
// that the check of the field refuses it.
const InvalidPercent Percent = -1

// Of returns the percentage of an amount, rounded half up.
func (p Percent) Of(amount int64) int64 { return p.over(amount, MaxPercent) }

// In returns the part of an amount that is a percentage of the rest, rounded half up.
func (p Percent) In(amount int64) int64 { return p.over(amount, MaxPercent+p) }

// over returns amount * p / whole, rounded half up, without intermediate overflow.
func (p Percent) over(amount int64, whole Percent) int64 {
	high, low := bits.Mul64(uint64(amount), uint64(p))
	quotient, rest := bits.Div64(high, low, uint64(whole))
	if 2*rest >= uint64(whole) {
		quotient++
	}
	return int64(quotient)
}

// String formats the percentage without the sign: 7.75.
func (p Percent) String() string {
	whole, rest := strconv.FormatInt(int64(p)/1000, 10), int64(p)%1000
	if rest == 0 {
		return whole
	}
	return whole + "." + strings.TrimRight(strconv.FormatInt(1000+rest, 10)[1:], "0")
}

// MarshalJSON writes a number.
func (p Percent) MarshalJSON() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalJSON reads a number. It ignores the rounding errors of clients that compute with floats.
func (p *Percent) UnmarshalJSON(b []byte) error {
	var number *float64
	*p = InvalidPercent
	if json.Unmarshal(b, &number) != nil || number == nil {
		return nil
	}
	thousandths := *number * 1000
	if whole := math.Round(thousandths); whole >= 0 && whole <= float64(MaxPercent) && math.Abs(whole-thousandths) < 1e-4 {
		*p = Percent(whole)
	}
	return nil
}

// TaxClass is the class of a product for tax.
type TaxClass string

// The classes.
const (
	TaxStandard TaxClass = "standard"
	TaxReduced  TaxClass = "reduced"
	TaxZero     TaxClass = "zero"
)

// TaxClasses lists the classes.
var TaxClasses = []TaxClass{TaxStandard, TaxReduced, TaxZero}

// Values lists the classes as texts.
func (TaxClass) Values() []string { return Texts(TaxClasses) }

// TaxRate is a rate of tax as buyers see it.
type TaxRate struct {
	Name    string  `json:"name" len:"64"`
	Percent Percent `json:"percent"`
}

// Tax is what one rate amounts to in an order.
type Tax struct {
	TaxRate
	Base   int64 `json:"base"` // without the tax
	Amount int64 `json:"amount"`
}

// Taxes are the tax rules of a shop (CONTRACT-COMMERCE, "A merchant's day"): one rate that all
// prices contain, or a table.
type Taxes struct {
	*TaxRate
	*TaxTable
	Included bool `json:"included"` // prices contain the tax; otherwise it is added to them
}

// Country returns the country of the shop, empty if it is not known.
func (t *Taxes) Country() string {
	if t == nil || t.TaxTable == nil {
		return ""
	}
	return t.DefaultCountry
}

// TaxTable has the rates of a shop by destination and class.
type TaxTable struct {
	DefaultCountry   string    `json:"default_country"` // of the shop, and of buyers who name none
	Rates            []TaxRule `json:"rates" max:"500"`
	ExemptEUBusiness bool      `json:"exempt_eu_business"` // no tax for businesses in other countries of the EU
}

// TaxRule is the rate of a class of products in a country or one of its regions. Without a rule a
// class is not taxed.
type TaxRule struct {
	Country string   `json:"country"`
	Region  string   `json:"region"` // see RegionName; empty: regions without a rule of their own
	Class   TaxClass `json:"class"`
	TaxRate
}
