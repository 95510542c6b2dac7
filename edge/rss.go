package edge

import (
	"vitrine/compile"
	"vitrine/render"
)

// articleFeed answers the articles of a rubric as RSS. It is drawn, cached and validated
// like the page of the rubric.
func (v *visit) articleFeed(ref compile.PageRef) (int, outcome) {
	if status := v.readsOnly(); status != 0 {
		return status, cacheNone
	}
	want := render.PageRequest{Kind: render.WantFeed, Page: ref, Number: 1, Opened: v.opened}
	if v.inside {
		return v.privatePage(want)
	}
	e, how, err := v.entry(want)
	if err != nil {
		return v.outage(err), cacheNone
	}
	if e.gone {
		return v.missing()
	}
	return v.send(e), how
}
