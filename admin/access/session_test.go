package access_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/await"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

func person(email, password string) m {
	return m{"email": email, "password": password, "name": " Ann "}
}

func TestAPersonRegistersAndSignsInAndOut(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	made := a.Result("POST", "/v1/auth/register", "", person("Ann@people.test", "password"))
	if user := made["user"].(m); user["name"] != "Ann" || user["email"] != "Ann@people.test" || user["company_id"] != 0.0 ||
		user["role"] != "" {
		t.Errorf("user %v", user)
	}
	if made["expires_at"] != a.Clock.Now().Add(30*24*time.Hour).UTC().Format(time.RFC3339) {
		t.Errorf("expires %v", made["expires_at"])
	}
	first := made["token"].(string)
	second := a.Result("POST", "/v1/auth/login", "", m{"email": " aNN@People.test ", "password": "password"})["token"].(string)
	for _, token := range []string{first, second} {
		if me := a.Result("GET", "/v1/auth/me", token, nil); me["email"] != "Ann@people.test" {
			t.Errorf("me %v", me)
		}
	}
	a.Refused("GET", "/v1/orgs/current", first, nil, 403, "ROLE_REQUIRED")
	a.OK("POST", "/v1/auth/logout", first, nil)
	a.OK("POST", "/v1/auth/logout", first, nil)
	a.OK("POST", "/v1/auth/logout", "", nil)
	a.Refused("GET", "/v1/auth/me", first, nil, 401, "UNAUTHENTICATED")
	a.OK("GET", "/v1/auth/me", second, nil)
	a.Clock.Advance(30*24*time.Hour + time.Second)
	a.Refused("GET", "/v1/auth/me", second, nil, 401, "UNAUTHENTICATED")
	a.Refused("GET", "/v1/auth/me", "", nil, 401, "UNAUTHENTICATED")
}

func TestRegistrationsThatAreRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.OK("POST", "/v1/auth/register", "", person("ann@people.test", "password"))
	for name, c := range map[string]struct {
		body   any
		status int
		code   string
	}{
		"no email":       {person("", "password"), 400, "EMAIL_INVALID"},
		"no host":        {person("ann", "password"), 400, "EMAIL_INVALID"},
		"spaces":         {person("a b@people.test", "password"), 400, "EMAIL_INVALID"},
		"long email":     {person(strings.Repeat("a", 60)+"@"+strings.Repeat("b", 200)+".test", "password"), 400, "EMAIL_INVALID"},
		"short password": {person("bob@people.test", "1234567"), 400, "PASSWORD_TOO_SHORT"},
		"long password":  {person("bob@people.test", strings.Repeat("p", 257)), 400, "PASSWORD_TOO_SHORT"},
		"long name":      {m{"email": "bob@people.test", "password": "password", "name": strings.Repeat("я", 256)}, 400, "TEXT_TOO_LONG"},
		"taken":          {person("ANN@people.test", "password"), 409, "EMAIL_TAKEN"},
		"not JSON":       {"email=ann", 400, "INVALID_REQUEST"},
	} {
		t.Log(name)
		a.Refused("POST", "/v1/auth/register", "", c.body, c.status, c.code)
	}
}

func TestWrongPasswordAndUnknownEmailLookAlike(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.OK("POST", "/v1/auth/register", "", person("ann@people.test", "password"))
	var bodies []string
	for _, in := range []m{
		person("ann@people.test", "Password"), person("bob@people.test", "password"), person("ann@people.test", ""), person("", ""),
		person("tea@people.test", "-"), person("ann@people.test", strings.Repeat("p", 1000)), person(strings.Repeat("a", 1000), "password"),
	} {
		answer := a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/login", Body: in})
		if answer.Status != 401 || apitest.Code(answer.JSON) != "INVALID_CREDENTIALS" {
			t.Errorf("%.40v: %d %s", in, answer.Status, answer.Body)
		}
		bodies = append(bodies, string(answer.Body))
	}
	for _, body := range bodies[1:] {
		if body != bodies[0] {
			t.Errorf("%s reveals more than %s", body, bodies[0])
		}
	}
}

func TestAttemptsAreLimited(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	right, wrong := person("ann@people.test", "password"), person("ANN@people.test ", "nonsense")
	a.OK("POST", "/v1/auth/register", "", right)
	for range 12 {
		a.OK("POST", "/v1/auth/login", "", right) // right ones do not count
	}
	for range 10 {
		a.Refused("POST", "/v1/auth/login", "", wrong, 401, "INVALID_CREDENTIALS")
	}
	a.Clock.Advance(30 * time.Second)
	for _, body := range []m{wrong, right} {
		answer := a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/login", Body: body})
		wait, err := strconv.Atoi(answer.Header.Get("Retry-After"))
		if answer.Status != 429 || apitest.Code(answer.JSON) != "RATE_LIMITED" || err != nil || wait != 60 || answer.JSON["retry_after"] != 60.0 {
			t.Errorf("%d, Retry-After %d: %s", answer.Status, wait, answer.Body)
		}
	}
	a.Refused("POST", "/v1/auth/login", "", person("bob@people.test", "nonsense"), 401, "INVALID_CREDENTIALS")
	a.Clock.Advance(15 * time.Minute)
	a.OK("POST", "/v1/auth/login", "", right)

	for n := range 9 {
		a.OK("POST", "/v1/auth/register", "", person("n"+strconv.Itoa(n)+"@people.test", "password"))
	}
	a.OK("POST", "/v1/auth/register", "", person("tenth@people.test", "password"))
	a.Refused("POST", "/v1/auth/register", "", person("eleventh@people.test", "password"), 429, "RATE_LIMITED")
}

func TestConcurrentAttemptsDoNotExceedTheLimit(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	statuses := make(chan int)
	for range 30 {
		go func() {
			status, _ := a.Call("POST", "/v1/auth/login", "", person("ann@people.test", "nonsense"))
			statuses <- status
		}()
	}
	count := map[int]int{}
	for range 30 {
		count[await.Next(t, statuses)]++
	}
	if count[401] != 10 || count[429] != 20 {
		t.Errorf("answers %v, want 10 times 401 and 20 times 429", count)
	}
}

func TestOnAStorefrontHostTheSessionIsACookie(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	answer := a.Send(apitest.Request{
		Method: "POST", Path: "/v1/auth/register", Body: person("ann@people.test", "password"), Header: a.ThroughStorefront(),
	})
	cookie := answer.Header.Get("Set-Cookie")
	for _, part := range []string{"HttpOnly", "Secure", "SameSite=Lax", "Path=/"} {
		if !strings.Contains(cookie, part) {
			t.Errorf("cookie %q lacks %s", cookie, part)
		}
	}
	pair, _, _ := strings.Cut(cookie, ";")
	me := func(header map[string]string) int {
		header["Cookie"] = pair
		return a.Send(apitest.Request{Method: "GET", Path: "/v1/auth/me", Header: header}).Status
	}
	if got := me(a.ThroughStorefront()); got != 200 {
		t.Errorf("with the cookie: %d", got)
	}
	if got := me(map[string]string{}); got != 401 {
		t.Errorf("the admin origin accepts a cookie: %d", got)
	}
	header := a.ThroughStorefront()
	header["Cookie"] = pair
	answer = a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/logout", Header: header})
	if !strings.Contains(answer.Header.Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("logout sets %q", answer.Header.Get("Set-Cookie"))
	}
	if got := me(a.ThroughStorefront()); got != 401 {
		t.Errorf("after logout: %d", got)
	}
	plain := a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/login", Body: person("ann@people.test", "password")})
	if plain.Status != 200 || plain.Header.Get("Set-Cookie") != "" {
		t.Errorf("the admin origin sets a cookie: %q", plain.Header.Get("Set-Cookie"))
	}
}

// Browsers drop the session cookie over plain HTTP, so the session would be lost at once: the
// call is refused before it creates anything.
func TestNoSessionIsOpenedOverPlainHTTP(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	opens := 0
	for _, e := range a.Admin.Table() {
		if e.Do.Out.String() != "api.Result[vitrine/admin/access.sessionView]" {
			continue
		}
		opens++
		if !e.SignsIn {
			t.Errorf("%s opens a session, but its endpoint does not set SignsIn", e.Path)
		}
		got := a.Send(apitest.Request{
			Method: e.Method, Path: e.Path, Body: m{"email": "ann@people.test", "password": "a long password", "code": "123456", "token": "x"}, Header: a.OverPlainHTTP(),
		})
		if got.Status != 400 || apitest.Code(got.JSON) != "HTTPS_REQUIRED" || got.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s answers %d %s", e.Path, got.Status, got.Body)
		}
	}
	made := a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/register", Body: person("ann@people.test", "a long password"), Header: a.ThroughStorefront()})
	if opens != 6 || made.Status != 200 {
		t.Errorf("%d endpoints open a session; later %d %s", opens, made.Status, made.Body)
	}
}

// Signing in does not take over a session that someone else planted in the browser.
func TestALoginReplacesAPlantedSession(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.OK("POST", "/v1/auth/register", "", person("ann@people.test", "password"))
	planted := a.Session(a.StrangerID)
	header := a.ThroughStorefront()
	header["Cookie"] = "__Host-vitrine-session=" + planted
	answer := a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/login", Body: person("ann@people.test", "password"), Header: header})
	if token := answer.Cookie(); answer.Status != 200 || token == planted || !secret.WellFormed(token, secret.Session) {
		t.Errorf("%d, cookie %q", answer.Status, answer.Header.Get("Set-Cookie"))
	}
	if me := a.Result("GET", "/v1/auth/me", planted, nil); me["id"] != float64(a.StrangerID) {
		t.Errorf("the planted session is %v's", me["email"])
	}
	if cookie := answer.Header.Get("Set-Cookie"); strings.Contains(strings.ToLower(cookie), "domain=") {
		t.Errorf("cookie %q leaves the host", cookie)
	}
}

// Scripts on a shop's pages can send a visitor's cookie: it must not carry the rights of a
// member, not even of this shop.
func TestASessionInACookieIsABuyer(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for name, token := range map[string]string{"owner": a.Session(a.OwnerID), "owner of another shop": a.Session(a.StrangerID)} {
		send := func(method, path string, body any) apitest.Answer {
			header := a.ThroughStorefront()
			header["Cookie"], header["X-Service-Contour"] = "__Host-vitrine-session="+token, "dev"
			return a.Send(apitest.Request{Method: method, Path: path, Body: body, Header: header})
		}
		if got := send("GET", "/v1/auth/me", nil); got.Status != 200 {
			t.Errorf("%s, me: %d %s", name, got.Status, got.Body)
		}
		for _, call := range []string{
			"POST /products", "GET /v1/account/token", "GET /v1/orgs/current", "POST /v1/account/tokens", "GET " + members, "POST " + members,
			"PUT /v1/account/main-company", "POST /drafts/publish", "GET /audit",
		} {
			method, path, _ := strings.Cut(call, " ")
			got := send(
				method, path,
				m{"name": "k", "scopes": l{"catalog:read"}, "company_id": a.Shop.ID, "email": "tea@people.test", "role": "editor"},
			)
			if got.Status != 403 || apitest.Code(got.JSON) != "ROLE_REQUIRED" {
				t.Errorf("%s, %s: %d %s", name, call, got.Status, got.Body)
			}
		}
		if got := send("GET", "/v1/account/tokens", nil); got.Status != 200 || len(got.JSON["result"].(l)) != 0 {
			t.Errorf("%s, keys: %s", name, got.Body)
		}
		if got := send("GET", "/v1/account/companies", nil); got.Status != 200 || len(got.JSON["result"].(l)) != 0 {
			t.Errorf("%s, companies: %s", name, got.Body)
		}
	}
}

func TestAPasswordIsChanged(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	own := a.Result("POST", "/v1/auth/register", "", person("ann@people.test", "password"))["token"].(string)
	other := a.Result("POST", "/v1/auth/login", "", person("ann@people.test", "password"))["token"].(string)
	for code, body := range map[string]m{
		"INVALID_CREDENTIALS": {"password": "nonsense", "new_password": "new password"},
		"PASSWORD_TOO_SHORT":  {"password": "password", "new_password": "new"},
	} {
		answer := a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/password", Key: own, Body: body})
		if apitest.Code(answer.JSON) != code {
			t.Errorf("%s, want %s", answer.Body, code)
		}
	}
	a.OK("GET", "/v1/auth/me", other, nil)
	a.OK("POST", "/v1/auth/password", own, m{"password": "password", "new_password": "new password"})
	a.OK("GET", "/v1/auth/me", own, nil)
	a.Refused("GET", "/v1/auth/me", other, nil, 401, "UNAUTHENTICATED")
	a.Refused("POST", "/v1/auth/login", "", person("ann@people.test", "password"), 401, "INVALID_CREDENTIALS")
	a.OK("POST", "/v1/auth/login", "", person("ann@people.test", "new password"))
	for range 8 { // ten with the two above
		a.Refused("POST", "/v1/auth/password", own, m{"password": "nonsense", "new_password": "new password"}, 401, "INVALID_CREDENTIALS")
	}
	a.Refused("POST", "/v1/auth/password", own, m{"password": "new password", "new_password": "new password"}, 429, "RATE_LIMITED")
}

func TestExpiredSessionsAreDeleted(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	begun, old := a.Clock.Now(), a.Session(a.OwnerID)
	a.Clock.Advance(2 * time.Hour)
	live := a.Session(a.OwnerID)
	for _, want := range []shop.UserID{a.OwnerID, 0} {
		if got, _, err := people.SessionPerson(t.Context(), a.Store, secret.Hash(old), begun); err != nil || got != want {
			t.Errorf("the old session is %d's, want %d, %v", got, want, err)
		}
		if err := people.SweepSessions(t.Context(), a.Store, a.Clock.Now()); err != nil {
			t.Fatal(err)
		}
	}
	a.OK("GET", "/v1/auth/me", live, nil)
}
