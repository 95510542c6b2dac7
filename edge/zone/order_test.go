package zone

import (
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"vitrine/edge/backend"
	"vitrine/internal/cookie"
	"vitrine/internal/origin"
	"vitrine/internal/shop"
	"vitrine/render"
)

// visitOf is a visit of an order's page with a function as its API.
func visitOf(query string, form url.Values, api func(method, path string, args *fasthttp.Args, body []byte) any) *Visit {
	values, err := url.ParseQuery(query)
	if err != nil {
		panic(err)
	}
	return &Visit{
		Zone: shop.ZoneOrders, Below: "7", Query: values, Form: form,
		Backend: signedIn(func(rc *fasthttp.RequestCtx) {
			answer := api(string(rc.Method()), string(rc.Path()), rc.QueryArgs(), rc.Request.Body())
			if answer == nil {
				answer = struct{}{}
			}
			body, err := json.Marshal(map[string]any{"result": answer})
			if err != nil {
				panic(err)
			}
			rc.SetBody(body)
		}),
	}
}

// signedIn is a visitor with a session at an API.
func signedIn(api fasthttp.RequestHandler) *backend.Visitor {
	var request fasthttp.RequestHeader
	request.SetCookie("vitrine-session", "token")
	return backend.New(api, origin.Storefront{Shop: 1, Cookies: cookie.Local}, &request, &net.TCPAddr{})
}

// All messages of an order can be read page by page, the newest first.
func TestOrderPagesShowAllMessages(t *testing.T) {
	for _, total := range []int{0, 1, 50, 51, 200, 201, 1234} {
		calls := 0
		api := func(method, path string, args *fasthttp.Args, _ []byte) any {
			switch {
			case path == "/orders/7":
				return map[string]any{"id": "7", "status": "cancelled"}
			case method == "GET" && path == "/orders/7/messages":
				calls++
				after, _ := strconv.Atoi(string(args.Peek("after_id")))
				list := []map[string]any{}
				for n := after + 1; n <= min(after+backend.MessagesRead, total); n++ {
					list = append(list, map[string]any{"id": strconv.Itoa(n), "text": fmt.Sprint("message ", n), "author": "buyer", "created_at": "2026-01-02T03:04:05Z"})
				}
				return list
			}
			return nil
		}
		unseen, address := total, "/orders/7"
		for page := 0; address != "" && page < 100; page++ {
			_, query, _ := strings.Cut(strings.TrimSuffix(address, "#messages"), "?")
			answer, err := visitOf(query, nil, api).Answer()
			if err != nil {
				t.Fatal(err)
			}
			o := answer.Body.(*render.Order)
			for i := range o.Messages {
				if want := fmt.Sprint("message ", unseen-len(o.Messages)+i+1); o.Messages[i].Text != want {
					t.Fatalf("of %d, page %d: %s, want %s", total, page, o.Messages[i].Text, want)
				}
			}
			unseen, address = unseen-len(o.Messages), o.Earlier
		}
		if unseen != 0 {
			t.Errorf("of %d messages %d are on no page", total, unseen)
		}
	}
}

// Gifts are not ordered again; a line is a gift by its flag, not by its key or price.
func TestOrderAgainKeepsWhatTheBuyerChose(t *testing.T) {
	var merged []byte
	v := visitOf("", url.Values{"do": {"again"}}, func(_, path string, _ *fasthttp.Args, body []byte) any {
		switch path {
		case "/orders/7":
			return map[string]any{"id": "7", "items": []map[string]any{
				{"product_id": 1, "key": "default", "quantity": 2}, {"product_id": 2, "key": "gift-wrapped", "quantity": 1, "unit_price": 0},
				{"product_id": 3, "key": "gift-9", "quantity": 1, "is_gift": true},
			}}
		case "/cart/merge":
			merged = body
		}
		return map[string]any{"email": ""}
	})
	answer, err := v.Answer()
	if err != nil || answer.Location != "/cart" {
		t.Fatalf("%+v, %v", answer, err)
	}
	if text := string(merged); !strings.Contains(text, `"gift-wrapped"`) || !strings.Contains(text, `"default"`) || strings.Contains(text, `"gift-9"`) {
		t.Errorf("ordered again: %s", text)
	}
}
