package stats_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	salesdb "vitrine/internal/store/sales"
	"vitrine/internal/store/visit"
	"vitrine/internal/visitstats"
)

type m = apitest.Map

// fixture is a shop with invented visits and orders.
type fixture struct {
	*apitest.API
	t      testing.TB
	number int64
}

func open(t testing.TB) *fixture {
	t.Helper()
	o := &fixture{API: apitest.New(t), t: t}
	o.at("2026-11-24T12:00:00Z")
	return o
}

// at sets the clock.
func (o *fixture) at(text string) {
	o.t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	o.must(err)
	o.Clock.Advance(at.Sub(o.Clock.Now()))
}

func (o *fixture) must(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

func day(text string) shop.Day {
	d, ok := shop.ParseDay(text)
	if !ok {
		panic(text)
	}
	return d
}

// visited adds visits, and twice as many views, to a day.
func (o *fixture) visited(on string, visits int64, lists visitstats.Lists) {
	o.t.Helper()
	_, err := visit.Salt(o.t.Context(), o.Store, day(on))
	o.must(err)
	d := visitstats.Day{Company: o.Shop.ID, Date: day(on), Views: 2 * visits, Lists: lists}
	o.number++
	for i := range visits {
		d.Marks = append(d.Marks, visitstats.Mark{Hash: o.number<<32 + i})
	}
	o.must(visit.Add(o.t.Context(), o.Store, visitstats.Batch{Run: [16]byte{1}, Number: o.number, Days: []visitstats.Day{d}}))
}

// ordered adds an order at a time: units of a product, with a discount.
func (o *fixture) ordered(at string, product shop.ProductID, units, price, off int64, more ...salesdb.OrderLine) shop.OrderID {
	o.t.Helper()
	made, err := time.Parse(time.RFC3339, at)
	o.must(err)
	company, err := company.Info(o.t.Context(), o.Store.Shop(o.Shop.ID))
	o.must(err)
	order := salesdb.Order{
		Person: 1, Currency: company.Currency, ItemsTotal: units*price - off, DiscountTotal: off, GrandTotal: units*price - off + 9,
		Contact: salesdb.Contact{Name: "A", Phone: "1"},
		Lines:   append([]salesdb.OrderLine{{Product: product, Key: "k", Name: "P", Quantity: units, Unit: price, Data: []byte("null")}}, more...),
	}
	for _, l := range more {
		order.ItemsTotal += l.Quantity * l.Unit
		order.GrandTotal += l.Quantity * l.Unit
	}
	o.must(o.Store.Write(o.t.Context(), o.Shop.ID, func(tx *store.Tx) error {
		if err := salesdb.PlaceOrder(o.t.Context(), tx, &order); err != nil {
			return err
		}
		return salesdb.BackdateOrder(o.t.Context(), tx, order.ID, made)
	}))
	return order.ID
}

func (o *fixture) moves(id shop.OrderID, to shop.OrderStatus) {
	o.t.Helper()
	o.must(o.Store.Write(o.t.Context(), o.Shop.ID, func(tx *store.Tx) error {
		order, err := salesdb.LockOrder(o.t.Context(), tx, id)
		if err != nil {
			return err
		}
		return salesdb.SetOrderStatus(o.t.Context(), tx, &order, to, 0)
	}))
}

func (o *fixture) clock(zone string) {
	o.t.Helper()
	o.OK("PUT", "/v1/shop/settings", o.Session(o.OwnerID), m{"timezone": zone})
}

func (o *fixture) stats(query string) m {
	o.t.Helper()
	return o.Result("GET", "/stats"+query, o.Owner, nil)
}

// totals returns the sums of a response in one line.
func totals(s any) string {
	v := s.(m)
	return fmt.Sprint(v["visits"], " ", v["page_views"], " ", v["orders"], " ", v["revenue"], " ", v["average_order"], " ", v["conversion"])
}

func line(list any) string { return strings.ReplaceAll(fmt.Sprint(list), "map", "") }

func TestStatsSumAPeriodAndThePrecedingOne(t *testing.T) {
	t.Parallel()
	o := open(t)
	tea := shop.ProductID(o.Result("POST", "/products", o.Owner, m{"item": m{"name": "Tea", "price": m{"price": 14}}})["id"].(float64))
	cup := shop.ProductID(o.Result("POST", "/products", o.Owner, m{"item": m{"name": "Cup", "price": m{"price": 5}}})["id"].(float64))
	o.visited("2026-11-22", 4, visitstats.Lists{Pages: visitstats.List{"/": 5, "/tea": 3}, Searches: visitstats.List{"oolong": 2}})
	o.visited("2026-11-24", 6, visitstats.Lists{
		Pages: visitstats.List{"/": 12}, Missing: visitstats.List{"/gone": 4}, Referrers: visitstats.List{"search.example": 2},
		Campaigns: visitstats.List{visitstats.Campaign{Source: "letter", Medium: "email", Campaign: "spring"}.Name(): 3},
	})
	o.visited("2026-11-21", 2, visitstats.Lists{Pages: visitstats.List{"/before": 9}})
	o.ordered("2026-11-22T10:00:00Z", tea, 2, 14, 3, salesdb.OrderLine{Product: cup, Key: "c", Name: "Cup", Quantity: 1, Unit: 5, Data: []byte("null")})
	o.ordered("2026-11-24T10:00:00Z", cup, 1, 5, 0)
	back := o.ordered("2026-11-23T10:00:00Z", tea, 1, 14, 0)
	o.moves(back, shop.OrderCancelled)
	o.ordered("2026-11-20T10:00:00Z", tea, 1, 14, 0)
	s := o.stats("?from=2026-11-22&to=2026-11-24")
	if got := totals(s); got != "10 20 2 35 18 0.2" {
		t.Errorf("totals: %s", got)
	}
	if p := s["previous"].(m); totals(p) != "2 4 1 14 14 0.5" || p["from"] != "2026-11-19" || p["to"] != "2026-11-21" {
		t.Errorf("previous: %v", p)
	}
	for name, want := range map[string]string{
		"series":           "[[date:2026-11-22 orders:1 page_views:8 revenue:30 visits:4] [date:2026-11-23 orders:0 page_views:0 revenue:0 visits:0] [date:2026-11-24 orders:1 page_views:12 revenue:5 visits:6]]",
		"top_products":     fmt.Sprintf("[[name:Tea product_id:%d quantity:2 revenue:25] [name:Cup product_id:%d quantity:2 revenue:10]]", tea, cup),
		"top_pages":        "[[path:/ views:17] [path:/tea views:3]]",
		"referrers":        "[[host:search.example visits:2]]",
		"searches":         "[[count:2 query:oolong]]",
		"not_found":        "[[hits:4 path:/gone]]",
		"campaigns":        "[[campaign:spring medium:email source:letter visits:3]]",
		"other_currencies": "[]",
	} {
		if got := line(s[name]); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	o.moves(back, shop.OrderNew)
	if got := totals(o.stats("?from=2026-11-22&to=2026-11-24")); got != "10 20 3 49 16 0.3" {
		t.Errorf("with the reopened order: %s", got)
	}
}

func TestStatsWithoutDataAreZero(t *testing.T) {
	t.Parallel()
	o := open(t)
	s := o.stats("")
	if totals(s) != "0 0 0 0 0 0" || totals(s["previous"]) != "0 0 0 0 0 0" || s["from"] != "2026-10-26" || s["to"] != "2026-11-24" || len(s["series"].([]any)) != 30 {
		t.Errorf("%v", s)
	}
	for _, name := range []string{"top_products", "top_pages", "referrers", "searches", "not_found", "campaigns", "other_currencies"} {
		if list, ok := s[name].([]any); !ok || len(list) > 0 {
			t.Errorf("%s: %v", name, s[name])
		}
	}
}

func TestWeeksBeginOnMondayAndMonthsOnTheFirst(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.visited("2026-11-01", 1, visitstats.Lists{}) // a Sunday
	o.visited("2026-11-02", 2, visitstats.Lists{})
	o.visited("2026-11-08", 4, visitstats.Lists{})
	for group, want := range map[string]string{
		"week":  "2026-10-26:1 2026-11-02:6 2026-11-09:0",
		"month": "2026-11-01:7",
	} {
		got := []string{}
		for _, p := range o.stats("?from=2026-11-01&to=2026-11-10&group=" + group)["series"].([]any) {
			got = append(got, fmt.Sprint(p.(m)["date"], ":", p.(m)["visits"]))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v", group, got)
		}
	}
}

// An order counts for the day in the shop's time zone, also when clocks change, and keeps that
// day if the shop changes its time zone.
func TestOrdersCountForTheDayInTheShopsTimeZone(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.clock("Europe/Berlin")
	for _, at := range []string{
		"2026-03-28T22:59:59Z", "2026-03-28T23:00:00Z", // the 28th, the 29th
		"2026-03-29T21:59:59Z", "2026-03-29T22:00:00Z", // the 29th, which has 23 hours, the 30th
		"2026-10-24T22:00:00Z", "2026-10-25T22:59:59Z", "2026-10-25T23:00:00Z", // the 25th twice, which has 25, the 26th
	} {
		o.ordered(at, 1, 1, 10, 0)
	}
	read := func(from, to string) (days string) {
		for _, p := range o.stats("?from=" + from + "&to=" + to)["series"].([]any) {
			days += fmt.Sprint(p.(m)["orders"], " ")
		}
		return days
	}
	for range 2 {
		if got := read("2026-03-28", "2026-03-30"); got != "1 2 1 " {
			t.Errorf("spring: %s", got)
		}
		if got := read("2026-10-24", "2026-10-26"); got != "0 2 1 " {
			t.Errorf("autumn: %s", got)
		}
		o.clock("Asia/Tokyo")
	}
	o.at("2026-11-24T15:00:00Z")
	if to := o.stats("")["to"]; to != "2026-11-25" {
		t.Errorf("today in Tokyo is %v", to)
	}
}

// Revenue in a currency that the shop no longer uses is reported separately.
func TestRevenueInOtherCurrenciesIsReportedSeparately(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.ordered("2026-11-24T10:00:00Z", 1, 1, 100, 0)
	o.must(o.Store.Write(o.t.Context(), o.Shop.ID, func(tx *store.Tx) error { return company.SetCurrency(o.t.Context(), tx, "USD") }))
	o.ordered("2026-11-24T11:00:00Z", 1, 1, 30, 0)
	s := o.stats("")
	if got := totals(s); got != "0 0 2 30 30 0" || s["currency"] != "USD" || line(s["other_currencies"]) != "[[currency:EUR orders:1 revenue:100]]" {
		t.Errorf("%s %v %v", got, s["currency"], s["other_currencies"])
	}
}

func TestInvalidDatesAreRefused(t *testing.T) {
	t.Parallel()
	o := open(t)
	for _, query := range []string{
		"?from=2026-11-25&to=2026-11-24", "?from=2026-11-25", "?from=2025-11-23", "?from=0001-01-01&to=0001-01-02", "?from=1999-12-31&to=2000-01-02",
		"?from=2101-01-01&to=2101-01-01", "?to=9999-12-31", "?from=2026-02-30&to=2026-03-01", "?from=yesterday", "?to=2026-1-1", "?from=-1", "?from=%00",
		"?from=2026-11-24T00:00:00Z", "?group=year", "?group=Day", "?from=" + strings.Repeat("9", 5000), "?from='%20OR%201=1", "?to=%D9%A2%D9%A0",
	} {
		o.Refused("GET", "/stats"+query, o.Owner, nil, 400, "INVALID_REQUEST")
	}
	for _, query := range []string{"?from=2025-11-24&to=2026-11-24", "?from=2000-01-01&to=2000-12-31", "?to=2100-12-31", "?from=2026-11-24&to=2026-11-24"} {
		o.stats(query)
	}
}

func TestWhoSeesStats(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.visited("2026-11-24", 3, visitstats.Lists{Pages: visitstats.List{"/secret": 1}})
	o.ordered("2026-11-24T10:00:00Z", 1, 1, 100, 0)
	o.OK("GET", "/stats", o.Scoped("stats:read"), nil)
	o.OK("GET", "/stats", o.Editor, nil)
	o.OK("GET", "/stats", o.Session(o.EditorID), nil)
	o.Refused("GET", "/stats", o.Scoped("orders:read"), nil, 403, "PAT_SCOPE_MISSING")
	o.Refused("GET", "/stats", "", nil, 401, "UNAUTHENTICATED")
	other := o.Result("GET", "/stats", o.Stranger, nil)
	if totals(other) != "0 0 0 0 0 0" || len(other["top_pages"].([]any)) > 0 {
		t.Errorf("another shop sees %v", other)
	}
}

// For every request the series adds up to the totals, and the preceding period ends where the
// requested one begins.
func TestASeriesAddsUpToItsTotals(t *testing.T) {
	t.Parallel()
	o := open(t)
	for i := range 20 {
		o.visited(fmt.Sprintf("2026-%02d-%02d", 1+i%11, 1+i), int64(1+i), visitstats.Lists{})
		o.ordered(fmt.Sprintf("2026-%02d-%02dT10:00:00Z", 1+i%11, 1+i), 1, 1, int64(10+i), 0)
	}
	rapid.Check(t, func(r *rapid.T) {
		from := day("2025-12-01") + shop.Day(rapid.IntRange(0, 360).Draw(r, "from"))
		to := from + shop.Day(rapid.IntRange(0, 365).Draw(r, "days"))
		group := rapid.SampledFrom([]string{"day", "week", "month"}).Draw(r, "group")
		s := o.stats("?from=" + from.String() + "&to=" + to.String() + "&group=" + group)
		sum := map[string]float64{}
		last := ""
		for _, p := range s["series"].([]any) {
			for _, name := range []string{"visits", "page_views", "orders", "revenue"} {
				sum[name] += p.(m)[name].(float64)
			}
			if date := p.(m)["date"].(string); date <= last {
				r.Errorf("%s after %s", date, last)
			} else {
				last = date
			}
		}
		for name, n := range sum {
			if s[name].(float64) != n {
				r.Errorf("%s: %v, the series has %v", name, s[name], n)
			}
		}
		before := s["previous"].(m)
		if before["to"] != (from-1).String() || day(before["to"].(string))-day(before["from"].(string)) != to-from {
			r.Errorf("before %s to %s: %v", from, to, before)
		}
	})
}
