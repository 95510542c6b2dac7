package compile

import (
	"iter"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/shop"
)

// flatRoots are the first segments of the addresses that name a thing by its
// id or slug alone: /product/{id}, /article/{slug}.
var flatRoots = [...]string{EntityCategory: "category", EntityProduct: "product", EntityArticle: "article"}

// section is the live category whose address an entry's own begins with. An
// article needs one; a product without one lives at /product/{id}.
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

// liveEntry finds a product or an article that visitors may see.
func (s *Site) liveEntry(kind Entity, id int64) (entry, bool) {
	if int64(int32(id)) != id {
		return entry{}, false
	}
	x, _ := s.entriesOf(kind).byID.get(int32(id))
	if !x.shown || s.waits(kind, id) || s.hides(kind, x) {
		return entry{}, false
	}
	n := s.tree.nodes[x.category]
	if n != nil && n.off || kind == EntityArticle && (n == nil || !n.live) {
		return entry{}, false
	}
	return x, true
}

// hides reports whether a product or an article is closed to who sees this Site.
func (s *Site) hides(kind Entity, x entry) bool {
	if kind == EntityArticle {
		return s.hidden.Article(shop.ArticleID(x.id), x.category)
	}
	return s.hidden.Product(shop.ProductID(x.id), x.category)
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

// URL is the canonical shop path of a page, percent-encoded, or "" when
// visitors have no page there. The zero PageRef is the home page, "/".
func (s *Site) URL(ref PageRef) string { return string(s.appendURL(nil, ref)) }

// Pages walks all live pages with their canonical shop paths: the home page, categories in tree order, products and articles by id.
func (s *Site) Pages() iter.Seq2[PageRef, string] {
	return func(yield func(PageRef, string) bool) {
		if s.tree.liveHome() == nil && !yield(PageRef{}, "/") {
			return
		}
		for _, n := range s.tree.order {
			if n.seen() && !yield(PageRef{EntityCategory, int64(n.ID)}, n.url) {
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

// Indexed walks those of the pages that search engines may list, for the
// sitemap: a page that prints noindex is none of them, nor is a site
// folder whose start page does, or that has nothing to serve.
func (s *Site) Indexed() iter.Seq2[PageRef, string] {
	return func(yield func(PageRef, string) bool) {
		for ref, url := range s.Pages() {
			if !s.noIndex(ref) && !yield(ref, url) {
				return
			}
		}
	}
}

// Listed walks the addresses of the sitemap and when what is there was last
// modified: the pages that search engines may list, then the .html site files that
// their owner wants there (document 3, 2.5). An address that a rule sends elsewhere
// is none of them, and a shop that no search engine is to keep has none.
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

// modified is when what a page is about was last changed; zero where nobody knows.
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
