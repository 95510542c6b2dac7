package cart_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
)

// A client may set the price of a line only where the owner allows it, by the product or by the
// shop's setting, for every caller and every way a line is added; otherwise the price is
// dropped.
func TestClientsSetPricesOnlyWhereTheOwnerAllowsIt(t *testing.T) {
	b := open(t)
	owner := b.Session(b.OwnerID)
	tea := b.product(b.Owner, nil)
	cheap := m{"price": m{"total": 1}, "breakdown": m{"a": 1}, "display": "1", "note": "n"}
	company := fmt.Sprintf("?company_id=%d", b.Shop.ID)
	callers := []struct {
		name string
		send func(method, path string, body any) apitest.Answer
	}{}
	caller := func(name, token string, onHost bool) {
		callers = append(callers, struct {
			name string
			send func(method, path string, body any) apitest.Answer
		}{name, func(method, path string, body any) apitest.Answer {
			r := apitest.Request{Method: method, Path: path, Body: body, Key: token}
			if onHost {
				r.Key, r.Header = "", b.OnHost(token)
			}
			return b.Send(r)
		}})
	}
	caller("a guest on the shop's host", b.Send(apitest.Request{Method: "POST", Path: "/v1/auth/guest", Header: b.ThroughStorefront()}).Cookie(), true)
	caller("an account on the shop's host", b.Bound(b.API.Buyer("cat@people.test")), true)
	caller("an account on the admin origin", b.Session(b.API.Buyer("dan@people.test")), false)
	caller("a member", owner, false)
	for _, setting := range []bool{false, true} {
		b.OK("PUT", "/v1/shop/settings", owner, m{"client_prices": setting})
		for _, product := range []any{nil, true, false} {
			b.OK("PUT", "/products/"+tea, b.Owner, m{"item": m{"configurable": product}})
			if kept := b.Result("GET", "/products/"+tea, b.Owner, nil)["configurable"]; kept != product {
				t.Fatalf("configurable is %v, want %v", kept, product)
			}
			allowed := product == true || product == nil && setting
			entered := b.Result("POST", "/orders/manual", owner, m{"contact": m{"name": "Ann", "phone": "1"}, "items": l{m{"product_id": tea, "data": cheap}}})
			if total := entered["items_total"]; (total == 1.0) != allowed {
				t.Errorf("client_prices %v, configurable %v, a manual order: %v", setting, product, total)
			}
			for _, c := range callers {
				what := fmt.Sprintf("%s, client_prices %v, configurable %v", c.name, setting, product)
				look := func(way string, items any) {
					line := items.([]any)[0].(m)
					price, _ := line["price"].(m)
					data, _ := line["data"].(m)
					_, claims := data["price"]
					if (price["price"] == 1.0) != allowed || claims != allowed || data["note"] != "n" {
						t.Errorf("%s, %s: price %v, data %v", what, way, price["price"], data)
					}
				}
				quote := c.send("POST", "/cart/quote", m{"company_id": b.Shop.ID, "items": l{m{"product_id": tea, "key": "k", "quantity": 1, "data": cheap}}})
				look("quote", quote.JSON["result"].(m)["items"])
				if got := c.send("POST", "/cart/items/"+tea+"/k"+company, m{"quantity": 1, "data": cheap}); got.Status != 200 {
					t.Fatalf("%s: %d %s", what, got.Status, got.Body)
				}
				look("cart", c.send("GET", "/cart/items"+company, nil).JSON["result"].(m)["items"])
				c.send("DELETE", "/cart/items/"+tea+"/k"+company, nil)
				c.send("POST", "/cart/merge", m{"company_id": b.Shop.ID, "items": l{m{"product_id": tea, "key": "k", "quantity": 1, "data": cheap}}})
				look("merge", c.send("GET", "/cart/items"+company, nil).JSON["result"].(m)["items"])
				made := c.send("POST", "/cart/confirm", m{"company_id": b.Shop.ID, "contact": m{"name": "Ann", "phone": "1"}})
				order, _ := made.JSON["result"].(m)
				if total := order["items_total"]; (total == 1.0) != allowed {
					t.Errorf("%s, order: %v %s", what, total, made.Body)
				}
			}
		}
	}
}

// The test above covers every endpoint that accepts data of a line.
func TestEveryEndpointWithLineDataIsTested(t *testing.T) {
	b := open(t)
	tried := []string{"POST /cart/items/{product_id}/{key}", "POST /cart/merge", "POST /cart/quote", "POST /orders/manual"}
	raws := []reflect.Type{reflect.TypeFor[shop.Object](), reflect.TypeFor[json.RawMessage]()}
	var takes func(typ reflect.Type, depth int) bool
	takes = func(typ reflect.Type, depth int) bool {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice && !slices.Contains(raws, typ) {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || depth > 6 {
			return false
		}
		for i := range typ.NumField() {
			f := typ.Field(i)
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name == "data" && slices.Contains(raws, f.Type) || takes(f.Type, depth+1) {
				return true
			}
		}
		return false
	}
	for _, e := range b.Admin.Table() {
		if row := e.Method + " " + e.Path; takes(e.Do.In, 0) != slices.Contains(tried, row) {
			t.Errorf("%s accepts data: %v", row, !slices.Contains(tried, row))
		}
	}
}
