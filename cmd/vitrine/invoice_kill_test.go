package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/await"
)

// The program is killed while callers issue invoices in parallel, several for each order. At any
// time the numbers of the shop and year have no gap, an order has at most one, and a number that was
// answered stays that of its order.
func TestNumbersOfInvoicesHaveNoGapWhenTheProgramIsKilled(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.env = append(p.env, "VITRINE_TRUSTED_PROXIES=127.0.0.1/32")
	key := p.shop("tea")
	serving := p.start()
	company := p.must(key, "GET", "/v1/orgs/current", nil)["id"]
	owner := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "tea@example.test", "password": "a long password"})["token"].(string)
	product := itoa(p.must(key, "POST", "/products", map[string]any{"item": map[string]any{
		"name": "Sencha", "price": map[string]any{"price": 14}, "is_published": true}})["id"])
	const orders, kills = 60, 3
	ids := make([]string, orders)
	buyers := p.gather(company, orders)
	buyers.each(func(i int) {
		status, body, err := buyers.send(i, "POST", "/cart/items/"+product+"/default", map[string]any{"company_id": company, "quantity": 1})
		if err == nil && status == 200 {
			status, body, err = buyers.send(i, "POST", "/cart/confirm", map[string]any{
				"company_id": company, "contact": map[string]any{"name": "Ann", "phone": "1"}})
		}
		var made struct{ Result struct{ ID string } }
		if err != nil || status != 200 || json.Unmarshal(body, &made) != nil {
			t.Errorf("%d %s %v", status, body, err)
		}
		ids[i] = made.Result.ID
	})
	var answered sync.Map // order: number
	// issue calls for every order twice, and ends when the program has been killed after some answers.
	issue := func(killAfter int64) {
		var answers, next atomic.Int64
		var callers sync.WaitGroup
		var once sync.Once
		for caller := range 12 {
			callers.Go(func() {
				for i := next.Add(1) - 1; i < 2*orders; i = next.Add(1) - 1 {
					id := ids[(i/2)%orders]
					var status int
					var body []byte
					var err error
					await.Until(func() bool { // an occasional 429: the test writes faster than clients do
						status, body, err = p.try([]string{owner, key}[caller%2], "POST", "/orders/"+id+"/invoice", nil)
						return err != nil || status != http.StatusTooManyRequests
					})
					if err != nil && killAfter > 0 {
						return
					}
					var answer struct{ Result struct{ Number string } }
					if err != nil || status != 200 || json.Unmarshal(body, &answer) != nil {
						t.Errorf("%d %s %v", status, body, err)
						return
					}
					number := answer.Result.Number
					if was, known := answered.LoadOrStore(id, number); known && was != number {
						t.Errorf("order %s got %v, then %s", id, was, number)
					}
					if answers.Add(1) == killAfter {
						once.Do(serving.kill)
					}
				}
			})
		}
		callers.Wait()
	}
	issued := func() map[string]string { // number: order
		of := map[string]string{}
		for _, id := range ids {
			invoice, _ := p.must(owner, "GET", "/orders/"+id, nil)["invoice"].(map[string]any)
			number, _ := invoice["number"].(string)
			if was, known := answered.Load(id); known && was != number {
				t.Errorf("order %s was answered %v and has %q", id, was, number)
			}
			if invoice == nil {
				continue
			}
			if of[number] != "" {
				t.Errorf("orders %s and %s have %s", of[number], id, number)
			}
			of[number] = id
		}
		for n := range len(of) {
			if want := fmt.Sprintf("%d-%d", time.Now().UTC().Year(), n+1); of[want] == "" {
				t.Errorf("no order has %s of %v", want, slices.Sorted(maps.Keys(of)))
			}
		}
		return of
	}
	for n := range kills {
		issue(int64(7 + 20*n))
		serving = p.start()
		after, known := len(issued()), 0
		answered.Range(func(any, any) bool { known++; return true })
		t.Logf("kill %d: %d orders have an invoice, %d numbers were answered", n+1, after, known)
		if after == 0 || after == orders {
			t.Errorf("the program was not killed in the middle: %d invoices", after)
		}
	}
	issue(0)
	if got := issued(); len(got) != orders {
		t.Errorf("%d invoices of %d orders", len(got), orders)
	}
}
