package order_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	"vitrine/internal/store/people"
)

var linkIn = regexp.MustCompile(`/orders/(\d+)\?key=([A-Za-z0-9_-]{32})`)

// linkFixture is a guest's order with the link in its letter.
type linkFixture struct {
	*apitest.API
	t       *testing.T
	id, key string
	guest   string
}

func newLinkFixture(t *testing.T) *linkFixture {
	t.Helper()
	x := &linkFixture{API: apitest.New(t), t: t}
	x.id, x.key, x.guest = x.ordered("ann@mail.example")
	return x
}

// ordered places an order as a new guest and reads the link in the letter.
func (x *linkFixture) ordered(email string) (id, key, guest string) {
	x.t.Helper()
	tea := fmt.Sprint(x.Result("POST", "/products", x.Owner, apitest.Map{"item": apitest.Map{"name": "Tea", "is_published": true, "price": apitest.Map{"price": 7}}})["id"])
	guest = fmt.Sprint(x.Result("POST", "/v1/auth/guest", "", apitest.Map{})["token"])
	x.OK("POST", "/cart/items/"+tea+"/default", guest, apitest.Map{"company_id": x.Shop.ID, "quantity": 1})
	id = fmt.Sprint(x.Result("POST", "/cart/confirm", guest, apitest.Map{
		"company_id": x.Shop.ID, "contact": apitest.Map{"name": "Ann", "phone": "+1 202 555 0100", "email": email}})["id"])
	list := x.Result("GET", "/v1/shop/letters?filter.name=order_made_buyer", x.Session(x.OwnerID), nil)["items"].([]any)
	text := fmt.Sprint(list[0])
	found := linkIn.FindStringSubmatch(text)
	if found == nil || found[1] != id {
		x.t.Fatalf("the letter has no link to order %s: %s", id, text)
	}
	return id, found[2], guest
}

func (x *linkFixture) at(key, below string) string { return "/orders/" + x.id + below + "?key=" + key }

func TestTheLinkOfALetterOpensItsOrder(t *testing.T) {
	t.Parallel()
	x := newLinkFixture(t)
	if o := x.Result("GET", x.at(x.key, ""), "", nil); o["id"] != x.id || o["contact"].(apitest.Map)["email"] != "ann@mail.example" {
		t.Errorf("%v", o)
	}
	said := x.Result("POST", x.at(x.key, "/messages"), "", apitest.Map{"text": "Ring twice"})
	if said["author"] != "buyer" {
		t.Errorf("%v", said)
	}
	x.OK("POST", x.at(x.key, "/messages/seen"), "", apitest.Map{})
	if list := x.OK("GET", x.at(x.key, "/messages"), "", nil)["result"].([]any); len(list) != 1 {
		t.Errorf("%v", list)
	}
	if list := x.OK("GET", "/orders/"+x.id+"/messages", x.guest, nil)["result"].([]any); len(list) != 1 || list[0].(apitest.Map)["author"] != "buyer" {
		t.Errorf("the guest who ordered reads %v", list)
	}
	x.Result("PUT", "/v1/shop/payment-methods/manual", x.Session(x.OwnerID), apitest.Map{"is_active": true, "title": "By hand"})
	if p := x.Result("POST", x.at(x.key, "/payment"), "", apitest.Map{"method": "manual"}); p["payment_id"] == nil {
		t.Errorf("%v", p)
	}
}

// The link is valid for its order only, for 90 days, and for the actions of a buyer.
func TestTheLinkOfALetterOpensNothingElse(t *testing.T) {
	t.Parallel()
	x := newLinkFixture(t)
	other, otherKey, _ := x.ordered("bob@mail.example")
	wrong := map[string]string{
		"none": "", "another order's": otherKey, "shortened": x.key[:31], "longer": x.key + "A", "in capitals": strings.ToUpper(x.key), "a word": "key",
	}
	bob := x.Session(x.Buyer("bob@people.test"))
	for what, key := range wrong {
		for _, call := range []struct {
			method, below string
			body          any
		}{{"GET", "", nil}, {"GET", "/messages", nil}, {"GET", "/shipments", nil}, {"POST", "/messages", apitest.Map{"text": "x"}}, {"POST", "/messages/seen", apitest.Map{}}, {"POST", "/payment", apitest.Map{"method": "manual"}}} {
			for who, token := range map[string]string{"no caller": "", "another buyer": bob, "another shop's key": x.Stranger} {
				if status, answer := x.Call(call.method, x.at(key, call.below), token, call.body); status < 400 {
					t.Errorf("%s key, %s, %s %s: %d %v", what, who, call.method, call.below, status, answer)
				}
			}
		}
	}
	// The link does not allow what the buyer of an order may not do.
	for _, call := range []struct{ method, path string }{
		{"PUT", x.at(x.key, "/status")}, {"POST", x.at(x.key, "/shipments")}, {"PUT", x.at(x.key, "/shipments/1")}, {"DELETE", x.at(x.key, "/shipments/1")}, {"POST", x.at(x.key, "/refund")}, {"GET", x.at(x.key, "/history")}, {"POST", x.at(x.key, "/payment/confirm")},
		{"GET", "/orders/" + other + "?key=" + x.key}, {"POST", "/orders?key=" + x.key}, {"GET", "/cart/items?key=" + x.key}, {"GET", "/v1/auth/me?key=" + x.key},
	} {
		if status, answer := x.Call(call.method, call.path, "", apitest.Map{"status": "cancelled"}); status < 400 {
			t.Errorf("%s %s: %d %v", call.method, call.path, status, answer)
		}
	}
	through := x.Send(apitest.Request{Method: "GET", Path: x.at(x.key, ""), Header: x.ThroughStorefront()})
	if through.Status != http.StatusOK {
		t.Errorf("on the shop's host: %d %s", through.Status, through.Body)
	}
	header := x.ThroughStorefront()
	for name := range header {
		header[name] = x.Other.ID.String()
	}
	elsewhere := x.Send(apitest.Request{Method: "GET", Path: x.at(x.key, ""), Header: header})
	if elsewhere.Status == http.StatusOK {
		t.Error("the link works on another shop's host")
	}
	x.Clock.Advance(89 * 24 * time.Hour)
	x.OK("GET", x.at(x.key, ""), "", nil)
	x.Clock.Advance(2 * 24 * time.Hour)
	x.Refused("GET", x.at(x.key, ""), "", nil, 404, "ORDER_NOT_FOUND")
}

// Verifying the address of an order adds the order to the account.
func TestSigningInWithACodeAdoptsTheOrdersOfTheAddress(t *testing.T) {
	t.Parallel()
	x := newLinkFixture(t)
	byOther, _, _ := x.ordered("other@mail.example")
	labelled, _, _ := x.ordered("ann+tea@mail.example")
	ann := x.Buyer("ann@mail.example")
	bob := x.Session(x.Buyer("bob@mail.example")) // has an account, and ordered for Ann
	tea := fmt.Sprint(x.Result("POST", "/products", x.Owner, apitest.Map{"item": apitest.Map{"name": "Cup", "is_published": true, "price": apitest.Map{"price": 7}}})["id"])
	x.OK("POST", "/cart/items/"+tea+"/default", bob, apitest.Map{"company_id": x.Shop.ID, "quantity": 1})
	x.Result("POST", "/cart/confirm", bob, apitest.Map{"company_id": x.Shop.ID, "contact": apitest.Map{"name": "Bob", "phone": "1", "email": "ann@mail.example"}})
	list := func() (ids []string) {
		for _, o := range x.Result("POST", "/orders", x.Session(ann), apitest.Map{})["items"].([]any) {
			ids = append(ids, fmt.Sprint(o.(apitest.Map)["id"]))
		}
		return ids
	}
	if got := list(); len(got) != 0 {
		t.Errorf("before the address is verified: %v", got)
	}
	if err := people.AdoptOrders(t.Context(), x.Store, 0, ann); err != nil || len(list()) != 0 {
		t.Errorf("an unverified address has %v (%v)", list(), err)
	}
	if err := x.Store.Write(t.Context(), x.Shop.ID, func(tx *store.Tx) error { return people.MarkProven(t.Context(), tx, ann, x.Clock.Now()) }); err != nil {
		t.Fatal(err)
	}
	if err := people.AdoptOrders(t.Context(), x.Store, x.Other.ID, ann); err != nil || len(list()) != 0 {
		t.Errorf("another shop's sign-in adopts %v (%v)", list(), err)
	}
	x.OK("POST", "/v1/auth/code", "", apitest.Map{"email": "ann@mail.example"})
	x.OK("POST", "/v1/auth/code/confirm", "", apitest.Map{"email": "ann@mail.example", "code": x.Code("ann@mail.example")})
	if got := list(); len(got) != 1 || got[0] != x.id {
		t.Errorf("adopted are %v, want %s; not %s, %s, nor Bob's", got, x.id, byOther, labelled)
	}
	x.Refused("GET", "/orders/"+x.id, x.guest, nil, 403, "DENIED")
}

// The key alone grants access: the link also opens the order for a caller who is signed in to
// another account. Deleting the shop deletes the order.
func TestTheLinkOfALetterWorksForAnyCaller(t *testing.T) {
	t.Parallel()
	x := newLinkFixture(t)
	callers := map[string]string{"no session": "", "who ordered": x.guest, "another account": x.Session(x.Buyer("bob@people.test"))}
	for who, token := range callers {
		if o := x.Result("GET", x.at(x.key, ""), token, nil); o["id"] != x.id {
			t.Errorf("%s reads %v", who, o)
		}
	}
	if _, err := company.DeleteCompany(t.Context(), x.Store, x.Shop.ID); err != nil {
		t.Fatal(err)
	}
	for who, token := range callers {
		for _, below := range []string{"", "/messages"} {
			if status, answer := x.Call("GET", x.at(x.key, below), token, nil); status != http.StatusNotFound {
				t.Errorf("after the shop was deleted, %s%s: %d %v", who, below, status, answer)
			}
		}
	}
}
