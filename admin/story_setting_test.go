package admin_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
)

// settings sets up the shop: its description and its delivery methods.
func (r *recorder) settings() {
	session := r.Session(r.OwnerID)
	r.do(session, "PUT", "/v1/shop/settings", object{
		"language": "en", "timezone": "Europe/Berlin", "contacts": object{"phone": "+49 30 5550", "email": "hello@example.com"},
		"tax": object{"name": "VAT", "percent": 19, "included": true}, "cancel_unpaid_after_hours": 72, "buyer_cancel_minutes": 30, "sandbox": true,
		"cart_reminder": object{"after_hours": 24, "ask_consent": true},
	})
	r.do(session, "GET", "/v1/shop/settings", nil)
	r.do(session, "GET", "/v1/shop/tax-rates", nil)
	const options = "/v1/shop/delivery-options"
	made := r.do(session, "POST", options, object{"name": "Courier", "free_from": 90, "needs_address": true, "rates": list{
		object{"countries": list{"PT"}, "max_weight_g": 5000, "price": 4, "days": 2}, object{"countries": list{"PT", "ES"}, "price": 6, "days": 4},
	}})
	r.do("", "GET", fmt.Sprintf("%s?company_id=%d", options, r.Shop.ID), nil)
	one := options + "/" + id(result(made, "id"))
	r.do(session, "GET", one, nil)
	r.do(session, "PUT", one, object{"name": "Courier by bicycle"})
	r.do(session, "DELETE", one, nil)
	const methods = "/v1/shop/payment-methods"
	r.do(session, "PUT", methods+"/sandbox", object{"title": "By card", "is_active": true})
	r.do(session, "PUT", methods+"/stripe", object{"title": "Stripe", "settings": object{"secret_key": "sk_test_1", "webhook_secret": "whsec_1"}})
	r.do(session, "GET", methods+"/stripe", nil)
	r.do("", "GET", fmt.Sprintf("%s?company_id=%d", methods, r.Shop.ID), nil)
}

// says is a buyer who reviews a product and asks a question, and the shop that answers.
func (r *recorder) says(product any) {
	buyer, other := r.Session(r.Buyer("ines@example.com")), r.Session(r.Buyer("jo@example.com"))
	at, shop := "/products/"+id(product), fmt.Sprintf("?company_id=%d", r.Shop.ID)
	announced := r.do(buyer, "POST", "/v1/storages/files", object{"company_id": r.Shop.ID, "section": "reviews", "file_type": "image", "original_name": "cup.jpg"})
	upload, photo := announced["upload"].(object), result(announced, "id")
	r.send(apitest.Request{Method: "PUT", Path: upload["url"].(string), Body: "\x89PNG\r\n\x1a\n"})
	r.do(buyer, "POST", "/v1/storages/files/"+upload["id"].(string)+"/done", object{"company_id": r.Shop.ID})
	review := r.do(buyer, "POST", at+"/reviews", object{
		"company_id": r.Shop.ID, "rating": 5, "text": "Strong and clear, as it should be.", "pros": "The smell", "cons": "It is gone too soon",
		"author": "Ines B.", "file_ids": list{photo}})
	r.do(buyer, "GET", at+"/reviews/own"+shop, nil)
	r.by("GET", "/reviews/"+id(result(review, "id"))+"/files/"+id(photo), nil)
	question := r.do(buyer, "POST", at+"/questions", object{"company_id": r.Shop.ID, "text": "Is it of this year?"})
	r.by("GET", "/stats?from=2026-01-01&to=2026-01-07&group=week", nil)
	r.by("GET", "/reviews?filter.status=pending", nil)
	r.by("GET", "/questions?filter.status=pending", nil)
	r.by("GET", "/reviews/"+id(result(review, "id")), nil)
	r.by("GET", "/questions/"+id(result(question, "id")), nil)
	r.by("PUT", "/reviews/"+id(result(review, "id")), object{"status": "approved", "answer": "Thank you"})
	r.by("PUT", "/questions/"+id(result(question, "id")), object{"status": "approved", "answer": "Of this spring."})
	r.by("PUT", "/reviews/batch", object{"ids": list{result(review, "id")}, "status": "approved"})
	r.by("PUT", "/questions/batch", object{"ids": list{result(question, "id")}, "status": "approved"})
	r.do(other, "POST", "/reviews/"+id(result(review, "id"))+"/helpful", object{"company_id": r.Shop.ID})
	r.do(other, "POST", "/questions/"+id(result(question, "id"))+"/helpful", object{"company_id": r.Shop.ID})
	r.do("", "GET", at+"/reviews"+shop+"&sort=helpful", nil)
	r.do("", "GET", at+"/questions"+shop, nil)
}

// closes restricts a section, issues passwords and opens it again.
func (r *recorder) closes(section any) {
	one := "/access-policies/" + id(result(r.by("POST", "/access-policies", object{
		"name": "Trade", "kind": "password", "title": "For our trade partners", "text": "Ask us for the password.",
		"resources": list{object{"type": "category", "id": section}},
	}), "id"))
	grant := r.by("POST", one+"/passwords", object{"label": "Fair in May", "password": "first flush", "uses": 100})
	r.by("GET", "/access-policies", nil)
	r.by("GET", one, nil)
	r.by("PUT", one, object{"text": "Ask us at the fair."})
	r.by("DELETE", one+"/passwords/"+id(result(grant, "id")), nil)
	r.by("DELETE", one, nil)
}

// customers adds, groups, exports, imports and erases customers.
func (r *recorder) customers() {
	group := result(r.by("POST", "/customer-groups", object{"name": "Friends"}), "id")
	groups := "/customer-groups/" + id(group)
	one := "/customers/" + id(result(r.by("POST", "/customers", object{"email": "bob@example.com", "name": "Bob", "group_ids": list{group}}), "id"))
	r.by("GET", "/customers?sort=spent&filter.query=bob", nil)
	r.by("GET", one, nil)
	r.by("PUT", one, object{"note": "Likes green tea"})
	r.by("GET", "/customers/export", nil)
	r.by("POST", "/customers/import", object{"text": "email,name,groups\nbob@example.com,Bob,Friends\n", "dry_run": true})
	r.by("POST", "/customer-groups/preview", object{"rule": object{"spent_more_than": 100}})
	r.by("GET", "/v1/search?q=bob&limit=5", nil)
	r.by("GET", "/v1/shop/today", nil)
	r.by("GET", "/v1/shop/setup", nil)
	r.by("POST", one+"/erase", object{"dry_run": true})
	r.by("POST", one+"/erase", nil)
	r.by("GET", "/customer-groups", nil)
	r.by("GET", groups, nil)
	r.by("PUT", groups, object{"rule": object{"spent_more_than": 10000}})
	r.by("DELETE", groups, nil)
}

// webhooks creates a subscription, reads its deliveries and sends one again.
func (r *recorder) webhooks(product any) {
	session := r.Session(r.OwnerID)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	r.t.Cleanup(receiver.Close)
	address := strings.Replace(receiver.URL, "127.0.0.1", "hooks.example.com", 1) + "/vitrine"
	one := "/webhooks/" + id(result(r.do(session, "POST", "/webhooks", object{"url": address, "events": list{"order.paid", "product.updated"}}), "id"))
	r.do(session, "GET", "/webhooks", nil)
	r.do(session, "GET", one, nil)
	r.do(session, "POST", one+"/test", nil)
	r.by("PUT", "/products/"+id(product), item(object{"tags": list{"black"}}))
	sent := result(r.do(session, "GET", one+"/deliveries?filter.state=queued", nil), "items").([]any)
	r.do(session, "POST", one+"/deliveries/"+id(sent[0].(object)["id"])+"/redeliver", nil)
	r.do(session, "POST", one+"/replay", object{"since": "2026-01-31T08:00:00Z"})
	r.by("GET", "/events?after=0&limit=2", nil)
	r.do(session, "PUT", one, object{"events": list{"order.paid"}, "is_active": false})
	r.do(session, "DELETE", one, nil)
	r.do(session, "POST", "/v1/shop/assistants/key/rotate", nil)
}

// assistants gives an assistant a token, blocks it and takes the token away.
func (r *recorder) assistants() {
	session := r.Session(r.OwnerID)
	const tokens = "/v1/shop/assistants/tokens"
	made := result(r.do(session, "POST", tokens, object{"name": "Chat"}), "id")
	r.do(session, "GET", tokens, nil)
	r.do(session, "GET", "/v1/shop/assistants", nil)
	r.do(session, "PUT", "/v1/shop/assistants/platforms", object{"profile": "https://agent.example.com/ucp", "blocked": true})
	r.do(session, "DELETE", tokens+"/"+id(made), nil)
}

// letters reads sent letters, changes the text of a letter and resets it.
func (r *recorder) letters() {
	session := r.Session(r.OwnerID)
	const all, made = "/v1/shop/letters", "/v1/shop/letters/order_made_buyer"
	list := result(r.do(session, "GET", all+"?filter.name=order_made_buyer", nil), "items").([]any)
	r.do(session, "GET", made, nil)
	r.do(session, "GET", all+"/templates", nil)
	words := object{"subject": "Thank you, {{.Buyer.Name}}"}
	r.do(session, "POST", made+"/preview", words)
	r.do(session, "PUT", made, words)
	r.do(session, "DELETE", made, nil)
	r.do(session, "POST", all+"/again/"+id(list[0].(object)["id"]), nil)
	r.do(session, "PUT", "/v1/shop/domain", object{"domain": "tea.example"})
	r.do(session, "GET", "/v1/shop/domain", nil)
	if err := r.Store.Write(r.t.Context(), r.Shop.ID, func(tx *store.Tx) error { return company.SetDomain(r.t.Context(), tx, "tea.example", time.Now()) }); err != nil {
		r.t.Fatal(err)
	}
	r.do(session, "POST", all+"/domain", nil)
	r.do(session, "GET", all+"/domain", nil)
	r.do(session, "DELETE", "/v1/shop/domain", nil)
}

// exports writes the shop into a file, downloads it, stops another export, and makes a shop of the file.
func (r *recorder) exports() {
	session := r.Session(r.OwnerID)
	job := id(result(r.do(session, "POST", "/v1/shop/export", nil), "id"))
	r.work()
	file := result(r.do(session, "GET", "/v1/jobs/"+job, nil), "result").(object)["url"].(string)
	r.send(apitest.Request{Method: "GET", Path: file})
	r.do(session, "DELETE", "/v1/jobs/"+id(result(r.do(session, "POST", "/v1/shop/export", nil), "id")), nil)
	archive := r.Send(apitest.Request{Method: "GET", Path: file}).Body
	r.send(apitest.Request{
		Method: "POST", Path: "/v1/shop/import?slug=moved&name=Moved", Key: session, Body: archive, Header: map[string]string{"Content-Type": "application/zip"},
	})
	r.work()
	r.movesIn(session)
}

// movesIn imports the file of another system, reads of it, and undoes it.
func (r *recorder) movesIn(session string) {
	const boundary = "export"
	form := "--" + boundary + "\r\nContent-Disposition: form-data; name=\"files[]\"; filename=\"products_export.csv\"\r\n\r\n" +
		"Handle,Title,Body (HTML),Vendor,Type,Published,Option1 Name,Option1 Value,Variant SKU,Variant Price\nkyusu,Kyusu,A pot,Tokoname,Pots,true,Title,Default Title,KYUSU,48\n" +
		"\r\n--" + boundary + "--\r\n"
	begun := r.send(apitest.Request{Method: "POST", Path: "/v1/imports", Key: session, Body: []byte(form), Header: map[string]string{"Content-Type": "multipart/form-data; boundary=" + boundary}})
	r.work()
	job := id(result(begun, "id"))
	r.do(session, "GET", "/v1/imports", nil)
	r.do(session, "GET", "/v1/imports/"+job, nil)
	r.do(session, "POST", "/v1/imports/"+job+"/undo", nil)
	r.work()
}

// work runs the jobs that wait.
func (r *recorder) work() {
	jobs := r.Admin.Jobs()
	due, err := jobs.Claim(r.t.Context(), 10)
	r.must(err)
	for _, job := range due {
		r.must(jobs.Deliver(r.t.Context(), 0, job))
	}
}
