package review_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store/company"
	"vitrine/internal/store/privacy"
	"vitrine/internal/store/storetest"
)

type m = apitest.Map

// fixture is a shop with a product and buyers.
type fixture struct {
	*apitest.API
	t       *testing.T
	product string
	n       int // number of buyers so far
}

func open(t *testing.T) *fixture {
	t.Helper()
	d := &fixture{API: apitest.New(t), t: t}
	d.product = d.makes("Tea")
	return d
}

func (d *fixture) makes(name string) string {
	d.t.Helper()
	return fmt.Sprint(d.Result("POST", "/products", d.API.Owner, m{"item": m{"name": name, "price": m{"price": 14}, "is_published": true}})["id"])
}

// buyer returns a session of a new buyer.
func (d *fixture) buyer() string {
	d.n++
	return d.Session(d.Buyer(fmt.Sprintf("buyer%d@people.test", d.n)))
}

func (d *fixture) reviews(session, product string, rating int) m {
	d.t.Helper()
	return d.Result("POST", "/products/"+product+"/reviews", session, m{"company_id": d.Shop.ID, "rating": rating, "text": " Good "})
}

// card returns rating and rating_count of a product.
func (d *fixture) card(product string) string {
	d.t.Helper()
	p := d.Result("GET", "/products/"+product, d.API.Owner, nil)
	return fmt.Sprint(p["rating"], " of ", p["rating_count"])
}

// list returns the entries that a key sees at a path.
func (d *fixture) list(key, path string) []m {
	d.t.Helper()
	var list []m
	answer := d.OK("GET", path, key, nil)["result"]
	if page, moderated := answer.(m); moderated {
		answer = page["items"]
	}
	for _, one := range answer.([]any) {
		list = append(list, one.(m))
	}
	return list
}

func (d *fixture) events() (n int) {
	d.t.Helper()
	all := storetest.Events(d.t, d.Store.Pool, int(d.Shop.ID))
	for _, e := range all {
		if e.Name == "review.created" {
			n++
		}
	}
	return n
}

// A review is pending, counts once it is approved, and is reported then. A second one of the same
// buyer replaces it and is pending again.
func TestAReviewCountsOnceItIsApproved(t *testing.T) {
	t.Parallel()
	d := open(t)
	ann := d.buyer()
	made := d.reviews(ann, d.product, 4)
	if made["status"] != "pending" || made["text"] != "Good" || made["verified"] != false || made["user_id"] != nil {
		t.Errorf("%v", made)
	}
	public := fmt.Sprintf("/products/%s/reviews?company_id=%d", d.product, d.Shop.ID)
	if got := d.list("", public); len(got) != 0 || d.card(d.product) != "0 of 0" || d.events() != 0 {
		t.Errorf("before moderation: %v, %s", got, d.card(d.product))
	}
	at := "/reviews/" + made["id"].(string)
	if got := d.Result("PUT", at, d.API.Editor, m{"status": "approved", "answer": " Thank you "}); got["answer"] != "Thank you" || got["answered_at"] == nil || got["user_id"] == nil {
		t.Errorf("%v", got)
	}
	d.OK("PUT", at, d.API.Owner, m{"status": "approved"})
	got := d.list("", public)
	if len(got) != 1 || got[0]["answer"] != "Thank you" || got[0]["status"] != nil || got[0]["user_id"] != nil || d.card(d.product) != "4 of 1" || d.events() != 1 {
		t.Errorf("%v, %s, %d events", got, d.card(d.product), d.events())
	}
	if again := d.reviews(ann, d.product, 2); again["id"] != made["id"] || again["status"] != "pending" {
		t.Errorf("%v", again)
	}
	if d.card(d.product) != "0 of 0" || len(d.list("", public)) != 0 {
		t.Error("the old one still counts")
	}
	d.OK("PUT", at, d.API.Owner, m{"status": "approved"})
	d.OK("PUT", "/reviews/"+d.reviews(d.buyer(), d.product, 5)["id"].(string), d.API.Owner, m{"status": "approved"})
	if d.card(d.product) != "3.5 of 2" || d.events() != 3 {
		t.Errorf("%s, %d events", d.card(d.product), d.events())
	}
	d.OK("PUT", at, d.API.Owner, m{"status": "rejected", "answer": ""})
	page := d.OK("GET", public, "", nil)
	if d.card(d.product) != "5 of 1" || page["total"] != 1.0 || fmt.Sprint(page["stars"]) != "[0 0 0 0 1]" {
		t.Errorf("%s, %v", d.card(d.product), page)
	}
	if got := d.list(d.API.Owner, "/reviews?filter.status=rejected"); len(got) != 1 || got[0]["answered_at"] != nil {
		t.Errorf("%v", got)
	}
}

func TestAQuestionAndItsAnswer(t *testing.T) {
	t.Parallel()
	d := open(t)
	ann := d.buyer()
	at := "/products/" + d.product + "/questions"
	for range 2 { // a buyer may ask more than one
		d.OK("POST", at, ann, m{"company_id": d.Shop.ID, "text": "How hot?"})
	}
	waiting := d.list(d.API.Owner, "/questions?filter.status=pending")
	if len(waiting) != 2 || waiting[0]["rating"] != nil {
		t.Fatalf("%v", waiting)
	}
	one := "/questions/" + waiting[0]["id"].(string)
	d.OK("PUT", one, d.API.Owner, m{"status": "approved", "answer": "80 degrees"})
	public := fmt.Sprintf("%s?company_id=%d", at, d.Shop.ID)
	if got := d.list("", public); len(got) != 1 || got[0]["answer"] != "80 degrees" || d.events() != 0 || d.card(d.product) != "0 of 0" {
		t.Errorf("%v", got)
	}
	d.Refused("GET", public+"&sort=rating", "", nil, 400, "INVALID_REQUEST")
	d.Refused("PUT", "/reviews/"+waiting[0]["id"].(string), d.API.Owner, m{"status": "approved"}, 404, "REVIEW_NOT_FOUND")
	d.Refused("PUT", "/questions/999", d.API.Owner, m{"status": "approved"}, 404, "QUESTION_NOT_FOUND")
}

// The review of a buyer is marked as verified, unless the order was cancelled.
func TestReviewsOfBuyersAreVerified(t *testing.T) {
	t.Parallel()
	d := open(t)
	other := d.makes("Cup")
	ann := d.buyer()
	d.OK("POST", "/cart/items/"+d.product+"/default", ann, m{"company_id": d.Shop.ID, "quantity": 1})
	order := d.Result("POST", "/cart/confirm", ann, m{"company_id": d.Shop.ID, "contact": m{"name": "Ann", "phone": "1"}})
	if d.reviews(ann, d.product, 5)["verified"] != true || d.reviews(ann, other, 5)["verified"] != false || d.reviews(d.buyer(), d.product, 5)["verified"] != false {
		t.Error("wrong reviews are marked as verified")
	}
	d.OK("PUT", fmt.Sprintf("/orders/%v/status", order["id"]), d.API.Owner, m{"status": "cancelled"})
	if d.reviews(ann, d.product, 5)["verified"] != false {
		t.Error("a cancelled order counts as verified")
	}
}

// A vote counts once per person, only for approved entries, and not for the person's own.
func TestHelpfulVotes(t *testing.T) {
	t.Parallel()
	d := open(t)
	ann := d.buyer()
	at := "/reviews/" + d.reviews(ann, d.product, 5)["id"].(string)
	send := m{"company_id": d.Shop.ID}
	d.Refused("POST", at+"/helpful", d.buyer(), send, 404, "REVIEW_NOT_FOUND")
	d.OK("PUT", at, d.API.Owner, m{"status": "approved"})
	ben := d.buyer()
	for _, c := range []struct {
		who  string
		want float64
	}{{ann, 0}, {ben, 1}, {ben, 1}, {d.buyer(), 2}} {
		if got := d.Result("POST", at+"/helpful", c.who, send)["helpful"]; got != c.want {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
	second := d.reviews(d.buyer(), d.product, 1)["id"].(string)
	d.OK("PUT", "/reviews/"+second, d.API.Owner, m{"status": "approved"})
	for sort, first := range map[string]float64{"": 1, "newest": 1, "rating": 5, "helpful": 5} {
		if got := d.list("", fmt.Sprintf("/products/%s/reviews?company_id=%d&sort=%s", d.product, d.Shop.ID, sort)); got[0]["rating"] != first {
			t.Errorf("by %q: %v", sort, got)
		}
	}
	d.Refused("GET", fmt.Sprintf("/products/%s/reviews?company_id=%d&sort=best", d.product, d.Shop.ID), "", nil, 400, "INVALID_REQUEST")
	d.Refused("POST", at+"/helpful", d.API.Owner, send, 403, "PAT_METHOD_NOT_ALLOWED")
	d.Refused("POST", at+"/helpful", ben, m{"company_id": d.Other.ID}, 404, "REVIEW_NOT_FOUND")
	for _, unseen := range []m{{"comments_enabled": "false"}, {"comments_enabled": "true", "is_published": false}} {
		d.OK("PUT", "/products/"+d.product, d.API.Owner, m{"item": unseen})
		d.Refused("POST", at+"/helpful", ben, send, 404, "REVIEW_NOT_FOUND")
	}
}

func TestInvalidReviewsAreRefused(t *testing.T) {
	t.Parallel()
	d := open(t)
	ann := d.buyer()
	reviews, questions := "/products/"+d.product+"/reviews", "/products/"+d.product+"/questions"
	long := strings.Repeat("ё", 5001)
	for _, c := range []struct {
		path string
		send m
		code string
	}{
		{reviews, m{}, "REVIEW_INVALID"}, {reviews, m{"rating": 0}, "REVIEW_INVALID"}, {reviews, m{"rating": 6}, "REVIEW_INVALID"}, {reviews, m{"rating": -1}, "REVIEW_INVALID"},
		{reviews, m{"rating": 4.5}, "INVALID_REQUEST"}, {reviews, m{"rating": 5, "text": long}, "TEXT_TOO_LONG"}, {reviews, m{"rating": 5, "pros": long}, "TEXT_TOO_LONG"},
		{reviews, m{"rating": 5, "cons": long}, "TEXT_TOO_LONG"}, {reviews, m{"rating": 5, "file_ids": slices.Repeat([]string{"00000000-0000-4000-8000-000000000000"}, 6)}, "REVIEW_INVALID"},
		{reviews, m{"rating": 5, "file_ids": []string{"x"}}, "INVALID_REQUEST"},
		{questions, m{}, "QUESTION_INVALID"}, {questions, m{"text": "  \n"}, "QUESTION_INVALID"}, {questions, m{"text": long}, "TEXT_TOO_LONG"},
	} {
		c.send["company_id"] = d.Shop.ID
		d.Refused("POST", c.path, ann, c.send, 400, c.code)
	}
	good := m{"company_id": d.Shop.ID, "rating": 5, "text": strings.Repeat("ё", 5000), "file_ids": []string{"00000000-0000-4000-8000-000000000000"}}
	d.Refused("POST", reviews, ann, good, 404, "FILE_NOT_FOUND")
	delete(good, "file_ids")
	d.Result("POST", reviews, ann, good)
	d.Refused("POST", reviews, "", good, 401, "UNAUTHENTICATED")
	d.Refused("POST", reviews, d.API.Owner, good, 403, "PAT_METHOD_NOT_ALLOWED")
	d.Refused("POST", "/products/999/reviews", ann, good, 404, "PRODUCT_NOT_FOUND")
	d.Refused("POST", reviews, ann, m{"company_id": d.Other.ID, "rating": 5}, 404, "PRODUCT_NOT_FOUND")
	d.Result("POST", questions, ann, m{"text": "Without the shop?"}) // the product determines the shop
	d.Refused("POST", "/products/999/questions", ann, m{"text": "Is it?"}, 404, "PRODUCT_NOT_FOUND")
	d.Refused("POST", "/reviews/999/helpful", ann, m{}, 404, "REVIEW_NOT_FOUND")
	d.Refused("POST", "/questions/999/helpful", ann, m{}, 404, "QUESTION_NOT_FOUND")
	at := "/reviews/" + d.list(d.API.Owner, "/reviews")[0]["id"].(string)
	d.Refused("PUT", at, d.API.Dev, m{"status": "approved"}, 403, "PAT_CONTOUR_MISMATCH") // reviews have no draft
	d.Refused("PUT", at, d.API.Owner, m{"status": "lost"}, 400, "REVIEW_STATUS_INVALID")
	d.Refused("PUT", at, d.API.Owner, m{"answer": long}, 400, "TEXT_TOO_LONG")
	d.Refused("GET", "/reviews?filter.status=lost", d.API.Owner, nil, 400, "REVIEW_STATUS_INVALID")
	d.Refused("GET", "/reviews", d.Scoped("orders:read"), nil, 403, "PAT_SCOPE_MISSING")
	d.Refused("PUT", at, d.Scoped("catalog:read"), m{}, 403, "PAT_SCOPE_MISSING")
	d.Refused("PUT", at, d.API.Stranger, m{"status": "approved"}, 404, "REVIEW_NOT_FOUND")
	d.OK("PUT", "/products/"+d.product, d.API.Owner, m{"item": m{"is_published": false}})
	d.Refused("GET", fmt.Sprintf("%s?company_id=%d", reviews, d.Shop.ID), "", nil, 404, "PRODUCT_NOT_FOUND")
}

// The setting of a product, or otherwise of the shop, decides whether it accepts reviews and
// questions.
func TestReviewsAndQuestionsCanBeClosed(t *testing.T) {
	t.Parallel()
	d := open(t)
	ann, session := d.buyer(), d.Session(d.OwnerID)
	d.OK("PUT", "/reviews/"+d.reviews(ann, d.product, 5)["id"].(string), d.API.Owner, m{"status": "approved"})
	takes := func(path string) bool {
		status, _ := d.Call("POST", "/products/"+d.product+path, ann, m{"company_id": d.Shop.ID, "rating": 5, "text": "?"})
		return status == 200
	}
	for _, c := range []struct {
		shop bool
		own  string
		want bool
	}{{true, "", true}, {true, "false", false}, {true, "true", true}, {false, "", false}, {false, "true", true}, {false, "false", false}} {
		d.OK("PUT", "/v1/shop/settings", session, m{"comments": c.shop, "questions": c.shop})
		d.OK("PUT", "/products/"+d.product, d.API.Owner, m{"item": m{"comments_enabled": c.own, "questions_enabled": c.own}})
		if takes("/reviews") != c.want || takes("/questions") != c.want {
			t.Errorf("shop %v, product %q: not %v", c.shop, c.own, c.want)
		}
	}
	d.Refused("POST", "/products/"+d.product+"/reviews", ann, m{"company_id": d.Shop.ID, "rating": 5}, 400, "COMMENTS_DISABLED")
	if got := d.list("", fmt.Sprintf("/products/%s/reviews?company_id=%d", d.product, d.Shop.ID)); len(got) != 0 {
		t.Errorf("closed, but shows %v", got)
	}
}

func TestSubmissionsOfOneAddressAreLimited(t *testing.T) {
	t.Parallel()
	d := open(t)
	ann := d.buyer()
	say := func(who string) (string, string, m) {
		return "/products/" + d.product + "/questions", who, m{"company_id": d.Shop.ID, "text": "?"}
	}
	for n := range 30 {
		if n%5 == 0 {
			ann = d.buyer()
		}
		path, who, send := say(ann)
		d.OK("POST", path, who, send)
	}
	path, who, send := say(d.buyer())
	d.Refused("POST", path, who, send, 429, "RATE_LIMITED")
}

// Removing a person deletes their texts; the ratings stay.
func TestRatingsOfADeletedPersonStay(t *testing.T) {
	t.Parallel()
	d := open(t)
	ann := d.buyer()
	d.OK("PUT", "/reviews/"+d.reviews(ann, d.product, 5)["id"].(string), d.API.Owner, m{"status": "approved"})
	d.OK("POST", "/products/"+d.product+"/questions", ann, m{"company_id": d.Shop.ID, "text": "My name is Ann"})
	me := shop.UserID(d.Result("GET", "/v1/auth/me", ann, nil)["id"].(float64))
	was, err := company.Info(t.Context(), d.Store.Shop(d.Shop.ID))
	if err != nil {
		t.Fatal(err)
	}
	if err := privacy.RemovePerson(t.Context(), d.Store, me); err != nil {
		t.Fatal(err)
	}
	keys, _, _, err := d.Store.Shop(d.Shop.ID).Changes(t.Context(), was.Version)
	if err != nil || len(keys) != 1 || keys[0].Kind != shop.KeyProduct || fmt.Sprint(keys[0].ID) != d.product {
		t.Errorf("the page of the product was not invalidated: %v (%v)", keys, err)
	}
	left := d.list(d.API.Owner, "/reviews")
	if len(left) != 1 || left[0]["text"] != "" || left[0]["author"] != "" || left[0]["rating"] != 5.0 || d.card(d.product) != "5 of 1" {
		t.Errorf("%v", left)
	}
	if got := d.list(d.API.Owner, "/questions"); len(got) != 0 {
		t.Errorf("%v", got)
	}
}
