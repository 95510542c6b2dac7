package render

import (
	"math"
	"strings"

	"vitrine/internal/shop"
)

// numbering is how a language writes numbers (CLDR).
type numbering struct {
	group, point string // between thousands, and before what is behind the point
	after        bool   // the sign of a currency follows its amounts, whichever it is
}

// noBreak keeps an amount and its sign on one line.
const noBreak = "\u00a0"

var numberings = map[string]numbering{
	"en": {",", ".", false},
	"ru": {noBreak, ",", true},
}

// sign is how a currency's amounts are written.
type sign struct {
	text  string
	after bool // the sign follows the amount also where signs stand before amounts
}

// signs is by ISO code. A code that is not here is printed itself, after the amount.
var signs = map[string]sign{
	"EUR": {"€", false}, "USD": {"$", false}, "GBP": {"£", false}, "CAD": {"CA$", false}, "AUD": {"A$", false}, "NZD": {"NZ$", false},
	"JPY": {"¥", false}, "CNY": {"CN¥", false}, "INR": {"₹", false}, "KRW": {"₩", false}, "ILS": {"₪", false}, "BRL": {"R$", false}, "TRY": {"₺", false},
	"RUB": {"₽", true}, "UAH": {"₴", true}, "KZT": {"₸", true}, "BYN": {"Br", true}, "GEL": {"₾", true}, "AMD": {"֏", true}, "PLN": {"zł", true},
	"CZK": {"Kč", true}, "SEK": {"kr", true}, "NOK": {"kr", true}, "DKK": {"kr", true}, "HUF": {"Ft", true},
}

// PriceText prints money of a currency, whose last digits stand behind a point, in a
// language: "€1,299" in English, "1 299 €" in Russian, with two digits "€14.50" and
// "14,50 €". Spaces in it do not break. A price of 0 is no price and prints as empty text
// (document 3, 4.6.8 and CONTRACT); so does a negative one.
func PriceText(amount int64, currency string, digits int, lang string) string {
	if amount <= 0 {
		return ""
	}
	return SumText(amount, currency, digits, lang)
}

// SumText prints a sum of money, of which zero is one too.
func SumText(amount int64, currency string, digits int, lang string) string {
	if amount < 0 && amount != math.MinInt64 {
		return "−" + SumText(-amount, currency, digits, lang)
	}
	n, ok := numberings[lang]
	if !ok {
		n = numberings["en"]
	}
	number, s := n.write(shop.Amount(amount, digits)), signOf(currency)
	switch {
	case s.text == "":
		return number
	case s.after || n.after:
		return number + noBreak + s.text
	}
	return s.text + number
}

// PercentText prints hundredths of a percent in a language: "12.5%", "12,5%".
func PercentText(points int64, lang string) string {
	return numberings[wordsIn(lang).Lang].write(spelled(shop.Amount(points, 2))) + "%"
}

// write spells a number as the language does.
func (n numbering) write(number string) string {
	units, rest, _ := strings.Cut(number, ".")
	if rest != "" {
		rest = n.point + rest
	}
	return groupThousands(units, n.group) + rest
}

func signOf(currency string) sign {
	if s, ok := signs[currency]; ok {
		return s
	}
	return sign{currency, true}
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
