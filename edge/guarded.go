package edge

import (
	"bytes"
	"net/url"
	"strconv"

	"github.com/valyala/fasthttp"

	"vitrine/edge/backend"
	"vitrine/edge/count"
	"vitrine/edge/zone"
	"vitrine/internal/cookie"
	"vitrine/internal/shop"
	"vitrine/render"
)

// guarded answers a page of a guarded zone (document 3, 4.6.6): from the cache if it is the
// same for everybody, else drawn by package zone for this visitor. A missing page is the
// shop's 404 with the same protection.
func (v *visit) guarded(z shop.Zone, below string) (int, outcome) {
	if v.previewing && framed(&v.ctx.Request.Header) {
		return v.zoneApart(z)
	}
	v.traced.zone = z
	defer unframed(&v.ctx.Response.Header)
	if v.st.closed && !v.admitted() {
		return v.showPIN(pinFirst, 0, v.target), cacheNone
	}
	if v.s.cfg.API == nil || !zone.Has(z) {
		return v.sameForAll(z, below)
	}
	visit := v.zoneVisit(z, below)
	switch {
	case v.ctx.IsPost():
		form, ok := v.readForm(zone.MaxForm)
		if !ok {
			return plain(v.ctx, fasthttp.StatusBadRequest), cacheNone
		}
		visit.Form = form
	case v.ctx.IsOptions():
		return v.allow("GET, HEAD, POST, OPTIONS"), cacheNone
	case !v.reads():
		return v.refuseMethod("GET, HEAD, POST, OPTIONS"), cacheNone
	}
	answer, err := visit.Answer()
	for _, line := range answer.Cookies {
		v.ctx.Response.Header.Add(fasthttp.HeaderSetCookie, line)
	}
	if answer.FromLink {
		v.ctx.Response.Header.Set(fasthttp.HeaderReferrerPolicy, "no-referrer")
	}
	switch {
	case err != nil:
		return v.outage(err), cacheNone
	case answer.Missing:
		return v.noZone(z)
	case answer.NoContent:
		v.ctx.Response.Header.Set(fasthttp.HeaderCacheControl, guardedCaching)
		v.ctx.SetStatusCode(fasthttp.StatusNoContent)
		return fasthttp.StatusNoContent, cacheNone
	case answer.Paper != nil:
		status := v.sendPrivate(answer.Status, answer.Paper)
		v.ctx.Response.Header.Set(fasthttp.HeaderContentSecurityPolicy, render.PaperPolicy)
		return status, cacheNone
	case answer.Location != "":
		return v.seeOther(answer.Location), cacheNone
	case answer.External != "":
		return v.leave(answer.External), cacheNone
	}
	if answer.Refresh > 0 {
		v.ctx.Response.Header.Set("Refresh", strconv.Itoa(answer.Refresh)+"; url="+answer.RefreshURL)
	}
	return v.showZone(z, answer)
}

// leave sends the visitor to an external address. Our script cannot follow a redirect
// there, so it gets the address in a header.
func (v *visit) leave(address string) int {
	if len(v.ctx.Request.Header.Peek("X-Requested-With")) == 0 {
		return v.seeOther(address)
	}
	v.ctx.Response.Header.Set("X-Location", address)
	return v.sendPrivate(fasthttp.StatusOK, nil)
}

// visitorStyle answers the style sheet that shows the visitor's own state in browsers
// without scripts. It is not cached, and no other site may load it.
func (v *visit) visitorStyle() int {
	if status := v.readsOnly(); status != 0 {
		return status
	}
	var units int64
	var signedIn bool
	if v.s.cfg.API != nil && (!v.st.closed || v.admitted()) {
		visit := v.zoneVisit("", "")
		var err error
		if units, signedIn, err = visit.CartAndSignIn(); err != nil {
			return v.outage(err)
		}
		v.keepSession(visit)
	}
	h := &v.ctx.Response.Header
	h.SetContentType("text/css; charset=utf-8")
	h.Set(fasthttp.HeaderXContentTypeOptions, "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	v.keepPrivate()
	v.ctx.SetBodyString(render.VisitorStyle(units, signedIn))
	return fasthttp.StatusOK
}

func (v *visit) zoneVisit(z shop.Zone, below string) *zone.Visit {
	query := v.queryValues()
	if query == nil {
		query = url.Values{}
	}
	return &zone.Visit{Backend: v.backend(), Zone: z, Below: below, Query: query, Preview: v.previews()}
}

// previews reports whether a request is made before or without a person who wants its page.
func (v *visit) previews() bool {
	h := &v.ctx.Request.Header
	for _, name := range [...]string{"Sec-Purpose", "Purpose", "X-Moz", "X-Purpose"} {
		if value := bytes.ToLower(h.Peek(name)); bytes.Contains(value, []byte("prefetch")) || bytes.Contains(value, []byte("preview")) {
			return true
		}
	}
	return v.ctx.IsHead() || count.Previews(h.UserAgent())
}

// backend makes the visitor's calls of the API.
func (v *visit) backend() *backend.Visitor {
	return backend.New(v.s.cfg.API, v.storefront(), &v.ctx.Request.Header, v.client().Socket())
}

// showZone draws a page of a zone for this visitor.
func (v *visit) showZone(z shop.Zone, answer zone.Answer) (int, outcome) {
	if answer.Drawer {
		body, err := render.AppendDrawer(nil, &render.ZonePage{
			Frame: render.Frame{Shop: render.ShopOf(v.st.site.Shop())}, Zone: z, Body: answer.Body,
		})
		if err != nil {
			return v.outage(err), cacheNone
		}
		return v.sendPrivate(answer.Status, body), cacheNone
	}
	opened, _, err := v.openedPolicies()
	if err != nil {
		return v.outage(err), cacheNone
	}
	want := render.PageRequest{Kind: render.WantZone, Zone: z, Opened: opened}
	body, err := v.drawWithin(want, func(frame render.Page) render.Page {
		page := *frame.(*render.ZonePage)
		page.Body, page.NoCookies, page.SessionEnded = answer.Body, v.cookies() == cookie.None, answer.Ended
		return &page
	})
	if err != nil {
		return v.outage(err), cacheNone
	}
	if answer.Status == fasthttp.StatusOK {
		v.countView(zonePath(z))
	}
	status := v.sendPrivate(answer.Status, body)
	for _, x := range guarding {
		v.ctx.Response.Header.Set(x.name, x.value)
	}
	secluded(&v.ctx.Response.Header)
	return status, cacheNone
}

// sameForAll answers a page of a zone that is the same for everybody.
func (v *visit) sameForAll(z shop.Zone, below string) (int, outcome) {
	if status := v.readsOnly(); status != 0 {
		return status, cacheNone
	}
	if below != "" {
		return v.noZone(z)
	}
	e, how, err := v.entry(render.PageRequest{Kind: render.WantZone, Zone: z})
	if err != nil {
		return v.outage(err), cacheNone
	}
	if e.gone {
		return v.missing()
	}
	v.countView(zonePath(z))
	return v.send(e), how
}

// noZone answers the 404 of a zone.
func (v *visit) noZone(z shop.Zone) (int, outcome) {
	e, how, err := v.entry(render.PageRequest{Kind: render.WantMissing, Zone: z})
	if err != nil {
		return v.outage(err), cacheNone
	}
	if e.gone {
		return v.missing()
	}
	return v.send(e), how
}
