package promotion_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store/storetest"
)

func TestAQuantityPriceIsCreatedChangedAndDeleted(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	tea := a.Result("POST", "/products", a.Owner, item(m{"name": "Tea", "price": m{"price": 100}, "is_published": true}))["id"]
	cup := a.Result("POST", "/products", a.Owner, item(m{"name": "Cup", "price": m{"price": 100}, "is_published": true}))["id"]
	rule := m{"name": " Dozen ", "product_ids": l{tea, tea}, "count": "product", "tiers": l{m{"from": 3, "percent": 12.5}, m{"from": 12, "price": 80}}}
	made := a.Result("POST", "/pricing-rules", a.Owner, item(rule))
	path := fmt.Sprintf("/pricing-rules/%v", made["id"])
	if made["name"] != "Dozen" || made["active"] != true || made["version"] != "1" || len(made["product_ids"].(l)) != 1 ||
		made["tiers"].(l)[0].(m)["percent"] != 12.5 || made["tiers"].(l)[0].(m)["price"] != nil || made["tiers"].(l)[1].(m)["price"] != 80.0 {
		t.Errorf("%v", made)
	}
	cost := func(units int) any {
		return a.Result("POST", "/cart/quote", "", m{"company_id": a.Shop.ID, "items": l{
			m{"product_id": tea, "key": "a", "quantity": units - 1}, m{"product_id": tea, "key": "b", "quantity": 1}}})["subtotal"]
	}
	if cost(2) != 200.0 || cost(3) != 264.0 || cost(12) != 960.0 {
		t.Errorf("2 cost %v, 3 %v, 12 %v", cost(2), cost(3), cost(12))
	}
	if changed := a.Result("PUT", path, a.Owner, item(m{"count": "line"})); changed["version"] != "2" || changed["name"] != "Dozen" || cost(3) != 300.0 {
		t.Errorf("%v, 3 cost %v", changed, cost(3))
	}
	if back := a.Result("PUT", path, a.Owner, item(a.Result("GET", path, a.Owner, nil))); back["version"] != "3" || fmt.Sprint(back["tiers"]) != fmt.Sprint(made["tiers"]) {
		t.Errorf("%v", back)
	}
	// Two rules for the same product cannot both be active.
	rule["product_ids"] = l{cup, tea}
	refused := a.Refused("POST", "/pricing-rules", a.Owner, item(rule), 409, "PRICING_RULE_CONFLICT")
	if want := fmt.Sprint("rule ", made["id"]); refused["detail"] != nil && refused["detail"] != want {
		t.Errorf("%v", refused)
	}
	rule["active"] = false
	second := fmt.Sprintf("/pricing-rules/%v", a.Result("POST", "/pricing-rules", a.Owner, item(rule))["id"])
	a.Refused("POST", second+"/activate", a.Owner, nil, 409, "PRICING_RULE_CONFLICT")
	if off := a.Result("POST", path+"/deactivate", a.Owner, nil); off["active"] != false || off["version"] != "4" {
		t.Errorf("%v", off)
	}
	a.OK("POST", second+"/activate", a.Owner, nil)
	a.Refused("POST", path+"/activate", a.Owner, nil, 409, "PRICING_RULE_CONFLICT")
	if list := a.Result("GET", "/pricing-rules", a.Owner, nil); list["total"] != 2.0 {
		t.Errorf("%v", list)
	}
	a.Refused("GET", path, a.Stranger, nil, 404, "PRICING_RULE_NOT_FOUND")
	a.OK("DELETE", "/products/"+fmt.Sprint(cup), a.Owner, nil)
	a.OK("POST", second+"/deactivate", a.Owner, nil) // although its product was deleted
	a.OK("DELETE", path, a.Owner, nil)
	a.Refused("PUT", path, a.Owner, item(m{"name": "x"}), 404, "PRICING_RULE_NOT_FOUND")
	events := storetest.Events(t, a.Store.Pool, int(a.Shop.ID))
	told := map[string]int{}
	for _, e := range events {
		told[e.Name]++
	}
	if told["pricing_rule.changed"] != 5 || told["pricing_rule.activated"] != 3 {
		t.Error(told)
	}
}

// An invalid quantity price is refused with the name of the invalid field first.
func TestInvalidQuantityPricesAreRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	tea := a.Result("POST", "/products", a.Owner, item(m{"name": "Tea"}))["id"]
	theirs := a.Result("POST", "/products", a.Stranger, item(m{"name": "Theirs"}))["id"]
	tiers := func(list ...any) m { return m{"tiers": l(list)} }
	many := l{}
	for n := range 21 {
		many = append(many, m{"from": n + 2, "percent": 1})
	}
	for _, with := range []m{
		{"name": " "}, {"name": strings.Repeat("я", 256)}, {"count": "cart"}, {"product_ids": l{}}, {"product_ids": l{theirs}},
		{"product_ids": l{999999}}, {"category_ids": l{999999}}, {"tiers": l{}}, {"tiers": many},
		tiers(m{"from": 1, "percent": 5}), tiers(m{"from": 10000, "percent": 5}), tiers(m{"from": 3, "percent": 5}, m{"from": 3, "percent": 6}),
		tiers(m{"from": 4, "percent": 5}, m{"from": 3, "percent": 6}), tiers(m{"from": 2}), tiers(m{"from": 2, "percent": 5, "price": 5}),
		tiers(m{"from": 2, "percent": 0}), tiers(m{"from": 2, "percent": 100.001}), tiers(m{"from": 2, "percent": -1}), tiers(m{"from": 2, "percent": 1e308}),
		tiers(m{"from": 2, "percent": 0.001}), tiers(m{"from": 2, "price": -1}), tiers(m{"from": 2, "price": 2_000_000_001}),
	} {
		rule := m{"name": "x", "product_ids": l{tea}, "tiers": l{m{"from": 2, "percent": 5}}}
		for field, value := range with {
			rule[field] = value
		}
		a.Refused("POST", "/pricing-rules", a.Owner, item(rule), 400, "PRICING_RULE_INVALID")
	}
	a.OK("POST", "/pricing-rules", a.Owner, item(m{"name": "x", "product_ids": l{tea}, "tiers": l{m{"from": 2, "price": 0}, m{"from": 3, "percent": 100}}}))
}

// A preview reports the effect a promotion would have had, in addition to the discounts at that
// time, and stores nothing.
func TestAPreviewReplaysPastOrders(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	tea := a.Result("POST", "/products", a.Owner, item(m{"name": "Tea", "price": m{"price": 100}, "is_published": true}))["id"]
	cup := a.Result("POST", "/products", a.Owner, item(m{"name": "Cup", "price": m{"price": 50}, "is_published": true}))["id"]
	old := a.Result("POST", "/promotions", a.Owner, item(m{"name": "Old", "kind": "discount", "value": m{"amount": 10}, "conditions": m{"product_ids": l{tea}}}))
	off := a.Result("POST", "/promotions", a.Owner, item(m{"name": "Off", "kind": "coupon", "code": "FIVE", "value": m{"amount": 5}}))
	ann, bob := a.Session(a.Buyer("ann@people.test")), a.Session(a.Buyer("bob@people.test"))
	buy := func(who, code string, lines ...any) any {
		for _, product := range lines {
			a.OK("POST", fmt.Sprintf("/cart/items/%v/default", product), who, m{"quantity": 2})
		}
		if code != "" {
			a.Result("POST", "/cart/promo", who, m{"company_id": a.Shop.ID, "code": code})
		}
		return a.Result("POST", "/cart/confirm", who, m{"company_id": a.Shop.ID, "contact": m{"name": "A", "phone": "1"}})["id"]
	}
	buy(ann, "", tea)         // 180
	buy(ann, "FIVE", tea)     // 175
	buy(bob, "", cup, tea)    // 280
	gone := buy(bob, "", cup) // cancelled
	a.OK("PUT", fmt.Sprintf("/orders/%v/status", gone), a.Owner, m{"status": "cancelled"})
	a.OK("DELETE", fmt.Sprintf("/promotions/%v", old["id"]), a.Owner, nil)
	for _, c := range []struct {
		with                     m
		touched, discount, after float64
	}{
		{m{"kind": "discount", "value": m{"percent": 5}}, 1, 4, 631},                                           // the cups only; tea was cheaper then
		{m{"kind": "discount", "value": m{"percent": 20}, "conditions": m{"product_ids": l{tea}}}, 3, 60, 575}, // 80 instead of 90
		{m{"kind": "order_discount", "value": m{"percent": 10}}, 3, 18 + 18 + 28, 635 - 64},                    // 17.5 is rounded to 18
		{m{"kind": "order_discount", "value": m{"amount": 50}, "conditions": m{"min_total": 200}}, 1, 50, 585},
		{m{"kind": "order_discount", "value": m{"amount": 50}, "limits": m{"total": 2}}, 2, 100, 535},
		{m{"kind": "coupon", "code": "TEN", "value": m{"amount": 50}, "limits": m{"per_buyer": 1}}, 2, 100, 535},
		{m{"kind": "coupon", "code": "TEN", "value": m{"amount": 50}, "conditions": m{"first_order": true}}, 2, 100, 535},
		{m{"kind": "order_discount", "value": m{"amount": 50}, "limits": m{"budget": 149}}, 2, 100, 535},
		{m{"kind": "personal_coupon", "value": m{"amount": 1}}, 3, 3, 632},
		{m{"kind": "gift", "value": m{"product_id": cup}, "conditions": m{"product_ids": l{cup}}}, 1, 0, 635},
		{m{"kind": "discount", "value": m{"percent": 50}, "ends_at": "2020-01-01T00:00:00Z", "conditions": m{"min_total": 5000}}, 0, 0, 635}, // its time window is ignored, its conditions apply
	} {
		c.with["name"] = "Preview"
		got := a.Result("POST", "/promotions/preview", a.Owner, m{"item": c.with, "days": 7})
		if got["orders"] != 3.0 || got["orders_touched"] != c.touched || got["discount_total"] != c.discount || got["revenue_before"] != 635.0 || got["revenue_after"] != c.after {
			t.Errorf("%v: %v", c.with, got)
		}
	}
	if list := a.Result("GET", "/promotions", a.Owner, nil); list["total"] != 1.0 {
		t.Errorf("%v", list)
	}
	if now := a.Result("GET", fmt.Sprintf("/promotions/%v", off["id"]), a.Owner, nil); now["used"] != 1.0 || now["spent"] != 5.0 {
		t.Errorf("%v", now)
	}
	a.Refused("POST", "/promotions/preview", a.Owner, m{"item": m{"name": "x", "kind": "discount", "value": m{"percent": 5}}, "days": 91}, 400, "INVALID_REQUEST")
	a.Refused("POST", "/promotions/preview", a.Owner, m{"item": m{"name": "x", "kind": "discount", "value": m{"percent": 500}}, "days": 9}, 400, "PROMOTION_INVALID")
}

// Codes are issued by hand to customers of the shop, to all or none.
func TestCodesAreIssuedByHand(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	made := a.Result("POST", "/promotions", a.Owner, item(m{"name": "Sorry", "kind": "personal_coupon", "value": m{"amount": 5}}))
	coupon := a.Result("POST", "/promotions", a.Owner, item(m{"name": "C", "kind": "coupon", "code": "CCC", "value": m{"amount": 5}}))
	path := fmt.Sprintf("/promotions/%v", made["id"])
	ann := a.Buyer("ann@people.test")
	a.Ordered(ann)
	a.Refused("POST", path+"/issue", a.Owner, m{"user_ids": l{ann, a.Buyer("eve@people.test")}}, 400, "PROMOTION_INVALID") // not a customer
	a.Refused("POST", path+"/issue", a.Owner, m{"user_ids": l{}}, 400, "PROMOTION_INVALID")
	a.Refused("POST", path+"/issue", a.Owner, m{"user_ids": l{ann, 99999999}}, 400, "PROMOTION_INVALID")
	a.Refused("POST", path+"/issue", a.Owner, m{"user_ids": l{ann, ann}}, 400, "PROMOTION_INVALID")
	a.Refused("POST", fmt.Sprintf("/promotions/%v/issue", coupon["id"]), a.Owner, m{"user_ids": l{ann}}, 400, "PROMOTION_INVALID")
	if list := a.Result("GET", path+"/codes", a.Owner, nil); list["total"] != 0.0 {
		t.Errorf("%v", list)
	}
	issued := a.Result("POST", path+"/issue", a.Owner, m{"user_ids": l{ann}})["codes"].(l)
	if len(issued) != 1 || issued[0].(m)["expires_at"] != nil {
		t.Errorf("%v", issued)
	}
	a.Refused("GET", path+"/codes", a.Stranger, nil, 404, "PROMOTION_NOT_FOUND")
	// The data export of a buyer contains the codes, and deleting the account deletes them.
	session := a.Session(ann)
	if export := a.OK("GET", "/v1/account/export", session, nil); len(export["coupons"].(l)) != 1 {
		t.Errorf("%v", export["coupons"])
	}
}
