package api

import (
	"net/url"

	"vitrine/internal/cookie"
	companydb "vitrine/internal/store/company"
)

// URLs builds the addresses in responses. It is the only place where packages learn the addresses
// of the admin API and of the storefronts.
type URLs struct {
	Admin      string                                    // no trailing slash
	Storefront func(c companydb.Company) (origin string) // scheme://host[:port]
}

// Origin returns the origin of the pages of the API, which its address may follow with a path.
func (u URLs) Origin() string {
	at, err := url.Parse(u.Admin)
	if err != nil {
		return ""
	}
	return at.Scheme + "://" + at.Host
}

// Cookies returns how cookies of the admin origin are set. Its public address decides, never the
// Host header of a request.
func (u URLs) Cookies() cookie.Rule {
	at, err := url.Parse(u.Admin)
	if err != nil {
		return cookie.None
	}
	return cookie.For(at.Scheme == "https", at.Hostname())
}
