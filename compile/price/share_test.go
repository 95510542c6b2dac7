package price

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestShare(t *testing.T) {
	for _, c := range []struct {
		sizes  []int64
		amount int64
		want   []int64
	}{
		{[]int64{10, 10, 10}, 10, []int64{4, 3, 3}}, {[]int64{1, 99}, 1, []int64{0, 1}}, {[]int64{0, 5}, 5, []int64{0, 5}},
		{[]int64{}, 5, []int64{}}, {[]int64{0}, 0, []int64{0}}, {[]int64{2, 1}, 9, []int64{2, 1}},
	} {
		if got := Share(c.sizes, c.amount); !slices.Equal(got, c.want) {
			t.Errorf("%d among %v: %v, want %v", c.amount, c.sizes, got, c.want)
		}
	}
}

// Shares add up to the amount, and no share exceeds its part.
func TestSharesAddUp(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		sizes := rapid.SliceOfN(rapid.Int64Range(0, 2_000_000_000), 1, 300).Draw(r, "sizes")
		sum := int64(0)
		for _, size := range sizes {
			sum += size
		}
		amount := rapid.Int64Range(0, sum).Draw(r, "amount")
		got := int64(0)
		for i, share := range Share(sizes, amount) {
			if share < 0 || share > sizes[i] {
				r.Fatalf("part %d of %d gets %d", i, sizes[i], share)
			}
			got += share
		}
		if got != amount {
			r.Fatalf("%d of %d", got, amount)
		}
	})
}
