package overview_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
)

// Each step of a new shop is done by the call that does it, and by nothing else.
func TestTheStepsOfANewShop(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	done := func() string {
		t.Helper()
		var keys []string
		for _, s := range a.Result("GET", "/v1/shop/setup", owner, nil)["steps"].([]any) {
			if s.(m)["done"] == true {
				keys = append(keys, s.(m)["key"].(string))
			}
		}
		return strings.Join(keys, " ")
	}
	want := func(keys string) {
		t.Helper()
		if got := done(); got != keys {
			t.Errorf("done: %q, want %q", got, keys)
		}
	}
	want("open")
	a.OK("PUT", "/v1/shop/state", owner, m{"closed": true, "pin": "1234"})
	want("")
	a.OK("PUT", "/v1/shop/settings", owner, m{"contacts": m{"hours": "9 to 5"}})
	want("")
	a.OK("PUT", "/v1/shop/settings", owner, m{"contacts": m{"phone": "+49 30 123456"}})
	want("contacts")
	product := a.Result("POST", "/products", a.Owner, m{"item": m{"name": "Tea", "price": m{"price": 5}}})
	want("contacts")
	path := fmt.Sprint("/products/", product["id"])
	a.OK("PUT", path, a.Owner, m{"item": m{"is_published": true}})
	want("contacts product")
	a.OK("POST", "/v1/shop/delivery-options", owner, m{"name": "Courier"})
	a.OK("PUT", "/v1/shop/settings", owner, m{"sandbox": true})
	a.OK("PUT", "/v1/shop/payment-methods/sandbox", owner, m{"title": "Test", "is_active": true})
	want("contacts product delivery")
	a.OK("PUT", "/v1/shop/payment-methods/manual", owner, m{"title": "Transfer", "is_active": true})
	want("contacts product delivery payment")
	a.OK("POST", "/categories", a.Owner, m{"item": m{"name": "Terms", "type": "page", "is_published": true}})
	want("contacts product delivery payment pages")
	if err := a.Store.Write(t.Context(), a.Shop.ID, func(tx *store.Tx) error { return companydb.SetDomain(t.Context(), tx, "tea.example", a.Clock.Now()) }); err != nil {
		t.Fatal(err)
	}
	a.OK("PUT", "/v1/shop/state", owner, m{"closed": false})
	want("contacts product delivery payment pages domain open")
	ann := a.Session(a.Buyer("ann@people.test"))
	a.OK("POST", fmt.Sprintf("/cart/items/%v/default", product["id"]), ann, m{"quantity": 1})
	a.OK("POST", "/cart/confirm", ann, m{"company_id": a.Shop.ID, "contact": m{"name": "Ann", "phone": "1"}})
	want("contacts product delivery payment pages domain open order")
	a.OK("DELETE", path, a.Owner, nil)
	want("contacts delivery payment pages domain open order")
	if other := a.Result("GET", "/v1/shop/setup", a.Stranger, nil)["steps"].([]any); fmt.Sprint(other[0]) != "map[done:false key:contacts]" {
		t.Errorf("another shop: %v", other)
	}
}

func TestMembersAndKeysSeeTheSteps(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for who, key := range map[string]string{"admin": a.Session(a.Member(shop.Admin)), "editor": a.Session(a.EditorID), "key": a.Owner, "draft key": a.Dev} {
		if got := a.Send(apitest.Request{Method: "GET", Path: "/v1/shop/setup", Key: key}); got.Status != 200 {
			t.Errorf("%s: %d %s", who, got.Status, got.Body)
		}
	}
	a.Refused("GET", "/v1/shop/setup", a.Session(a.Buyer("ann@people.test")), nil, 403, "ROLE_REQUIRED")
	a.Refused("GET", "/v1/shop/setup", "", nil, 401, "UNAUTHENTICATED")
	bound := a.Send(apitest.Request{Method: "GET", Path: "/v1/shop/setup", Header: a.OnHost(a.Bound(a.OwnerID))})
	if apitest.Code(bound.JSON) != "ROLE_REQUIRED" {
		t.Errorf("scripts of the shop: %d %s", bound.Status, bound.Body)
	}
}
