package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/edge"
	"vitrine/internal/await"
	"vitrine/internal/shop"
	"vitrine/internal/source"
	"vitrine/internal/store/storetest"
)

// buyersShop is a storefront with its API in one process, as vitrine serve wires them. It
// counts the calls that the edge makes, and the statements of both.
type buyersShop struct {
	*apitest.API
	t       testing.TB
	listen  *fasthttputil.InmemoryListener
	session string // cookie of the buyer

	mu    sync.Mutex
	calls []string
}

func newBuyersShop(t testing.TB) *buyersShop {
	t.Helper()
	hosts, err := shop.ParseStorefronts("http://{shop}.localhost")
	if err != nil {
		t.Fatal(err)
	}
	s := &buyersShop{t: t, listen: fasthttputil.NewInmemoryListener()}
	s.API = apitest.New(t, func(cfg *admin.Config) { cfg.Hosts = hosts })
	answer := s.Admin.Handler()
	front, err := edge.New(edge.Config{
		Source: source.New(s.Store, s.Blobs, hosts), Secret: make([]byte, 32), Log: slog.New(slog.DiscardHandler),
		API: func(rc *fasthttp.RequestCtx) {
			call := string(rc.Method()) + " " + string(rc.RequestURI())
			answer(rc)
			s.mu.Lock()
			defer s.mu.Unlock()
			s.calls = append(s.calls, fmt.Sprint(call, " ", rc.Response.StatusCode()))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Store.OnChange(func(ctx context.Context, id shop.CompanyID, version int64) {
		if err := front.Changed(ctx, id, version); err != nil {
			t.Error(err)
		}
	})
	served := make(chan error, 1)
	go func() { served <- front.Serve(s.listen) }()
	t.Cleanup(func() {
		if err := front.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if err := await.Next(t, served); err != nil {
			t.Error(err)
		}
	})
	return s
}

// visit requests a path of the shop as the buyer; with a form it posts.
func (s *buyersShop) visit(path string, form url.Values) (status int, header http.Header, body string) {
	s.t.Helper()
	method := "GET"
	if form != nil {
		method = "POST"
	}
	r, err := http.NewRequest(method, "http://tea.localhost"+path, strings.NewReader(form.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://tea.localhost")
	}
	if s.session != "" {
		r.Header.Set("Cookie", s.session)
	}
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return s.listen.Dial() }, DisableKeepAlives: true}
	answer, err := transport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, string(text)
}

// cost requests a page that has been visited before, and returns the calls of the API and
// the statements that it takes.
func (s *buyersShop) cost(path string) (calls []string, statements []storetest.Statement, body string) {
	s.t.Helper()
	for range 2 {
		s.calls = nil
		s.Sent.Take()
		status, _, text := s.visit(path, nil)
		if status != 200 {
			s.t.Fatalf("%s: %d %.300s", path, status, text)
		}
		statements, body = s.Sent.Take(), text
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls, statements, body
}

// fill gives the shop products, delivery options, payment methods and a buyer with an
// account, two addresses and a cart of three lines.
func (s *buyersShop) fill() {
	s.t.Helper()
	owner := s.Session(s.OwnerID)
	for _, d := range []apitest.Map{{"name": "Post", "price": 300, "free_from": 5000}, {"name": "Courier", "price": 900, "needs_address": true}} {
		s.Result("POST", "/v1/shop/delivery-options", owner, d)
	}
	s.Result("PUT", "/v1/shop/payment-methods/manual", owner, apitest.Map{"is_active": true, "title": "By invoice"})
	s.Result("PUT", "/v1/shop/settings", owner, apitest.Map{"sandbox": true})
	s.Result("PUT", "/v1/shop/payment-methods/sandbox", owner, apitest.Map{"is_active": true, "title": "Card"})
	buyer := s.Buyer("ann@example.test")
	s.session = "vitrine-session=" + s.Bound(buyer)
	for i := range 3 {
		id := s.Result("POST", "/products", s.Owner, apitest.Map{"item": apitest.Map{
			"name": fmt.Sprint("Tea ", i), "is_published": true, "price": apitest.Map{"price": 1000 + i}, "stock_quantity": 9}})["id"]
		form := url.Values{"do": {"add"}, "product_id": {fmt.Sprint(id)}, "quantity": {strconv.Itoa(i + 1)}}
		if status, _, body := s.visit("/cart", form); status != 303 {
			s.t.Fatalf("add to the cart: %d %.300s", status, body)
		}
	}
	for _, street := range []string{"Rua do Alecrim 12", "High Street 1"} {
		if status, _, body := s.visit("/account", url.Values{"do": {"address-add"}, "street": {street}, "city": {"Lisboa"}}); status != 303 {
			s.t.Fatalf("add an address: %d %.300s", status, body)
		}
	}
	if status, _, _ := s.visit("/checkout", url.Values{"do": {"keep"}, "name": {"Ann"}, "phone": {"+351 21 000 0000"}, "comment": {"ring twice"}}); status != 204 {
		s.t.Fatalf("keep what was typed: %d", status)
	}
}

// Each page of a signed-in buyer makes few calls of the API, and sends few statements.
func TestPagesOfABuyerTakeFewStatements(t *testing.T) {
	t.Parallel()
	s := newBuyersShop(t)
	s.fill()
	for path, most := range map[string]struct{ calls, statements int }{"/checkout": {1, 5}, "/cart": {2, 7}, "/orders": {2, 4}, "/account": {4, 8}} {
		calls, statements, _ := s.cost(path)
		if len(calls) <= most.calls && len(statements) <= most.statements {
			continue
		}
		t.Errorf("%s makes %d calls, at most %d, with %d statements, at most %d", path, len(calls), most.calls, len(statements), most.statements)
		for _, call := range calls {
			t.Log(call)
		}
		for _, sent := range statements {
			t.Logf("%.150s", strings.Join(strings.Fields(sent.SQL), " "))
		}
	}
}

// A checkout shows everything about its buyer, and changes of the shop's delivery options and
// payment methods at once, although these are cached.
func TestACheckoutIsCompleteAndCurrent(t *testing.T) {
	t.Parallel()
	s := newBuyersShop(t)
	s.fill()
	owner := s.Session(s.OwnerID)
	shows := func(texts ...string) {
		t.Helper()
		_, _, body := s.cost("/checkout")
		for _, text := range texts {
			if !strings.Contains(body, text) {
				t.Errorf("the checkout does not show %q", text)
			}
		}
	}
	shows("Tea 2", "Post", "Courier", "By invoice", "Card", "ann@example.test", "351 21 000 0000", "ring twice", "Rua do Alecrim 12", "High Street 1")
	s.Result("POST", "/v1/shop/delivery-options", owner, apitest.Map{"name": "By bicycle", "price": 100})
	shows("By bicycle")
	s.Result("PUT", "/v1/shop/payment-methods/manual", owner, apitest.Map{"title": "By bank transfer"})
	shows("By bank transfer")
	s.Result("PUT", "/v1/shop/settings", owner, apitest.Map{"sandbox": false})
	if _, _, body := s.cost("/checkout"); strings.Contains(body, "Card") {
		t.Error("the checkout shows a payment method that is no longer allowed")
	}
}

// The endpoint of the checkout's page is for the edge alone.
func TestEndpointsOfPagesAreUnknownOutside(t *testing.T) {
	t.Parallel()
	s := newBuyersShop(t)
	s.fill()
	if status, _, body := s.visit("/api/inside/checkout", nil); status != 404 {
		t.Errorf("on the shop's host: %d %s", status, body)
	}
	if status, body := s.Call("GET", "/inside/checkout", s.Owner, nil); status != 404 {
		t.Errorf("at the admin API: %d %v", status, body)
	}
}
