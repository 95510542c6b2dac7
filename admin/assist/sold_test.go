package assist_test

import (
	"encoding/csv"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
)

// The list of orders, its counts and its export find the orders of a source and of an assistant, and
// the statistics add them up.
func TestOrdersAreFoundByTheirAssistant(t *testing.T) {
	t.Parallel()
	f := open(t)
	chat := []string{f.order("acp", "Chat", "")}
	market := []string{f.order("ucp", "https://market.example/profile", ""), f.order("ucp", "https://market.example/profile", "")}
	f.OK("POST", "/cart/items/"+f.tea+"/default", f.buyer, m{"company_id": f.Shop.ID, "quantity": 1})
	plain := []string{fmt.Sprint(f.Result("POST", "/cart/confirm", f.buyer, m{"company_id": f.Shop.ID, "contact": m{"name": "Ann", "phone": "1"}})["id"])}
	tea, err := strconv.Atoi(f.tea)
	if err != nil {
		t.Fatal(err)
	}
	entered := []string{fmt.Sprint(f.Result("POST", "/orders/manual", f.seller, m{
		"items": l{m{"product_id": tea, "quantity": 2}}, "contact": m{"name": "Bo", "phone": "2"},
	})["id"])}
	f.OK("PUT", "/orders/"+market[1]+"/status", f.seller, m{"status": "cancelled"})
	ids := map[string]string{} // of platforms by their names
	for _, p := range f.Result("GET", "/v1/shop/assistants", f.seller, nil)["platforms"].(l) {
		ids[fmt.Sprint(p.(m)["name"])] = fmt.Sprint(p.(m)["id"])
	}
	one := f.Result("GET", "/orders/"+chat[0], f.seller, nil)["assistant"].(m)
	if one["platform_id"] != ids["Chat"] || one["platform"] != "Chat" || one["protocol"] != "acp" {
		t.Errorf("%v", one)
	}
	for _, c := range []struct {
		sources  []string
		platform string
		want     []string
	}{
		{[]string{"assistant"}, "", append(slices.Clone(chat), market...)},
		{[]string{"storefront"}, "", plain},
		{[]string{"manual", "storefront"}, "", append(slices.Clone(plain), entered...)},
		{nil, ids["Chat"], chat},
		{[]string{"assistant"}, ids["https://market.example/profile"], market},
		{[]string{"storefront"}, ids["Chat"], nil},
		{nil, "999999", nil},
		{nil, "-1", nil},
	} {
		filter, query := m{"company_id": f.Shop.ID}, url.Values{}
		if c.sources != nil {
			filter["source"], query["filter.source"] = c.sources, c.sources
		}
		if c.platform != "" {
			filter["platform"] = c.platform
			query.Set("filter.platform", c.platform)
		}
		listed := f.Result("POST", "/orders", f.seller, m{"filter": filter, "sort": m{"field": "number", "order": "asc"}})
		var got []string
		for _, o := range listed["items"].(l) {
			got = append(got, fmt.Sprint(o.(m)["id"]))
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) || listed["total"] != float64(len(c.want)) {
			t.Errorf("%v: %v of %v, want %v", filter, got, listed["total"], c.want)
		}
		count := 0.0
		for _, n := range f.Result("GET", "/orders/counts?"+query.Encode(), f.seller, nil)["by_status"].(m) {
			count += n.(float64)
		}
		rows, err := csv.NewReader(strings.NewReader(string(f.Send(apitest.Request{Method: "GET", Path: "/orders/export?" + query.Encode(), Key: f.seller}).Body))).ReadAll()
		if err != nil || len(rows) != len(c.want)+1 || count != float64(len(c.want)) {
			t.Errorf("%v: %v counted, %d exported, want %d: %v", filter, count, len(rows)-1, len(c.want), err)
		}
		for _, row := range rows[min(1, len(rows)):] {
			if source := row[len(row)-2]; c.sources != nil && !slices.Contains(c.sources, source) || (source == "assistant") != (row[len(row)-1] != "") {
				t.Errorf("%v: %q", filter, row)
			}
		}
	}
	if list := f.Result("POST", "/orders", f.seller, m{"filter": m{"company_id": f.Shop.ID, "source": "manual"}}); list["total"] != 1.0 {
		t.Errorf("%v", list)
	}
	f.Refused("POST", "/orders", f.seller, m{"filter": m{"company_id": f.Shop.ID, "source": "chat"}}, 400, "INVALID_STATUS")
	f.Refused("GET", "/orders/counts?filter.source=chat", f.seller, nil, 400, "INVALID_STATUS")
	f.Refused("GET", "/orders/export?filter.source=chat", f.seller, nil, 400, "INVALID_STATUS")
	f.Refused("POST", "/orders", f.buyer, m{"filter": m{"platform": ids["Chat"]}}, 403, "DENIED")
	s := f.Result("GET", "/stats", f.Owner, nil)
	want := fmt.Sprintf("[map[name:Chat orders:1 platform_id:%s protocol:acp revenue:21] map[name:https://market.example/profile orders:1 platform_id:%s protocol:ucp revenue:21]]",
		ids["Chat"], ids["https://market.example/profile"])
	if fmt.Sprint(s["assistants"]) != want || s["assistant_orders"] != 2.0 || s["assistant_revenue"] != 42.0 || s["orders"] != 4.0 {
		t.Errorf("%v, %v orders of %v, %v", s["assistants"], s["assistant_orders"], s["orders"], s["assistant_revenue"])
	}
	f.Clock.Advance(30 * 24 * time.Hour)
	later := f.Result("GET", "/stats", f.Owner, nil)
	if before := later["previous"].(m); later["assistant_orders"] != 0.0 || before["assistant_orders"] != 2.0 || before["assistant_revenue"] != 42.0 || len(later["assistants"].(l)) != 0 {
		t.Errorf("a month later: %v", later)
	}
}
