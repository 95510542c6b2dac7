package access_test

import (
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/people"
)

// Being added to a shop must not redirect a person's edits to that shop.
func TestBeingAddedToAShopKeepsTheMainShop(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ann := a.Session(a.EditorID)
	email := a.Result("GET", "/v1/auth/me", ann, nil)["email"].(string)
	current := func() any { return a.Result("GET", "/v1/orgs/current", ann, nil)["id"] }
	rival := a.Session(a.StrangerID)
	a.OK("POST", members, rival, m{"email": email, "role": "owner"})
	a.OK("POST", accept, ann, m{"code": a.Code(email)})
	if got := current(); got != float64(a.Shop.ID) {
		t.Fatalf("acts in shop %v", got)
	}
	list := a.OK("GET", "/v1/account/companies", ann, nil)["result"].(l)
	if len(list) != 2 || list[0].(m)["id"] != float64(a.Shop.ID) || list[0].(m)["is_main"] != true || list[1].(m)["role"] != "owner" ||
		list[1].(m)["is_main"] != false {
		t.Errorf("companies %v", list)
	}

	a.OK("PUT", "/v1/account/main-company", ann, m{"company_id": a.Other.ID})
	if got := current(); got != float64(a.Other.ID) {
		t.Errorf("acts in shop %v after switching", got)
	}
	// A key keeps acting in the shop that it was issued in.
	if got := a.Result("GET", "/v1/orgs/current", a.Editor, nil)["id"]; got != float64(a.Shop.ID) {
		t.Errorf("the key moved to shop %v", got)
	}
	a.OK("DELETE", memberPath(a.EditorID), rival, nil)
	if got := current(); got != float64(a.Shop.ID) {
		t.Errorf("acts in shop %v after leaving the other", got)
	}
	for _, id := range []any{a.Other.ID, 2000000000, 0, "-1"} {
		a.Refused("PUT", "/v1/account/main-company", ann, m{"company_id": id}, 404, "COMPANY_NOT_FOUND")
	}
	a.Refused("PUT", "/v1/account/main-company", a.Owner, m{"company_id": a.Shop.ID}, 403, "PAT_METHOD_NOT_ALLOWED")
	a.Refused("GET", "/v1/account/companies", a.Owner, nil, 403, "PAT_METHOD_NOT_ALLOWED")
}

func TestTheFirstOwnShopBecomesTheMainShop(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ann := a.Session(a.EditorID)
	own, err := companydb.CreateCompany(t.Context(), a.Store, "own", "Own", "EUR", a.EditorID, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Result("GET", "/v1/orgs/current", ann, nil); got["id"] != float64(own) {
		t.Errorf("acts in %v", got)
	}
	if _, err := companydb.CreateCompany(t.Context(), a.Store, "second", "Second", "EUR", a.EditorID, nil); err != nil {
		t.Fatal(err)
	}
	if got := a.Result("GET", "/v1/orgs/current", ann, nil); got["id"] != float64(own) {
		t.Errorf("a second own shop became the main shop: %v", got)
	}
	if _, role, err := people.MainCompany(t.Context(), a.Store, a.EditorID); err != nil || role != shop.Owner {
		t.Errorf("role %v, %v", role, err)
	}
}
