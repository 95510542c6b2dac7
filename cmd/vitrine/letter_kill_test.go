package main

import (
	"flag"
	"testing"

	"vitrine/internal/await"
	"vitrine/internal/mail/mailtest"
)

var letterKills = flag.Int("letter-kills", 6, "how often the worker that carries letters is killed")

// A worker killed at any moment (before the mail server has an email, after it has received
// but not acknowledged it, after it has acknowledged it) loses no email, and resends one only
// with the same Message-ID.
func TestNoEmailIsLostWhenAWorkerIsKilled(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	p.startRole("admin")
	key := p.shop("tea")
	owner := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "tea@example.test", "password": "a long password"})["token"].(string)
	product := itoa(p.must(key, "POST", "/products", map[string]any{"item": map[string]any{
		"name": "Sencha", "price": map[string]any{"price": 14}, "is_published": true}})["id"])
	buyer := p.must("", "POST", "/v1/auth/register", map[string]any{"email": "ann@people.test", "password": "a long password"})["token"].(string)
	company := p.must(key, "GET", "/v1/orgs/current", nil)["id"]
	writes := func(who, method, path string, body map[string]any) (answer map[string]any) {
		wait(t, path, func() bool { // an occasional 429: the test writes faster than clients do
			status := 0
			status, answer = p.call(who, method, path, body)
			return status == 200
		})
		return answer
	}
	orders := func() { // three emails
		writes(buyer, "POST", "/cart/items/"+product+"/default", map[string]any{"company_id": company, "quantity": 1})
		made := writes(buyer, "POST", "/cart/confirm", map[string]any{
			"company_id": company, "contact": map[string]any{"name": "Ann", "phone": "1", "email": "ann@people.test"}})["result"].(map[string]any)
		writes(key, "PUT", "/orders/"+itoa(made["id"])+"/status", map[string]any{"status": "processing"})
	}

	d := newDeath()
	box := mailtest.Serve(t, &mailtest.Box{Refuse: func(stage, _ string) error { d.at(stage); return nil }, OnAccept: func(mailtest.Mail) { d.at("taken") }})
	w := *p
	w.ops = freeAddress(t)
	w.env = append(append([]string{}, p.env...), "VITRINE_OPS_LISTEN="+w.ops, "VITRINE_SMTP_URL="+box.URL)
	written := 0
	for n := range *letterKills {
		worker := w.startRole("worker")
		d.set([]string{"rcpt", "data", "taken", "taken", "answered"}[n%5], worker)
		orders()
		written += 3
		d.wait(t, worker)
	}
	w.startRole("worker")
	sent := func() int {
		list := p.must(owner, "GET", "/v1/shop/letters?filter.state=sent&page.number=1&page.limit=1", nil)
		total, _ := list["total"].(float64)
		return int(total)
	}
	await.Within(2*await.Limit, func() bool { return sent() >= written }) // a killed worker leaves a lease of a minute
	times, bodies := map[string]int{}, map[string]string{}
	for _, m := range box.Mails() {
		id := m.Header("Message-ID")
		times[id]++
		if was, known := bodies[id]; known && was != m.Part("text/plain") {
			t.Errorf("%s has another content the second time", id)
		}
		bodies[id] = m.Part("text/plain")
	}
	again := 0
	for id, n := range times {
		again += n - 1
		if n > 2 {
			t.Logf("%s arrived %d times", id, n)
		}
	}
	if got := sent(); got != written || len(times) != written || again > *letterKills {
		t.Errorf("%d emails were written, %d are sent, %d arrived, %d of them again after %d kills", written, got, len(times), again, *letterKills)
	}
	t.Logf("%d emails, %d kills, %d arrived twice", written, *letterKills, again)
}
