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

// till is a shop with one product at 100 and a promotion.
type till struct {
	*apitest.API
	t    *testing.T
	tea  string
	code string
}

func newTill(t *testing.T, promotion m) *till {
	t.Helper()
	a := apitest.New(t)
	x := &till{API: a, t: t}
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

// buy orders one tea and reports whether the promotion fired.
func (x *till) buy(who string, contact m, expected int) (fired bool, status int, code string) {
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

func (x *till) guest() string {
	return fmt.Sprint(x.Result("POST", "/v1/auth/guest", "", m{})["token"])
}

func (x *till) prove(person shop.UserID) {
	x.t.Helper()
	if err := x.Store.Write(x.t.Context(), x.Shop.ID, func(tx *store.Tx) error { return people.MarkProven(x.t.Context(), tx, person, x.Clock.Now()) }); err != nil {
		x.t.Fatal(err)
	}
}

var promotionsOfOneBuyer = map[string]m{
	"discount, once each":       {"kind": "discount", "limits": m{"per_buyer": 1}},
	"order discount, once each": {"kind": "order_discount", "limits": m{"per_buyer": 1}},
	"coupon, once each":         {"kind": "coupon", "limits": m{"per_buyer": 1}},
	"gift, once each":           {"kind": "gift", "limits": m{"per_buyer": 1}},
	"discount, first order":     {"kind": "discount", "conditions": m{"first_order": true}},
	"order discount, first":     {"kind": "order_discount", "conditions": m{"first_order": true}},
	"coupon, first order":       {"kind": "coupon", "conditions": m{"first_order": true}},
	"gift, first order":         {"kind": "gift", "conditions": m{"first_order": true}},
}

// A buyer is one buyer: as another guest with the same e-mail or phone however written,
// and as the account with that address.
func TestALimitHoldsForABuyerHoweverTheyCome(t *testing.T) {
	t.Parallel()
	for name, promotion := range promotionsOfOneBuyer {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newTill(t, promotion)
			contact := m{"phone": "+7 (900) 123-45-67", "email": "Ann@Mail.example"}
			if fired, status, code := x.buy(x.guest(), contact, 0); !fired {
				t.Fatalf("the first order: %d %s", status, code)
			}
			for what, again := range map[string]m{
				"same contact":          contact,
				"same e-mail":           {"phone": "1", "email": " ann@mail.EXAMPLE "},
				"e-mail with a label":   {"phone": "1", "email": "ann+tea@mail.example"},
				"same phone, typed as":  {"phone": "8 900 1234567"},
				"same phone, typed too": {"phone": "9001234567", "email": "other@mail.example"},
			} {
				if fired, status, code := x.buy(x.guest(), again, 0); fired || status != 200 {
					t.Errorf("%s: it fired %v, %d %s", what, fired, status, code)
				}
			}
			for what, other := range map[string]m{
				"short phone":   {"phone": "1"},
				"another buyer": {"phone": "+7 900 123-45-68", "email": "anna@mail.example"},
			} {
				if fired, status, code := x.buy(x.guest(), other, 0); !fired {
					t.Errorf("%s: it did not fire, %d %s", what, status, code)
				}
			}
		})
	}
}

// The account with a proven address is who orders by that address, and the other way
// around; an address that anybody could have typed is not.
func TestAProvenAddressIsTheBuyer(t *testing.T) {
	t.Parallel()
	x := newTill(t, m{"kind": "discount", "limits": m{"per_buyer": 1}})
	ann := x.Buyer("ann@mail.example")
	if fired, _, _ := x.buy(x.guest(), m{"phone": "1", "email": "ann@mail.example"}, 0); !fired {
		t.Fatal("the first order")
	}
	if fired, _, _ := x.buy(x.Session(ann), m{"phone": "2"}, 0); !fired {
		t.Error("an unproven address counts")
	}
	x.prove(ann)
	if fired, _, _ := x.buy(x.Session(ann), m{"phone": "3"}, 0); fired {
		t.Error("the orders of a proven address do not count")
	}
	y := newTill(t, m{"kind": "discount", "conditions": m{"first_order": true}})
	bob := y.Buyer("bob@mail.example")
	y.prove(bob)
	y.buy(y.Session(bob), m{"phone": "1"}, 0)
	if fired, _, _ := y.buy(y.guest(), m{"phone": "2", "email": "Bob@mail.example"}, 0); fired {
		t.Error("the orders of the account with the address do not count")
	}
}

// Cancelled orders don't count, and other shops do not.
func TestACancelledOrderLeavesTheBuyerNew(t *testing.T) {
	t.Parallel()
	for _, promotion := range []m{{"kind": "coupon", "limits": m{"per_buyer": 1}}, {"kind": "coupon", "conditions": m{"first_order": true}}} {
		x := newTill(t, promotion)
		contact := m{"phone": "+49 30 1234567"}
		x.buy(x.guest(), contact, 0)
		list := x.Result("POST", "/orders", x.Owner, m{})["items"].(l)
		x.OK("PUT", fmt.Sprintf("/orders/%v/status", list[0].(m)["id"]), x.Owner, m{"status": "cancelled"})
		if fired, status, code := x.buy(x.guest(), contact, 0); !fired {
			t.Errorf("after a cancelled order: %d %s", status, code)
		}
	}
}

// Of many guests with one contact at the same moment, one gets the promotion.
func TestManyGuestsAtOnceAreOneBuyer(t *testing.T) {
	t.Parallel()
	for _, promotion := range []m{{"kind": "order_discount", "limits": m{"per_buyer": 1}}, {"kind": "order_discount", "conditions": m{"first_order": true}}} {
		x := newTill(t, promotion)
		guests := make([]string, 8)
		for i := range guests {
			guests[i] = x.guest()
		}
		var mu sync.Mutex
		fired := 0
		var all sync.WaitGroup
		for _, guest := range guests {
			all.Go(func() {
				if yes, _, _ := x.buy(guest, m{"phone": "+372 512 34 56"}, 0); yes {
					mu.Lock()
					fired++
					mu.Unlock()
				}
			})
		}
		all.Wait()
		if fired != 1 {
			t.Errorf("%v fired %d times", promotion, fired)
		}
	}
}

// Who is shown a price that is not theirs is shown the right one next, and can order.
func TestACartShowsThePriceOfItsContact(t *testing.T) {
	t.Parallel()
	x := newTill(t, m{"kind": "coupon", "limits": m{"per_buyer": 1}})
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
		t.Errorf("the cart says %v %v", c["subtotal"], c["promo_rejected"])
	}
	order := m{"company_id": x.Shop.ID, "contact": m{"name": "Ann", "phone": "1", "email": "ann@mail.example"}, "expected_total": 100}
	x.OK("POST", "/cart/confirm", guest, order)
	x.OK("POST", "/cart/items/"+x.tea+"/default", guest, m{"company_id": x.Shop.ID, "quantity": 1})
	x.Result("POST", "/cart/promo", guest, m{"company_id": x.Shop.ID, "code": x.code})
	if c := cart(); c["promo_rejected"] != "" { // the contact went with the order, and this guest has not used the code
		t.Errorf("the next cart says %v", c["promo_rejected"])
	}
}

// A discount of some products looks at the least of these, as the other kinds do.
func TestTheLeastOfANarrowedDiscountIsThatOfItsProducts(t *testing.T) {
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
