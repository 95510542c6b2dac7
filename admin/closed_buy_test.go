package admin_test

import (
	"fmt"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
)

// A buyer cannot act on things that are closed to them, and closed things in a cart count as
// deleted: cart, quote and order have the same total.
func TestBuyersCannotActOnClosedThings(t *testing.T) {
	t.Parallel()
	a := newAviary(t)
	eve := a.Session(a.Buyer("eve@people.test"))
	policy := a.close("password")
	about := apitest.Map{"company_id": a.Shop.ID, "rating": 5, "text": "?"}
	for _, id := range []string{"was-canary", "canary-alone", "set"} {
		product := a.ids[id]
		a.Refused("POST", "/cart/items/"+product+"/default", eve, apitest.Map{}, 400, "PRODUCT_NOT_FOUND")
		a.Refused("PUT", fmt.Sprintf("/v1/account/wishlist/%s?company_id=%d", product, a.Shop.ID), eve, nil, 404, "PRODUCT_NOT_FOUND")
		a.Refused("POST", "/products/"+product+"/reviews", eve, about, 404, "PRODUCT_NOT_FOUND")
		a.Refused("POST", "/products/"+product+"/questions", eve, about, 404, "PRODUCT_NOT_FOUND")
	}
	a.Refused("POST", "/reviews/"+a.ids["reviews"]+"/helpful", eve, about, 404, "REVIEW_NOT_FOUND")
	a.Refused("POST", "/questions/"+a.ids["questions"]+"/helpful", eve, about, 404, "QUESTION_NOT_FOUND")

	cart := a.Result("GET", fmt.Sprintf("/cart/items?company_id=%d", a.Shop.ID), a.buyer, nil)
	if cart["subtotal"] != 7.0 || len(cart["items"].([]any)) != 1 {
		t.Errorf("the cart: %v", cart)
	}
	opened := a.Send(apitest.Request{Method: "GET", Path: "/cart/items", Key: a.buyer, Header: a.WithOpenedPolicies(policy)})
	if opened.JSON["result"].(apitest.Map)["subtotal"] != 3*77777.0+7 {
		t.Errorf("opening the policy should restore the hidden lines: %s", opened.Body)
	}
	a.Clock.Advance(time.Minute)
	contact := apitest.Map{"name": "Ann", "phone": "+100"}
	confirm := apitest.Map{"company_id": a.Shop.ID, "contact": contact}
	confirm["expected_total"] = 7
	order := a.Result("POST", "/cart/confirm", a.buyer, confirm)
	if text := fmt.Sprint(order); order["items_total"] != 7.0 || canary.MatchString(text) {
		t.Errorf("the order: %s", text)
	}
}

// A session of a customer opens what customers of the shop may see, in every response, and only
// while the policy allows it.
func TestASessionOpensWhatCustomersMaySee(t *testing.T) {
	t.Parallel()
	a := newAviary(t)
	a.close("customers")
	a.ask("anonymous", nil, "", false)
	const email = "gwen@people.test"
	a.OK("POST", "/v1/auth/code", "", apitest.Map{"email": email})
	gwen := a.Result("POST", "/v1/auth/code/confirm", "", apitest.Map{"email": email, "code": a.Code(email)})["token"].(string)
	row := decisions["GET /products"].asks[0]
	look := func() bool {
		a.Clock.Advance(time.Second)
		return canary.Match(a.Send(apitest.Request{Method: "GET", Path: row.path + "filter.company_id=" + a.Shop.ID.String(), Key: gwen}).Body)
	}
	if look() {
		t.Error("a signed-in visitor who is no customer sees it")
	}
	a.OK("POST", "/cart/items/"+a.ids["green-tea"]+"/default", gwen, apitest.Map{})
	a.Result("POST", "/cart/confirm", gwen, apitest.Map{"company_id": a.Shop.ID, "contact": apitest.Map{"name": "Gwen", "phone": "+1", "email": email}})
	if !look() {
		t.Error("a customer does not see it")
	}
	bird := "/cart/items/" + a.ids["was-canary"] + "/default"
	a.OK("POST", bird, gwen, apitest.Map{})
	a.OK("PUT", "/access-policies/"+a.policy, a.Owner, apitest.Map{"kind": "password"})
	if look() {
		t.Error("it stays open after the policy has changed")
	}
	a.Refused("POST", bird, gwen, apitest.Map{}, 400, "PRODUCT_NOT_FOUND")
}
