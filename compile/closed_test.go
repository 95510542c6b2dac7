package compile

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vitrine/compile/price"
	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// closedDemo is the demo with policies.
func closedDemo(policies ...Policy) *Site {
	in := demo()
	in.Policies = policies
	in.Files = []SiteFile{{ID: 30, Category: 3, Name: "boots.xml", Published: true}, {ID: 31, Name: "all.xml", Published: true}}
	return New(in)
}

func TestAnAddressIsClosedByTheNearestPolicies(t *testing.T) {
	site := closedDemo(
		Policy{ID: 1, Sections: []shop.CategoryID{2}}, Policy{ID: 2, Sections: []shop.CategoryID{2, 7}},
		Policy{ID: 3, Products: []shop.ProductID{17, 10}}, Policy{ID: 4, Articles: []shop.ArticleID{20}},
	)
	for address, want := range map[string][]shop.PolicyID{
		"/":                         nil,
		"/shoes":                    {1, 2},
		"/shoes/boots":              {1, 2},
		"/shoes/boots?page=2":       {1, 2},
		"/shoes/boots/":             {1, 2}, // its redirect would tell the address
		"/category/3":               {1, 2},
		"/bootz":                    {1, 2}, // so would that of an old slug
		"/shoes/twin":               {1, 2},
		"/shoes/boots/red-boot":     {3}, // its own policy is nearer
		"/crimson-boot":             {3},
		"/elsewhere/red-boot":       {3},
		"/product/11":               {1, 2}, // without a slug
		"/mug":                      {3},
		"/news":                     nil,
		"/news/hello":               {4},
		"/hullo":                    {4},
		"/news/twin":                nil,
		"/docs":                     {2},
		"/docs/":                    {2},
		"/docs/deep/app.js":         {2},
		"/docs//app.js":             {2},
		"/shoes/boots/boots.xml":    {1, 2},
		"/all.xml":                  nil,
		"/shoes/boots/nothing":      {1, 2}, // a closed section must not reveal what it lacks
		"/shoes/boots/gone-boot":    {1, 2},
		"/nothing":                  nil,
		"/shoes/boots/red-boot.htm": {1, 2},
	} {
		if got := site.Resolve(&Walk{}, "shop.test", address).Closed; !slices.Equal(got, want) {
			t.Errorf("%s is closed by %v, want %v", address, got, want)
		}
	}
	if d := site.Resolve(&Walk{}, "shop.test", "/shoes/boots/nothing.csv"); d.Kind != NotFound || d.Log || d.Closed == nil {
		t.Errorf("a miss in a closed section: %+v", d)
	}
	if got := site.ClosedFile(30); !slices.Equal(got, []shop.PolicyID{1, 2}) || site.ClosedFile(31) != nil {
		t.Errorf("the file below is closed by %v", got)
	}
}

func TestClosedPagesAreHiddenFromVisitorsWithoutAccess(t *testing.T) {
	site := closedDemo(
		Policy{ID: 1, Sections: []shop.CategoryID{2, 7}}, Policy{ID: 2, Sections: []shop.CategoryID{3}},
		Policy{ID: 3, Products: []shop.ProductID{17, 10}}, Policy{ID: 4, Articles: []shop.ArticleID{20}},
	)
	listed := func(opened ...shop.PolicyID) []string {
		return addresses(site.ViewFor(shop.NewUnlocked(opened...)))
	}
	for _, c := range []struct {
		opened []shop.PolicyID
		seen   []string
		hidden []string
	}{
		{nil, []string{"/", "/news", "/news/twin", "/product/15"},
			[]string{"/shoes", "/shoes/twin", "/shoes/boots", "/product/11", "/shoes/boots/red-boot", "/mug", "/docs", "/news/hello"}},
		{[]shop.PolicyID{1}, []string{"/shoes", "/shoes/twin"}, []string{"/shoes/boots", "/product/11", "/shoes/boots/red-boot"}},
		{[]shop.PolicyID{2}, []string{"/shoes/boots", "/product/11"}, []string{"/shoes", "/shoes/twin", "/shoes/boots/red-boot"}},
		{[]shop.PolicyID{3}, []string{"/shoes/boots/red-boot", "/mug"}, []string{"/shoes/boots", "/product/11"}},
		{[]shop.PolicyID{1, 2, 3, 4}, []string{"/shoes", "/shoes/boots", "/shoes/boots/red-boot", "/mug", "/news/hello"}, nil},
		{[]shop.PolicyID{9}, nil, []string{"/shoes", "/mug"}},
	} {
		got := listed(c.opened...)
		for _, path := range c.seen {
			if !slices.Contains(got, path) {
				t.Errorf("a visitor who opened %v does not see %s: %v", c.opened, path, got)
			}
		}
		for _, path := range c.hidden {
			if slices.Contains(got, path) {
				t.Errorf("a visitor who opened %v sees %s", c.opened, path)
			}
		}
	}
	strangers := site.ViewFor("")
	if len(strangers.Menu()) != 0 || strangers.Live(3) || strangers.URL(PageRef{EntityProduct, 17}) != "" {
		t.Errorf("strangers see %v", strangers.Menu())
	}
	h := strangers.Hidden()
	if !slices.Equal(h.Categories, []shop.CategoryID{2, 3, 7}) || !h.Product(11, 3) || !h.Product(17, 1) || h.Product(15, 0) || !h.Article(20, 6) || h.Article(22, 6) {
		t.Errorf("hidden from strangers: %+v", h)
	}
	if all := site.ViewFor(shop.NewUnlocked(4, 3, 2, 1)); len(all.Hidden().Categories)+len(all.Hidden().Products)+len(all.Hidden().Articles) > 0 || len(addresses(all)) != len(addresses(site)) {
		t.Error("a visitor who has opened everything must see the whole shop")
	}
}

func TestMovingUnderAClosedSectionClosesAndPoliciesWithoutResourcesCloseNothing(t *testing.T) {
	site := closedDemo(Policy{ID: 1, Sections: []shop.CategoryID{2}})
	rows := demo().Categories
	for i := range rows {
		if rows[i].ID == 6 {
			rows[i].Parent = 2
		}
	}
	moved := site.With(Delta{Categories: rows})
	if moved.Closed(PageRef{EntityArticle, 22}) == nil || site.Closed(PageRef{EntityArticle, 22}) != nil {
		t.Error("moving a section below a closed one must close its article, which was open before")
	}
	if open := site.With(Delta{Policies: []Policy{{ID: 1}}}); open.HasClosed() || len(open.ViewFor("").Hidden().Categories) > 0 {
		t.Error("a policy without resources must close nothing")
	}
	if priced := site.With(Delta{Products: []Product{{ID: 15, Category: 3, Slug: "loose", Published: true}}}); !priced.ViewFor("").Hidden().Product(15, 3) ||
		priced.ViewFor("").URL(PageRef{EntityProduct, 15}) != "" {
		t.Error("a product moved into a closed section must be closed")
	}
}

func TestTraceOfAClosedAddressNamesThePolicy(t *testing.T) {
	site := closedDemo(Policy{ID: 1, Name: "Trade", Sections: []shop.CategoryID{2}})
	for address, want := range map[string]string{
		"/shoes": `Visitors without access by "Trade" get its page at /shoes (403). For all others: A live page answers. Only a rule that acts over live pages comes before it.`,
		"/bootz": `Visitors without access by "Trade" get its page at /bootz (403). For all others: The page of /bootz was renamed, and the shop sends the visitor to /shoes/boots (308). A live page answers.`,
	} {
		if got := site.Check(address); got.Reason != want {
			t.Errorf("%s: %s", address, got.Reason)
		}
	}
}

// For any combination of policies, a page is open to a visitor exactly when it has an address in
// their view of the shop and is not hidden from their lists.
func TestDecisionsAddressesAndListsAgreeAboutWhatIsClosed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var policies []Policy
		for id := range rapid.IntRange(0, 4).Draw(t, "policies") {
			p := Policy{ID: shop.PolicyID(id + 1)}
			for _, c := range rapid.SliceOfDistinct(rapid.SampledFrom([]int32{1, 2, 3, 6, 7, 8, 9}), rapid.ID).Draw(t, "sections") {
				p.Sections = append(p.Sections, shop.CategoryID(c))
			}
			for _, c := range rapid.SliceOfDistinct(rapid.SampledFrom([]int32{10, 11, 15, 17, 18}), rapid.ID).Draw(t, "products") {
				p.Products = append(p.Products, shop.ProductID(c))
			}
			for _, c := range rapid.SliceOfDistinct(rapid.SampledFrom([]int32{20, 22}), rapid.ID).Draw(t, "articles") {
				p.Articles = append(p.Articles, shop.ArticleID(c))
			}
			policies = append(policies, p)
		}
		var ids []shop.PolicyID
		for _, id := range rapid.SliceOf(rapid.IntRange(1, 5)).Draw(t, "opened") {
			ids = append(ids, shop.PolicyID(id))
		}
		opened := shop.NewUnlocked(ids...)
		site := closedDemo(policies...)
		seen := site.ViewFor(opened)
		for ref, url := range site.Pages() {
			open := opened.Allows(site.Closed(ref))
			if ref.Entity != 0 && ref.ID != 1 && (seen.URL(ref) == url) != open {
				t.Fatalf("%v at %s: open %v, seen at %q", ref, url, open, seen.URL(ref))
			}
			if d := site.Resolve(&Walk{}, "shop.test", url); opened.Allows(d.Closed) != open {
				t.Fatalf("the decision for %s is closed by %v", url, d.Closed)
			}
			hidden := false
			switch ref.Entity {
			case EntityCategory:
				hidden = seen.Hidden().Category(shop.CategoryID(ref.ID))
			case EntityProduct:
				x, _ := site.products.byID.get(int32(ref.ID))
				hidden = seen.Hidden().Product(shop.ProductID(ref.ID), x.category)
			case EntityArticle:
				x, _ := site.articles.byID.get(int32(ref.ID))
				hidden = seen.Hidden().Article(shop.ArticleID(ref.ID), x.category)
			}
			if hidden == open {
				t.Fatalf("%v: open %v, hidden from lists %v", ref, open, hidden)
			}
		}
	})
}

// A set is closed with its contents, in whatever order things change, and a promotion when all
// its targets are closed; a rule's redirect is closed with its target.
func TestSetsPromotionsAndRulesAreClosedWithTheirTargets(t *testing.T) {
	in := demo()
	in.Policies = []Policy{{ID: 1, Sections: []shop.CategoryID{2}}}
	in.Products = append(in.Products, Product{ID: 90, Slug: "set", Published: true, Parts: []shop.ProductID{17}})
	in.Offers = price.NewOffers(nil, []price.Promotion{
		{ID: 1, Name: "shoes", Kind: price.KindOrder, Points: 100, Scope: price.Scope{Categories: map[shop.CategoryID]bool{2: true, 3: true}}},
		{ID: 2, Name: "all", Kind: price.KindGift, Gift: price.Gift{Product: 17}}, {ID: 3, Name: "open", Kind: price.KindOrder, Points: 100},
	}, nil)
	in.Rules = []redirect.Rule{{ID: 5, Kind: redirect.Exact, From: "/old", To: "/shoes/twin", Code: 301, Enabled: true}}
	site := New(in)
	set := PageRef{EntityProduct, 90}
	hidden := func(s *Site) bool { return s.ViewFor("").IsHidden(set) }
	if hidden(site) || site.Closed(set) != nil {
		t.Fatal("the set must be open: product 17 is in no closed section")
	}
	for _, d := range []Delta{
		{Products: []Product{{ID: 17, Category: 3, Slug: "mug", Published: true}}},
		{Policies: []Policy{{ID: 1, Sections: []shop.CategoryID{2}, Products: []shop.ProductID{17}}}},
	} {
		if next := site.With(d); !hidden(next) || !slices.Equal(next.Closed(set), []shop.PolicyID{1}) || next.ViewFor("1").IsHidden(set) {
			t.Errorf("after %+v the set is closed by %v", d, next.Closed(set))
		}
	}
	if next := site.With(Delta{Products: []Product{{ID: 17, Category: 3, Published: true}, {ID: 90, Slug: "set", Published: true}}}); hidden(next) {
		t.Error("a product that is no longer a set stays closed")
	}
	if asks := site.ViewFor("").Offers().Asks("", time.Time{}); len(asks.Gifts) != 1 {
		t.Errorf("an open gift must be offered: %v", asks)
	}
	closed := site.With(Delta{Policies: []Policy{{ID: 1, Sections: []shop.CategoryID{2}, Products: []shop.ProductID{17}}}})
	if asks := closed.ViewFor("").Offers().Asks("", time.Time{}); len(asks.Gifts) != 0 {
		t.Errorf("a closed gift must not be offered: %v", asks)
	}
	if d := site.Resolve(&Walk{}, "shop.test", "/old"); !slices.Equal(d.Closed, []shop.PolicyID{1}) || !site.ClosedRule(in.Rules[0]) {
		t.Errorf("the rule reveals a closed address: %+v", d)
	}
}
