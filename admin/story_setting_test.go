package admin_test

import "fmt"

// settings sets the shop up: what it says of itself and how it delivers.
func (r *recorder) settings() {
	session := r.Session(r.OwnerID)
	r.do(session, "PUT", "/v1/shop/settings", object{
		"language": "en", "timezone": "Europe/Berlin", "contacts": object{"phone": "+49 30 5550", "email": "hello@example.com"},
		"tax": object{"name": "VAT", "percent": 19, "included": true}, "cancel_unpaid_after_hours": 72,
	})
	r.do(session, "GET", "/v1/shop/settings", nil)
	const options = "/v1/shop/delivery-options"
	made := r.do(session, "POST", options, object{"name": "Courier", "price": 6, "free_from": 90, "needs_address": true})
	r.do("", "GET", fmt.Sprintf("%s?company_id=%d", options, r.Shop.ID), nil)
	one := options + "/" + id(result(made, "id"))
	r.do(session, "PUT", one, object{"price": 5})
	r.do(session, "DELETE", one, nil)
}
