package source_test

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/sales"
	"vitrine/internal/store/storetest"
	"vitrine/render"
)

// BenchmarkFinding measures pages, read and rendered without a cache, of a shop of 50,000
// products: search, facets and sort orders, each compared with the unfiltered page of the
// same section. Times are medians; the target is 30 ms, and for a filtered section 1.2
// times the unfiltered one.
func BenchmarkFinding(b *testing.B) {
	h := newTestShop(b)
	storetest.Large(b, h.url, int(h.company), 50_000)
	site, _ := h.site()
	var section shop.CategoryID
	for _, c := range site.Categories() {
		if c.Slug == "section-1" {
			section = c.ID
		}
	}
	attributes, err := catalog.Attributes(b.Context(), h.store.Shop(h.company), nil)
	if err != nil {
		b.Fatal(err)
	}
	a := "a" + strconv.Itoa(int(attributes[0].ID))
	three := a + "=o3&a" + strconv.Itoa(int(attributes[1].ID)) + "=o1&a" + strconv.Itoa(int(attributes[1].ID)) + "=o2"
	sectionPage := func(query string) render.PageRequest {
		return render.PageRequest{Page: compile.PageRef{Entity: compile.EntityCategory, ID: int64(section)}, Number: 1, Narrow: render.ReadNarrowing(query)}
	}
	search := func(query string) render.PageRequest {
		return render.PageRequest{Kind: render.WantSearch, Number: 1, Search: render.SearchOf(query), Narrow: render.ReadNarrowing(query)}
	}
	draw := func(want render.PageRequest) time.Duration {
		begin := time.Now()
		c, err := h.source.Content(context.Background(), site, want)
		if err != nil {
			b.Fatal(err)
		}
		draw := render.Append
		if want.Kind == render.WantSuggest {
			draw = render.AppendSuggestions
		}
		if _, err := draw(nil, c.Page); err != nil {
			b.Fatal(err)
		}
		return time.Since(begin)
	}
	draw(sectionPage("")) // loads the index
	lists := map[string]render.PageRequest{
		"plain": sectionPage(""), "option": sectionPage(a + "=o3"), "price": sectionPage("min_price=1000&max_price=20000"), "cheapest": sectionPage("sort=price"),
		"narrowed-and-sorted": sectionPage(three + "&in_stock=1&sort=-price"),
	}
	median := func(want render.PageRequest) time.Duration {
		var took []time.Duration
		for range 15 {
			took = append(took, draw(want))
		}
		slices.Sort(took)
		return took[len(took)/2]
	}
	before := map[string]time.Duration{}
	for range 3 { // the last round counts
		for name, want := range lists {
			before[name] = median(want)
		}
	}
	dearest := firstPrice(b, h, site, sectionPage("sort=-price"))
	plainSite := site
	h.write(func(ctx context.Context, tx *store.Tx) error {
		_, err := sales.SavePromotion(ctx, tx, sales.Promotion{Name: "Sale", Kind: "discount", Active: true, Stacking: "stack", Value: sales.PromotionValue{Points: 1000}})
		return err
	})
	site, _ = h.site()
	draw(sectionPage("")) // computes the prices of the index again
	if now := firstPrice(b, h, site, sectionPage("sort=-price")); now >= dearest {
		b.Fatalf("the discount has no effect: %d, was %d", now, dearest)
	}
	for name, want := range lists {
		b.Run("discount/"+name, func(b *testing.B) {
			var took time.Duration
			for b.Loop() {
				took = median(want)
			}
			b.ReportMetric(took.Seconds()*1000, "ms/page")
			b.ReportMetric(took.Seconds()/before[name].Seconds(), "x-undiscounted") // at most 1.2
		})
	}
	site = plainSite
	for _, c := range []struct {
		name string
		want render.PageRequest
	}{
		{"section/option", sectionPage(a + "=o3")}, {"section/three", sectionPage(three)}, {"section/in-stock", sectionPage("in_stock=1")},
		{"section/price", sectionPage("min_price=1000&max_price=20000")}, {"section/cheapest", sectionPage("sort=price")},
		{"section/narrowed-and-sorted", sectionPage(three + "&in_stock=1&sort=-price")}, {"section/named", sectionPage(a + "=o3&sort=name")},
		{"search", search("q=teapot")}, {"search/words", search("q=copper+kettle")}, {"search/letter", search("q=c")},
		{"search/typo", search("q=porcelian")}, {"search/nothing", search("q=xqzzyqxw")}, {"search/facets", search("q=teapot&" + three)},
		{"search/sorted", search("q=teapot&sort=price")}, {"all", search("")}, {"all/facets", search(three)}, {"all/rated", search("in_stock=1&sort=rating")},
		{"all/named", search("in_stock=1&sort=name")}, {"suggest", render.PageRequest{Kind: render.WantSuggest, Search: "cop"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var took, plain []time.Duration
			for b.Loop() {
				took, plain = append(took, draw(c.want)), append(plain, draw(sectionPage("")))
			}
			slices.Sort(took)
			slices.Sort(plain)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms/page")
			b.ReportMetric(took[len(took)/2].Seconds()/plain[len(plain)/2].Seconds(), "x-plain")
		})
	}
}

// firstPrice returns the price of the first product of a list.
func firstPrice(b *testing.B, h *testShop, site *compile.Site, want render.PageRequest) int64 {
	b.Helper()
	c, err := h.source.Content(context.Background(), site, want)
	if err != nil {
		b.Fatal(err)
	}
	return c.Page.(*render.Listing).Products[0].Price
}
