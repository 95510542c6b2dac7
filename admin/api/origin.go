package api

import (
	"net"
	"net/url"
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/internal/shop"
)

// ErrCrossOrigin refuses a write that another site makes a visitor's browser
// send to a storefront host.
var ErrCrossOrigin = shop.Refuse(shop.PermissionDenied, "CROSS_ORIGIN").
	When("a page of another site made the browser of a visitor send a write")

// sameOrigin guards the calls of a storefront host that a browser sends with the
// visitor's cookie by itself. SameSite is not enough: the storefronts of other
// shops are the same site. Modern browsers say where a request comes from in
// Sec-Fetch-Site, others in Origin; a client that says neither is no browser and
// was not tricked into anything. Calls with an Authorization header were made by
// somebody who knows it. Login is guarded too: nobody is to be signed in as
// somebody else.
func (c *Call) sameOrigin() error {
	if c.Storefront == 0 || c.endpoint.Method == fasthttp.MethodGet || c.Header("Authorization") != "" {
		return nil
	}
	switch c.Header("Sec-Fetch-Site") {
	case "same-origin", "none":
		return nil
	case "":
		origin := c.Header("Origin")
		if origin == "" || sameHost(origin, string(c.http.Request.Header.Host())) {
			return nil
		}
	}
	return ErrCrossOrigin.With("only pages of this shop may call this")
}

// sameHost compares without ports, as hosts are matched everywhere (CONTRACT,
// "Program"): a proxy in front may drop its own.
func sameHost(origin, host string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.EqualFold(u.Hostname(), strings.Trim(host, "[]"))
}
