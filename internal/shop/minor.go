package shop

import "slices"

// MinorUnits converts money of a shop with digits decimal places to minor units of its currency,
// in which payments are made. It rounds where the currency has fewer decimal places.
func MinorUnits(amount int64, currency string, digits int) int64 {
	shift := Exponent(currency) - digits
	for ; shift > 0; shift-- {
		amount *= 10
	}
	whole := int64(1)
	for ; shift < 0; shift++ {
		whole *= 10
	}
	return (amount + whole/2) / whole
}

// Exponent returns the number of decimal places of a currency (ISO 4217).
func Exponent(currency string) int {
	switch {
	case slices.Contains(whole, currency):
		return 0
	case slices.Contains(thousandths, currency):
		return 3
	case slices.Contains(tenThousandths, currency):
		return 4
	}
	return 2
}

// The currencies whose exponent is not 2 (ISO 4217, list one).
var (
	whole = []string{
		"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF",
	}
	thousandths    = []string{"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"}
	tenThousandths = []string{"CLF", "UYW"}
)
