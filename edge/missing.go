package edge

import (
	"github.com/valyala/fasthttp"

	"vitrine/render"
)

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

// unowned answers for a host that no shop owns.
func (v *visit) unowned() int {
	v.ctx.SetStatusCode(fasthttp.StatusNotFound)
	v.ctx.SetContentType(htmlType)
	v.ctx.Response.Header.Set(fasthttp.HeaderCacheControl, "no-store")
	v.ctx.Response.Header.Set(fasthttp.HeaderXContentTypeOptions, "nosniff")
	v.ctx.SetBody(render.Unowned())
	return fasthttp.StatusNotFound
}
