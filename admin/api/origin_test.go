package api

import (
	"testing"

	"github.com/valyala/fasthttp"
)

// A write through a storefront host is accepted from pages of that host, and from clients that are
// no browsers. Reads, the admin listener and calls with a credential in a header need no guard:
// other sites cannot read the response, have no cookie, or do not know the credential.
func TestOnlyPagesOfTheHostWriteThroughIt(t *testing.T) {
	t.Parallel()
	const host = "tea.example"
	for name, c := range map[string]struct {
		method   string
		listener bool // the admin listener
		host     string
		header   map[string]string
		refused  bool
	}{
		"no browser":                 {},
		"the same origin":            {header: map[string]string{"Sec-Fetch-Site": "same-origin"}},
		"typed by the visitor":       {header: map[string]string{"Sec-Fetch-Site": "none"}},
		"another shop":               {header: map[string]string{"Sec-Fetch-Site": "same-site"}, refused: true},
		"another site":               {header: map[string]string{"Sec-Fetch-Site": "cross-site"}, refused: true},
		"an unknown word":            {header: map[string]string{"Sec-Fetch-Site": "Same-Origin", "Origin": "https://" + host}, refused: true},
		"Sec-Fetch-Site comes first": {header: map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "https://evil.test"}},

		"an origin":                    {header: map[string]string{"Origin": "https://" + host}},
		"in other letters":             {header: map[string]string{"Origin": "https://TEA.Example"}},
		"another port":                 {header: map[string]string{"Origin": "https://" + host + ":8443"}},
		"the host has a port":          {host: host + ":8080", header: map[string]string{"Origin": "http://" + host}},
		"an address":                   {host: "[::1]:8080", header: map[string]string{"Origin": "http://[::1]"}},
		"an address without a port":    {host: "[::1]", header: map[string]string{"Origin": "http://[::1]:8080"}},
		"the origin of another site":   {header: map[string]string{"Origin": "https://evil.test"}, refused: true},
		"a host below it":              {header: map[string]string{"Origin": "https://evil." + host}, refused: true},
		"it is only the beginning":     {header: map[string]string{"Origin": "https://" + host + ".evil.test"}, refused: true},
		"it is the user":               {header: map[string]string{"Origin": "https://" + host + "@evil.test"}, refused: true},
		"an opaque origin":             {header: map[string]string{"Origin": "null"}, refused: true},
		"no scheme":                    {header: map[string]string{"Origin": host}, refused: true},
		"an origin that is no address": {header: map[string]string{"Origin": "http://[::1"}, refused: true},

		"a read":             {method: "GET", header: map[string]string{"Sec-Fetch-Site": "cross-site"}},
		"a deletion":         {method: "DELETE", header: map[string]string{"Sec-Fetch-Site": "cross-site"}, refused: true},
		"a credential":       {header: map[string]string{"Sec-Fetch-Site": "cross-site", "Authorization": "Bearer key"}},
		"the admin listener": {listener: true, header: map[string]string{"Sec-Fetch-Site": "cross-site"}},
	} {
		method := c.method
		if method == "" {
			method = "POST"
		}
		var rc fasthttp.RequestCtx
		rc.Request.Header.SetMethod(method)
		rc.Request.Header.SetHost(host)
		if c.host != "" {
			rc.Request.Header.SetHost(c.host)
		}
		for key, value := range c.header {
			rc.Request.Header.Set(key, value)
		}
		call := &Call{http: &rc, endpoint: &Endpoint{Method: method}, Storefront: 7}
		if c.listener {
			call.Storefront = 0
		}
		if err := call.sameOrigin(); (err != nil) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}
