package admin_test

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

var segment = regexp.MustCompile(`\{[^}]+\}`)

// address returns an endpoint's path with the value in every parameter.
func address(e api.Endpoint, value string) string { return segment.ReplaceAllString(e.Path, value) }

// refused checks that an endpoint refuses a caller with a token with this status and code.
func refused(t *testing.T, a *apitest.API, e api.Endpoint, token, contour string, status int, code string) apitest.Answer {
	t.Helper()
	answer := a.Send(apitest.Request{
		Method: e.Method, Path: address(e, "1"), Key: token, Header: map[string]string{"X-Service-Contour": contour},
	})
	if answer.Status != status || apitest.Code(answer.JSON) != code {
		t.Errorf("%s %s: %d %s, want %d %s", e.Method, e.Path, answer.Status, answer.Body, status, code)
	}
	return answer
}

func TestPrivateEndpointsRefuseAnonymousCallersAndStrangers(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	lone, err := people.CreatePerson(t.Context(), a.Store, "lone@people.test", "", "-")
	if err != nil {
		t.Fatal(err)
	}
	session := a.Session(lone)
	for _, e := range a.Admin.Table() {
		if e.Auth != api.Private && e.Auth != api.SessionOnly {
			continue
		}
		a.Clock.Advance(2 * time.Second) // there are more endpoints than one address may call per minute
		refused(t, a, e, "", "", 401, "UNAUTHENTICATED")
		refused(t, a, e, "no-key", "", 401, "UNAUTHENTICATED")
		if e.Auth == api.Private {
			refused(t, a, e, session, "", 403, "ROLE_REQUIRED")
		}
	}
}

func TestManageEndpointsRefuseEditors(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	session := a.Session(a.EditorID)
	for _, e := range a.Admin.Table() {
		if e.Manage != nil {
			if e.Auth != api.SessionOnly {
				want := e.Manage.Code
				if slices.ContainsFunc(e.Scopes, shop.Scope.Sensitive) {
					want = "PAT_SCOPE_MISSING" // no key of an editor has it
				}
				refused(t, a, e, a.Editor, "", 403, want)
			}
			refused(t, a, e, session, "", 403, e.Manage.Code)
		}
	}
}

func TestLiveEndpointsRefuseTheDraftContour(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	session := a.Session(a.OwnerID)
	for _, e := range a.Admin.Table() {
		if e.Contour == api.RefusesDraft {
			if e.Auth != api.SessionOnly { // which no key may call
				refused(t, a, e, a.Dev, "prod", 403, "PAT_CONTOUR_MISMATCH")
			}
			refused(t, a, e, session, "dev", 400, "DEV_MODE_UNAVAILABLE")
		}
	}
}

func TestScopedEndpointsRefuseKeysWithoutTheScope(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	without := map[shop.Scope]string{} // keys with every scope but one
	for _, missing := range shop.Scopes {
		var others []shop.Scope
		for _, s := range shop.Scopes {
			if s != missing {
				others = append(others, s.Scope)
			}
		}
		without[missing.Scope] = a.Scoped(others...)
	}
	for _, e := range a.Admin.Table() {
		if e.Auth != api.Private {
			continue
		}
		for _, missing := range e.Scopes {
			answer := refused(t, a, e, without[missing], "", 403, "PAT_SCOPE_MISSING")
			if answer.JSON["required_scope"] != string(missing) || !strings.Contains(answer.JSON["error"].(string), "required_scope") {
				t.Errorf("%s %s: %s does not name %s", e.Method, e.Path, answer.Body, missing)
			}
		}
	}
}

func TestSessionEndpointsRefuseKeys(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, e := range a.Admin.Table() {
		if e.Auth == api.SessionOnly {
			refused(t, a, e, a.Owner, "", 403, "PAT_METHOD_NOT_ALLOWED")
		}
	}
}

func TestEndpointsAreDescribedConsistently(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	seen := map[string]bool{}
	for _, e := range a.Admin.Table() {
		name, d := decided(e)
		if seen[name] {
			t.Errorf("%s is in the table twice", name)
		}
		seen[name] = true
		write := e.Method != "GET" && !d.readsOnly
		switch {
		case e.Summary == "" || strings.HasSuffix(e.Summary, "."):
			t.Errorf("%s: summary %q is empty or ends with a period", name, e.Summary)
		case e.Auth == api.Private && e.Class == api.Free:
			t.Errorf("%s is not counted in any rate class", name)
		case write && e.Class == api.Read, !write && (e.Class == api.Write || e.Class == api.Storage):
			t.Errorf("%s is counted in the wrong class", name)
		case !write && e.Contour == api.RefusesDraft:
			t.Errorf("%s reads, but refuses the draft contour as a live write", name)
		case write && e.Auth == api.Public && !d.anonymousWrite:
			t.Errorf("%s allows anonymous writes", name)
		}
		for _, s := range e.Scopes {
			if !slices.ContainsFunc(shop.Scopes, func(i shop.ScopeInfo) bool { return i.Scope == s }) {
				t.Errorf("%s requires the unknown scope %s", name, s)
			}
		}
	}
}

// answers checks what must hold for every response.
func answers(t interface{ Errorf(string, ...any) }, e api.Endpoint, body string, got apitest.Answer) {
	if got.Status >= 500 {
		t.Errorf("%s %s %.200s: %d %s", e.Method, e.Path, body, got.Status, got.Body)
	}
	if got.Header.Get("X-Request-Id") == "" || got.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%s %s: headers %v", e.Method, e.Path, got.Header)
	}
	if got.Status >= 400 {
		refusalForm(t, e.Method+" "+e.Path, got)
	}
}

// refusalForm checks that the text of a refusal and its data say the same.
func refusalForm(t interface{ Errorf(string, ...any) }, row string, got apitest.Answer) {
	text, _ := got.JSON["error"].(string)
	code, _ := got.JSON["code"].(string)
	place, placed := got.JSON["place"].(string)
	detail, detailed := got.JSON["detail"].(string)
	_, said, _ := strings.Cut(text, " desc = ")
	said, _ = strings.CutPrefix(said, code)
	joined := ""
	for _, part := range []string{place, detail} {
		if part != "" {
			joined += ": " + part
		}
	}
	about := strings.TrimPrefix(said, ": ") == detail // the detail names the place itself
	if !errorForm.MatchString(text) || code == "" || !placed || !detailed || said != joined && !about {
		t.Errorf("%s: error %q", row, got.Body)
	}
	faults, formal := got.JSON["faults"].([]any)
	if !formal {
		return
	}
	first, _ := faults[0].(map[string]any)
	if len(faults) > 50 || first["code"] != code || first["place"] != place || first["detail"] != detail {
		t.Errorf("%s: the first fault is %v: %q", row, first, got.Body)
	}
}

var errorForm = regexp.MustCompile(`^rpc error: code = [A-Z][A-Za-z]+ desc = [A-Za-z][A-Za-z_]+(: .*)?$`)

func TestNoEndpointFailsOnUnusualBodies(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	session := a.Session(a.OwnerID)
	key := func(e api.Endpoint) string {
		if e.Auth == api.SessionOnly {
			return session
		}
		return a.Owner
	}
	for _, e := range a.Admin.Table() {
		for _, body := range []string{"", `{}`, `[]`, `null`, `0`, `""`, `{"item":null}`, `{"item":{}}`, `{"item":[]}`, "{", "\x00", "\xff", "\u2028"} {
			a.Clock.Advance(time.Minute) // the next window of the rate limits
			answers(t, e, body, a.Send(apitest.Request{Method: e.Method, Path: address(e, "1"), Key: key(e), Body: body}))
		}
		for _, value := range []string{"0", "-1", "99999999999999999999", "%00", "%FF", "%2F", "..%2f", "%F0%9F%8D%B5", "null", "%22%22", strings.Repeat("9", 600)} {
			answers(t, e, value, a.Send(apitest.Request{Method: e.Method, Path: address(e, value), Key: key(e), Body: "{}"}))
		}
	}
}

func TestNoEndpointFailsOnRandomJSON(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	var rows []api.Endpoint
	for _, e := range a.Admin.Table() {
		if e.Auth != api.Link && e.Auth != api.SessionOnly {
			rows = append(rows, e)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a.Clock.Advance(time.Minute)
		e := rapid.SampledFrom(rows).Draw(t, "row")
		body, err := json.Marshal(map[string]any{"item": value(3).Draw(t, "item"), "items": value(2).Draw(t, "items")})
		if err != nil {
			t.Fatal(err)
		}
		path := address(e, rapid.SampledFrom([]string{"1", "2", "tea"}).Draw(t, "segment"))
		if e.Method == "GET" {
			q := url.Values{}
			for range 3 {
				q.Add(
					rapid.SampledFrom(parameters).Draw(t, "name"),
					rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"1", "true", "-1", "recent"})).Draw(t, "value"),
				)
			}
			path += "?" + q.Encode()
		}
		answers(t, e, string(body), a.Send(apitest.Request{Method: e.Method, Path: path, Key: a.Owner, Body: body}))
	})
}

// parameters are names that endpoints read, so that random values get past the decoder.
var parameters = []string{
	"filter.ids", "filter.category_id", "filter.query", "filter.min_price", "sort.field", "sort.order", "page.number", "page.limit",
	"company_id", "query", "sort", "view", "category_id", "include_subtree", "slug", "path", "hidden", "entity_type",
}

var fields = []string{
	"name", "title", "category_id", "price", "seo", "slug", "gallery", "id", "sections", "props", "kind", "payload",
	"files", "from", "to", "text",
}

func value(depth int) *rapid.Generator[any] {
	leaf := []*rapid.Generator[any]{
		rapid.String().AsAny(), rapid.Int64().AsAny(), rapid.Float64().AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil),
		rapid.SampledFrom([]any{"1", 1, 0, -1, "product", "news", "none", "2026-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "\u0001", strings.Repeat("я", 5000)}),
	}
	if depth == 0 {
		return rapid.OneOf(leaf...)
	}
	return rapid.OneOf(append(leaf,
		rapid.SliceOfN(rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) }), 0, 4).AsAny(),
		rapid.MapOfN(rapid.SampledFrom(fields), rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) }), 0, 5).AsAny())...)
}
