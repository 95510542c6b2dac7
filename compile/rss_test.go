package compile

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// addresses returns what the sitemap of a shop lists.
func addresses(s *Site) (urls []string) {
	for url := range s.Listed(0, 50_000) {
		urls = append(urls, url)
	}
	return urls
}

// journalShop is a shop with a rubric, one below it, a section of products and an article.
func journalShop(change func(*Input)) *Site {
	in := Input{
		Shop: Shop{ID: 1, Origin: "https://a.test", Hosts: []string{"a.test"}, MissFallback: true},
		Categories: []Category{
			{ID: 1, Slug: "news", Type: TypeNews, Published: true, Modified: 1_700_000_000},
			{ID: 2, Parent: 1, Slug: "deep", Type: TypeNews, Published: true},
			{ID: 3, Slug: "cups", Type: TypeProduct, Published: true},
			{ID: 4, Slug: "later", Type: TypeNews},
		},
		Products: []Product{{ID: 5, Category: 3, Slug: "cup", Published: true, Modified: 1_700_000_500}},
		Articles: []Article{{ID: 6, Category: 1, Slug: "glaze", Published: true, Modified: 1_700_000_900}},
	}
	if change != nil {
		change(&in)
	}
	return New(in)
}

func TestARubricServesRSSWhereNothingElseHasTheAddress(t *testing.T) {
	rubric := PageRef{EntityCategory, 1}
	rule := func(r redirect.Rule) func(*Input) {
		r.ID, r.Kind, r.To, r.Enabled = 1, redirect.Exact, "/cups", true
		return func(in *Input) { in.Rules = []redirect.Rule{r} }
	}
	for name, c := range map[string]struct {
		change func(*Input)
		path   string
		kind   Kind
		url    string // of the rubric's feed on its pages
	}{
		"a rubric":              {nil, "/news/rss.xml", Feed, "/news/rss.xml"},
		"one below it":          {nil, "/news/deep/rss.xml", Feed, "/news/rss.xml"},
		"another case":          {nil, "/news/RSS.xml", NotFound, "/news/rss.xml"},
		"a slash behind":        {nil, "/news/rss.xml/", NotFound, "/news/rss.xml"},
		"products":              {nil, "/cups/rss.xml", NotFound, "/news/rss.xml"},
		"a hidden rubric":       {nil, "/later/rss.xml", NotFound, "/news/rss.xml"},
		"the root":              {nil, "/rss.xml", NotFound, "/news/rss.xml"},
		"a rule of the owner":   {rule(redirect.Rule{From: "/news/rss.xml"}), "/news/rss.xml", Redirect, ""},
		"an article's slug":     {func(in *Input) { in.Articles[0].Slug = "rss.xml" }, "/news/rss.xml", Page, ""},
		"a file of the owner's": {func(in *Input) { in.Files = []SiteFile{{ID: 9, Category: 1, Name: "rss.xml", Published: true}} }, "/news/rss.xml", File, ""},
		"a former address":      {func(in *Input) { in.Journal = []Journal{{EntityArticle, "rss.xml", 6}} }, "/news/rss.xml", Redirect, ""},
		"news at the root":      {func(in *Input) { in.Categories[0].Home = true }, "/rss.xml", Feed, "/rss.xml"},
	} {
		site := journalShop(c.change)
		var w Walk
		d := site.Resolve(&w, "a.test", c.path)
		if d.Kind != c.kind {
			t.Errorf("%s: %s is %v, want %v", name, c.path, d.Kind, c.kind)
		}
		if got := site.FeedURL(rubric); got != c.url {
			t.Errorf("%s: pages link the feed %q, want %q", name, got, c.url)
		}
	}
	if got := journalShop(nil).FeedURL(PageRef{EntityCategory, 3}); got != "" {
		t.Errorf("a section of products has the feed %q", got)
	}
}

func TestAFeedIsClosedWithItsRubric(t *testing.T) {
	site := journalShop(func(in *Input) {
		in.Policies = []Policy{{ID: 1, Sections: []shop.CategoryID{1}}}
	})
	var w Walk
	if d := site.Resolve(&w, "a.test", "/news/rss.xml"); d.Kind != Feed || !slices.Equal(d.Closed, []shop.PolicyID{1}) {
		t.Errorf("%v is closed by %v", d.Kind, d.Closed)
	}
	if got := site.ViewFor("").FeedURL(PageRef{EntityCategory, 1}); got != "" {
		t.Errorf("visitors without access are told of %q", got)
	}
}

func TestSitemapHasModificationTimesAndOmitsRedirectedPages(t *testing.T) {
	when := map[string]time.Time{}
	for url, modified := range journalShop(nil).Listed(0, 50_000) {
		when[url] = modified
	}
	for url, want := range map[string]int64{"/news": 1_700_000_000, "/cups/cup": 1_700_000_500, "/news/glaze": 1_700_000_900} {
		if when[url].Unix() != want {
			t.Errorf("%s changed at %v", url, when[url])
		}
	}
	if !when["/"].IsZero() || !when["/cups"].IsZero() {
		t.Error("the sitemap has a modification time that is not known")
	}
	moved := journalShop(func(in *Input) {
		in.Rules = []redirect.Rule{{ID: 1, Kind: redirect.Exact, From: "/cups/cup", To: "/news", Enabled: true, OverrideLive: true}}
	})
	if got := strings.Join(addresses(moved), " "); got != "/ /news /news/deep /cups /news/glaze" {
		t.Errorf("the sitemap lists %s", got)
	}
	if got := addresses(journalShop(func(in *Input) { in.Shop.Face.NoIndex = true })); len(got) > 0 {
		t.Errorf("the sitemap of a noindex shop lists %q", got)
	}
}

// The parts of a sitemap list all its addresses once and in order, and omit those that a rule redirects.
func TestThePartsOfASitemapAreTheWhole(t *testing.T) {
	site := journalShop(nil)
	site = site.With(Delta{
		Rules: []redirect.Rule{{ID: 1, Kind: redirect.Exact, From: "/", To: "/elsewhere", Code: 301, Enabled: true, OverrideLive: true}},
		Files: []SiteFile{{ID: 1, Name: "prices.html", Published: true, InSitemap: true}, {ID: 2, Name: "feed.xml", Published: true, InSitemap: true}},
	})
	list := func(part, size int) (urls []string) {
		for url := range site.Listed(part, size) {
			urls = append(urls, url)
		}
		return urls
	}
	whole := list(0, 1000)
	if site.ListedParts(1000) != 1 || slices.Contains(whole, "/") || !slices.Contains(whole, "/prices.html") || len(whole) < 4 {
		t.Fatal(site.ListedParts(1000), whole)
	}
	for size := 1; size <= len(whole)+1; size++ {
		var urls []string
		parts := site.ListedParts(size)
		for part := range parts {
			if n := len(list(part, size)); n > size {
				t.Errorf("%d addresses in a part of %d", n, size)
			}
			urls = append(urls, list(part, size)...)
		}
		if !slices.Equal(urls, whole) || len(list(parts, size)) > 0 {
			t.Errorf("in parts of %d: %q", size, urls)
		}
	}
}
