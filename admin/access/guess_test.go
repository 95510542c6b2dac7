package access_test

import (
	"fmt"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
)

// loginFrom returns the status of a login from an IP address.
func loginFrom(a *apitest.API, from, email, password string) int {
	return a.Send(apitest.Request{
		Method: "POST", Path: "/v1/auth/login", Body: person(email, password), Header: map[string]string{"X-Forwarded-For": from},
	}).Status
}

func TestWrongPasswordsFromOneNetworkLockNobodyElseOut(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.OK("POST", "/v1/auth/register", "", person("ann@people.test", "password"))
	for n := range 12 {
		from := fmt.Sprintf("2001:db8::%d", n) // one /64
		if got := loginFrom(a, from, "ann@people.test", "nonsense"); n < 10 && got != 401 || n >= 10 && got != 429 {
			t.Errorf("attempt %d: %d", n+1, got)
		}
	}
	if got := loginFrom(a, "203.0.113.9", "ann@people.test", "password"); got != 200 {
		t.Errorf("the owner from elsewhere: %d", got)
	}
}

func TestSprayingManyAccountsFromOneNetworkIsSlowed(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.OK("POST", "/v1/auth/register", "", person("ann@people.test", "password"))
	count := map[int]int{}
	for n := range 40 {
		count[loginFrom(a, "203.0.113.1", fmt.Sprintf("n%d@people.test", n), "password")]++
	}
	if count[401] != 30 || count[429] != 10 {
		t.Errorf("answers %v, want 30 times 401 and 10 times 429", count)
	}
	if got := loginFrom(a, "203.0.113.2", "ann@people.test", "password"); got != 200 {
		t.Errorf("a bystander: %d", got)
	}
}

func TestAnAccountUnderAttackOpensFromKnownNetworks(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.OK("POST", "/v1/auth/register", "", person("ann@people.test", "password"))
	if got := loginFrom(a, "203.0.113.9", "ann@people.test", "password"); got != 200 {
		t.Fatalf("sign in: %d", got)
	}
	count := map[int]int{}
	for n := range 60 {
		count[loginFrom(a, fmt.Sprintf("198.51.100.%d", n), "ann@people.test", "nonsense")]++
	}
	if count[401] != 50 || count[429] != 10 {
		t.Errorf("answers %v, want 50 times 401 and 10 times 429", count)
	}
	if got := loginFrom(a, "198.51.100.200", "ann@people.test", "password"); got != 429 {
		t.Errorf("an unknown network: %d", got)
	}
	if got := loginFrom(a, "203.0.113.9", "ann@people.test", "password"); got != 200 {
		t.Errorf("the known network: %d", got)
	}
}

func TestRegistrationsAreLimitedPerNetwork(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for n, want := range []int{10: 429, 11: 200} {
		if want == 0 {
			want = 200
		}
		from := "203.0.113.1"
		if n == 11 {
			from = "203.0.113.2"
		}
		got := a.Send(
			apitest.Request{
				Method: "POST", Path: "/v1/auth/register", Body: person(fmt.Sprintf("n%d@people.test", n), "password"),
				Header: map[string]string{"X-Forwarded-For": from},
			},
		)
		if got.Status != want {
			t.Errorf("registration %d from %s: %d", n+1, from, got.Status)
		}
	}
}

// A flood of wrong passwords, even from a network where the account has signed in before, does
// not cause refusals of right ones.
func TestAFloodDoesNotRefuseKnownNetworks(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.OK("POST", "/v1/auth/register", "", person("ann@people.test", "password")) // the network is known from now on
	var calls []apitest.Request
	for n := range 400 {
		body := person(fmt.Sprintf("p%d@people.test", n), "wrong password")
		if n%50 == 49 {
			body = person("ann@people.test", "password")
		}
		calls = append(calls, apitest.Request{Method: "POST", Path: "/v1/auth/login", Body: body})
	}
	for n, got := range a.AtOnce(calls...) {
		if n%50 == 49 && got.Status != 200 {
			t.Errorf("call %d: %d %s", n, got.Status, got.Body)
		}
	}
}

// An attacker who spreads guesses over the processes has no more of them.
func TestProcessesCountGuessesTogether(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	processes := []*apitest.API{a, a.Twin(), a.Twin(), a.Twin(), a.Twin()}
	withApp(t, a)
	from := map[string]string{"X-Forwarded-For": "203.0.113.7"}
	send := func(n int, path string, body any) string {
		return apitest.Code(processes[n%5].Send(apitest.Request{Method: "POST", Path: path, Header: from, Body: body}).JSON)
	}
	count := map[string]int{}
	for n := range 50 {
		count["password "+send(n, "/v1/auth/login", person(mei, "nonsense"))]++
	}
	for n := range 50 {
		count["letter "+send(n, "/v1/auth/code", map[string]any{"email": "somebody@people.test"})]++
	}
	for n := range 50 {
		count["register "+send(n, "/v1/auth/register", person(fmt.Sprintf("n%d@people.test", n), "password"))]++
	}
	for what, want := range map[string]int{"password INVALID_CREDENTIALS": 10, "password RATE_LIMITED": 40, "letter ": 10, "letter RATE_LIMITED": 40, "register ": 10} {
		if count[what] != want {
			t.Errorf("%s: %d, want %d", what, count[what], want)
		}
	}
	a.Clock.Advance(time.Hour)
	for n := range 50 {
		count["later "+send(n, "/v1/auth/login", login("totp", "000000"))]++
	}
	if count["later SECOND_FACTOR_INVALID"] != 5 || count["later RATE_LIMITED"] != 45 {
		t.Errorf("%v", count)
	}
}
