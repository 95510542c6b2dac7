package compile

import (
	"slices"
	"strings"

	"vitrine/internal/shop"
)

// Reveal returns the shop with one more page visible, for a preview of it: a category, product or
// article that is unpublished, or below an unpublished category. path is its address by id, such as
// /article/7, because hidden pages have no other; the files of a site folder are below its address.
// The decision leads to the page. ok is false for all other paths, and for pages that are visible
// anyway.
func (s *Site) Reveal(path string) (revealed *Site, d Decision, ok bool) {
	kind, below, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	last, rest := below, ""
	if at := strings.IndexByte(below, '/'); at >= 0 {
		last, rest = below[:at], below[at:]
	}
	id, isNumber := number(last)
	if !isNumber || int64(int32(id)) != id {
		return nil, d, false
	}
	var ref PageRef
	for entity := EntityCategory; entity <= EntityArticle; entity++ {
		if flatRoots[entity] == kind {
			ref = PageRef{entity, id}
		}
	}
	if ref.Entity == 0 || s.isLive(ref) {
		return nil, d, false
	}
	next := *s
	next.revealed = ref
	if ref.Entity == EntityCategory {
		next.reveal(shop.CategoryID(id))
	} else if !next.revealEntry(ref) {
		return nil, d, false
	}
	if !next.isLive(ref) || rest != "" && !next.isFolder(ref) {
		return nil, d, false
	}
	return &next, Decision{Kind: Page, Page: ref, Rest: rest}, true
}

// revealEntry publishes a product or article with its category and those above it. It reports
// whether there is one.
func (s *Site) revealEntry(ref PageRef) bool {
	list := s.entriesOf(ref.Entity)
	x, there := list.byID.get(int32(ref.ID))
	if !there || x.deleted {
		return false
	}
	x.shown = true
	*list = list.with([]entry{x}, nil)
	s.reveal(x.category)
	return true
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
