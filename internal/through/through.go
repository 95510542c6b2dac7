// Package through says through which shop's host a call of the API came. The
// edge hands such calls over inside the process; no header that a client sends
// can say the same.
package through

import (
	"github.com/valyala/fasthttp"

	"vitrine/internal/cookie"
	"vitrine/internal/shop"
)

// Storefront is the host that a call came through (CONTRACT, "Storefront host").
type Storefront struct {
	Shop     shop.CompanyID // 0: it came to the admin listener
	Admitted bool           // the shop is closed, and the visitor has entered its PIN
	Opened   shop.Opened    // policies that the visitor has entered a password of
	Cookies  cookie.Rule    // what the visitor's browser keeps
}

// key is of a type of its own, so that no path parameter has the same name.
type key struct{}

// Mark says of a call what it came through.
func Mark(rc *fasthttp.RequestCtx, s Storefront) { rc.SetUserValue(key{}, s) }

// Of is what a call came through, zero for the admin listener.
func Of(rc *fasthttp.RequestCtx) Storefront {
	s, _ := rc.UserValue(key{}).(Storefront)
	return s
}
