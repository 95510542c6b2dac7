package ucp_test

import (
	"fmt"
	"testing"
)

var getOrder = op{"GET", "/orders/{id}", "get_order", "", "ucp/schemas/shopping/order.json"}

// An order is read by the platform that made it, with a signature; for all others it does not exist.
func TestAnOrderIsReadByThePlatformThatMadeIt(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	selling(s)
	tea := s.sell(object{"name": "Tea", "price": 7})
	maker, other := s.platform, newPlatform(t)
	key, others := maker.signing(t), other.signing(t)
	made := s.signed(key, createCheckout, "", object{"line_items": lines(tea, 2), "buyer": ann, "fulfillment": shippingTo("DE")}, nil)
	done := s.signed(key, completeCheckout, fmt.Sprint(made.JSON["id"]), offline, nil)
	placed, _ := done.JSON["order"].(object)
	if placed == nil {
		t.Fatalf("%d %s", done.Status, done.Body)
	}
	id := fmt.Sprint(placed["id"])
	read := s.signed(key, getOrder, id, nil, nil)
	if read.JSON["id"] != id || read.JSON["checkout_id"] != made.JSON["id"] || read.JSON["permalink_url"] != placed["permalink_url"] ||
		fmt.Sprint(read.JSON["totals"].(list)[len(read.JSON["totals"].(list))-1].(object)["amount"]) != "1900" {
		t.Errorf("%d %s", read.Status, read.Body)
	}
	s.officially(getOrder, read.Body)
	if out := s.rest(getOrder, id, nil); out.Status != 401 || out.JSON["code"] != "signature_missing" {
		t.Errorf("unsigned: %d %s", out.Status, out.Body)
	}
	for _, unknown := range []string{"0", "-1", "999", "x", "99999999999999999999"} {
		if out := s.signed(key, getOrder, unknown, nil, nil); out.Status != 200 || codes(out.JSON) != "not_found" {
			t.Errorf("order %s: %d %s", unknown, out.Status, out.Body)
		}
	}
	s.platform = other
	if out := s.signed(others, getOrder, id, nil, nil); out.Status != 200 || codes(out.JSON) != "not_found" {
		t.Errorf("another platform: %d %s", out.Status, out.Body)
	}
}
