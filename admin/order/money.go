package order

import "slices"

// Minor is an amount in the minor units of a currency, by its exponent in ISO
// 4217: 14 EUR are 1400, 14 JPY are 14.
func Minor(amount int64, currency string) int64 {
	switch {
	case slices.Contains(whole, currency):
		return amount
	case slices.Contains(thousandths, currency):
		return amount * 1000
	case slices.Contains(tenThousandths, currency):
		return amount * 10_000
	}
	return amount * 100
}

// The currencies whose exponent is not 2 (ISO 4217, list one).
var (
	whole = []string{
		"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF",
	}
	thousandths    = []string{"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"}
	tenThousandths = []string{"CLF", "UYW"}
)
