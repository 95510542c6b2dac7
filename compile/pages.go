package compile

import (
	"iter"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/shop"
)

// flatRoots are the first segments of the addresses that consist of an id or slug alone:
// /product/{id}, /article/{slug}.
var flatRoots = [...]string{EntityCategory: "category", EntityProduct: "product", EntityArticle: "article"}

// section returns the live category that an entry's address begins with. An article needs one; a
// product without one has the address /product/{id}.
func (s *Site) section(x entry) *node {
	if x.slug == "" {
		return nil
	}
	if n := s.tree.nodes[x.category]; n != nil && n.live {
		return n
	}
	return nil
}

func (s *Site) entriesOf(kind Entity) *entries {
	if kind == EntityArticle {
		return &s.articles
	}
	return &s.products
}

// liveEntry finds a visible product or article.
func (s *Site) liveEntry(kind Entity, id int64) (entry, bool) {
	if int64(int32(id)) != id {
		return entry{}, false
	}
	x, _ := s.entriesOf(kind).byID.get(int32(id))
	if !x.shown || s.isAhead(kind, id) || s.hides(kind, x) {
		return entry{}, false
	}
	n := s.tree.nodes[x.category]
	if n != nil && n.unpublished || kind == EntityArticle && (n == nil || !n.live) {
		return entry{}, false
	}
	return x, true
}

// hides reports whether a product or an article is hidden in this view of the Site.
func (s *Site) hides(kind Entity, x entry) bool {
	if kind == EntityArticle {
		return s.hidden.Article(shop.ArticleID(x.id), x.category)
	}
	return s.hidden.Product(shop.ProductID(x.id), x.category)
}

// appendURL appends the canonical shop path of a live page, percent-encoded, and nothing for a
// page that is not visible.
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
	if x, ok := s.liveEntry(ref.Entity, ref.ID); ok {
		dst = s.entryURL(dst, ref.Entity, x)
	}
	return dst
}

// entryURL appends the path of a live product or article.
func (s *Site) entryURL(dst []byte, kind Entity, x entry) []byte {
	n := s.section(x)
	if n == nil {
		dst = append(append(append(dst, '/'), flatRoots[kind]...), '/')
		return strconv.AppendInt(dst, int64(x.id), 10)
	}
	if n.url != "/" {
		dst = append(dst, n.url...)
	}
	return appendSegment(append(dst, '/'), x.slug)
}

// URL returns the canonical shop path of a page, percent-encoded, or "" for a page that is not
// visible. The zero PageRef is the home page, "/".
func (s *Site) URL(ref PageRef) string { return string(s.appendURL(nil, ref)) }

// Pages yields all live pages with their canonical shop paths: the home page, categories in tree
// order, products and articles by id.
func (s *Site) Pages() iter.Seq2[PageRef, string] {
	return s.pagesIn(func(string) bool { return true })
}

// pagesIn is Pages with only the products and articles of wanted sections. base is the path
// that their addresses begin with.
func (s *Site) pagesIn(wanted func(base string) bool) iter.Seq2[PageRef, string] {
	return func(yield func(PageRef, string) bool) {
		if s.tree.liveHome() == nil && !yield(PageRef{}, "/") {
			return
		}
		for _, n := range s.tree.order {
			if n.visible() && !yield(PageRef{EntityCategory, int64(n.ID)}, n.url) {
				return
			}
		}
		for _, kind := range []Entity{EntityProduct, EntityArticle} {
			known := map[*node]bool{nil: wanted("/" + flatRoots[kind])}
			for _, x := range s.entriesOf(kind).sorted(func(x entry) bool {
				n := s.section(x)
				if _, there := known[n]; !there {
					known[n] = wanted(n.base)
				}
				return known[n]
			}) {
				ref := PageRef{kind, int64(x.id)}
				if url := s.URL(ref); url != "" && !yield(ref, url) {
					return
				}
			}
		}
	}
}

// Indexed yields the pages that search engines may list, for the sitemap. It omits pages that
// print noindex, and site folders whose start page does or that have nothing to serve.
func (s *Site) Indexed() iter.Seq2[PageRef, string] {
	return func(yield func(PageRef, string) bool) {
		for ref, url := range s.Pages() {
			if !s.noIndex(ref) && !yield(ref, url) {
				return
			}
		}
	}
}

// Listed yields the addresses of the sitemap and the time each was last modified: the pages that
// search engines may list, then the .html site files that the owner has included (document 3,
// 2.5). It omits addresses that a rule redirects, and is empty for a shop that is not to be
// indexed.
func (s *Site) Listed() iter.Seq2[string, time.Time] {
	return func(yield func(string, time.Time) bool) {
		if s.shop.Face.NoIndex {
			return
		}
		var w Walk
		answers := func(url string) bool {
			d := s.decide(&w, s.host(), url)
			return d.Kind == Page || d.Kind == File
		}
		for ref, url := range s.Indexed() {
			if answers(url) && !yield(url, s.modified(ref)) {
				return
			}
		}
		for f, url := range s.Files() {
			if f.InSitemap && strings.HasSuffix(f.Name, ".html") && answers(url) && !yield(url, moment(f.Modified)) {
				return
			}
		}
	}
}

// modified returns the time of the last change of a page's subject; zero if unknown.
func (s *Site) modified(ref PageRef) time.Time {
	switch ref.Entity {
	case 0:
		return time.Time{}
	case EntityCategory:
		return moment(s.tree.nodes[categoryID(ref.ID)].Modified)
	}
	x, _ := s.entriesOf(ref.Entity).byID.get(int32(ref.ID))
	return moment(int64(x.modified))
}

func moment(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

func (s *Site) noIndex(ref PageRef) bool {
	switch ref.Entity {
	case 0:
		return false
	case EntityCategory:
		if f, is := s.FolderAt(ref); is && (f.NoIndex || f.Release == 0) {
			return true
		}
		n := s.tree.live(shop.CategoryID(ref.ID))
		return n != nil && n.NoIndex
	}
	x, _ := s.liveEntry(ref.Entity, ref.ID)
	return x.noIndex
}
