package order_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store/storetest"
)

// more returns a further order of the buyer, of one cup.
func (x *parcels) more(contact m) string {
	x.t.Helper()
	product := fmt.Sprint(x.Result("GET", x.order, x.Owner, nil)["items"].(l)[0].(m)["product_id"])
	x.OK("POST", "/cart/items/"+product+"/default", x.buyer, m{"quantity": 1})
	body := m{"company_id": x.Shop.ID, "contact": m{"name": "Ann", "phone": "1"}}
	for name, value := range contact {
		body[name] = value
	}
	return fmt.Sprintf("/orders/%v", x.Result("POST", "/cart/confirm", x.buyer, body)["id"])
}

func (x *parcels) listed(filter m) string {
	x.t.Helper()
	var numbers []string
	for _, o := range x.Result("POST", "/orders", x.Owner, m{"filter": filter, "sort": m{"field": "number", "order": "asc"}})["items"].(l) {
		numbers = append(numbers, fmt.Sprint(o.(m)["number"].(float64)-1000))
	}
	return strings.Join(numbers, " ")
}

func (x *parcels) link() string {
	x.t.Helper()
	return linkIn.FindStringSubmatch(fmt.Sprint(x.Result("GET", "/v1/shop/letters?filter.name=order_made_buyer", x.seller, nil)))[2]
}

// Notes and tags are read and set by the shop's members and keys. The buyer sees neither, in any
// answer.
func TestNotesAndTagsAreForTheShopAlone(t *testing.T) {
	t.Parallel()
	x := openParcels(t)
	key := x.link()
	noted := x.Result("PUT", x.order+"/note", x.Owner, m{"text": "  secret-note\n2nd line "})
	if noted["note"] != "secret-note\n2nd line" || len(noted["tags"].(l)) != 0 {
		t.Errorf("%v, %v", noted["note"], noted["tags"])
	}
	tagged := x.Result("PUT", x.order+"/tags", x.seller, m{"tags": l{" secret-tag ", "b", "", "secret-tag", strings.Repeat("ж", 64)}})
	if fmt.Sprint(tagged["tags"]) != "[secret-tag b "+strings.Repeat("ж", 64)+"]" {
		t.Errorf("%v", tagged["tags"])
	}
	listed := x.Result("POST", "/orders", x.Owner, m{})["items"].(l)[0].(m)
	if listed["note"] != "secret-note\n2nd line" || len(listed["tags"].(l)) != 3 {
		t.Errorf("%v", listed)
	}
	for _, call := range []apitest.Request{
		{Method: "GET", Path: x.order, Key: x.buyer}, {Method: "GET", Path: x.order + "?key=" + key}, {Method: "POST", Path: "/orders", Key: x.buyer, Body: m{}},
		{Method: "GET", Path: x.order + "/history", Key: x.buyer}, {Method: "GET", Path: "/v1/account/export", Key: x.buyer},
	} {
		if got := x.Send(call); got.Status != 200 || strings.Contains(string(got.Body), "secret") || strings.Contains(string(got.Body), `"note"`) || strings.Contains(string(got.Body), `"tags"`) {
			t.Errorf("%s %s: %d %s", call.Method, call.Path, got.Status, got.Body)
		}
	}
	x.Refused("POST", "/orders", x.buyer, m{"filter": m{"tags": l{"b"}}}, 403, "DENIED")
	for _, path := range []string{x.order + "/note", x.order + "/tags"} {
		body := m{"text": "x", "tags": l{}}
		x.Refused("PUT", path, x.buyer, body, 403, "DENIED")
		x.Refused("PUT", path, x.Scoped("orders:read"), body, 403, "PAT_SCOPE_MISSING")
		x.Refused("PUT", path, x.Stranger, body, 403, "DENIED")
		if status, answer := x.Call("PUT", path+"?key="+key, "", body); status < 400 {
			t.Errorf("the link of the buyer: %v", answer)
		}
	}
	x.Refused("PUT", x.order+"/note", x.Owner, m{"text": strings.Repeat("x", 4001)}, 400, "TEXT_TOO_LONG")
	x.Refused("PUT", x.order+"/tags", x.Owner, m{"tags": l{strings.Repeat("x", 65)}}, 400, "TEXT_TOO_LONG")
	many := l{}
	for n := range 65 {
		many = append(many, fmt.Sprint(n))
	}
	x.Refused("PUT", x.order+"/tags", x.Owner, m{"tags": many}, 400, "INVALID_REQUEST")
	if got := x.Result("PUT", x.order+"/tags", x.Owner, m{"tags": many[:64]}); len(got["tags"].(l)) != 64 {
		t.Errorf("%v", got["tags"])
	}
}

// Lists are filtered by tags, shipments, payments, delivery and days, and searched in what a
// seller knows of an order.
func TestOrdersAreFilteredAndSearched(t *testing.T) {
	t.Parallel()
	x := openParcels(t)
	courier := x.Result("POST", "/v1/shop/delivery-options", x.seller, m{"name": "Courier", "price": 3})["id"]
	second := x.more(m{"comment": "Ring TWICE", "address": m{"city": "Köln", "street": "Rheinweg 1"}, "contact": m{"name": "Bob", "phone": "+49 (30) 55-501"}, "delivery_option_id": courier})
	third := x.more(m{"address": json.RawMessage(`{"city": "B\u00f6nn", "street": "K\u00f6lnstrasse 2"}`)})
	for _, call := range []struct {
		path string
		body m
	}{
		{second + "/tags", m{"tags": l{"gift", "regular"}}}, {third + "/tags", m{"tags": l{"regular"}}},
	} {
		x.OK("PUT", call.path, x.Owner, call.body)
	}
	x.OK("POST", second+"/payment/confirm", x.seller, nil)
	x.OK("POST", third+"/payment/confirm", x.seller, nil)
	x.OK("POST", third+"/refund", x.Owner, nil)
	x.OK("POST", second+"/shipments", x.Owner, x.parcel())
	x.ship(x.cups, 1)
	for _, c := range []struct {
		filter m
		want   string
	}{
		{m{"tags": l{"gift"}}, "2"}, {m{"tags": l{"gift", "regular"}}, "2 3"}, {m{"tags": l{"Gift"}}, ""},
		{m{"shipment_status": "partial"}, "1"}, {m{"shipment_status": l{"shipped", "partial"}}, "1 2"}, {m{"shipment_status": "none"}, "3"}, {m{"shipment_status": nil}, "1 2 3"},
		{m{"payment_status": "none"}, "1"}, {m{"payment_status": l{"paid"}}, "2"}, {m{"payment_status": l{"refunded", "none"}}, "1 3"},
		{m{"delivery_option_id": courier}, "2 3"}, {m{"delivery_option_id": "999"}, ""}, {m{"days": 1}, "1 2 3"},
		{m{"tags": l{"regular"}, "payment_status": "paid", "status": l{"new"}, "query": "bob"}, "2"},
		{m{"query": "twice"}, "2"}, {m{"query": "köln"}, "2"}, {m{"query": "KÖLN"}, "2"}, {m{"query": "bönn"}, "3"}, {m{"query": "rheinweg"}, ""},
		{m{"query": "3055501"}, "2"}, {m{"query": "+49 30 555"}, "2"}, {m{"query": "49.30/55"}, "2"}, {m{"query": "#1002"}, "2"}, {m{"query": "1002"}, "2"}, {m{"query": "55"}, "2"},
		{m{"query": "set"}, "1"}, {m{"query": "CUP"}, "1 2 3"}, {m{"query": "%"}, ""}, {m{"query": `\u0000`}, ""}, {m{"query": "'"}, ""},
	} {
		if got := x.listed(c.filter); got != c.want {
			t.Errorf("%v lists %q, want %q", c.filter, got, c.want)
		}
	}
	product := x.Result("GET", second, x.Owner, nil)["items"].(l)[0].(m)["product_id"]
	x.OK("PUT", fmt.Sprintf("/products/%v", product), x.Owner, m{"item": m{"sku": "CUP-0042"}})
	if x.more(nil); x.listed(m{"query": "cup-0042"}) != "4" {
		t.Errorf("the SKU lists %q", x.listed(m{"query": "cup-0042"}))
	}
	x.Clock.Advance(49 * time.Hour)
	if got := x.listed(m{"days": 2}); got != "" {
		t.Errorf("two days later, the orders of two days are %q", got)
	}
	if got := x.listed(m{"days": 3}); got != "1 2 3 4" {
		t.Errorf("two days later, the orders of three days are %q", got)
	}
	for code, filters := range map[string][]m{
		"INVALID_STATUS":  {{"shipment_status": "lost"}, {"payment_status": l{"paid_again"}}, {"status": l{"shipped"}}},
		"INVALID_REQUEST": {{"days": -1}, {"days": 3661}, {"days": "x"}, {"shipment_status": 1}, {"payment_status": slices.Repeat(l{"paid"}, 11)}, {"delivery_option_id": "x"}},
		"TEXT_TOO_LONG":   {{"tags": l{strings.Repeat("x", 65)}}},
	} {
		for _, filter := range filters {
			x.Refused("POST", "/orders", x.Owner, m{"filter": filter}, 400, code)
		}
	}
	for _, query := range []string{"filter.shipment_status=lost", "filter.payment_status=x", "filter.days=9999"} {
		if status, answer := x.Call("GET", "/orders/export?"+query, x.Owner, nil); status != 400 {
			t.Errorf("%s: %d %v", query, status, answer)
		}
	}
}

// One call counts the orders of the shop by each status, those of other shops left out.
func TestOrdersAreCounted(t *testing.T) {
	t.Parallel()
	x := openParcels(t)
	second := x.more(nil)
	x.OK("PUT", second+"/status", x.Owner, m{"status": "completed"})
	x.OK("POST", second+"/payment/confirm", x.seller, nil)
	x.ship(x.cups, 1)
	got := x.Result("GET", "/orders/counts", x.Scoped("orders:read"), nil)
	if want := "map[by_payment:map[failed:0 none:1 paid:1 pending:0 refunded:0 refunding:0] by_shipment:map[delivered:0 none:1 partial:1 shipped:0]" +
		" by_status:map[cancelled:0 completed:1 new:1 processing:0]]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	if other := x.Result("GET", "/orders/counts", x.Stranger, nil); other["by_status"].(m)["new"] != 0.0 {
		t.Errorf("another shop: %v", other)
	}
	x.Refused("GET", "/orders/counts", x.buyer, nil, 403, "DENIED")
}

// The statuses of many orders are changed one by one: each by the rules of a single change, and
// none is stopped by another.
func TestStatusesOfManyOrdersAreChangedOneByOne(t *testing.T) {
	t.Parallel()
	x := openParcels(t)
	second, third := x.more(nil), x.more(nil)
	id := func(path string) string { return strings.TrimPrefix(path, "/orders/") }
	x.OK("PUT", second+"/status", x.Owner, m{"status": "processing"})
	ids := l{id(x.order), id(second), "999", id(third), id(third)}
	send := func(to m) string {
		t.Helper()
		to["ids"] = ids
		got := x.Send(apitest.Request{Method: "PUT", Path: "/orders/batch/status", Key: x.Owner, Body: to, Header: map[string]string{"Idempotency-Key": fmt.Sprint(to)}})
		said := fmt.Sprint(got.JSON["failed"])
		for _, r := range got.JSON["results"].(l) {
			_, code, _ := strings.Cut(r.(m)["error"].(string), "desc = ")
			code, _, _ = strings.Cut(code, ":")
			said += fmt.Sprint("; ", r.(m)["id"], " ", r.(m)["status"], code)
		}
		return said
	}
	a, b, c := id(x.order), id(second), id(third)
	if got, want := send(m{"status": "cancelled", "expected_status": "new"}), fmt.Sprintf("2; %s cancelled; %s STATUS_CHANGED; 999 ORDER_NOT_FOUND; %s cancelled", a, b, c); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	cup := fmt.Sprint(x.Result("GET", second, x.Owner, nil)["items"].(l)[0].(m)["product_id"])
	if left := x.Result("GET", "/products/"+cup, x.Owner, nil)["stock_quantity"]; left != 99.0 {
		t.Errorf("%v cups after two orders were cancelled", left)
	}
	x.OK("PUT", "/products/"+cup+"/stock", x.seller, m{"quantity": 1})
	if got, want := send(m{"status": "completed"}), fmt.Sprintf("2; %s out_of_stock; %s completed; 999 ORDER_NOT_FOUND; %s completed", a, b, c); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	changed := 0
	for _, e := range storetest.Events(t, x.Store.Pool, int(x.Shop.ID)) {
		if e.Name == "order.status_changed" {
			changed++
		}
	}
	if changed != 5 {
		t.Errorf("%d changes were announced", changed)
	}
	for code, body := range map[string]m{
		"INVALID_STATUS": {"ids": ids, "status": "lost"}, "INVALID_REQUEST": {"ids": l{}, "status": "new"},
	} {
		x.Refused("PUT", "/orders/batch/status", x.Owner, body, 400, code)
	}
	x.Refused("PUT", "/orders/batch/status", x.Owner, m{"ids": ids, "status": "new", "expected_status": "lost"}, 400, "INVALID_STATUS")
	x.Refused("PUT", "/orders/batch/status", x.Owner, m{"ids": slices.Repeat(l{"1"}, 501), "status": "new"}, 400, "INVALID_REQUEST")
	x.Refused("PUT", "/orders/batch/status", x.buyer, m{"ids": ids, "status": "new"}, 403, "DENIED")
	x.Refused("PUT", "/orders/batch/status", x.Scoped("orders:read"), m{"ids": ids, "status": "new"}, 403, "PAT_SCOPE_MISSING")
	got := x.Result
	if o := got("GET", x.order, x.Owner, nil); o["status"] != "cancelled" {
		t.Errorf("%v", o["status"])
	}
	if other := x.OK("PUT", "/orders/batch/status", x.Stranger, m{"ids": l{a}, "status": "new"}); other["failed"] != 1.0 {
		t.Errorf("another shop: %v", other)
	}
}

// An order that fails at the server is answered by its own error, which the log explains under the
// request's id; the others are changed. While the database is unavailable the call fails as a whole, unless
// orders were changed before: the remaining ones are then not tried.
func TestAnOrderThatFailsDoesNotHideTheOthers(t *testing.T) {
	t.Parallel()
	x := openParcels(t)
	paths := []string{x.order, x.more(nil), x.more(nil)}
	var ids l
	for _, path := range paths {
		ids = append(ids, strings.TrimPrefix(path, "/orders/"))
	}
	fail := func(order any, code string) {
		t.Helper()
		_, err := x.Store.Pool.Exec(t.Context(), fmt.Sprintf(`
			CREATE OR REPLACE FUNCTION befallen() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN RAISE EXCEPTION USING ERRCODE = '%s', MESSAGE = 'befallen'; END $$;
			CREATE OR REPLACE TRIGGER befallen BEFORE UPDATE ON shop_order FOR EACH ROW WHEN (NEW.id = %s) EXECUTE FUNCTION befallen()`, code, order))
		if err != nil {
			t.Fatal(err)
		}
	}
	send := func(status string) string {
		t.Helper()
		got := x.Send(apitest.Request{Method: "PUT", Path: "/orders/batch/status", Key: x.Owner, Body: m{"ids": ids, "status": status}})
		said := fmt.Sprint(got.Status, " ", got.JSON["failed"])
		results, _ := got.JSON["results"].(l)
		for _, r := range results {
			text := r.(m)["error"].(string)
			if text != "" && !strings.Contains(text, "request "+got.Header.Get("X-Request-Id")) || strings.Contains(text, "befallen") {
				t.Errorf("%s in %v", text, got.Header)
			}
			_, code, _ := strings.Cut(text, "desc = ")
			code, _, _ = strings.Cut(code, ":")
			said += fmt.Sprint("; ", r.(m)["status"], code)
		}
		for _, path := range paths {
			said += fmt.Sprint(" ", x.Result("GET", path, x.Owner, nil)["status"])
		}
		return said
	}
	for _, c := range []struct {
		fails        int
		code, to, is string
	}{
		{1, "XX000", "processing", "200 1; processing; INTERNAL; processing processing new processing"},
		{0, "57014", "completed", "200 1; UNAVAILABLE; completed; completed processing completed completed"},
		{1, "57P01", "new", "200 2; new; UNAVAILABLE; UNAVAILABLE new completed completed"},
		{0, "57P01", "processing", "503 <nil> new completed completed"},
	} {
		fail(ids[c.fails], c.code)
		if got := send(c.to); got != c.is {
			t.Errorf("%s at order %d: %s, want %s", c.code, c.fails, got, c.is)
		}
	}
}

// A buyer cancels an order while it is new, within the minutes of the setting, and while nothing
// was shipped: with the session or the link of the letter. Its units return to the stock, and
// what was paid by hand is refunded.
func TestABuyerCancelsInTime(t *testing.T) {
	t.Parallel()
	x := openParcels(t)
	key := x.link()
	setting := func(minutes int) {
		x.OK("PUT", "/v1/shop/settings", x.Session(x.OwnerID), m{"buyer_cancel_minutes": minutes})
	}
	until := func(order string) any { return x.Result("GET", order, x.buyer, nil)["cancel_until"] }
	if x.Refused("POST", x.order+"/cancel", x.buyer, nil, 400, "CANCEL_TOO_LATE"); until(x.order) != nil {
		t.Errorf("without the setting until %v", until(x.order))
	}
	setting(30)
	if until(x.order) == nil {
		t.Error("an order cannot be cancelled")
	}
	shipped, begun, paid := x.more(nil), x.more(nil), x.more(nil)
	parcel := x.Result("POST", shipped+"/shipments", x.Owner, x.parcel())
	x.OK("PUT", begun+"/status", x.Owner, m{"status": "processing"})
	for _, order := range []string{shipped, begun} {
		if x.Refused("POST", order+"/cancel", x.buyer, nil, 400, "CANCEL_TOO_LATE"); until(order) != nil {
			t.Errorf("%s until %v", order, until(order))
		}
	}
	for who, token := range map[string]string{"another buyer": x.Session(x.Buyer("bob@people.test")), "the seller": x.seller, "an admin": x.Session(x.Member(shop.Admin))} {
		if answer := x.Refused("POST", x.order+"/cancel", token, nil, 403, "DENIED"); answer == nil {
			t.Error(who)
		}
	}
	elsewhere := x.OnHost(x.BoundAt(x.Other.ID, x.ann))
	for name := range x.ThroughStorefront() {
		elsewhere[name] = x.Other.ID.String()
	}
	if got := x.Send(apitest.Request{Method: "POST", Path: x.order + "/cancel", Header: elsewhere}); got.Status != 403 {
		t.Errorf("the buyer's session on another shop's host: %d %s", got.Status, got.Body)
	}
	x.Refused("POST", x.order+"/cancel", "", nil, 401, "UNAUTHENTICATED")
	x.Refused("POST", x.order+"/cancel", x.Owner, nil, 403, "PAT_METHOD_NOT_ALLOWED")
	x.OK("DELETE", fmt.Sprintf("%s/shipments/%v", shipped, parcel["id"]), x.Owner, nil)
	x.OK("POST", paid+"/payment/confirm", x.seller, nil)
	for order, call := range map[string]apitest.Request{
		shipped: {Key: x.buyer}, paid: {Key: x.buyer}, x.order: {},
	} {
		call.Method, call.Path = "POST", order+"/cancel"
		if order == x.order {
			call.Path += "?key=" + key
		}
		got := x.Send(call)
		if got.Status != 200 || got.JSON["result"].(m)["status"] != "cancelled" || got.JSON["result"].(m)["cancel_until"] != nil {
			t.Errorf("%s: %d %s", order, got.Status, got.Body)
		}
		x.Refused("POST", order+"/cancel", x.buyer, nil, 400, "CANCEL_TOO_LATE")
	}
	if p := x.Result("GET", paid, x.buyer, nil)["payment"].(m); p["status"] != "refunded" {
		t.Errorf("%v", p)
	}
	cup := fmt.Sprint(x.Result("GET", paid, x.Owner, nil)["items"].(l)[0].(m)["product_id"])
	if left := x.Result("GET", "/products/"+cup, x.Owner, nil)["stock_quantity"]; left != 99.0 { // one is in the order that was begun
		t.Errorf("%v cups", left)
	}
	late := x.more(nil)
	x.Clock.Advance(31 * time.Minute)
	if x.Refused("POST", late+"/cancel", x.buyer, nil, 400, "CANCEL_TOO_LATE"); until(late) != nil {
		t.Errorf("31 minutes later until %v", until(late))
	}
	told := x.Result("GET", "/v1/shop/letters?filter.name=order_status_seller", x.Session(x.OwnerID), nil)
	if told["total"] != 3.0 {
		t.Errorf("the owner got %v letters", told["total"])
	}
}

// Of a cancellation and something else at the same time, one comes first: an order is never both
// cancelled and shipped or processed, and no payment is lost.
func TestACancellationAndSomethingElseAtOnce(t *testing.T) {
	t.Parallel()
	x := openParcels(t)
	x.OK("PUT", "/v1/shop/settings", x.seller, m{"buyer_cancel_minutes": 60})
	for name, other := range map[string]func(order string) apitest.Request{
		"ship": func(order string) apitest.Request {
			return apitest.Request{Method: "POST", Path: order + "/shipments", Key: x.Owner, Body: x.parcel()}
		},
		"process": func(order string) apitest.Request {
			return apitest.Request{Method: "PUT", Path: order + "/status", Key: x.Owner, Body: m{"status": "processing", "expected_status": "new"}}
		},
		"complete": func(order string) apitest.Request {
			return apitest.Request{Method: "PUT", Path: "/orders/batch/status", Key: x.Owner, Body: m{"ids": l{strings.TrimPrefix(order, "/orders/")}, "status": "completed", "expected_status": "new"}}
		},
		"pay": func(order string) apitest.Request {
			return apitest.Request{Method: "POST", Path: order + "/payment/confirm", Key: x.seller}
		},
		"cancel": func(order string) apitest.Request {
			return apitest.Request{Method: "POST", Path: order + "/cancel", Key: x.buyer}
		},
	} {
		for range 4 {
			order := x.more(nil)
			answers := x.AtOnce(apitest.Request{Method: "POST", Path: order + "/cancel", Key: x.buyer}, other(order))
			won := answers[0].Status == 200
			did := answers[1].Status == 200 && answers[1].JSON["failed"] != 1.0
			o := x.Result("GET", order, x.Owner, nil)
			switch {
			case won != (o["status"] == "cancelled") && name != "cancel":
				t.Errorf("%s: %s, and the order is %v", name, answers[0].Body, o["status"])
			case name == "pay":
				if p := o["payment"].(m); !won || !did || p["status"] != "paid" && p["status"] != "refunded" {
					t.Errorf("%s, %s: %v", answers[0].Body, answers[1].Body, p)
				}
			case won == did:
				t.Errorf("%s: %s and %s", name, answers[0].Body, answers[1].Body)
			case o["status"] == "cancelled" && o["shipment_status"] != "none":
				t.Errorf("%s: %v", name, o)
			}
		}
	}
}

// The CSV has the columns of before in their places, and further ones at its end. Formulas in
// what people typed are not executed.
func TestTheCSVOfOrdersHasFurtherColumns(t *testing.T) {
	t.Parallel()
	x := openParcels(t)
	x.OK("POST", "/v1/shop/delivery-options", x.seller, m{"name": "Courier", "price": 3})
	x.OK("POST", "/promotions", x.Owner, m{"item": m{"name": "Spring", "kind": "coupon", "code": "SPRING", "value": m{"percent": 10}}})
	product := fmt.Sprint(x.Result("GET", x.order, x.Owner, nil)["items"].(l)[0].(m)["product_id"])
	x.OK("POST", "/cart/items/"+product+"/default", x.buyer, m{"quantity": 2})
	x.OK("POST", "/cart/promo", x.buyer, m{"company_id": x.Shop.ID, "code": "spring"})
	order := x.more(nil)
	x.OK("POST", order+"/payment/confirm", x.seller, nil)
	x.OK("POST", order+"/shipments", x.Owner, m{"carrier": "dhl", "number": "JD1"})
	x.OK("PUT", order+"/tags", x.Owner, m{"tags": l{"=1+1", "b"}})
	x.OK("PUT", order+"/note", x.Owner, m{"text": "@SUM(A1)"})
	got := x.Send(apitest.Request{Method: "GET", Path: "/orders/export?filter.tags=b&filter.shipment_status=shipped&filter.payment_status=paid&filter.days=2", Key: x.Owner})
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(got.Body), "\ufeff"))).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatalf("%v, %s", err, got.Body)
	}
	if want := "number,id,created_at,status,payment,items_total,discount_total,delivery,grand_total,currency,name,phone,email,address,comment,items," +
		"unit_prices,codes,delivery_price,payment_method,paid_at,shipment_status,shipments,tags,note,source,assistant"; strings.Join(rows[0], ",") != want {
		t.Errorf("%v", rows[0])
	}
	cell := func(name string) string { return rows[1][slices.Index(rows[0], name)] }
	if cell("paid_at") == "" || len(strings.Split(cell("unit_prices"), "\n")) != len(strings.Split(cell("items"), "\n")) {
		t.Errorf("%q", rows[1])
	}
	for name, want := range map[string]string{
		"codes": "SPRING", "delivery": "Courier", "delivery_price": "3", "payment": "paid", "payment_method": "manual", "shipment_status": "shipped", "shipments": "DHL JD1",
		"tags": "'=1+1\nb", "note": "'@SUM(A1)",
	} {
		if cell(name) != want {
			t.Errorf("%s is %q, want %q", name, cell(name), want)
		}
	}
}
