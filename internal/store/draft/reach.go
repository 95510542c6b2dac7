package draft

import (
	"slices"
	"strconv"

	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
)

// farPublished finds sections that a publish created or moved beyond the bounds; before
// holds their previous reach.
func farPublished(before, after map[shop.CategoryID]catalog.Reach) (list []Conflict) {
	for id, now := range after {
		if now.Breaks(before[id]) {
			list = append(
				list,
				Conflict{Ref: Ref{"category", strconv.Itoa(int(id))}, Field: "parent_id", Code: catalog.ErrCategoryTooDeep.Code},
			)
		}
	}
	return list
}

// placed returns the sections that a publish creates or moves.
func placed(things []*waiting) (ids []shop.CategoryID) {
	for _, text := range slices.Concat(moved(things, "category", "parent_id"), moved(things, "category", "slug")) {
		if id, err := strconv.ParseInt(text, 10, 32); err == nil {
			ids = append(ids, shop.CategoryID(id))
		}
	}
	return ids
}
