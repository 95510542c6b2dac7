package admin_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/letter"
	"vitrine/internal/store/people"
)

var personID = reflect.TypeFor[shop.UserID]()

// namesPeople reports whether a request has a field with the id of a person.
func namesPeople(t reflect.Type, depth int) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t == personID {
		return true
	}
	if t.Kind() != reflect.Struct || depth > 5 {
		return false
	}
	for i := range t.NumField() {
		if namesPeople(t.Field(i).Type, depth+1) {
			return true
		}
	}
	return false
}

// An endpoint that takes the id of a person answers the same for a person the shop does not
// know as for one who does not exist, and has no effect on that person.
func TestAShopNamesOnlyWhomItKnows(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	campaign := a.Result("POST", "/promotions", owner, apitest.Map{"item": apitest.Map{"name": "Thanks", "kind": "personal_coupon", "value": apitest.Map{"amount": 1},
		"issue": apitest.Map{"on": "order_completed", "prefix": "THX-", "days": 3}}})["id"]
	news := a.Result("POST", "/categories", owner, apitest.Map{"item": apitest.Map{"name": "News", "type": "news"}})["id"]
	article := a.Result("POST", "/articles", owner, apitest.Map{"item": apitest.Map{"title": "News", "category_id": news}})["id"]
	calls := map[string]func(id string) apitest.Request{
		"GET /audit": func(id string) apitest.Request {
			return apitest.Request{Path: "/audit?filter.user_id=" + id}
		},
		"GET /v1/orgs/current/members/{user_id}": func(id string) apitest.Request {
			return apitest.Request{Path: "/v1/orgs/current/members/" + id}
		},
		"PUT /v1/orgs/current/members/{user_id}": func(id string) apitest.Request {
			return apitest.Request{Path: "/v1/orgs/current/members/" + id, Body: apitest.Map{"role": "editor"}}
		},
		"DELETE /v1/orgs/current/members/{user_id}": func(id string) apitest.Request {
			return apitest.Request{Path: "/v1/orgs/current/members/" + id}
		},
		"POST /orders": func(id string) apitest.Request {
			return apitest.Request{Path: "/orders", Body: `{"filter": {"company_id": ` + a.Shop.ID.String() + `, "user_id": ` + id + `}}`}
		},
		"GET /orders/export": func(id string) apitest.Request {
			return apitest.Request{Path: "/orders/export?filter.user_id=" + id}
		},
		"POST /articles": func(id string) apitest.Request {
			return apitest.Request{Path: "/articles", Body: `{"item": {"title": "News", "category_id": ` + fmt.Sprint(news) + `, "author": {"mode": "member", "user_id": ` + id + `}}}`}
		},
		"PUT /articles/{id}": func(id string) apitest.Request {
			return apitest.Request{Path: fmt.Sprintf("/articles/%v", article), Body: `{"item": {"author": {"mode": "member", "user_id": ` + id + `}}}`}
		},
		"POST /promotions/{id}/issue": func(id string) apitest.Request {
			return apitest.Request{Path: fmt.Sprintf("/promotions/%v/issue", campaign), Body: `{"user_ids": [` + id + `]}`}
		},
	}
	stranger := a.Buyer("eve@people.test") // has an account, but is not a customer of the shop
	for _, e := range a.Admin.Table() {
		if !namesPeople(e.Do.In, 0) {
			continue
		}
		call := calls[e.Method+" "+e.Path]
		if call == nil {
			t.Errorf("add a call above in which %s %s names a person", e.Method, e.Path)
			continue
		}
		delete(calls, e.Method+" "+e.Path)
		said := func(id string) string {
			r := call(id)
			r.Method, r.Key = e.Method, owner
			got := a.Send(r)
			return fmt.Sprint(got.Status, " ", strings.ReplaceAll(string(got.Body), id, "ID"))
		}
		if known, unknown := said(stranger.String()), said("999999"); known != unknown {
			t.Errorf("%s %s: an existing account gets %s, an unknown one %s", e.Method, e.Path, known, unknown)
		}
	}
	for row := range calls {
		t.Errorf("%s no longer names a person", row)
	}
	letters, _, err := letter.List(t.Context(), a.Store.Shop(a.Shop.ID), "", "", 100, 0)
	if err != nil || len(letters) != 0 {
		t.Errorf("%d letters, %v", len(letters), err)
	}
}

// A shop that adds or imports an address does not learn whether it has an account until that
// person has acted in the shop.
func TestAddedCustomersAreNotLinkedToAccounts(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	eve := a.Buyer("eve@people.test")
	added := a.Result("POST", "/customers", a.Owner, apitest.Map{"email": "eve@people.test"})
	a.OK("POST", "/customers/import", a.Owner, apitest.Map{"text": "email,name\neve2@people.test,Eve\n"})
	a.Buyer("eve2@people.test")
	if err := a.Store.Write(t.Context(), a.Shop.ID, func(tx *store.Tx) error { return people.MarkProven(t.Context(), tx, eve, a.Clock.Now()) }); err != nil {
		t.Fatal(err)
	}
	a.OK("POST", "/customers/import", a.Owner, apitest.Map{"text": "email,name\neve2@people.test,Eve Two\n"})
	if added["user_id"] != 0.0 {
		t.Errorf("added: %v", added)
	}
	for _, c := range a.Result("GET", "/customers", a.Owner, nil)["items"].([]any) {
		if c.(apitest.Map)["user_id"] != 0.0 {
			t.Errorf("listed: %v", c)
		}
	}
	tea := a.Result("POST", "/products", a.Owner, apitest.Map{"item": apitest.Map{"name": "Tea", "is_published": true, "price": apitest.Map{"price": 10}}})["id"]
	session := a.Session(eve)
	a.OK("POST", fmt.Sprintf("/cart/items/%v/default", tea), session, apitest.Map{"company_id": a.Shop.ID, "quantity": 1})
	a.OK("POST", "/cart/confirm", session, apitest.Map{"company_id": a.Shop.ID, "contact": apitest.Map{"name": "Eve", "phone": "1"}})
	if one := a.Result("GET", fmt.Sprintf("/customers/%v", added["id"]), a.Owner, nil); one["user_id"] != float64(eve) {
		t.Errorf("after an order: %v", one)
	}
	campaign := a.Result("POST", "/promotions", a.Session(a.OwnerID), apitest.Map{"item": apitest.Map{"name": "Thanks", "kind": "personal_coupon", "value": apitest.Map{"amount": 1},
		"issue": apitest.Map{"on": "order_completed", "prefix": "THX-", "days": 3}}})["id"]
	a.OK("POST", fmt.Sprintf("/promotions/%v/issue", campaign), a.Session(a.OwnerID), apitest.Map{"user_ids": []any{eve}})
}
