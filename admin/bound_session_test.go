package admin_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
)

// A session created on a shop's host is refused for other shops on every endpoint, because
// scripts of the shop's owner run on that host.
func TestASessionOfAShopIsRefusedForOtherShops(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	made := a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/guest", Header: a.ThroughStorefront()})
	host := a.OnHost(made.Cookie())
	named := fmt.Sprintf(`"company_id": %d`, a.Other.ID)
	tried := 0
	for _, e := range a.Admin.Table() {
		kept := strings.HasPrefix(e.Path, "/cart/") || strings.HasPrefix(e.Path, "/orders") || strings.HasPrefix(e.Path, "/v1/account/addresses") ||
			strings.HasPrefix(e.Path, "/v1/account/wishlist")
		if !kept || e.Manage != nil || e.Auth != api.SessionOnly && e.Auth != api.Person || strings.Contains(e.Path, "/orders/{id}") || strings.HasPrefix(e.Path, "/orders/export") {
			continue
		}
		tried++
		a.Clock.Advance(time.Minute)
		path := strings.NewReplacer("{product_id}", "1", "{key}", "default", "{id}", "1").Replace(e.Path)
		r := apitest.Request{Method: e.Method, Path: path + fmt.Sprintf("?company_id=%d", a.Other.ID), Header: host}
		if e.Method == "POST" || e.Method == "PUT" || e.Method == "DELETE" && e.Path == "/cart/promo" {
			r.Body = `{` + named + `, "filter": {` + named + `}, "quantity": 1, "city": "x", "items": [], "product_ids": [], "code": "x", "contact": {"name": "x", "phone": "1"}}`
		}
		if got := a.Send(r); got.Status != 403 || apitest.Code(got.JSON) != "DENIED" {
			t.Errorf("%s %s: %d %.200s", e.Method, e.Path, got.Status, got.Body)
		}
	}
	if tried < 15 {
		t.Errorf("only %d endpoints were tried", tried)
	}
}
