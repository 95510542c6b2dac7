package shop

import "testing"

func TestMinorConvertsToTheCurrencysMinorUnits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amount   int64
		currency string
		digits   int
		want     int64
	}{
		{14, "EUR", 0, 1400}, {1450, "EUR", 2, 1450}, {14505, "EUR", 3, 1451}, {1450, "JPY", 0, 1450}, {1450, "JPY", 2, 15}, {14, "KWD", 0, 14000},
		{145, "EUR", 1, 1450}, {0, "EUR", 4, 0},
	} {
		if got := MinorUnits(c.amount, c.currency, c.digits); got != c.want {
			t.Errorf("%d %s with %d digits: %d, want %d", c.amount, c.currency, c.digits, got, c.want)
		}
	}
}
