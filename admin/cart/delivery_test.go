package cart_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
)

const options = "/v1/shop/delivery-options"

// Cart, quote and order agree on what is possible and on its price, for each destination.
func TestCartQuoteAndOrderAgreeOnDelivery(t *testing.T) {
	b := open(t)
	owner := b.Session(b.OwnerID)
	light := b.product(b.Owner, m{"weight_g": 400})
	post := fmt.Sprint(b.Result("POST", options, owner, m{"name": "Post", "free_from": 70, "rates": l{
		m{"countries": l{"DE"}, "postcodes": l{"80"}, "price": 1, "days": 1},
		m{"countries": l{"DE"}, "max_total": 21, "price": 5, "days": 3},
		m{"countries": l{"DE", "US"}, "price": 9},
	}})["id"])
	abroad := fmt.Sprint(b.Result("POST", options, owner, m{"name": "Freight", "sort_order": 1, "rates": l{m{"countries": l{"US"}, "regions": l{"NY"}, "price": 30}, m{"price": 50, "min_total": 1_000}}})["id"])
	hidden := fmt.Sprint(b.Result("POST", options, owner, m{"name": "Off", "is_active": false})["id"])
	for _, c := range []struct {
		to       m
		units    int
		delivery string // that is chosen
		want     string // ids with prices
		paid     any    // null: not possible
	}{
		{m{"country": "DE", "postcode": "80 331"}, 1, "", post + ":1", 1.0},
		{m{"country": "de", "postcode": "10115"}, 2, "", post + ":5", 5.0},
		{m{"country": "DE"}, 3, "", post + ":9", 9.0},
		{m{"country": "DE"}, 10, "", post + ":0", 0.0},
		{m{"country": "US", "region": "US-NY"}, 1, "", post + ":9 " + abroad + ":30", 9.0},
		{m{"country": "US", "region": "ny"}, 1, abroad, post + ":9 " + abroad + ":30", 30.0},
		{m{"country": "US", "region": "ca"}, 1, abroad, post + ":9", nil},
		{m{"country": "FR"}, 1, "", "", nil},
		{m{"country": "Germany"}, 1, "", "", nil},
		{m{"country": "Germany"}, 143, "", abroad + ":50", 50.0},
		{m{"country": "US"}, 1, hidden, post + ":9", nil},
		{m{}, 1, "", "", nil},
	} {
		guest := fmt.Sprint(b.Result("POST", "/v1/auth/guest", "", m{})["token"])
		b.OK("POST", b.line(light, "default"), guest, m{"quantity": c.units})
		query := fmt.Sprintf("?company_id=%d&delivery_option_id=%s", b.Shop.ID, c.delivery)
		quote := m{"company_id": b.Shop.ID, "delivery_option_id": c.delivery, "items": l{m{"product_id": light, "key": "default", "quantity": c.units}}}
		for name, value := range c.to {
			query += fmt.Sprintf("&%s=%v", name, value)
			quote[name] = value
		}
		cart := b.Result("GET", "/cart/items"+strings.ReplaceAll(query, " ", "%20"), guest, nil)
		quoted := b.Result("POST", "/cart/quote", "", quote)
		listed := ""
		for _, d := range cart["deliveries"].(l) {
			listed += fmt.Sprintf(" %v:%v", d.(m)["id"], d.(m)["price"])
		}
		if listed != "" {
			listed = listed[1:]
		}
		if listed != c.want {
			t.Errorf("%v: %s, want %s", c, listed, c.want)
		}
		for _, name := range []string{"deliveries", "delivery", "grand_total", "subtotal"} {
			if !reflect.DeepEqual(cart[name], quoted[name]) {
				t.Errorf("%v: %s is %v in the cart, %v in the quote", c, name, cart[name], quoted[name])
			}
		}
		order := m{"company_id": b.Shop.ID, "contact": m{"name": "Ann", "phone": "1"}, "address": c.to, "delivery_option_id": c.delivery}
		if c.paid == nil {
			code := "DELIVERY_NOT_POSSIBLE"
			if c.delivery == hidden {
				code = "DELIVERY_NOT_FOUND"
			}
			if cart["delivery"] != nil || cart["grand_total"] != cart["subtotal"] {
				t.Errorf("%v: %v", c, cart)
			}
			b.Refused("POST", "/cart/confirm", guest, order, 400, code)
			continue
		}
		if got := cart["delivery"].(m)["price"]; got != c.paid || cart["grand_total"] != cart["subtotal"].(float64)+c.paid.(float64) {
			t.Errorf("%v: %v", c, cart)
		}
		order["expected_grand_total"] = cart["grand_total"].(float64) + 1
		b.Refused("POST", "/cart/confirm", guest, order, 400, "PRICE_CHANGED")
		order["expected_total"], order["expected_grand_total"] = cart["subtotal"], cart["grand_total"]
		made := b.Result("POST", "/cart/confirm", guest, order)
		if d := made["delivery"].(m); made["grand_total"] != cart["grand_total"] || d["price"] != c.paid || d["days"] != cart["delivery"].(m)["days"] || d["kind"] != "delivery" {
			t.Errorf("%v: the order has %v %v", c, made["grand_total"], d)
		}
	}
}

// A shop that changes its rates while a buyer looks at the checkout refuses the old total, and a
// cart read right after the change shows the new one.
func TestChangedRatesRefuseTheTotalShown(t *testing.T) {
	b := open(t)
	owner, tea := b.Session(b.OwnerID), b.product(b.Owner, nil)
	at := options + "/" + fmt.Sprint(b.Result("POST", options, owner, m{"name": "Post", "rates": l{m{"countries": l{"DE"}, "price": 5}}})["id"])
	b.OK("POST", b.line(tea, "default"), b.buyer, m{"quantity": 1})
	items := fmt.Sprintf("/cart/items?company_id=%d&country=DE", b.Shop.ID)
	order := m{"company_id": b.Shop.ID, "contact": m{"name": "Ann", "phone": "1"}, "address": m{"country": "DE"}, "expected_total": 7, "expected_grand_total": 12}
	if cart := b.Result("GET", items, b.buyer, nil); cart["grand_total"] != 12.0 {
		t.Fatalf("%v", cart)
	}
	b.OK("PUT", at, owner, m{"rates": l{m{"countries": l{"DE"}, "price": 6}}})
	b.Refused("POST", "/cart/confirm", b.buyer, order, 400, "PRICE_CHANGED")
	if cart := b.Result("GET", items, b.buyer, nil); cart["grand_total"] != 13.0 {
		t.Errorf("%v", cart)
	}
	b.OK("PUT", at, owner, m{"rates": l{m{"countries": l{"AT"}, "price": 6}}})
	b.Refused("POST", "/cart/confirm", b.buyer, order, 400, "DELIVERY_NOT_POSSIBLE")
	b.OK("PUT", at, owner, m{"is_active": false})
	order["expected_grand_total"] = 7
	if made := b.Result("POST", "/cart/confirm", b.buyer, order); made["delivery"] != nil || made["grand_total"] != 7.0 {
		t.Errorf("%v", made)
	}
}

// The weight of a cart is that of its products, variants and components, as the API stores them.
func TestWeightDecidesTheRate(t *testing.T) {
	b := open(t)
	owner, tea := b.Session(b.OwnerID), b.product(b.Owner, m{"weight_g": 400})
	set := b.product(b.Owner, m{"kind": "combo", "combo_items": l{m{"product_id": tea, "quantity": 2}}})
	unknown := b.product(b.Owner, nil)
	b.OK("POST", options, owner, m{"name": "Post", "rates": l{m{"max_weight_g": 400, "price": 1}, m{"max_weight_g": 1200, "price": 2}, m{"min_weight_g": 1200, "price": 3}}})
	for _, c := range []struct {
		product string
		units   int
		price   any
	}{{unknown, 9, 1.0}, {tea, 1, 2.0}, {tea, 2, 2.0}, {tea, 3, 3.0}, {set, 1, 2.0}, {set, 2, 3.0}} {
		cart := b.Result("POST", "/cart/quote", "", m{"company_id": b.Shop.ID, "items": l{m{"product_id": c.product, "key": "default", "quantity": c.units}}})
		if got := cart["delivery"].(m)["price"]; got != c.price {
			t.Errorf("%d of %s: %v, want %v", c.units, c.product, got, c.price)
		}
	}
}

func TestAnOrderKeepsItsPickupPoint(t *testing.T) {
	b := open(t)
	owner, tea := b.Session(b.OwnerID), b.product(b.Owner, nil)
	made := b.Result("POST", options, owner, m{"name": "Collect", "kind": "pickup", "points": l{
		m{"id": "mill", "name": "Mill", "address": "Mill Lane 1", "hours": "9 to 5"}, m{"id": "gate", "name": "Gate"}}})
	plain := b.Result("POST", options, owner, m{"name": "Post", "sort_order": 1})
	place := func(fields m) (int, m) {
		b.OK("POST", b.line(tea, "default"), b.buyer, m{"quantity": 1})
		body := m{"company_id": b.Shop.ID, "contact": m{"name": "Ann", "phone": "1"}}
		for name, value := range fields {
			body[name] = value
		}
		return b.Call("POST", "/cart/confirm", b.buyer, body)
	}
	for _, c := range []struct {
		fields m
		point  any
	}{
		{m{}, "mill"}, {m{"delivery_point_id": "gate"}, "gate"}, {m{"delivery_option_id": made["id"], "delivery_point_id": ""}, "mill"},
		{m{"delivery_point_id": "none"}, nil}, {m{"delivery_option_id": plain["id"], "delivery_point_id": "mill"}, nil},
	} {
		status, answer := place(c.fields)
		if c.point == nil {
			if status != 400 || apitest.Code(answer) != "DELIVERY_NOT_FOUND" {
				t.Errorf("%v: %d %v", c.fields, status, answer)
			}
			continue
		}
		d, _ := answer["result"].(m)["delivery"].(m)
		if point, _ := d["point"].(m); status != 200 || d["kind"] != "pickup" || point["id"] != c.point {
			t.Errorf("%v: %d %v", c.fields, status, d)
		}
	}
	status, answer := place(nil)
	b.OK("PUT", fmt.Sprintf("%s/%v", options, made["id"]), owner, m{"points": l{}})
	read := b.Result("GET", fmt.Sprintf("/orders/%v", answer["result"].(m)["id"]), b.buyer, nil)
	want := m{"id": "mill", "name": "Mill", "address": "Mill Lane 1", "hours": "9 to 5"}
	if got := read["delivery"].(m)["point"]; status != 200 || !reflect.DeepEqual(got, want) {
		t.Errorf("the order's point is %v", got)
	}
}
