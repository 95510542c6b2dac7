package edge

import (
	"net/url"
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/render"
)

// movedRetry is after how many seconds to ask again for a shop that has moved with its host.
const movedRetry = "5"

// missing answers 404 with the shop's own page. It is one page for all addresses, without
// an entity tag, since preconditions never change a 404. If the page cannot be read from
// the cache or the database, a line of text is sent.
func (v *visit) missing() (int, outcome) {
	e, how, err := v.entry(render.PageRequest{Kind: render.WantMissing})
	if err != nil || e.gone {
		return plain(v.ctx, fasthttp.StatusNotFound), cacheMiss
	}
	return v.send(e), how
}

// unowned answers for a host that no shop owns. Requests for a shop that has moved go there; at a
// host that the shop still has, they come here again until what is in front of both installations
// has changed.
func (v *visit) unowned() int {
	if origin := v.s.hosts.movedTo(v.host); origin != "" {
		v.ctx.Response.Header.Set(fasthttp.HeaderCacheControl, "no-store")
		if u, err := url.Parse(origin); err != nil || strings.EqualFold(u.Host, string(v.ctx.Request.Header.Host())) {
			v.ctx.Response.Header.Set(fasthttp.HeaderRetryAfter, movedRetry)
			return plain(v.ctx, fasthttp.StatusServiceUnavailable)
		}
		v.ctx.Response.Header.Set(fasthttp.HeaderLocation, origin+v.target)
		return plain(v.ctx, fasthttp.StatusTemporaryRedirect)
	}
	v.ctx.SetStatusCode(fasthttp.StatusNotFound)
	v.ctx.SetContentType(htmlType)
	v.ctx.Response.Header.Set(fasthttp.HeaderCacheControl, "no-store")
	v.ctx.Response.Header.Set(fasthttp.HeaderXContentTypeOptions, "nosniff")
	v.ctx.SetBody(render.Unowned())
	return fasthttp.StatusNotFound
}
