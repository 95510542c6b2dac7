package edge

import (
	"strconv"

	"github.com/valyala/fasthttp"

	"vitrine/compile"
	"vitrine/internal/shop"
)

// The header fields of a redirect, spelled as fasthttp sends them, so that it need not
// normalize them for each request.
var (
	headerLocation     = []byte(fasthttp.HeaderLocation)
	headerCacheControl = []byte(fasthttp.HeaderCacheControl)
	headerRedirectBy   = []byte("X-Redirect-By")
	noCache            = []byte("no-cache")
	oneMinute          = []byte("public, max-age=60")
	surrogateKey       = []byte(surrogateHeader)
)

// redirectKeys are the keys that decide about redirects, besides the products and articles that
// they lead to.
var redirectKeys = []shop.Key{{Kind: shop.KeyShop}, {Kind: shop.KeyCategories}, {Kind: shop.KeyRules}, {Kind: shop.KeyJournal}}

// redirect sends a redirect (CONTRACT, "Storefront host"). Preconditions and ranges do not
// apply to it, and only GET counts a hit of the rule.
func (v *visit) redirect(d compile.Decision) int {
	h := &v.ctx.Response.Header
	v.ctx.SetStatusCode(d.Status)
	location := d.Location
	if v.previewing {
		location = v.stays(location)
	}
	v.name = append(v.name[:0], location...)
	h.SetCanonical(headerLocation, v.name)
	if d.Status == fasthttp.StatusFound || d.Status == fasthttp.StatusTemporaryRedirect {
		h.SetCanonical(headerCacheControl, noCache)
	} else {
		h.SetCanonical(headerCacheControl, oneMinute)
		h.SetCanonical(surrogateKey, v.t.redirectKeys)
	}
	v.name = append(v.name[:0], d.By.String()...)
	if d.By == compile.ByRule {
		v.name = strconv.AppendInt(append(v.name, ':'), int64(d.Rule), 10)
	}
	h.SetCanonical(headerRedirectBy, v.name)
	if v.ctx.IsHead() {
		h.SetContentLength(0) // as for GET; fasthttp omits it
	}
	if v.private() {
		v.keepPrivate()
	}
	if d.Rule != 0 && v.ctx.IsGet() && !v.t.draft {
		v.s.counters.Hit(v.t.company, d.Rule)
	}
	return d.Status
}
