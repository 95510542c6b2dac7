package apitest_test

import (
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
)

func TestKeysMatchTheirNames(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, c := range []struct {
		name, key, contour string
		company            shop.CompanyID
	}{
		{"owner", a.Owner, "prod", a.Shop.ID},
		{"editor", a.Editor, "prod", a.Shop.ID},
		{"dev", a.Dev, "dev", a.Shop.ID},
		{"stranger", a.Stranger, "prod", a.Other.ID},
	} {
		passport := a.Result("GET", "/v1/account/token", c.key, nil)
		if passport["contour"] != c.contour {
			t.Errorf("%s: contour %v, want %s", c.name, passport["contour"], c.contour)
		}
		if org := a.Result("GET", "/v1/orgs/current", c.key, nil); org["id"] != float64(c.company) {
			t.Errorf("%s: shop %v, want %d", c.name, org["id"], c.company)
		}
	}
	a.Refused("GET", "/v1/orgs/current", "", nil, 401, "UNAUTHENTICATED")
	a.Refused("GET", "/v1/auth/me", a.Owner, nil, 403, "PAT_METHOD_NOT_ALLOWED")
	if me := a.Result("GET", "/v1/auth/me", a.Session(a.EditorID), nil); me["id"] != float64(a.EditorID) {
		t.Errorf("session: %v", me)
	}
}

func TestClockOpensTheNextWindow(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	limited := false
	for range 601 {
		status, _ := a.Call("GET", "/v1/orgs/current", a.Owner, nil)
		limited = status == 429
	}
	if !limited {
		t.Error("601 reads in one minute were all answered")
	}
	a.Clock.Advance(60e9)
	a.OK("GET", "/v1/orgs/current", a.Owner, nil)
}
