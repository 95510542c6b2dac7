package cart_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
)

// The checkout form is saved with the cart of its buyer until the order is placed, and is kept
// when a guest becomes an account.
func TestTheCheckoutFormIsSavedWithTheCart(t *testing.T) {
	b := open(t)
	tea := b.product(b.Owner, nil)
	at := fmt.Sprintf("/cart/checkout?company_id=%d", b.Shop.ID)
	typed := m{"company_id": b.Shop.ID, "contact": m{"name": "Ann", "phone": "+44 20", "email": "ann@people.test"}, "address": m{"street": "High Street 1", "city": "Bath"}, "comment": "Ring twice"}
	comment := func(who string) any { return b.Result("GET", at, who, nil)["comment"] }
	guest := b.OK("POST", "/v1/auth/guest", "", m{})["result"].(m)["token"].(string)
	if got := comment(guest); got != "" {
		t.Errorf("before anything was saved: %v", got)
	}
	b.OK("POST", b.line(tea, "default"), guest, m{"quantity": 1})
	b.OK("PUT", "/cart/checkout", guest, typed)
	if got := b.Result("GET", at, guest, nil); got["comment"] != "Ring twice" || got["address"].(m)["city"] != "Bath" || got["contact"].(m)["phone"] != "+44 20" {
		t.Errorf("saved %v", got)
	}
	if got := comment(b.buyer); got != "" {
		t.Errorf("another buyer has %v", got)
	}
	b.Refused("GET", at, "", nil, 401, "UNAUTHENTICATED")
	b.Refused("PUT", "/cart/checkout", guest, m{"company_id": b.Shop.ID, "address": strings.Repeat("x", 9000)}, 400, "INVALID_REQUEST")
	b.Refused("PUT", "/cart/checkout", guest, m{"company_id": b.Shop.ID, "comment": strings.Repeat("x", 4001)}, 400, "INVALID_REQUEST")

	ann := m{"email": "bea@people.test", "password": "a long password"}
	b.OK("POST", "/v1/auth/register", "", ann)
	token := b.OK("POST", "/v1/auth/login", guest, ann)["result"].(m)["token"].(string)
	if got := comment(token); got != "Ring twice" {
		t.Errorf("the account has %v", got)
	}
	typed["expected_total"] = 7
	if told := b.OK("GET", "/v1/account/export", token, nil); !strings.Contains(fmt.Sprint(told["checkout"], told["result"]), "Ring twice") {
		t.Errorf("the export lacks the checkout form: %v", told)
	}
	b.OK("POST", "/cart/confirm", token, typed)
	b.OK("PUT", "/cart/checkout", token, typed) // a delayed call must not restore the form
	if got := comment(token); got != "" {
		t.Errorf("after the order: %v", got)
	}
}

// When a guest becomes an account, the address of their order is added to the address book.
func TestTheAddressOfAnOrderIsAddedToANewAccount(t *testing.T) {
	for name, becomes := range map[string]func(b basket, guest string) string{
		"register": func(b basket, guest string) string {
			return b.OK("POST", "/v1/auth/register", guest, m{"email": "bea@people.test", "password": "a long password"})["result"].(m)["token"].(string)
		},
		"sign in": func(b basket, guest string) string {
			bea := m{"email": "bea@people.test", "password": "a long password"}
			b.OK("POST", "/v1/auth/register", "", bea)
			return b.OK("POST", "/v1/auth/login", guest, bea)["result"].(m)["token"].(string)
		},
		"a code": func(b basket, _ string) string {
			b.OK("POST", "/v1/auth/code", "", m{"email": "bea@people.test"})
			return b.OK("POST", "/v1/auth/code/confirm", "", m{"email": "bea@people.test", "code": b.Code("bea@people.test")})["result"].(m)["token"].(string)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t)
			tea := b.product(b.Owner, nil)
			guest := b.OK("POST", "/v1/auth/guest", "", m{})["result"].(m)["token"].(string)
			b.OK("POST", b.line(tea, "default"), guest, m{"quantity": 1})
			b.OK("POST", "/cart/confirm", guest, apitest.Map{"company_id": b.Shop.ID, "contact": m{"name": "Bea", "phone": "+44 20 1", "email": "bea@people.test"}, "address": m{"street": "High Street 1", "city": "Bath"}})
			account := becomes(b, guest)
			book := b.OK("GET", fmt.Sprintf("/v1/account/addresses?company_id=%d", b.Shop.ID), account, nil)["result"].(l)
			if len(book) != 1 || book[0].(m)["street"] != "High Street 1" || book[0].(m)["name"] != "Bea" || book[0].(m)["is_default"] != true {
				t.Errorf("the address book has %v", book)
			}
		})
	}
}
