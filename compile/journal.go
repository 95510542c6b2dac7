package compile

// journal maps an old slug to the thing that last held it, one of each kind.
// It names ids, not slugs, so a chain of renames is one hop.
type journal map[string]*[3]int64

// newJournal reads rows oldest first: a later holder of a slug takes the place
// of an earlier one.
func newJournal(rows []Journal) journal {
	j := make(journal, len(rows))
	for _, row := range rows {
		slug := addressable(row.Slug)
		if slug == "" || row.Entity < EntityCategory || row.Entity > EntityArticle {
			continue
		}
		if j[slug] == nil {
			j[slug] = new([3]int64)
		}
		j[slug][row.Entity-1] = row.ID
	}
	return j
}

// slugJournal is step 4: the last segment is an old slug of something that is
// still live (document 3, 4.5). A slug that a live thing of the same kind
// holds again has been answered by the step before.
func slugJournal(s *Site, w *Walk) (Decision, bool) {
	if w.ruleOnly || !w.named {
		return Decision{}, false
	}
	held := s.journal[w.last()]
	if held == nil {
		return Decision{}, false
	}
	for i, id := range held {
		ref := PageRef{Entity(i + 1), id}
		if id != 0 && !s.holds(ref.Entity, w.last()) {
			if d, ok := s.sendTo(w, ref, ByJournal); ok {
				return d, true
			}
		}
	}
	return Decision{}, false
}

// InJournal finds the live thing of a kind that once held a slug, and the slug
// it holds now (document 3, 4.4: /slug-redirects/resolve). A slug that a live
// thing of that kind holds again is no entry.
func (s *Site) InJournal(kind Entity, slug string) (id int64, current string, ok bool) {
	held := s.journal[slug]
	if held == nil || kind < EntityCategory || kind > EntityArticle || s.holds(kind, slug) {
		return 0, "", false
	}
	id = held[kind-1]
	if kind == EntityCategory {
		if c := s.tree.live(categoryID(id)); c != nil {
			return id, c.Slug, true
		}
	} else if x, live := s.liveEntry(kind, id); live {
		return id, x.slug, true
	}
	return 0, "", false
}

// holds reports whether a live thing of a kind has the slug now.
func (s *Site) holds(kind Entity, slug string) bool {
	if kind == EntityCategory {
		return len(s.tree.slugs[slug]) > 0
	}
	h, _ := s.entriesOf(kind).bySlug.get(slug)
	for id := range h.all() {
		if _, live := s.liveEntry(kind, int64(id)); live {
			return true
		}
	}
	return false
}
