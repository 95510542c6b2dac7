package movein

import (
	"math"
	"strings"
	"unicode"
)

// maxPrice is the highest price of a shop, in its units.
const maxPrice = 2_000_000_000

// amount is a decimal number as exports write it: a sign, currency signs around it, thousands
// between its digits.
type amount struct {
	whole, fraction string // digits
	negative        bool
	thousand        bool // its only mark is a comma before three digits, which could be the decimal point
}

// parseAmount reads 1450, 14.50, 1.234,50, 1 234,50, $25.00, .99, 34.0000, 24.00 EUR and Fr. 5.-.
// Where only one mark occurs once, it is the decimal point, except a comma before exactly three
// digits.
func parseAmount(text string) (a amount, ok bool) {
	first, last := strings.IndexFunc(text, isDigit), strings.LastIndexFunc(text, isDigit)
	if first < 0 {
		return amount{}, false
	}
	before := text[:first]
	a.negative = strings.ContainsAny(before, "-−(")
	if strings.HasSuffix(before, ".") || strings.HasSuffix(before, ",") {
		first--
	}
	text = blanks.Replace(text[first : last+1])
	a.whole = text
	if point := strings.LastIndexAny(text, ".,"); point >= 0 {
		mark, digits := text[point:point+1], len(text)-point-1
		switch {
		case strings.Count(text, mark) > 1: // 1.234.567
		case mark == "," && digits == 3 && strings.Trim(text[:point], "0.,") != "" && !strings.Contains(text, "."): // 1,234
			a.thousand = true
		default:
			a.whole, a.fraction = text[:point], text[point+1:]
		}
	}
	for i, group := range strings.FieldsFunc(a.whole, func(r rune) bool { return r == '.' || r == ',' }) {
		if i > 0 && len(group) != 3 && len(group) != 2 { // 1,00,000 in India
			return amount{}, false
		}
	}
	a.whole = marks.Replace(a.whole)
	if a.whole+a.fraction == "" || strings.Trim(a.whole+a.fraction, "0123456789") != "" || len(a.whole) > 15 {
		return amount{}, false
	}
	return a, true
}

// blanks and marks separate thousands.
var (
	marks  = strings.NewReplacer(".", "", ",", "")
	blanks = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "\u2009", "", "'", "", "’", "")
)

func isDigit(r rune) bool { return r < unicode.MaxASCII && '0' <= r && r <= '9' }

// scaled returns a number times a power of ten, rounded; exact is false if digits were lost.
func (a amount) scaled(digits int) (n int64, exact bool) {
	fraction := a.fraction + strings.Repeat("0", digits)
	for _, c := range a.whole + fraction[:digits] {
		if n > math.MaxInt64/100 {
			return math.MaxInt64, false
		}
		n = n*10 + int64(c-'0')
	}
	rest := strings.TrimRight(fraction[digits:], "0")
	if rest != "" && rest[0] >= '5' {
		n++
	}
	if a.negative {
		n = -n
	}
	return n, rest == ""
}

// price reads a cell in units of the shop; nil if it is empty or not a price.
func (e *engine) price(at Place, cell string) *int64 {
	cell = strings.TrimSpace(cell)
	if cell == "" {
		return nil
	}
	if strings.EqualFold(cell, "variable") {
		e.lose(at, Changed, "PRICE_VARIABLE", cell)
		return nil
	}
	n, ok := e.difference(at, cell)
	if !ok || n < 0 || n > maxPrice {
		e.lose(at, Changed, "PRICE_INVALID", cell)
		return nil
	}
	return &n
}

// difference reads an amount that may be negative. Where money has three decimals, 1,234 is more
// likely 1.234 than 1234, but the owner should look at it.
func (e *engine) difference(at Place, cell string) (int64, bool) {
	a, ok := parseAmount(cell)
	if !ok {
		return 0, false
	}
	if a.thousand && e.shop.Digits == 3 {
		point := len(a.whole) - 3
		a.whole, a.fraction = a.whole[:point], a.whole[point:]
		e.lose(at, Changed, "PRICE_AMBIGUOUS", cell)
	}
	n, exact := a.scaled(e.shop.Digits)
	if !exact {
		e.lose(at, Changed, "PRICE_ROUNDED", cell)
	}
	return n, true
}

// discount is what a system takes off the price of a product and of its variants.
type discount struct {
	amount  int64   // in units of the shop
	percent float64 // of the price
}

// off returns a price after the discount.
func (d discount) off(price int64) int64 {
	price -= d.amount + int64(math.Round(float64(price)*d.percent/100))
	return max(0, price)
}
