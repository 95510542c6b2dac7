package main

import (
	"strings"
	"testing"
)

// The attributes of a product are shown on its page with their labels, and follow changes of
// the shop's attributes; a CSV import changes them like any other write.
func TestAttributesAreShownOnTheProductPage(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	type fields = map[string]any
	add := func(path string, item fields) fields { return p.must(key, "POST", path, fields{"item": item}) }
	section := add("/categories", fields{"name": "Cups", "type": "product", "is_published": true})
	colour := add(
		"/attributes",
		fields{"name": "Colour", "options": []fields{{"value": "red", "label": "Deep <red>"}, {"value": "blue", "label": "Blue"}}},
	)
	weight := add("/attributes", fields{"name": "Weight", "kind": "number", "unit": "g"})
	product := add("/products", fields{"name": "Cup", "sku": "CUP", "category_id": section["id"], "is_published": true, "attributes": []fields{
		{"attribute_id": colour["id"], "values": []string{"blue", "red"}}, {"attribute_id": weight["id"], "number": 350.5},
	}})
	page := func() string {
		t.Helper()
		status, _, body := p.visit("tea", "/cups/"+product["slug"].(string))
		if status != 200 {
			t.Fatalf("the product page answers %d", status)
		}
		return body
	}
	for _, fact := range []string{"<dt>Colour</dt><dd>Deep &lt;red&gt;, Blue</dd>", "<dt>Weight</dt><dd>350.5 g</dd>"} {
		if body := page(); !strings.Contains(body, fact) {
			t.Errorf("no %s in %s", fact, body)
		}
	}
	p.must(key, "PUT", "/attributes/"+itoa(colour["id"]), fields{"item": fields{"name": "Shade"}})
	if body := page(); !strings.Contains(body, "<dt>Shade</dt>") {
		t.Error("a renamed attribute keeps its old name on the page")
	}
	p.must(key, "POST", "/products/import", fields{"text": "sku,attribute:Shade\nCUP,Blue\n"})
	if body := page(); !strings.Contains(body, "<dt>Shade</dt><dd>Blue</dd>") {
		t.Error("the page does not show the imported value")
	}
}
