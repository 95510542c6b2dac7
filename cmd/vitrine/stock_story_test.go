package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// crowd are buyers with different client addresses.
type crowd struct {
	*program
	company any
	tokens  []string
}

// gather creates guest buyers.
func (p *program) gather(company any, n int) *crowd {
	p.t.Helper()
	c := &crowd{program: p, company: company, tokens: make([]string, n)}
	c.each(func(i int) {
		status, body, err := c.send(i, "POST", "/v1/auth/guest", map[string]any{})
		var answer struct{ Result struct{ Token string } }
		if err != nil || status != 200 || json.Unmarshal(body, &answer) != nil {
			p.t.Errorf("guest %d: %d %s %v", i, status, body, err)
			return
		}
		c.tokens[i] = answer.Result.Token
	})
	return c
}

// each runs act for all buyers, 64 in parallel.
func (c *crowd) each(act func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(c.tokens); i = int(next.Add(1)) - 1 {
				act(i)
			}
		})
	}
	all.Wait()
}

func (c *crowd) send(i int, method, path string, body any) (int, []byte, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	r, err := http.NewRequest(method, "http://"+c.admin+path, bytes.NewReader(data))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("X-Forwarded-For", fmt.Sprintf("10.%d.%d.7", i/250, i%250))
	if c.tokens[i] != "" {
		r.Header.Set("Authorization", "Bearer "+c.tokens[i])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

// A thousand buyers try to buy ten units, twice, and then three sizes with ten units each; in
// the last two rounds the program is killed meanwhile. All units are sold each time, the
// ledger and that of each size are unbroken chains, every response is an order or the
// documented error, and every acknowledged order exists.
func TestThousandBuyersOfTenUnits(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.env = append(p.env, "VITRINE_TRUSTED_PROXIES=127.0.0.1/32")
	key := p.shop("tea")
	serving := p.start()
	company := p.must(key, "GET", "/v1/orgs/current", nil)["id"]
	owner := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "tea@example.test", "password": "a long password"})["token"].(string)
	buyers := p.gather(company, 1000)
	for round := range 3 {
		kills, units := round > 0, 10
		item := map[string]any{"name": fmt.Sprint("Tea ", round), "is_published": true, "price": map[string]any{"price": 7}, "stock_quantity": units}
		var sizes []any
		if round == 2 {
			delete(item, "stock_quantity")
			item["stock_by"] = "variant"
		}
		product := itoa(p.must(key, "POST", "/products", map[string]any{"item": item})["id"])
		if round == 2 {
			set := map[string]any{"stock_quantity": 10}
			answer := p.must(key, "PUT", "/products/"+product+"/variants", map[string]any{"items": []any{set, set, set}})
			for _, v := range answer["variants"].([]any) {
				sizes = append(sizes, v.(map[string]any)["id"])
			}
			units = 30
		}
		line := "/cart/items/" + product + "/default"
		buyers.each(func(i int) {
			body := map[string]any{"quantity": 1}
			if sizes != nil {
				body["data"] = map[string]any{"variant_id": sizes[i%3]}
			}
			if status, body, err := buyers.send(i, "POST", line, body); err != nil || status != 200 {
				t.Errorf("%d %s %v", status, body, err)
			}
		})
		var sold, lost atomic.Int64
		var orders sync.Map // id: true
		down := make(chan struct{})
		buyers.each(func(i int) {
			status, body, err := buyers.send(i, "POST", "/cart/confirm", map[string]any{
				"company_id": company, "contact": map[string]any{"name": "Ann", "phone": "1"}})
			if err != nil && kills { // the response was cut off: the buyer tries again after the restart
				<-down
				lost.Add(1)
				status, body, err = buyers.send(i, "POST", "/cart/confirm", map[string]any{
					"company_id": company, "contact": map[string]any{"name": "Ann", "phone": "1"}})
				if strings.Contains(string(body), "CART_EMPTY") { // the order had been placed
					return
				}
			}
			var answer struct{ Result struct{ ID string } }
			switch {
			case err == nil && status == 200 && json.Unmarshal(body, &answer) == nil:
				orders.Store(answer.Result.ID, true)
				if sold.Add(1) == 3 && kills {
					serving.kill()
					serving = p.start()
					close(down)
				}
			case err != nil || !strings.Contains(string(body), "out_of_stock"):
				t.Errorf("%d %s %v", status, body, err)
			}
		})
		if !kills && sold.Load() != int64(units) {
			t.Errorf("round %d: %d sold", round, sold.Load())
		}
		p.allSold(owner, product, units, sizes)
		orders.Range(func(id, _ any) bool {
			if got := p.must(owner, "GET", "/orders/"+id.(string), nil); got["status"] != "new" {
				t.Errorf("acknowledged order %s: %v", id, got)
			}
			return true
		})
		t.Logf("round %d: %d orders acknowledged, %d responses lost", round, sold.Load(), lost.Load())
		buyers.each(func(i int) {
			if status, body, err := buyers.send(i, "DELETE", line, nil); err != nil || status != 200 {
				t.Errorf("%d %s %v", status, body, err)
			}
		})
	}
}

// allSold checks the ledger of a product that had some units, and that of its sizes, which had
// ten units each.
func (p *program) allSold(owner, product string, units int, sizes []any) {
	p.t.Helper()
	ledger := p.list(owner, "/products/"+product+"/stock/history?limit=100")
	if len(ledger) != units {
		p.t.Errorf("%d lines in the ledger", len(ledger))
	}
	left := map[any]float64{}
	for i, line := range ledger { // newest first
		if line["balance_after"] != float64(i) || line["delta"] != -1.0 || line["reason"] != "order" {
			p.t.Errorf("line %d: %v", i, line)
		}
		for _, part := range line["variants"].([]any) {
			of := part.(map[string]any)
			if of["balance_after"] != left[of["variant_id"]] || of["delta"] != -1.0 {
				p.t.Errorf("line %d: %v, want %v left", i, of, left[of["variant_id"]])
			}
			left[of["variant_id"]]++
		}
	}
	for _, id := range sizes {
		if left[id] != 10 {
			p.t.Errorf("of size %v, %v units were sold", id, left[id])
		}
	}
	if got := p.must(owner, "GET", "/products/"+product, nil)["stock_quantity"]; got != 0.0 {
		p.t.Errorf("%v are left", got)
	}
}

func (p *program) list(key, path string) (list []map[string]any) {
	p.t.Helper()
	status, body, err := p.try(key, "GET", path, nil)
	var answer struct{ Result []map[string]any }
	if err != nil || status != 200 || json.Unmarshal(body, &answer) != nil {
		p.t.Fatalf("%s: %d %s %v", path, status, body, err)
	}
	return answer.Result
}
