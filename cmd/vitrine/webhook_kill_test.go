package main

import (
	"flag"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"vitrine/internal/await"
)

var webhookKills = flag.Int("webhook-kills", 4, "how often the worker that sends events is killed")

// hooked is a listener that reports each connection before anything is read from it.
type hooked struct {
	net.Listener
	came func()
}

// Accept waits for a connection and reports it.
func (h hooked) Accept() (net.Conn, error) {
	c, err := h.Listener.Accept()
	if err == nil {
		h.came()
	}
	return c, err
}

// A worker killed at any moment (after it has claimed a delivery, sent it, received the
// response, or just before storing it) loses no event, and resends at most one for each kill,
// with the same event id and the same bytes. In each round the deliveries started by the
// previous worker are completed first, after their leases have expired.
func TestNoEventIsLostWhenAWorkerIsKilled(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	p.env = append(p.env, "VITRINE_OUTBOUND_ALLOW=127.0.0.0/8")
	p.startRole("admin")
	key := p.shop("tea")
	owner := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "tea@example.test", "password": "a long password"})["token"].(string)
	product := itoa(p.must(key, "POST", "/products", map[string]any{"item": map[string]any{"name": "Sencha", "price": map[string]any{"price": 14}}})["id"])

	var mu sync.Mutex
	times, bodies := map[string]int{}, map[string]string{}
	d := newDeath()
	receiver := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // it was killed while sending
		}
		id := r.Header.Get("X-Service-Event-Id")
		mu.Lock()
		times[id]++
		if was, known := bodies[id]; known && was != string(body) {
			t.Errorf("%s, and the second time %s", was, body)
		}
		bodies[id] = string(body)
		mu.Unlock()
		d.at("sent")
		w.WriteHeader(http.StatusNoContent)
		w.(http.Flusher).Flush()
		d.at("taken")
	}))
	receiver.Listener = hooked{receiver.Listener, func() { d.at("claimed") }}
	receiver.Start()
	t.Cleanup(receiver.Close)
	hook := "/webhooks/" + itoa(p.must(owner, "POST", "/webhooks", map[string]any{"url": receiver.URL, "events": []string{"product.updated"}})["id"])

	w := *p
	w.ops = freeAddress(t)
	w.env = append(append([]string{}, p.env...), "VITRINE_OPS_LISTEN="+w.ops)
	delivered := func() int {
		list := p.must(owner, "GET", hook+"/deliveries?filter.state=delivered&page.number=1&page.limit=1", nil)
		total, _ := list["total"].(float64)
		return int(total)
	}
	settled := func(n int) {
		await.Until(func() bool { return delivered() >= n })
	}
	for n := range *webhookKills {
		worker := w.startRole("worker")
		settled(n)
		d.set([]string{"claimed", "sent", "taken", "answered"}[n%4], worker)
		p.must(key, "PUT", "/products/"+product, map[string]any{"item": map[string]any{"description": itoa(float64(n))}})
		d.wait(t, worker)
	}
	w.startRole("worker")
	settled(*webhookKills)
	mu.Lock()
	defer mu.Unlock()
	again := 0
	for _, n := range times {
		again += n - 1
	}
	if got := delivered(); got != *webhookKills || len(times) != *webhookKills || again > *webhookKills {
		t.Errorf("%d events, %d are delivered, %d arrived, %d of them again", *webhookKills, got, len(times), again)
	}
	t.Logf("%d events, %d kills, %d arrived twice", len(times), *webhookKills, again)
}
