package form_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store/storetest"
)

func field(name, kind string, required bool, options ...string) m {
	return m{"name": name, "label": strings.ToUpper(name), "type": kind, "required": required, "options": options}
}

func newForm(a *apitest.API, fields ...any) string {
	return a.Result("POST", "/forms", a.Owner, m{"item": m{"name": "Callback", "fields": l(fields)}})["id"].(string)
}

// sandboxed calls through a storefront as a page of a site folder would.
func sandboxed(a *apitest.API, method, path string, body any, more map[string]string) apitest.Answer {
	header := a.ThroughStorefront()
	header["Origin"], header["Sec-Fetch-Site"] = "null", "cross-site"
	if method == "POST" {
		header["Content-Type"] = "application/json"
	}
	maps.Copy(header, more)
	return a.Send(apitest.Request{Method: method, Path: path, Body: body, Header: header})
}

func TestASandboxedPageReadsAndSendsAForm(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	form := newForm(a, field("email", "email", true), field("size", "select", false, "S", "L"))
	read := sandboxed(a, "GET", "/forms/"+form+"/public", nil, nil)
	if read.Status != 200 || read.Header.Get("Access-Control-Allow-Origin") != "*" ||
		read.Header.Get("Access-Control-Allow-Credentials") != "" {
		t.Fatalf("read: %d %v", read.Status, read.Header)
	}
	if v := read.JSON["result"].(m); apitest.Values(v["fields"], "name") != "email size" || v["created_at"] != nil {
		t.Errorf("read: %v", v)
	}
	sent := sandboxed(
		a, "POST", "/form-leads",
		m{
			"form_id": form, "values": m{"email": " ann@example.com ", "size": "L", "unknown": "x"}, "page_url": "/docs/",
			"utm": m{"source": "mail"},
		},
		nil,
	)
	if sent.Status != 200 || sent.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Fatalf("sent: %d %s", sent.Status, sent.Body)
	}
	leads := a.OK("GET", "/forms/"+form+"/leads", a.Scoped("leads:read"), nil)
	if got := fmt.Sprint(leads["result"].(l)[0].(m)["values"], leads["total"]); got != "map[email:ann@example.com size:L] 1" {
		t.Errorf("leads: %s", got)
	}
	a.OK("POST", "/forms/"+form+"/test", a.Owner, m{})
	if listed := a.OK("GET", "/forms", a.Owner, nil)["result"].(l)[0].(m); listed["leads"] != 1.0 {
		t.Errorf("listed: %v", listed)
	}
	a.Refused("GET", "/forms/"+form+"/leads", a.Scoped("forms:read", "catalog:read"), nil, 403, "PAT_SCOPE_MISSING")
	events := storetest.Events(t, a.Store.Pool, int(a.Shop.ID))
	if len(events) == 0 || events[len(events)-1].Name != "lead.created" ||
		!strings.Contains(string(events[len(events)-1].Body), `"form_name": "Callback"`) {
		t.Errorf("events: %v", events)
	}
	for what, body := range map[string]m{
		"email is required":   {"form_id": form, "values": m{}},
		"email is not an":     {"form_id": form, "values": m{"email": "ann"}},
		"size is not one of":  {"form_id": form, "values": m{"email": "a@b", "size": "XL"}},
		"email has more than": {"form_id": form, "values": m{"email": "a@" + strings.Repeat("b", 4999)}},
		"page_url: at most":   {"form_id": form, "values": m{"email": "a@b"}, "page_url": strings.Repeat("x", 2001)},
		"utm.x: at most":      {"form_id": form, "values": m{"email": "a@b"}, "utm": m{"x": strings.Repeat("x", 256)}},
	} {
		got := sandboxed(a, "POST", "/form-leads", body, nil)
		if got.Status != 400 || apitest.Code(got.JSON) != "FORM_VALUE_INVALID" || !strings.Contains(string(got.Body), what) ||
			strings.Contains(string(got.Body), `"field":`) == (body["page_url"] != nil || body["utm"] != nil) || got.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %d %s", what, got.Status, got.Body)
		}
	}
	for _, gone := range []string{"999", newForm(a)} {
		if gone != "999" {
			a.OK("DELETE", "/forms/"+gone, a.Owner, nil)
		}
		if got := sandboxed(a, "GET", "/forms/"+gone+"/public", nil, nil); got.Status != 404 || apitest.Code(got.JSON) != "FORM_NOT_FOUND" {
			t.Errorf("form %s: %d %s", gone, got.Status, got.Body)
		}
	}
}

func TestSandboxedRequestsWithCredentialsAreRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	form := newForm(a, field("email", "email", false))
	lead := m{"form_id": form, "values": m{}}
	for _, name := range []string{"Authorization", "Cookie", "X-Service-Contour", "X-Service-Draft", "x-sErVice-draft"} {
		for _, value := range []string{"x", ""} {
			for _, got := range []apitest.Answer{
				sandboxed(a, "GET", "/forms/"+form+"/public", nil, map[string]string{name: value}),
				sandboxed(a, "POST", "/form-leads", lead, map[string]string{name: value}),
			} {
				if got.Status != 403 || apitest.Code(got.JSON) != "FORM_LANE_HEADER_FORBIDDEN" {
					t.Errorf("%s: %q is accepted: %d %s", name, value, got.Status, got.Body)
				}
			}
		}
	}
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""} {
		if got := sandboxed(a, "POST", "/form-leads", lead, map[string]string{"Content-Type": kind}); got.Status != 400 ||
			apitest.Code(got.JSON) != "INVALID_REQUEST" {
			t.Errorf("a body of the type %q: %d %s", kind, got.Status, got.Body)
		}
	}
	if got := sandboxed(a, "POST", "/form-leads", lead, map[string]string{"Content-Type": "application/json; charset=utf-8"}); got.Status != 200 {
		t.Errorf("with a charset: %d %s", got.Status, got.Body)
	}
	// All other endpoints stay closed to a sandboxed page.
	for _, c := range []struct{ method, path string }{{"POST", "/forms"}, {"POST", "/v1/auth/login"}, {"PUT", "/forms/" + form}} {
		if got := sandboxed(a, c.method, c.path, m{}, nil); got.Status != 403 || apitest.Code(got.JSON) != "CROSS_ORIGIN" {
			t.Errorf("%s %s: %d %s", c.method, c.path, got.Status, got.Body)
		}
	}
	if got := sandboxed(a, "GET", "/products", nil, nil); got.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("a sandboxed page reads the catalogue")
	}
	// Another site is not a sandboxed page, and the shop's own page needs no sandbox access.
	if got := sandboxed(a, "POST", "/form-leads", lead, map[string]string{"Origin": "https://evil.test"}); got.Status != 403 ||
		got.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("another site: %d %v", got.Status, got.Header)
	}
	own := map[string]string{
		"Origin": "http://admin.test", "Sec-Fetch-Site": "same-origin",
		"Cookie": "__Host-vitrine-session=" + a.Session(a.EditorID),
	}
	if got := sandboxed(a, "POST", "/form-leads", lead, own); got.Status != 200 {
		t.Errorf("the shop's own page: %d %s", got.Status, got.Body)
	}
}

func TestPreflightOfSandboxedRequests(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	form := newForm(a)
	for path, method := range map[string]string{"/form-leads": "POST", "/forms/" + form + "/public": "GET"} {
		got := sandboxed(
			a, "OPTIONS", path, nil,
			map[string]string{"Access-Control-Request-Method": method, "Access-Control-Request-Headers": "authorization,content-type"},
		)
		h := got.Header
		if got.Status != 204 || h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Methods") != method ||
			h.Get("Access-Control-Allow-Headers") != "Accept, Content-Type" || h.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: %d %v", path, got.Status, h)
		}
		if other := sandboxed(a, "OPTIONS", path, nil, map[string]string{"Origin": "https://evil.test"}); other.Status != 405 ||
			other.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s for another site: %d %v", path, other.Status, other.Header)
		}
	}
	if got := sandboxed(a, "OPTIONS", "/products", nil, nil); got.Status != 405 {
		t.Errorf("another endpoint: %d", got.Status)
	}
}

func TestInvalidFormsAreRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	fifty := l{}
	for n := range 50 {
		fifty = append(fifty, field(fmt.Sprint("f", n), "text", false))
	}
	newForm(a, fifty...)
	for what, item := range map[string]m{
		"name missing":              {"name": " "},
		"a long name":               {"name": strings.Repeat("é", 256)},
		"51 fields":                 {"name": "x", "fields": append(fifty, field("more", "text", false))},
		"a duplicate field":         {"name": "x", "fields": l{field("a", "text", false), field("a", "text", false)}},
		"an invalid name":           {"name": "x", "fields": l{field("a b", "text", false)}},
		"an unknown type":           {"name": "x", "fields": l{m{"name": "a", "type": "password"}}},
		"a pattern":                 {"name": "x", "fields": l{m{"name": "a", "rules": m{"pattern": "("}}}},
		"a long button":             {"name": "x", "submit_text": strings.Repeat("é", 101)},
		"an invalid success action": {"name": "x", "success": m{"action": "url", "url": "javascript:alert(1)"}},
		"no options":                {"name": "x", "fields": l{field("a", "select", false)}},
	} {
		if got := a.Send(apitest.Request{Method: "POST", Path: "/forms", Key: a.Owner, Body: m{"item": item}}); got.Status != 400 ||
			apitest.Code(got.JSON) != "FORM_INVALID" {
			t.Errorf("%s: %d %s", what, got.Status, got.Body)
		}
	}
	// The refusal contains the path of the field's rule.
	got := a.Send(apitest.Request{Method: "POST", Path: "/forms", Key: a.Owner, Body: m{"item": m{"name": "x", "fields": l{field("a", "text", false), m{"name": "b", "rules": m{"pattern": "("}}}}}})
	if !strings.Contains(string(got.Body), "FORM_INVALID: item.fields[1].rules.pattern: is not an RE2 expression") {
		t.Errorf("%s", got.Body)
	}
	a.Refused("GET", "/forms/1", a.Stranger, nil, 404, "FORM_NOT_FOUND")
	a.Refused("POST", "/forms", a.Dev, m{"item": m{"name": "x"}}, 403, "PAT_CONTOUR_MISMATCH")
}
