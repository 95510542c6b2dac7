package oauth_test

import (
	"testing"

	"vitrine/admin/api/apitest"
)

func TestAShopWithoutAssistantsLinksNone(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	const server = "/.well-known/oauth-authorization-server"
	ask := func() int {
		return a.Send(apitest.Request{Method: "GET", Path: server, Header: a.ThroughStorefront()}).Status
	}
	for set, want := range map[string]int{"off": 404, "catalog": 200, "checkout": 200} {
		a.OK("PUT", "/v1/shop/settings", a.Session(a.OwnerID), apitest.Map{"assistants": set})
		if got := ask(); got != want {
			t.Errorf("assistants %s: %d, not %d", set, got, want)
		}
	}
}
