package shop

import (
	"strconv"
	"strings"
	"testing"
)

func TestAmountPlacesTheDecimalPoint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		money  int64
		digits int
		want   string
	}{
		{1450, 0, "1450"}, {1450, 2, "14.50"}, {5, 2, "0.05"}, {0, 2, "0.00"}, {-5, 1, "-0.5"}, {12345, 4, "1.2345"}, {100, 2, "1.00"},
	} {
		if got := Amount(c.money, c.digits); got != c.want {
			t.Errorf("%d with %d digits: %s, want %s", c.money, c.digits, got, c.want)
		}
	}
}

// The tax part of a price: 19 of 119.
func TestATaxIsPartOfItsSum(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]int64{{1900, 119, 19}, {1900, 0, 0}, {0, 119, 0}, {1900, 1450, 232}, {10000, 3, 2}, {10000, 4_000_000_000, 2_000_000_000}, {775, 1, 0}} {
		if got := Percent(10 * c[0]).In(c[1]); got != c[2] {
			t.Errorf("%d points of %d: %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

// Prices have no more decimal places than their currency, in any shop that can be created:
// their sums can be paid exactly.
func TestDigitsOfPricesFitTheirCurrency(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		currency string
		fit      string
	}{{"EUR", "0 2"}, {"RUB", "0 2"}, {"JPY", "0"}, {"KWD", "0"}, {"CLF", "0"}} {
		var fit []string
		for digits := -1; digits <= 5; digits++ {
			if !ValidPriceDigits(digits, c.currency) {
				continue
			}
			fit = append(fit, strconv.Itoa(digits))
			if digits > Exponent(c.currency) {
				t.Errorf("%s with %d digits cannot be paid", c.currency, digits)
			}
		}
		if got := strings.Join(fit, " "); got != c.fit {
			t.Errorf("%s: %s, want %s", c.currency, got, c.fit)
		}
	}
}
