package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// An offer in a feed matches the page its link opens, both as displayed without a script and
// in structured data: the price, the old price, the name, the article number and the address.
// The page without a selected variant describes the group.
func TestFeedAndPageAndStructuredDataAgreeOnThePrice(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	add := func(item map[string]any) string {
		item["is_published"] = true
		return itoa(p.must(key, "POST", "/products", map[string]any{"item": item})["id"])
	}
	price := func(now, old int) map[string]any { return map[string]any{"price": now, "old_price": old} }
	attribute := p.must(key, "POST", "/attributes", map[string]any{"item": map[string]any{"name": "Weight", "kind": "number", "unit": "g"}})["id"]
	cup := add(map[string]any{"name": "Cup", "sku": "C", "price": price(100, 130), "stock_quantity": 4, "weight_g": 350, "gtin": "96385074", "seo": map[string]any{"slug": "cup"},
		"attributes": []any{map[string]any{"attribute_id": attribute, "number": 350}}})
	tea := add(map[string]any{"name": "Tea", "sku": "T", "price": price(90, 99), "weight_g": 120, "gtin": "4006381333931"})
	late := add(map[string]any{"name": "Late", "price": price(80, 0)})
	for _, id := range []string{tea, late} {
		p.must(key, "PUT", "/products/"+id+"/variants", map[string]any{"items": []any{
			map[string]any{"sku": "", "title": "No price yet", "price": 0, "is_active": true},
			map[string]any{"sku": "L" + id, "title": "Large", "price": 60, "old_price": 75, "gtin": "036000291452", "weight_g": 250, "is_active": true, "options": map[string]any{"colour": "red", "size": "L"}},
			map[string]any{"sku": "S" + id, "price": nil, "is_active": true, "options": map[string]any{"colour": "red", "size": "S"}},
		}})
	}
	add(map[string]any{"name": "Set", "kind": "combo", "combo_items": []any{map[string]any{"product_id": cup, "quantity": 2}}, "combo_discount": map[string]any{"percent": 10}})
	p.must(key, "POST", "/promotions", map[string]any{"item": map[string]any{
		"name": "Now", "kind": "discount", "value": map[string]any{"percent": 50}, "conditions": map[string]any{"product_ids": []any{late}}}})
	p.must(key, "POST", "/site-files", map[string]any{"name": "all.txt", "is_published": true, "body": `{{range products}}{{range offers .}}` +
		`{{.URL}}|{{.Price}}|{{.OldPrice}}|{{.Name}}|{{.SKU}}|{{.GroupID}}|{{.Stock}}|{{range .Options}}{{.Name}}={{.Value}} {{end}}|{{range .Attributes}}{{.Name}}={{.Value}} {{.Unit}}{{end}}|{{.GTIN}}|{{.WeightG}}
{{end}}{{end}}`})
	_, _, body := p.visit("tea", "/all.txt")
	offers := strings.Split(strings.TrimSpace(body), "\n")
	if len(offers) != 6 {
		t.Fatalf("%d offers:\n%s", len(offers), body)
	}
	if !strings.Contains(body, "|100|130|Cup|C|0|4||Weight=350 g|96385074|350\n") ||
		!strings.Contains(body, "|60|75|Tea, Large|L"+tea+"|"+tea+"||colour=red size=L ||036000291452|250\n") || !strings.Contains(body, "|90|99|Tea, red, S|S"+tea+"|"+tea+"||colour=red size=S |||120\n") {
		t.Errorf("%s", body)
	}
	for _, offer := range offers {
		f := strings.Split(offer, "|")
		_, path, _ := strings.Cut(strings.TrimPrefix(f[0], "http://"), "/")
		_, _, page := p.visit("tea", "/"+path)
		now := regexp.MustCompile(`v-price__now[^>]*>([^<]*)<`).FindStringSubmatch(page)
		if now == nil || now[1] != "€"+f[1] {
			t.Errorf("%s: the page has %v, the feed %s", f[0], now, f[1])
		}
		if was := regexp.MustCompile(`data-v-was>([^<]+)<`).FindStringSubmatch(page); (was == nil) != (f[2] == "0") || was != nil && was[1] != "€"+f[2] {
			t.Errorf("%s: the page has the old price %v, the feed %s", f[0], was, f[2])
		}
		data := linkedProduct(t, page)
		sold, _ := data["offers"].(map[string]any)
		weight, _ := data["weight"].(map[string]any)
		if orNothing(data["gtin"]) != f[9] || f[10] == "0" != (weight == nil) || weight != nil && (itoa(weight["value"]) != f[10] || weight["unitCode"] != "GRM") {
			t.Errorf("%s: the data have the barcode %v and the weight %v, the feed %v", offer, data["gtin"], weight, f[9:])
		}
		if data["@type"] != "Product" || sold["@type"] != "Offer" || itoa(sold["price"]) != f[1] || data["name"] != f[3] ||
			orNothing(data["sku"]) != f[4] || data["url"] != f[0] || sold["url"] != f[0] || f[5] != "0" && data["inProductGroupWithID"] != f[5] {
			t.Errorf("%s: the data of the page are %v", offer, data)
		}
		if f[5] == "0" {
			continue
		}
		plain, _, _ := strings.Cut("/"+path, "?")
		_, _, page = p.visit("tea", plain)
		group, found := linkedProduct(t, page), false
		for _, v := range group["hasVariant"].([]any) {
			v := v.(map[string]any)
			found = found || v["url"] == f[0] && v["name"] == f[3] && itoa(v["offers"].(map[string]any)["price"]) == f[1] && orNothing(v["gtin"]) == f[9]
		}
		if group["@type"] != "ProductGroup" || group["productGroupID"] != f[5] || !found || group["offers"] != nil || group["weight"] != nil || group["gtin"] != nil {
			t.Errorf("%s is not in the group %v", offer, group)
		}
	}
	if _, _, page := p.visit("tea", "/product/"+tea); !strings.Contains(page, `v-price__now--sale">€60<`) {
		t.Error("without a script the page does not show the price of the selected variant")
	}
}

func orNothing(v any) string {
	s, _ := v.(string)
	return s
}

// linkedProduct is the structured data of a page's product.
func linkedProduct(t *testing.T, page string) map[string]any {
	t.Helper()
	for _, text := range regexp.MustCompile(`(?s)<script type="application/ld\+json">(.*?)</script>`).FindAllStringSubmatch(page, -1) {
		var data map[string]any
		if err := json.Unmarshal([]byte(text[1]), &data); err != nil {
			t.Fatal(err)
		}
		if data["@type"] == "Product" || data["@type"] == "ProductGroup" {
			return data
		}
	}
	t.Fatal("the page describes no product")
	return nil
}
