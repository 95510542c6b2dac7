package access_test

import (
	"fmt"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store/letter"
	"vitrine/internal/store/people"
)

const (
	codes        = "/v1/auth/code"
	confirmation = "/v1/auth/code/confirm"
)

// sendCode requests a code for an address and returns it.
func sendCode(a *apitest.API, email string) string {
	a.OK("POST", codes, "", m{"email": email})
	return a.Code(email)
}

// wrongCode returns a code other than this one.
func wrongCode(code string) string {
	if code == "000000" {
		return "000001"
	}
	return "000000"
}

func TestACodeProvesAnAddress(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	made := a.Result("POST", confirmation, "", m{"email": "ann@people.test", "code": sendCode(a, "ann@people.test")})
	if user := made["user"].(m); user["proven"] != true || user["email"] != "ann@people.test" {
		t.Errorf("the first code should create the account: %v", user)
	}
	for _, password := range []string{"", "-", "password"} {
		a.Refused("POST", "/v1/auth/login", "", person("ann@people.test", password), 401, "INVALID_CREDENTIALS")
	}
	again := a.Result("POST", confirmation, "", m{"email": "ANN@people.test", "code": sendCode(a, "ann@people.test"), "password": "password"})
	if again["user"].(m)["id"] != made["user"].(m)["id"] {
		t.Errorf("a second account: %v", again)
	}
	a.OK("POST", "/v1/auth/login", "", person("ann@people.test", "password"))
	a.Refused("GET", "/v1/auth/me", made["token"].(string), nil, 401, "UNAUTHENTICATED") // a new password ends other sessions
	a.OK("GET", "/v1/auth/me", again["token"].(string), nil)
	a.OK("POST", confirmation, "", m{"email": "ann@people.test", "code": sendCode(a, "ann@people.test")})
	a.OK("GET", "/v1/auth/me", again["token"].(string), nil)
	a.OK("POST", "/v1/auth/login", "", person("ann@people.test", "password")) // a proven account keeps its password
}

func TestACodeTakesAnAccountFromASquatter(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	squatter := a.Result("POST", "/v1/auth/register", "", person("ann@people.test", "squatted"))["token"].(string)
	a.OK("POST", confirmation, "", m{"email": "ann@people.test", "code": sendCode(a, "ann@people.test")})
	a.Refused("GET", "/v1/auth/me", squatter, nil, 401, "UNAUTHENTICATED")
	a.Refused("POST", "/v1/auth/login", "", person("ann@people.test", "squatted"), 401, "INVALID_CREDENTIALS")

	// In the account's own session a code proves the address and changes nothing else.
	bob := a.Result("POST", "/v1/auth/register", "", person("bob@people.test", "password"))["token"].(string)
	a.OK("POST", confirmation, bob, m{"email": "bob@people.test", "code": sendCode(a, "bob@people.test")})
	if me := a.Result("GET", "/v1/auth/me", bob, nil); me["proven"] != true {
		t.Errorf("me %v", me)
	}
	a.OK("POST", "/v1/auth/login", "", person("bob@people.test", "password"))
}

func TestInvalidCodesAreRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	refused := func(email, code string) {
		t.Helper()
		a.Refused("POST", confirmation, "", m{"email": email, "code": code}, 401, "CODE_INVALID")
	}
	code := sendCode(a, "ann@people.test")
	refused("bob@people.test", code) // a code for another address
	for _, malformed := range []string{"", "12345", "1234567", "12345a", "１２３４５６"} {
		refused("ann@people.test", malformed)
	}
	for range 4 {
		refused("ann@people.test", wrongCode(code))
	}
	a.OK("POST", confirmation, "", m{"email": "ann@people.test", "code": code}) // the fifth attempt
	refused("ann@people.test", code)                                            // valid only once

	code = sendCode(a, "ann@people.test")
	for range 5 {
		refused("ann@people.test", wrongCode(code))
	}
	refused("ann@people.test", code)

	first := sendCode(a, "ann@people.test")
	if second := sendCode(a, "ann@people.test"); second != first {
		refused("ann@people.test", first) // only the newest code is valid
	}
	a.Clock.Advance(10 * time.Minute)
	code = sendCode(a, "ann@people.test")
	a.Clock.Advance(10 * time.Minute)
	refused("ann@people.test", code)
	a.Refused("POST", confirmation, "", m{"email": "ann", "code": code}, 400, "EMAIL_INVALID")
	a.Refused("POST", confirmation, "", m{"email": "ann@people.test", "code": code, "password": "short"}, 400, "PASSWORD_TOO_SHORT")
	a.Refused("POST", codes, "", m{"email": "ann"}, 400, "EMAIL_INVALID")
	if err := people.SweepCodes(t.Context(), a.Store, a.Clock.Now()); err != nil {
		t.Error(err)
	}
}

// Concurrent attempts do not exceed the limits: a code is valid once and for five attempts.
func TestConcurrentAttemptsOfACode(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	code := sendCode(a, "ann@people.test")
	calls := make([]apitest.Request, 20)
	for i := range calls {
		calls[i] = apitest.Request{Method: "POST", Path: confirmation, Body: m{"email": "ann@people.test", "code": code}}
	}
	if got := apitest.Codes(a.AtOnce(calls...)); got[""] != 1 || got["CODE_INVALID"] != 19 {
		t.Errorf("answers %v", got)
	}
}

// An address gets at most five letters per hour requested from one network; the response stays
// the same, also for addresses without an account.
func TestAnswersToCodeRequestsAreAllTheSame(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.OK("POST", "/v1/auth/register", "", person("ann@people.test", "password"))
	var first apitest.Answer
	for i, email := range []string{"bob@people.test", "ann@people.test", "ann@people.test", "ann@people.test", "ann@people.test", "ann@people.test", "ann@people.test"} {
		answer := a.Send(apitest.Request{Method: "POST", Path: codes, Body: m{"email": email}})
		if i == 0 {
			first = answer
		}
		if answer.Status != 200 || string(answer.Body) != string(first.Body) {
			t.Errorf("%s: %d %s", email, answer.Status, answer.Body)
		}
	}
	letters, err := letter.PlatformLetters(t.Context(), a.Store, a.Clock.Now(), 100)
	if err != nil || len(letters) != 6 {
		t.Errorf("%d letters, %v", len(letters), err)
	}
	for range 3 {
		a.OK("POST", codes, "", m{"email": "cat@people.test"})
	}
	a.Refused("POST", codes, "", m{"email": "cat@people.test"}, 429, "RATE_LIMITED")
}

// Strangers who request codes for an address, from however many networks, cannot flood the
// address or use up the codes that its owner may request.
func TestStrangersDoNotUseUpCodes(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	from := func(network string, path string, body m) apitest.Answer {
		return a.Send(apitest.Request{Method: "POST", Path: path, Body: body, Header: map[string]string{"X-Forwarded-For": network}})
	}
	from("198.51.100.7", "/v1/auth/register", person("ann@people.test", "password"))
	for n := range 40 {
		for range 6 {
			if got := from(fmt.Sprintf("203.0.113.%d", n+1), codes, m{"email": "ann@people.test"}); got.Status != 200 {
				t.Fatalf("%d %s", got.Status, got.Body)
			}
		}
	}
	letters, err := letter.PlatformLetters(t.Context(), a.Store, a.Clock.Now(), 1000)
	if err != nil || len(letters) > 20 {
		t.Errorf("%d letters within an hour, %v", len(letters), err)
	}
	from("198.51.100.7", codes, m{"email": "ann@people.test"})
	if got := from("198.51.100.7", confirmation, m{"email": "ann@people.test", "code": a.Code("ann@people.test")}); got.Status != 200 {
		t.Errorf("the owner: %d %s", got.Status, got.Body)
	}
	if now, err := letter.PlatformLetters(t.Context(), a.Store, a.Clock.Now(), 1000); err != nil || len(now) != len(letters)+1 {
		t.Errorf("%d letters, then %d, %v", len(letters), len(now), err)
	}
}
