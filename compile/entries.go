package compile

import (
	"iter"
	"slices"

	"vitrine/internal/shop"
)

// entry holds what addresses depend on of a product or an article.
type entry struct {
	id       int32
	category shop.CategoryID
	slug     string // "" when it cannot be part of an address
	shown    bool   // published and not deleted
	deleted  bool
	modified uint32 // seconds since 1970; 32 bits fill a gap and last until 2106
	noIndex  bool   // its page asks search engines not to index it
}

// entries holds the products or the articles of a shop, by id and by slug.
type entries struct {
	byID   shards[int32, entry]
	bySlug shards[string, holders]
}

// holders lists the ids that share a slug, ascending. There is nearly always one: the others are
// deleted rows, whose slug could be reused.
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

// newEntries holds rows with different ids.
func newEntries(rows []entry) entries {
	return entries{
		byID: filledShards(len(rows), func(yield func(int32, entry) bool) {
			for _, x := range rows {
				if !yield(x.id, x) {
					return
				}
			}
		}, func(_, last entry) entry { return last }),
		bySlug: filledShards(len(rows), func(yield func(string, holders) bool) {
			for _, x := range rows {
				if x.slug != "" && !yield(x.slug, holders{first: x.id}) {
					return
				}
			}
		}, func(h, other holders) holders { return holdersOf(append(h.ids(), other.first)) }),
	}
}

// with returns a version with rows inserted or replaced and the rows in gone removed.
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

// sorted lists the wanted entries by id.
func (e entries) sorted(wanted func(entry) bool) []entry {
	var list []entry
	for _, x := range e.byID.all() {
		if wanted(x) {
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(a, b entry) int { return int(a.id) - int(b.id) })
	return list
}

func productEntries(rows []Product) []entry {
	list := make([]entry, len(rows))
	for i, p := range rows {
		list[i] = entry{
			id: int32(p.ID), category: p.Category, slug: addressable(p.Slug),
			shown: p.Published && !p.Deleted, deleted: p.Deleted, noIndex: p.NoIndex, modified: uint32(p.Modified),
		}
	}
	return list
}

func articleEntries(rows []Article) []entry {
	list := make([]entry, len(rows))
	for i, a := range rows {
		list[i] = entry{id: int32(a.ID), category: a.Category, slug: addressable(a.Slug), shown: a.Published, noIndex: a.NoIndex, modified: uint32(a.Modified)}
	}
	return list
}
