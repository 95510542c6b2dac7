package edge

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"vitrine/internal/forwarded"
	"vitrine/internal/shop"
	"vitrine/internal/visitstats"
)

// visitsTaken is the statistics store of a fixture: like the store it accepts a batch of a
// run once, and a mark once a day.
type visitsTaken struct {
	last   map[[16]byte]int64
	days   map[shopDate]*visitstats.Day
	marks  map[shopDate]map[int64]bool
	sent   int // batches received
	lost   int // number of next responses that are lost after the batch was stored
	visits map[shopDate]int64
}

func (f *fixture) VisitSalt(_ context.Context, day shop.Day) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	salt := sha256.Sum256([]byte(day.String()))
	return salt[:], f.call("VisitSalt")
}

func (f *fixture) Visits(_ context.Context, batch visitstats.Batch) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.call("Visits"); err != nil {
		return err
	}
	v := &f.visits
	v.sent++
	if v.last == nil {
		v.last, v.days, v.marks, v.visits = map[[16]byte]int64{}, map[shopDate]*visitstats.Day{}, map[shopDate]map[int64]bool{}, map[shopDate]int64{}
	}
	if batch.Number > v.last[batch.Run] {
		v.last[batch.Run] = batch.Number
		for _, d := range batch.Days {
			v.add(d)
		}
	}
	if v.lost > 0 {
		v.lost--
		return errAway
	}
	return nil
}

func (v *visitsTaken) add(d visitstats.Day) {
	at := shopDate{d.Company, d.Date}
	sum := v.days[at]
	if sum == nil {
		sum = &visitstats.Day{Company: d.Company, Date: d.Date}
		v.days[at], v.marks[at] = sum, map[int64]bool{}
	}
	sum.Views += d.Views
	sum.Lists.Add(&d.Lists)
	for _, m := range d.Marks {
		if v.marks[at][m.Hash] {
			continue
		}
		v.marks[at][m.Hash] = true
		sum.Lists.Count(m)
		if m.Kind == visitstats.Visitor {
			v.visits[at]++
		}
	}
}

// counted sends the visits and returns what a shop has on a UTC date.
func (w *world) counted(company shop.CompanyID, date string) (visits int64, day visitstats.Day) {
	w.t.Helper()
	if err := w.edge.flush(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	d, ok := shop.ParseDay(date)
	if !ok {
		w.t.Fatalf("%q is not a date", date)
	}
	w.src.mu.Lock()
	defer w.src.mu.Unlock()
	at := shopDate{company, d}
	if sum := w.src.visits.days[at]; sum != nil {
		return w.src.visits.visits[at], *sum
	}
	return 0, day
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
	if visits != 3 || !reflect.DeepEqual(day.Lists.Pages, pages) || day.Views != sum(pages) {
		t.Errorf("%d visits, %d views of %v, want %v", visits, day.Views, day.Lists.Pages, pages)
	}
	for name, l := range map[string][2]visitstats.List{
		"referrers": {day.Lists.Referrers, {"search.example": 1}}, "campaigns": {day.Lists.Campaigns, {"Letter\temail\tspring 2027": 1}},
		"missing": {day.Lists.Missing, {"/nowhere/…/x": 1, "/docs/nowhere": 1}},
	} {
		if !reflect.DeepEqual(l[0], l[1]) {
			t.Errorf("%s: %v, want %v", name, l[0], l[1])
		}
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

func TestRobotsDoNotCount(t *testing.T) {
	w := newVisitorsWorld(t)
	robots := []string{
		"", "curl/8.9.1", "python-requests/2.32", "Go-http-client/2.0", "Wget/1.21", "okhttp/4.9", "WhatsApp/2.23.20.0", "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
		"Mozilla/5.0 (compatible; YandexMetrika/2.0; +http://yandex.com/bots)", "Mozilla/5.0 (compatible; NetcraftSurveyAgent/1.0; +info@netcraft.com)",
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/131.0.0.0 Safari/537.36",
		"Mozilla/5.0 (Linux; Android 11; moto g power) AppleWebKit/537.36 Chrome/119.0 Mobile Safari/537.36 Chrome-Lighthouse",
		"facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)", "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5",
	}
	people := []string{
		browser, "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1",
		"Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0", "Opera/9.80 (Android; Opera Mini/36.2/191; U; ru) Presto/2.12 Version/12.16",
		"Mozilla/5.0 (Linux; Android 10; CUBOT X30) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36",
		"Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko",
		"Mozilla/5.0 (Linux; Android 14; SM-S918B; wv) AppleWebKit/537.36 Version/4.0 Chrome/131.0 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/490.0;]",
		"Mozilla/5.0 (Linux; arm_64; Android 12) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0 YaBrowser/24.6 Mobile Safari/537.36",
	}
	for range 2 {
		for _, agent := range append(slices.Clone(robots), people...) {
			w.get("/about", "User-Agent: "+agent)
			w.get("/nowhere", "User-Agent: "+agent)
		}
	}
	n := int64(len(people))
	if visits, day := w.counted(7, today); visits != n || day.Views != 2*n || day.Lists.Missing["/nowhere"] != 2*n {
		t.Errorf("%d visits, %d views, %v, of %d people", visits, day.Views, day.Lists.Missing, n)
	}
}

// A visitor of two edges counts once, and so does a visitor of an edge that was restarted.
// Another shop, network or browser counts separately.
func TestAVisitorCountsOnceOnAllEdges(t *testing.T) {
	one, two := newVisitorsWorld(t), newVisitorsWorld(t)
	two.src.visits, one.src.visits = visitsTaken{}, visitsTaken{}
	for _, w := range []*world{one, two} {
		w.visits("/about", "203.0.113.1")
		w.visits("/about", "2001:db8:1:2::1")
		w.visits("/about", "2001:db8:1:2:ffff::9") // the same network
		w.askHost("GET", "other.test", "/", "User-Agent: "+browser, "X-Forwarded-For: 203.0.113.1")
	}
	one.visits("/about", "203.0.113.1", "Referer: https://blog.example/")
	two.visits("/shoes", "203.0.113.1", "Referer: https://blog.example/x")
	one.counted(7, today)
	batch := visitstats.Batch{Run: [16]byte{9}, Number: 1}
	two.counted(7, today)
	for _, d := range two.src.visits.days {
		for hash := range two.src.visits.marks[shopDate{d.Company, d.Date}] {
			d.Marks = append(d.Marks, visitstats.Mark{Hash: hash})
		}
		batch.Days = append(batch.Days, *d)
	}
	before := one.src.visits.visits[shopDate{7, mustDay(today)}]
	if err := one.src.Visits(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	visits, day := one.counted(7, today)
	if visits != 2 || before != 2 || day.Views != 8 {
		t.Errorf("%d visits of one edge, %d of both, %d views", before, visits, day.Views)
	}
	if visits, _ := one.counted(8, today); visits != 1 {
		t.Errorf("%d visits of the other shop", visits)
	}
}

func mustDay(text string) shop.Day {
	d, ok := shop.ParseDay(text)
	if !ok {
		panic(text)
	}
	return d
}

// A batch whose response is lost counts once, and an outage loses only what exceeds the
// shares of the shops.
func TestBatchesCountOnce(t *testing.T) {
	w := newVisitorsWorld(t)
	w.visits("/about", "203.0.113.1")
	w.src.mu.Lock()
	w.src.visits.lost = 2
	w.src.mu.Unlock()
	for range 2 {
		if err := w.edge.flush(context.Background()); err == nil {
			t.Error("the lost response was no error")
		}
		w.visits("/about", "203.0.113.2")
	}
	if visits, day := w.counted(7, today); visits != 2 || day.Views != 3 {
		t.Errorf("%d visits, %d views", visits, day.Views)
	}
	w.src.mu.Lock()
	w.src.away = true
	w.src.mu.Unlock()
	for i := range 20 {
		w.visits("/about", "203.0.113."+itoa(i))
		if err := w.edge.flush(context.Background()); err == nil {
			t.Error("the outage was no error")
		}
	}
	w.src.mu.Lock()
	w.src.away = false
	w.src.mu.Unlock()
	if visits, day := w.counted(7, today); visits != 20 || day.Views != 23 {
		t.Errorf("after the outage %d visits, %d views", visits, day.Views)
	}
}

// A day ends by the shop's clock: visits before and after are counted separately, although
// they are sent together, and a visitor of both days is a visit on each.
func TestADayEndsByTheShopsClock(t *testing.T) {
	w := newVisitorsWorld(t)
	there := w.src.shops[7].in.Shop
	for _, c := range []struct{ zone, before, after string }{
		{"Europe/Berlin", "2026-03-29T21:59:59Z", "2026-03-29T22:00:00Z"}, // a day of 23 hours
		{"Europe/Berlin", "2026-10-25T22:59:59Z", "2026-10-25T23:00:00Z"}, // a day of 25 hours
		{"Asia/Kathmandu", "2026-06-01T18:14:59Z", "2026-06-01T18:15:00Z"},
		{"Africa/Cairo", "2026-04-23T21:59:59Z", "2026-04-23T22:00:00Z"}, // its midnight does not exist
		{"", "2026-06-30T23:59:59Z", "2026-07-01T00:00:00Z"},
	} {
		there.Timezone = c.zone
		w.changeShop(there)
		for _, at := range []string{c.before, c.before, c.after, c.after, c.after} {
			moment, err := time.Parse(time.RFC3339, at)
			if err != nil {
				t.Fatal(err)
			}
			w.clock.Store(moment.Unix())
			w.visits("/about", "203.0.113.1")
		}
		moment, _ := time.Parse(time.RFC3339, c.after)
		day := shop.DayOf(moment, shop.Clock(c.zone))
		v1, d1 := w.counted(7, (day - 1).String())
		v2, d2 := w.counted(7, day.String())
		if v1 != 1 || d1.Views != 2 || v2 != 1 || d2.Views != 3 {
			t.Errorf("%s %s: %d visits and %d views, then %d and %d", c.zone, c.after, v1, d1.Views, v2, d2.Views)
		}
	}
}

// A flood of addresses, browsers and names uses up the share of its shop and of no other.
func TestAFloodFillsOneShopsShare(t *testing.T) {
	w := newVisitorsWorld(t)
	w.visits("/about", "203.0.113.1")
	const flood = 3 * maxMarks
	for i := range flood {
		ctx := browses("/about", "0.0.0.0")
		h := &ctx.Request.Header
		h.SetUserAgent(browser + " x" + itoa(i))
		h.Set("X-Forwarded-For", fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255))
		h.SetReferer(fmt.Sprintf("https://spam-%d.example/", i))
		w.edge.Handle(ctx)
		ctx.Request.Header.SetRequestURI("/invented-" + itoa(i))
		w.edge.Handle(ctx)
		ctx.Request.Header.SetRequestURI("/about?utm_source=" + itoa(i))
		w.edge.Handle(ctx)
	}
	d := w.edge.hosts.find([]byte("shop.localhost")).today.Load()
	if len(d.marks) != maxMarks || len(d.lists.Missing) != maxNames || w.edge.counting.held.Load() > maxMarks+2*maxNames+maxPages {
		t.Errorf("%d marks, %d names, %d of all", len(d.marks), len(d.lists.Missing), w.edge.counting.held.Load())
	}
	w.askHost("GET", "other.test", "/", "User-Agent: "+browser, "X-Forwarded-For: 203.0.113.1")
	if visits, day := w.counted(8, today); visits != 1 || day.Views != 1 {
		t.Errorf("the other shop has %d visits, %d views", visits, day.Views)
	}
	visits, day := w.counted(7, today)
	if visits == 0 || visits > maxMarks || day.Views != 2*flood+1 {
		t.Errorf("%d visits, %d views", visits, day.Views)
	}
	if held := w.edge.counting.held.Load(); held != 0 {
		t.Errorf("%d names are held after they were sent", held)
	}
}

// The table of visitors is bounded, and never confuses two visitors.
func TestVisitorTableIsBounded(t *testing.T) {
	var s visitorTable
	var held atomic.Int64
	r := rand.New(rand.NewPCG(5, 6))
	for range 1 << 18 {
		key := r.Uint64()
		if _, known := s.find(key); known {
			t.Fatal("a new visitor is known")
		}
		s.put(key, key&2 == 0, &held)
		if isRobot, known := s.find(key); !known || isRobot != (key&2 == 0) {
			t.Fatal("a visitor just added is forgotten")
		}
	}
	if n := held.Load(); n != maxVisitorRows {
		t.Errorf("%d rows", n)
	}
	s.free(&held)
	if held.Load() != 0 {
		t.Error("rows are not released")
	}
}

// Names in the lists are short, printable and not personal.
func TestNamesOfVisitsAreHarmless(t *testing.T) {
	for in, want := range map[string]string{
		"  Green\tTea \x00\n": "green tea", "me@example.com": "", "call +49 170 1234567": "", "\xff\xfeтест": "тест", "\u202egnp": "gnp",
		strings.Repeat("я", 300): strings.Repeat("я", 100),
	} {
		if got := wordsOf(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"/a/b.html": "/a/b.html", "/u/me%40example.com": "/u/…", "/reset/0123456789abcdef0123456789abcdef": "/reset/…", "/tel/4917012345678": "/tel/…",
		"/a%00b/\x01c": "/a b/ c", "/" + strings.Repeat("x", 100): "/…", "/%zz": "/%zz", "/products/green-tea-2027-edition": "/products/green-tea-2027-edition",
	} {
		if got := missingName(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"https://www.Example.com/x?y": "example.com", "http://user:pass@example.com/": "", "javascript://x": "", "https://": "", "about:blank": "",
		"android-app://com.mail.app/": "com.mail.app", "https://a\x00b/": "", "https://[::1]/": "[::1]", "https://exa mple.com/": "",
	} {
		if got := string(hostOfReferrer([]byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzNamesOfVisits(f *testing.F) {
	f.Add("/a/b", "utm_source=x&utm_campaign=%00%ff", "https://a.example/")
	f.Fuzz(func(t *testing.T, text, query, referrer string) {
		for _, name := range []string{wordsOf(text), missingName(text), campaignOf(query), string(hostOfReferrer([]byte(referrer)))} {
			if len(name) > 4*maxPageName || !utf8.ValidString(name) || strings.ContainsAny(name, "\n\r\x00") || strings.Contains(name, "@") {
				t.Errorf("%q", name)
			}
		}
	})
}
