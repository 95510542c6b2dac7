package access_test

import (
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// in returns a call by a session that names the shop it is about.
func in(method, path, session, named string, body any) apitest.Request {
	return apitest.Request{Method: method, Path: path, Key: session, Body: body, Header: map[string]string{"X-Vitrine-Shop": named}}
}

// refusedIn checks that a call which names a shop is refused with COMPANY_ID_PROBLEM.
func refusedIn(t *testing.T, a *apitest.API, r apitest.Request) {
	t.Helper()
	if got := a.Send(r); got.Status != 403 || apitest.Code(got.JSON) != "COMPANY_ID_PROBLEM" {
		t.Errorf("%s %s as %v: %d %s", r.Method, r.Path, r.Header, got.Status, got.Body)
	}
}

// join makes the owner of Shop a member of Other, too.
func join(t *testing.T, a *apitest.API, role shop.Role) {
	t.Helper()
	err := a.Store.Write(t.Context(), a.Other.ID, func(tx *store.Tx) error { return people.AddMember(t.Context(), tx, a.OwnerID, role) })
	if err != nil {
		t.Fatal(err)
	}
}

func TestACallActsInTheShopItNames(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	join(t, a, shop.Editor)
	session := a.Session(a.OwnerID)
	for _, w := range []struct{ named, slug, role string }{
		{"", "tea", "owner"}, {"rival", "rival", "editor"}, {a.Other.ID.String(), "rival", "editor"},
		{"tea", "tea", "owner"}, {a.Shop.ID.String(), "tea", "owner"},
	} {
		for range 2 { // the call before does not matter
			if got := a.Send(in("GET", "/v1/orgs/current", session, w.named, nil)); got.Status != 200 || got.JSON["result"].(m)["slug"] != w.slug {
				t.Errorf("%q: %d %s", w.named, got.Status, got.Body)
			}
			if got := a.Send(in("GET", "/v1/auth/me", session, w.named, nil)); got.JSON["result"].(m)["role"] != w.role {
				t.Errorf("%q: %s", w.named, got.Body)
			}
		}
	}
	// A role is that in the named shop: an editor there, an owner at home.
	if got := a.Send(in("GET", "/v1/shop/settings", session, "rival", nil)); apitest.Code(got.JSON) != "ROLE_REQUIRED" {
		t.Errorf("an editor's settings: %s", got.Body)
	}
	a.OK("GET", "/v1/shop/settings", session, nil)
}

func TestTwoWindowsWriteToTheirOwnShops(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	join(t, a, shop.Admin)
	session := a.Session(a.OwnerID)
	product := func(name string) m { return m{"item": m{"name": name}} }
	// The second window makes another shop the main one, and repeats the first one's key.
	first := in("POST", "/products", session, "tea", product("Tea"))
	second := in("POST", "/products", session, "rival", product("Coffee"))
	first.Header["Idempotency-Key"], second.Header["Idempotency-Key"] = "one", "one"
	a.OK("PUT", "/v1/account/main-company", session, m{"company_id": a.Other.ID})
	for range 2 {
		for _, r := range []apitest.Request{first, second} {
			if got := a.Send(r); got.Status != 200 {
				t.Errorf("%v: %d %s", r.Header, got.Status, got.Body)
			}
		}
	}
	for named, want := range map[string]string{"tea": "Tea", "rival": "Coffee"} {
		rows := a.Send(in("GET", "/products", session, named, nil)).JSON["result"].(m)["items"].(l)
		if len(rows) != 1 || rows[0].(m)["name"] != want {
			t.Errorf("%s has %v", named, rows)
		}
	}
}

func TestAShopWhereTheCallerMayNotActIsRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	session := a.Session(a.OwnerID)
	for _, named := range []string{"rival", a.Other.ID.String(), "no-such-shop", "0", "-1", "99999999999999999999", "TEA", "tea'--"} {
		refusedIn(t, a, in("GET", "/v1/orgs/current", session, named, nil))
		refusedIn(t, a, in("POST", "/products", session, named, m{"item": m{"name": "Tea"}}))
		refusedIn(t, a, in("GET", "/products", a.Owner, named, nil))
	}
	if rows := a.Result("GET", "/products", session, nil)["items"].(l); len(rows) != 0 {
		t.Errorf("a refused call wrote %v", rows)
	}
	for _, named := range []string{"tea", a.Shop.ID.String()} {
		if got := a.Send(in("GET", "/products", a.Owner, named, nil)); got.Status != 200 {
			t.Errorf("a key that names its own shop %s: %d %s", named, got.Status, got.Body)
		}
	}
	// A role that ends also ends what the header opens.
	join(t, a, shop.Admin)
	if got := a.Send(in("GET", "/v1/orgs/current", session, "rival", nil)); got.Status != 200 {
		t.Errorf("a member: %d", got.Status)
	}
	if err := a.Store.Write(t.Context(), a.Other.ID, func(tx *store.Tx) error { return people.RemoveMember(t.Context(), tx, a.OwnerID) }); err != nil {
		t.Fatal(err)
	}
	refusedIn(t, a, in("GET", "/v1/orgs/current", session, "rival", nil))
}

// On a shop's host the shop is the host's, whatever the header says.
func TestAShopsHostServesOnlyItsShop(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	join(t, a, shop.Admin)
	for _, token := range []string{a.Bound(a.OwnerID), a.Session(a.OwnerID)} {
		for named, status := range map[string]int{"rival": 403, "tea": 200, a.Shop.ID.String(): 200} {
			header := a.OnHost(token)
			header["X-Vitrine-Shop"] = named
			if got := a.Send(apitest.Request{Method: "GET", Path: "/v1/auth/me", Header: header}); got.Status != status {
				t.Errorf("%s: %d %s", named, got.Status, got.Body)
			}
		}
	}
}
