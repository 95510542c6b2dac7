package catalog

import (
	"vitrine/internal/facet"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// HideProducts restricts a statement to the products p that the reader sees. It adds
// nothing for a reader who sees everything.
func HideProducts(r store.Reader, s *store.Statement) {
	if h := r.Hidden; h != nil {
		s.Add(` AND NOT (p.id = ANY(?::integer[]) OR p.category_id = ANY(?::integer[]) AND NOT p.id = ANY(?::integer[]))
			AND p.category_id <> ALL(?::integer[])`,
			nonNil(h.Products), nonNil(h.Categories), nonNil(h.ShownProducts), nonNil(h.Unpublished))
	}
}

// hideArticles restricts a statement to the articles a that the reader sees.
func hideArticles(r store.Reader, s *store.Statement) {
	if h := r.Hidden; h != nil {
		s.Add(` AND NOT (a.id = ANY(?::integer[]) OR a.category_id = ANY(?::integer[]) AND NOT a.id = ANY(?::integer[]))
			AND a.category_id <> ALL(?::integer[])`,
			nonNil(h.Articles), nonNil(h.Categories), nonNil(h.ShownArticles), nonNil(h.Unpublished))
	}
}

// hideCategories restricts a statement to the sections c that the reader sees.
func hideCategories(r store.Reader, s *store.Statement) {
	if h := r.Hidden; h != nil {
		s.Add(` AND NOT c.id = ANY(?::integer[])`, nonNil(h.Categories))
	}
}

// hiddenFromIndex returns what the index of products must leave out for the reader.
func hiddenFromIndex(r store.Reader) *facet.Hidden {
	if r.Hidden == nil {
		return nil
	}
	return &facet.Hidden{Products: indexIDs(r.Hidden.Products), Sections: indexIDs(r.Hidden.Categories), Shown: indexIDs(r.Hidden.ShownProducts),
		Unpublished: indexIDs(r.Hidden.Unpublished)}
}

// nonNil returns ids for SQL as a non-nil list, because NULL would make a condition unknown.
func nonNil[K any](ids []shop.Number[K]) []shop.Number[K] {
	if ids == nil {
		return []shop.Number[K]{}
	}
	return ids
}
