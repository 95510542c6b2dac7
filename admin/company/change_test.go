package company_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/people"
	"vitrine/internal/store/sales"
)

func TestAShopIsClosedWithAPINAndOpened(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	info := func() companydb.Company {
		t.Helper()
		c, err := companydb.Info(t.Context(), a.Store.Shop(a.Shop.ID))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, pin := range []string{"", "123", "1234567890123", strings.Repeat("1", 100), "letters", "12 34", "１２３４", "-1234", "1234\n5"} {
		a.Refused("PUT", "/v1/shop/state", owner, m{"closed": true, "pin": pin}, 400, "PIN_INVALID")
	}
	a.Refused("PUT", "/v1/shop/state", owner, m{"closed": true}, 400, "PIN_INVALID")
	a.Refused("PUT", "/v1/shop/state", owner, m{"pin": "1234"}, 400, "INVALID_REQUEST")
	if info().Closed {
		t.Fatal("a refused call closed the shop")
	}
	if org := a.Result("PUT", "/v1/shop/state", owner, m{"closed": true, "pin": "1234"}); org["closed"] != true {
		t.Errorf("%v", org)
	}
	if c := info(); !c.Closed || !secret.CheckPassword(c.PINHash, "1234") {
		t.Error("the PIN does not open the shop")
	}
	a.OK("PUT", "/v1/shop/state", owner, m{"closed": true}) // stays closed with the same PIN
	if c := info(); !c.Closed || !secret.CheckPassword(c.PINHash, "1234") {
		t.Error("the PIN is lost")
	}
	a.OK("PUT", "/v1/shop/state", owner, m{"closed": true, "pin": "567890"})
	if c := info(); secret.CheckPassword(c.PINHash, "1234") || !secret.CheckPassword(c.PINHash, "567890") {
		t.Error("the PIN was not replaced")
	}
	if org := a.Result("PUT", "/v1/shop/state", owner, m{"closed": false, "pin": "ignored"}); org["closed"] != false || info().PINHash != "" {
		t.Errorf("%v, hash %q", org, info().PINHash)
	}
}

func TestAShopGetsAnotherSlug(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	org := a.Result("PUT", "/v1/shop/slug", owner, m{"slug": "leaves"})
	if org["slug"] != "leaves" || org["name"] != "tea" || org["storefront_url"] != "http://leaves.shops.test" {
		t.Errorf("%v", org)
	}
	a.OK("PUT", "/v1/shop/slug", owner, m{"slug": "leaves"})
	a.OK("PUT", "/v1/shop/slug", a.Session(a.StrangerID), m{"slug": "tea"}) // the old one is free
	a.Refused("PUT", "/v1/shop/slug", owner, m{"slug": "tea"}, 409, "SLUG_TAKEN")
	for _, slug := range []string{"", "Leaves", "xn--leaves", "www", strings.Repeat("a", 64)} {
		a.Refused("PUT", "/v1/shop/slug", owner, m{"slug": slug}, 400, "SHOP_SLUG_INVALID")
	}
}

func TestTheCurrencyOfAShopChanges(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	a.Ordered(a.Buyer("ann@people.test"))
	product := a.Result("POST", "/products", a.Owner, m{"item": m{"name": "Tea", "price": m{"price": 500}}})
	if err := a.Store.Write(t.Context(), a.Shop.ID, func(tx *store.Tx) error {
		return sales.SavePaymentMethod(t.Context(), tx, &sales.PaymentMethod{Method: "yookassa", IsActive: true})
	}); err != nil {
		t.Fatal(err)
	}
	org := a.Result("PUT", "/v1/shop/currency", owner, m{"currency": "JPY"})
	if off, _ := org["payment_methods_off"].([]any); org["currency"] != "JPY" || len(off) != 1 || off[0] != "yookassa" {
		t.Errorf("%v", org)
	}
	if p := a.Result("GET", "/products/"+fmt.Sprint(product["id"]), a.Owner, nil); p["price"].(m)["price"] != float64(500) {
		t.Errorf("the number of a price changed: %v", p["price"])
	}
	if org = a.Result("PUT", "/v1/shop/currency", owner, m{"currency": "JPY"}); len(org["payment_methods_off"].([]any)) != 0 {
		t.Errorf("%v", org)
	}
	for _, wrong := range []string{"", "usd", "US", "DOLLARS", "U$D"} {
		a.Refused("PUT", "/v1/shop/currency", owner, m{"currency": wrong}, 400, "CURRENCY_INVALID")
	}
	cents := a.Session(a.Buyer("cents@people.test"))
	a.OK("POST", "/v1/orgs", cents, m{"slug": "cents", "name": "Cents", "currency": "EUR", "price_digits": 2})
	a.Refused("PUT", "/v1/shop/currency", cents, m{"currency": "JPY"}, 400, "PRICE_DIGITS_INVALID")
}

// changes are the calls of an owner about their shop, which all others are refused.
var changes = []struct {
	method, path string
	body         m
	fresh        bool // a recent proof is needed
}{
	{"PUT", "/v1/shop/state", m{"closed": true, "pin": "1234"}, false},
	{"PUT", "/v1/shop/slug", m{"slug": "leaves"}, true},
	{"PUT", "/v1/shop/currency", m{"currency": "USD"}, false},
	{"DELETE", "/v1/shop", m{"slug": "tea"}, true},
	{"POST", "/v1/shop/restore", nil, false},
}

func TestOnlyTheOwnerChangesTheShop(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ann := a.Buyer("ann@people.test")
	guest := a.Result("POST", "/v1/auth/guest", "", nil)["token"].(string)
	stranger := map[string]string{"X-Vitrine-Shop": "tea"}
	for _, who := range []struct {
		name   string
		key    string
		header map[string]string
		status int
		code   string
	}{
		{"admin", a.Session(a.Member(shop.Admin)), nil, 403, "ROLE_REQUIRED"},
		{"editor", a.Session(a.EditorID), nil, 403, "ROLE_REQUIRED"},
		{"owner of another shop", a.Session(a.StrangerID), stranger, 403, "COMPANY_ID_PROBLEM"},
		{"owner's key", a.Owner, nil, 403, "PAT_METHOD_NOT_ALLOWED"},
		{"draft key", a.Dev, nil, 403, "PAT_METHOD_NOT_ALLOWED"},
		{"buyer", a.Session(ann), nil, 403, "ROLE_REQUIRED"},
		{"guest", guest, nil, 403, "ROLE_REQUIRED"},
		{"owner's session of the shop's host", "", a.OnHost(a.Bound(a.OwnerID)), 403, "ROLE_REQUIRED"},
		{"nobody", "", nil, 401, "UNAUTHENTICATED"},
	} {
		for _, c := range changes {
			got := a.Send(apitest.Request{Method: c.method, Path: c.path, Key: who.key, Header: who.header, Body: c.body})
			if got.Status != who.status || apitest.Code(got.JSON) != who.code {
				t.Errorf("%s, %s %s: %d %s, want %d %s", who.name, c.method, c.path, got.Status, got.Body, who.status, who.code)
			}
		}
	}
	c, err := companydb.Info(t.Context(), a.Store.Shop(a.Shop.ID))
	if err != nil || c.Slug != "tea" || c.Closed || c.Currency != "EUR" {
		t.Errorf("a refused call changed the shop: %+v %v", c, err)
	}
}

func TestSlugAndDeletionNeedARecentProof(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	a.Clock.Advance(11 * 60e9)
	for _, c := range changes {
		got := a.Send(apitest.Request{Method: c.method, Path: c.path, Key: owner, Body: c.body})
		if stale := apitest.Code(got.JSON) == "REAUTH_REQUIRED"; stale != c.fresh {
			t.Errorf("%s %s: %d %s", c.method, c.path, got.Status, got.Body)
		}
	}
}

// The role is read again under the lock of the members, for a call that was admitted just before
// the role was lowered.
func TestARoleThatWasLoweredMeanwhileChangesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range changes[:4] {
		t.Run(c.path, func(t *testing.T) {
			t.Parallel()
			a := apitest.New(t)
			owner := a.Session(a.OwnerID)
			locked, release := make(chan struct{}), make(chan struct{})
			done := make(chan error, 1)
			go func() {
				done <- a.Store.Write(t.Context(), a.Shop.ID, func(tx *store.Tx) error {
					if err := tx.LockMembers(t.Context()); err != nil {
						return err
					}
					close(locked)
					<-release
					return people.SetRole(t.Context(), tx, a.OwnerID, shop.Admin)
				})
			}()
			<-locked
			a.Sent.Take()
			answer := make(chan apitest.Answer, 1)
			go func() { answer <- a.Send(apitest.Request{Method: c.method, Path: c.path, Key: owner, Body: c.body}) }()
			a.WaitForStatement("'members:'")
			close(release)
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			if got := <-answer; got.Status != 403 || apitest.Code(got.JSON) != "ROLE_REQUIRED" {
				t.Errorf("%d %s", got.Status, got.Body)
			}
		})
	}
}
