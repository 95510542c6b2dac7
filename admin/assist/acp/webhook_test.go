package acp_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/await"
)

// receiver is where an assistant hears of its orders.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	seen   []*http.Request
	bodies [][]byte
	status int // of its answers; 0: 200
}

func newReceiver(t testing.TB) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body) //nolint:errcheck // a truncated body is no event
		r.mu.Lock()
		defer r.mu.Unlock()
		r.seen, r.bodies = append(r.seen, q), append(r.bodies, body)
		if r.status != 0 {
			w.WriteHeader(r.status)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// told is an event that arrived.
type told struct {
	id   string
	at   string // the second of sending
	kind string
	data object
}

// wait returns the events once there are n. It checks how each is signed, with code of its own.
func (r *receiver) wait(t testing.TB, secret string, n int) (list []told) {
	t.Helper()
	if !await.Until(func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.seen) >= n
	}) {
		t.Fatalf("%d of %d events arrived", len(r.seen), n)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, q := range r.seen {
		at, sum, _ := strings.Cut(q.Header.Get("Merchant-Signature"), ",v1=")
		at = strings.TrimPrefix(at, "t=")
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(at + "." + string(r.bodies[i])))
		if q.Method != "POST" || q.Header.Get("Content-Type") != "application/json" || hex.EncodeToString(mac.Sum(nil)) != sum {
			t.Errorf("event %d: %s %v is not signed: %s", i+1, q.Method, q.Header, r.bodies[i])
		}
		if sent, err := time.Parse(time.RFC3339, q.Header.Get("Timestamp")); err != nil || fmt.Sprint(sent.Unix()) != at {
			t.Errorf("event %d is of %s, and signed at %s", i+1, q.Header.Get("Timestamp"), at)
		}
		var e object
		if err := json.Unmarshal(r.bodies[i], &e); err != nil || len(e) != 2 {
			t.Fatalf("event %d: %s: %v", i+1, r.bodies[i], err)
		}
		data, err := json.Marshal(e["data"])
		if err != nil {
			t.Fatal(err)
		}
		officially(t, "Order", data)
		list = append(list, told{q.Header.Get("Request-Id"), at, fmt.Sprint(e["type"]), e["data"].(object)})
	}
	return list
}

// assistant returns another assistant of the shop, with an address for its events, and its secret.
func (w *world) assistant(name, address string) (*world, string) {
	w.t.Helper()
	made := w.Result("POST", "/v1/shop/assistants/tokens", w.Session(w.OwnerID), object{"name": name, "webhook_url": address})
	return &world{API: w.API, t: w.t, own: w.own, token: made["token"].(string), keys: 1000}, made["webhook_secret"].(string)
}

// buy makes an order.
func (w *world) buy(body object) (order string) {
	w.t.Helper()
	made := w.ok("POST", "/checkout_sessions", with(body, object{"buyer": ann}))
	bought := w.ok("POST", "/checkout_sessions/"+made["id"].(string)+"/complete", object{"payment_data": object{"handler_id": "manual"}})
	if bought["status"] != "completed" {
		w.t.Fatalf("%v", bought)
	}
	return bought["order"].(object)["id"].(string)
}

// deliver runs the worker that sends events until the test ends or stop is called.
func (w *world) deliver() (stop func()) {
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Admin.Deliveries().Run(ctx, slog.New(slog.DiscardHandler))
	}()
	stop = func() { cancel(); await.Next(w.t, done) }
	w.t.Cleanup(stop)
	return stop
}

// states returns how far the deliveries to assistants are.
func (w *world) states() (all string) {
	w.t.Helper()
	if err := w.Store.Pool.QueryRow(w.t.Context(), `SELECT coalesce(string_agg(state, ' ' ORDER BY id), '') FROM webhook_delivery`).Scan(&all); err != nil {
		w.t.Fatal(err)
	}
	return all
}

func (w *world) become(states string) {
	w.t.Helper()
	if !await.Until(func() bool { return w.states() == states }) {
		w.t.Fatalf("the deliveries are %s, not %s", w.states(), states)
	}
}

// Each change of an order becomes one signed event with the whole order, in the form that the assistant
// reads it in.
func TestAnAssistantIsToldOfEachChangeOfItsOrders(t *testing.T) {
	t.Parallel()
	w := open(t)
	r := newReceiver(t)
	chat, secret := w.assistant("Chat 2", r.URL+"/events")
	tea, owner := w.sell("Tea", 14), w.Session(w.OwnerID)
	w.deliver()
	id := chat.buy(object{"line_items": list{object{"id": tea, "quantity": 3}}, "currency": "eur", "capabilities": object{}})
	w.buy(request(tea)) // through another assistant, without an address
	n := 1
	r.wait(t, secret, n)
	then := func(method, path string, body object) object {
		t.Helper()
		out := w.OK(method, "/orders/"+id+path, owner, body)
		n++
		r.wait(t, secret, n)
		return out
	}
	then("POST", "/payment/confirm", object{})
	then("PUT", "/status", object{"status": "processing"})
	shipped := then("POST", "/shipments", object{"carrier": "ups", "number": "1Z9"})["result"].(object)
	then("PUT", fmt.Sprintf("/shipments/%v", shipped["id"]), object{"delivered_at": w.Clock.Now().Add(time.Hour).Format(time.RFC3339)})
	then("POST", "/refund", object{})
	then("PUT", "/status", object{"status": "cancelled"})
	seen := r.wait(t, secret, n)
	ids := map[string]bool{}
	var kinds, statuses, quantities []string
	for _, e := range seen {
		ids[e.id] = true
		kinds, statuses = append(kinds, e.kind), append(statuses, fmt.Sprint(e.data["status"]))
		quantities = append(quantities, fmt.Sprint(e.data["line_items"].(list)[0].(object)["quantity"]))
		if e.data["id"] != id || e.data["type"] != "order" {
			t.Errorf("%v", e.data)
		}
	}
	for what, got := range map[string][2]string{
		"kinds":      {fmt.Sprint(kinds), "[order_create order_update order_update order_update order_update order_update order_update]"},
		"statuses":   {fmt.Sprint(statuses), "[created created processing shipped shipped shipped canceled]"},
		"quantities": {strings.Join([]string{quantities[0], quantities[3], quantities[6]}, " "), "map[current:3 fulfilled:0 ordered:3] map[current:3 fulfilled:3 ordered:3] map[current:0 fulfilled:0 ordered:3]"},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %s, want %s", what, got[0], got[1])
		}
	}
	if len(ids) != n || len(seen) != n {
		t.Errorf("%d events have %d ids, want %d", len(seen), len(ids), n)
	}
	last := seen[n-1].data
	if amounts(last) != "items_base_amount 4200, subtotal 4200, total 4200, amount_refunded 4200" {
		t.Errorf("%s", amounts(last))
	}
	parcel := last["fulfillments"].(list)[0].(object)
	if len(last["fulfillments"].(list)) != 1 || parcel["status"] != "delivered" || parcel["tracking_url"] != "https://www.ups.com/track?tracknum=1Z9" ||
		fmt.Sprint(parcel["line_items"]) != "[map[id:"+tea+":default quantity:3]]" || len(parcel["events"].(list)) != 2 {
		t.Errorf("%v", last["fulfillments"])
	}
	var adjusted []string
	for _, a := range last["adjustments"].(list) {
		a := a.(object)
		adjusted = append(adjusted, fmt.Sprint(a["type"], " ", a["status"], " ", a["amount"], " ", a["currency"], " ", a["line_items"]))
	}
	if got := fmt.Sprint(adjusted); got != "[refund completed 4200 eur <nil> cancellation completed <nil> <nil> [map[id:"+tea+":default quantity:3]]]" {
		t.Errorf("%s", got)
	}
	if read := chat.ok("GET", "/checkout_sessions/"+fmt.Sprint(last["checkout_session_id"]), nil)["order"]; fmt.Sprint(read) != fmt.Sprint(last) {
		t.Errorf("read it is\n%v, told it was\n%v", read, last)
	}
}

// An event that was not accepted is sent again with its id, signed at that time, and again by hand.
func TestAnEventIsSentAgainWithItsID(t *testing.T) {
	t.Parallel()
	w := open(t)
	r := newReceiver(t)
	r.answer(500)
	chat, secret := w.assistant("Chat 2", r.URL)
	stop := w.deliver()
	chat.buy(request(w.sell("Tea", 14)))
	first := r.wait(t, secret, 1)[0]
	w.become("retrying")
	stop()
	r.answer(0)
	w.Clock.Advance(time.Minute)
	w.deliver()
	second := r.wait(t, secret, 2)[1]
	w.become("delivered")
	if first.id == "" || second.id != first.id || second.at == first.at || second.kind != first.kind {
		t.Errorf("first %v, then %v", first, second)
	}
	journal := ""
	for _, p := range w.Result("GET", "/v1/shop/assistants", w.Session(w.OwnerID), nil)["platforms"].(list) {
		if p := p.(object); p["name"] == "Chat 2" {
			journal = fmt.Sprintf("/webhooks/%v/deliveries", p["webhook_id"])
		} else if p["webhook_id"] != nil {
			t.Errorf("%v", p)
		}
	}
	items := w.Result("GET", journal, w.Session(w.OwnerID), nil)["items"].(list)
	w.OK("POST", fmt.Sprintf("%s/%v/redeliver", journal, items[0].(object)["id"]), w.Session(w.OwnerID), nil)
	if again := r.wait(t, secret, 3)[2]; len(items) != 1 || again.id != first.id {
		t.Errorf("%d deliveries; by hand %v", len(items), again)
	}
}

// A blocked assistant is told nothing more, not even what waits for it; nor is one whose token was
// revoked.
func TestABlockedAssistantIsToldNothing(t *testing.T) {
	t.Parallel()
	w := open(t)
	r := newReceiver(t)
	r.answer(500)
	chat, secret := w.assistant("Chat 2", r.URL)
	owner := w.Session(w.OwnerID)
	stop := w.deliver()
	id := chat.buy(request(w.sell("Tea", 14)))
	r.wait(t, secret, 1)
	w.become("retrying")
	stop()
	platform := w.OK("GET", "/v1/shop/assistants/tokens", owner, nil)["result"].(list)[0].(object)["id"]
	w.OK("PUT", "/v1/shop/assistants/platforms", owner, object{"id": platform, "blocked": true})
	w.OK("PUT", "/orders/"+id+"/status", owner, object{"status": "processing"})
	w.Clock.Advance(time.Minute)
	stop = w.deliver()
	w.become("dead")
	stop()
	w.OK("PUT", "/v1/shop/assistants/platforms", owner, object{"id": platform, "blocked": false})
	w.OK("PUT", "/orders/"+id+"/status", owner, object{"status": "completed"})
	stop = w.deliver()
	if seen := r.wait(t, secret, 2); len(seen) != 2 || seen[1].data["status"] != "completed" {
		t.Errorf("%v", seen)
	}
	w.become("dead retrying")
	stop()
	w.OK("DELETE", fmt.Sprint("/v1/shop/assistants/tokens/", platform), owner, nil)
	w.OK("PUT", "/orders/"+id+"/status", owner, object{"status": "processing"})
	w.Clock.Advance(time.Minute)
	w.deliver()
	w.become("dead dead")
	if seen := r.wait(t, secret, 2); len(seen) != 2 {
		t.Errorf("%v", seen)
	}
}

// Events reach no address inside the operator's network, whether it is named or a name leads there.
func TestEventsReachNoPrivateAddress(t *testing.T) {
	t.Parallel()
	w := open(t)
	owner := w.Session(w.OwnerID)
	for _, address := range []string{
		"https://10.0.0.1/hook", "http://10.0.0.1/hook", "https://169.254.169.254/latest", "https://[::1]/", "http://93.184.216.34/plain", "ftp://93.184.216.34/",
		"https://user@93.184.216.34/", "/events", "https://" + strings.Repeat("a", 1024) + ".example/",
	} {
		w.Refused("POST", "/v1/shop/assistants/tokens", owner, object{"name": "Chat", "webhook_url": address}, 400, "ASSISTANT_URL_INVALID")
	}
	chat, _ := w.assistant("Chat 2", "https://93.184.216.34/events")
	if _, err := w.Store.Pool.Exec(t.Context(), `UPDATE assist_platform SET webhook_url = 'https://10.0.0.1/events' WHERE name = 'Chat 2'`); err != nil {
		t.Fatal(err)
	}
	w.deliver()
	chat.buy(request(w.sell("Tea", 14)))
	w.become("retrying")
	var log string
	if err := w.Store.Pool.QueryRow(t.Context(), `SELECT log::text FROM webhook_delivery`).Scan(&log); err != nil || !strings.Contains(log, "not on the public internet") {
		t.Errorf("%s, %v", log, err)
	}
}
