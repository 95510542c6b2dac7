package admin_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store/storetest"
)

// A bulk edit with dry_run answers per entry what the same call without it then does, and writes
// nothing.
func TestEveryBulkEditHasADryRun(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	seller := a.Session(a.OwnerID)
	product := func(name string) any {
		made := a.Result("POST", "/products", a.Owner, object{"item": object{"name": name, "is_published": true, "price": object{"price": 10}, "stock_quantity": 5}})
		return made["id"]
	}
	tea, cup := product("Tea"), product("Cup")
	order := a.Result("POST", "/orders/manual", seller, object{
		"contact": object{"name": "Ann", "phone": "+49 30 5550"}, "items": list{object{"product_id": tea, "quantity": 2}},
	})["id"]
	remark := func(path string, body object) any {
		body["company_id"] = a.Shop.ID
		return a.Result("POST", fmt.Sprint("/products/", tea, path), a.Session(a.Buyer("by"+path[1:]+"@people.test")), body)["id"]
	}
	review, question := remark("/reviews", object{"rating": 4, "text": "Strong"}), remark("/questions", object{"text": "Is it strong?"})
	one := func(path string, id any) object { return a.Result("GET", fmt.Sprint(path, id), seller, nil) }
	snapshot := func() string {
		text, err := json.Marshal([]any{
			one("/products/", tea), one("/products/", cup), one("/orders/", order), one("/reviews/", review), one("/questions/", question),
			a.OK("GET", fmt.Sprint("/products/", tea, "/stock/history"), seller, nil), len(storetest.Events(t, a.Store.Pool, int(a.Shop.ID))),
		})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	// read returns the object that an entry edits, as its fields are called in changes.
	type edit struct {
		body object
		read func() object
	}
	edits := map[string]edit{
		"PATCH /products/batch": {
			object{"items": list{
				object{"id": tea, "name": "Green tea", "price": object{"price": 12}}, object{"id": cup, "name": ""}, object{"id": 999_999, "name": "None"},
				object{"id": tea, "brand": "Leaf", "tags": list{"new"}}, object{"id": cup, "name": "Cup"},
			}},
			func() object { return one("/products/", tea) },
		},
		"PUT /products/batch/stock": {
			object{"items": list{object{"product_id": tea, "quantity": 7, "low_threshold": 1}, object{"product_id": 999_999, "quantity": 1}}},
			func() object {
				p := one("/products/", tea)
				return object{"quantity": p["stock_quantity"], "low_threshold": p["stock_low_threshold"], "in_stock": p["in_stock"]}
			},
		},
		"PUT /reviews/batch": {
			object{"ids": list{review, 999_999, review}, "status": "approved"}, func() object { return one("/reviews/", review) },
		},
		"PUT /questions/batch": {
			object{"ids": list{question, review}, "status": "rejected"}, func() object { return one("/questions/", question) },
		},
		"PUT /orders/batch/status": {object{"ids": list{order, "999999"}, "status": "cancelled"}, func() object { return one("/orders/", order) }},
	}
	for _, e := range a.Admin.Table() {
		row := e.Method + " " + e.Path
		if e.Method != "PUT" && e.Method != "PATCH" || !strings.Contains(e.Path+"/", "/batch/") {
			continue
		}
		c, known := edits[row]
		if !known {
			t.Errorf("%s: a bulk edit needs dry_run, and a body here", row)
			continue
		}
		call := func(dry bool) (results []object) {
			body := object{"dry_run": dry}
			for name, value := range c.body {
				body[name] = value
			}
			got := a.Send(apitest.Request{Method: e.Method, Path: e.Path, Key: seller, Body: body})
			if got.Status != 200 || got.Header.Get("X-Ignored-Fields") != "" {
				t.Fatalf("%s: %d %s, ignored %q", row, got.Status, got.Body, got.Header.Get("X-Ignored-Fields"))
			}
			for _, r := range got.JSON["results"].([]any) {
				results = append(results, r.(object))
			}
			return results
		}
		before, was := snapshot(), c.read()
		dry := call(true)
		if after := snapshot(); after != before {
			t.Fatalf("%s wrote\n%s\nbefore\n%s", row, after, before)
		}
		done, is := call(false), c.read()
		first, last := map[string]any{}, map[string]any{}
		for i, r := range dry {
			changes, changed := r["changes"].([]any)
			refused := r["error"] != nil && r["error"] != ""
			if refused == changed {
				t.Errorf("%s: entry %d has neither changes nor a refusal, or both: %v", row, i, r)
			}
			delete(r, "changes")
			if !reflect.DeepEqual(r, done[i]) {
				t.Errorf("%s: entry %d: the dry run answered %v, the call %v", row, i, r, done[i])
			}
			for _, change := range changes {
				change := change.(object)
				field := change["field"].(string)
				if last[field] = change["after"]; first[field] == nil {
					first[field] = change["before"]
				}
			}
		}
		if len(last) == 0 {
			t.Errorf("%s: nothing would change", row)
		}
		for field := range last {
			if !reflect.DeepEqual(first[field], was[field]) || !reflect.DeepEqual(last[field], is[field]) {
				t.Errorf("%s: %s would change from %v to %v, it changed from %v to %v", row, field, first[field], last[field], was[field], is[field])
			}
		}
	}
}

// In the draft contour a dry run tells what would change in the draft.
func TestADryRunInTheDraftWritesNoDraft(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	id := a.Result("POST", "/products", a.Owner, object{"item": object{"name": "Tea"}})["id"]
	a.OK("PUT", fmt.Sprint("/products/", id), a.Dev, object{"item": object{"name": "Green tea"}})
	got := a.OK("PATCH", "/products/batch", a.Dev, object{"dry_run": true, "ids": list{id}, "item": object{"name": "Black tea"}})
	changes := fmt.Sprint(got["results"].([]any)[0].(object)["changes"])
	if changes != fmt.Sprint([]any{object{"field": "name", "before": "Green tea", "after": "Black tea"}}) {
		t.Errorf("changes %s", changes)
	}
	for key, want := range map[string]string{a.Dev: "Green tea", a.Owner: "Tea"} {
		if name := a.Result("GET", fmt.Sprint("/products/", id), key, nil)["name"]; name != want {
			t.Errorf("the name is %v, want %s", name, want)
		}
	}
}
