// Package stripetest is Stripe's API in memory, as far as payment intents with manual capture go. The
// end of a token decides what happens to it: "_declined" is refused, "_3ds" requires the buyer,
// "_slow" is answered only when Release is called, "_lost" succeeds but the first response is lost;
// others succeed. A token can be used once.
package stripetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// SecretKey is the key that the server accepts.
const SecretKey = "sk_test_fake"

// Fault is what happens to a request.
type Fault int

// The faults.
const (
	None   Fault = iota
	Down         // 503, without an effect
	Lost         // the effect happens and the connection is closed
	Refuse       // 400, without an effect
)

// Intent is a payment intent.
type Intent struct {
	ID, Status, Currency, Version string // Version is the header Stripe-Version that created it
	Amount, Received, Refunded    int64
	Metadata                      map[string]string
	Created                       time.Time
}

type reply struct {
	sent   string // path and body of the request
	status int
	body   []byte
	lost   bool // the response is not sent the first time
}

// Server is the API. Fault, if it is set before the first request, decides about each request.
type Server struct {
	*httptest.Server
	Fault func(r *http.Request) Fault
	Now   func() time.Time

	mu      sync.Mutex
	intents []*Intent
	replies map[string]*reply // by idempotency key; nil: in progress
	used    map[string]bool   // tokens
	slow    chan struct{}
	calls   map[string]int // by method and kind of path
}

// New starts a server for the duration of a test.
func New(t testing.TB) *Server {
	s := &Server{Now: time.Now, replies: map[string]*reply{}, used: map[string]bool{}, slow: make(chan struct{}), calls: map[string]int{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() {
		s.Release()
		s.Close()
	})
	return s
}

// Release lets slow requests be answered, now and later.
func (s *Server) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.slow:
	default:
		close(s.slow)
	}
}

// Intents returns copies of all intents, oldest first.
func (s *Server) Intents() (list []Intent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, i := range s.intents {
		list = append(list, *i)
	}
	return list
}

// Reset forgets all intents.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.intents = nil
}

// States counts the intents by their status.
func (s *Server) States() map[string]int {
	n := map[string]int{}
	for _, i := range s.Intents() {
		n[i.Status]++
	}
	return n
}

// Set changes the status of an intent, as its owner can do at Stripe.
func (s *Server) Set(id, status string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.find(id); i != nil {
		if i.Status = status; status == "succeeded" {
			i.Received = i.Amount
		}
	}
}

// Calls returns how often a path was called, such as "POST capture" or "GET list".
func (s *Server) Calls() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.calls)
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+SecretKey {
		answer(w, http.StatusUnauthorized, refusal("invalid_request_error", "", "Invalid API Key"))
		return
	}
	if err := r.ParseForm(); err != nil {
		answer(w, http.StatusBadRequest, refusal("invalid_request_error", "", err.Error()))
		return
	}
	fault := None
	if s.Fault != nil {
		fault = s.Fault(r)
	}
	switch fault {
	case Down:
		answer(w, http.StatusServiceUnavailable, nil)
		return
	case Refuse:
		answer(w, http.StatusBadRequest, refusal("invalid_request_error", "", "Refused"))
		return
	}
	if r.Method == http.MethodGet {
		status, body := s.read(r.URL.Path, r.Form)
		answer(w, status, body)
		return
	}
	key := r.Header.Get("Idempotency-Key")
	sent := r.URL.Path + "?" + r.PostForm.Encode()
	s.mu.Lock()
	kept, known := s.replies[key]
	if !known {
		s.replies[key] = nil
		status, body, lost := s.act(r.URL.Path, r.PostForm, r.Header)
		kept = &reply{sent, status, marshal(body), lost}
		s.replies[key] = kept
	}
	lost := kept.lost || fault == Lost
	kept.lost = false
	s.mu.Unlock()
	if strings.HasSuffix(token(r.PostForm), "_slow") {
		select {
		case <-s.slow:
		case <-r.Context().Done():
		}
	}
	switch {
	case lost:
		panic(http.ErrAbortHandler)
	case kept.sent != sent:
		answer(w, http.StatusBadRequest, refusal("idempotency_error", "", "Keys for idempotent requests can only be used with the same parameters"))
	default:
		w.WriteHeader(kept.status)
		w.Write(kept.body) //nolint:errcheck // the client sees it
	}
}

func (s *Server) find(id string) *Intent {
	for _, i := range s.intents {
		if i.ID == id {
			return i
		}
	}
	return nil
}

// read answers a GET request.
func (s *Server) read(path string, form url.Values) (int, any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if path != "/v1/payment_intents" {
		s.calls["GET intent"]++
		if i := s.find(strings.TrimPrefix(path, "/v1/payment_intents/")); i != nil {
			return http.StatusOK, i.view(form.Get("expand[]") == "latest_charge")
		}
		return http.StatusNotFound, refusal("invalid_request_error", "resource_missing", "No such payment_intent")
	}
	s.calls["GET list"]++
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(form.Get(name), 10, 64)
		return n
	}
	list := []any{}
	skip := form.Get("starting_after") != ""
	more := false
	for _, i := range slices.Backward(s.intents) {
		at := i.Created.Unix()
		switch {
		case skip:
			skip = i.ID != form.Get("starting_after")
		case at < number("created[gte]") || at > number("created[lte]"):
		case int64(len(list)) == number("limit"):
			more = true
		default:
			list = append(list, i.view(false))
		}
	}
	return http.StatusOK, map[string]any{"object": "list", "has_more": more, "data": list}
}

// act carries out a POST request.
func (s *Server) act(path string, form url.Values, header http.Header) (status int, body any, lost bool) {
	amount, _ := strconv.ParseInt(form.Get("amount"), 10, 64)
	if path == "/v1/payment_intents" {
		s.calls["POST intent"]++
		return s.authorize(form, header, amount)
	}
	if path == "/v1/refunds" {
		s.calls["POST refund"]++
		i := s.find(form.Get("payment_intent"))
		if i == nil || i.Status != "succeeded" || i.Refunded+amount > i.Received {
			return http.StatusBadRequest, refusal("invalid_request_error", "charge_already_refunded", "Nothing to refund"), false
		}
		i.Refunded += amount
		return http.StatusOK, map[string]any{"id": "re_1", "object": "refund", "amount": amount}, false
	}
	id, action, _ := strings.Cut(strings.TrimPrefix(path, "/v1/payment_intents/"), "/")
	s.calls["POST "+action]++
	i := s.find(id)
	switch {
	case i == nil:
		return http.StatusNotFound, refusal("invalid_request_error", "resource_missing", "No such payment_intent"), false
	case action == "capture" && i.Status == "requires_capture":
		i.Status, i.Received = "succeeded", i.Amount
	case action == "cancel" && i.Status != "succeeded" && i.Status != "canceled":
		i.Status = "canceled"
	default:
		return http.StatusBadRequest, refusal("invalid_request_error", "payment_intent_unexpected_state", "This PaymentIntent has a status of "+i.Status), false
	}
	return http.StatusOK, i.view(false), false
}

func token(form url.Values) string {
	if t := form.Get("payment_method_data[card][token]"); t != "" {
		return t
	}
	return form.Get("payment_method_data[shared_payment_granted_token]")
}

func (s *Server) authorize(form url.Values, header http.Header, amount int64) (status int, body any, lost bool) {
	with := token(form)
	version := header.Get("Stripe-Version")
	switch {
	case amount <= 0 || form.Get("currency") != strings.ToLower(form.Get("currency")):
		return http.StatusBadRequest, refusal("invalid_request_error", "parameter_invalid_integer", "Invalid amount"), false
	case form.Get("capture_method") != "manual" || form.Get("confirm") != "true":
		return http.StatusBadRequest, refusal("invalid_request_error", "", "this server only authorises"), false
	case strings.HasPrefix(with, "spt_") && !strings.HasSuffix(version, ".preview"):
		return http.StatusBadRequest, refusal("invalid_request_error", "parameter_unknown", "Received unknown parameter"), false
	case !strings.HasPrefix(with, "spt_") && !strings.HasPrefix(with, "tok_"):
		return http.StatusBadRequest, refusal("invalid_request_error", "resource_missing", "No such token: "+with), false
	case s.used[with]:
		return http.StatusBadRequest, refusal("invalid_request_error", "token_already_used", "You cannot use a token more than once: "+with), false
	}
	s.used[with] = true
	i := &Intent{
		ID: fmt.Sprint("pi_", len(s.intents)+1), Status: "requires_capture", Currency: form.Get("currency"), Amount: amount,
		Metadata: map[string]string{"charge_id": form.Get("metadata[charge_id]")}, Created: s.Now(), Version: version,
	}
	s.intents = append(s.intents, i)
	switch {
	case strings.HasSuffix(with, "_declined"):
		i.Status = "requires_payment_method"
		no := refusal("card_error", "card_declined", "Your card has insufficient funds.")
		no["error"].(map[string]any)["payment_intent"] = i.view(false)
		return http.StatusPaymentRequired, no, false
	case strings.HasSuffix(with, "_3ds"):
		i.Status = "requires_action"
	}
	return http.StatusOK, i.view(false), strings.HasSuffix(with, "_lost")
}

func (i *Intent) view(expanded bool) map[string]any {
	v := map[string]any{
		"id": i.ID, "object": "payment_intent", "status": i.Status, "amount": i.Amount, "amount_received": i.Received, "amount_capturable": int64(0),
		"currency": i.Currency, "metadata": i.Metadata, "created": i.Created.Unix(), "latest_charge": "ch_" + i.ID,
	}
	if i.Status == "requires_capture" {
		v["amount_capturable"] = i.Amount
	}
	if expanded {
		v["latest_charge"] = map[string]any{"id": "ch_" + i.ID, "amount_refunded": i.Refunded}
	}
	return v
}

func refusal(kind, code, message string) map[string]any {
	return map[string]any{"error": map[string]any{"type": kind, "code": code, "message": message}}
}

func marshal(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

func answer(w http.ResponseWriter, status int, body any) {
	w.WriteHeader(status)
	w.Write(marshal(body)) //nolint:errcheck // the client sees it
}
