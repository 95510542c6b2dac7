package demo

import (
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
)

// The demo shop has three months of sales, with orders of every kind.
func TestDemoShopHasSales(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	r, err := l.seed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list := l.Result("POST", "/orders", r.Key, apitest.Map{"page": apitest.Map{"limit": 100}})
	if list["total"] != float64(sold) {
		t.Fatalf("%v orders", list["total"])
	}
	seen := map[any]int{}
	for i, o := range list["items"].([]any) {
		o := o.(map[string]any)
		at, err := time.Parse(time.RFC3339, o["created_at"].(string))
		age := l.Clock.Now().Sub(at)
		if err != nil || age < 0 || age > soldDays*24*time.Hour || o["number"] != float64(1000+sold-i) {
			t.Errorf("order %v is dated %v", o["number"], at)
		}
		seen[o["status"]]++
		if o["payment"] != nil {
			seen[o["payment"].(map[string]any)["status"]]++
		}
		seen[o["delivery"].(map[string]any)["name"]]++
		seen["shipment "+o["shipment_status"].(string)]++
		for what, has := range map[string]bool{
			"two parcels": len(o["shipments"].([]any)) == 2, "invoice": o["invoice"] != nil, "credit note": o["credit_note"] != nil,
			"tag": len(o["tags"].([]any)) > 0, "note": o["note"] != "", "tax": len(o["taxes"].([]any)) > 0 && o["tax_total"].(float64) > 0,
		} {
			if has {
				seen[what]++
			}
		}
		if o["invoice"] != nil {
			paper := string(l.Send(apitest.Request{Method: "GET", Path: "/orders/" + o["id"].(string) + "/papers/invoice", Key: r.Key}).Body)
			if day := at.Format("2 January 2006"); !strings.Contains(paper, day) {
				t.Errorf("the invoice of order %v does not say that it was placed on %s", o["number"], day)
			}
		}
		if o["unread"] != 0.0 {
			seen["unread"]++
		}
	}
	for _, kind := range []string{"new", "processing", "completed", "cancelled", "paid", "refunded", "Courier", "Pick-up in the shop", "unread",
		"shipment none", "shipment shipped", "shipment delivered", "two parcels", "invoice", "credit note", "tag", "note", "tax"} {
		if seen[kind] == 0 {
			t.Errorf("no order is %s: %v", kind, seen)
		}
	}
	login := l.Result("POST", "/v1/auth/login", "", apitest.Map{"email": r.BuyerEmail, "password": r.Password})
	if own := l.Result("POST", "/orders", login["token"].(string), apitest.Map{}); own["total"] == 0.0 {
		t.Error("the buyer has no orders")
	}
	if _, err := l.seed(t.Context()); err != nil {
		t.Fatal(err)
	}
	if list := l.Result("POST", "/orders", r.Key, apitest.Map{}); list["total"] != float64(sold) {
		t.Errorf("a second start created %v orders", list["total"])
	}
	kinds := map[string]bool{}
	products := l.Result("GET", "/products?page.limit=100", r.Key, nil)["items"].([]any)
	for _, p := range products {
		p := p.(map[string]any)
		n, tracked := p["stock_quantity"].(float64)
		low, _ := p["stock_low_threshold"].(float64)
		kinds["untracked"] = kinds["untracked"] || !tracked && p["is_published"] == true
		kinds["sold out"] = kinds["sold out"] || tracked && n == 0
		kinds["two left"] = kinds["two left"] || n == 2 && low == 3
		kinds["plenty"] = kinds["plenty"] || n > 50
	}
	if len(kinds) != 4 || !kinds["untracked"] || !kinds["sold out"] || !kinds["two left"] || !kinds["plenty"] {
		t.Errorf("%v", kinds)
	}
}
