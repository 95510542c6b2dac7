package order_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store/letter"
	"vitrine/internal/store/storetest"
)

// parcels is a shop with an order of three cups, two sets and a gift.
type parcels struct {
	*apitest.API
	t                *testing.T
	seller, buyer    string
	ann              shop.UserID // the buyer
	order            string      // path
	cups, sets, gift string      // ids of its lines
	wanted           []string    // ids of all lines
}

func openParcels(t *testing.T) *parcels {
	t.Helper()
	x := &parcels{API: apitest.New(t), t: t}
	x.ann = x.Buyer("ann@people.test")
	x.seller, x.buyer = x.Session(x.OwnerID), x.Session(x.ann)
	of := func(fields m) string {
		fields["is_published"] = true
		return fmt.Sprint(x.Result("POST", "/products", x.Owner, m{"item": fields})["id"])
	}
	cup := of(m{"name": "Cup", "price": m{"price": 100}, "stock_quantity": 100})
	tin := of(m{"name": "Tin", "price": m{"price": 50}})
	set := of(m{"name": "Set", "kind": "combo", "combo_items": l{m{"product_id": cup, "quantity": 2}, m{"product_id": tin, "quantity": 1}}})
	x.OK("POST", "/promotions", x.Owner, m{"item": m{"name": "A tin", "kind": "gift", "value": m{"product_id": tin, "quantity": 1}, "conditions": m{"min_total": 1}}})
	x.OK("POST", "/cart/items/"+cup+"/default", x.buyer, m{"quantity": 3})
	x.OK("POST", "/cart/items/"+set+"/default", x.buyer, m{"quantity": 2})
	made := x.Result("POST", "/cart/confirm", x.buyer, m{"company_id": x.Shop.ID, "contact": m{"name": "Ann", "phone": "1", "email": "ann@people.test"}})
	x.order = fmt.Sprintf("/orders/%v", made["id"])
	for _, line := range made["items"].(l) {
		id := fmt.Sprint(line.(m)["id"])
		x.wanted = append(x.wanted, id)
		switch name := line.(m)["name"]; {
		case name == "Cup":
			x.cups = id
		case name == "Set":
			x.sets = id
		case line.(m)["is_gift"] == true:
			x.gift = id
		}
	}
	if x.cups == "" || x.sets == "" || x.gift == "" {
		t.Fatalf("%v", made)
	}
	return x
}

// ship ships lines, given as ids and quantities in turns; without any, everything that is left.
func (x *parcels) ship(lines ...any) m {
	x.t.Helper()
	return x.Result("POST", x.order+"/shipments", x.Owner, x.parcel(lines...))
}

func (x *parcels) parcel(lines ...any) m {
	body := m{"carrier": "DHL", "number": "JD 01"}
	var list l
	for i := 0; i < len(lines); i += 2 {
		list = append(list, m{"line_id": lines[i], "quantity": lines[i+1]})
	}
	if list != nil {
		body["lines"] = list
	}
	return body
}

// status is the shipment status in the order and in the list of orders.
func (x *parcels) status() string {
	x.t.Helper()
	one := x.Result("GET", x.order, x.Owner, nil)
	listed := x.Result("POST", "/orders", x.Owner, m{})["items"].(l)[0].(m)
	if one["shipment_status"] != listed["shipment_status"] || fmt.Sprint(one["shipments"]) != fmt.Sprint(listed["shipments"]) {
		x.t.Errorf("the order has %v %v, the list %v %v", one["shipment_status"], one["shipments"], listed["shipment_status"], listed["shipments"])
	}
	return fmt.Sprint(one["shipment_status"], " ", len(one["shipments"].(l)))
}

func (x *parcels) is(want string) {
	x.t.Helper()
	if got := x.status(); got != want {
		x.t.Errorf("the order is %s, want %s", got, want)
	}
}

// An order is shipped in parcels until nothing is left, the gift included. It is delivered when
// all parcels have arrived. Deleting a parcel gives its units back.
func TestAnOrderIsShippedInParcels(t *testing.T) {
	t.Parallel()
	x := openParcels(t)
	x.is("none 0")
	early := x.parcel(x.cups, 2, x.sets, 1)
	early["shipped_at"] = "2026-05-02T08:00:00Z"
	first := x.Result("POST", x.order+"/shipments", x.Owner, early)
	x.is("partial 1")
	if first["carrier"] != "dhl" || first["carrier_name"] != "DHL" || first["number"] != "JD 01" || first["delivered_at"] != nil || first["shipped_at"] == nil ||
		!strings.HasPrefix(first["url"].(string), "https://www.dhl.com/") || !strings.HasSuffix(first["url"].(string), "JD%2001") || len(first["lines"].(l)) != 2 {
		t.Errorf("%v", first)
	}
	second := x.Result("POST", x.order+"/shipments", x.Owner, m{"carrier": " Bob's bicycle ", "number": "7", "url": "https://bob.test/?n=7", "shipped_at": "2026-05-01T10:00:00+02:00"})
	x.is("shipped 2")
	if got := apitest.Values(second["lines"], "line_id") + " " + apitest.Values(second["lines"], "quantity"); got != strings.Join(x.wanted, " ")+" 1 1 1" ||
		second["carrier"] != "Bob's bicycle" || second["url"] != "https://bob.test/?n=7" || second["shipped_at"] != "2026-05-01T08:00:00Z" {
		t.Errorf("%s of %v", got, second)
	}
	x.Refused("POST", x.order+"/shipments", x.Owner, x.parcel(), 400, "SHIPMENT_INVALID")
	deliver := func(parcel m, at any) m {
		return x.Result("PUT", fmt.Sprintf("%s/shipments/%v", x.order, parcel["id"]), x.Owner, m{"delivered_at": at})
	}
	if got := deliver(first, "2026-11-24T10:00:00Z"); got["delivered_at"] != "2026-11-24T10:00:00Z" {
		t.Errorf("%v", got)
	}
	if got := x.Result("PUT", fmt.Sprintf("%s/shipments/%v", x.order, first["id"]), x.Owner, m{}); got["delivered_at"] != "2026-11-24T10:00:00Z" {
		t.Errorf("a call without the date changed it: %v", got)
	}
	x.is("shipped 2")
	deliver(second, "2026-11-24T10:00:00Z")
	x.is("delivered 2")
	deliver(second, nil)
	x.is("shipped 2")
	deliver(second, "2026-11-25T10:00:00Z")
	x.OK("DELETE", fmt.Sprintf("%s/shipments/%v", x.order, first["id"]), x.Owner, nil)
	x.is("partial 1")
	x.Refused("DELETE", fmt.Sprintf("%s/shipments/%v", x.order, first["id"]), x.Owner, nil, 404, "SHIPMENT_NOT_FOUND")
	x.Refused("PUT", fmt.Sprintf("%s/shipments/%v", x.order, first["id"]), x.Owner, m{"delivered_at": nil}, 404, "SHIPMENT_NOT_FOUND")
	x.Refused("POST", x.order+"/shipments", x.Owner, x.parcel(x.cups, 3), 400, "SHIPMENT_INVALID")
	if again := x.ship(); apitest.Values(again["lines"], "quantity") != "2 1" {
		t.Errorf("%v", again)
	}
	x.is("shipped 2")
	var told []string
	for _, e := range x.OK("GET", x.order+"/history", x.seller, nil)["result"].(l) {
		if e.(m)["kind"] == "shipment" {
			told = append(told, fmt.Sprint(e.(m)["body"].(m)["status"]))
		}
	}
	if got := strings.Join(told, " "); got != "shipped shipped delivered delivered shipped delivered deleted shipped" {
		t.Errorf("the history has %s", got)
	}
}

// What cannot be shipped is refused with the field, and changes nothing.
func TestShipmentsThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	x := openParcels(t)
	other := openParcels(t)
	for field, body := range map[string]m{
		"carrier":           {"number": "1"},
		"carrier: 1 to":     {"carrier": " ", "number": "1"},
		"carrier: at most":  {"carrier": strings.Repeat("x", 65), "number": "1"},
		"number":            {"carrier": "dhl"},
		"number: 1 to":      {"carrier": "dhl", "number": "1\n2"},
		"number: at most":   {"carrier": "dhl", "number": strings.Repeat("1", 65)},
		"url":               {"carrier": "dhl", "number": "1", "url": "javascript:alert(1)"},
		"url: must":         {"carrier": "dhl", "number": "1", "url": "//evil.test/"},
		"url: at most":      {"carrier": "dhl", "number": "1", "url": "https://x.test/" + strings.Repeat("x", 1024)},
		"shipped_at":        {"carrier": "dhl", "number": "1", "shipped_at": "1999-12-31T00:00:00Z"},
		"shipped_at: from":  {"carrier": "dhl", "number": "1", "shipped_at": "2999-12-31T00:00:00Z"},
		"lines":             {"carrier": "dhl", "number": "1", "lines": l{}},
		"lines[0].line_id":  x.parcel("999999", 1),
		"lines[1].line_id":  x.parcel(x.cups, 1, x.cups, 1),
		"lines[0].quantity": x.parcel(x.cups, 4),
		"lines[1].quantity": x.parcel(x.cups, 1, x.gift, 2),
		"lines[0].quantity: at least 1, and 3 are left to ship": x.parcel(x.cups, 0),
		"lines[0].quantity: at least 1, and 2 are left to ship": x.parcel(x.sets, -1),
		"lines[2].quantity": x.parcel(x.cups, 1, x.sets, 1, x.gift, 1<<40),
	} {
		answer := x.Refused("POST", x.order+"/shipments", x.Owner, body, 400, "SHIPMENT_INVALID")
		if !strings.Contains(answer["error"].(string), "SHIPMENT_INVALID: "+field) {
			t.Errorf("%s: %v", field, answer)
		}
	}
	for _, body := range []m{{"carrier": 1}, {"carrier": "dhl", "number": "1", "shipped_at": "yesterday"}, {"carrier": "dhl", "number": "1", "lines": m{}}} {
		x.Refused("POST", x.order+"/shipments", x.Owner, body, 400, "INVALID_REQUEST")
	}
	x.is("none 0")
	x.Refused("POST", "/orders/999/shipments", x.Owner, x.parcel(), 404, "ORDER_NOT_FOUND")
	x.Refused("POST", x.order+"/shipments", x.Stranger, x.parcel(), 403, "DENIED")
	parcel := x.ship(x.cups, 1)
	for _, at := range []string{"1999-01-01T00:00:00Z", "2999-01-01T00:00:00Z"} {
		x.Refused("PUT", fmt.Sprintf("%s/shipments/%v", x.order, parcel["id"]), x.Owner, m{"delivered_at": at}, 400, "SHIPMENT_INVALID")
	}
	foreign := other.ship(other.cups, 1)
	x.Refused("DELETE", fmt.Sprintf("%s/shipments/%v", other.order, foreign["id"]), x.Stranger, nil, 403, "DENIED")
	x.OK("PUT", x.order+"/status", x.Owner, m{"status": "cancelled"})
	answer := x.Refused("POST", x.order+"/shipments", x.Owner, x.parcel(), 400, "SHIPMENT_INVALID")
	if !strings.Contains(answer["error"].(string), "SHIPMENT_INVALID: status") {
		t.Errorf("%v", answer)
	}
	x.is("partial 1")
}

// A parcel does not arrive before it was shipped, also where the time of shipping is the server's.
// Clients that send whole seconds may record both at once.
func TestAParcelArrivesAfterItWasShipped(t *testing.T) {
	t.Parallel()
	x := openParcels(t)
	sent := x.parcel(x.cups, 1)
	sent["shipped_at"] = "2026-05-01T10:00:00.6+02:00"
	typed, now := x.Result("POST", x.order+"/shipments", x.Owner, sent), x.ship(x.cups, 1)
	today := x.Clock.Now().UTC()
	for _, c := range []struct {
		parcel m
		at     string
		may    bool
	}{
		{typed, "2026-05-01T07:59:59Z", false}, {typed, "2026-05-01T09:59:59+02:00", false}, {typed, "2026-05-01T08:00:00Z", true},
		{now, today.Add(-time.Second).Format(time.RFC3339), false}, {now, today.Format(time.RFC3339), true}, {now, today.Add(time.Hour).Format(time.RFC3339), true},
	} {
		path := fmt.Sprintf("%s/shipments/%v", x.order, c.parcel["id"])
		if c.may {
			x.OK("PUT", path, x.Owner, m{"delivered_at": c.at})
			continue
		}
		for _, body := range []m{{"delivered_at": c.at}, {"delivered_at": c.at, "shipped_at": "2026-01-01T00:00:00Z"}} {
			answer := x.Refused("PUT", path, x.Owner, body, 400, "SHIPMENT_INVALID")
			if !strings.Contains(answer["error"].(string), "SHIPMENT_INVALID: delivered_at") {
				t.Errorf("%v", answer)
			}
		}
		for _, s := range x.Result("GET", x.order, x.Owner, nil)["shipments"].(l) {
			if s.(m)["id"] == c.parcel["id"] && s.(m)["delivered_at"] != nil {
				t.Errorf("a refused time is kept: %v", s)
			}
		}
	}
}

// Of parallel parcels exactly as many units go out as were ordered.
func TestParallelParcelsShareWhatIsLeft(t *testing.T) {
	t.Parallel()
	x := openParcels(t)
	var calls []apitest.Request
	for range 8 {
		calls = append(calls, apitest.Request{Method: "POST", Path: x.order + "/shipments", Key: x.Owner, Body: x.parcel(x.cups, 1)})
	}
	for range 4 {
		calls = append(calls, apitest.Request{Method: "POST", Path: x.order + "/shipments", Key: x.seller, Body: x.parcel(x.sets, 2, x.gift, 1)})
	}
	if got := apitest.Codes(x.AtOnce(calls...)); got[""] != 4 || got["SHIPMENT_INVALID"] != 8 {
		t.Errorf("%v", got)
	}
	x.is("shipped 4")
}

// Members who may change the status of orders ship them, and keys with the scope; the buyer reads
// the parcels, also by the link of a letter, and changes nothing.
func TestWhoShipsAndWhoReadsParcels(t *testing.T) {
	t.Parallel()
	x := openParcels(t)
	key := linkIn.FindStringSubmatch(fmt.Sprint(x.Result("GET", "/v1/shop/letters?filter.name=order_made_buyer", x.seller, nil)))[2]
	parcel := fmt.Sprintf("%s/shipments/%v", x.order, x.ship(x.cups, 1)["id"])
	callers := []struct {
		who, token, query string
		reads, writes     bool
	}{
		{"the owner", x.seller, "", true, true},
		{"an admin", x.Session(x.Member(shop.Admin)), "", true, true},
		{"a key that writes", x.Scoped("orders:read", "orders:write"), "", true, true},
		{"a key that reads", x.Scoped("orders:read"), "", true, false},
		{"a key for products", x.Scoped("catalog:read", "catalog:write"), "", false, false},
		{"a key of another shop", x.Stranger, "", false, false},
		{"the buyer", x.buyer, "", true, false},
		{"another buyer", x.Session(x.Buyer("bob@people.test")), "", false, false},
		{"the link", "", "?key=" + key, true, false},
		{"the link for another buyer", x.Session(x.Buyer("eve@people.test")), "?key=" + key, true, false},
		{"nobody", "", "", false, false},
	}
	for _, c := range callers {
		for _, call := range []apitest.Request{
			{Method: "GET", Path: x.order + "/shipments" + c.query},
			{Method: "POST", Path: x.order + "/shipments" + c.query, Body: x.parcel(x.sets, 9)},
			{Method: "PUT", Path: parcel + c.query, Body: m{"delivered_at": nil}},
			{Method: "DELETE", Path: x.order + "/shipments/999" + c.query},
		} {
			call.Key = c.token
			answer := x.Send(call)
			allowed := answer.Status == 200 || strings.HasPrefix(apitest.Code(answer.JSON), "SHIPMENT_")
			if want := call.Method == http.MethodGet && c.reads || c.writes; allowed != want {
				t.Errorf("%s, %s %s: %d %s", c.who, call.Method, call.Path, answer.Status, answer.Body)
			}
		}
	}
	for _, seen := range []m{x.Result("GET", x.order, x.buyer, nil), x.Result("GET", x.order+"?key="+key, "", nil)} {
		if parcels := seen["shipments"].(l); len(parcels) != 1 || parcels[0].(m)["number"] != "JD 01" || seen["shipment_status"] != "partial" {
			t.Errorf("%v", seen)
		}
	}
}

// Each parcel is announced once: one letter with the link, and one event.
func TestEachParcelIsAnnouncedOnce(t *testing.T) {
	t.Parallel()
	x := openParcels(t)
	sent := x.ship(x.cups, 2)
	x.OK("PUT", fmt.Sprintf("%s/shipments/%v", x.order, sent["id"]), x.Owner, m{"delivered_at": x.Clock.Now()})
	x.ship()
	list := x.Result("GET", "/v1/shop/letters?filter.name=order_shipped_buyer", x.seller, nil)["items"].(l)
	if len(list) != 2 {
		t.Fatalf("%d letters", len(list))
	}
	first := list[1].(m)
	for _, part := range []string{"text", "html"} {
		text := first[part].(string)
		for _, want := range []string{"DHL", "JD 01", "https://www.dhl.com/", "2 × Cup", x.order + "?key="} {
			if !strings.Contains(text, want) {
				t.Errorf("the %s of the letter lacks %s: %s", part, want, text)
			}
		}
		if strings.Contains(text, "Set") {
			t.Errorf("the letter names what the parcel does not contain: %s", text)
		}
	}
	if first["to"] != "ann@people.test" || first["subject"] != "Order 1001 is on its way" {
		t.Errorf("%v to %v", first["subject"], first["to"])
	}
	var bodies []string
	for _, e := range storetest.Events(t, x.Store.Pool, int(x.Shop.ID)) {
		if e.Name == "order.shipped" {
			bodies = append(bodies, string(e.Body))
		}
	}
	if len(bodies) != 2 || !strings.Contains(bodies[0], `"number": "JD 01"`) || !strings.Contains(bodies[0], `"carrier": "dhl"`) {
		t.Errorf("%v", bodies)
	}
}

// The letter of a parcel that was deleted before it was sent is not sent.
func TestADeletedParcelIsNotAnnounced(t *testing.T) {
	t.Parallel()
	x := openParcels(t)
	x.OK("DELETE", fmt.Sprintf("%s/shipments/%v", x.order, x.ship()["id"]), x.Owner, nil)
	x.OK("GET", "/v1/shop/letters", x.seller, nil) // renders them
	list, _, err := letter.List(t.Context(), x.Store.Shop(x.Shop.ID), "", "order_shipped_buyer", 10, 0)
	if err != nil || len(list) != 1 || list[0].State != "failed" {
		t.Errorf("%+v, %v", list, err)
	}
}
