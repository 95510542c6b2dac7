package catalog_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

const (
	clients = 100
	calls   = 20 // calls of each client in one round
)

// hundredClients measures the API with a hundred concurrent clients over TCP on the loopback:
// three reads per write, each client making one call after the other. The ceiling is the same
// clients calling an endpoint that reads nothing.
func (a large) hundredClients(b *testing.B) {
	origin, client := a.overTCP(b)
	page := func(n int) (method, path, body string) {
		switch n % 4 {
		case 0:
			return "PUT", "/products/" + fmt.Sprint(int(a.product["id"].(float64))+n), fmt.Sprintf(`{"item": {"price": {"price": %d}}}`, n)
		case 1:
			return "GET", "/products?page.number=1&page.limit=24&" + a.facets, ""
		case 2:
			return "GET", "/products?page.number=1&page.limit=24&sort.field=price", ""
		}
		return "GET", "/products/by-slug/" + a.product["slug"].(string), ""
	}
	var mixed, bare []time.Duration
	for b.Loop() {
		mixed = append(mixed, a.round(b, client, origin, page)...)
		bare = append(bare, a.round(b, client, origin, func(int) (string, string, string) { return "GET", "/docs/scopes.json", "" })...)
	}
	slices.Sort(mixed)
	slices.Sort(bare)
	p := func(of []time.Duration, share float64) float64 {
		return float64(of[int(share*float64(len(of)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(p(mixed, 0.5), "p50-ms")
	b.ReportMetric(p(mixed, 0.99), "p99-ms")
	b.ReportMetric(p(bare, 0.99), "bare-p99-ms")
	b.ReportMetric(p(mixed, 0.99)/p(bare, 0.99), "x-bare-p99")
}

// overTCP serves the API on the loopback.
func (a large) overTCP(b *testing.B) (origin string, client *http.Client) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := &fasthttp.Server{Handler: a.Admin.Handler(), StreamRequestBody: true}
	done := make(chan error, 1)
	go func() { done <- server.Serve(ln) }()
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	b.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := server.Shutdown(); err != nil {
			b.Error(err)
		}
		if err := <-done; err != nil {
			b.Error(err)
		}
	})
	return "http://" + ln.Addr().String(), &http.Client{Transport: transport}
}

// round lets every client make its calls and returns the duration of each. It advances the
// clock often enough to avoid rate limits.
func (a large) round(b *testing.B, client *http.Client, origin string, page func(int) (method, path, body string)) (took []time.Duration) {
	var all sync.WaitGroup
	var mu sync.Mutex
	var made atomic.Int64
	for c := range clients {
		all.Go(func() {
			for n := range calls {
				if made.Add(1)%200 == 1 {
					a.Clock.Advance(time.Minute)
				}
				method, path, body := page(c + n)
				begin := time.Now()
				err := send(client, method, origin+path, a.Owner, body)
				one := time.Since(begin)
				if err != nil {
					b.Error(err)
				}
				mu.Lock()
				took = append(took, one)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return took
}

func send(client *http.Client, method, url, key, body string) error {
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != 200 {
		err = fmt.Errorf("%s %s: %d %s", method, url, answer.StatusCode, text)
	}
	return err
}
