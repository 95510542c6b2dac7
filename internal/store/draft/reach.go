package draft

import (
	"slices"
	"strconv"

	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
)

// tooDeepAfterPublish finds sections that a publish created or moved beyond the bounds; before
// holds their previous reach.
func tooDeepAfterPublish(before, after map[shop.CategoryID]catalog.Extent) (list []Conflict) {
	for id, now := range after {
		if now.Exceeds(before[id]) {
			list = append(
				list,
				Conflict{Ref: Ref{"category", strconv.Itoa(int(id))}, Field: "parent_id", Code: catalog.ErrCategoryTooDeep.Code},
			)
		}
	}
	return list
}

// placedSections returns the sections that a publish creates or moves.
func placedSections(things []*draftThing) (ids []shop.CategoryID) {
	for _, text := range slices.Concat(changedIn(things, "category", "parent_id"), changedIn(things, "category", "slug")) {
		if id, err := strconv.ParseInt(text, 10, 32); err == nil {
			ids = append(ids, shop.CategoryID(id))
		}
	}
	return ids
}
