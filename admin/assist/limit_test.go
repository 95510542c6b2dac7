package assist_test

import (
	"fmt"
	"maps"
	"testing"

	"vitrine/admin/api/apitest"
)

// The calls of a platform in a shop are limited, whichever network they come from, and so are the calls
// of a network, whichever platforms it claims to be.
func TestCallsAreLimitedByPlatformAndByNetwork(t *testing.T) {
	t.Parallel()
	b := openBazaar(t)
	owner := b.Session(b.OwnerID)
	token := func(name string) string {
		return b.Result("POST", "/v1/shop/assistants/tokens", owner, m{"name": name})["token"].(string)
	}
	one, two, calls := token("One"), token("Two"), 0
	limited := func(token, from string) bool {
		t.Helper()
		calls++
		r := (&offering{bazaar: b, token: token}).request("POST", "/acp/checkout_sessions", fmt.Sprint("key ", calls), m{})
		r.Header["X-Forwarded-For"] = from
		answer := b.Send(r)
		if answer.Status == 429 && answer.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		return answer.Status == 429
	}
	for n := range 120 {
		if limited([]string{one, two}[n%2], "192.0.2.1") {
			t.Fatalf("call %d of two platforms from one network is refused", n)
		}
	}
	if !limited(one, "192.0.2.1") || !limited(two, "192.0.2.1") {
		t.Error("a network has a further call as another platform")
	}
	for n := range 60 {
		if limited(one, fmt.Sprintf("192.0.2.%d", 2+n%2)) {
			t.Fatalf("call %d of a platform from other networks is refused", 60+n)
		}
	}
	if !limited(one, "192.0.2.4") || limited(two, "192.0.2.4") {
		t.Error("the limit of a platform holds for another one, or not from a further network")
	}
	b.Clock.Advance(60e9)
	if limited(one, "192.0.2.1") {
		t.Error("after a minute")
	}
}

// Anybody can claim to be a platform, so calls without its signature do not count against the limit of
// those that it signs.
func TestUnsignedCallsDoNotUseUpTheLimitOfSignedOnes(t *testing.T) {
	t.Parallel()
	b := openBazaar(t)
	s := &offering{bazaar: b}
	limited := func(from string, sign bool) bool {
		t.Helper()
		r := apitest.Request{Method: "POST", Path: "/ucp/carts", Body: "{}", Header: map[string]string{"Content-Type": "application/json", "UCP-Agent": fmt.Sprintf("profile=%q", s.profile)}}
		if sign {
			r = s.signed(r)
		}
		maps.Copy(r.Header, s.ThroughStorefront())
		r.Header["X-Forwarded-For"] = from
		return b.Send(r).Status == 429
	}
	for n := range 120 {
		if limited("192.0.2.1", false) {
			t.Fatalf("call %d is refused", n)
		}
	}
	if !limited("192.0.2.2", false) || limited("192.0.2.2", true) {
		t.Error("the limit holds for signed calls, or not for others from a further network")
	}
	for n := range 119 {
		if limited("192.0.2.3", true) {
			t.Fatalf("signed call %d is refused", n)
		}
	}
	if !limited("192.0.2.4", true) {
		t.Error("signed calls have no limit")
	}
}
