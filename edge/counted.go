package edge

import (
	"vitrine/edge/count"
	"vitrine/internal/shop"
)

// Definitions. A page view is a GET that answers a page of the live, open shop with its
// body or with a 304: a page drawn by the edge, a page of a guarded zone, or an html page
// of a site folder. It counts under the canonical path of the page. Fetches by a browser or
// our script ahead of a click, requests of robots, previews of the draft and all other
// responses are no page views. A visit is one visitor on one day. The shop's own staff
// count like everybody else: nothing distinguishes them on the shop's host.

// countable reports whether the visit can count: it reads the live shop, and the shop is
// open.
func (v *visit) countable() bool {
	return v.ctx.IsGet() && !v.st.closed && !v.t.draft && !v.previewing
}

func (v *visit) today() *count.Day { return v.s.counters.Today(v.ctx, &v.t.counted, &v.st.place) }

// countView counts a page that answered this visit.
func (v *visit) countView(path string) {
	if !v.countable() || path == "" {
		return
	}
	d := v.today()
	if !d.Ready() {
		d.LoadSalt(v.work())
	}
	d.View(v.ctx, &v.st.place, path, v.query)
}

// countMissing counts an address that does not exist.
func (v *visit) countMissing() {
	if v.countable() {
		v.today().Missing(v.ctx, v.path)
	}
}

// countFailedSearch counts search words that found nothing: of ?q= on a rubric, and of the
// other searches.
func (v *visit) countFailedSearch(words string) {
	if v.countable() {
		v.today().FailedSearch(v.ctx, words)
	}
}

// countRead counts a reader of an article's page.
func (e *entry) countRead() {
	if e.reads != nil {
		e.reads.Add(1)
	}
}

// zonePath is the path that pages of a guarded zone count under. The rest of the path is
// left out: it identifies orders and people.
func zonePath(z shop.Zone) string { return "/" + string(z) }
