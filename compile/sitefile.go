package compile

import (
	"iter"

	"vitrine/internal/shop"
)

// placeFiles indexes the published site files by address. If two have the same address, because a
// section has become the home page, the file in the root wins.
func (s *Site) placeFiles() {
	s.paths, s.placed = make(map[string]int, len(s.files)), make(map[shop.SiteFileID]int, len(s.files))
	for i, f := range s.files {
		path := s.filePath(f.Category, f.Name)
		if path == "" || !f.Published || s.hidden.Category(f.Category) {
			continue
		}
		if _, taken := s.paths[path]; !taken || f.Category == 0 {
			s.paths[path] = i
		}
	}
	for _, i := range s.paths {
		s.placed[s.files[i].ID] = i
	}
}

// filePath returns the decoded address of a site file.
func (s *Site) filePath(category shop.CategoryID, name string) string {
	if category == 0 {
		return "/" + name
	}
	if n := s.tree.nodes[category]; n != nil && n.url != "" {
		return n.base + "/" + name
	}
	return ""
}

// FileURL returns the shop path of a site file, percent-encoded: the path of its category,
// published or not, and its name. It is "" for an orphan, whose category is gone (document 3,
// 2.5).
func (s *Site) FileURL(category shop.CategoryID, name string) string {
	if category == 0 {
		return string(appendSegment([]byte{'/'}, name))
	}
	n := s.tree.nodes[category]
	if n == nil || n.url == "" {
		return ""
	}
	base := n.url
	if base == "/" {
		base = ""
	}
	return string(appendSegment([]byte(base+"/"), name))
}

// Orphaned reports whether the category of a site file is gone.
func (s *Site) Orphaned(category shop.CategoryID) bool {
	return category != 0 && s.tree.nodes[category] == nil
}

// File returns a published site file and its address; ok is false if it has none.
func (s *Site) File(id shop.SiteFileID) (f SiteFile, url string, ok bool) {
	i, ok := s.placed[id]
	if !ok {
		return f, "", false
	}
	f = s.files[i]
	return f, s.FileURL(f.Category, f.Name), true
}

// Files yields the published site files that have an address, with the address, by id.
func (s *Site) Files() iter.Seq2[SiteFile, string] {
	return func(yield func(SiteFile, string) bool) {
		for i, f := range s.files {
			if at, ok := s.placed[f.ID]; ok && at == i && !yield(f, s.FileURL(f.Category, f.Name)) {
				return
			}
		}
	}
}

// ProductURL returns the canonical shop path of a published product with this slug and category
// in the Site's tree.
func (s *Site) ProductURL(id shop.ProductID, category shop.CategoryID, slug string) string {
	x := entry{id: int32(id), category: category, slug: addressable(slug), shown: true}
	return string(s.entryURL(nil, EntityProduct, x))
}
