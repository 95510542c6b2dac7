package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine/internal/await"
	"vitrine/internal/mail/mailtest"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// A worker is killed while it reminds of carts, some of which it has claimed. In the end each buyer
// has got one reminder, and the shop sees for each cart that it was sent.
func TestEachCartIsRemindedOfOnceWhenTheWorkerIsKilled(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t, store.Migrate)
	p := newMachine(t)
	p.env = append(p.env, "VITRINE_DATABASE_URL="+url+fewConnections)
	if err := (&Settings{DataDir: filepath.Join(p.dir, "var")}).markDemo(); err != nil {
		t.Fatal(err)
	}
	p.env = append(p.env, "VITRINE_TRUSTED_PROXIES=127.0.0.1/32")
	key := p.shop("tea")
	first := p.start()
	company := p.must(key, "GET", "/v1/orgs/current", nil)["id"]
	owner := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "tea@example.test", "password": "a long password"})["token"].(string)
	p.must(owner, "PUT", "/v1/shop/settings", map[string]any{"cart_reminder": map[string]any{"after_hours": 24}})
	product := itoa(p.must(key, "POST", "/products", map[string]any{"item": map[string]any{
		"name": "Sencha", "price": map[string]any{"price": 14}, "is_published": true}})["id"])
	const carts = 20 // more than one claim
	buyers := p.gather(company, carts)
	buyers.each(func(i int) {
		status, body, err := buyers.send(i, "POST", "/cart/items/"+product+"/default", map[string]any{"company_id": company, "quantity": 1})
		if err == nil && status == 200 {
			status, body, err = buyers.send(i, "PUT", "/cart/contact", map[string]any{"company_id": company, "email": fmt.Sprintf("buyer%d@people.test", i)})
		}
		if err != nil || status != 200 {
			t.Errorf("%d %s %v", status, body, err)
		}
	})
	first.stop()
	if err := storetest.SlowInserts(t.Context(), url, "cart_reminder", 200*time.Millisecond); err != nil {
		t.Fatal(err)
	}

	written := func() int {
		list := p.must(owner, "GET", "/v1/shop/letters?filter.name=cart_left_buyer&page.number=1&page.limit=1", nil)
		return int(list["total"].(float64))
	}
	env, hours := p.env, 25
	// later starts the program when the leases of the one before are over.
	later := func(more ...string) *running {
		p.env = append(append(append([]string{}, env...), fmt.Sprintf("VITRINE_TEST_CLOCK=%dh", hours)), more...)
		hours++
		return p.start()
	}
	before := 0
	for n := range 3 {
		serving := later()
		wait(t, "a reminder", func() bool { return written() > before })
		serving.kill()
		admin := p.startRole("admin") // without a worker
		if before = written(); before >= carts {
			t.Errorf("the worker was killed after %d letters about %d carts, not in the middle", before, carts)
		}
		t.Logf("kill %d: %d letters", n+1, before)
		admin.stop()
	}
	box := mailtest.Serve(t, &mailtest.Box{})
	later("VITRINE_SMTP_URL=" + box.URL)
	if !await.Until(func() bool { return len(box.Mails()) >= carts && written() == carts }) {
		t.Errorf("%d of %d letters were written", written(), carts)
	}
	times := map[string]int{}
	for _, m := range box.Mails() {
		times[m.To]++
	}
	for i := range carts {
		if to := fmt.Sprintf("buyer%d@people.test", i); times[to] != 1 {
			t.Errorf("%s got %d reminders", to, times[to])
		}
	}
	list := p.must(owner, "GET", "/carts?page.number=1&page.limit=100", nil)["items"].([]any)
	for _, row := range list {
		if row.(map[string]any)["reminded_at"] == nil {
			t.Errorf("nothing says that the buyer was reminded: %v", row)
		}
	}
	if len(list) != carts {
		t.Errorf("%d carts: %s", len(list), strings.TrimSpace(fmt.Sprint(list)))
	}
}
