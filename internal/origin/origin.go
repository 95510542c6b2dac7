// Package origin tells which shop's host a call of the API came from. The edge
// passes such calls on inside the process, so no client can forge the mark with
// a header.
package origin

import (
	"github.com/valyala/fasthttp"

	"vitrine/internal/cookie"
	"vitrine/internal/shop"
	"vitrine/internal/span"
)

// Storefront is the shop's host that a call came from (CONTRACT, "Storefront host").
type Storefront struct {
	Shop     shop.CompanyID // 0: the admin listener
	Version  int64          // of the shop, as the edge knows it: what was made of a later one is current
	Admitted bool           // the shop is closed, and the visitor has entered its PIN
	Opened   shop.Unlocked  // policies whose password the visitor has entered
	Cookies  cookie.Rule    // how the shop's cookies are set
	Inside   bool           // the edge makes the call itself, to draw a page
	Span     *span.Span     // of the visit; nil: it is not traced
}

// key has a type of its own, so that no path parameter can collide with it.
type key struct{}

// Mark records where a call came from.
func Mark(rc *fasthttp.RequestCtx, s Storefront) { rc.SetUserValue(key{}, s) }

// Of returns where a call came from, zero for the admin listener.
func Of(rc *fasthttp.RequestCtx) Storefront {
	s, _ := rc.UserValue(key{}).(Storefront)
	return s
}
