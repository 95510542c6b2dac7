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
	if !s.shows(kind, x) {
		return entry{}, false
	}
	return x, true
}

// shows reports whether a product or an article is visible.
func (s *Site) shows(kind Entity, x entry) bool {
	if !x.shown || s.isAhead(kind, int64(x.id)) || s.hides(kind, x) {
		return false
	}
	n := s.tree.nodes[x.category]
	return (n == nil || !n.unpublished) && (kind != EntityArticle || n != nil && n.live)
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
		for ref, x := range s.liveIn(wanted) {
			if !yield(ref, s.urlOf(ref, x)) {
				return
			}
		}
	}
}

// liveIn yields the pages of pagesIn; the entry is that of a product or an article.
func (s *Site) liveIn(wanted func(base string) bool) iter.Seq2[PageRef, entry] {
	return func(yield func(PageRef, entry) bool) {
		if s.tree.liveHome() == nil && !yield(PageRef{}, entry{}) {
			return
		}
		for _, n := range s.tree.order {
			if n.visible() && !yield(PageRef{EntityCategory, int64(n.ID)}, entry{}) {
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
				return known[n] && s.shows(kind, x)
			}) {
				if !yield(PageRef{kind, int64(x.id)}, x) {
					return
				}
			}
		}
	}
}

// urlOf is the URL of a page of liveIn.
func (s *Site) urlOf(ref PageRef, x entry) string {
	switch ref.Entity {
	case 0:
		return "/"
	case EntityCategory:
		return s.tree.nodes[categoryID(ref.ID)].url
	}
	return string(s.entryURL(nil, ref.Entity, x))
}

// Indexed yields the pages that search engines may list, for the sitemap. It omits pages that
// print noindex, and site folders whose start page does or that have nothing to serve.
func (s *Site) Indexed() iter.Seq2[PageRef, string] {
	return func(yield func(PageRef, string) bool) {
		for ref, x := range s.indexed() {
			if !yield(ref, s.urlOf(ref, x)) {
				return
			}
		}
	}
}

func (s *Site) indexed() iter.Seq2[PageRef, entry] {
	return func(yield func(PageRef, entry) bool) {
		for ref, x := range s.liveIn(func(string) bool { return true }) {
			if !s.noIndex(ref, x) && !yield(ref, x) {
				return
			}
		}
	}
}

// Listed yields the addresses of one part of the sitemap, from 0, and the time each was last
// modified: the pages that search engines may list, then the .html site files that the owner has
// included (document 3, 2.5). A part is made of size of them, and omits addresses that a rule
// redirects. A shop that is not to be indexed lists nothing.
func (s *Site) Listed(part, size int) iter.Seq2[string, time.Time] {
	return func(yield func(string, time.Time) bool) {
		if s.shop.Face.NoIndex {
			return
		}
		var w Walk
		answers := func(url string) bool {
			d := s.decide(&w, s.host(), url)
			return d.Kind == Page || d.Kind == File
		}
		n := -part * size // of the next address, from the first one of the part
		for ref, x := range s.indexed() {
			if n++; n <= 0 {
				continue
			} else if n > size {
				return
			}
			if url := s.urlOf(ref, x); answers(url) && !yield(url, s.modified(ref, x)) {
				return
			}
		}
		for f, url := range s.listedFiles() {
			if n++; n > 0 && n <= size && answers(url) && !yield(url, moment(f.Modified)) {
				return
			}
		}
	}
}

func (s *Site) listedFiles() iter.Seq2[SiteFile, string] {
	return func(yield func(SiteFile, string) bool) {
		for f, url := range s.Files() {
			if f.InSitemap && strings.HasSuffix(f.Name, ".html") && !yield(f, url) {
				return
			}
		}
	}
}

// ListedParts is how many parts the sitemap has: at least one.
func (s *Site) ListedParts(size int) int {
	n := 0
	if !s.shop.Face.NoIndex {
		for range s.indexed() {
			n++
		}
		for range s.listedFiles() {
			n++
		}
	}
	return max(1, (n+size-1)/size)
}

// modified returns the time of the last change of a page's subject; zero if unknown.
func (s *Site) modified(ref PageRef, x entry) time.Time {
	switch ref.Entity {
	case 0:
		return time.Time{}
	case EntityCategory:
		return moment(s.tree.nodes[categoryID(ref.ID)].Modified)
	}
	return moment(int64(x.modified))
}

func moment(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

func (s *Site) noIndex(ref PageRef, x entry) bool {
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
	return x.noIndex
}
