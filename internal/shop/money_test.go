package shop

import "testing"

func TestAmountsHaveTheirDigitsBehindThePoint(t *testing.T) {
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
