package overview_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
)

type m = apitest.Map

// openShop is a shop with something of each kind that a search finds.
func openShop(t *testing.T) *apitest.API {
	t.Helper()
	a := apitest.New(t)
	item := func(fields m) m { return m{"item": fields} }
	section := a.Result("POST", "/categories", a.Owner, item(m{"name": "Ёлочный Needle", "type": "product", "is_published": true}))
	news := a.Result("POST", "/categories", a.Owner, item(m{"name": "News", "type": "news", "is_published": true}))
	product := a.Result("POST", "/products", a.Owner, item(m{"name": "Needle case", "sku": "ND-17", "is_published": true, "category_id": section["id"], "price": m{"price": 5}}))
	a.Result("POST", "/products", a.Owner, item(m{"name": "Unpublished needle"}))
	a.Result("POST", "/articles", a.Owner, item(m{"title": "A needle story", "category_id": news["id"], "is_published": true}))
	a.OK("POST", "/storefront-redirects", a.Owner, item(m{"from_path": "/old-needle", "to_target": "/", "code": 301}))
	ann := a.Session(a.Buyer("needle@people.test"))
	a.OK("POST", fmt.Sprintf("/cart/items/%v/default", product["id"]), ann, m{"quantity": 1})
	a.OK("POST", "/cart/confirm", ann, m{"company_id": a.Shop.ID, "contact": m{"name": "Ann Needle", "phone": "+7 (916) 123-45-67", "email": "needle@people.test"}})
	return a
}

// search returns what a caller finds, as kind and title.
func search(a *apitest.API, key, query string) (found []string) {
	for _, one := range a.OK("GET", "/v1/search?q="+query, key, nil)["result"].([]any) {
		found = append(found, fmt.Sprint(one.(m)["kind"], " ", one.(m)["title"]))
	}
	return found
}

func TestASearchFindsEachKindAndTheBestMatchesFirst(t *testing.T) {
	t.Parallel()
	a := openShop(t)
	for query, want := range map[string]string{
		"needle": "product Needle case; order 1001; customer Ann Needle; category Ёлочный Needle; article A needle story; redirect /old-needle; product Unpublished needle",
		"nd-17":  "product Needle case", "ND-": "product Needle case", "1001": "order 1001", "%231001": "order 1001",
		"needle@people.test": "order 1001; customer Ann Needle", "8+916+123+45+67": "order 1001; customer Ann Needle", "%2B79161234567": "order 1001; customer Ann Needle",
		"%D0%B5%D0%BB%D0%BE": "category Ёлочный Needle", "zzz": "", "%25%25": "", "__": "", "%5C%5C": "",
	} {
		got := search(a, a.Owner, query)
		if query == "needle" {
			got, want = sorted(got), strings.Join(sorted(strings.Split(want, "; ")), "; ")
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: %s, want %s", query, strings.Join(got, "; "), want)
		}
	}
	if got := search(a, a.Owner, "needle"); got[0] != "product Needle case" {
		t.Errorf("first: %v", got)
	}
	for _, one := range a.OK("GET", "/v1/search?q=needle", a.Owner, nil)["result"].([]any) {
		published := map[string]bool{"Needle case": true, "Ёлочный Needle": true, "A needle story": true}[one.(m)["title"].(string)]
		if url := one.(m)["url"].(string); published != strings.HasPrefix(url, "http") {
			t.Errorf("address of %v", one)
		}
	}
	if got := a.OK("GET", "/v1/search?q=needle&limit=2", a.Owner, nil)["result"].([]any); len(got) != 2 {
		t.Errorf("limit: %v", got)
	}
	for _, query := range []string{"", "q=", "q=x", "q=%20%20", "q=" + strings.Repeat("x", 101), "q=needle&limit=0", "q=needle&limit=51", "q=needle&limit=x", "q=%00%00"} {
		a.Refused("GET", "/v1/search?"+query, a.Owner, nil, 400, "INVALID_REQUEST")
	}
}

func sorted(list []string) []string {
	out := append([]string{}, list...)
	for i := range out {
		for j := range i {
			if out[i] < out[j] {
				out[i], out[j] = out[j], out[i]
			}
		}
	}
	return out
}

// Each caller finds and counts what the caller may read; visitors nothing.
func TestCallersSeeWhatTheyMayRead(t *testing.T) {
	t.Parallel()
	a := openShop(t)
	const catalogue, all = "article category product product", "article category customer order product product redirect"
	for name, c := range map[string]struct{ key, kinds, nulls string }{
		"owner":          {a.Owner, all, ""},
		"admin":          {a.Session(a.Member(shop.Admin)), all, ""},
		"editor":         {a.Session(a.Member(shop.Editor)), catalogue, "leads misses orders"},
		"catalogue key":  {a.Scoped("catalog:read"), catalogue, "leads misses orders"},
		"orders key":     {a.Scoped("orders:read"), "order", "drafts leads low_stock misses questions reviews"},
		"customers key":  {a.Scoped("customers:read"), "customer", "drafts leads low_stock misses orders questions reviews"},
		"redirects key":  {a.Scoped("redirects:read"), "redirect", "drafts leads low_stock orders questions reviews"},
		"statistics key": {a.Scoped("stats:read"), "", "drafts leads low_stock misses orders questions reviews"},
		"draft key":      {a.Dev, all, ""},
	} {
		var kinds, nulls []string
		for _, one := range search(a, c.key, "needle") {
			kind, _, _ := strings.Cut(one, " ")
			kinds = append(kinds, kind)
		}
		if got := strings.Join(sorted(kinds), " "); got != c.kinds {
			t.Errorf("%s finds %s, want %s", name, got, c.kinds)
		}
		for block, value := range a.OK("GET", "/v1/shop/today", c.key, nil)["result"].(m) {
			if value == nil {
				nulls = append(nulls, block)
			}
		}
		if got := strings.Join(sorted(nulls), " "); got != c.nulls {
			t.Errorf("%s does not count %s, want %s", name, got, c.nulls)
		}
	}
	buyer := a.Session(a.Buyer("zoe@people.test"))
	for _, path := range []string{"/v1/search?q=needle", "/v1/shop/today"} {
		a.Refused("GET", path, "", nil, 401, "UNAUTHENTICATED")
		if status, answer := a.Call("GET", path, buyer, nil); status == 200 {
			t.Errorf("a buyer reads %s: %v", path, answer)
		}
	}
	if got := search(a, a.Stranger, "needle"); len(got) != 0 {
		t.Errorf("another shop finds %v", got)
	}
}

func TestTodayCountsWhatWaits(t *testing.T) {
	t.Parallel()
	a := openShop(t)
	today := func() string {
		got := a.OK("GET", "/v1/shop/today", a.Owner, nil)["result"].(m)
		o := got["orders"].(m)
		return fmt.Sprint(o["new"], o["unpaid"], o["to_ship"], o["to_refund"], " ", got["low_stock"], got["reviews"], got["questions"], got["leads"], got["drafts"], got["misses"])
	}
	if got := today(); got != "1 1 0 0 0 0 0 0 0 0" {
		t.Errorf("a new order: %s", got)
	}
	order := a.OK("GET", "/v1/search?q=1001", a.Owner, nil)["result"].([]any)[0].(m)["id"].(string)
	a.OK("PUT", "/orders/"+order+"/status", a.Owner, m{"status": "processing"})
	if got := today(); got != "0 1 1 0 0 0 0 0 0 0" {
		t.Errorf("processing: %s", got)
	}
	listed := func(what string) any {
		return a.OK("POST", "/orders", a.Owner, m{"filter": m{"waits_for": what}})["result"].(m)["total"]
	}
	for what, want := range map[string]float64{"payment": 1, "shipment": 1, "refund": 0} {
		if got := listed(what); got != want {
			t.Errorf("%v orders wait for their %s, want %v", got, what, want)
		}
	}
	a.Refused("POST", "/orders", a.Owner, m{"filter": m{"waits_for": "tea"}}, 400, "INVALID_STATUS")
	owner := a.Session(a.OwnerID)
	a.OK("POST", "/orders/"+order+"/payment/confirm", owner, nil)
	a.OK("PUT", "/orders/"+order+"/status", a.Owner, m{"status": "cancelled"})
	if got := today(); got != "0 0 0 1 0 0 0 0 0 0" || listed("refund") != 1.0 || listed("payment") != 0.0 || listed("shipment") != 0.0 {
		t.Errorf("cancelled, but paid: %s", got)
	}
	a.OK("POST", "/orders/"+order+"/refund", owner, m{})
	a.OK("POST", "/products", a.Dev, m{"item": m{"name": "Draft"}})
	product := a.OK("GET", "/v1/search?q=nd-17", a.Owner, nil)["result"].([]any)[0].(m)["id"].(string)
	a.OK("PUT", "/products/"+product+"/stock", owner, m{"quantity": 0})
	buyer := a.Session(a.Buyer("asks@people.test"))
	a.OK("POST", "/products/"+product+"/questions", buyer, m{"company_id": a.Shop.ID, "text": "?"})
	a.OK("POST", "/products/"+product+"/reviews", buyer, m{"company_id": a.Shop.ID, "rating": 5})
	if got := today(); got != "0 0 0 0 1 1 1 0 1 0" {
		t.Errorf("a draft, low stock, a review and a question: %s", got)
	}
}
