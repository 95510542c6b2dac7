package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
)

// warehouse has products that differ in what members filter by: the first by variant.
func (b bench) warehouse() {
	b.t.Helper()
	shirt := b.add("products", m{"name": "Shirt", "brand": "Ёлка", "tags": l{"summer", "50% off"}, "is_published": true, "stock_by": "variant"})
	b.OK("PUT", at("products", shirt)+"/variants", b.Owner, m{"items": l{
		m{"sku": "SH-red", "options": m{"colour": "red"}}, m{"sku": "SH-blue", "options": m{"colour": "blue"}},
	}})
	lamp := b.add("products", m{"name": "Lamp", "sku": "LA-1", "brand": "Acme", "tags": l{"winter"}, "is_published": true})
	cup := b.add("products", m{"name": "Cup", "sku": "la-2", "brand": "ACME", "is_published": true})
	b.add("products", m{"name": "Rug", "sku": "SH", "is_published": true})
	session := b.Session(b.OwnerID)
	for product, stock := range map[string]m{id(lamp): {"quantity": 0, "low_threshold": 5}, id(cup): {"quantity": 2, "low_threshold": 5}} {
		b.OK("PUT", "/products/"+product+"/stock", session, stock)
	}
	gone := b.add("products", m{"name": "Gone shirt", "sku": "GO-1", "brand": "acme", "tags": l{"winter"}, "price": m{"price": 7}})
	b.OK("DELETE", at("products", gone), b.Owner, nil)
}

// memberFilters are filters of members and keys, and what each lists.
var memberFilters = map[string]string{
	"":                                      "Shirt Lamp Cup Rug",
	"filter.sku=sh-RED":                     "Shirt",
	"filter.sku=la-1":                       "Lamp",
	"filter.sku=la":                         "",
	"filter.sku=%25":                        "",
	"filter.brand=acme":                     "Lamp Cup",
	"filter.brand=%D1%91%D0%BB%D0%BA%D0%B0": "Shirt",
	"filter.brand=nobody":                   "",
	"filter.tag=summer":                     "Shirt",
	"filter.tag=Summer":                     "",
	"filter.tag=50%25+off":                  "Shirt",
	"filter.kind=standard":                  "Shirt Lamp Cup Rug",
	"filter.kind=combo":                     "",
	"filter.stock=in":                       "Shirt Cup Rug",
	"filter.stock=low":                      "Cup",
	"filter.stock=out":                      "Lamp",
	"filter.query=la-":                      "Lamp Cup",
	"filter.query=SH-":                      "Shirt",
	"filter.query=sh":                       "Shirt Rug",
	"filter.brand=acme&filter.stock=low":    "Cup",
	"filter.sku=la-1&filter.tag=summer":     "",
	"filter.tag=winter&sort.field=updated_at&sort.order=desc":                                       "Lamp",
	"filter.is_deleted=true":                                                                        "Gone shirt",
	"filter.is_deleted=true&filter.query=go-":                                                       "Gone shirt",
	"filter.is_deleted=true&filter.query=shirt":                                                     "Gone shirt",
	"filter.is_deleted=true&filter.query=lamp":                                                      "",
	"filter.is_deleted=true&filter.brand=ACME&filter.tag=winter&filter.stock=in&filter.min_price=7": "Gone shirt",
	"filter.is_deleted=true&filter.max_price=6":                                                     "",
	"filter.is_deleted=false":                                                                       "Shirt Lamp Cup Rug",
}

func TestMembersFilterProductsByWhatOnlyTheySee(t *testing.T) {
	b := open(t)
	b.warehouse()
	for name, key := range map[string]string{
		"owner": b.Owner, "editor": b.Key(b.Member(shop.Editor), shop.Editor, shop.Prod, "catalog:read"), "draft": b.Key(b.OwnerID, shop.Owner, shop.Dev, "catalog:read"),
	} {
		for query, want := range memberFilters {
			if total, got := b.list(query, key); strings.Join(got, " ") != want || total != len(got) {
				t.Errorf("%s %q: %d: %v, want %s", name, query, total, got, want)
			}
		}
	}
	for _, query := range []string{"filter.stock=none", "filter.kind=x", "filter.is_deleted=x", "filter.sku=" + strings.Repeat("x", 256), "filter.tag=" + strings.Repeat("x", 65)} {
		b.Refused("GET", "/products?"+query, b.Owner, nil, 400, "INVALID_REQUEST")
	}
}

// Visitors, members of another shop and buyers get the list without these filters, as before.
func TestVisitorsCannotFilterByWhatOnlyMembersSee(t *testing.T) {
	b := open(t)
	b.warehouse()
	for query := range memberFilters {
		if strings.Contains(query, "filter.query") || strings.Contains(query, "price") || strings.Contains(query, "sort") {
			continue // these are for visitors too
		}
		const want = "Shirt Lamp Cup Rug"
		for name, r := range map[string]apitest.Request{
			"anonymous": {}, "buyer": {Header: b.OnHost(b.Bound(b.Buyer(fmt.Sprintf("b%x@people.test", query))))},
		} {
			r.Method, r.Path = "GET", "/products?"+query+"&filter.company_id="+b.company()
			answer := b.Send(r)
			if answer.Status != 200 {
				t.Fatalf("%s %q: %d %s", name, query, answer.Status, answer.Body)
			}
			if got := names(answer.JSON["result"].(m)["items"], "name"); strings.Join(got, " ") != want {
				t.Errorf("%s %q: %v, want %s", name, query, got, want)
			}
		}
	}
}

// A draft is filtered as it will be published.
func TestTheDraftIsFilteredToo(t *testing.T) {
	b := open(t)
	live := b.add("products", m{"name": "Kettle", "sku": "PO-1", "brand": "Old", "tags": l{"a"}})
	key := b.Key(b.OwnerID, shop.Owner, shop.Dev, "catalog:read", "catalog:write")
	b.OK("PUT", at("products", live), key, item(m{"sku": "PO-2", "brand": "New", "tags": l{"b"}}))
	for query, want := range map[string]string{"filter.sku=po-2": "Kettle", "filter.sku=po-1": "", "filter.brand=new": "Kettle", "filter.brand=old": "", "filter.tag=b": "Kettle", "filter.tag=a": "", "filter.query=PO-2": "Kettle"} {
		if _, got := b.list(query, key); strings.Join(got, " ") != want {
			t.Errorf("draft %q: %v, want %s", query, got, want)
		}
		if _, got := b.list(query, b.Owner); (strings.Join(got, " ") == "") != (want != "") {
			t.Errorf("live %q: %v", query, got)
		}
	}
	b.OK("DELETE", at("products", live), key, nil)
	if _, got := b.list("filter.is_deleted=true&filter.brand=new", key); len(got) != 1 {
		t.Errorf("deleted in the draft: %v", got)
	}
	if _, got := b.list("filter.is_deleted=true", b.Owner); len(got) != 0 {
		t.Errorf("deleted live: %v", got)
	}
}
