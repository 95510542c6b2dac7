package admin_test

import (
	"bytes"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
)

// onTheWire is how many bytes the OpenAPI document may have as it is sent.
const onTheWire = 150 << 10

// A response of the admin origin has the coding that its caller prefers, and each coding its own
// strong tag, with which the caller gets a 304.
func TestAnswersAreCompressed(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	long := strings.Repeat("Sencha from Uji. ", 200)
	a.OK("POST", "/products", a.Owner, apitest.Map{"item": apitest.Map{"name": "Tea", "description": long, "price": apitest.Map{"price": 10}}})
	for _, path := range []string{"/openapi.json", "/docs/quickstart", "/products", "/partner/openapi.json"} {
		plain := a.Send(apitest.Request{Method: "GET", Path: path, Key: a.Owner, Header: map[string]string{"Accept-Encoding": "identity"}})
		if len(plain.Body) < 1<<10 || plain.Header.Get("Content-Encoding") != "" || !strings.Contains(strings.Join(plain.Header.Values("Vary"), ","), "Accept-Encoding") {
			t.Errorf("%s: %d bytes, %v", path, len(plain.Body), plain.Header)
		}
		tags := map[string]string{plain.Header.Get("ETag"): ""}
		for accept, coding := range map[string]string{"gzip": "gzip", "gzip, br": "br", "br;q=0.1, gzip;q=0.2": "gzip", "br": "br", "zstd": "", "identity": ""} {
			header := map[string]string{"Accept-Encoding": accept}
			got := a.Send(apitest.Request{Method: "GET", Path: path, Key: a.Owner, Header: header})
			if got.Status != 200 || got.Header.Get("Content-Encoding") != coding || !bytes.Equal(got.Body, plain.Body) {
				t.Errorf("%s for %s: %d %v", path, accept, got.Status, got.Header)
			}
			if path == "/openapi.json" && coding != "" && got.Sent > onTheWire {
				t.Errorf("%s takes %d bytes in %s", path, got.Sent, coding)
			}
			tag := got.Header.Get("ETag")
			if tag == "" {
				continue
			}
			if other, known := tags[tag]; known && other != coding || !known && coding == "" {
				t.Errorf("%s for %s: the tag %s is that of %q", path, accept, tag, other)
			}
			tags[tag] = coding
			header["If-None-Match"] = tag
			again := a.Send(apitest.Request{Method: "GET", Path: path, Key: a.Owner, Header: header})
			if again.Status != 304 || len(again.Body) > 0 || again.Header.Get("ETag") != tag || again.Header.Get("Content-Encoding") != "" || again.Header.Get("Vary") == "" {
				t.Errorf("%s for %s again: %d %v", path, accept, again.Status, again.Header)
			}
			header["Accept-Encoding"] = "deflate"
			if plain := a.Send(apitest.Request{Method: "GET", Path: path, Key: a.Owner, Header: header}); coding != "" && plain.Status != 200 {
				t.Errorf("%s: the tag of %s is also that of the plain body", path, coding)
			}
		}
	}
}

// Short responses and responses with a secret are sent as they are.
func TestSomeAnswersAreNotCompressed(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	scopes := []shop.Scope{}
	for _, s := range shop.Scopes {
		scopes = append(scopes, s.Scope)
	}
	owner := a.Session(a.OwnerID)
	for name, q := range map[string]apitest.Request{
		"short": {Method: "GET", Path: "/v1/auth/me", Key: owner},
		"secret": {Method: "POST", Path: "/v1/account/tokens", Key: owner, Body: apitest.Map{
			"name": strings.Repeat("чай", 85), "contour": "prod", "scopes": scopes}},
	} {
		q.Header = map[string]string{"Accept-Encoding": "br, gzip"}
		got := a.Send(q)
		if got.Status != 200 || got.Header.Get("Content-Encoding") != "" || got.Header.Get("Vary") != "" || name == "secret" && got.Sent < 1<<10 {
			t.Errorf("%s: %d, %d bytes, %v %.300s", name, got.Status, got.Sent, got.Header, got.Body)
		}
	}
}
