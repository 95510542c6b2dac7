package compile

import "strings"

// missFallback is step 6, if the shop has it switched on. It finds a live section typed in
// another Latin case, the last section of a deleted product, or otherwise the nearest live
// section along the address. It never redirects to the home page, and requests for
// machine-readable files get a 404 (document 3, 4.5).
func missFallback(s *Site, w *Walk) (Decision, bool) {
	if !s.shop.MissFallback || w.ruleOnly || isFileName(w.last()) {
		return Decision{}, false
	}
	n := s.tree.foldedPaths[w.key]
	if n == nil {
		n = s.lastSection(w.path, w.named)
	}
	if n == nil {
		n = s.nearest(w.key)
	}
	if n == nil {
		return Decision{}, false
	}
	d := w.send(n.url, ByFallback)
	d.Page = PageRef{EntityCategory, int64(n.ID)}
	return d, true
}

// isFileName reports whether a segment ends like a file for machines.
func isFileName(name string) bool {
	for _, extension := range [...]string{".xml", ".csv", ".txt", ".json", ".jsonl", ".yml"} {
		if hasSuffixFold(name, extension) {
			return true
		}
	}
	return false
}

// lastSection returns the last section of a deleted product, if that section is live. Among
// several products with one slug the newest wins.
func (s *Site) lastSection(path string, named bool) (found *node) {
	cut := strings.LastIndexByte(path, '/')
	base, last := path[:cut], path[cut+1:]
	section := func(id int32) {
		if x, _ := s.products.byID.get(id); x.deleted {
			if n := s.tree.live(x.category); n != nil && n != s.tree.home {
				found = n
			}
		}
	}
	if named {
		h, _ := s.products.bySlug.get(last)
		for id := range h.all() {
			section(id)
		}
	}
	if id, ok := number(last); found == nil && ok && base == "/product" {
		section(int32(id))
	}
	return found
}

// nearest goes from the end of an address to its beginning and stops at the first segment that
// belongs to a live section: the path up to there is the section's address, or the segment is its
// slug.
func (s *Site) nearest(key string) *node {
	for depth := segments(key); len(key) > 1; depth-- {
		if depth <= s.tree.depth {
			if n := s.tree.foldedPaths[key]; n != nil {
				return n
			}
		}
		cut := strings.LastIndexByte(key, '/')
		if n := s.tree.foldedSlugs[key[cut+1:]]; n != nil && n != s.tree.home {
			return n
		}
		key = key[:cut]
	}
	return nil
}
