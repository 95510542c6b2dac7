package main

import (
	"strings"
	"testing"
	"time"
)

// A discount results in the same price everywhere: on cards and the product's page, in
// structured data, feeds, lists, the wishlist and quotes. It starts and ends by the clock,
// without a write. Owners always see the price they entered.
func TestDiscountedPriceIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	s := newPriced(p, key)
	s.costs("1000")
	starts := time.Now().Add(4 * time.Second)
	p.must(key, "POST", "/promotions", map[string]any{"item": map[string]any{
		"name": "Spring week", "kind": "discount", "value": map[string]any{"percent": 25}, "conditions": map[string]any{"category_ids": []any{s.above}},
		"starts_at": starts.Format(time.RFC3339Nano), "ends_at": starts.Add(20 * time.Second).Format(time.RFC3339Nano),
	}})
	wait(t, "the discount starts", func() bool { return time.Now().After(starts) })
	s.costs("750")
	wait(t, "the discount ends", func() bool { return time.Now().After(starts.Add(20 * time.Second)) })
	s.costs("1000")
}

// A discount with one use left disappears from every page after an order uses it, and returns
// when the order is cancelled; likewise for a budget that covers one more unit.
func TestUsedUpDiscountDisappears(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	s := newPriced(p, key)
	for _, limits := range []map[string]any{{"total": 1}, {"budget": 499}} {
		made := p.must(key, "POST", "/promotions", map[string]any{"item": map[string]any{
			"name": "Few", "kind": "discount", "value": map[string]any{"amount": 250}, "limits": limits,
		}})
		s.costs("750")
		line := "/cart/items/" + itoa(s.cup) + "/default?company_id=" + itoa(s.company)
		p.must(s.buyer, "POST", line, map[string]any{"quantity": 1})
		order := p.must(s.buyer, "POST", "/cart/confirm", map[string]any{"company_id": s.company, "contact": map[string]any{"name": "Ann", "phone": "1"}})
		if itoa(order["items_total"]) != "750" {
			t.Errorf("%v", order)
		}
		s.costs("1000")
		p.must(key, "PUT", "/orders/"+itoa(order["id"])+"/status", map[string]any{"status": "cancelled"})
		s.costs("750")
		p.must(key, "DELETE", "/promotions/"+itoa(made["id"]), nil)
		s.costs("1000")
	}
}

// priced is a shop with one product with the price 1000, two sections deep.
type priced struct {
	*program
	key, buyer          string
	company, cup, above any
}

func newPriced(p *program, key string) *priced {
	s := &priced{program: p, key: key, company: p.must(key, "GET", "/v1/orgs/current", nil)["id"]}
	section := func(name string, parent any) any {
		return p.must(key, "POST", "/categories", map[string]any{"item": map[string]any{
			"name": name, "type": "product", "is_published": true, "parent_id": parent, "seo": map[string]any{"slug": strings.ToLower(name)}}})["id"]
	}
	s.above = section("Table", 0)
	s.cup = p.must(key, "POST", "/products", map[string]any{"item": map[string]any{
		"name": "Cup", "is_published": true, "price": map[string]any{"price": 1000}, "category_id": section("Cups", s.above), "seo": map[string]any{"slug": "cup"}}})["id"]
	p.must(key, "POST", "/site-files", map[string]any{"name": "prices.txt", "body": `{{range products}}{{.Name}} {{.Price}} {{.OldPrice}};{{end}}`, "is_published": true})
	s.buyer = p.must("", "POST", "/v1/auth/guest", map[string]any{})["token"].(string)
	p.must(s.buyer, "PUT", "/v1/account/wishlist/"+itoa(s.cup)+"?company_id="+itoa(s.company), nil)
	return s
}

// costs fails unless the cup has this price everywhere, and is shown as reduced if the price
// is below 1000.
func (s *priced) costs(price string) {
	s.t.Helper()
	shown, feed, deals := "€"+price, "Cup "+price+" 0;", ""
	if price == "1000" {
		shown = "€1,000"
	} else {
		feed, deals = "Cup "+price+" 1000;", shown
	}
	for path, want := range map[string]string{
		"/table/cups/cup": `"price":` + price, "/table/cups": shown, "/table": shown, "/": shown, "/prices.txt": feed, "/deals": deals,
		"/table/cups?min_price=" + price + "&max_price=" + price: "/table/cups/cup",
	} {
		wait(s.t, path+" contains "+want, func() bool { _, _, body := s.visit("tea", path); return strings.Contains(body, want) })
	}
	if _, _, body := s.visit("tea", "/deals"); deals == "" && strings.Contains(body, "/table/cups/cup") {
		s.t.Error("a product that is not reduced is among the deals")
	}
	at := "/products/" + itoa(s.cup) + "?company_id=" + itoa(s.company)
	visitor := s.must("", "GET", at, nil)["price"].(map[string]any)
	owner := s.must(s.key, "GET", at, nil)["price"].(map[string]any)
	listed := s.must("", "GET", "/products?filter.company_id="+itoa(s.company), nil)["items"].([]any)[0].(map[string]any)["price"].(map[string]any)
	kept := s.must(s.buyer, "GET", "/v1/account/wishlist?company_id="+itoa(s.company), nil)["items"].([]any)[0].(map[string]any)["price"].(map[string]any)
	quote := s.must("", "POST", "/cart/quote", map[string]any{"company_id": s.company, "items": []any{map[string]any{"product_id": s.cup, "key": "default", "quantity": 1}}})
	for where, got := range map[string]any{
		"a visitor of the API": visitor["price"], "the list": listed["price"], "the wishlist": kept["price"], "a quote": quote["subtotal"],
	} {
		if itoa(got) != price {
			s.t.Errorf("%s has %v, want %s", where, got, price)
		}
	}
	if itoa(owner["price"]) != "1000" || itoa(owner["old_price"]) != "0" || owner["promotion_name"] != "" {
		s.t.Errorf("the owner sees %v", owner)
	}
	if reduced := price != "1000"; (visitor["promotion_name"] != "") != reduced || (itoa(visitor["old_price"]) == "1000") != reduced {
		s.t.Errorf("a visitor sees %v", visitor)
	}
}
