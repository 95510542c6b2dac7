package setting_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
)

func TestRatesAreNormalized(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	made := a.Result("POST", options, owner, m{"name": "Post", "rates": l{
		m{"countries": l{"us", " US "}, "regions": l{"US-NY", " ca ", "ny"}, "postcodes": l{"sw1a 1", "SW1A1"}, "min_total": 0, "max_total": 100,
			"min_weight_g": 0, "max_weight_g": 1_000_000_000, "price": 0, "days": 0},
		m{"price": 2_000_000_000},
	}})
	want := l{
		m{"countries": l{"US"}, "regions": l{"NY", "ca"}, "postcodes": l{"SW1A1"}, "min_total": 0.0, "max_total": 100.0,
			"min_weight_g": 0.0, "max_weight_g": 1e9, "price": 0.0, "days": 0.0},
		m{"countries": l{}, "regions": l{}, "postcodes": l{}, "min_total": nil, "max_total": nil, "min_weight_g": nil, "max_weight_g": nil, "price": 2e9, "days": nil},
	}
	if !reflect.DeepEqual(made["rates"], want) || made["kind"] != "delivery" || !reflect.DeepEqual(made["points"], l{}) {
		t.Errorf("%v", made)
	}
	at := fmt.Sprintf("%s/%v", options, made["id"])
	if kept := a.Result("PUT", at, owner, m{"name": "Parcel"}); !reflect.DeepEqual(kept["rates"], want) {
		t.Errorf("a change of the name changed the rates: %v", kept)
	}
	if empty := a.Result("PUT", at, owner, m{"rates": l{}}); !reflect.DeepEqual(empty["rates"], l{}) {
		t.Errorf("[] left rates: %v", empty)
	}
}

func TestInvalidRatesAreRefusedAtTheirField(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	many := func(n int, one any) (list l) {
		for range n {
			list = append(list, one)
		}
		return list
	}
	var wide l
	for i := range 500 {
		wide = append(wide, fmt.Sprintf("%060d", i))
	}
	for at, rate := range map[string]m{
		"countries: a name":       {"countries": l{"Germany"}, "price": 1},
		"countries: reserved":     {"countries": l{"EU"}, "price": 1},
		"countries: empty":        {"countries": l{""}, "price": 1},
		"countries: too many":     {"countries": many(301, "DE"), "price": 1},
		"regions: empty":          {"regions": l{" "}, "price": 1},
		"regions: long":           {"regions": l{strings.Repeat("x", 256)}, "price": 1},
		"postcodes: empty":        {"postcodes": l{" "}, "price": 1},
		"postcodes: long":         {"postcodes": l{strings.Repeat("1", 65)}, "price": 1},
		"postcodes: too many":     {"postcodes": many(501, "1"), "price": 1},
		"price: missing":          {},
		"price: negative":         {"price": -1},
		"price: too high":         {"price": 2_000_000_001},
		"days: negative":          {"price": 1, "days": -1},
		"days: too many":          {"price": 1, "days": 366},
		"min_total: negative":     {"price": 1, "min_total": -1},
		"max_total: below":        {"price": 1, "min_total": 5, "max_total": 4},
		"max_total: equal":        {"price": 1, "min_total": 5, "max_total": 5},
		"max_total: nothing":      {"price": 1, "max_total": 0},
		"min_weight_g: negative":  {"price": 1, "min_weight_g": -1},
		"max_weight_g: nothing":   {"price": 1, "max_weight_g": 0},
		"max_weight_g: 32 bits":   {"price": 1, "max_weight_g": int64(1) << 31},
		"min_weight_g: beyond 64": {"price": 1, "min_weight_g": int64(1) << 62},
	} {
		field, _, _ := strings.Cut(at, ":")
		got := a.Send(apitest.Request{Method: "POST", Path: options, Key: owner, Body: m{"name": "x", "rates": l{m{"price": 1}, rate}}})
		if got.Status != 400 || apitest.Code(got.JSON) != "DELIVERY_INVALID" || !strings.Contains(string(got.Body), field) {
			t.Errorf("%s: %d %s", at, got.Status, got.Body)
		}
	}
	for what, rates := range map[string]any{
		"201 rates": many(201, m{"price": 1}), "a body full of rates": many(60_000, m{"price": 1}), "too many bytes": many(10, m{"price": 1, "postcodes": wide}),
		"a fraction": l{m{"price": 1.5}}, "a text": l{m{"price": "1"}}, "half a gram": l{m{"price": 1, "min_weight_g": 0.5}}, "no list": m{"price": 1}, "not a number": l{m{"price": 1, "max_total": true}},
	} {
		if got := a.Send(apitest.Request{Method: "POST", Path: options, Key: owner, Body: m{"name": "x", "rates": rates}}); got.Status != 400 && got.Status != 413 {
			t.Errorf("%s: %d %.200s", what, got.Status, got.Body)
		}
	}
	if listed := a.OK("GET", options, owner, nil)["result"].(l); len(listed) != 0 {
		t.Errorf("stored %v", listed)
	}
}

// Points keep their ids: those that the shop sends back, those that it chooses, and those of points
// that it sends again without one.
func TestPointsKeepTheirIds(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	mill, gate := m{"name": "Mill", "address": "Mill Lane 1", "hours": "9 to 5"}, m{"name": "Gate"}
	made := a.Result("POST", options, owner, m{"name": "Collect", "kind": "pickup", "points": l{mill, gate, m{"id": 17, "name": "Third"}}})
	ids := func(option m) (list []string) {
		for _, p := range option["points"].(l) {
			list = append(list, p.(m)["id"].(string))
		}
		return list
	}
	first := ids(made)
	if len(first) != 3 || first[0] == "" || first[0] == first[1] || first[2] != "17" {
		t.Fatalf("%v", made)
	}
	at := fmt.Sprintf("%s/%v", options, made["id"])
	again := a.Result("PUT", at, owner, m{"points": l{m{"id": first[1], "name": "South gate"}, mill}})
	if got := ids(again); !reflect.DeepEqual(got, []string{first[1], first[0]}) {
		t.Errorf("%v after %v", got, first)
	}
	for what, fields := range map[string]m{
		"points of a delivery": {"kind": "delivery"}, "another kind": {"kind": "drone"}, "no name": {"points": l{m{"address": "x"}}}, "twice": {"points": l{mill, mill}},
		"the same id": {"points": l{m{"id": "a", "name": "x"}, m{"id": "a", "name": "y"}}}, "a long id": {"points": l{m{"id": strings.Repeat("x", 65), "name": "x"}}},
		"a long number": {"points": l{m{"id": 1e300, "name": "x"}}, "name": ""},
	} {
		a.Refused("PUT", at, owner, fields, 400, "DELIVERY_INVALID")
		if t.Failed() {
			t.Fatal(what)
		}
	}
	var full l
	for i := range 101 {
		full = append(full, m{"name": fmt.Sprint(i)})
	}
	a.Refused("PUT", at, owner, m{"points": full}, 400, "DELIVERY_INVALID")
	if kept := a.Result("PUT", at, owner, m{"points": full[:100]}); len(kept["points"].(l)) != 100 {
		t.Errorf("%v", kept)
	}
}
