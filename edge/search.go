package edge

import (
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/render"
)

// searchPage answers the shop's search. Results are drawn for this visitor alone, because
// searches differ between visitors; the page of the whole catalogue is cached as sections
// are.
func (v *visit) searchPage() (int, outcome) {
	if status := v.readsOnly(); status != 0 {
		return status, cacheNone
	}
	opened, _, err := v.openedPolicies()
	if err != nil {
		return v.outage(err), cacheNone
	}
	want := render.PageRequest{
		Kind: render.WantSearch, Search: strings.Clone(render.SearchOf(v.query)), Number: v.listPage(), Narrow: render.ReadNarrowing(v.query), Opened: opened,
	}
	if want.Number > maxPage {
		return v.missing()
	}
	if want.Search != "" || want.Opened != "" {
		return v.privatePage(want)
	}
	return v.sharedPage(want)
}

// suggest answers suggestions for the beginning of a search, as JSON.
func (v *visit) suggest() (int, outcome) {
	if v.st.closed && !v.admitted() {
		return plain(v.ctx, fasthttp.StatusNotFound), cacheNone
	}
	if status := v.readsOnly(); status != 0 {
		return status, cacheNone
	}
	opened, _, err := v.openedPolicies()
	if err != nil {
		return v.outage(err), cacheNone
	}
	want := render.PageRequest{Kind: render.WantSuggest, Search: strings.Clone(render.SearchOf(v.query)), Opened: opened}
	if want.Opened != "" {
		return v.privatePage(want)
	}
	return v.sharedPage(want)
}

// sharedPage answers a page that is the same for other visitors from the cache.
func (v *visit) sharedPage(want render.PageRequest) (int, outcome) {
	e, how, err := v.entry(want)
	if err != nil {
		return v.outage(err), cacheNone
	}
	if e.gone {
		return v.missing()
	}
	v.countView(e.path)
	return v.send(e), how
}

// narrow are the filters that the query sets for the list of a page. Only sections and the
// home page have a list with filters.
func (v *visit) narrow(ref compile.PageRef) render.Narrowing {
	if v.query == "" || ref.Entity == compile.EntityProduct || ref.Entity == compile.EntityArticle {
		return ""
	}
	if c, _ := v.st.site.Category(shop.CategoryID(ref.ID)); ref.Entity == compile.EntityCategory && c.Type == compile.TypeNews {
		return ""
	}
	return render.ReadNarrowing(v.query)
}
