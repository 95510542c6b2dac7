package compile

import (
	"math"
	"strings"
)

// livePage is step 3: a live category, product or article. The page's own address is answered
// with the page; every other spelling of it (extra slashes, the flat forms, a broken chain whose
// last segment is a live slug) gets a 308 to its own address.
func livePage(s *Site, w *Walk) (Decision, bool) {
	if w.ruleOnly {
		return Decision{}, false
	}
	ref, found := s.pageAt(w.path, w.named)
	if found && !s.isFolder(ref) {
		if w.slashes == 0 {
			return Decision{Kind: Page, Page: ref}, true
		}
		return s.sendTo(w, ref, ByCanonical)
	}
	if n := s.tree.folderOf(w.path); n != nil {
		return w.inFolder(n), true
	}
	if ref, found = s.flatForm(w.path); !found && w.named {
		ref, found = s.brokenChain(w.path)
	}
	if !found {
		return Decision{}, false
	}
	return s.sendTo(w, ref, ByCanonical)
}

func (s *Site) isFolder(ref PageRef) bool {
	return s.tree.folders && ref.Entity == EntityCategory && s.tree.nodes[categoryID(ref.ID)].Type == TypeSite
}

// inFolder answers every address in a site folder. A single trailing slash denotes a directory
// there, so it is kept; repeated slashes are collapsed first.
func (w *Walk) inFolder(n *node) Decision {
	directory := strings.HasSuffix(w.addr.Path, "/") || hasSuffixFold(w.addr.Path, "%2f")
	if w.slashes == 0 || directory && w.slashes == 1 {
		w.rest = append(w.rest[:0], w.path[len(n.base):]...)
		if directory {
			w.rest = append(w.rest, '/')
		}
		return Decision{Kind: Page, Page: PageRef{EntityCategory, int64(n.ID)}, Rest: unsafeString(w.rest)}
	}
	w.target = w.target[:0]
	for part := range strings.SplitSeq(strings.TrimPrefix(w.path, "/"), "/") {
		w.target = appendSegment(append(w.target, '/'), part)
	}
	if directory && w.path != "" {
		w.target = append(w.target, '/')
	}
	d := w.send(unsafeString(w.target), ByCanonical)
	d.Page = PageRef{EntityCategory, int64(n.ID)}
	return d
}

// pageAt finds the live page whose own address is the decoded path. named reports whether the
// last segment may be a slug.
func (s *Site) pageAt(path string, named bool) (PageRef, bool) {
	if path == "" {
		if home := s.tree.liveHome(); home != nil {
			return PageRef{EntityCategory, int64(home.ID)}, true
		}
		return PageRef{}, true
	}
	if n := s.tree.paths[path]; n != nil {
		return PageRef{EntityCategory, int64(n.ID)}, true
	}
	cut := strings.LastIndexByte(path, '/')
	base, slug := path[:cut], path[cut+1:]
	for _, kind := range [...]Entity{EntityProduct, EntityArticle} {
		if named {
			if id, ok := s.entryAt(kind, base, slug); ok {
				return PageRef{kind, id}, true
			}
		}
		if x, ok := s.numbered(kind, base, slug); ok && s.section(x) == nil {
			return PageRef{kind, int64(x.id)}, true
		}
	}
	return PageRef{}, false
}

// entryAt finds the live product or article with a slug in a section.
func (s *Site) entryAt(kind Entity, base, slug string) (int64, bool) {
	h, _ := s.entriesOf(kind).bySlug.get(slug)
	for id := range h.all() {
		if x, live := s.liveEntry(kind, int64(id)); live {
			if n := s.section(x); n != nil && n.base == base {
				return int64(id), true
			}
		}
	}
	return 0, false
}

// numbered finds the live product or article at /product/{id} or /article/{id}. Only the id's
// canonical spelling counts, so that a page has one address.
func (s *Site) numbered(kind Entity, base, last string) (entry, bool) {
	if len(base) == 0 || base[1:] != flatRoots[kind] {
		return entry{}, false
	}
	id, ok := number(last)
	if !ok {
		return entry{}, false
	}
	return s.liveEntry(kind, id)
}

// number parses a 32-bit id in its canonical spelling.
func number(text string) (int64, bool) {
	if text == "" || text[0] == '0' || len(text) > 10 {
		return 0, false
	}
	id := int64(0)
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
		id = 10*id + int64(text[i]-'0')
	}
	return id, id <= math.MaxInt32
}

// flatForm resolves /category/{id}, /product/{slug} and the like.
func (s *Site) flatForm(path string) (PageRef, bool) {
	cut := strings.LastIndexByte(path, '/')
	if cut <= 0 {
		return PageRef{}, false
	}
	base, last := path[:cut], path[cut+1:]
	for kind := EntityCategory; kind <= EntityArticle; kind++ {
		if base[1:] != flatRoots[kind] {
			continue
		}
		if id, ok := number(last); ok {
			if ref := (PageRef{kind, id}); s.isLive(ref) {
				return ref, true
			}
		}
		ref, _, ok := s.slugOf(kind, last, "")
		return ref, ok
	}
	return PageRef{}, false
}

func (s *Site) isLive(ref PageRef) bool {
	if ref.Entity == EntityCategory {
		return s.tree.live(categoryID(ref.ID)) != nil
	}
	_, live := s.liveEntry(ref.Entity, ref.ID)
	return live
}

// brokenChain finds a live page by the last segment of a path alone. Among several with one slug,
// a page directly under the segment before it wins, then categories before products before
// articles.
func (s *Site) brokenChain(path string) (found PageRef, ok bool) {
	cut := strings.LastIndexByte(path, '/')
	slug, parent := path[cut+1:], lastSegment(path[:cut])
	for kind := EntityCategory; kind <= EntityArticle; kind++ {
		ref, under, there := s.slugOf(kind, slug, parent)
		if under {
			return ref, true
		}
		if there && !ok {
			found, ok = ref, true
		}
	}
	return found, ok
}

// slugOf finds a live entity of a kind by its slug: the first under the given parent segment,
// otherwise the first of all.
func (s *Site) slugOf(kind Entity, slug, parent string) (found PageRef, under, ok bool) {
	if kind == EntityCategory {
		for _, n := range s.tree.slugs[slug] {
			if under = n.parentSegment() == parent; under || !ok {
				found, ok = PageRef{kind, int64(n.ID)}, true
			}
			if under {
				break
			}
		}
		return found, under, ok
	}
	h, _ := s.entriesOf(kind).bySlug.get(slug)
	for id := range h.all() {
		x, live := s.liveEntry(kind, int64(id))
		if !live {
			continue
		}
		n := s.section(x)
		if under = n != nil && lastSegment(n.base) == parent; under || !ok {
			found, ok = PageRef{kind, int64(id)}, true
		}
		if under {
			break
		}
	}
	return found, under, ok
}

// parentSegment returns the segment before a category's own in its address.
func (n *node) parentSegment() string {
	if n.parent == nil {
		return ""
	}
	return lastSegment(n.parent.base)
}

func lastSegment(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// lastSlash returns the offset of the last slash of a path, or 0 without one.
func lastSlash(path string) int { return max(0, strings.LastIndexByte(path, '/')) }
