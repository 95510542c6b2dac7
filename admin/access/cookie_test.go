package access_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
)

const mei = "mei@people.test"

// at runs the API at a public address.
func at(t *testing.T, address string) *apitest.API {
	t.Helper()
	return apitest.New(t, func(cfg *admin.Config) { cfg.URLs.Admin = address })
}

// ownPage are the headers that a browser adds to fetch() on a page of the admin origin.
func ownPage() map[string]string {
	return map[string]string{"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}
}

func with(header map[string]string, more ...string) map[string]string {
	header = maps.Clone(header)
	for i := 0; i < len(more); i += 2 {
		header[more[i]] = more[i+1]
	}
	return header
}

// kept signs mei in with a cookie and returns the Cookie header.
func kept(t *testing.T, a *apitest.API) string {
	t.Helper()
	out := a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/login", Header: ownPage(), Body: m{"email": mei, "password": "a long password", "cookie": true}})
	sent := setCookie(t, out)
	if out.Status != 200 || strings.Contains(string(out.Body), "vs_") {
		t.Fatalf("%d %s", out.Status, out.Body)
	}
	return sent.Name + "=" + sent.Value
}

func setCookie(t *testing.T, out apitest.Answer) *http.Cookie {
	t.Helper()
	sent, err := http.ParseSetCookie(out.Header.Get("Set-Cookie"))
	if err != nil {
		t.Fatalf("%d %s %v", out.Status, out.Body, err)
	}
	return sent
}

func TestALoginOnTheAdminOriginSetsACookieThatItsAddressDecides(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://admin.shops.test":     "__Host-vitrine Secure",
		"http://localhost:8081":        "vitrine ",
		"http://admin.localhost:8081":  "vitrine ",
		"http://127.0.0.1:8081":        "HTTPS_REQUIRED",
		"http://admin.shops.test:8081": "HTTPS_REQUIRED",
	} {
		a := at(t, address)
		a.OK("POST", "/v1/auth/register", "", person(mei, "a long password"))
		for _, path := range []string{"/v1/auth/login", "/v1/auth/register", "/v1/auth/code/confirm"} {
			body := m{"email": mei, "password": "a long password", "cookie": true}
			switch path {
			case "/v1/auth/register":
				body["email"] = "new" + mei
			case "/v1/auth/code/confirm":
				a.OK("POST", "/v1/auth/code", "", m{"email": mei})
				body = m{"email": mei, "code": a.Code(mei), "cookie": true}
			}
			// The Host header says otherwise, and has no effect.
			out := a.Send(apitest.Request{Method: "POST", Path: path, Header: with(ownPage(), "Host", "localhost"), Body: body})
			if want == "HTTPS_REQUIRED" {
				if apitest.Code(out.JSON) != want || out.Header.Get("Set-Cookie") != "" {
					t.Errorf("%s %s: %d %s", address, path, out.Status, out.Body)
				}
				continue
			}
			sent := setCookie(t, out)
			name, secure, _ := strings.Cut(want, " ")
			if sent.Name != name || sent.Secure != (secure != "") || !sent.HttpOnly || sent.SameSite != http.SameSiteStrictMode || sent.Path != "/" || sent.Domain != "" || sent.MaxAge < 29*24*3600 {
				t.Errorf("%s %s: %s", address, path, out.Header.Get("Set-Cookie"))
			}
			if strings.Contains(string(out.Body), "vs_") || out.JSON["result"].(m)["token"] != nil {
				t.Errorf("%s %s: a script reads the token: %s", address, path, out.Body)
			}
		}
	}
}

func TestNoOtherPageSignsItsVisitorsInOnTheAdminOrigin(t *testing.T) {
	t.Parallel()
	a := at(t, "https://admin.test")
	a.OK("POST", "/v1/auth/register", "", person(mei, "a long password"))
	login := m{"email": mei, "password": "a long password", "cookie": true}
	for _, header := range []map[string]string{
		{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
		{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}, {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"},
		{"Origin": "https://tea.shops.test"}, {"Origin": "http://admin.test"}, {"Origin": "null"},
	} {
		out := a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/login", Header: header, Body: login})
		if out.Status != 403 || apitest.Code(out.JSON) != "CROSS_ORIGIN" || out.Header.Get("Set-Cookie") != "" {
			t.Errorf("%v: %d %s", header, out.Status, out.Body)
		}
	}
	for _, header := range []map[string]string{nil, {"Origin": "https://admin.test"}} { // no browser, or an old one
		if out := a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/login", Header: header, Body: login}); out.Status != 200 {
			t.Errorf("%v: %d %s", header, out.Status, out.Body)
		}
	}
	// On a shop's host the shop's own cookie is set, whatever the call asks for.
	if out := a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/login", Header: a.ThroughStorefront(), Body: login}); out.Cookie() == "" || len(out.Header.Values("Set-Cookie")) != 1 {
		t.Errorf("%v", out.Header)
	}
}

func TestTheAdminCookieCountsOnlyForScriptsOfItsOwnPages(t *testing.T) {
	t.Parallel()
	a := at(t, "https://admin.test")
	a.OK("POST", "/v1/auth/register", "", person(mei, "a long password"))
	session := kept(t, a)
	name := strings.TrimPrefix(session, "__Host-")
	for _, test := range []struct {
		what   string
		header map[string]string
		key    string
		status int
	}{
		{"a script", with(ownPage(), "Cookie", session), "", 200},
		{"a picture", map[string]string{"Cookie": session, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}, "", 200},
		{"no Sec-Fetch-Site", map[string]string{"Cookie": session}, "", 401},
		{"a host of the same site", with(ownPage(), "Cookie", session, "Sec-Fetch-Site", "same-site"), "", 401},
		{"another site", with(ownPage(), "Cookie", session, "Sec-Fetch-Site", "cross-site"), "", 401},
		{"the address bar", with(ownPage(), "Cookie", session, "Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate"), "", 401},
		{"a link", with(ownPage(), "Cookie", session, "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"), "", 401},
		{"a frame", with(ownPage(), "Cookie", session, "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"), "", 401},
		{"the local name", with(ownPage(), "Cookie", name), "", 401},
		{"a Bearer beside it", with(ownPage(), "Cookie", session), a.Session(a.OwnerID), 200},
		{"a wrong Bearer beside it", with(ownPage(), "Cookie", session), "vs_wrong", 401},
		{"a shop's host", with(ownPage(), "Cookie", session, "X-Test-Storefront", a.Shop.ID.String()), "", 401},
	} {
		out := a.Send(apitest.Request{Method: "GET", Path: "/v1/auth/me", Header: test.header, Key: test.key})
		if out.Status != test.status {
			t.Errorf("%s: %d %s", test.what, out.Status, out.Body)
		}
		if email := ""; out.Status == 200 {
			email, _ = out.JSON["result"].(m)["email"].(string)
			if (email == mei) != (test.key == "") {
				t.Errorf("%s is %s", test.what, email)
			}
		}
		write := a.Send(apitest.Request{Method: "PUT", Path: "/v1/auth/me", Header: test.header, Key: test.key, Body: m{"phone": "1"}})
		if write.Status != test.status && write.Status != 403 {
			t.Errorf("a write by %s: %d %s", test.what, write.Status, write.Body)
		}
	}
}

func TestLogoutEndsTheSessionOfTheCookieAndDeletesIt(t *testing.T) {
	t.Parallel()
	a := at(t, "https://admin.test")
	a.OK("POST", "/v1/auth/register", "", person(mei, "a long password"))
	session := kept(t, a)
	// A call that the cookie does not count for deletes nothing.
	if out := a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/logout", Header: map[string]string{"Cookie": session}}); out.Header.Get("Set-Cookie") != "" {
		t.Errorf("%v", out.Header)
	}
	out := a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/logout", Header: with(ownPage(), "Cookie", session)})
	if sent := setCookie(t, out); sent.Name != "__Host-vitrine" || sent.Value != "" || sent.MaxAge >= 0 || !sent.Secure {
		t.Errorf("%s", out.Header.Get("Set-Cookie"))
	}
	if out := a.Send(apitest.Request{Method: "GET", Path: "/v1/auth/me", Header: with(ownPage(), "Cookie", session)}); out.Status != 401 {
		t.Errorf("%d %s", out.Status, out.Body)
	}
}

func TestSessionsAreListedAndEndedByTheirPersonOnly(t *testing.T) {
	t.Parallel()
	a := at(t, "https://admin.test")
	a.OK("POST", "/v1/auth/register", "", person(mei, "a long password"))
	from := func(agent, address string, more map[string]string) apitest.Answer {
		header := map[string]string{"User-Agent": agent, "X-Forwarded-For": address}
		maps.Copy(header, more)
		return a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/login", Header: header, Body: m{"email": mei, "password": "a long password"}})
	}
	laptop := from("Laptop\xff"+strings.Repeat("é", 300), "203.0.113.9", nil).JSON["result"].(m)["token"].(string)
	a.Clock.Advance(time.Second)
	phone := from("Phone", "2001:db8:1:2:3::4", nil).JSON["result"].(m)["token"].(string)
	a.Clock.Advance(time.Second)
	onHost := from("Phone", "2001:db8:1:2:3::4", a.ThroughStorefront()).Cookie()

	list := a.OK("GET", "/v1/auth/sessions", laptop, nil)["result"].([]any)
	if len(list) != 4 { // and the one of the registration
		t.Fatalf("%v", list)
	}
	first, second, third := list[0].(m), list[1].(m), list[2].(m)
	if first["current"] != true || first["network"] != "203.0.113.9" || first["agent"] != "Laptop"+strings.Repeat("é", 249) || first["company_id"] != nil || first["last_used_at"] != a.Clock.Now().Format(time.RFC3339) {
		t.Errorf("%v", first)
	}
	if second["current"] != false || second["company_id"] != float64(a.Shop.ID) || second["slug"] != "tea" || third["network"] != "2001:db8:1:2::/64" || third["last_used_at"] != nil {
		t.Errorf("%v %v", second, third)
	}

	// On the shop's host only its own session exists.
	here := a.Send(apitest.Request{Method: "GET", Path: "/v1/auth/sessions", Header: a.OnHost(onHost)}).JSON["result"].([]any)
	if len(here) != 1 || here[0].(m)["current"] != true {
		t.Errorf("%v", here)
	}
	of := func(id any) string { return "/v1/auth/sessions/" + id.(string) }
	if out := a.Send(apitest.Request{Method: "DELETE", Path: of(third["id"]), Header: a.OnHost(onHost)}); out.Status != 404 {
		t.Errorf("%d %s", out.Status, out.Body)
	}
	a.Refused("DELETE", of(third["id"]), a.Session(a.OwnerID), nil, 404, "SESSION_NOT_FOUND")
	a.Refused("DELETE", of(third["id"]), a.Owner, nil, 403, "PAT_METHOD_NOT_ALLOWED")
	a.OK("GET", "/v1/auth/me", phone, nil)
	a.OK("DELETE", of(third["id"]), laptop, nil)
	a.Refused("GET", "/v1/auth/me", phone, nil, 401, "UNAUTHENTICATED")
	a.Refused("DELETE", of(third["id"]), laptop, nil, 404, "SESSION_NOT_FOUND")
	a.OK("DELETE", of(second["id"]), laptop, nil)
	if out := a.Send(apitest.Request{Method: "GET", Path: "/v1/auth/me", Header: a.OnHost(onHost)}); out.Status != 401 {
		t.Errorf("%d %s", out.Status, out.Body)
	}
}

func TestTheLastUseOfASessionIsStoredAtMostOnceAMinute(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	session := a.Session(a.OwnerID)
	used := func() string {
		return apitest.Values(a.OK("GET", "/v1/auth/sessions", session, nil)["result"], "last_used_at")
	}
	first := used()
	a.Clock.Advance(59 * time.Second)
	if again := used(); again != first {
		t.Errorf("%s after %s", again, first)
	}
	a.Clock.Advance(2 * time.Second)
	if again := used(); again == first {
		t.Errorf("still %s", again)
	}
}

func TestALoweredRoleEndsTheSessionsOfTheMember(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	admin := a.Member(shop.Admin)
	owner, lowered, bound := a.Session(a.OwnerID), a.Session(admin), a.Bound(admin)
	path := "/v1/orgs/current/members/" + admin.String()
	a.OK("PUT", path, owner, m{"role": "owner"})
	a.OK("GET", "/v1/auth/me", lowered, nil)
	a.OK("PUT", path, owner, m{"role": "editor"})
	a.Refused("GET", "/v1/auth/me", lowered, nil, 401, "UNAUTHENTICATED")
	if out := a.Send(apitest.Request{Method: "GET", Path: "/v1/auth/me", Header: a.OnHost(bound)}); out.Status != 200 {
		t.Errorf("the session of a buyer: %d %s", out.Status, out.Body)
	}
	a.OK("GET", "/v1/auth/me", owner, nil)
}
