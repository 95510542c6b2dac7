package render

import (
	"math"
	"strings"

	"vitrine/internal/shop"
)

// numbering is a language's number format (CLDR).
type numbering struct {
	group, point string // thousands separator and decimal point
	after        bool   // currency signs always follow the amount
}

// noBreak keeps an amount and its sign on one line.
const noBreak = "\u00a0"

var numberings = map[string]numbering{
	"en": {",", ".", false},
	"ru": {noBreak, ",", true},
}

// sign is the notation of a currency.
type sign struct {
	text  string
	after bool // the sign follows the amount even in languages that write signs before amounts
}

// signs is keyed by ISO code. Other codes are printed themselves, after the amount.
var signs = map[string]sign{
	"EUR": {"€", false}, "USD": {"$", false}, "GBP": {"£", false}, "CAD": {"CA$", false}, "AUD": {"A$", false}, "NZD": {"NZ$", false},
	"JPY": {"¥", false}, "CNY": {"CN¥", false}, "INR": {"₹", false}, "KRW": {"₩", false}, "ILS": {"₪", false}, "BRL": {"R$", false}, "TRY": {"₺", false},
	"RUB": {"₽", true}, "UAH": {"₴", true}, "KZT": {"₸", true}, "BYN": {"Br", true}, "GEL": {"₾", true}, "AMD": {"֏", true}, "PLN": {"zł", true},
	"CZK": {"Kč", true}, "SEK": {"kr", true}, "NOK": {"kr", true}, "DKK": {"kr", true}, "HUF": {"Ft", true},
}

// PriceText formats an amount in a currency's smallest price unit, with the given number of
// decimals, in a language: "€1,299" in English, "1 299 €" in Russian, with two digits
// "€14.50" and "14,50 €". Its spaces are non-breaking. A price of 0 means no price and is
// printed as empty text (document 3, 4.6.8 and CONTRACT); so is a negative one.
func PriceText(amount int64, currency string, digits int, lang string) string {
	if amount <= 0 {
		return ""
	}
	return SumText(amount, currency, digits, lang)
}

// SumText formats a sum of money like PriceText, but also prints zero and negative sums.
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

// PercentText formats hundredths of a percent in a language: "12.5%", "12,5%".
func PercentText(points int64, lang string) string {
	return numberings[wordsIn(lang).Lang].write(canonicalDecimal(shop.Amount(points, 2))) + "%"
}

// weightText formats a weight in a language: "250 g", from a kilogram on "1.25 kg"; empty for 0.
func weightText(grams int64, t *words) string {
	switch {
	case grams == 0:
		return ""
	case grams < 1000:
		return numberings[t.Lang].write(shop.Amount(grams, 0)) + noBreak + t.Grams
	}
	return numberings[t.Lang].write(canonicalDecimal(shop.Amount(grams, 3))) + noBreak + t.Kilograms
}

// write formats a decimal number in the language's notation.
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
