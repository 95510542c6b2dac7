package webhook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/admin/webhook"
	"vitrine/internal/await"
	"vitrine/internal/deliver"
	"vitrine/internal/hook"
	"vitrine/internal/shop"
	webhookdb "vitrine/internal/store/webhook"
)

type m = apitest.Map

// received is a request received by a receiver.
type received struct {
	header http.Header
	body   []byte
	at     time.Time
}

func (v received) envelope(t *testing.T) (e struct {
	Event     string         `json:"event"`
	EventID   string         `json:"event_id"`
	CreatedAt time.Time      `json:"created_at"`
	Data      map[string]any `json:"data"`
}) {
	t.Helper()
	if err := json.Unmarshal(v.body, &e); err != nil {
		t.Fatalf("%s: %v", v.body, err)
	}
	return e
}

// receiver records requests and responds as configured.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	visits []received
	answer func(n int, w http.ResponseWriter, r *http.Request) // n counts from 1
	came   chan struct{}
}

func newReceiver(t testing.TB, answer func(n int, w http.ResponseWriter, r *http.Request)) *receiver {
	t.Helper()
	r := &receiver{answer: answer, came: make(chan struct{}, 1)}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) serve(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body) //nolint:errcheck // a truncated body is not an envelope
	r.mu.Lock()
	r.visits = append(r.visits, received{q.Header.Clone(), body, time.Now()})
	n, answer := len(r.visits), r.answer
	r.mu.Unlock()
	select {
	case r.came <- struct{}{}:
	default:
	}
	if answer != nil {
		answer(n, w, q)
	}
}

func (r *receiver) seen() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]received{}, r.visits...)
}

// wait returns the requests once there are n.
func (r *receiver) wait(t testing.TB, n int) []received {
	t.Helper()
	over := time.After(await.Limit)
	for {
		if seen := r.seen(); len(seen) >= n {
			return seen
		}
		select {
		case <-r.came:
		case <-over:
			t.Fatalf("%d of %d deliveries arrived", len(r.seen()), n)
		}
	}
}

// fixture is a shop whose owner subscribes to events.
type fixture struct {
	*apitest.API
	t             testing.TB
	owner, editor string // sessions
	product       string
	hooks         *webhook.Webhooks
	wake          func()       // wakes the worker
	polls, begun  atomic.Int64 // finished polls of the journal, and deliveries claimed by them
}

// config returns the configuration of a worker.
func config(a *apitest.API) webhook.Config {
	cfg := a.Config().Hook
	cfg.Store, cfg.Now = a.Store, a.Clock.Now
	return cfg
}

func open(t testing.TB, change ...func(*admin.Config)) *fixture {
	t.Helper()
	a := apitest.New(t, change...)
	d := &fixture{API: a, t: t, owner: a.Session(a.OwnerID), editor: a.Session(a.EditorID), hooks: webhook.New(config(a))}
	d.product = fmt.Sprint(a.Result("POST", "/products", a.Owner, m{"item": m{"name": "Tea", "price": m{"price": 14}, "is_published": true}})["id"])
	return d
}

// startWorker runs a worker until the test ends or stop is called.
func (d *fixture) startWorker(change ...func(*deliver.Loop[webhookdb.DueDelivery])) (stop func()) {
	ctx, cancel := context.WithCancel(d.t.Context())
	done := make(chan struct{})
	loop := d.hooks.Carrier()
	for _, f := range change {
		f(loop)
	}
	d.wake = loop.Wake
	claim := loop.Claim
	loop.Claim = func(ctx context.Context, most int) ([]webhookdb.DueDelivery, error) {
		due, err := claim(ctx, most)
		d.begun.Add(int64(len(due)))
		d.polls.Add(1)
		return due, err
	}
	go func() {
		defer close(done)
		loop.Run(ctx, slog.New(slog.DiscardHandler))
	}()
	stop = func() { cancel(); await.Next(d.t, done) }
	d.t.Cleanup(stop)
	return stop
}

// subscribe returns the path of a new subscription and the response.
func (d *fixture) subscribe(url string, events ...string) (path string, made m) {
	d.t.Helper()
	made = d.Result("POST", "/webhooks", d.owner, m{"url": url, "events": events})
	return "/webhooks/" + made["id"].(string), made
}

// editProduct causes product.updated.
func (d *fixture) editProduct() {
	d.t.Helper()
	d.OK("PUT", "/products/"+d.product, d.API.Owner, m{"item": m{"name": "Tea " + fmt.Sprint(time.Now().UnixNano())}})
}

// journal reads the deliveries of a subscription without the limits of the API.
func (d *fixture) journal(path, state string) []webhookdb.Delivery {
	d.t.Helper()
	list, _, err := webhookdb.Deliveries(d.t.Context(), d.Store.Shop(d.Shop.ID), id(path), state, 1000, 0)
	if err != nil {
		d.t.Fatal(err)
	}
	return list
}

func id(path string) (id shop.WebhookID) {
	_ = id.UnmarshalText([]byte(path[len("/webhooks/"):])) //nolint:errcheck // the path contains a valid id
	return id
}

// hook reads a subscription from the store.
func (d *fixture) hook(path string) webhookdb.Webhook {
	d.t.Helper()
	w, err := webhookdb.Get(d.t.Context(), d.Store.Shop(d.Shop.ID), id(path))
	if err != nil {
		d.t.Fatal(err)
	}
	return w
}

// waitForState waits until the journal has n deliveries in a state.
func (d *fixture) waitForState(path, state string, n int) []webhookdb.Delivery {
	d.t.Helper()
	var list []webhookdb.Delivery
	if !await.Until(func() bool { list = d.journal(path, state); return len(list) == n }) {
		d.t.Fatalf("%d deliveries are %s, not %d: %v", len(list), state, n, d.journal(path, ""))
	}
	return list
}

func TestAnEventIsSentAsDocumented(t *testing.T) {
	t.Parallel()
	d := open(t)
	r := newReceiver(t, nil)
	path, made := d.subscribe(r.URL, "product.updated")
	d.startWorker()
	d.editProduct()
	v := r.wait(t, 1)[0]
	e := v.envelope(t)
	if e.Event != "product.updated" || fmt.Sprint(e.Data["product_id"]) != d.product || fmt.Sprint(e.Data["company_id"]) != d.Shop.ID.String() {
		t.Errorf("%s", v.body)
	}
	d.waitForState(path, "delivered", 1)
	delivery := d.Result("GET", path+"/deliveries", d.owner, nil)["items"].([]any)[0].(m)
	secret := made["secret"].(string)
	for name, want := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "vitrine/1.0", "X-Service-Event": "product.updated", "X-Service-Event-Id": e.EventID,
		"X-Service-Delivery-Id": delivery["id"].(string), "X-Service-Attempt": "1", "X-Service-Sequence": "1",
		"X-Service-Signature": hook.Sign(secret, v.body), "Webhook-Id": "msg_" + e.EventID + "_" + made["id"].(string),
		"Content-Length": fmt.Sprint(len(v.body)),
	} {
		if got := v.header.Get(name); got != want && name != "Content-Length" {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if at, err := time.Parse(time.RFC3339, v.header.Get("X-Service-Timestamp")); err != nil || at.Location() != time.UTC {
		t.Errorf("sent at %q", v.header.Get("X-Service-Timestamp"))
	}
	verifies(t, made["standard_secret"].(string), v)
	w := d.Result("GET", path, d.owner, nil)
	if w["last_status"] != 200.0 || w["last_error"] != "" || w["last_delivered_at"] == nil || w["failing_since"] != nil || w["secret"] != nil {
		t.Errorf("%v", w)
	}
	tries := delivery["attempts"].([]any)
	if len(tries) != 1 || tries[0].(m)["status"] != 200.0 || delivery["event_id"] != e.EventID || delivery["sequence"] != "1" {
		t.Errorf("%v", delivery)
	}
}
