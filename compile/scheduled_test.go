package compile

import (
	"maps"
	"slices"
	"testing"
	"time"

	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// Future-dated products and articles have no address and appear in no list before their time, and
// do from then on.
func TestFutureDatedPagesAreHiddenUntilTheirTime(t *testing.T) {
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	in := demo()
	in.Ahead = []Scheduled{{PageRef{EntityProduct, 10}, noon}, {PageRef{EntityArticle, 20}, noon.Add(time.Hour)}}
	whole := New(in)
	for _, c := range []struct {
		at      time.Time
		product bool
		article bool
		next    time.Time
	}{
		{noon.Add(-time.Second), false, false, noon},
		{noon, true, false, noon.Add(time.Hour)},
		{noon.Add(time.Hour), true, true, time.Time{}},
	} {
		site := whole.AtTime(c.at)
		there := func(path string) bool { return site.Resolve(&Walk{}, "shop.test", path).Kind == Page }
		if there("/shoes/boots/red-boot") != c.product || there("/news/hello") != c.article {
			t.Errorf("%s: product visible: %t, article visible: %t", c.at, there("/shoes/boots/red-boot"), there("/news/hello"))
		}
		if got := site.Next(c.at); !got.Equal(c.next) {
			t.Errorf("%s: next is %s, want %s", c.at, got, c.next)
		}
		for path, shown := range map[string]bool{"/shoes/boots/red-boot": c.product, "/news/hello": c.article} {
			if slices.Contains(slices.Collect(maps.Keys(maps.Collect(site.ViewFor("").Listed(0, 50_000)))), path) != shown {
				t.Errorf("%s: sitemap lists %s: %t", c.at, path, !shown)
			}
		}
		h := site.ViewFor("").Hidden()
		if h.Product(10, 3) == c.product || h.Article(20, 5) == c.article {
			t.Errorf("%s: hidden %+v", c.at, h)
		}
	}
	if got := whole.Next(noon.Add(time.Minute)); !got.Equal(noon) {
		t.Errorf("Next skips a page that fell due between two calls: %s", got)
	}
	if again := whole.ViewFor("").ViewFor(""); !again.Hidden().Product(10, 3) {
		t.Error("Seen applied twice does not hide the page any more")
	}
	if moved := whole.With(Delta{Ahead: []Scheduled{}}); len(moved.ViewFor("").Hidden().Products) > 0 {
		t.Error("a removed date still hides the page")
	}
}

// Closed and future-dated pages are hidden together; a future-dated page also stays hidden from
// visitors who have opened the policy.
func TestFutureDateAndPolicyHideTogether(t *testing.T) {
	in := demo()
	in.Policies = []Policy{{ID: 1, Articles: []shop.ArticleID{20}}}
	in.Ahead = []Scheduled{{PageRef{EntityProduct, 10}, time.Unix(2e9, 0)}}
	site := New(in)
	for opened, article := range map[shop.Unlocked]bool{"": true, shop.NewUnlocked(1): false} {
		if h := site.ViewFor(opened).Hidden(); !h.Product(10, 3) || h.Article(20, 5) != article {
			t.Errorf("opened %q: %+v", opened, h)
		}
	}
}

// A rule that would form a loop with a future-dated page is refused before the page appears: an
// old slug redirects to the page, and the rule redirects the page to the old slug.
func TestLoopCheckIncludesFutureDatedPages(t *testing.T) {
	in := demo()
	in.Rules = append(in.Rules, redirect.Rule{
		ID: 900, Kind: redirect.Exact, From: "/shoes/boots/red-boot", To: "/crimson-boot", Code: 301, Enabled: true, OverrideLive: true,
	})
	now := New(in).CheckLoops(nil)
	in.Ahead = []Scheduled{{PageRef{EntityProduct, 10}, time.Unix(2e9, 0)}}
	if later := New(in).CheckLoops(nil); now == nil || later == nil {
		t.Errorf("with a past date: %v, with a future date: %v", now, later)
	}
}
