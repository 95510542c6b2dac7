package order_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// taxedShop is a shop whose prices are without tax, with one product that guests order.
func taxedShop(t *testing.T, percent float64) *guestShop {
	t.Helper()
	x := newGuestShop(t)
	x.rate(percent, false)
	x.OK("POST", "/v1/shop/delivery-options", x.owner, m{"name": "Post", "price": 13})
	return x
}

func (x *guestShop) rate(percent float64, included bool) {
	x.t.Helper()
	x.OK("PUT", "/v1/shop/settings", x.owner, m{"tax": m{"included": included, "default_country": "DE", "exempt_eu_business": true, "rates": l{
		m{"country": "DE", "class": "standard", "name": "VAT", "percent": percent}, m{"country": "FR", "class": "standard", "name": "TVA", "percent": 20},
	}}})
}

// The taxes of an order are those of the moment when it was made. Its payment is for the total with
// them.
func TestTheTaxesOfAnOrderAreFrozen(t *testing.T) {
	t.Parallel()
	x := taxedShop(t, 19)
	_, answer, guest := x.order(m{"payment_method": ""})
	made := answer["result"].(m)
	x.rate(7, true)
	read := x.Result("GET", fmt.Sprintf("/orders/%v", made["id"]), guest, nil)
	for _, o := range []m{made, read} {
		if got, want := fmt.Sprint(o["grand_total"], o["tax"], o["tax_total"], o["taxes"], o["items"].(l)[0].(m)["taxes"]),
			"24 <nil> 4 [map[amount:4 base:20 name:VAT percent:19]] [map[name:VAT percent:19]]"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	paid := x.Result("POST", fmt.Sprintf("/orders/%v/payment/confirm", made["id"]), x.owner, m{})
	if got := paid["payment"].(m)["amount_minor"]; got != 2400.0 {
		t.Errorf("paid %v", got)
	}
}

// A shop that changes a rate while a checkout runs does not make the buyer pay another sum than
// the page showed.
func TestOtherTaxesRefuseTheShownTotal(t *testing.T) {
	t.Parallel()
	x := taxedShop(t, 19)
	if status, answer, _ := x.order(m{"expected_total": 7, "expected_grand_total": 24}); status != 200 {
		t.Fatal(answer)
	}
	x.rate(24, false)
	if status, answer, _ := x.order(m{"expected_total": 7, "expected_grand_total": 24, "address": m{"country": "DE"}}); status != 400 || apitest.Code(answer) != "PRICE_CHANGED" {
		t.Errorf("%d %v", status, answer)
	}
	if status, answer, _ := x.order(m{"expected_total": 7, "expected_grand_total": 20, "address": m{"country": "CH"}}); status != 200 {
		t.Errorf("to Switzerland: %d %v", status, answer)
	}
}

// An order from before taxes were stored for each rate shows those of its single rate.
func TestAnOrderFromBeforeHasTheTaxOfItsRate(t *testing.T) {
	t.Parallel()
	x := newGuestShop(t)
	x.OK("PUT", "/v1/shop/settings", x.owner, m{"tax": m{"name": "VAT", "percent": 19.5}})
	_, answer, guest := x.order(nil)
	made := answer["result"].(m)
	before := fmt.Sprint(made["tax"], made["tax_total"], made["taxes"], made["items"].(l)[0].(m)["taxes"])
	if want := "map[amount:1 name:VAT percent:19.5] 1 [map[amount:1 base:6 name:VAT percent:19.5]] [map[name:VAT percent:19.5]]"; before != want {
		t.Errorf("%s, want %s", before, want)
	}
	for _, table := range []string{"shop_order", "order_line"} {
		if _, err := x.Store.Pool.Exec(t.Context(), `UPDATE `+table+` SET taxes = NULL`); err != nil {
			t.Fatal(err)
		}
	}
	read := x.Result("GET", fmt.Sprintf("/orders/%v", made["id"]), guest, nil)
	if after := fmt.Sprint(read["tax"], read["tax_total"], read["taxes"], read["items"].(l)[0].(m)["taxes"]); after != before {
		t.Errorf("%s, want %s", after, before)
	}
}

func TestVATNumbersAreChecked(t *testing.T) {
	t.Parallel()
	x := taxedShop(t, 19)
	for number, want := range map[string]string{"": "", " fr 12 123 456 789 ": "FR12123456789", "DE123456789": "DE123456789"} {
		status, answer, _ := x.order(m{"contact": m{"name": "Ann", "phone": "1", "vat_number": number}})
		if status != 200 || answer["result"].(m)["contact"].(m)["vat_number"] != want {
			t.Errorf("%q: %d %v", number, status, answer)
		}
	}
	for _, nonsense := range []string{"x", "DE1", "XX123456789", "12345678", "DE123456789'--"} {
		if status, answer, _ := x.order(m{"contact": m{"name": "Ann", "phone": "1", "vat_number": nonsense}}); status != 400 || apitest.Code(answer) != "CONTACT_INVALID" {
			t.Errorf("%q: %d %v", nonsense, status, answer)
		}
		if status, answer := x.Call("POST", "/cart/quote", "", m{"company_id": x.Shop.ID, "items": l{}, "vat_number": nonsense}); status != 400 || apitest.Code(answer) != "CONTACT_INVALID" {
			t.Errorf("quote %q: %d %v", nonsense, status, answer)
		}
	}
	for number, sum := range map[string]float64{"FR12123456789": 20, "ATU12345678": 24, "": 24} {
		_, answer, _ := x.order(m{"contact": m{"name": "Ann", "phone": "1", "vat_number": number}, "address": m{"country": "FR"}})
		if got := answer["result"].(m)["grand_total"]; got != sum {
			t.Errorf("%q: %v, want %v", number, got, sum)
		}
	}
}

// A shop that counts in cents has them on its papers and in its letters, and is paid in them.
func TestAShopWithCentsPrintsItsTaxes(t *testing.T) {
	t.Parallel()
	x := taxedShop(t, 19)
	err := x.Store.Write(t.Context(), x.Shop.ID, func(tx *store.Tx) error {
		tx.Changed(shop.Key{Kind: shop.KeyShop})
		_, err := tx.PG.Exec(t.Context(), `UPDATE company SET price_digits = 2 WHERE id = $1`, x.Shop.ID)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	id, _ := x.made(m{"payment_method": ""})
	paid := x.Result("POST", "/orders/"+id+"/payment/confirm", x.owner, m{})
	if got := paid["payment"].(m)["amount_minor"]; got != 24.0 {
		t.Errorf("paid %v", got)
	}
	x.OK("POST", "/orders/"+id+"/invoice", x.owner, nil)
	_, invoice, _ := x.page("/orders/"+id+"/papers/invoice", x.Owner)
	letter := x.Result("GET", "/v1/shop/letters?filter.name=order_made_seller", x.owner, nil)["items"].(l)[0].(m)["text"].(string)
	for _, sum := range []string{"€0.24", "€0.04", "€0.13"} {
		if !strings.Contains(invoice, sum) || !strings.Contains(letter, sum) {
			t.Errorf("%s is not in %s\nor not in %s", sum, invoice, letter)
		}
	}
}
