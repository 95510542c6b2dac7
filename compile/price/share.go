package price

import (
	"cmp"
	"slices"
)

// Share divides an amount among parts in proportion to their sizes, by largest remainder, ties to
// the earlier part. Receipts and tax bases are computed with it when shown; the shares are never
// stored. An amount above the sum of the sizes is reduced to that sum.
func Share(sizes []int64, amount int64) []int64 {
	sum := int64(0)
	for _, size := range sizes {
		sum += size
	}
	amount = min(amount, sum)
	shares, parts, missing := make([]int64, len(sizes)), make([]part, len(sizes)), amount
	for i, size := range sizes {
		whole, rest := muldiv(amount, size, sum)
		shares[i], parts[i] = whole, part{i, rest}
		missing -= whole
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Or(cmp.Compare(b.rest, a.rest), cmp.Compare(a.line, b.line)) })
	for _, p := range parts[:missing] {
		shares[p.line]++
	}
	return shares
}
