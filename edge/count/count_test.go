package count

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/edge/count/counttest"
	"vitrine/internal/forwarded"
	"vitrine/internal/shop"
	"vitrine/internal/visitstats"
)

const browser = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"

var errAway = errors.New("the database is unavailable")

// store is a Store in memory.
type store struct {
	visits counttest.Visits
	away   bool
	misses []Miss
}

func (s *store) VisitSalt(_ context.Context, day shop.Day) ([]byte, error) {
	if s.away {
		return nil, errAway
	}
	return s.visits.Salt(day), nil
}

func (s *store) Visits(_ context.Context, batch visitstats.Batch) error {
	if s.away {
		return errAway
	}
	return s.visits.Add(batch)
}

func (s *store) Misses(_ context.Context, batch []Miss) error {
	s.misses = append(s.misses, batch...)
	return nil
}

func (s *store) Hits(context.Context, []Hit) error   { return nil }
func (s *store) Views(context.Context, []View) error { return nil }

// world counts the visits of the shops 7 and 8, which are behind a proxy.
type world struct {
	*Counters
	t     testing.TB
	store *store
	clock time.Time
	shops map[shop.CompanyID]*Shop
	place Place
}

func newWorld(t testing.TB) *world {
	t.Helper()
	proxies, err := forwarded.Parse("0.0.0.0")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		t: t, store: &store{}, clock: time.Unix(1_800_000_000, 0), shops: map[shop.CompanyID]*Shop{7: {Company: 7}, 8: {Company: 8}},
		place: Place{Host: "shop.localhost", Hosts: []string{"shop.localhost"}},
	}
	if w.Counters, err = New(w.store, proxies, func() time.Time { return w.clock }); err != nil {
		t.Fatal(err)
	}
	return w
}

// today is the date of a new world's clock.
const today = "2027-01-15"

// request is a request of a browser behind the proxy, with header fields.
func request(from string, fields ...string) *fasthttp.RequestCtx {
	ctx := &fasthttp.RequestCtx{}
	ctx.Init(&fasthttp.Request{}, &net.TCPAddr{IP: net.IPv4zero, Port: 4711}, nil)
	h := &ctx.Request.Header
	h.SetUserAgent(browser)
	h.Set("X-Forwarded-For", from)
	for i := 0; i+1 < len(fields); i += 2 {
		h.Set(fields[i], fields[i+1])
	}
	return ctx
}

// day is the current day of a shop, with its salt.
func (w *world) day(company shop.CompanyID, ctx *fasthttp.RequestCtx) *Day {
	d := w.Today(ctx, w.shops[company], &w.place)
	if !d.Ready() {
		d.LoadSalt(context.Background())
	}
	return d
}

// view counts a view of a page of a shop.
func (w *world) view(company shop.CompanyID, path string, ctx *fasthttp.RequestCtx) {
	w.day(company, ctx).View(ctx, &w.place, path, "")
}

// counted sends the counts and returns the sums of a shop on a date.
func (w *world) counted(company shop.CompanyID, date string) (visits int64, day visitstats.Day) {
	w.t.Helper()
	if err := w.Flush(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	return w.store.visits.Of(w.t, company, date)
}

func TestRobotsDoNotCount(t *testing.T) {
	w := newWorld(t)
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
			ctx := request("203.0.113.1", "User-Agent", agent)
			w.view(7, "/about", ctx)
			w.day(7, ctx).Missing(ctx, "/nowhere")
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
	one, two := newWorld(t), newWorld(t)
	for _, w := range []*world{one, two} {
		w.view(7, "/about", request("203.0.113.1"))
		w.view(7, "/about", request("2001:db8:1:2::1"))
		w.view(7, "/about", request("2001:db8:1:2:ffff::9")) // the same network
		w.view(8, "/", request("203.0.113.1"))
	}
	one.view(7, "/about", request("203.0.113.1", "Referer", "https://blog.example/"))
	two.view(7, "/shoes", request("203.0.113.1", "Referer", "https://blog.example/x"))
	before, _ := one.counted(7, today)
	two.counted(7, today)
	if err := one.store.visits.Add(two.store.visits.Batch()); err != nil {
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

// A batch whose response is lost counts once, and an outage loses only what exceeds the
// shares of the shops.
func TestBatchesCountOnce(t *testing.T) {
	w := newWorld(t)
	w.view(7, "/about", request("203.0.113.1"))
	w.store.visits.Lose(2)
	for range 2 {
		if err := w.Flush(t.Context()); err == nil {
			t.Error("the lost response was no error")
		}
		w.view(7, "/about", request("203.0.113.2"))
	}
	if visits, day := w.counted(7, today); visits != 2 || day.Views != 3 {
		t.Errorf("%d visits, %d views", visits, day.Views)
	}
	w.store.away = true
	for i := range 20 {
		w.view(7, "/about", request("203.0.113."+strconv.Itoa(i)))
		if err := w.Flush(t.Context()); err == nil {
			t.Error("the outage was no error")
		}
	}
	w.store.away = false
	if visits, day := w.counted(7, today); visits != 20 || day.Views != 23 {
		t.Errorf("after the outage %d visits, %d views", visits, day.Views)
	}
}

// A day ends by the shop's clock: visits before and after are counted separately, although
// they are sent together, and a visitor of both days is a visit on each.
func TestADayEndsByTheShopsClock(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ zone, before, after string }{
		{"Europe/Berlin", "2026-03-29T21:59:59Z", "2026-03-29T22:00:00Z"}, // a day of 23 hours
		{"Europe/Berlin", "2026-10-25T22:59:59Z", "2026-10-25T23:00:00Z"}, // a day of 25 hours
		{"Asia/Kathmandu", "2026-06-01T18:14:59Z", "2026-06-01T18:15:00Z"},
		{"Africa/Cairo", "2026-04-23T21:59:59Z", "2026-04-23T22:00:00Z"}, // its midnight does not exist
		{"", "2026-06-30T23:59:59Z", "2026-07-01T00:00:00Z"},
	} {
		w.place = Place{Host: w.place.Host, Zone: c.zone}
		for _, at := range []string{c.before, c.before, c.after, c.after, c.after} {
			moment, err := time.Parse(time.RFC3339, at)
			if err != nil {
				t.Fatal(err)
			}
			w.clock = moment
			w.view(7, "/about", request("203.0.113.1"))
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
	w := newWorld(t)
	w.view(7, "/about", request("203.0.113.1"))
	const flood = 3 * maxMarks
	for i := range flood {
		n := strconv.Itoa(i)
		ctx := request(fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255), "User-Agent", browser+" x"+n, "Referer", "https://spam-"+n+".example/")
		d := w.day(7, ctx)
		d.View(ctx, &w.place, "/about", "")
		d.View(ctx, &w.place, "/about", "utm_source="+n)
		d.Missing(ctx, "/invented-"+n)
		d.FailedSearch(ctx, "invented "+n)
	}
	d := w.shops[7].today.Load()
	if len(d.marks) != maxMarks || len(d.lists.Missing) != maxNames || len(d.lists.Searches) != maxNames || w.held.Load() > maxMarks+2*maxNames+maxPages {
		t.Errorf("%d marks, %d names, %d of all", len(d.marks), len(d.lists.Missing), w.held.Load())
	}
	w.view(8, "/", request("203.0.113.1"))
	if visits, day := w.counted(8, today); visits != 1 || day.Views != 1 {
		t.Errorf("the other shop has %d visits, %d views", visits, day.Views)
	}
	visits, day := w.counted(7, today)
	if visits == 0 || visits > maxMarks || day.Views != 2*flood+1 {
		t.Errorf("%d visits, %d views", visits, day.Views)
	}
	if held := w.held.Load(); held != 0 {
		t.Errorf("%d names are held after they were sent", held)
	}
}
