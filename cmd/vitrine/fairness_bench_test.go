package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// tenant is a shop that asks for one resource, from many addresses.
type tenant struct {
	slug, key, product, picture string
	asked                       atomic.Int64
}

// demand is a request for something that shops share; n is another one each time.
type demand struct {
	name string
	ask  func(p *program, from *tenant, n int64) *http.Request
}

func (p *program) visitOf(from *tenant, path string) *http.Request {
	r, err := http.NewRequest("GET", "http://"+from.slug+".localhost"+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

func (p *program) callOf(from *tenant, method, path string, body any) *http.Request {
	data, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	r, err := http.NewRequest(method, "http://"+from.slug+".localhost/api"+path, bytes.NewReader(data))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	return r
}

var demands = []demand{
	{"pages", func(p *program, from *tenant, n int64) *http.Request {
		return p.visitOf(from, fmt.Sprintf("/?q=%d", n))
	}},
	{"searches", func(p *program, from *tenant, n int64) *http.Request {
		return p.visitOf(from, fmt.Sprintf("/search?q=tea+%d", n))
	}},
	{"resizes", func(p *program, from *tenant, n int64) *http.Request {
		return p.visitOf(from, fmt.Sprintf("/w/%d/webp%s", 100+n%700, from.picture))
	}},
	{"quotes", func(p *program, from *tenant, n int64) *http.Request {
		return p.callOf(from, "POST", "/cart/quote", map[string]any{"items": []any{map[string]any{"product_id": from.product, "key": "default", "quantity": 1 + n%9}}})
	}},
	{"exports", func(p *program, from *tenant, _ int64) *http.Request {
		r, err := http.NewRequest("GET", "http://"+p.admin+"/products/export", nil)
		if err != nil {
			p.t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+from.key)
		return r
	}},
}

// Five greedy shops ask for one thing after the other, as often as they can, each with eight clients. How
// long a modest shop waits for the same thing, alone and beside them, in milliseconds, and the ratios.
func BenchmarkFairness(b *testing.B) {
	p := sharing(b, 1)[0]
	var shops []*tenant
	for n := range 6 {
		shops = append(shops, &tenant{slug: fmt.Sprint("shop", n)})
		shops[n].key = p.shop(shops[n].slug)
	}
	p.startRole("serve")
	for _, s := range shops {
		for batch := range 5 {
			var items []any
			for n := range 100 {
				items = append(items, map[string]any{"name": fmt.Sprintf("Tea %d %d", batch, n), "price": map[string]any{"price": 5}, "is_published": true})
			}
			p.must(s.key, "POST", "/products/batch", map[string]any{"items": items})
		}
		s.product = itoa(p.must(s.key, "POST", "/products", map[string]any{"item": map[string]any{"name": "Sencha", "price": map[string]any{"price": 5}, "is_published": true}})["id"])
		s.picture = itoa(p.must(s.key, "GET", "/v1/storages/files/"+p.picture(s.key), nil)["public_path"])
	}
	for _, d := range demands {
		b.Run(d.name, func(b *testing.B) {
			var addresses atomic.Int64
			// ask sends one request from an address of its own.
			ask := func(from *tenant) (status int, took time.Duration, err error) {
				n := addresses.Add(1)
				to := p.edge
				r := d.ask(p, from, from.asked.Add(1))
				if r.URL.Host == p.admin {
					to = p.admin
				}
				client := through(to, fmt.Sprintf("127.%d.%d.%d", 1+n>>16, n>>8&255, n&255))
				defer client.CloseIdleConnections()
				begun := time.Now()
				response, err := client.Do(r)
				if err != nil {
					return 0, 0, err
				}
				defer response.Body.Close()
				_, err = io.Copy(io.Discard, response.Body)
				return response.StatusCode, time.Since(begun), err
			}
			measure := func() (median, late float64) {
				var all []time.Duration
				for range 30 {
					status, took, err := ask(shops[5])
					if err != nil || status != http.StatusOK {
						b.Fatalf("%s: %d, %v", d.name, status, err)
					}
					all = append(all, took)
				}
				slices.Sort(all)
				return all[len(all)/2].Seconds() * 1000, all[len(all)*95/100].Seconds() * 1000
			}
			var median, late, medianBeside, lateBeside float64
			var served atomic.Int64
			for range b.N {
				median, late = measure()
				stop := make(chan struct{})
				var greedy sync.WaitGroup
				for _, s := range shops[:5] {
					for range 8 {
						greedy.Go(func() {
							for {
								select {
								case <-stop:
									return
								default:
								}
								if status, _, err := ask(s); err == nil && status == http.StatusOK {
									served.Add(1)
								}
							}
						})
					}
				}
				wait(b, "the greedy shops are served", func() bool { return served.Load() > 20 })
				medianBeside, lateBeside = measure()
				close(stop)
				greedy.Wait()
			}
			b.ReportMetric(median, "alone-ms")
			b.ReportMetric(late, "alone-p95-ms")
			b.ReportMetric(medianBeside, "beside-ms")
			b.ReportMetric(lateBeside, "beside-p95-ms")
			b.ReportMetric(medianBeside/median, "ratio")
			b.ReportMetric(lateBeside/late, "p95-ratio")
			b.ReportMetric(0, "ns/op")
		})
	}
}
