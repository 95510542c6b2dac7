package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// What a person waits for at most.
const (
	wantedCalls = 3 // of a screen, without those of the frame around it
	wantedCall  = 30 * time.Millisecond
	wantedDrawn = 500 * time.Millisecond
	wantedPaint = 100 * time.Millisecond // from a key to what it changes, on a processor of a quarter of the speed
	wantedSave  = 1500 * time.Millisecond
)

// loads is how often a screen is loaded.
const loads = 20

// over counts the figures that are over the ones wanted.
type over int

// add prints one figure. ceiling is what the same run measured for something that does nothing else.
func (o *over) add(what string, got, wanted, ceiling time.Duration, of string, more ...any) {
	mark := ""
	if got > wanted {
		mark = "over"
		*o++
	}
	fmt.Printf("%-60s %8.1f ms, wanted %6.1f ms %4s, %6.1f x %s %s\n", what, ms(got), ms(wanted), mark, got.Seconds()/ceiling.Seconds(), of, fmt.Sprint(more...))
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

// quantile sorts durations, and returns the one that a share of them does not exceed.
func quantile(list []time.Duration, share float64) time.Duration {
	slices.Sort(list)
	return list[max(0, int(math.Ceil(share*float64(len(list))))-1)]
}

// benched is the cabinet of a large shop, open in a browser.
type benched struct {
	*tab
	program *program
	conn    *pgx.Conn
	cookie  string
	company int
	over

	mu      sync.Mutex
	sent    []call // by the page since it was opened
	minute  time.Time
	counted int
}

// call is one that a screen makes.
type call struct{ method, path, body string }

// BenchmarkCabinet measures the cabinet of a shop of 50,000 products, 5,000 sections, 10,000 orders,
// 20,000 customers and 500 members: the calls that each screen makes, how long its lists take to be drawn with a
// warm cache, and how long keys take to show their effect on a processor of a quarter of the speed. It
// prints each figure with the one wanted, and as a multiple of a ceiling measured in the same run.
func BenchmarkCabinet(b *testing.B) {
	c := openBenched(b)
	fmt.Println()
	me := c.serverTime([]call{{"GET", "/v1/auth/me", ""}})[0]
	c.add("GET /v1/auth/me, p95", me, wantedCall, me, "itself")
	frame := c.callsOf("/cabinet/large/settings/usage")
	for _, part := range []struct {
		name string
		run  func()
	}{{"screens", func() { c.screens(me, frame) }}, {"interactions", c.interactions}, {"saves", c.saves}} {
		b.Run(part.name, func(b *testing.B) {
			c.t = b
			part.run()
		})
	}
	c.t = b
	b.ReportMetric(float64(c.over), "over")
	b.ReportMetric(0, "ns/op")
}

func openBenched(b *testing.B) *benched {
	p := newMachine(b)
	url := storetest.URL(b, store.Migrate)
	p.env = append(p.env, "VITRINE_DATABASE_URL="+url, "VITRINE_ADMIN_URL=http://admin.localhost:"+portOf(b, p.admin))
	p.shop("large")
	c := &benched{program: p}
	var err error
	if c.conn, err = pgx.Connect(b.Context(), url); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := c.conn.Close(context.Background()); err != nil {
			b.Error(err)
		}
	})
	if err := c.conn.QueryRow(b.Context(), `SELECT id FROM company WHERE slug = 'large'`).Scan(&c.company); err != nil {
		b.Fatal(err)
	}
	storetest.Large(b, url, c.company, 50_000)
	storetest.Trade(b, url, c.company, 20_000, 10_000)
	storetest.Deep(b, url, c.company, 5000-40)
	for _, sql := range []string{
		fmt.Sprintf(`WITH staff AS (
			INSERT INTO person (email, name, password_hash) SELECT 'editor-' || n || '@people.test', 'Editor ' || n, '' FROM generate_series(1, 499) AS n RETURNING id)
			INSERT INTO member (company_id, person_id, role) SELECT %d, id, 'editor' FROM staff`, c.company),
		`VACUUM`,
	} {
		if _, err := c.conn.Exec(b.Context(), sql); err != nil {
			b.Fatal(err)
		}
	}
	p.start()
	c.tab = cabinet(b, p, 1280)
	if err := chromedp.Listen(c.ctx, c.hears); err != nil {
		b.Fatal(err)
	}
	if _, err := chromedp.Call(c.ctx, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}); err != nil {
		b.Fatal(err)
	}
	if _, err := chromedp.Call(c.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watch}); err != nil {
		b.Fatal(err)
	}
	c.entersCabinet("large@example.test", "a long password")
	c.until(`location.pathname === '/cabinet/large/start'`)
	cookies, err := chromedp.Call(c.ctx, network.GetCookies, network.GetCookiesParams{})
	if err != nil {
		b.Fatal(err)
	}
	for _, cookie := range cookies.Cookies {
		c.cookie += cookie.Name + "=" + cookie.Value + "; "
	}
	return c
}

// watch records in each page the slowest event, from its time to the moment when the page has handed the frame
// that follows it to the compositor, and when a list was drawn. The reports of the browser (Event Timing) end when
// the screen shows the frame, but it holds those of a menu that Escape closes for seconds, although it draws.
const watch = `
	window.slowest = window.pending = 0
	const { port1, port2 } = new MessageChannel(), at = []
	port1.onmessage = () => ((slowest = Math.max(slowest, performance.now() - at.shift())), pending--)
	for (const type of ['pointerdown', 'pointerup', 'click', 'keydown', 'keypress', 'keyup'])
		addEventListener(type, (e) => (pending++, requestAnimationFrame(() => (at.push(e.timeStamp), port2.postMessage(0)))), true)
	const drawn = () => document.querySelector('main tbody tr, main [role=treeitem], main [role=gridcell]')
	new MutationObserver((_, watcher) => {
		if (!drawn()) return
		watcher.disconnect()
		requestAnimationFrame(() => setTimeout(() => (window.drawnAt = performance.now())))
	}).observe(document, { childList: true, subtree: true })`

func (c *benched) hears(event any) {
	if e, ok := event.(*network.EventRequestWillBeSent); ok && e.Type == network.ResourceTypeFetch {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.sent = append(c.sent, call{e.Request.Method, strings.TrimPrefix(e.Request.URL, c.host), posted(e.Request)})
	}
}

func (c *benched) take() (sent []call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	sent, c.sent = c.sent, nil
	return sent
}

// counts waits for the next minute where the shop's budget of calls would be exceeded.
func (c *benched) counts(calls int) {
	if now := time.Now().Truncate(time.Minute); now != c.minute {
		c.minute, c.counted = now, 0
	}
	if c.counted += calls; c.counted > 500 {
		time.Sleep(time.Until(c.minute.Add(time.Minute)))
		c.minute, c.counted = time.Now().Truncate(time.Minute), calls
	}
}

// callsOf opens a screen and returns the calls that it made until it was still.
func (c *benched) callsOf(path string) []call {
	c.t.Helper()
	c.counts(10)
	c.open("/docs/scopes.json", 1280)
	c.take()
	c.open(path, 1280)
	c.until(`document.querySelector('main h1') && !document.querySelector('.mantine-Skeleton-root, .mantine-Loader-root')`)
	c.awaited(settled)
	return c.take()
}

// settled is kept when the page has had an idle second.
const settled = `new Promise((done) => { let last; const wait = () => { clearTimeout(last); last = setTimeout(() => (watcher.disconnect(), done('')), 1000) }
	const watcher = new MutationObserver(wait); watcher.observe(document, { childList: true, subtree: true }); wait() })`

// serverTime makes the calls of a screen as often as loads says, at once as the page does, and returns
// the p95 of each.
func (c *benched) serverTime(calls []call) (p95 []time.Duration) {
	c.t.Helper()
	took := make([][]time.Duration, len(calls))
	for range loads {
		c.counts(len(calls))
		var all sync.WaitGroup
		for i, one := range calls {
			all.Go(func() { took[i] = append(took[i], c.once(one)) })
		}
		all.Wait()
		if c.t.Failed() {
			c.t.FailNow()
		}
	}
	for _, list := range took {
		p95 = append(p95, quantile(list, 0.95))
	}
	return p95
}

func (c *benched) once(one call) time.Duration {
	request, err := http.NewRequest(one.method, "http://"+c.program.admin+one.path, strings.NewReader(one.body))
	if err != nil {
		c.t.Error(err)
		return 0
	}
	request.Host = strings.TrimPrefix(c.host, "http://")
	for name, value := range map[string]string{"Cookie": c.cookie, "X-Vitrine-Shop": "large", "Origin": c.host, "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json",
		"Accept-Encoding": "gzip, deflate, br"} { // as a browser over https; what is compressed is not unpacked here
		request.Header.Set(name, value)
	}
	begin := time.Now()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		c.t.Error(err)
		return 0
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode >= 300 {
		c.t.Errorf("%s %s: %d %v", one.method, one.path, response.StatusCode, err)
	}
	return time.Since(begin)
}

// screens measures the main screens. list marks those whose list has to be drawn in time.
func (c *benched) screens(me time.Duration, frame []call) {
	var product, order, customer, section int
	if err := c.conn.QueryRow(c.t.Context(), `SELECT (SELECT id FROM product WHERE company_id = $1 AND sku = 'SKU-1000'), (SELECT max(id) FROM shop_order WHERE company_id = $1),
		(SELECT max(id) FROM customer WHERE company_id = $1), (SELECT max(id) FROM category WHERE company_id = $1)`, c.company).Scan(&product, &order, &customer, &section); err != nil {
		c.t.Fatal(err)
	}
	for _, s := range []struct {
		path string
		list bool
	}{
		{"start", false}, {"products", true}, {"products?q=teapot", true}, {"products?view=grid", true}, {fmt.Sprint("products/", product), false},
		{"sections", true}, {fmt.Sprint("sections/", section), false}, {"attributes", true}, {"articles", false}, {"articles/new", false}, {"files", false},
		{"orders", true}, {fmt.Sprint("orders/", order), false}, {"customers", true}, {fmt.Sprint("customers/", customer), false}, {"customers/groups", false},
		{"reviews", false}, {"leads", false}, {"promotions", false}, {"statistics", false}, {"settings", false}, {"team", true},
	} {
		var own []call
		for _, made := range c.callsOf("/cabinet/large/" + s.path) {
			if !slices.Contains(frame, made) && !slices.Contains(own, made) {
				own = append(own, made)
			}
		}
		times := c.serverTime(own)
		slowest, which := time.Duration(0), ""
		for i, p95 := range times {
			if p95 > slowest {
				slowest, which = p95, own[i].method+" "+own[i].path
			}
		}
		if len(own) > wantedCalls {
			c.over++
			which += fmt.Sprintf(" (%d calls)", len(own))
		}
		c.add(fmt.Sprintf("%s: slowest of %d calls, p95", s.path, len(own)), slowest, wantedCall, me, "GET /v1/auth/me", which)
		if s.list {
			c.draws(s.path, cmp.Or(slowest, me))
		}
	}
}

// draws measures how long a list takes from the opening of its page, whose files the browser has.
func (c *benched) draws(path string, ceiling time.Duration) {
	var took []time.Duration
	for range 5 {
		c.counts(15)
		c.open("/docs/scopes.json", 1280)
		c.open("/cabinet/large/"+path, 1280)
		c.until(`window.drawnAt`)
		took = append(took, c.milliseconds(`drawnAt`))
	}
	c.add(path+": drawn, median", quantile(took, 0.5), wantedDrawn, ceiling, "its call")
}

func (c *benched) milliseconds(expression string) time.Duration {
	c.t.Helper()
	var ms float64
	if _, err := fmt.Sscan(c.awaited(expression), &ms); err != nil {
		c.t.Fatal(expression, err)
	}
	return time.Duration(ms * float64(time.Millisecond))
}

// slows makes the processor of the page slower.
func (c *benched) slows(times float64) {
	c.t.Helper()
	if _, err := chromedp.Call(c.ctx, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: times}); err != nil {
		c.t.Fatal(err)
	}
}

// keystroke is the time between two keys of a person who types fast.
const keystroke = `new Promise((done) => setTimeout(done, 120, ''))`

// paints makes interactions one by one, and returns how long each took to show its effect, and how long the
// page's main thread worked for it, with what it does after that.
func (c *benched) paints(times int, do func(n int)) (took, worked []time.Duration) {
	c.t.Helper()
	c.slows(4)
	for n := range times {
		before := c.work()
		c.text(`(slowest = 0, '')`)
		do(n)
		c.awaited(keystroke)
		c.until(`!pending`)
		took = append(took, c.milliseconds(`String(slowest)`))
		worked = append(worked, c.work()-before)
	}
	c.slows(1)
	return took, worked
}

// work is the processor time that the tasks of the page's main thread took.
func (c *benched) work() time.Duration {
	c.t.Helper()
	answer, err := chromedp.Call(c.ctx, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		c.t.Fatal(err)
	}
	for _, metric := range answer.Metrics {
		if metric.Name == "TaskDuration" {
			return time.Duration(metric.Value * float64(time.Second))
		}
	}
	c.t.Fatal("the browser counts no tasks")
	return 0
}

// interactions measures what people do most in the lists and forms.
func (c *benched) interactions() {
	c.open("/docs/scopes.json", 1280)
	c.text(`(document.body.innerHTML = '<input>', document.querySelector('input').focus(), '')`)
	letter := func(n int) { c.keys(string("teapot"[n%6])) }
	alone, _ := c.paints(20, letter)
	empty := quantile(alone, 0.5)
	measured := func(what string, times int, do func(n int)) {
		c.counts(50)
		took, worked := c.paints(times, do)
		c.add(what+", p95", quantile(took, 0.95), wantedPaint, empty, "a field of an empty page",
			fmt.Sprintf("median %.0f ms; the main thread worked %.0f ms, median %.0f", ms(quantile(took, 0.5)), ms(quantile(worked, 0.95)), ms(quantile(worked, 0.5))))
	}
	to := func(path, ready string) {
		c.counts(30)
		c.open("/cabinet/large/"+path, 1280)
		c.until(ready)
		c.awaited(settled)
	}

	to("products", `document.querySelector('main tbody tr')`)
	c.focuses(`document.querySelector('main [type=search]')`)
	measured("a letter in the search of products", 20, func(n int) {
		if n%6 == 0 {
			c.text(`(document.activeElement.select(), '')`)
		}
		letter(n)
	})
	for _, filter := range []string{"Section", "State"} {
		c.until(`document.querySelector('main input[aria-label=` + filter + `]')`)
		measured("a filter by "+filter, 10, func(int) {
			c.click(`main input[aria-label=` + filter + `]`)
			c.awaited(keystroke)
			c.keys(kb.Escape)
		})
	}

	for _, list := range []string{"orders", "customers"} {
		to(list, `document.querySelector('main tbody tr')`)
		c.focuses(`document.querySelector('main [type=search]')`)
		measured("a letter in the search of "+list, 20, letter)
	}

	to("products?q=SKU-1000", `[...document.querySelectorAll('main tbody a')].find((a) => (a.click(), true))`)
	c.until(`document.querySelector('[role=grid]')?.ariaRowCount === '501'`)
	c.awaited(settled)
	c.focuses(field("Name"))
	measured("a letter in the name of a product of 500 variants", 20, letter)
	edited := func(n int) { c.keys([]string{"7", kb.Enter}[n%2]) }
	c.goesTo(1, 4)
	measured("a price among 500 variants", 20, edited)

	c.fillsGrid(699)
	c.goesTo(1, 3)
	measured("a price among 1,000 products", 20, edited)

	to("sections", `document.querySelector('[role=treeitem]')`)
	c.focuses(`document.querySelector('[role=treeitem]')`)
	for range 30 { // so large a tree is not expanded at once
		c.presses(kb.ArrowRight)
		c.presses(kb.ArrowDown)
	}
	c.awaited(settled)
	c.presses(kb.Home)
	measured("a step down a tree of 5,000 sections", 20, func(int) { c.presses(kb.ArrowDown) })
	c.presses(kb.Home)
	measured("a section moved in a tree of 5,000", 10, func(n int) {
		c.shifts([]string{kb.ArrowDown, kb.ArrowUp}[n%2])
		c.awaited(settled)
	})
}

// fillsGrid types a price for 1,000 products into the spreadsheet.
func (c *benched) fillsGrid(price int) {
	c.t.Helper()
	c.counts(50)
	c.open("/docs/scopes.json", 1280)
	c.text(`(sessionStorage.clear(), '')`)
	c.open("/cabinet/large/products?view=grid", 1280)
	c.goesTo(1, 3)
	c.pastes(strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%d\n", price), 1000), "\n"))
	c.shows("Not saved: 1000 cells")
}

// saves measures the saving of 1,000 cells of the spreadsheet.
func (c *benched) saves() {
	var took, plain []time.Duration
	for n := range 3 {
		c.fillsGrid(700 + n)
		took = append(took, c.milliseconds(`new Promise((done) => {
			const begin = performance.now()
			new MutationObserver((_, watcher) => {
				if (!document.querySelector('.mantine-Notification-root')?.textContent.includes('1000 cells saved')) return
				watcher.disconnect()
				requestAnimationFrame(() => setTimeout(() => done(String(performance.now() - begin))))
			}).observe(document, { childList: true, subtree: true, characterData: true })
			document.querySelector('.save-bar button:last-child').click()
		})`))
		begin := time.Now()
		if _, err := c.conn.Exec(c.t.Context(), `UPDATE product SET price = price WHERE company_id = $1 AND id IN (SELECT id FROM product WHERE company_id = $1 ORDER BY created_at DESC LIMIT 1000)`, c.company); err != nil {
			c.t.Fatal(err)
		}
		plain = append(plain, time.Since(begin))
	}
	c.add("1,000 cells saved, median", quantile(took, 0.5), wantedSave, quantile(plain, 0.5), "one UPDATE of as many rows")
}

// posted is the body of a request.
func posted(r *network.Request) (body string) {
	for _, entry := range r.PostDataEntries {
		body += string(entry.Bytes)
	}
	return body
}
