package access_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// app is the authenticator app of a test.
type app struct {
	*apitest.API
	t      *testing.T
	secret string
	codes  []string // recovery codes
}

// code is what the app shows, with a clock that is some seconds off.
func (p app) code(off int) string {
	p.t.Helper()
	code, err := totp.GenerateCode(p.secret, p.Clock.Now().Add(time.Duration(off)*time.Second))
	if err != nil {
		p.t.Fatal(err)
	}
	return code
}

// withApp registers mei, proves her address and gives her an app, in a session whose token it
// returns. No code of the app has been used in the accepted steps.
func withApp(t *testing.T, a *apitest.API) (p app, session string) {
	t.Helper()
	a.OK("POST", "/v1/auth/register", "", person(mei, "a long password"))
	a.OK("POST", "/v1/auth/code", "", m{"email": mei})
	session = a.Result("POST", "/v1/auth/code/confirm", "", m{"email": mei, "code": a.Code(mei), "password": "a long password"})["token"].(string)
	p = app{API: a, t: t, secret: a.Result("POST", "/v1/auth/totp", session, nil)["secret"].(string)}
	for _, code := range a.Result("POST", "/v1/auth/totp/confirm", session, m{"code": p.code(0)})["recovery_codes"].([]any) {
		p.codes = append(p.codes, code.(string))
	}
	a.Clock.Advance(2 * time.Minute)
	return p, session
}

func login(more ...any) m {
	body := m{"email": mei, "password": "a long password"}
	for i := 0; i < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	return body
}

func TestAnAppCountsOnceItsFirstCodeIsConfirmed(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.OK("POST", "/v1/auth/register", "", person(mei, "a long password"))
	session := a.Result("POST", "/v1/auth/login", "", login())["token"].(string)
	a.Refused("POST", "/v1/auth/totp/confirm", session, m{"code": "123456"}, 404, "TOTP_NOT_FOUND")
	first := a.Result("POST", "/v1/auth/totp", session, nil)
	if uri := first["uri"].(string); !strings.HasPrefix(uri, "otpauth://totp/vitrine:mei@people.test?") || !strings.Contains(uri, "secret="+first["secret"].(string)) || !strings.Contains(uri, "period=30") {
		t.Errorf("%v", first)
	}
	a.OK("POST", "/v1/auth/login", "", login()) // not asked yet
	second := app{API: a, t: t, secret: a.Result("POST", "/v1/auth/totp", session, nil)["secret"].(string)}
	old := app{API: a, t: t, secret: first["secret"].(string)}
	a.Refused("POST", "/v1/auth/totp/confirm", session, m{"code": old.code(0)}, 401, "SECOND_FACTOR_INVALID")
	confirmed := a.Result("POST", "/v1/auth/totp/confirm", session, m{"code": second.code(0)})
	if codes := confirmed["recovery_codes"].([]any); len(codes) != 10 || codes[0] == codes[1] {
		t.Errorf("%v", codes)
	}
	a.Refused("POST", "/v1/auth/totp", session, nil, 409, "TOTP_ACTIVE")
	a.Refused("POST", "/v1/auth/totp/confirm", session, m{"code": second.code(30)}, 404, "TOTP_NOT_FOUND")
	a.Refused("POST", "/v1/auth/login", "", login("totp", second.code(0)), 401, "SECOND_FACTOR_INVALID") // used to confirm
	a.OK("POST", "/v1/auth/login", "", login("totp", second.code(30)))
	if me := a.Result("GET", "/v1/auth/me", session, nil)["second_factor"].(m); me["totp"] != true || me["recovery_codes"] != 10.0 {
		t.Errorf("%v", me)
	}
	// A shop's scripts cannot add, remove or see a second factor.
	a.Clock.Advance(2 * time.Minute)
	for _, r := range []apitest.Request{
		{Method: "POST", Path: "/v1/auth/totp"}, {Method: "POST", Path: "/v1/auth/totp/confirm", Body: m{"code": "123456"}},
		{Method: "DELETE", Path: "/v1/auth/totp", Body: m{"code": "123456"}}, {Method: "POST", Path: "/v1/auth/reauth", Body: m{"password": "a long password"}},
	} {
		r.Header = a.OnHost(a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/login", Header: a.ThroughStorefront(), Body: login("totp", second.code(0))}).Cookie())
		a.Clock.Advance(2 * time.Minute)
		if out := a.Send(r); out.Status != 403 || apitest.Code(out.JSON) != "ROLE_REQUIRED" {
			t.Errorf("%s %s: %d %s", r.Method, r.Path, out.Status, out.Body)
		}
	}
}

// Whatever opens a session asks for the second factor, after the first one and before it changes
// anything, on both kinds of origin.
func TestNoDoorLeadsPastTheSecondFactor(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	p, _ := withApp(t, a)
	for _, header := range []map[string]string{nil, a.ThroughStorefront()} {
		for _, door := range []struct {
			path string
			body func() m
		}{
			{"/v1/auth/login", func() m { return login() }},
			{"/v1/auth/code/confirm", func() m {
				a.OK("POST", "/v1/auth/code", "", m{"email": mei})
				return m{"email": mei, "code": a.Code(mei), "password": "a long password"}
			}},
			{"/v1/auth/password/reset", func() m {
				a.OK("POST", "/v1/auth/password/forgot", "", m{"email": mei})
				return m{"token": a.Code(mei), "password": "a long password"}
			}},
		} {
			a.Clock.Advance(time.Hour)
			body := door.body()
			call := func(more ...any) apitest.Answer {
				sent := m{}
				for k, v := range body {
					sent[k] = v
				}
				for i := 0; i < len(more); i += 2 {
					sent[more[i].(string)] = more[i+1]
				}
				return a.Send(apitest.Request{Method: "POST", Path: door.path, Header: header, Body: sent})
			}
			asked := call()
			if asked.Status != 401 || apitest.Code(asked.JSON) != "SECOND_FACTOR_REQUIRED" || asked.Header.Get("Set-Cookie") != "" {
				t.Errorf("%s: %d %s", door.path, asked.Status, asked.Body)
			}
			if methods := asked.JSON["methods"].([]any); len(methods) != 2 || methods[0] != "totp" || methods[1] != "recovery_code" {
				t.Errorf("%s: %v", door.path, methods)
			}
			if wrong := call("totp", "000000"); apitest.Code(wrong.JSON) != "SECOND_FACTOR_INVALID" {
				t.Errorf("%s: %d %s", door.path, wrong.Status, wrong.Body)
			}
			if right := call("totp", p.code(0)); right.Status != 200 {
				t.Errorf("%s: %d %s", door.path, right.Status, right.Body)
			}
		}
	}
	// Without the first factor nothing tells that there is a second one.
	wrong := login("totp", p.code(30))
	wrong["password"] = "another password"
	a.Refused("POST", "/v1/auth/login", "", wrong, 401, "INVALID_CREDENTIALS")
	wrong["email"] = "nobody@people.test"
	a.Refused("POST", "/v1/auth/login", "", wrong, 401, "INVALID_CREDENTIALS")
	a.OK("POST", "/v1/auth/login", "", login("totp", p.code(30))) // the refused calls did not use it up
}

func TestACodeOfTheAppIsAcceptedOneStepOffAndOnce(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	p, _ := withApp(t, a)
	for _, off := range []int{-60, 60, -3600} {
		a.Refused("POST", "/v1/auth/login", "", login("totp", p.code(off)), 401, "SECOND_FACTOR_INVALID")
	}
	a.Clock.Advance(time.Hour) // the wrong ones no longer count
	twin := a.Twin()
	for _, off := range []int{30, -30, 0} {
		calls := make([]apitest.Answer, 0, 2)
		for _, process := range []*apitest.API{a, twin} {
			calls = append(calls, process.AtOnce(apitest.Request{Method: "POST", Path: "/v1/auth/login", Body: login("totp", p.code(off))})...)
		}
		if got := apitest.Codes(calls); got[""] != 1 || got["SECOND_FACTOR_INVALID"] != 1 {
			t.Errorf("%d s off, in two processes: %v", off, got)
		}
	}
	a.Clock.Advance(time.Hour)
	once := make([]apitest.Request, 4)
	for i := range once {
		once[i] = apitest.Request{Method: "POST", Path: "/v1/auth/login", Body: login("totp", p.code(0))}
	}
	if got := apitest.Codes(a.AtOnce(once...)); got[""] != 1 {
		t.Errorf("%v", got)
	}
}

func TestARecoveryCodeIsAcceptedOnceAsPeopleTypeIt(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	p, session := withApp(t, a)
	a.OK("POST", "/v1/auth/login", "", login("recovery_code", " "+strings.ToUpper(strings.ReplaceAll(p.codes[0], "-", " "))))
	a.Refused("POST", "/v1/auth/login", "", login("recovery_code", p.codes[0]), 401, "SECOND_FACTOR_INVALID")
	requests := make([]apitest.Request, 4)
	for i := range requests {
		requests[i] = apitest.Request{Method: "POST", Path: "/v1/auth/login", Body: login("recovery_code", p.codes[1])}
	}
	if got := apitest.Codes(a.AtOnce(requests...)); got[""] != 1 || got["SECOND_FACTOR_INVALID"] != 3 {
		t.Errorf("%v", got)
	}
	if me := a.Result("GET", "/v1/auth/me", session, nil)["second_factor"].(m); me["recovery_codes"] != 8.0 {
		t.Errorf("%v", me)
	}
	// A lost app is removed with a recovery code.
	a.OK("DELETE", "/v1/auth/totp", session, m{"code": p.codes[2]})
	a.OK("POST", "/v1/auth/login", "", login())
	a.Refused("DELETE", "/v1/auth/totp", session, m{"code": p.codes[3]}, 404, "TOTP_NOT_FOUND")
}

func TestGuessesAtTheSecondFactorAreFew(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	p, _ := withApp(t, a)
	guess := func(address, code string) string {
		return apitest.Code(a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/login", Header: map[string]string{"X-Forwarded-For": address}, Body: login("totp", code)}).JSON)
	}
	wrong := 0
	for i := range 60 {
		address := fmt.Sprintf("198.51.100.%d", i/6)
		if guess(address, "000000") == "SECOND_FACTOR_INVALID" {
			wrong++
		}
	}
	if wrong != 30 {
		t.Errorf("%d guesses from other networks", wrong)
	}
	if got := guess("0.0.0.0", p.code(0)); got != "" { // mei has signed in from here
		t.Errorf("the person themselves: %s", got)
	}
}

// Whoever registers somebody else's address cannot keep its owner out with a second factor.
func TestTheOwnerOfAnAddressTakesTheAccountWithoutTheSecondFactorOfWhoeverRegisteredIt(t *testing.T) {
	t.Parallel()
	for _, door := range []string{"code", "reset"} {
		a := apitest.New(t)
		squatter := a.Result("POST", "/v1/auth/register", "", person(mei, "a long password"))["token"].(string)
		p := app{API: a, t: t, secret: a.Result("POST", "/v1/auth/totp", squatter, nil)["secret"].(string)}
		a.OK("POST", "/v1/auth/totp/confirm", squatter, m{"code": p.code(0)})
		a.Refused("POST", "/v1/auth/login", "", login(), 401, "SECOND_FACTOR_REQUIRED")
		if door == "code" {
			a.OK("POST", "/v1/auth/code", "", m{"email": mei})
			a.OK("POST", "/v1/auth/code/confirm", "", m{"email": mei, "code": a.Code(mei), "password": "my own password"})
		} else {
			a.OK("POST", "/v1/auth/password/forgot", "", m{"email": mei})
			a.OK("POST", "/v1/auth/password/reset", "", m{"token": a.Code(mei), "password": "my own password"})
		}
		a.Refused("GET", "/v1/auth/me", squatter, nil, 401, "UNAUTHENTICATED")
		a.OK("POST", "/v1/auth/login", "", m{"email": mei, "password": "my own password"})
	}
}

func TestProvingOnesOwnAddressKeepsTheSecondFactor(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	session := a.Result("POST", "/v1/auth/register", "", person(mei, "a long password"))["token"].(string)
	p := app{API: a, t: t, secret: a.Result("POST", "/v1/auth/totp", session, nil)["secret"].(string)}
	a.OK("POST", "/v1/auth/totp/confirm", session, m{"code": p.code(0)})
	a.OK("POST", "/v1/auth/code", "", m{"email": mei})
	code := m{"email": mei, "code": a.Code(mei), "password": "another password"}
	a.Refused("POST", "/v1/auth/code/confirm", session, code, 401, "SECOND_FACTOR_REQUIRED")
	code["totp"] = p.code(30)
	a.OK("POST", "/v1/auth/code/confirm", session, code)
	a.Refused("POST", "/v1/auth/login", "", m{"email": mei, "password": "another password"}, 401, "SECOND_FACTOR_REQUIRED")
}

func TestAShopRequiresASecondFactorOfItsMembersByRole(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	_, mine := withApp(t, a)
	editor := a.Session(a.EditorID)
	owner := a.Session(a.OwnerID)
	set := m{"members_need_second_factor": []string{"owner", "editor"}}
	a.Refused("PUT", "/v1/shop/settings", owner, set, 403, "SECOND_FACTOR_MISSING") // they have none themselves
	a.Refused("PUT", "/v1/shop/settings", owner, m{"members_need_second_factor": []string{"buyer"}}, 400, "SETTINGS_INVALID")
	mineID := a.Result("GET", "/v1/auth/me", mine, nil)["id"].(float64)
	err := a.Store.Write(t.Context(), a.Shop.ID, func(tx *store.Tx) error { return people.AddMember(t.Context(), tx, shop.UserID(mineID), shop.Owner) })
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Result("PUT", "/v1/shop/settings", mine, set)["members_need_second_factor"].([]any); len(got) != 2 {
		t.Errorf("%v", got)
	}
	for _, session := range []string{owner, editor} {
		for _, path := range []string{"/products", "/v1/orgs/current", "/v1/account/tokens", "/tariff/usage"} {
			a.Refused("GET", path, session, nil, 403, "SECOND_FACTOR_MISSING")
		}
		a.OK("GET", "/v1/auth/me", session, nil)
		a.OK("GET", "/v1/auth/sessions", session, nil)
	}
	a.Refused("GET", "/v1/shop/settings", owner, nil, 403, "SECOND_FACTOR_MISSING")
	a.OK("GET", "/products", a.Owner, nil) // keys go on
	a.OK("GET", "/products", a.Editor, nil)
	a.OK("GET", "/products", mine, nil)
	admin := a.Member("admin")
	a.OK("GET", "/products", a.Session(admin), nil) // another role
	// Their other shops are not affected, and visitors of this one neither.
	elsewhere := map[string]string{"X-Vitrine-Shop": "rival"}
	if out := a.Send(apitest.Request{Method: "GET", Path: "/products", Key: a.Session(a.StrangerID), Header: elsewhere}); out.Status != 200 {
		t.Errorf("%d %s", out.Status, out.Body)
	}
	if out := a.Send(apitest.Request{Method: "GET", Path: "/products", Header: a.OnHost(a.Bound(a.EditorID))}); out.Status != 200 {
		t.Errorf("%d %s", out.Status, out.Body)
	}
	// The member adds an app and goes on in the same session.
	secret := a.Result("POST", "/v1/auth/totp", editor, nil)["secret"].(string)
	own := app{API: a, t: t, secret: secret}
	a.OK("POST", "/v1/auth/totp/confirm", editor, m{"code": own.code(0)})
	a.OK("GET", "/products", editor, nil)
}
