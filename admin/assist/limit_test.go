package assist_test

import (
	"fmt"
	"testing"
)

// The calls of a platform in a shop are limited, from wherever they come, and so are those from a network,
// whichever platforms it claims to be.
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
