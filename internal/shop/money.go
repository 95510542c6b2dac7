package shop

import "strconv"

// ValidPriceDigits reports whether the prices of a shop may have this many decimal places in a
// currency: none, or two where its minor unit is a hundredth. Payments are made in minor
// units, so more decimal places could not be paid.
func ValidPriceDigits(digits int, currency string) bool {
	return digits == 0 || digits == 2 && Exponent(currency) == 2
}

// Amount formats money of a shop with decimal places: 1450 with two of them is 14.50, with
// none 1450.
func Amount(money int64, digits int) string {
	text := strconv.FormatInt(money, 10)
	if digits <= 0 {
		return text
	}
	sign := ""
	if money < 0 {
		sign, text = "-", text[1:]
	}
	for len(text) <= digits {
		text = "0" + text
	}
	point := len(text) - digits
	return sign + text[:point] + "." + text[point:]
}

// russianCurrencies are the currencies of shops whose buyers read Russian.
var russianCurrencies = map[string]bool{"RUB": true, "BYN": true, "KZT": true}

// Language returns the language of a shop: the chosen one, else that of the buyers who pay
// in its currency.
func Language(chosen, currency string) string {
	switch {
	case chosen != "":
		return chosen
	case russianCurrencies[currency]:
		return "ru"
	}
	return "en"
}
