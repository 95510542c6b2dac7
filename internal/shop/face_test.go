package shop_test

import (
	"testing"

	"vitrine/internal/shop"
)

// The part of a sum that is its tax, the nearest unit of money.
func TestTheTaxThatASumContains(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ points, sum, part int64 }{
		{1900, 11900, 1900}, {1900, 28, 4}, {775, 70, 5}, {775, 10775, 775}, {0, 100, 0}, {10000, 100, 50}, {10000, 1, 1}, {2000, 3, 1}, {2000, 2, 0},
		{1900, 0, 0}, {10000, 1 << 48, 1 << 47},
	} {
		if got := (shop.Tax{Name: "VAT", Points: c.points}).In(c.sum); got != c.part {
			t.Errorf("%d of %d: %d, want %d", c.points, c.sum, got, c.part)
		}
	}
}
