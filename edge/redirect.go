package edge

import (
	"strconv"

	"github.com/valyala/fasthttp"

	"vitrine/compile"
)

// redirect sends a redirect (CONTRACT, "Storefront host"). Preconditions and
// ranges do not touch it, and only GET counts a hit of the rule.
func (v *visit) redirect(d compile.Decision) int {
	h := &v.ctx.Response.Header
	v.ctx.SetStatusCode(d.Status)
	h.Set(fasthttp.HeaderLocation, d.Location)
	if d.Status == fasthttp.StatusFound || d.Status == fasthttp.StatusTemporaryRedirect {
		h.Set(fasthttp.HeaderCacheControl, "no-cache")
	} else {
		h.Set(fasthttp.HeaderCacheControl, "public, max-age=60")
	}
	v.name = append(v.name[:0], d.By.String()...)
	if d.By == compile.ByRule {
		v.name = strconv.AppendInt(append(v.name, ':'), int64(d.Rule), 10)
	}
	h.SetBytesV("X-Redirect-By", v.name)
	if v.ctx.IsHead() {
		h.SetContentLength(0) // as with GET; fasthttp leaves it out
	}
	if v.st.closed {
		v.keepPrivate()
	}
	if d.Rule != 0 && v.ctx.IsGet() && !v.t.draft {
		v.s.hits.add(v.t.company, d.Rule, v.s.cfg.Now())
	}
	return d.Status
}
