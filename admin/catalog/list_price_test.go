package catalog_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"
)

// Filters and sorting of a list use the price that it shows to the caller: for visitors that of
// the product card (cheapest variant, combo, current discount), for the shop's people the
// stored price and that of combos. When a discount begins, the results change without a write.
func TestListsAreFilteredAndSortedByTheShownPrice(t *testing.T) {
	b := open(t)
	section := b.section("product", "Shelf")
	product := func(name string, price int, more m) m {
		fields := m{"name": name, "price": m{"price": price}, "is_published": true, "category_id": section["id"]}
		for k, v := range more {
			fields[k] = v
		}
		return b.add("products", fields)
	}
	plain := product("Plain", 100, nil)
	varied := product("Varied", 90, nil)
	b.OK("PUT", at("products", varied)+"/variants", b.Owner, m{"items": l{
		m{"sku": "a", "title": "A", "price": 40, "is_active": true}, m{"sku": "b", "title": "B", "price": 60, "is_active": true},
		m{"sku": "c", "title": "C", "price": 5, "is_active": false},
	}})
	product("Set", 1, m{"kind": "combo", "combo_items": l{m{"product_id": plain["id"], "quantity": 2}}, "combo_discount": m{"percent": 10}})
	product("Free", 0, nil)
	later := product("Later", 80, nil)
	starts := b.Clock.Now().Add(time.Hour)
	b.OK("POST", "/promotions", b.Owner, item(m{
		"name": "Soon", "kind": "discount", "is_active": true, "starts_at": starts.Format(time.RFC3339), "value": m{"percent": 75},
		"conditions": m{"product_ids": l{later["id"]}},
	}))
	agree := func(when, want string) {
		t.Helper()
		for who, key := range map[string]string{"visitor": "", "owner": b.Owner, "draft": b.Dev} {
			base := "/products?page.limit=50&sort.field=price&filter.company_id=" + b.Shop.ID.String()
			items := b.Result("GET", base, key, nil)["items"].(l)
			price := func(x any) float64 { return x.(m)["price"].(m)["price"].(float64) }
			if !slices.IsSortedFunc(items, func(x, y any) int { return cmp.Compare(price(x), price(y)) }) {
				t.Errorf("%s, %s: not in the order of prices", when, who)
			}
			said := ""
			for _, x := range items {
				n := price(x)
				said += fmt.Sprintf("%v %v, ", x.(m)["name"], n)
				same := 0
				for _, y := range items {
					if price(y) == n {
						same++
					}
				}
				exactly := fmt.Sprintf("%s&filter.min_price=%v&filter.max_price=%v", base, n, n)
				for _, path := range []string{exactly, exactly + "&sort.order=desc", exactly + "&sort.field=updated_at"} {
					if got := b.Result("GET", path, key, nil); got["total"] != float64(same) || len(got["items"].(l)) != same {
						t.Errorf("%s, %s: %v products for %v, want %d", when, who, got["total"], n, same)
					}
				}
			}
			if who == "visitor" && said != want {
				t.Errorf("%s: %s", when, said)
			}
			if who == "owner" && said != "Free 0, Later 80, Varied 90, Plain 100, Set 180, " && when != "after a write" {
				t.Errorf("%s, the owner: %s", when, said)
			}
		}
	}
	agree("before", "Free 0, Varied 40, Later 80, Plain 100, Set 180, ")
	b.Clock.Advance(time.Hour)
	agree("when a discount has begun", "Free 0, Later 20, Varied 40, Plain 100, Set 180, ")
	b.put("products", plain, m{"price": m{"price": 10}})
	agree("after a write", "Free 0, Plain 10, Set 18, Later 20, Varied 40, ")
}
