package edge

import (
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/render"
)

// searching answers the shop's search. Everybody looks for something else, so what was
// found is drawn for this visitor alone; the whole catalogue is kept as sections are.
func (v *visit) searching() (int, outcome) {
	if status := v.readsOnly(); status != 0 {
		return status, cacheNone
	}
	opened, _, err := v.opens()
	if err != nil {
		return v.outage(err), cacheNone
	}
	want := render.Want{
		Kind: render.WantSearch, Search: strings.Clone(render.SearchOf(v.query)), Number: v.listPage(), Narrow: render.ReadNarrowing(v.query), Opened: opened,
	}
	if want.Number > maxPage {
		return v.missing()
	}
	if want.Search != "" || want.Opened != "" {
		return v.found(want)
	}
	return v.kept(want)
}

// suggest answers what may be meant by the beginning of what is typed, as JSON.
func (v *visit) suggest() (int, outcome) {
	if v.st.closed && !v.admitted() {
		return plain(v.ctx, fasthttp.StatusNotFound), cacheNone
	}
	if status := v.readsOnly(); status != 0 {
		return status, cacheNone
	}
	opened, _, err := v.opens()
	if err != nil {
		return v.outage(err), cacheNone
	}
	want := render.Want{Kind: render.WantSuggest, Search: strings.Clone(render.SearchOf(v.query)), Opened: opened}
	if want.Opened != "" {
		return v.found(want)
	}
	return v.kept(want)
}

// kept answers from the cache what others may want as well.
func (v *visit) kept(want render.Want) (int, outcome) {
	e, how, err := v.entry(want)
	if err != nil {
		return v.outage(err), cacheNone
	}
	if e.gone {
		return v.missing()
	}
	v.viewed(e.path)
	return v.send(e), how
}

// narrow is what the query asks of the list of a page: only sections and the home page
// have one that takes it.
func (v *visit) narrow(ref compile.PageRef) render.Narrowing {
	if v.query == "" || ref.Entity == compile.EntityProduct || ref.Entity == compile.EntityArticle {
		return ""
	}
	if c, _ := v.st.site.Category(shop.CategoryID(ref.ID)); ref.Entity == compile.EntityCategory && c.Type == compile.TypeNews {
		return ""
	}
	return render.ReadNarrowing(v.query)
}
