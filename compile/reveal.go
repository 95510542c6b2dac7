package compile

import (
	"slices"
	"strings"

	"vitrine/internal/shop"
)

// Reveal returns the shop with one more page visible, for a preview of it: a category, product or
// article that is unpublished, or below an unpublished category. path is its address by id, such as
// /article/7, because hidden pages have no other. ok is false for all other
// paths, and for pages that are visible anyway.
func (s *Site) Reveal(path string) (revealed *Site, ref PageRef, ok bool) {
	kind, last, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	id, isNumber := number(last)
	if !isNumber || int64(int32(id)) != id {
		return nil, ref, false
	}
	for entity := EntityCategory; entity <= EntityArticle; entity++ {
		if flatRoots[entity] == kind {
			ref = PageRef{entity, id}
		}
	}
	if ref.Entity == 0 || s.isLive(ref) {
		return nil, ref, false
	}
	next := *s
	next.revealed = ref
	if ref.Entity == EntityCategory {
		next.reveal(shop.CategoryID(id))
		return &next, ref, next.isLive(ref)
	}
	list := next.entriesOf(ref.Entity)
	x, there := list.byID.get(int32(id))
	if !there || x.deleted {
		return nil, ref, false
	}
	x.shown = true
	*list = list.with([]entry{x}, nil)
	next.reveal(x.category)
	return &next, ref, next.isLive(ref)
}

// reveal publishes a category and those above it.
func (s *Site) reveal(id shop.CategoryID) {
	rows, shown := s.Categories(), s.SelfAndAncestors(id)
	for i := range rows {
		rows[i].Published = rows[i].Published || slices.Contains(shown, rows[i].ID)
	}
	s.tree = newTree(rows, nil)
}

// Reveals reports whether Reveal made the page visible.
func (s *Site) Reveals(ref PageRef) bool { return ref.Entity != 0 && s.revealed == ref }
