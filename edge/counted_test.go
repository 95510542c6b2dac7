package edge

import (
	"context"
	"testing"

	"vitrine/internal/forwarded"
	"vitrine/internal/golden"
	"vitrine/internal/shop"
	"vitrine/internal/visitstats"
)

func (f *fixture) VisitSalt(_ context.Context, day shop.Day) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.visits.Salt(day), f.call("VisitSalt")
}

func (f *fixture) Visits(_ context.Context, batch visitstats.Batch) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.call("Visits"); err != nil {
		return err
	}
	return f.visits.Add(batch)
}

// counted sends the visits and returns what a shop has on a UTC date.
func (w *world) counted(company shop.CompanyID, date string) (visits int64, day visitstats.Day) {
	w.t.Helper()
	if err := w.edge.counters.Flush(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	return w.src.visits.Of(w.t, company, date)
}

// visits sends a request of a browser with an address; the in-memory listener acts as its
// proxy.
func (w *world) visits(target, from string, lines ...string) reply {
	w.t.Helper()
	return w.get(target, append([]string{"User-Agent: " + browser, "X-Forwarded-For: " + from}, lines...)...)
}

// newVisitorsWorld is a world whose visitors have addresses.
func newVisitorsWorld(t testing.TB, edit ...func(*Config)) *world {
	t.Helper()
	proxies, err := forwarded.Parse("0.0.0.0")
	if err != nil {
		t.Fatal(err)
	}
	return newWorld(t, append([]func(*Config){func(c *Config) { c.Proxies = proxies }}, edit...)...)
}

const today = "2027-01-15" // in the clock of a world

func TestPageViews(t *testing.T) {
	w := newVisitorsWorld(t)
	w.docs(90, site())
	for range 3 { // the first is drawn, the others take the hot path
		w.visits("/about", "203.0.113.1")
	}
	w.visits("/about", "203.0.113.2", "If-None-Match: "+w.visits("/about", "203.0.113.2").has("ETag"))
	w.visits("/about?utm_source=Letter&utm_medium=email&utm_campaign=spring%0A2027&q=secret", "203.0.113.3")
	w.visits("/about?utm_source=Letter&utm_medium=email&utm_campaign=spring%0A2027", "203.0.113.3")
	w.visits("/docs/", "203.0.113.1")
	w.visits("/docs/index.html", "203.0.113.1")
	w.visits("/docs/guide/index.html", "203.0.113.1", "Referer: https://www.Search.example:443/find?q=my+secret")
	w.visits("/docs/guide/", "203.0.113.1", "Referer: http://shop.localhost/about")
	w.visits("/shoes", "203.0.113.1", "Referer: https://www.shop.localhost/x")
	w.visits("/cart", "203.0.113.1")
	w.visits("/nowhere/john@example.com/x", "203.0.113.1")
	w.visits("/docs/nowhere", "203.0.113.1")
	visits, day := w.counted(7, today)
	pages := visitstats.List{"/about": 7, "/docs/": 2, "/docs/guide/": 2, "/shoes": 1, "/cart": 1}
	golden.Map(t, "pages", day.Lists.Pages, pages)
	if visits != 3 || day.Views != sum(pages) {
		t.Errorf("%d visits, %d views", visits, day.Views)
	}
	for name, l := range map[string][2]visitstats.List{
		"referrers": {day.Lists.Referrers, {"search.example": 1}}, "campaigns": {day.Lists.Campaigns, {"Letter\temail\tspring 2027": 1}},
		"missing": {day.Lists.Missing, {"/nowhere/…/x": 1, "/docs/nowhere": 1}},
	} {
		golden.Map(t, name, l[0], l[1])
	}
	// None of these is a page view.
	before := day
	w.ask("HEAD", "/about", "User-Agent: "+browser)
	w.ask("POST", "/about", "User-Agent: "+browser, "Content-Length: 0")
	w.visits("/about", "203.0.113.1", "Sec-Purpose: prefetch;prerender")
	w.visits("/about", "203.0.113.1", "Purpose: prefetch")
	w.visits("/docs/app.js", "203.0.113.1")
	w.visits("/docs/ten.bin", "203.0.113.1")
	w.visits("/docs/index.html", "203.0.113.1", "Range: bytes=0-3")
	w.visits("/_html/5/9/css/site.css", "203.0.113.1")
	w.visits("/docs", "203.0.113.1")
	w.visits("/robots.txt", "203.0.113.1")
	closed := w.src.shops[7].in.Shop
	closed.Closed = true
	w.changeShop(closed)
	w.visits("/about", "203.0.113.9")
	visits, day = w.counted(7, today)
	if day.Views != before.Views || visits != 3 {
		t.Errorf("%d views of requests that are no page views", day.Views-before.Views)
	}
}

func sum(l visitstats.List) (n int64) {
	for _, count := range l {
		n += count
	}
	return n
}
