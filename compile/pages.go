package compile

import (
	"iter"
	"slices"
	"strconv"

	"vitrine/internal/shop"
)

// entry is what an address needs to know about a product or an article.
type entry struct {
	id       int32
	category shop.CategoryID
	slug     string // "" when it cannot stand in an address
	shown    bool   // published and not deleted
	deleted  bool
}

// entries is the products or the articles of a shop, by id and by slug.
type entries struct {
	byID   shards[int32, entry]
	bySlug shards[string, holders]
}

// holders is the ids that share a slug, ascending. There is nearly always one:
// the others are deleted ones, whose slug was free to take.
type holders struct {
	first int32
	more  []int32
}

func (h holders) all() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		if h.first == 0 || !yield(h.first) {
			return
		}
		for _, id := range h.more {
			if !yield(id) {
				return
			}
		}
	}
}

// ids copies the holders, because edits must not write to a shared slice.
func (h holders) ids() []int32 { return slices.Collect(h.all()) }

func holdersOf(ids []int32) holders {
	slices.Sort(ids)
	return holders{first: ids[0], more: ids[1:]}
}

func newEntries(size int) entries {
	return entries{byID: newShards[int32, entry](size), bySlug: newShards[string, holders](size)}
}

// with returns a version with rows put in place and others gone.
func (e entries) with(rows []entry, gone []int32) entries {
	if len(rows) == 0 && len(gone) == 0 {
		return e
	}
	byID, bySlug := e.byID.edit(), e.bySlug.edit()
	drop := func(id int32) {
		old, there := byID.get(id)
		if !there {
			return
		}
		byID.delete(id)
		if old.slug == "" {
			return
		}
		h, _ := bySlug.get(old.slug)
		if left := slices.DeleteFunc(h.ids(), func(x int32) bool { return x == id }); len(left) > 0 {
			bySlug.set(old.slug, holdersOf(left))
		} else {
			bySlug.delete(old.slug)
		}
	}
	for _, id := range gone {
		drop(id)
	}
	for _, row := range rows {
		drop(row.id)
		byID.set(row.id, row)
		if row.slug == "" {
			continue
		}
		if h, taken := bySlug.get(row.slug); taken {
			bySlug.set(row.slug, holdersOf(append(h.ids(), row.id)))
		} else {
			bySlug.set(row.slug, holders{first: row.id})
		}
	}
	return entries{byID: byID.m, bySlug: bySlug.m}
}

// sorted lists the entries by id.
func (e entries) sorted() []entry {
	list := make([]entry, 0, e.byID.size)
	for _, x := range e.byID.all() {
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b entry) int { return int(a.id) - int(b.id) })
	return list
}

func productEntries(rows []Product) []entry {
	list := make([]entry, len(rows))
	for i, p := range rows {
		list[i] = entry{
			id: int32(p.ID), category: p.Category, slug: addressable(p.Slug),
			shown: p.Published && !p.Deleted, deleted: p.Deleted,
		}
	}
	return list
}

func articleEntries(rows []Article) []entry {
	list := make([]entry, len(rows))
	for i, a := range rows {
		list[i] = entry{id: int32(a.ID), category: a.Category, slug: addressable(a.Slug), shown: a.Published}
	}
	return list
}

// flatRoots are the first segments of the addresses that name a thing by its
// id or slug alone: /product/{id}, /article/{slug}.
var flatRoots = [...]string{EntityCategory: "category", EntityProduct: "product", EntityArticle: "article"}

// section is the live category whose address an entry's own begins with. An
// article needs one; a product without one lives at /product/{id}.
func (s *Site) section(x entry) *node {
	if x.slug == "" {
		return nil
	}
	return s.tree.live(x.category)
}

func (s *Site) entriesOf(kind Entity) *entries {
	if kind == EntityArticle {
		return &s.articles
	}
	return &s.products
}

// liveEntry finds a product or an article that visitors may see.
func (s *Site) liveEntry(kind Entity, id int64) (entry, bool) {
	if int64(int32(id)) != id {
		return entry{}, false
	}
	x, _ := s.entriesOf(kind).byID.get(int32(id))
	if !x.shown || kind == EntityArticle && s.tree.live(x.category) == nil {
		return entry{}, false
	}
	return x, true
}

// appendURL appends the canonical shop path of a live page, percent-encoded;
// nothing when visitors may not see it.
func (s *Site) appendURL(dst []byte, ref PageRef) []byte {
	switch ref.Entity {
	case 0:
		return append(dst, '/')
	case EntityCategory:
		if int64(int32(ref.ID)) == ref.ID {
			if n := s.tree.live(shop.CategoryID(ref.ID)); n != nil {
				dst = append(dst, n.url...)
			}
		}
		return dst
	}
	x, ok := s.liveEntry(ref.Entity, ref.ID)
	if !ok {
		return dst
	}
	n := s.section(x)
	if n == nil {
		dst = append(append(append(dst, '/'), flatRoots[ref.Entity]...), '/')
		return strconv.AppendInt(dst, ref.ID, 10)
	}
	if n.url != "/" {
		dst = append(dst, n.url...)
	}
	return appendSegment(append(dst, '/'), x.slug)
}

// URL is the canonical shop path of a page, percent-encoded, or "" when
// visitors have no page there. The zero PageRef is the home page, "/".
func (s *Site) URL(ref PageRef) string { return string(s.appendURL(nil, ref)) }

// Pages walks all live pages with their canonical shop paths, for the sitemap:
// the home page, categories in tree order, products and articles by id.
func (s *Site) Pages() iter.Seq2[PageRef, string] {
	return func(yield func(PageRef, string) bool) {
		if s.tree.liveHome() == nil && !yield(PageRef{}, "/") {
			return
		}
		for _, n := range s.tree.order {
			if n.live && !yield(PageRef{EntityCategory, int64(n.ID)}, n.url) {
				return
			}
		}
		for _, kind := range []Entity{EntityProduct, EntityArticle} {
			for _, x := range s.entriesOf(kind).sorted() {
				ref := PageRef{kind, int64(x.id)}
				if url := s.URL(ref); url != "" && !yield(ref, url) {
					return
				}
			}
		}
	}
}
