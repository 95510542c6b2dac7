package customer_test

import (
	"fmt"
	"testing"

	"vitrine/internal/shop"
)

func TestARuleIsCountedBeforeItBecomesAGroup(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.buys(d.guest(), "ann@people.test")
	d.buys(d.guest(), "ben@people.test")
	d.buys(d.guest(), "ben@people.test")
	for _, c := range []struct {
		rule m
		want any
	}{{m{"spent_more_than": 49}, 2.0}, {m{"spent_more_than": 50}, 1.0}, {m{"spent_more_than": 100}, 0.0}, {m{"ordered_since": "2000-01-01"}, 2.0}, {m{"ordered_since": "2100-01-01"}, 0.0}} {
		if got := d.Result("POST", "/customer-groups/preview", d.Owner, m{"rule": c.rule})["count"]; got != c.want {
			t.Errorf("%v: %v, want %v", c.rule, got, c.want)
		}
	}
	for _, rule := range []any{nil, m{}, m{"spent_more_than": -1}, m{"spent_more_than": 1, "ordered_since": "2000-01-01"}, "x"} {
		d.Refused("POST", "/customer-groups/preview", d.Owner, m{"rule": rule}, 400, "CUSTOMER_GROUP_INVALID")
	}
	d.Refused("POST", "/customer-groups/preview", d.Session(d.Member(shop.Editor)), m{"rule": m{"spent_more_than": 1}}, 403, "ROLE_REQUIRED")
	if got := d.list("/customer-groups"); len(got) != 0 {
		t.Errorf("a preview stored %v", got)
	}
}

// A dry run of an erasure counts what the erasure erases, and erases nothing.
func TestADryRunOfAnErasureCountsWhatIsKept(t *testing.T) {
	t.Parallel()
	d := open(t)
	ann := d.proven("ann@people.test")
	order := d.buys(ann, "ann@people.test")
	d.buys(d.guest(), "ben@people.test")
	d.OK("POST", fmt.Sprintf("/orders/%v/messages", order["id"]), ann, m{"text": "Hello"})
	d.OK("POST", fmt.Sprintf("/products/%v/reviews", d.product), ann, m{"company_id": d.Shop.ID, "rating": 5})
	d.OK("PUT", fmt.Sprintf("/v1/account/wishlist/%v", d.product), ann, m{"company_id": d.Shop.ID})
	one := "/customers/" + d.list("/customers?filter.query=ann@people.test")[0]["id"].(string)
	held := func() m {
		return d.Result("POST", one+"/erase", d.Owner, m{"dry_run": true})["would_erase"].(m)
	}
	for range 2 { // the first changes nothing
		got := held()
		for what, want := range map[string]float64{"orders": 1, "messages": 1, "reviews": 1, "questions": 0, "wishes": 1, "leads": 0} {
			if got[what] != want {
				t.Errorf("%s: %v, want %v", what, got[what], want)
			}
		}
	}
	if got := d.Result("POST", one+"/erase", d.Owner, m{"dry_run": true})["erased_at"]; got != nil {
		t.Errorf("erased at %v", got)
	}
	if got := d.Result("POST", one+"/erase", d.Owner, nil); got["erased_at"] == nil || got["would_erase"] != nil {
		t.Errorf("%v", got)
	}
	for what, n := range held() {
		if n != 0.0 {
			t.Errorf("%v %s are left", n, what)
		}
	}
	d.Refused("POST", "/customers/999999/erase", d.Owner, m{"dry_run": true}, 404, "CUSTOMER_NOT_FOUND")
}

func TestCustomersAndOrdersAreFoundByATelephoneInAnyNotation(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.OK("POST", "/customers", d.Owner, m{"email": "ann@people.test", "name": "Ann", "phone": "+7 (916) 123-45-67"})
	guest := d.guest()
	d.OK("POST", fmt.Sprintf("/cart/items/%v/default", d.product), guest, m{"quantity": 1})
	d.OK("POST", "/cart/confirm", guest, m{"company_id": d.Shop.ID, "contact": m{"name": "Ben", "phone": "8 916 123 45 67"}})
	for query, want := range map[string]int{
		"%2B7 (916) 123-45-67": 2, "89161234567": 2, "9161234567": 2, "916-123": 2, "0079161234567": 2, "4567": 2, "99": 0, "1234599": 0, "89161234568": 0,
	} {
		path := ""
		for _, r := range query {
			if r == ' ' {
				path += "%20"
			} else {
				path += string(r)
			}
		}
		if got := d.list("/customers?filter.query=" + path); len(got) != want {
			t.Errorf("customers by %s: %d, want %d", query, len(got), want)
		}
	}
	for query, want := range map[string]float64{"+7 (916) 123-45-67": 1, "9161234567": 1, "89161234568": 0} {
		if got := d.Result("POST", "/orders", d.Owner, m{"filter": m{"query": query}})["total"]; got != want {
			t.Errorf("orders by %s: %v, want %v", query, got, want)
		}
	}
}
