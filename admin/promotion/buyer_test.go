package promotion_test

import (
	"fmt"
	"sync"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// fixture is a shop with a product at 100 and a promotion.
type fixture struct {
	*apitest.API
	t    *testing.T
	tea  string
	code string
}

func newFixture(t *testing.T, promotion m) *fixture {
	t.Helper()
	a := apitest.New(t)
	x := &fixture{API: a, t: t}
	x.tea = fmt.Sprint(a.Result("POST", "/products", a.Owner, item(m{"name": "Tea", "price": m{"price": 100}, "is_published": true}))["id"])
	promotion["name"] = "Welcome"
	switch promotion["kind"] {
	case "coupon":
		promotion["code"], x.code = "WELCOME", "WELCOME"
	case "gift":
		cup := a.Result("POST", "/products", a.Owner, item(m{"name": "Cup", "price": m{"price": 50}, "is_published": true}))["id"]
		promotion["value"] = m{"product_id": cup, "quantity": 1}
	}
	if promotion["value"] == nil {
		promotion["value"] = m{"amount": 10}
	}
	a.Result("POST", "/promotions", a.Owner, item(promotion))
	return x
}

// buy orders one tea and reports whether the promotion was applied.
func (x *fixture) buy(who string, contact m, expected int) (used bool, status int, code string) {
	x.t.Helper()
	x.OK("POST", "/cart/items/"+x.tea+"/default", who, m{"company_id": x.Shop.ID, "quantity": 1})
	if x.code != "" {
		x.Result("POST", "/cart/promo", who, m{"company_id": x.Shop.ID, "code": x.code})
	}
	full := m{"name": "Ann"}
	for name, value := range contact {
		full[name] = value
	}
	status, answer := x.Call("POST", "/cart/confirm", who, m{"company_id": x.Shop.ID, "contact": full, "expected_total": expected})
	order, _ := answer["result"].(m)
	applied, _ := order["promotions"].(l)
	return len(applied) > 0, status, apitest.Code(answer)
}

func (x *fixture) guest() string {
	return fmt.Sprint(x.Result("POST", "/v1/auth/guest", "", m{})["token"])
}

func (x *fixture) prove(person shop.UserID) {
	x.t.Helper()
	if err := x.Store.Write(x.t.Context(), x.Shop.ID, func(tx *store.Tx) error { return people.MarkProven(x.t.Context(), tx, person, x.Clock.Now()) }); err != nil {
		x.t.Fatal(err)
	}
}

var promotionsOfOneBuyer = map[string]m{
	"discount, once per buyer":       {"kind": "discount", "limits": m{"per_buyer": 1}},
	"order discount, once per buyer": {"kind": "order_discount", "limits": m{"per_buyer": 1}},
	"coupon, once per buyer":         {"kind": "coupon", "limits": m{"per_buyer": 1}},
	"gift, once per buyer":           {"kind": "gift", "limits": m{"per_buyer": 1}},
	"discount, first order":          {"kind": "discount", "conditions": m{"first_order": true}},
	"order discount, first":          {"kind": "order_discount", "conditions": m{"first_order": true}},
	"coupon, first order":            {"kind": "coupon", "conditions": m{"first_order": true}},
	"gift, first order":              {"kind": "gift", "conditions": m{"first_order": true}},
}

// A buyer counts as the same buyer when ordering as another guest with the same e-mail or phone
// in any spelling, and with the account of that address.
func TestALimitPerBuyerRecognizesReturningBuyers(t *testing.T) {
	t.Parallel()
	for name, promotion := range promotionsOfOneBuyer {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newFixture(t, promotion)
			contact := m{"phone": "+7 (900) 123-45-67", "email": "Ann@Mail.example"}
			if used, status, code := x.buy(x.guest(), contact, 0); !used {
				t.Fatalf("the first order: %d %s", status, code)
			}
			for what, again := range map[string]m{
				"same contact":          contact,
				"same e-mail":           {"phone": "1", "email": " ann@mail.EXAMPLE "},
				"e-mail with a label":   {"phone": "1", "email": "ann+tea@mail.example"},
				"same phone, typed as":  {"phone": "8 900 1234567"},
				"same phone, typed too": {"phone": "9001234567", "email": "other@mail.example"},
			} {
				if used, status, code := x.buy(x.guest(), again, 0); used || status != 200 {
					t.Errorf("%s: applied %v, %d %s", what, used, status, code)
				}
			}
			for what, other := range map[string]m{
				"short phone":   {"phone": "1"},
				"another buyer": {"phone": "+7 900 123-45-68", "email": "anna@mail.example"},
			} {
				if used, status, code := x.buy(x.guest(), other, 0); !used {
					t.Errorf("%s: not applied, %d %s", what, status, code)
				}
			}
		})
	}
}

// An account with a verified address and the orders with that address count as the same buyer, in
// both directions. An unverified address does not, because anyone could have entered it.
func TestAVerifiedAddressIdentifiesTheBuyer(t *testing.T) {
	t.Parallel()
	x := newFixture(t, m{"kind": "discount", "limits": m{"per_buyer": 1}})
	ann := x.Buyer("ann@mail.example")
	if used, _, _ := x.buy(x.guest(), m{"phone": "1", "email": "ann@mail.example"}, 0); !used {
		t.Fatal("the first order")
	}
	if used, _, _ := x.buy(x.Session(ann), m{"phone": "2"}, 0); !used {
		t.Error("an unverified address counts")
	}
	x.prove(ann)
	if used, _, _ := x.buy(x.Session(ann), m{"phone": "3"}, 0); used {
		t.Error("the orders of a verified address do not count")
	}
	y := newFixture(t, m{"kind": "discount", "conditions": m{"first_order": true}})
	bob := y.Buyer("bob@mail.example")
	y.prove(bob)
	y.buy(y.Session(bob), m{"phone": "1"}, 0)
	if used, _, _ := y.buy(y.guest(), m{"phone": "2", "email": "Bob@mail.example"}, 0); used {
		t.Error("the orders of the account with the address do not count")
	}
}

// Cancelled orders and orders of other shops do not count.
func TestCancelledOrdersDoNotCountForTheBuyer(t *testing.T) {
	t.Parallel()
	for _, promotion := range []m{{"kind": "coupon", "limits": m{"per_buyer": 1}}, {"kind": "coupon", "conditions": m{"first_order": true}}} {
		x := newFixture(t, promotion)
		contact := m{"phone": "+49 30 1234567"}
		x.buy(x.guest(), contact, 0)
		list := x.Result("POST", "/orders", x.Owner, m{})["items"].(l)
		x.OK("PUT", fmt.Sprintf("/orders/%v/status", list[0].(m)["id"]), x.Owner, m{"status": "cancelled"})
		if used, status, code := x.buy(x.guest(), contact, 0); !used {
			t.Errorf("after a cancelled order: %d %s", status, code)
		}
	}
}

// Of many concurrent guests with the same contact, only one gets the promotion.
func TestConcurrentGuestsWithOneContactAreOneBuyer(t *testing.T) {
	t.Parallel()
	for _, promotion := range []m{{"kind": "order_discount", "limits": m{"per_buyer": 1}}, {"kind": "order_discount", "conditions": m{"first_order": true}}} {
		x := newFixture(t, promotion)
		guests := make([]string, 8)
		for i := range guests {
			guests[i] = x.guest()
		}
		var mu sync.Mutex
		used := 0
		var all sync.WaitGroup
		for _, guest := range guests {
			all.Go(func() {
				if yes, _, _ := x.buy(guest, m{"phone": "+372 512 34 56"}, 0); yes {
					mu.Lock()
					used++
					mu.Unlock()
				}
			})
		}
		all.Wait()
		if used != 1 {
			t.Errorf("%v was applied %d times", promotion, used)
		}
	}
}

// A buyer who was shown a wrong price is shown the right one next, and can order at it.
func TestACartShowsThePriceOfItsContact(t *testing.T) {
	t.Parallel()
	x := newFixture(t, m{"kind": "coupon", "limits": m{"per_buyer": 1}})
	contact := m{"phone": "1", "email": "ann@mail.example"}
	x.buy(x.guest(), contact, 90)
	guest := x.guest()
	if _, status, code := x.buy(guest, contact, 90); status != 400 || code != "PRICE_CHANGED" {
		t.Fatalf("%d %s", status, code)
	}
	cart := func() m {
		return x.Result("GET", fmt.Sprintf("/cart/items?company_id=%d", x.Shop.ID), guest, nil)
	}
	if c := cart(); c["subtotal"] != 100.0 || c["promo_rejected"] != "ALREADY_USED" {
		t.Errorf("the cart has %v %v", c["subtotal"], c["promo_rejected"])
	}
	order := m{"company_id": x.Shop.ID, "contact": m{"name": "Ann", "phone": "1", "email": "ann@mail.example"}, "expected_total": 100}
	x.OK("POST", "/cart/confirm", guest, order)
	x.OK("POST", "/cart/items/"+x.tea+"/default", guest, m{"company_id": x.Shop.ID, "quantity": 1})
	x.Result("POST", "/cart/promo", guest, m{"company_id": x.Shop.ID, "code": x.code})
	if c := cart(); c["promo_rejected"] != "" { // the order cleared the contact, and this guest has not used the code
		t.Errorf("the next cart has %v", c["promo_rejected"])
	}
}

// The minimum quantity of a discount restricted to products counts only those products, as for
// the other kinds.
func TestTheMinimumQuantityCountsOnlyTheProductsOfADiscount(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	tea := a.Result("POST", "/products", a.Owner, item(m{"name": "Tea", "price": m{"price": 100}, "is_published": true}))["id"]
	cup := a.Result("POST", "/products", a.Owner, item(m{"name": "Cup", "price": m{"price": 1000}, "is_published": true}))["id"]
	for _, conditions := range []m{{"min_total": 300}, {"min_quantity": 3}} {
		conditions["product_ids"] = l{tea}
		made := a.Result("POST", "/promotions", a.Owner, item(m{"name": "Three", "kind": "discount", "value": m{"amount": 10}, "conditions": conditions}))
		quote := func(teas, cups int) m {
			return a.Result("POST", "/cart/quote", "", m{"company_id": a.Shop.ID, "items": l{
				m{"product_id": tea, "quantity": teas}, m{"product_id": cup, "quantity": cups}}})
		}
		if v := quote(2, 5); v["subtotal"] != 5200.0 || len(v["missing"].(l)) != 1 {
			t.Errorf("%v: two of the products and others: %v", conditions, v)
		}
		if v := quote(3, 1); v["subtotal"] != 1270.0 {
			t.Errorf("%v: three of the products: %v", conditions, v["subtotal"])
		}
		a.OK("DELETE", fmt.Sprintf("/promotions/%v", made["id"]), a.Owner, nil)
	}
}
