package admin_test

import (
	"testing"

	"vitrine/admin/api/apitest"
)

// Browsers add a visitor's cookie to requests that other sites make: a write through a
// storefront host must come from its own pages.
func TestWritesThroughAStorefrontComeFromItsPages(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	session := a.Session(a.OwnerID)
	const cookie = "__Host-vitrine-session="
	for name, c := range map[string]struct {
		header  map[string]string
		refused bool
	}{
		"its own page":                     {map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "http://admin.test"}, false},
		"typed by the visitor":             {map[string]string{"Sec-Fetch-Site": "none"}, false},
		"an older browser":                 {map[string]string{"Origin": "http://admin.test"}, false},
		"a proxy drops the port":           {map[string]string{"Origin": "https://ADMIN.test:8443"}, false},
		"no browser":                       {map[string]string{}, false},
		"another site":                     {map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.test"}, true},
		"another shop":                     {map[string]string{"Sec-Fetch-Site": "same-site", "Origin": "http://evil.admin.test"}, true},
		"another site, an older browser":   {map[string]string{"Origin": "https://evil.test"}, true},
		"another shop, an older browser":   {map[string]string{"Origin": "http://evil.admin.test"}, true},
		"a look-alike":                     {map[string]string{"Origin": "http://admin.test.evil.test"}, true},
		"a sandboxed page":                 {map[string]string{"Origin": "null"}, true},
		"nonsense":                         {map[string]string{"Origin": "http://[::1"}, true},
		"nonsense in the newer one":        {map[string]string{"Sec-Fetch-Site": "trust me", "Origin": "http://admin.test"}, true},
		"a key, which no browser attaches": {map[string]string{"Origin": "https://evil.test", "Authorization": "Bearer " + session}, false},
	} {
		for _, call := range []struct {
			path string
			body any
			want int
		}{
			{"/v1/auth/login", apitest.Map{"email": "nobody" + name + "@people.test", "password": "password"}, 401},
			{"/v1/auth/logout", nil, 200},
		} {
			header := a.ThroughStorefront()
			if c.header["Authorization"] == "" {
				header["Cookie"] = cookie + a.Session(a.EditorID)
			}
			for k, v := range c.header {
				header[k] = v
			}
			got := a.Send(apitest.Request{Method: "POST", Path: call.path, Body: call.body, Header: header})
			if want := call.want; c.refused && (got.Status != 403 || apitest.Code(got.JSON) != "CROSS_ORIGIN") || !c.refused && got.Status != want {
				t.Errorf("%s, %s: %d %s", name, call.path, got.Status, got.Body)
			}
		}
	}
	header := a.ThroughStorefront()
	header["Sec-Fetch-Site"], header["Origin"] = "cross-site", "https://evil.test"
	if got := a.Send(apitest.Request{Method: "GET", Path: "/products", Header: header}); got.Status != 200 ||
		got.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("a read, whose response other sites cannot see: %d %v", got.Status, got.Header)
	}
}
