package compile

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// draft is a shop under random edits: rows by id, so that New and With can be compared after each
// edit.
type draft struct {
	shop       Shop
	categories map[shop.CategoryID]Category
	products   map[shop.ProductID]Product
	articles   map[shop.ArticleID]Article
	journal    []Journal
	rules      []redirect.Rule
	files      []SiteFile
}

func byKey[K ~int32, V any](m map[K]V) []V {
	list := make([]V, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		list = append(list, m[k])
	}
	return list
}

func (d *draft) input() Input {
	return Input{
		Shop: d.shop, Categories: byKey(d.categories), Products: byKey(d.products), Articles: byKey(d.articles),
		Journal: d.journal, Rules: d.rules, Files: d.files,
	}
}

var (
	anySlug = rapid.SampledFrom([]string{"", "a", "b", "c", "A", "cart", "product", "x.html", "ö", "a/b", "..", "1", "x.xml"})
	anyID   = rapid.IntRange(0, 6)
)

func drawCategory(t *rapid.T, id int) Category {
	return Category{
		ID: shop.CategoryID(id), Parent: shop.CategoryID(anyID.Draw(t, "parent")), Slug: anySlug.Draw(t, "slug"),
		Type:  rapid.SampledFrom([]CategoryType{TypeProduct, TypePage, TypeNews, TypeSite}).Draw(t, "type"),
		Order: rapid.IntRange(0, 2).Draw(t, "order"), Published: rapid.IntRange(0, 4).Draw(t, "published") > 0,
		ShowMenu: rapid.Bool().Draw(t, "menu"), Home: rapid.IntRange(0, 4).Draw(t, "home") == 0,
	}
}

func drawProduct(t *rapid.T, id int) Product {
	return Product{
		ID: shop.ProductID(id), Category: shop.CategoryID(anyID.Draw(t, "section")), Slug: anySlug.Draw(t, "slug"),
		Published: rapid.IntRange(0, 3).Draw(t, "published") > 0, Deleted: rapid.IntRange(0, 3).Draw(t, "deleted") == 0,
	}
}

// edit applies a random change to the draft and returns it as a Delta.
func (d *draft) edit(t *rapid.T) (delta Delta) {
	id := rapid.IntRange(1, 6).Draw(t, "id")
	switch rapid.SampledFrom([]string{"shop", "tree", "product", "no product", "article", "no article", "journal", "rules", "files"}).Draw(t, "edit") {
	case "shop":
		d.shop.MissFallback = !d.shop.MissFallback
		delta.Shop = &d.shop
	case "tree":
		d.categories[shop.CategoryID(id)] = drawCategory(t, id)
		delta.Categories = byKey(d.categories)
	case "product":
		d.products[shop.ProductID(id)] = drawProduct(t, id)
		delta.Products = []Product{d.products[shop.ProductID(id)]}
	case "no product":
		delete(d.products, shop.ProductID(id))
		delta.GoneProducts = []shop.ProductID{shop.ProductID(id)}
	case "article":
		p := drawProduct(t, id)
		a := Article{ID: shop.ArticleID(id), Category: p.Category, Slug: p.Slug, Published: p.Published}
		d.articles[a.ID] = a
		delta.Articles = []Article{a}
	case "no article":
		delete(d.articles, shop.ArticleID(id))
		delta.GoneArticles = []shop.ArticleID{shop.ArticleID(id)}
	case "journal":
		kind := Entity(rapid.IntRange(1, 3).Draw(t, "kind"))
		d.journal = append(slices.Clone(d.journal), Journal{kind, anySlug.Draw(t, "old"), int64(id)})
		delta.Journal = d.journal
	case "rules":
		d.rules = rules(rapid.SampledFrom([]string{"/a /b", "/b/* /a override", "/c* /a/$1", "/x.html /c"}).Draw(t, "rule"))
		delta.Rules = d.rules
	case "files":
		d.files = []SiteFile{{ID: 1, Category: shop.CategoryID(anyID.Draw(t, "folder")), Name: "x.xml", Published: true}}
		delta.Files = d.files
	}
	return delta
}

func drawAddress(t *rapid.T) string {
	part := rapid.SampledFrom(
		[]string{"a", "b", "c", "A", "cart", "product", "category", "article", "x.html", "%C3%B6", "1", "3", "x.xml", "", "%2F", ".."},
	)
	address := ""
	for range rapid.IntRange(0, 4).Draw(t, "segments") {
		address += "/" + part.Draw(t, "segment")
	}
	return address + rapid.SampledFrom([]string{"", "/", "?a=b"}).Draw(t, "end")
}

func newDraft() *draft {
	return &draft{
		shop:       Shop{Origin: "https://shop.test", Hosts: []string{"shop.test", "www.shop.test"}, MissFallback: true},
		categories: map[shop.CategoryID]Category{}, products: map[shop.ProductID]Product{}, articles: map[shop.ArticleID]Article{},
	}
}

func TestWithEqualsNew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := newDraft()
		s := New(d.input())
		w, v := &Walk{}, &Walk{}
		for range rapid.IntRange(1, 30).Draw(t, "edits") {
			old, before := s, fmt.Sprint(answers(s, w))
			s = s.With(d.edit(t))
			if after := fmt.Sprint(answers(old, w)); after != before {
				t.Fatalf("an edit changed the version before it:\n%s\n%s", before, after)
			}
		}
		fresh := New(d.input())
		for range 20 {
			address := drawAddress(t)
			host := rapid.SampledFrom(d.shop.Hosts).Draw(t, "host")
			if got, want := s.Resolve(w, host, address).print(), fresh.Resolve(v, host, address).print(); got != want {
				t.Fatalf("%s%s: With gives %s, New gives %s", host, address, got, want)
			}
		}
		if got, want := fmt.Sprint(pages(s)), fmt.Sprint(pages(fresh)); got != want {
			t.Fatalf("pages: With gives %s, New gives %s", got, want)
		}
	})
}

func answers(s *Site, w *Walk) (list []string) {
	for _, address := range []string{"/", "/a", "/b", "/a/b", "/product/1", "/product/2", "/a/c", "/x.html", "/c"} {
		list = append(list, s.Resolve(w, "shop.test", address).print())
	}
	return list
}

func pages(s *Site) (list []string) {
	for ref, url := range s.Pages() {
		list = append(list, fmt.Sprint(ref, url))
	}
	return list
}

// For any rows, the platform's own redirects end, and a page's canonical address resolves to a
// page.
func TestPlatformRedirectsEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := newDraft()
		for range rapid.IntRange(1, 40).Draw(t, "edits") {
			d.edit(t)
		}
		d.rules = nil
		s, w := New(d.input()), &Walk{}
		for range 20 {
			if address := drawAddress(t); s.Check(address).TooLong {
				t.Fatalf("%s never ends: %q", address, s.Check(address).Chain)
			}
		}
		for ref, url := range s.Pages() {
			if got := s.Resolve(w, "shop.test", url); got.Kind != Page && got.Kind != Service && got.Kind != File {
				t.Fatalf("%v has the address %s, which answers %s", ref, url, got.print())
			}
		}
	})
}

func TestShardsGrowAndKeepOldVersions(t *testing.T) {
	m := newShards[int, int](0)
	var versions []shards[int, int]
	for i := range 2000 {
		versions = append(versions, m)
		e := m.edit()
		e.set(i, i)
		if i%3 == 0 {
			e.delete(i / 2)
		}
		m = e.m
	}
	if len(m.parts) < 4 {
		t.Errorf("%d entries in %d shards", m.size, len(m.parts))
	}
	for i, v := range versions {
		count := 0
		for range v.all() {
			count++
		}
		if _, there := v.get(i); there || count != v.size {
			t.Fatalf("version %d has %d entries, but size is %d", i, count, v.size)
		}
	}
}
