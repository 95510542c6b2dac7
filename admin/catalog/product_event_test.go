package catalog_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store/storetest"
)

// events returns the events of the shop after the first since ones, and their number.
func (b bench) events(since int) (list []string, now int) {
	b.t.Helper()
	all := storetest.Events(b.t, b.Store.Pool, int(b.Shop.ID))
	for _, e := range all[since:] {
		var body m
		if err := json.Unmarshal(e.Body, &body); err != nil {
			b.t.Fatal(err)
		}
		if body["company_id"] != float64(b.Shop.ID) {
			b.t.Errorf("%s of another shop: %s", e.Name, e.Body)
		}
		list = append(list, fmt.Sprint(e.Name, " ", body["product_id"]))
	}
	slices.Sort(list)
	return list, len(all)
}

// productEdits are the requests to each endpoint that changes products, and the products that
// they edit: one, two or three, or "new" for created ones. gone is a deleted product, group
// contains one and two.
var productEdits = map[string][]struct {
	path string
	body any
	want string
}{
	"POST /products": {{body: item(m{"name": "New"}), want: "new"}},
	"PUT /products/{id}": {
		{"/products/{one}", item(m{"name": "Again"}), "one"},
		{"/products/{one}", item(m{"kind": "combo"}), "one"},
		{"/products/{one}", item(m{"is_published": true}), "one"},
		{"/products/{one}", item(m{"gallery_ids": l{}, "gallery_ids_replace": true}), "one"},
		{"/products/{gone}", item(m{"is_deleted": false}), "gone"},
		{"/products/{one}", item(m{"name": ""}), ""},
	},
	"DELETE /products/{id}": {{"/products/{three}", nil, "three"}},
	"POST /products/batch":  {{body: m{"items": l{m{"name": "A"}, m{"name": ""}, m{"name": "B", "sku": "S1"}}}, want: "new"}},
	"PATCH /products/batch": {
		{body: m{"ids": l{"{one}", "{two}", 999999}, "item": m{"description": "leaves"}}, want: "one two"},
		{body: m{"items": l{m{"id": "{one}", "name": ""}, m{"id": "{two}", "name": "Two"}, m{"id": "{two}", "sku": "S2"}}}, want: "two"},
		{body: m{"items": l{m{"id": "{one}", "sku": "S1"}}}, want: "one"}, // its own sku
	},
	"POST /products/import": {
		{body: m{"text": "sku,name\nS1,One more\nS2,two\nS9,New\nS1,\n"}, want: "new one"},
		{body: m{"text": "sku,name\nS1,One again\n", "dry_run": true}, want: ""},
	},
	"POST /products/import/file":          {{body: "sku,price\nS1,77\nS2,x\n", want: "one"}},
	"PUT /products/{id}/variants":         {{"/products/{one}/variants", m{"items": l{m{"sku": "V"}}}, "one"}, {"/products/{one}/variants", m{"items": l{m{"id": 999999}}}, ""}},
	"PUT /products/{id}/ad-participation": {{"/products/{one}/ad-participation", m{"mode": "exclude"}, "one"}},
	"PUT /products/{id}/stock":            {}, // the stock has no event (document 2, 6.3)
	"PUT /products/batch/stock":           {},
	"POST /products/{id}/reviews":         {}, // a review does not edit the product
	"POST /products/{id}/questions":       {},
	"POST /product-groups":                {{body: item(m{"name": "Pair", "product_ids": l{"{one}", "{two}"}}), want: "one two"}},
	"PUT /product-groups/{id}":            {{"/product-groups/{group}", item(m{"product_ids": l{"{two}", "{three}"}}), "one three two"}},
	"DELETE /product-groups/{id}":         {{"/product-groups/{group}", nil, "one two"}},
}

// Every edit of a product records an event once, in its transaction, and refused edits record
// none (document 1, section 6; document 2, 6.3).
func TestEveryEditOfAProductIsAnEvent(t *testing.T) {
	for _, e := range apitest.New(t).Admin.Table() {
		name := e.Method + " " + e.Path
		cases, known := productEdits[name]
		if e.Method == "GET" || !strings.HasPrefix(e.Path, "/product") {
			continue
		}
		if !known {
			t.Errorf("%s writes products, but has no entry in productEdits", name)
		}
		for i, c := range cases {
			t.Run(fmt.Sprint(name, " ", i), func(t *testing.T) {
				b := open(t)
				b.edit(e.Method, e.Path, c.path, c.body, strings.Fields(c.want))
			})
		}
	}
}

// edit creates the products, sends a request, and checks the events.
func (b bench) edit(method, row, path string, body any, want []string) {
	b.t.Helper()
	names := map[string]string{}
	for i, name := range []string{"one", "two", "three", "gone"} {
		names[name] = id(b.add("products", m{"name": name, "sku": fmt.Sprint("S", i+1)}))
	}
	b.OK("DELETE", "/products/"+names["gone"], b.Owner, nil)
	group := b.add("product-groups", m{"name": "Set", "product_ids": l{json.Number(names["one"]), json.Number(names["two"])}})
	names["group"] = fmt.Sprint(group["id"])
	_, before := b.events(0)

	if path == "" {
		path = row
	}
	sent, isText := body.(string)
	if !isText {
		text, err := json.Marshal(body)
		if err != nil {
			b.t.Fatal(err)
		}
		sent = string(text)
	}
	for name, id := range names {
		path = strings.ReplaceAll(path, "{"+name+"}", id)
		sent = strings.ReplaceAll(sent, `"{`+name+`}"`, id)
	}
	r := apitest.Request{Method: method, Path: path, Key: b.Owner, Body: sent}
	if isText {
		r.Header = map[string]string{"Content-Type": "text/csv"}
	}
	answer := b.Send(r)
	got, _ := b.events(before)
	known := map[string]string{}
	delete(names, "group")
	for name, id := range names {
		known["product.updated "+id] = name
	}
	for i, e := range got {
		if got[i] = known[e]; got[i] == "" {
			got[i] = "new"
		}
	}
	slices.Sort(got)
	if row != "POST /products/batch" {
		got = slices.Compact(got)
	}
	if !slices.Equal(got, want) && !(len(got) == 0 && len(want) == 0) {
		b.t.Errorf("%s %s %s: events of %v, want %v; the answer was %d %.300s", method, path, sent, got, want, answer.Status, answer.Body)
	}
}

// One transaction records one event per product, and a draft records none.
func TestEditsRecordOneEventAndDraftsNone(t *testing.T) {
	b := open(t)
	p := b.add("products", m{"name": "Tea"})
	_, before := b.events(0)
	b.OK("PATCH", "/products/batch", b.Owner, m{"items": l{m{"id": p["id"], "name": "A"}, m{"id": p["id"], "name": "B"}}})
	got, now := b.events(before)
	if len(got) != 1 {
		t.Errorf("two edits in one call recorded %v", got)
	}
	b.Result("PUT", at("products", p), b.Dev, item(m{"name": "Draft"}))
	b.Result("POST", "/products", b.Dev, item(m{"name": "New draft"}))
	b.OK("PUT", at("products", p)+"/variants", b.Dev, m{"items": l{m{"sku": "V"}}})
	if got, _ := b.events(now); len(got) != 0 {
		t.Errorf("a draft recorded events: %v", got)
	}
	b.OK("POST", "/drafts/publish", b.Owner, m{"all": true})
	if got, _ := b.events(now); len(got) != 2 {
		t.Errorf("publishing two products recorded %v", got)
	}
}
