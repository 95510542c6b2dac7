package compile

import "strings"

// journal maps an old slug to the entity that last had it, one of each kind. It holds ids, not
// slugs, so a chain of renames is one hop.
type journal map[string]*[3]int64

// newJournal reads rows oldest first: a later holder of a slug replaces an earlier one.
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

// slugJournal is step 4: the last segment is an old slug of a live page (document 3, 4.5). If a
// live page of the same kind has the slug now, the step before has already answered.
func slugJournal(s *Site, w *Walk) (Decision, bool) {
	if w.ruleOnly {
		return Decision{}, false
	}
	if n, end := s.movedFolder(w); n != nil {
		return w.redirectIntoFolder(n, end), true
	}
	if !w.named {
		return Decision{}, false
	}
	ids := s.journal[w.last()]
	if ids == nil {
		return Decision{}, false
	}
	for i, id := range ids {
		ref := PageRef{Entity(i + 1), id}
		if id != 0 && !s.holds(ref.Entity, w.last()) {
			if d, ok := s.sendTo(w, ref, ByJournal); ok {
				return d, true
			}
		}
	}
	return Decision{}, false
}

// movedFolder finds the site folder that contained an address before the folder was renamed or
// moved, and the offset at which the address continues below it; inner addresses of a folder are
// in no journal. The deepest segment wins.
func (s *Site) movedFolder(w *Walk) (n *node, end int) {
	if !s.tree.folders {
		return nil, 0
	}
	for end = strings.LastIndexByte(w.path, '/'); end > 0; end = strings.LastIndexByte(w.path[:end], '/') {
		slug := w.path[strings.LastIndexByte(w.path[:end], '/')+1 : end]
		if n := s.folderBySlug(slug); n != nil && n.base != w.path[:end] {
			return n, end
		}
	}
	return nil, 0
}

// folderBySlug returns the live site folder that has a slug, or otherwise the one that had it
// last.
func (s *Site) folderBySlug(slug string) *node {
	for _, n := range s.tree.slugs[slug] {
		if n.Type == TypeSite {
			return n
		}
	}
	ids := s.journal[slug]
	if ids == nil || ids[EntityCategory-1] == 0 || s.holds(EntityCategory, slug) {
		return nil
	}
	if n := s.tree.live(categoryID(ids[EntityCategory-1])); n != nil && n.Type == TypeSite {
		return n
	}
	return nil
}

// redirectIntoFolder redirects to the same address below the current path of a moved folder.
func (w *Walk) redirectIntoFolder(n *node, end int) Decision {
	w.target = append(w.target[:0], strings.TrimSuffix(n.url, "/")...)
	for segment := range strings.SplitSeq(w.path[end+1:], "/") {
		w.target = appendSegment(append(w.target, '/'), segment)
	}
	if strings.HasSuffix(w.addr.Path, "/") || hasSuffixFold(w.addr.Path, "%2f") { // a directory URL
		w.target = append(w.target, '/')
	}
	d := w.send(unsafeString(w.target), ByJournal)
	d.Page = PageRef{EntityCategory, int64(n.ID)}
	return d
}

// InJournal finds the live entity of a kind that once had a slug, and its current slug (document
// 3, 4.4: /slug-redirects/resolve). A slug that a live entity of that kind has now is not an
// entry.
func (s *Site) InJournal(kind Entity, slug string) (id int64, current string, ok bool) {
	ids := s.journal[slug]
	if ids == nil || kind < EntityCategory || kind > EntityArticle || s.holds(kind, slug) {
		return 0, "", false
	}
	id = ids[kind-1]
	if kind == EntityCategory {
		if c := s.tree.live(categoryID(id)); c != nil {
			return id, c.Slug, true
		}
	} else if x, live := s.liveEntry(kind, id); live {
		return id, x.slug, true
	}
	return 0, "", false
}

// holds reports whether a live entity of a kind has the slug now.
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
