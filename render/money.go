package render

import (
	"strings"

	"vitrine/internal/shop"
)

// sign is how a currency's amounts are written.
type sign struct {
	text  string
	after bool   // the sign follows the amount, with a space
	group string // between thousands
}

// noBreak keeps an amount and its sign on one line.
const noBreak = "\u00a0"

// signs is by ISO code. A code that is not here is printed itself, after the amount.
var signs = map[string]sign{
	"EUR": {"€", false, ","},
	"USD": {"$", false, ","},
	"GBP": {"£", false, ","},
	"CAD": {"CA$", false, ","},
	"AUD": {"A$", false, ","},
	"NZD": {"NZ$", false, ","},
	"JPY": {"¥", false, ","},
	"CNY": {"CN¥", false, ","},
	"INR": {"₹", false, ","},
	"KRW": {"₩", false, ","},
	"ILS": {"₪", false, ","},
	"BRL": {"R$", false, "."},
	"TRY": {"₺", false, "."},
	"RUB": {"₽", true, noBreak},
	"UAH": {"₴", true, noBreak},
	"KZT": {"₸", true, noBreak},
	"BYN": {"Br", true, noBreak},
	"GEL": {"₾", true, noBreak},
	"AMD": {"֏", true, noBreak},
	"PLN": {"zł", true, noBreak},
	"CZK": {"Kč", true, noBreak},
	"SEK": {"kr", true, noBreak},
	"NOK": {"kr", true, noBreak},
	"DKK": {"kr", true, noBreak},
	"HUF": {"Ft", true, noBreak},
}

// point stands between the units of an amount and what is behind them.
func (s sign) point() string {
	if s.group == "," {
		return "."
	}
	return ","
}

// PriceText prints money of a currency, whose last digits stand behind a point:
// "€1,299", "12 900 ₽", with two of them "€14.50". Spaces in it do not break. A price of 0 is no price and prints as empty text (document
// 3, 4.6.8 and CONTRACT); so does a negative one.
func PriceText(amount int64, currency string, digits int) string {
	if amount <= 0 {
		return ""
	}
	return SumText(amount, currency, digits)
}

// SumText prints a sum of money, of which zero is one too.
func SumText(amount int64, currency string, digits int) string {
	s := signOf(currency)
	units, rest, _ := strings.Cut(shop.Amount(amount, digits), ".")
	number := groupThousands(units, s.group)
	if rest != "" {
		number += s.point() + rest
	}
	switch {
	case s.text == "":
		return number
	case s.after:
		return number + noBreak + s.text
	}
	return s.text + number
}

func signOf(currency string) sign {
	if s, ok := signs[currency]; ok {
		return s
	}
	return sign{currency, true, noBreak}
}

func groupThousands(digits, group string) string {
	out := make([]byte, 0, len(digits)+len(digits)/3*len(group))
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out = append(out, group...)
		}
		out = append(out, digits[i])
	}
	return string(out)
}
