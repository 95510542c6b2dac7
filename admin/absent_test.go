package admin_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api/apitest"
)

// Ids in the valid range that do not exist.
const (
	noNumber = "2000000000"
	noFile   = "6b1f6a4e-0000-4000-8000-000000000000"
)

// usual maps names of text fields to valid values, so that calls pass validation and reach the
// lookup of rows that do not exist.
var usual = map[string]string{
	"email": "ann@people.test", "address": "{}", "url": "https://example.com/a", "code": "SPRING", "key": "default",
	"status": "approved", "kind": "product", "type": "product", "entity_type": "product",
}

// absentBody returns a body with every field set: ids that do not exist, and usual values
// elsewhere. onlyIDs leaves out everything but ids.
func absentBody(in reflect.Type, onlyIDs bool) map[string]any {
	body := map[string]any{}
	for i := range in.NumField() {
		f := in.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			for k, v := range absentBody(f.Type, onlyIDs) {
				body[k] = v
			}
		case name != "" && name != "-" && (!onlyIDs || isID(name) || hasStruct(f.Type)):
			if v := absentValue(f.Type, name, onlyIDs); v != nil {
				body[name] = v
			}
		}
	}
	return body
}

func isID(name string) bool {
	return name == "id" || name == "ids" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_ids")
}

func hasStruct(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct && t.NumField() > 0
}

func absentValue(t reflect.Type, name string, onlyIDs bool) any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[uuid.UUID]() || strings.Contains(name, "file") && t.Kind() == reflect.String:
		return noFile
	case t == reflect.TypeFor[json.RawMessage]():
		return map[string]any{}
	case t == reflect.TypeFor[time.Time]():
		return "2030-01-01T00:00:00Z"
	case t.Kind() == reflect.Slice:
		return []any{absentValue(t.Elem(), name, onlyIDs)}
	case t.Kind() == reflect.Struct:
		if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
			return nil
		}
		return absentBody(t, onlyIDs)
	case t.Kind() == reflect.String:
		if text, ok := usual[name]; ok {
			return text
		}
		return "tea"
	case t.Kind() == reflect.Bool:
		return false
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
		if isID(name) {
			return noNumber
		}
		return 1
	}
	return nil
}

// absentQuery returns query parameters that name a shop and things that do not exist, wherever
// an endpoint reads one.
func absentQuery(in reflect.Type) string {
	query := url.Values{}
	for _, f := range fieldsOf(in, nil) {
		if name := f.query; isID(name[strings.LastIndex(name, ".")+1:]) {
			query.Set(name, noNumber)
			if f.kind == reflect.TypeFor[uuid.UUID]() {
				query.Set(name, noFile)
			}
		}
	}
	return "?" + query.Encode()
}

// A call that names a shop, a product or a file that does not exist is refused: no endpoint
// fails with an internal error, whether it looks the thing up first or only notices on write.
func TestUnknownIDsNeverCauseInternalErrors(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	who := callers(a)
	who = append(who, caller{"anonymous", false, func() string { return "" }})
	for _, who := range who {
		tried := 0
		for _, e := range a.Admin.Table() {
			if e.Path == "/v1/auth/logout" { // the session is needed for the endpoints after it
				continue
			}
			query := absentQuery(e.Do.In)
			read := map[string]bool{} // addresses: a repeated read has the same answer
			for _, onlyIDs := range []bool{true, false} {
				for _, thing := range []string{noNumber, noFile} {
					var body any = absentBody(e.Do.In, onlyIDs)
					if e.Method == "GET" || !e.TakesJSON() {
						body = nil
					}
					a.Clock.Advance(time.Minute) // past the budgets of calls
					r := apitest.Request{Method: e.Method, Path: address(e, thing) + query, Key: who.token(), Body: body}
					if e.Method == "GET" && read[r.Path] {
						continue
					}
					read[r.Path] = true
					if who.onHost {
						r.Key, r.Header = "", a.OnHost(who.token())
					}
					got := a.Send(r)
					if tried++; got.Status >= 500 {
						t.Errorf("%s, %s %s %v: %d %s", who.name, r.Method, r.Path, body, got.Status, got.Body)
					}
				}
			}
		}
		if tried < 200 {
			t.Errorf("%s: only %d calls", who.name, tried)
		}
	}
}

// Writes to the cart name a shop that nothing has looked up before.
func TestACartOfAnUnknownShopIsRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ann := a.Session(a.Buyer("ann@people.test"))
	body := apitest.Map{"company_id": noNumber, "code": "SPRING", "items": []any{apitest.Map{"product_id": 1}}}
	a.Refused("POST", "/cart/promo", ann, body, 404, "SHOP_NOT_FOUND")
	a.Refused("DELETE", "/cart/promo", ann, body, 404, "SHOP_NOT_FOUND")
	a.Refused("POST", "/cart/merge", ann, body, 404, "SHOP_NOT_FOUND")
	a.Refused("DELETE", "/cart/items/1/default?company_id="+noNumber, ann, nil, 404, "SHOP_NOT_FOUND")
	a.Refused("POST", "/v1/account/addresses", ann, apitest.Map{"company_id": noNumber, "city": "Berlin"}, 404, "SHOP_NOT_FOUND")
}

// listsOfIDs returns the paths of the id lists in a request type.
func listsOfIDs(in reflect.Type, way string) (places []string) {
	for i := range in.NumField() {
		f := in.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		kind := f.Type
		for kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		switch {
		case f.Anonymous && name == "" && kind.Kind() == reflect.Struct:
			places = append(places, listsOfIDs(kind, way)...)
		case name == "" || name == "-":
		case kind.Kind() == reflect.Slice && (name == "ids" || strings.HasSuffix(name, "_ids")):
			places = append(places, way+name)
		case kind.Kind() == reflect.Slice && kind.Elem().Kind() == reflect.Struct:
			places = append(places, listsOfIDs(kind.Elem(), way+name+"[].")...)
		case kind.Kind() == reflect.Struct:
			places = append(places, listsOfIDs(kind, way+name+".")...)
		}
	}
	return places
}

// withList returns a copy of base with a list of ids at the place.
func withList(place string, ids any, base apitest.Map) apitest.Map {
	body := maps.Clone(base)
	if body == nil {
		body = apitest.Map{}
	}
	first, rest, deeper := strings.Cut(place, ".")
	name, listed := strings.CutSuffix(first, "[]")
	switch inner, _ := body[name].(apitest.Map); {
	case !deeper:
		body[name] = ids
	case listed:
		list, _ := body[name].([]apitest.Map)
		if len(list) == 0 {
			list = []apitest.Map{nil}
		}
		body[name] = []apitest.Map{withList(rest, ids, list[0])}
	default:
		body[name] = withList(rest, ids, inner)
	}
	return body
}

// skipsUnknown are the lists whose unknown ids an endpoint skips, and why.
var skipsUnknown = map[string]string{
	"POST /v1/storages/collections/{id}/reorder file_ids": "an order: files that it does not list keep their places",
	"POST /v1/storages/collections/reorder ids":           "an order",
	"PUT /storefront-redirects/order ids":                 "an order (document 3, 4.4)",
	"DELETE /storefront-redirects ids":                    "deleting is idempotent; deleted counts the ids that existed",
	"POST /v1/account/wishlist/merge product_ids":         "a browser collected them, some of them long ago",
	"POST /orders filter.ids":                             "a filter",
}

// A list of ids is accepted as a whole: an unknown id is named in the refusal or the response, so
// that nothing is dropped silently.
func TestListsOfIDsNameUnknownIDs(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	made := func(path string, body apitest.Map) string {
		t.Helper()
		return fmt.Sprint(a.Result("POST", path, a.Owner, body)["id"])
	}
	item := func(fields apitest.Map) apitest.Map { return apitest.Map{"item": fields} }
	section := made("/categories", item(apitest.Map{"name": "Teas", "type": "product", "is_published": true}))
	rubric := made("/categories", item(apitest.Map{"name": "News", "type": "news"}))
	product := made("/products", item(apitest.Map{"name": "Tea", "is_published": true, "category_id": section, "price": apitest.Map{"price": 5}}))
	article := made("/articles", item(apitest.Map{"title": "Harvest", "category_id": rubric}))
	attribute := made("/attributes", item(apitest.Map{"name": "Colour", "options": []any{apitest.Map{"value": "red", "label": "Red"}}}))
	promotion := made("/promotions", item(apitest.Map{"name": "Sale", "kind": "personal_coupon", "value": apitest.Map{"percent": 5}}))
	rule := made("/pricing-rules", item(apitest.Map{"name": "Rule", "product_ids": []string{product}, "tiers": []any{apitest.Map{"from": 2, "percent": 5}}}))
	group := made("/product-groups", item(apitest.Map{"name": "Pair", "product_ids": []string{product}}))
	policy := made("/access-policies", apitest.Map{"name": "Closed", "kind": "customers", "resources": []any{apitest.Map{"type": "category", "id": rubric}}})
	folder := made("/v1/storages/collections", apitest.Map{"name": "Folder"})
	customer := made("/customers", apitest.Map{"email": "cust@people.test"})
	ann := a.Session(a.Buyer("ann@people.test"))
	a.OK("POST", "/cart/items/"+product+"/default", ann, apitest.Map{"quantity": 1})
	order := fmt.Sprint(a.Result("POST", "/cart/confirm", ann, apitest.Map{"company_id": a.Shop.ID, "contact": apitest.Map{"name": "Ann", "phone": "1"}})["id"])
	ids := map[string]string{
		"/products/": product, "/categories/": section, "/articles/": article, "/promotions/": promotion, "/pricing-rules/": rule, "/product-groups/": group,
		"/access-policies/": policy, "/v1/storages/collections/": folder, "/customers/": customer, "/orders/": order,
	}
	product1 := apitest.Map{"name": "New", "attributes": []apitest.Map{{"attribute_id": attribute}}}
	bodies := map[string]apitest.Map{
		"POST /products": {"item": product1}, "PUT /products/{id}": {"item": product1}, "POST /products/batch": {"items": []apitest.Map{product1}},
		"PATCH /products/batch items[].gallery_ids":             {"items": []apitest.Map{{"id": product}}},
		"PATCH /products/batch items[].attributes[].option_ids": {"items": []apitest.Map{{"id": product, "attributes": []apitest.Map{{"attribute_id": attribute}}}}},
		"PATCH /products/batch":                                 {"ids": []string{product}, "item": apitest.Map{"attributes": []apitest.Map{{"attribute_id": attribute}}}},
		"PUT /orders/batch/status":                              {"status": "processing"},
		"PUT /reviews/batch":                                    {"status": "approved"},
		"PUT /questions/batch":                                  {"status": "approved"},
		"POST /orders/papers/link":                              {"kind": "slip"},
		"POST /product-groups":                                  {"item": apitest.Map{"name": "Pair"}}, "POST /categories": {"item": apitest.Map{"name": "More", "type": "product"}},
		"POST /articles":              {"item": apitest.Map{"title": "More", "category_id": rubric}},
		"POST /pricing-rules":         {"item": apitest.Map{"name": "Two", "tiers": []any{apitest.Map{"from": 2, "percent": 5}}}},
		"POST /access-policies":       {"name": "More", "kind": "group", "resources": []any{apitest.Map{"type": "category", "id": rubric}}},
		"PUT /access-policies/{id}":   {"kind": "group"},
		"POST /orders/{id}/messages":  {"text": "Hello"},
		"POST /products/{id}/reviews": {"company_id": a.Shop.ID, "rating": 5},
		"POST /customers":             {"email": "other@people.test"},
		"PUT /pricing-rules/{id}":     {"item": apitest.Map{"name": "Rule"}},
		"PUT /product-groups/{id}":    {"item": apitest.Map{"name": "Pair"}},
		"PUT /categories/{id}":        {"item": apitest.Map{"name": "Teas"}},
		"PUT /articles/{id}":          {"item": apitest.Map{"title": "Harvest"}},
	}
	tried := 0
	for _, e := range a.Admin.Table() {
		row := e.Method + " " + e.Path
		for _, place := range listsOfIDs(e.Do.In, "") {
			if skipsUnknown[row+" "+place] != "" {
				continue
			}
			tried++
			unknown := noNumber
			if strings.Contains(place, "file_ids") || row == "POST /v1/storages/files/delete" {
				unknown = noFile
			}
			path := e.Path
			for noun, id := range ids {
				path = strings.Replace(path, noun+"{id}", noun+id, 1)
			}
			key := credential(a, a.Session(a.OwnerID), e)
			if strings.HasSuffix(path, "/reviews") {
				key = ann
			}
			a.Clock.Advance(time.Minute)
			base, ok := bodies[row+" "+place]
			if !ok {
				base = bodies[row]
			}
			body := withList(place, []string{unknown}, base)
			got := a.Send(apitest.Request{Method: e.Method, Path: path, Key: key, Body: body})
			code := apitest.Code(got.JSON)
			list := place[strings.LastIndex(place, ".")+1:]
			refused := got.Status >= 400 && got.Status < 500 && code != "INVALID_REQUEST" && strings.Contains(string(got.Body), list)
			if !refused && got.JSON["failed"] != 1.0 && !strings.Contains(string(got.Body), unknown) {
				t.Errorf("%s %s: %v: %d %s", row, place, body, got.Status, got.Body)
			}
		}
	}
	if tried < 25 {
		t.Errorf("only %d lists were tried", tried)
	}
}
