package compile

import (
	"fmt"
	"testing"

	"vitrine/internal/golden"
	"vitrine/internal/shop"
)

func idsOf(list []Category) (ids []shop.CategoryID) {
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids
}

func TestTree(t *testing.T) {
	s := New(demo())
	for name, c := range map[string][2]any{
		"tree order":        {idsOf(s.Categories()), []shop.CategoryID{1, 9, 2, 3, 4, 5, 6, 7, 8}},
		"children":          {idsOf(s.Children(2)), []shop.CategoryID{3}},
		"no children":       {idsOf(s.Children(99)), []shop.CategoryID(nil)},
		"roots":             {idsOf(s.Children(0)), []shop.CategoryID{1, 2, 4, 6, 7, 8}},
		"ancestors":         {idsOf(s.Ancestors(3)), []shop.CategoryID{2}},
		"subtree":           {s.Subtree(2), []shop.CategoryID{2, 3}},
		"leaf":              {s.Subtree(8), []shop.CategoryID{8}},
		"no subtree":        {s.Subtree(99), []shop.CategoryID(nil)},
		"path":              {s.Path(3), "/shoes/boots"},
		"path of home":      {s.Path(1), "/"},
		"path below home":   {s.Path(9), "/about"},
		"path not live":     {s.Path(5), "/hidden/secret"},
		"live":              {s.Live(3), true},
		"below unpublished": {s.Live(5), false},
		"no category":       {s.Live(99), false},
		"menu":              {fmt.Sprint(s.Menu()), "[{2 Shoes /shoes [{3 Boots /shoes/boots []}]}]"},
		"url of home":       {s.URL(PageRef{}), "/"},
		"url of category":   {s.URL(PageRef{EntityCategory, 3}), "/shoes/boots"},
		"url of hidden":     {s.URL(PageRef{EntityCategory, 5}), ""},
		"url of product":    {s.URL(PageRef{EntityProduct, 10}), "/shoes/boots/red-boot"},
		"url without slug":  {s.URL(PageRef{EntityProduct, 11}), "/product/11"},
		"url of deleted":    {s.URL(PageRef{EntityProduct, 14}), ""},
		"url of article":    {s.URL(PageRef{EntityArticle, 20}), "/news/hello"},
		"hidden rubric":     {s.URL(PageRef{EntityArticle, 21}), ""},
		"id out of range":   {s.URL(PageRef{EntityProduct, 1 << 40}), ""},
	} {
		if fmt.Sprint(c[0]) != fmt.Sprint(c[1]) {
			t.Errorf("%s: got %v, want %v", name, c[0], c[1])
		}
	}
	if home, ok := s.Home(); !ok || home.ID != 1 {
		t.Error("home", home, ok)
	}
	if c, ok := s.Category(5); !ok || c.Slug != "secret" {
		t.Error("category", c, ok)
	}
}

func TestPagesForTheSitemap(t *testing.T) {
	want := []string{
		"/", "/about", "/shoes", "/shoes/boots", "/news", "/docs", "/Sale",
		"/shoes/boots/red-boot", "/product/11", "/product/15", "/mug", "/shoes/twin", "/news/hello", "/news/twin",
	}
	var got []string
	for _, url := range New(demo()).Pages() {
		got = append(got, url)
	}
	golden.Ordered(t, "pages", got, want)
	for range New(demo()).Pages() {
		break
	}
}

// A noindex page is in no sitemap and leaves its neighbours there, also when it becomes noindex
// later.
func TestNoIndexPagesAreNotIndexed(t *testing.T) {
	noIndexOnly := func(ref PageRef) Delta {
		in := demo()
		for i, c := range in.Categories {
			in.Categories[i].NoIndex = ref == PageRef{EntityCategory, int64(c.ID)}
		}
		for i, p := range in.Products {
			in.Products[i].NoIndex = ref == PageRef{EntityProduct, int64(p.ID)}
		}
		for i, a := range in.Articles {
			in.Articles[i].NoIndex = ref == PageRef{EntityArticle, int64(a.ID)}
		}
		return Delta{Categories: in.Categories, Products: in.Products, Articles: in.Articles}
	}
	in := demo()
	in.Folders = []Folder{{Category: 7, Release: 1}}
	before := New(in)
	for ref, url := range before.Pages() {
		var want, got []string
		for _, other := range before.Pages() {
			if other != url {
				want = append(want, other)
			}
		}
		for _, other := range before.With(noIndexOnly(ref)).Indexed() {
			got = append(got, other)
		}
		golden.Ordered(t, "without "+url, got, want)
	}
}

func TestBrokenTreesHaveNoAddress(t *testing.T) {
	s := New(Input{Categories: []Category{
		{ID: 1, Parent: 2, Slug: "a", Published: true}, {ID: 2, Parent: 1, Slug: "b", Published: true},
		{ID: 3, Parent: 3, Slug: "self", Published: true, Home: true}, {ID: 4, Parent: 99, Slug: "orphan", Published: true},
		{ID: 5, Slug: "", Published: true}, {ID: 6, Parent: 5, Slug: "below", Published: true},
		{ID: 7, Slug: "ö b?", Published: true}, {ID: 8, Slug: "x/y", Published: true},
	}})
	expect(t, s, "", []row{
		{"/", "home"}, {"/a", "404"}, {"/self", "404"}, {"/orphan", "404"}, {"/below", "404"}, {"/x/y", "404"},
		{"/%C3%B6%20b%3F", "category 7"}, {"/ö b%3f/", "308 /%C3%B6%20b%3F canonical"},
	})
	for id := shop.CategoryID(1); id < 7; id++ {
		if s.Path(id) != "" || s.Ancestors(id) != nil || len(s.Subtree(id)) == 0 {
			t.Errorf("category %d: %q %v %v", id, s.Path(id), s.Ancestors(id), s.Subtree(id))
		}
	}
}

func TestPublishedHomeIsPreferred(t *testing.T) {
	hidden := Category{ID: 1, Slug: "one", Home: true}
	shown := Category{ID: 2, Order: 9, Slug: "two", Home: true, Published: true}
	expect(t, New(Input{Categories: []Category{hidden, shown}}), "", []row{{"/", "category 2"}, {"/two", "308 / canonical"}})
	expect(t, New(Input{Categories: []Category{hidden}}), "", []row{{"/", "home"}, {"/one", "404"}})
}

func TestASlugIsFoundInTheJournal(t *testing.T) {
	s := New(demo())
	for _, c := range []struct {
		kind    Entity
		slug    string
		id      int64
		current string
		ok      bool
	}{
		{EntityCategory, "bootz", 3, "boots", true}, {EntityProduct, "crimson-boot", 10, "red-boot", true},
		{EntityArticle, "hullo", 20, "hello", true}, {EntityProduct, "reused", 10, "red-boot", true},
		{EntityProduct, "loose", 0, "", false}, {EntityProduct, "bootz", 0, "", false}, {EntityProduct, "nobody", 0, "", false},
		{EntityProduct, "dull-boot", 0, "", false}, {0, "bootz", 0, "", false}, {9, "bootz", 0, "", false},
	} {
		id, current, ok := s.InJournal(c.kind, c.slug)
		if id != c.id || current != c.current || ok != c.ok {
			t.Errorf("%d %s: got %d %q %v", c.kind, c.slug, id, current, ok)
		}
	}
}

func TestReservedAndGuarded(t *testing.T) {
	for key, want := range map[string][2]bool{
		"/": {false, false}, "/cart": {true, true}, "/cart/x": {true, true}, "/cartoons": {false, false}, "/x/cart": {false, false},
		"/api": {true, false}, "/w/640": {true, false}, "/w2": {false, false}, "/robots.txt": {true, false}, "/dashboard/a": {true, true},
		"/goods/*": {false, false}, "/cart/*": {true, true}, "": {false, false},
	} {
		_, _, guarded := shop.ZoneOf(key)
		if Reserved(key) != want[0] || guarded != want[1] {
			t.Errorf("%s: %v %v", key, Reserved(key), guarded)
		}
	}
}
