package admin_test

import (
	"fmt"
	"strings"
	"time"

	"vitrine/internal/shop"
)

// buys is a buyer who starts as a guest, fills a cart and signs in, and a seller who moves the
// order.
func (r *recorder) buys(product string) {
	company := fmt.Sprintf("?company_id=%d", r.Shop.ID)
	shop := object{"company_id": r.Shop.ID}
	guest := result(r.do("", "POST", "/v1/auth/guest", nil), "token").(string)
	line := "/cart/items/" + product + "/default"
	r.do(guest, "POST", line, object{"quantity": 2, "data": object{}})
	r.do(guest, "PUT", line, object{"quantity": 3})
	r.do(guest, "POST", "/cart/merge", object{"company_id": r.Shop.ID, "merge_id": "phone", "items": list{object{"product_id": product, "key": "default", "quantity": 1}}})
	r.do(guest, "POST", "/cart/promo", object{"company_id": r.Shop.ID, "code": "spring"})
	r.do(guest, "DELETE", "/cart/promo", shop)
	r.do(guest, "PUT", "/cart/checkout", object{"company_id": r.Shop.ID, "contact": object{"name": "Ann", "phone": "+44 20 7946 0000", "email": "ann@buyers.example"}, "address": object{"street": "High Street 1", "city": "Bath"}})
	r.do(guest, "GET", fmt.Sprintf("/cart/checkout?company_id=%d", r.Shop.ID), nil)
	r.do(guest, "PUT", "/cart/contact", object{"company_id": r.Shop.ID, "email": "ann@buyers.example", "agreed": true})
	r.by("GET", "/carts", nil)
	r.do(guest, "GET", "/cart/items"+company, nil)
	r.do("", "POST", "/cart/quote", object{"company_id": r.Shop.ID, "items": list{object{"product_id": product, "key": "default", "quantity": 1}}})
	r.do(guest, "PUT", "/v1/auth/me", object{"name": "Ines", "phone": "+351 912 345 678"})
	r.book(guest, company, product)
	made := r.do(guest, "POST", "/cart/confirm", object{
		"company_id": r.Shop.ID, "contact": object{"name": "Ines", "phone": "+351 912 345 678", "email": "ines@example.com"}, "comment": "Please ring twice",
		"address": object{"city": "Lisboa", "street": "Rua do Alecrim 12", "country": "PT"},
	})
	r.do(guest, "POST", line, object{"quantity": 1})
	r.do(guest, "DELETE", line, nil)
	order := "/orders/" + id(result(made, "id"))
	r.pays(guest, order)
	r.sells(guest, order)
	r.Clock.Advance(time.Minute) // another minute of the buyer's limits
	r.OK("POST", line, guest, object{"quantity": 1})
	again := r.Result("POST", "/cart/confirm", guest, object{"company_id": r.Shop.ID, "contact": object{"name": "Ines", "phone": "+351 912 345 678"}, "address": object{"street": "Rua do Alecrim 12", "country": "PT"}})
	r.do(guest, "POST", fmt.Sprintf("/orders/%v/cancel", again["id"]), nil)
	r.do(r.Session(r.OwnerID), "POST", "/orders/manual", object{
		"contact": object{"name": "Ann", "phone": "+44 20 7946 0000", "email": "ann@buyers.example"}, "address": object{"city": "Porto", "street": "Rua das Flores 3", "country": "PT"},
		"items": list{object{"product_id": product, "quantity": 2, "agreed_price": 11}}, "comment": "Called at noon", "send_payment_link": true,
	})
}

// pays pays an order with the simulated provider.
func (r *recorder) pays(guest, order string) {
	begun := r.do(guest, "POST", order+"/payment", object{"method": "sandbox"})
	page := result(begun, "redirect_url").(string)
	r.do("", "GET", page, nil)
	r.do("", "POST", page, "action=pay")
	r.do("", "POST", fmt.Sprintf("/v1/payments/sandbox/%d", r.Shop.ID), `{"ref": "`+page[strings.LastIndexByte(page, '/')+1:]+`", "state": "paid"}`)
}

// book uses the buyer's address book and wishlist.
func (r *recorder) book(guest, company, product string) {
	const addresses, wishes = "/v1/account/addresses", "/v1/account/wishlist"
	kept := r.do(guest, "POST", addresses, object{"company_id": r.Shop.ID, "city": "Lisboa", "street": "Rua do Alecrim 12"})
	one := addresses + "/" + id(result(kept, "id"))
	r.do(guest, "PUT", one, object{"company_id": r.Shop.ID, "postcode": "1200-018"})
	r.do(guest, "GET", addresses+company, nil)
	r.do(guest, "GET", one+company, nil)
	r.do(guest, "DELETE", one+company, nil)
	r.do(guest, "PUT", wishes+"/"+product+company, nil)
	r.do(guest, "POST", wishes+"/merge", object{"company_id": r.Shop.ID, "product_ids": list{product}})
	r.do(guest, "GET", wishes+company, nil)
	r.do(guest, "DELETE", wishes+"/"+product+company, nil)
}

// sells follows an order as the seller and as the buyer.
func (r *recorder) sells(buyer, order string) {
	session := r.Session(r.OwnerID)
	r.do(buyer, "GET", order, nil)
	r.do(buyer, "POST", order+"/messages", object{"text": "When will it come?"})
	r.by("POST", "/orders", object{"filter": object{"company_id": r.Shop.ID, "status": list{"new"}}, "sort": object{"field": "created_at", "order": "desc"}})
	r.by("GET", "/orders/export?filter.status=new", nil)
	r.do(session, "GET", order+"/messages", nil)
	r.do(session, "POST", order+"/messages/seen", nil)
	r.by("GET", "/orders/counts", nil)
	r.by("PUT", order+"/note", object{"text": "Calls before 10"})
	r.by("PUT", order+"/tags", object{"tags": list{"gift wrap", "regular"}})
	r.by("PUT", order+"/status", object{"status": "processing", "expected_status": "new"})
	r.by("PUT", "/orders/batch/status", object{"ids": list{order[len("/orders/"):]}, "status": "processing"})
	line := result(r.do(session, "GET", order, nil), "items").(list)[0].(object)["id"]
	sent := r.by("POST", order+"/shipments", object{"carrier": "dhl", "number": "JD014600003828", "shipped_at": "2026-11-22T09:00:00Z", "lines": list{object{"line_id": line, "quantity": 1}}})
	r.by("PUT", order+"/shipments/"+id(result(sent, "id")), object{"delivered_at": "2026-11-24T10:00:00Z"})
	r.by("GET", order+"/shipments", nil)
	r.by("DELETE", order+"/shipments/"+id(result(sent, "id")), nil)
	r.do(session, "POST", order+"/payment/confirm", nil)
	r.by("POST", order+"/invoice", nil)
	r.by("GET", order+"/papers/slip", nil)
	r.by("GET", "/orders/papers/invoice?ids="+strings.TrimPrefix(order, "/orders/"), nil)
	link := r.by("POST", "/orders/papers/link", object{"kind": "invoice", "ids": list{strings.TrimPrefix(order, "/orders/")}})
	r.do("", "GET", "/v1/papers/"+result(link, "url").(string)[strings.LastIndex(result(link, "url").(string), "/")+1:], nil)
	r.by("POST", order+"/refund", nil)
	r.do(session, "GET", order+"/history", nil)
}

// counts is a seller who counts stock.
func (r *recorder) counts(product string) {
	session, path := r.Session(r.OwnerID), "/products/"+product+"/stock"
	r.do(session, "PUT", path, object{"quantity": 3, "low_threshold": 3, "comment": "counted"})
	r.do(session, "GET", path+"/history?limit=10", nil)
	r.do(session, "GET", "/products/low-stock", nil)
	r.do(session, "PUT", "/products/batch/stock", object{"items": list{object{"product_id": product, "quantity": 12, "expected_quantity": 3}}})
}

// offers is a seller who creates promotions and price rules.
func (r *recorder) offers(product string) {
	spring := object{"name": "Spring", "kind": "discount", "value": object{"percent": 15}, "conditions": object{"product_ids": list{product}}}
	r.by("POST", "/promotions/preview", object{"item": spring, "days": 30})
	one := "/promotions/" + id(result(r.by("POST", "/promotions", object{"item": spring}), "id"))
	r.by("GET", one, nil)
	r.by("PUT", one, object{"item": object{"ends_at": "2031-04-01T00:00:00Z", "limits": object{"total": 100, "budget": 5000}}})
	r.by("POST", one+"/deactivate", nil)
	r.by("POST", one+"/activate", nil)
	r.by("GET", "/promotions?filter.active=true&filter.kind=discount", nil)
	r.by("DELETE", one, nil)
	thanks := "/promotions/" + id(result(r.by("POST", "/promotions", object{"item": object{
		"name": "Thank you", "kind": "personal_coupon", "value": object{"percent": 10},
		"issue": object{"on": "order_completed", "min_total": 50, "days": 60, "prefix": "THANKS-"},
	}}), "id"))
	buyer := r.do("", "POST", "/v1/auth/guest", nil)
	person := buyer["result"].(object)["user"].(object)["id"]
	r.Ordered(shop.UserID(person.(float64)))
	r.by("POST", thanks+"/issue", object{"user_ids": list{person}})
	r.by("GET", thanks+"/codes", nil)
	r.do(result(buyer, "token").(string), "GET", fmt.Sprintf("/v1/account/coupons?company_id=%d", r.Shop.ID), nil)
	rule := "/pricing-rules/" + id(result(r.by("POST", "/pricing-rules", object{"item": object{
		"name": "By the dozen", "product_ids": list{product}, "count": "product",
		"tiers": list{object{"from": 6, "percent": 10}, object{"from": 12, "price": 9}},
	}}), "id"))
	r.by("GET", rule, nil)
	r.by("PUT", rule, object{"item": object{"name": "By the half dozen"}})
	r.by("POST", rule+"/deactivate", nil)
	r.by("POST", rule+"/activate", nil)
	r.by("GET", "/pricing-rules", nil)
	r.by("DELETE", rule, nil)
}

// leaves is a person who resets the password, exports their data and deletes the account.
func (r *recorder) leaves(person object) {
	r.do("", "POST", "/v1/auth/password/forgot", object{"email": person["email"]})
	made := r.do("", "POST", "/v1/auth/password/reset", object{"token": r.Code(person["email"].(string)), "password": "another password"})
	session := result(made, "token").(string)
	r.do(session, "GET", "/v1/account/export", nil)
	r.do(session, "DELETE", "/v1/account", object{"password": "another password"})
}
