package admin_test

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

// opening are the bodies of the calls that open a session for the account ann@people.test.
// password/reset sets a new password, which ends the other sessions (CONTRACT, "Sessions").
var opening = map[string]func(a *apitest.API) apitest.Map{
	"/v1/auth/guest": func(*apitest.API) apitest.Map { return apitest.Map{} },
	"/v1/auth/register": func(a *apitest.API) apitest.Map {
		return apitest.Map{"email": fmt.Sprintf("new%d@people.test", a.Clock.Now().UnixNano()), "password": "a long password"}
	},
	"/v1/auth/login": func(*apitest.API) apitest.Map {
		return apitest.Map{"email": "ann@people.test", "password": "a long password"}
	},
	"/v1/auth/code/confirm": func(a *apitest.API) apitest.Map {
		a.OK("POST", "/v1/auth/code", "", apitest.Map{"email": "ann@people.test"})
		return apitest.Map{"email": "ann@people.test", "code": a.Code("ann@people.test")}
	},
	"/v1/auth/password/reset": func(a *apitest.API) apitest.Map {
		a.OK("POST", "/v1/auth/password/forgot", "", apitest.Map{"email": "ann@people.test"})
		return apitest.Map{"token": a.Code("ann@people.test"), "password": "a long password"}
	},
}

var sessionToken = regexp.MustCompile(`vs_[0-9A-Za-z]{36}`)

// tokenRows returns the endpoints whose response contains a session token.
func tokenRows(a *apitest.API) (paths []string) {
	for _, e := range a.Admin.Table() {
		if e.Do.Out != nil && hasToken(e.Do.Out, 0) && e.Path != "/form-leads/token" && e.Method == "POST" &&
			e.Path != "/v1/shop/assistants/tokens" && // of a program, which no endpoint of this API accepts
			e.Path != "/v1/auth/passkeys/login/finish" { // only a device can send its body, and shops' hosts refuse it
			paths = append(paths, e.Path)
		}
	}
	return paths
}

func hasToken(t reflect.Type, depth int) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || depth > 4 {
		return false
	}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "token" && t.Field(i).Type.Kind() == reflect.String || hasToken(t.Field(i).Type, depth+1) {
			return true
		}
	}
	return false
}

// Scripts of a shop's owner run on the shop's host with the visitor's cookie. No call they make
// on that host, or on the admin origin with what they read there, gives them a session that is
// valid elsewhere.
func TestNoCallTurnsASessionOfAShopIntoAnother(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.OK("POST", "/v1/auth/register", "", apitest.Map{"email": "ann@people.test", "password": "a long password"})
	confirmed := a.Result("POST", "/v1/auth/code/confirm", a.Result("POST", "/v1/auth/login", "", opening["/v1/auth/login"](a))["token"].(string), opening["/v1/auth/code/confirm"](a))
	ann := shop.UserID(confirmed["user"].(apitest.Map)["id"].(float64))
	rows := tokenRows(a)
	if len(rows) != len(opening) {
		t.Fatalf("the endpoints that return a token are %v, there are bodies for %d", rows, len(opening))
	}
	for _, path := range rows {
		body := opening[path]
		if body == nil {
			t.Fatalf("add a body for %s above", path)
		}
		for _, caller := range []string{"anonymous", "guest here", "ann here", "ann elsewhere", "ann on the admin origin", "key"} {
			for _, onHost := range []bool{true, false} {
				a.Clock.Advance(2 * 3600e9) // past every rate limit
				name := fmt.Sprintf("%s by %s, on the shop's host %v", path, caller, onHost)
				before := map[string]string{"admin": a.Session(ann), "here": a.Bound(ann), "elsewhere": a.BoundAt(a.Other.ID, ann)}
				guest := a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/guest", Header: a.ThroughStorefront()}).Cookie()
				token := map[string]string{
					"anonymous": "", "guest here": guest, "ann here": before["here"], "ann elsewhere": before["elsewhere"],
					"ann on the admin origin": before["admin"], "key": a.Owner,
				}[caller]
				r := apitest.Request{Method: "POST", Path: path, Body: body(a)}
				switch {
				case onHost && caller != "key":
					r.Header = a.OnHost(token)
				case onHost:
					r.Header, r.Key = a.ThroughStorefront(), token
				default:
					r.Key = token
				}
				got := a.Send(r)
				if got.Status != 200 {
					t.Errorf("%s: %d %s", name, got.Status, got.Body)
					continue
				}
				opened := sessionToken.FindString(string(got.Body))
				if onHost && opened != "" {
					t.Errorf("%s: a script reads the token: %s", name, got.Body)
				}
				if !onHost && got.Cookie() != "" {
					t.Errorf("%s: sets a cookie on the admin origin", name)
				}
				if cookie := got.Cookie(); cookie != "" {
					_, bound, err := people.SessionPerson(t.Context(), a.Store, secret.Hash(cookie), a.Clock.Now())
					if err != nil || bound != a.Shop.ID {
						t.Errorf("%s: the cookie is bound to %d, %v", name, bound, err)
					}
				}
				if opened != "" && path == "/v1/auth/guest" {
					if person, _, err := people.SessionPerson(t.Context(), a.Store, secret.Hash(opened), a.Clock.Now()); err != nil || person == ann {
						t.Errorf("%s: opens an unbound session of the caller, %v", name, err)
					}
				}
				if path == "/v1/auth/password/reset" {
					continue
				}
				for which, session := range before {
					if person, _, err := people.SessionPerson(t.Context(), a.Store, secret.Hash(session), a.Clock.Now()); err != nil || person != ann {
						t.Errorf("%s: ends the session %s, %v", name, which, err)
					}
				}
			}
		}
	}
}

// A session of a shop's host is invalid on the admin origin and on other hosts, for every
// endpoint.
func TestTheAdminOriginRefusesSessionsOfShops(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	bound, tried := a.Bound(a.OwnerID), 0
	elsewhere := a.OnHost(a.BoundAt(a.Other.ID, a.OwnerID))
	for _, e := range a.Admin.Table() {
		if e.Auth == api.Link {
			continue
		}
		tried++
		a.Clock.Advance(60e9)
		path := regexp.MustCompile(`\{[a-z_]+\}`).ReplaceAllString(e.Path, "1")
		r := apitest.Request{Method: e.Method, Path: path, Key: bound}
		if got := a.Send(r); got.Status != 401 {
			t.Errorf("%s %s on the admin origin: %d %.100s", e.Method, e.Path, got.Status, got.Body)
		}
		r.Key, r.Header = "", elsewhere
		if got := a.Send(r); got.Status != 401 {
			t.Errorf("%s %s on another host: %d %.100s", e.Method, e.Path, got.Status, got.Body)
		}
	}
	if tried < 150 {
		t.Errorf("only %d endpoints were tried", tried)
	}
}

// A script that repeatedly signs in its visitor on its own host must not evict the sessions
// that the person has elsewhere.
func TestSessionsOfAHostEndNoneOfAnother(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	admin := a.Session(a.OwnerID)
	for range 101 {
		a.Bound(a.OwnerID)
	}
	a.OK("GET", "/v1/auth/me", admin, nil)
}

// On a shop's host a person is a buyer like any other: no response there reveals where they work.
func TestAnswersOnAShopsHostHideRoles(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	host := a.OnHost(a.Bound(a.OwnerID))
	for _, r := range []apitest.Request{
		{Method: "GET", Path: "/v1/auth/me", Header: host},
		{Method: "PUT", Path: "/v1/auth/me", Header: host, Body: apitest.Map{"phone": "1"}},
		{Method: "POST", Path: "/v1/auth/guest", Header: host},
	} {
		user := a.Send(r).JSON["result"].(apitest.Map)
		if nested, ok := user["user"].(apitest.Map); ok {
			user = nested
		}
		if user["id"] != float64(a.OwnerID) || user["company_id"] != float64(0) || user["role"] != "" {
			t.Errorf("%s %s: %v", r.Method, r.Path, user)
		}
	}
	if me := a.Result("GET", "/v1/auth/me", a.Session(a.OwnerID), nil); me["role"] != "owner" {
		t.Errorf("on the admin origin: %v", me)
	}
}
