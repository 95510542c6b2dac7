package zone

import (
	"encoding/json"
	"fmt"
	"net/url"
	"testing"

	"github.com/valyala/fasthttp"

	"vitrine/internal/shop"
	"vitrine/render"
)

// cartVisit is a visit of a cart with lines, and records the writing calls of the API.
func cartVisit(query string, form url.Values, lines ...map[string]any) (v *Visit, asked *[]string) {
	asked = &[]string{}
	v = visitOf(query, form, func(method, path string, _ *fasthttp.Args, body []byte) any {
		if method != "GET" {
			*asked = append(*asked, fmt.Sprintf("%s %s %s", method, path, body))
		}
		if method == "PUT" {
			var in struct{ Quantity int64 }
			if err := json.Unmarshal(body, &in); err != nil {
				panic(err)
			}
			for _, l := range lines {
				if path == fmt.Sprintf("/cart/items/%v/%v", l["product_id"], l["key"]) {
					l["quantity"] = in.Quantity
				}
			}
		}
		if path == "/v1/shop/delivery-options" {
			return []any{}
		}
		return map[string]any{"items": lines, "email": ""}
	})
	v.Zone, v.Below = shop.ZoneCart, ""
	return v, asked
}

func TestQuantityZeroRemovesALine(t *testing.T) {
	for _, form := range []url.Values{
		{"product_id": {"1"}, "key": {"default"}, "quantity": {"0"}}, {"product_id": {"1"}, "key": {"default"}, "quantity": {"-3"}},
		{"product_id": {"1"}, "key": {"default"}, "quantity": {"1"}, "less": {"1"}},
	} {
		v, asked := cartVisit("", form)
		if a, err := v.Answer(); err != nil || a.Location != "/cart" || len(*asked) != 1 || (*asked)[0] != "DELETE /cart/items/1/default " {
			t.Errorf("%v: %+v, %v, %q", form, a, err, *asked)
		}
	}
}

// A line is reduced to the available quantity, and the page says so.
func TestLineIsReducedToTheAvailableQuantity(t *testing.T) {
	for want, form := range map[string]url.Values{
		"set": {"do": {"set"}, "product_id": {"1"}, "key": {"default"}, "quantity": {"9"}},
		"add": {"do": {"add"}, "product_id": {"1"}, "quantity": {"9"}},
	} {
		line := map[string]any{"product_id": 1, "key": "default", "quantity": 9, "available": 3, "in_stock": true}
		other := map[string]any{"product_id": 2, "key": "default", "quantity": 9, "available": 3, "in_stock": true}
		v, asked := cartVisit("", form, line, other)
		a, err := v.Answer()
		if err != nil || a.Location != "/cart?left=1" || (*asked)[len(*asked)-1] != `PUT /cart/items/1/default {"quantity":3}` || other["quantity"] != 9 {
			t.Errorf("%s: %+v, %v, %q", want, a, err, *asked)
		}
		v, _ = cartVisit("left=1", nil, line, other)
		if a, err = v.Answer(); err != nil || !a.Body.(*render.Cart).Lines[0].Clipped || a.Body.(*render.Cart).Lines[1].Clipped {
			t.Errorf("%s: the cart does not report it: %v", want, err)
		}
	}
	for _, line := range []map[string]any{
		{"product_id": 1, "key": "default", "quantity": 9, "available": 9}, {"product_id": 1, "key": "default", "quantity": 9}, {"product_id": 1, "key": "default", "quantity": 9, "available": 0},
	} {
		v, asked := cartVisit("", url.Values{"do": {"set"}, "product_id": {"1"}, "key": {"default"}, "quantity": {"9"}}, line)
		if a, err := v.Answer(); err != nil || a.Location != "/cart" || len(*asked) != 1 {
			t.Errorf("%v: %+v, %v, %q", line, a, err, *asked)
		}
	}
}
