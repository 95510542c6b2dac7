package api

import (
	"net"
	"net/url"
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/internal/cookie"
	"vitrine/internal/shop"
)

// ErrCrossOrigin refuses a write that a page of another site sends from a visitor's browser to
// a storefront host.
var ErrCrossOrigin = shop.Refuse(shop.PermissionDenied, "CROSS_ORIGIN").
	When("a page of another site sent a write from a visitor's browser")

// sameOrigin protects calls of a storefront host against cross-site requests, to which browsers
// add the visitor's cookie. SameSite is not enough: the storefronts of other shops are the same
// site. Modern browsers report the origin of a request in Sec-Fetch-Site, others in Origin; a
// client that sends neither is not a browser and cannot be tricked. A caller with an
// Authorization header knows the credential. Login is protected too, so that no site can sign a
// visitor in as someone else.
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

// fromOwnPage reports whether a script of a page of the admin origin sent the request; only then
// the admin cookie counts. SameSite is not enough, because the hosts of shops may be the same
// site. A client that does not send Sec-Fetch-Site is no present browser and uses Authorization.
// Navigations are left out: the API has no pages, and the address bar is no consent to a call.
func (c *Call) fromOwnPage() bool {
	return c.Header("Sec-Fetch-Site") == "same-origin" && c.Header("Sec-Fetch-Mode") != "navigate" && c.Header("Sec-Fetch-Dest") != "document"
}

// CheckAdminCookie refuses to set the cookie of the admin origin where browsers do not keep it, and
// for pages of other origins, so that none of them can sign its visitors in as someone else.
func (c *Call) CheckAdminCookie(admin string) error {
	switch {
	case c.http == nil || c.Storefront != 0:
		return nil
	case c.server.Cookies == cookie.None:
		return ErrPlainHTTP.With("the admin API has no address over https or below localhost")
	}
	switch c.Header("Sec-Fetch-Site") {
	case "same-origin":
		return nil
	case "":
		if sent := c.Header("Origin"); sent == "" || sent == admin {
			return nil
		}
	}
	return ErrCrossOrigin.With("only pages of the admin origin may sign in with a cookie")
}

// sameHost compares hosts without ports, as everywhere (CONTRACT, "Program"): a proxy in front
// may drop its own port.
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
