package order_test

import (
	"encoding/csv"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store/company"
)

// guestShop is a shop with one product that guests order.
type guestShop struct {
	*apitest.API
	t     *testing.T
	tea   string
	owner string
}

func newGuestShop(t *testing.T) *guestShop {
	t.Helper()
	a := apitest.New(t)
	tea := a.Result("POST", "/products", a.Owner, apitest.Map{"item": apitest.Map{"name": "Tea", "is_published": true, "price": apitest.Map{"price": 7}}})
	return &guestShop{a, t, fmt.Sprint(tea["id"]), a.Session(a.OwnerID)}
}

// order submits a checkout of a new guest, with the given fields overridden.
func (x *guestShop) order(with apitest.Map) (status int, answer apitest.Map, guest string) {
	x.t.Helper()
	guest = fmt.Sprint(x.Result("POST", "/v1/auth/guest", "", apitest.Map{})["token"])
	x.OK("POST", "/cart/items/"+x.tea+"/default", guest, apitest.Map{"company_id": x.Shop.ID, "quantity": 1})
	body := apitest.Map{"company_id": x.Shop.ID, "contact": apitest.Map{"name": "Ann", "phone": "1"}}
	for name, value := range with {
		body[name] = value
	}
	status, answer = x.Call("POST", "/cart/confirm", guest, body)
	return status, answer, guest
}

func TestTheEmailOfAContactIsValidated(t *testing.T) {
	t.Parallel()
	x := newGuestShop(t)
	for _, wrong := range []string{"ann", "ann@", "@mail.example", "a b@mail.example", "ann@mail example", "ann@b@c", strings.Repeat("a", 250) + "@mail.example"} {
		if status, answer, _ := x.order(apitest.Map{"contact": apitest.Map{"name": "Ann", "phone": "1", "email": wrong}}); status != 400 ||
			apitest.Code(answer) != "CONTACT_INVALID" && len(wrong) <= 254 {
			t.Errorf("%q: %d %v", wrong, status, answer)
		}
	}
	for _, right := range []string{"", " ann@mail.example ", "Ann+tea@mail.example", "анна@почта.рф"} {
		if status, answer, _ := x.order(apitest.Map{"contact": apitest.Map{"name": "Ann", "phone": "anything", "email": right}}); status != 200 {
			t.Errorf("%q: %d %v", right, status, answer)
		}
	}
}

func TestAnOrderNeedsAnActivePaymentMethod(t *testing.T) {
	t.Parallel()
	x := newGuestShop(t)
	x.OK("PUT", "/v1/shop/settings", x.owner, apitest.Map{"sandbox": true})
	x.Result("PUT", "/v1/shop/payment-methods/sandbox", x.owner, apitest.Map{"is_active": true, "title": "Test"})
	x.Result("PUT", "/v1/shop/payment-methods/manual", x.owner, apitest.Map{"is_active": false, "title": "By hand"})
	for method, want := range map[string]string{"": "", "sandbox": "", "manual": "PAYMENT_METHOD_INACTIVE", "stripe": "PAYMENT_METHOD_INACTIVE", "barter": "PAYMENT_METHOD_INACTIVE"} {
		status, answer, _ := x.order(apitest.Map{"payment_method": method})
		if code := apitest.Code(answer); code != want || (status == 200) != (want == "") {
			t.Errorf("%q: %d %s", method, status, code)
		}
	}
}

func TestADeliveryMayRequireAnAddress(t *testing.T) {
	t.Parallel()
	x := newGuestShop(t)
	x.Result("POST", "/v1/shop/delivery-options", x.owner, apitest.Map{"name": "Courier", "price": 1, "is_active": true, "needs_address": true})
	for _, c := range []struct {
		address any
		ok      bool
	}{
		{nil, false}, {apitest.Map{}, false}, {[]any{}, false}, {[]any{"Rua 1"}, false}, {"", false}, {"  ", false}, {7, false}, {true, false},
		{apitest.Map{"postcode": "1000"}, false}, {apitest.Map{"street": " "}, false}, {apitest.Map{"street": apitest.Map{}}, false},
		{apitest.Map{"street": "Rua 1"}, true}, {apitest.Map{"city": "Lisboa"}, true}, {"Rua 1, Lisboa", true},
	} {
		status, answer, _ := x.order(apitest.Map{"address": c.address})
		if code := apitest.Code(answer); (status == 200) != c.ok || !c.ok && code != "ADDRESS_REQUIRED" {
			t.Errorf("%v: %d %s", c.address, status, code)
		}
	}
}

// Every part of an address of any form is shown to the seller.
func TestAnAddressOfAnyFormIsShownCompletely(t *testing.T) {
	t.Parallel()
	x := newGuestShop(t)
	address := apitest.Map{
		"street": "Rua do Alecrim 12", "city": "Lisboa", "comment": "Gate 77#", "floor": 3, "lift": false, "parts": []any{"left", apitest.Map{"door": "B"}},
	}
	_, answer, guest := x.order(apitest.Map{"address": address, "contact": apitest.Map{"name": "Ann", "phone": "1", "email": "ann@mail.example"}})
	made := answer["result"].(apitest.Map)
	want := []string{"Rua do Alecrim 12", "Lisboa", "Gate 77#", "floor: 3", "lift: false", "parts: left", "door: B"}
	holds := func(where, text string) {
		t.Helper()
		for _, line := range want {
			if !strings.Contains(text, line) {
				t.Errorf("%s lacks %q: %s", where, line, text)
			}
		}
	}
	for _, name := range []string{"order_made_buyer", "order_made_seller"} {
		l := x.Result("GET", "/v1/shop/letters?filter.name="+name, x.owner, nil)["items"].([]any)[0].(apitest.Map)
		holds(name+" text", fmt.Sprint(l["text"]))
		holds(name+" html", fmt.Sprint(l["html"]))
	}
	exported := x.Send(apitest.Request{Method: "GET", Path: "/orders/export", Key: x.owner})
	rows, err := csv.NewReader(strings.NewReader(string(exported.Body))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	holds("the export", strings.Join(rows[1], "|"))
	// Contact, address and payment method are in every response that shows the order.
	id := fmt.Sprint(made["id"])
	shown := map[string]any{
		"confirm": made, "the buyer's": x.Result("GET", "/orders/"+id, guest, nil), "the seller's": x.Result("GET", "/orders/"+id, x.owner, nil),
		"the buyer's list":  x.Result("POST", "/orders", guest, apitest.Map{})["items"].([]any)[0],
		"the seller's list": x.Result("POST", "/orders", x.owner, apitest.Map{"filter": apitest.Map{"company_id": x.Shop.ID}})["items"].([]any)[0],
		"a move":            x.Result("PUT", "/orders/"+id+"/status", x.owner, apitest.Map{"status": "processing"}),
		"a payment by hand": x.Result("POST", "/orders/"+id+"/payment/confirm", x.owner, apitest.Map{}),
		"a refund":          x.Result("POST", "/orders/"+id+"/refund", x.owner, apitest.Map{}),
	}
	for what, o := range shown {
		order := o.(apitest.Map)
		if !reflect.DeepEqual(order["address"], made["address"]) || order["contact"] == nil || order["payment_method"] == nil {
			t.Errorf("%s: %v %v %v", what, order["address"], order["contact"], order["payment_method"])
		}
		for _, line := range order["items"].([]any) {
			if line.(apitest.Map)["id"] == "0" {
				t.Errorf("%s: a line without an id", what)
			}
		}
	}
}

func TestADeletedShopAcceptsNoOrders(t *testing.T) {
	t.Parallel()
	x := newGuestShop(t)
	guest := fmt.Sprint(x.Result("POST", "/v1/auth/guest", "", apitest.Map{})["token"])
	x.Refused("POST", "/cart/confirm", guest, apitest.Map{"company_id": 999999, "contact": apitest.Map{"name": "Ann", "phone": "1"}}, 400, "COMPANY_UNAVAILABLE")
}

// The export accepts every filter of the list, and refuses the same values.
func TestListAndExportOfOrdersAcceptTheSameFilters(t *testing.T) {
	t.Parallel()
	x := newGuestShop(t)
	_, first, guest := x.order(nil)
	_, second, _ := x.order(nil)
	id, other := fmt.Sprint(first["result"].(apitest.Map)["id"]), fmt.Sprint(second["result"].(apitest.Map)["id"])
	x.OK("PUT", "/orders/"+other+"/status", x.owner, apitest.Map{"status": "cancelled"})
	user := fmt.Sprint(first["result"].(apitest.Map)["user_id"])
	for _, wrong := range []apitest.Map{{"page": apitest.Map{"limit": 101}}, {"page": apitest.Map{"limit": -1}}, {"page": apitest.Map{"number": -1}}, {"page": apitest.Map{"number": 1_000_001}}} {
		x.Refused("POST", "/orders", x.owner, wrong, 400, "INVALID_REQUEST")
		x.Refused("POST", "/orders", guest, wrong, 400, "INVALID_REQUEST")
	}
	x.Refused("POST", "/orders", x.owner, apitest.Map{"filter": apitest.Map{"status": []string{"new", "lost"}}}, 400, "INVALID_STATUS")
	x.Refused("GET", "/orders/export?filter.status=new&filter.status=lost", x.owner, nil, 400, "INVALID_STATUS")
	for query, want := range map[string]string{
		"filter.ids=" + id: id, "filter.ids=" + other: other, "filter.status=cancelled": other, "filter.user_id=" + user: id, "filter.paid=true": "",
		"filter.query=1001": id, "filter.created_to=2020-01-01T00:00:00Z": "", "filter.created_from=2099-01-01T00:00:00Z": "",
		"filter.updated_to=2020-01-01T00:00:00Z": "", "filter.updated_from=2099-01-01T00:00:00Z": "", "filter.ids=" + id + "&filter.ids=" + other: id + " " + other,
	} {
		exported := x.Send(apitest.Request{Method: "GET", Path: "/orders/export?" + query, Key: x.owner})
		rows, err := csv.NewReader(strings.NewReader(string(exported.Body))).ReadAll()
		if err != nil || exported.Status != 200 {
			t.Fatalf("%s: %d %v", query, exported.Status, err)
		}
		var ids []string
		for _, row := range rows[1:] {
			ids = append(ids, row[1])
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%s: orders %q, want %q", query, got, want)
		}
	}
}

// A set that can no longer be assembled is shown as sold out at once.
func TestAnOutOfStockComponentUpdatesTheSet(t *testing.T) {
	t.Parallel()
	x := newGuestShop(t)
	x.OK("PUT", "/products/"+x.tea+"/stock", x.owner, apitest.Map{"quantity": 5})
	x.Result("POST", "/products", x.Owner, apitest.Map{"item": apitest.Map{
		"name": "Set", "kind": "combo", "is_published": true, "combo_items": []any{apitest.Map{"product_id": x.tea, "quantity": 4}}}})
	version := func() int64 {
		info, err := company.Info(t.Context(), x.Store.Shop(x.Shop.ID))
		if err != nil {
			t.Fatal(err)
		}
		return info.Version
	}
	for left, changes := range map[int]bool{4: false, 3: true} {
		x.OK("PUT", "/products/"+x.tea+"/stock", x.owner, apitest.Map{"quantity": left + 1})
		before := version()
		if status, answer, _ := x.order(nil); status != 200 {
			t.Fatalf("%d %v", status, answer)
		}
		if changed := version() != before; changed != changes {
			t.Errorf("with %d left, pages change: %v", left, changed)
		}
	}
}
