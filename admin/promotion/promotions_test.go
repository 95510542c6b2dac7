package promotion_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

type (
	m = apitest.Map
	l = []any
)

func item(fields m) m { return m{"item": fields} }

func TestAPromotionIsCreatedChangedAndDeleted(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	tea := a.Result("POST", "/products", a.Owner, item(m{"name": "Tea"}))["id"]
	section := a.Result("POST", "/categories", a.Owner, item(m{"name": "Teas", "type": "product"}))["id"]
	made := a.Result("POST", "/promotions", a.Owner, item(m{
		"name": " Spring ", "kind": "coupon", "code": " spring-10 ", "value": m{"percent": 12.5}, "limits": m{"total": 5},
		"starts_at": "2026-01-01T00:00:00Z", "conditions": m{"product_ids": l{tea}, "category_ids": l{section}, "min_total": 50},
	}))
	if made["name"] != "Spring" || made["code"] != "SPRING-10" || made["active"] != true || made["priority"] != 100.0 || made["stacking"] != "stack" ||
		made["value"].(m)["percent"] != 12.5 || made["limits"].(m)["total"] != 5.0 || made["used"] != 0.0 {
		t.Errorf("%v", made)
	}
	path := fmt.Sprintf("/promotions/%v", made["id"])
	changed := a.Result("PUT", path, a.Owner, item(m{"conditions": nil, "ends_at": "2027-01-01T00:00:00Z"}))
	if changed["conditions"].(m)["min_total"] != 0.0 || len(changed["conditions"].(m)["product_ids"].(l)) != 0 || changed["code"] != "SPRING-10" {
		t.Errorf("%v", changed)
	}
	a.Refused("POST", "/promotions", a.Owner, item(m{"name": "x", "kind": "coupon", "code": "Spring-10", "value": m{"amount": 1}}), 409, "PROMO_CODE_TAKEN")
	// Sending back the response changes nothing.
	back := a.Result("PUT", path, a.Owner, item(changed))
	for field, was := range changed {
		if field != "updated_at" && fmt.Sprint(back[field]) != fmt.Sprint(was) {
			t.Errorf("%s: %v became %v", field, was, back[field])
		}
	}
	if off := a.Result("POST", path+"/deactivate", a.Owner, nil); off["active"] != false {
		t.Errorf("%v", off)
	}
	if list := a.Result("GET", "/promotions?filter.active=false&filter.kind=coupon&filter.query=spri", a.Owner, nil); list["total"] != 1.0 {
		t.Errorf("%v", list)
	}
	a.OK("POST", path+"/activate", a.Owner, nil)
	a.Refused("GET", path, a.Stranger, nil, 404, "PROMOTION_NOT_FOUND")
	a.OK("DELETE", path, a.Owner, nil)
	a.Refused("GET", path, a.Owner, nil, 404, "PROMOTION_NOT_FOUND")
	a.OK("POST", "/promotions", a.Owner, item(m{"name": "x", "kind": "coupon", "code": "SPRING-10", "value": m{"amount": 1}}))
}

// An invalid promotion is refused with the name of the invalid field first.
func TestInvalidPromotionsAreRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	tea := a.Result("POST", "/products", a.Owner, item(m{"name": "Tea"}))["id"]
	theirs := a.Result("POST", "/products", a.Stranger, item(m{"name": "Theirs"}))["id"]
	base := func() m { return m{"name": "x", "kind": "discount", "value": m{"percent": 10}} }
	for _, c := range []struct {
		field string
		with  m
	}{
		{"name", m{"name": " "}}, {"name", m{"name": strings.Repeat("я", 256)}}, {"kind", m{"kind": "gratis"}}, {"stacking", m{"stacking": "all"}},
		{"priority", m{"priority": -1}}, {"ends_at", m{"starts_at": "2026-01-02T00:00:00Z", "ends_at": "2026-01-01T00:00:00Z"}},
		{"ends_at", m{"starts_at": "2026-01-02T00:00:00Z", "ends_at": "2026-01-02T00:00:00Z"}}, {"starts_at", m{"starts_at": "now"}},
		{"value", m{"value": m{"percent": 0}}}, {"value", m{"value": m{"percent": 100.001}}}, {"value", m{"value": m{"percent": 100.01}}},
		{"value", m{"value": m{"percent": -1}}}, {"value", m{"value": m{"percent": 1e308}}}, {"value", m{"value": m{"amount": 0}}},
		{"value", m{"value": m{"amount": 2_000_000_001}}}, {"value", m{"value": m{}}}, {"value", m{"value": nil}}, {"value", m{"value": m{"percent": 1, "amount": 1}}},
		{"value", m{"value": m{"product_id": tea}}}, {"value", m{"kind": "gift"}}, {"value", m{"kind": "gift", "value": m{"product_id": theirs}}},
		{"value", m{"kind": "gift", "value": m{"product_id": 999999}}}, {"value", m{"kind": "gift", "value": m{"product_id": tea, "quantity": 0}}},
		{"value", m{"kind": "gift", "value": m{"product_id": tea, "variant_id": 7}}}, {"value", m{"kind": "gift", "value": m{"product_id": tea, "per_quantity": 0}}},
		{"code", m{"kind": "coupon"}}, {"code", m{"kind": "coupon", "code": "a b c"}}, {"code", m{"kind": "coupon", "code": "СПРИНГ"}},
		{"code", m{"kind": "coupon", "code": "ab"}}, {"code", m{"kind": "coupon", "code": strings.Repeat("A", 33)}}, {"code", m{"code": "SPRING"}},
		{"conditions", m{"conditions": m{"product_ids": l{theirs}}}}, {"conditions", m{"conditions": m{"exclude_product_ids": l{999999}}}},
		{"conditions", m{"conditions": m{"category_ids": l{999999}}}}, {"conditions", m{"conditions": m{"min_total": -1}}},
		{"conditions", m{"conditions": "all"}}, {"conditions", m{"conditions": m{"customer_group_ids": l{1}}}},
		{"conditions", m{"conditions": m{"min_totl": 100}}}, {"value", m{"value": m{"percent": 10, "precent": 1}}}, {"limits", m{"limits": m{"all": 5}}},
		{"value", m{"value": m{"percent": "10"}}}, {"conditions", m{"conditions": m{"min_total": 1.5}}}, {"limits", m{"limits": l{}}},
		{"limits", m{"limits": m{"total": 0}}}, {"limits", m{"limits": m{"budget": -5}}}, {"issue", m{"issue": m{"on": "order_completed"}}},
		{"issue", m{"kind": "personal_coupon", "issue": m{"on": "birth"}}}, {"issue", m{"kind": "personal_coupon", "issue": m{"days": -1}}},
	} {
		fields := base()
		for k, v := range c.with {
			fields[k] = v
		}
		answer := a.Refused("POST", "/promotions", a.Owner, item(fields), 400, "PROMOTION_INVALID")
		if text, _ := answer["error"].(string); !strings.Contains(text, "PROMOTION_INVALID: item."+c.field+":") {
			t.Errorf("%v: %s", c.with, text)
		}
	}
	answer := a.Refused("POST", "/promotions", a.Owner, item(m{"name": "x", "kind": "discount", "value": m{"amount": 1.5}}), 400, "PROMOTION_INVALID")
	if text, _ := answer["error"].(string); !strings.HasSuffix(text, "; got number 1.5 for amount") {
		t.Errorf("a fractional amount: %s", text)
	}
	a.Refused("POST", "/promotions", a.Dev, item(base()), 403, "PAT_CONTOUR_MISMATCH")
	if list := a.Result("GET", "/promotions", a.Owner, nil); list["total"] != 0.0 {
		t.Errorf("%v", list)
	}
}

// Of many concurrent promotions with the same code one is created, and a shop has at most a
// thousand promotions, even with concurrent requests.
func TestConcurrentPromotionsStayWithinTheLimits(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	coupon := func(n int) m {
		return item(m{"name": fmt.Sprint(n), "kind": "coupon", "code": "ONE", "value": m{"amount": 1}})
	}
	statuses := func(n int, body func(int) m) map[int]int {
		var counted sync.Map
		var wait sync.WaitGroup
		for i := range n {
			wait.Go(func() {
				counted.Store(i, a.Send(apitest.Request{Method: "POST", Path: "/promotions", Key: a.Owner, Body: body(i)}).Status)
			})
		}
		wait.Wait()
		out := map[int]int{}
		counted.Range(func(_, status any) bool { out[status.(int)]++; return true })
		return out
	}
	if got := statuses(12, coupon); got[200] != 1 || got[409] != 11 {
		t.Errorf("%v", got)
	}
	err := a.Store.Write(t.Context(), a.Shop.ID, func(tx *store.Tx) error {
		for i := range sales.MaxPromotions - 3 {
			if _, err := sales.SavePromotion(t.Context(), tx, sales.Promotion{
				Name: fmt.Sprint(i), Kind: "discount", Stacking: "stack", Value: sales.PromotionValue{Points: 1}, Active: true,
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	discount := func(n int) m { return item(m{"name": fmt.Sprint(n), "kind": "discount", "value": m{"percent": 5}}) }
	if got := statuses(8, discount); got[200] != 2 || got[400] != 6 {
		t.Errorf("%v", got)
	}
	// A cart with all of them can be priced.
	tea := a.Result("POST", "/products", a.Owner, item(m{"name": "Tea", "is_published": true, "price": m{"price": 1000}}))["id"]
	if got := a.Result("POST", "/cart/quote", "", m{"company_id": a.Shop.ID, "items": l{m{"product_id": tea, "key": "default", "quantity": 1}}}); got["subtotal"] != 950.0 {
		t.Errorf("%v", got["subtotal"])
	}
}

// A gift that is hidden or deleted is not given, and nothing else changes.
func TestADeletedGiftIsNotGiven(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	of := func(name string, price int) string {
		return fmt.Sprint(a.Result("POST", "/products", a.Owner, item(m{"name": name, "is_published": true, "price": m{"price": price}}))["id"])
	}
	tea, cup := of("Tea", 10), of("Cup", 7)
	gift := a.Result("POST", "/promotions", a.Owner, item(m{"name": "Cup", "kind": "gift", "value": m{"product_id": cup, "quantity": 2}, "conditions": m{"product_ids": l{tea}}}))
	lines := func() l {
		return a.Result("POST", "/cart/quote", "", m{"company_id": a.Shop.ID, "items": l{m{"product_id": tea, "key": "default", "quantity": 1}}})["items"].(l)
	}
	if got := lines(); len(got) != 2 || got[1].(m)["is_gift"] != true || got[1].(m)["quantity"] != 2.0 || got[1].(m)["total"] != 0.0 || got[1].(m)["base_unit_price"] != 7.0 {
		t.Errorf("%v", got)
	}
	a.OK("PUT", "/products/"+cup, a.Owner, item(m{"is_published": false}))
	if got := lines(); len(got) != 1 {
		t.Errorf("%v", got)
	}
	a.OK("PUT", "/products/"+cup, a.Owner, item(m{"is_published": true}))
	a.OK("DELETE", "/products/"+cup, a.Owner, nil)
	if got := lines(); len(got) != 1 {
		t.Errorf("%v", got)
	}
	path := fmt.Sprintf("/promotions/%v", gift["id"])
	a.OK("PUT", path, a.Owner, item(m{"name": "Renamed"})) // although its gift was deleted
	a.Refused("PUT", path, a.Owner, item(m{"value": m{"product_id": cup}}), 400, "PROMOTION_INVALID")
	set := a.Result("POST", "/products", a.Owner, item(m{"name": "Set", "kind": "combo", "combo_items": l{m{"product_id": tea, "quantity": 1}}}))["id"]
	a.Refused("PUT", path, a.Owner, item(m{"value": m{"product_id": set}}), 400, "PROMOTION_INVALID")
}
