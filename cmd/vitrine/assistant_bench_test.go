package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/store/assist"
	"vitrine/internal/store/storetest"
)

// assistedShop is a shop through its edge, and an assistant that buys in it.
type assistedShop struct {
	*buyersShop
	b       *testing.B
	client  *http.Client
	profile string
	calls   int
}

func newAssistedShop(b *testing.B) *assistedShop {
	s := &assistedShop{buyersShop: newBuyersShop(b), b: b}
	profiles := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "max-age=86400")
		w.Write(platformProfile()) //nolint:errcheck // the client may be gone
	}))
	b.Cleanup(profiles.Close)
	s.profile = profiles.URL
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return s.listen.Dial() }, MaxIdleConnsPerHost: 16}
	b.Cleanup(transport.CloseIdleConnections)
	s.client = &http.Client{Transport: transport}
	owner := s.Session(s.OwnerID)
	s.Result("PUT", "/v1/shop/payment-methods/manual", owner, map[string]any{"is_active": true, "title": "By invoice"})
	s.Result("POST", "/v1/shop/delivery-options", owner, map[string]any{"name": "Post", "price": 300, "needs_address": true})
	return s
}

// send makes a call on the shop's host and returns how long it took. Limits are not measured: the clock of
// the API goes on.
func (s *assistedShop) send(method, path string, body any, header ...string) (status int, text []byte, got http.Header, took time.Duration) {
	s.b.Helper()
	if s.calls++; s.calls%20 == 0 {
		s.Clock.Advance(time.Minute)
	}
	status, text, got, took, err := s.try(method, path, body, header...)
	if err != nil {
		s.b.Fatal(err)
	}
	return status, text, got, took
}

func (s *assistedShop) try(method, path string, body any, header ...string) (status int, text []byte, got http.Header, took time.Duration, err error) {
	var sent []byte
	if body != nil {
		if sent, err = json.Marshal(body); err != nil {
			return 0, nil, nil, 0, err
		}
	}
	r, err := http.NewRequest(method, "http://tea.localhost"+path, bytes.NewReader(sent))
	if err != nil {
		return 0, nil, nil, 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", "http://tea.localhost")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	begin := time.Now()
	answer, err := s.client.Do(r)
	if err != nil {
		return 0, nil, nil, 0, err
	}
	defer answer.Body.Close()
	text, err = io.ReadAll(answer.Body)
	return answer.StatusCode, text, answer.Header, time.Since(begin), err
}

// ask makes a call of the assistant that must succeed.
func (s *assistedShop) ask(method, path string, body any) (answer map[string]any, took time.Duration) {
	s.b.Helper()
	status, text, _, took := s.send(method, "/api/ucp"+path, body, "UCP-Agent", fmt.Sprintf("profile=%q", s.profile))
	if err := json.Unmarshal(text, &answer); err != nil || status > 201 {
		s.b.Fatalf("%s %s: %d %.500s", method, path, status, text)
	}
	return answer, took
}

func median(of []time.Duration) time.Duration {
	of = slices.Sorted(slices.Values(of))
	return of[len(of)/2]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// The profile of a shop and the plainest answer of the API, through the edge.
func BenchmarkAssistantProfile(b *testing.B) {
	s := newAssistedShop(b)
	read := func(path string) time.Duration {
		status, text, _, took := s.send("GET", path, nil)
		if status != 200 {
			b.Fatalf("%s: %d %s", path, status, text)
		}
		return took
	}
	var profile, plain []time.Duration
	for range 20 {
		read("/.well-known/ucp")
	}
	s.Sent.Take()
	for b.Loop() {
		profile, plain = append(profile, read("/.well-known/ucp")), append(plain, read("/api/docs/scopes.json"))
	}
	b.ReportMetric(float64(len(s.Sent.Take()))/float64(b.N), "statements")
	b.ReportMetric(milliseconds(median(profile)), "ms") // at most 1
	b.ReportMetric(median(profile).Seconds()/median(plain).Seconds(), "x-plain")
}

// Search and lookup of ten products of 50,000, compared with the search page of the storefront for the same
// words. No two requests are equal, so none is cached.
func BenchmarkAssistantCatalog(b *testing.B) {
	s := newAssistedShop(b)
	storetest.Large(b, s.URL, int(s.Shop.ID), 50_000)
	words, n := []string{"teapot", "copper kettle", "porcelain", "c"}, 0
	var ids []any
	page := func(word string) time.Duration {
		status, text, _, took := s.send("GET", fmt.Sprintf("/search?q=%s&min_price=%d", url.QueryEscape(word), n), nil)
		if status != 200 {
			b.Fatalf("%d %.300s", status, text)
		}
		return took
	}
	search := func(word string, filters map[string]any) time.Duration {
		answer, took := s.ask("POST", "/catalog/search", map[string]any{"query": word, "filters": filters})
		found := answer["products"].([]any)
		if len(found) != 10 {
			b.Fatalf("%d products", len(found))
		}
		ids = nil
		for _, p := range found {
			ids = append(ids, p.(map[string]any)["id"])
		}
		return took
	}
	lookup := func() time.Duration {
		answer, took := s.ask("POST", "/catalog/lookup", map[string]any{"ids": ids})
		if found := answer["products"].([]any); len(found) != 10 {
			b.Fatalf("%d products", len(found))
		}
		return took
	}
	for _, word := range words {
		b.Run(word, func(b *testing.B) {
			var pages, searches, plain, lookups []time.Duration
			page(word)
			search(word, nil)
			for b.Loop() {
				n++
				pages, searches = append(pages, page(word)), append(searches, search(word, map[string]any{"price": map[string]any{"min": n * 100}}))
				plain, lookups = append(plain, search(word, nil)), append(lookups, lookup())
			}
			b.ReportMetric(milliseconds(median(plain)), "plain-ms")                      // at most 10
			b.ReportMetric(milliseconds(median(searches)), "search-ms")                  // at most 10
			b.ReportMetric(milliseconds(median(lookups)), "lookup-ms")                   // likewise
			b.ReportMetric(median(searches).Seconds()/median(pages).Seconds(), "x-page") // at most 1.3
			b.ReportMetric(median(lookups).Seconds()/median(pages).Seconds(), "lookup-x-page")
		})
	}
}

// goods adds products that never run out.
func (s *assistedShop) goods(n int) (ids []string) {
	s.b.Helper()
	for i := range n {
		ids = append(ids, fmt.Sprint(s.Result("POST", "/products", s.Owner, map[string]any{"item": map[string]any{
			"name": fmt.Sprint("Tea ", i), "is_published": true, "price": map[string]any{"price": 1000}, "stock_quantity": 1_000_000}})["id"]))
	}
	return ids
}

// filled is a checkout that can be completed.
func filled(items []string) map[string]any {
	var lines []any
	for _, id := range items {
		lines = append(lines, map[string]any{"item": map[string]any{"id": id}, "quantity": 1})
	}
	return map[string]any{
		"line_items": lines,
		"buyer":      map[string]any{"first_name": "Ann", "last_name": "Lee", "email": "ann@buyers.example", "phone_number": "+49 30 123456"},
		"fulfillment": map[string]any{"methods": []any{map[string]any{"type": "shipping", "destinations": []any{map[string]any{
			"street_address": "Rua do Alecrim 12", "address_locality": "Berlin", "postal_code": "10115", "address_country": "DE",
		}}}}},
	}
}

// begin creates a checkout and returns its address.
func (s *assistedShop) begin(items []string) string {
	s.b.Helper()
	made, _ := s.ask("POST", "/checkout-sessions", filled(items))
	return "/checkout-sessions/" + fmt.Sprint(made["id"])
}

func (s *assistedShop) complete(session string) time.Duration {
	s.b.Helper()
	done, took := s.ask("POST", session+"/complete", map[string]any{"payment": map[string]any{"instruments": []any{
		map[string]any{"id": "i", "handler_id": "manual", "type": "offline", "selected": true}}}})
	if done["status"] != "completed" {
		s.b.Fatal(done)
	}
	return took
}

// confirm fills the cart of a guest and orders it.
func (s *assistedShop) confirm(items []string) time.Duration {
	s.b.Helper()
	_, _, header, _ := s.send("POST", "/api/v1/auth/guest", map[string]any{})
	cookie, _, _ := bytes.Cut([]byte(header.Get("Set-Cookie")), []byte(";"))
	buy := func(path string, body map[string]any) time.Duration {
		status, text, _, took := s.send("POST", path, body, "Cookie", string(cookie))
		if status != 200 {
			s.b.Fatalf("%s: %d %s", path, status, text)
		}
		return took
	}
	for _, id := range items {
		buy("/api/cart/items/"+id+"/default", map[string]any{"quantity": 1})
	}
	return buy("/api/cart/confirm", map[string]any{
		"contact": map[string]any{"name": "Ann Lee", "phone": "+49 30 123456", "email": "ann@buyers.example"},
		"address": map[string]any{"street": "Rua do Alecrim 12", "city": "Berlin", "postcode": "10115", "country": "DE"},
	})
}

// Completing a checkout, compared with ordering a cart with the same goods.
func BenchmarkAssistantComplete(b *testing.B) {
	s := newAssistedShop(b)
	goods := s.goods(20)
	for _, n := range []int{1, 20} {
		b.Run(fmt.Sprint(n, "-lines"), func(b *testing.B) {
			s.complete(s.begin(goods[:n]))
			s.confirm(goods[:n])
			var completes, confirms []time.Duration
			for b.Loop() {
				completes, confirms = append(completes, s.complete(s.begin(goods[:n]))), append(confirms, s.confirm(goods[:n]))
			}
			b.ReportMetric(milliseconds(median(completes)), "ms")
			b.ReportMetric(median(completes).Seconds()/median(confirms).Seconds(), "x-confirm") // at most 1.1
		})
	}
}

// What a platform and the upkeep do while there are 100,000 open sessions, compared with the same before.
func BenchmarkAssistantSessions(b *testing.B) {
	s := newAssistedShop(b)
	goods := s.goods(20)
	work := map[string]func() time.Duration{
		"update": func() time.Duration {
			_, took := s.ask("PUT", s.begin(goods), filled(goods))
			return took
		},
		"complete": func() time.Duration { return s.complete(s.begin(goods)) },
		"sweep": func() time.Duration {
			begin := time.Now()
			if err := assist.Sweep(b.Context(), s.Store, s.Clock.Now().AddDate(0, 0, -1)); err != nil {
				b.Fatal(err)
			}
			return time.Since(begin)
		},
	}
	measure := func() map[string]time.Duration {
		out := map[string]time.Duration{}
		for name, do := range work {
			var took []time.Duration
			do()
			for range 25 {
				took = append(took, do())
			}
			out[name] = median(took)
		}
		return out
	}
	before := measure()
	if _, err := s.Store.Pool.Exec(b.Context(), `
		WITH guest AS (INSERT INTO person (email, name, password_hash) SELECT '', '', '-' FROM generate_series(1, 100000) RETURNING id),
			carts AS (INSERT INTO cart (company_id, person_id) SELECT $1, id FROM guest),
			bought AS (INSERT INTO cart_line (company_id, person_id, product_id, key, quantity) SELECT $1, id, $2, 'default', 1 FROM guest)
		INSERT INTO assist_session (company_id, id, kind, platform_id, person_id, signed, input, state, created_at, updated_at, expires_at)
		SELECT $1, 'full-' || g.id, 'purchase', p.id, g.id, false, '{}', 'open', $3::timestamptz, $3, $3::timestamptz + interval '6 hours'
		FROM guest g, assist_platform p WHERE p.company_id = $1`, s.Shop.ID, goods[0], s.Clock.Now()); err != nil {
		b.Fatal(err)
	}
	if _, err := s.Store.Pool.Exec(b.Context(), `VACUUM ANALYZE person, cart, cart_line, assist_session`); err != nil {
		b.Fatal(err)
	}
	var after map[string]time.Duration
	for b.Loop() {
		after = measure()
	}
	for name := range work {
		b.ReportMetric(after[name].Seconds()/before[name].Seconds(), name+"-x-before")
		b.ReportMetric(milliseconds(after[name]), name+"-ms")
	}
}

// Pages of the shop while a thousand calls a second name profiles that nobody knows, each from another
// network, compared with the same pages without them; and how much CPU time such calls take.
func BenchmarkAssistantUnknownProfiles(b *testing.B) {
	s := newAssistedShop(b)
	const pages, perSecond = 20_000, 1000
	var number, refused, failed atomic.Int64
	unknown := func() {
		n := number.Add(1)
		status, _, _, _, err := s.try("POST", "/api/ucp/catalog/search", map[string]any{"query": "tea"}, "UCP-Agent", fmt.Sprintf(`profile="http://127.0.0.1:9/%d"`, n),
			"X-Forwarded-For", fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255))
		if err != nil || status < 400 {
			failed.Add(1)
		}
		refused.Add(1)
	}
	// flood sends calls at the pace until stop is called.
	flood := func() (stop func()) {
		done, due := make(chan struct{}), make(chan struct{}, perSecond)
		var all sync.WaitGroup
		all.Go(func() {
			defer close(due)
			begin, sent := time.Now(), 0
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-done:
					return
				case <-tick.C:
				}
				for ; sent < int(time.Since(begin).Seconds()*perSecond); sent++ {
					due <- struct{}{}
				}
			}
		})
		for range 8 {
			all.Go(func() {
				for range due {
					unknown()
				}
			})
		}
		return func() { close(done); all.Wait() }
	}
	read := func() time.Duration {
		begin := time.Now()
		for range pages {
			if status, _, _, _, err := s.try("GET", "/", nil); err != nil || status != 200 {
				b.Fatal(status, err)
			}
		}
		return time.Since(begin)
	}
	cpu := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	read()
	var alone, during []time.Duration
	var share []float64
	for b.Loop() {
		alone = append(alone, read())
		stop := flood()
		during = append(during, read())
		began, used, sent := time.Now(), cpu(), refused.Load()
		for time.Since(began) < time.Second {
			time.Sleep(10 * time.Millisecond)
		}
		share = append(share, (cpu()-used).Seconds()/time.Since(began).Seconds())
		if n := refused.Load() - sent; n < perSecond/2 {
			b.Logf("only %d calls in a second", n)
		}
		stop()
	}
	if failed.Load() > 0 {
		b.Errorf("%d calls were not refused", failed.Load())
	}
	slices.Sort(share)
	b.ReportMetric(median(during).Seconds()/median(alone).Seconds(), "x-alone") // at most 1.03
	b.ReportMetric(share[len(share)/2], "cpus")                                 // of the calls and of those who make them
}
