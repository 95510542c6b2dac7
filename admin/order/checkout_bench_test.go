package order_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/valyala/fasthttp"

	"vitrine/admin/api/apitest"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

const (
	checkouts = 960  // per measurement
	goods     = 1000 // products of the large shop
)

// benchShop is a shop served over loopback TCP, with buyers whose carts are full.
type benchShop struct {
	*apitest.API
	b        *testing.B
	pool     *pgxpool.Pool
	origin   string
	client   *http.Client
	products []shop.ProductID // tracked, with more units than are ever sold
	buyers   []shop.UserID
	tokens   []string
	pays     int // expected total of a checkout
}

func openBenchShop(b *testing.B) *benchShop {
	t := &benchShop{API: apitest.New(b), b: b, pays: 7}
	ctx := b.Context()
	config, err := pgxpool.ParseConfig(t.URL)
	t.must(err)
	config.MaxConns = int32(t.Store.PoolStats().Limit)
	t.pool, err = pgxpool.NewWithConfig(ctx, config)
	t.must(err)
	b.Cleanup(t.pool.Close)
	t.serve()
	rows, err := t.pool.Query(ctx, `
		INSERT INTO product (company_id, name, slug, price, is_published, stock_quantity)
		SELECT $1, 'Tea ' || n, 'tea-' || n, 7, true, 2000000000 FROM generate_series(1, $2) n RETURNING id`, t.Shop.ID, goods)
	t.must(err)
	t.products, err = pgx.CollectRows(rows, pgx.RowTo[shop.ProductID])
	t.must(err)
	for range checkouts {
		id, err := people.CreateGuest(ctx, t.Store)
		t.must(err)
		token, hash, err := secret.New(secret.Session)
		t.must(err)
		t.must(people.CreateSession(ctx, t.Store, people.NewSession{TokenHash: hash, Person: id, At: t.Clock.Now(), Expires: t.Clock.Now().Add(10_000 * time.Hour)}))
		t.buyers, t.tokens = append(t.buyers, id), append(t.tokens, token)
	}
	return t
}

func (t *benchShop) must(err error) {
	t.b.Helper()
	if err != nil {
		t.b.Fatal(err)
	}
}

func (t *benchShop) serve() {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	t.must(err)
	server := &fasthttp.Server{Handler: t.Admin.Handler(), StreamRequestBody: true}
	done := make(chan error, 1)
	go func() { done <- server.Serve(ln) }()
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.b.Cleanup(func() {
		transport.CloseIdleConnections()
		t.must(server.Shutdown())
		t.must(<-done)
	})
	t.origin, t.client = "http://"+ln.Addr().String(), &http.Client{Transport: transport}
}

// fill puts one unit into every cart: of a single product, or of different products in turn.
func (t *benchShop) fill(products []shop.ProductID) { t.fillWith(products, nil) }

// fillWith is fill for lines with data, such as the variant.
func (t *benchShop) fillWith(products []shop.ProductID, data *string) {
	t.b.Helper()
	_, err := t.pool.Exec(t.b.Context(), `
		WITH headed AS (
			INSERT INTO cart (company_id, person_id) SELECT $1, unnest($2::integer[]) ON CONFLICT DO NOTHING)
		SELECT 1`, t.Shop.ID, t.buyers)
	t.must(err)
	_, err = t.pool.Exec(t.b.Context(), `
		INSERT INTO cart_line (company_id, person_id, product_id, key, quantity, data)
		SELECT $1, who, ($3::integer[])[1 + n % $4], 'default', 1, $5::json FROM unnest($2::integer[]) WITH ORDINALITY AS p(who, n)`,
		t.Shop.ID, t.buyers, products, len(products), data)
	t.must(err)
}

// rate runs act with the given concurrency and returns the number of calls per second.
func (t *benchShop) rate(at int, act func(i int) error) float64 {
	t.b.Helper()
	var next atomic.Int64
	var all sync.WaitGroup
	begin := time.Now()
	for range at {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < checkouts; i = int(next.Add(1)) - 1 {
				if i%40 == 0 {
					t.Clock.Advance(time.Minute) // the rate limits are not measured
				}
				if err := act(i); err != nil {
					t.b.Error(err)
				}
			}
		})
	}
	all.Wait()
	return checkouts / time.Since(begin).Seconds()
}

func (t *benchShop) confirm(i int) error {
	body := fmt.Sprintf(`{"company_id":%d,"contact":{"name":"Ann","phone":"1"},"expected_total":%d}`, t.Shop.ID, t.pays)
	r, err := http.NewRequest("POST", t.origin+"/cart/confirm", strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+t.tokens[i])
	answer, err := t.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != 200 {
		err = fmt.Errorf("%d %s", answer.StatusCode, text)
	}
	return err
}

// bare is only the transaction of a checkout: it locks the cart, inserts the order with the next
// number, and takes a unit from the stock with a line in the ledger.
func (t *benchShop) bare(products []shop.ProductID) func(i int) error {
	return func(i int) error {
		ctx, product := context.Background(), products[i%len(products)]
		return pgx.BeginFunc(ctx, t.pool, func(tx pgx.Tx) error {
			for _, s := range []struct {
				sql  string
				args []any
			}{
				{`UPDATE cart SET version = version + 1 WHERE company_id = $1 AND person_id = $2`, []any{t.Shop.ID, t.buyers[i]}},
				{`WITH n AS (INSERT INTO order_counter AS c (company_id, last) VALUES ($1, 1001)
					ON CONFLICT (company_id) DO UPDATE SET last = c.last + 1 RETURNING last)
					INSERT INTO shop_order (company_id, number, person_id, items_total, discount_total, currency, grand_total, contact_name, contact_phone)
					SELECT $1, last, $2, 7, 0, 'EUR', 7, 'Ann', '1' FROM n`, []any{t.Shop.ID, t.buyers[i]}},
				{`UPDATE product SET stock_quantity = stock_quantity - 1 WHERE company_id = $1 AND id = $2 AND stock_quantity >= 1`, []any{t.Shop.ID, product}},
				{`INSERT INTO stock_movement (company_id, product_id, delta, balance_after, reason) VALUES ($1, $2, -1, 1, 'manual')`, []any{t.Shop.ID, product}},
			} {
				if _, err := tx.Exec(ctx, s.sql, s.args...); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// Checkouts over HTTP of a single contended product and of a thousand products, compared with the
// bare transaction of the same statements with as many clients.
func BenchmarkCheckout(b *testing.B) {
	t := openBenchShop(b)
	for _, c := range []struct {
		name     string
		products []shop.ProductID
	}{{"one", t.products[:1]}, {"many", t.products}} {
		b.Run(c.name, func(b *testing.B) {
			t.b = b
			rates := map[int]float64{}
			var bare float64
			n := 0.0
			for b.Loop() {
				for _, at := range []int{16, 64} {
					t.fill(c.products)
					rates[at] += t.rate(at, t.confirm)
				}
				bare += t.rate(64, t.bare(c.products))
				n++
			}
			b.ReportMetric(rates[64]/n, "checkouts/s")
			b.ReportMetric(bare/n, "bare/s")
			b.ReportMetric(rates[64]/bare, "x-bare")
			b.ReportMetric(rates[64]/rates[16], "x-of-16")
		})
	}
}

// Checkouts of one variant of a single product that is counted by variant, compared with those of
// a product with a variant that is counted as a whole.
func BenchmarkCheckoutByVariant(b *testing.B) {
	t := openBenchShop(b)
	var rates [2]float64
	var data [2]string
	for i, by := range []string{"product", "variant"} {
		var variant int64
		t.must(t.pool.QueryRow(b.Context(), `
			WITH counted AS (UPDATE product SET stock_by = $3 WHERE company_id = $1 AND id = $2)
			INSERT INTO variant_set (company_id, product_id, title, stock_quantity) VALUES ($1, $2, 'S', CASE $3 WHEN 'variant' THEN 2000000000 END)
			RETURNING id`, t.Shop.ID, t.products[i], by).Scan(&variant))
		data[i] = fmt.Sprintf(`{"variant_id":"%d"}`, variant)
	}
	for b.Loop() {
		for i := range rates {
			t.fillWith(t.products[i:i+1], &data[i])
			rates[i] += t.rate(64, t.confirm)
		}
	}
	b.ReportMetric(rates[1]/float64(b.N), "checkouts/s")
	b.ReportMetric(rates[1]/rates[0], "x-by-product")
}

// Checkouts with one shared coupon that has a limit, compared with those without a coupon, of a
// thousand products.
func BenchmarkCoupon(b *testing.B) {
	t := openBenchShop(b)
	t.OK("POST", "/promotions", t.Owner, m{"item": m{"name": "Hot", "kind": "coupon", "code": "HOT", "value": m{"amount": 1}, "limits": m{"total": 1_000_000, "per_buyer": 1000}}})
	var without, with, n float64
	for b.Loop() {
		t.pays = 7
		t.fill(t.products)
		without += t.rate(64, t.confirm)
		t.pays = 6
		t.fill(t.products)
		_, err := t.pool.Exec(b.Context(), `UPDATE cart SET promo_code = 'HOT' WHERE company_id = $1`, t.Shop.ID)
		t.must(err)
		with += t.rate(64, t.confirm)
		n++
	}
	b.ReportMetric(without/n, "without/s")
	b.ReportMetric(with/n, "with/s")
	b.ReportMetric(with/without, "x-without")
}

// A cart of 20 lines, read and quoted, compared with an endpoint that only reads the session.
func BenchmarkCart(b *testing.B) {
	t := openBenchShop(b)
	var lines []string
	for _, id := range t.products[:20] {
		t.OK("POST", fmt.Sprintf("/cart/items/%d/default", id), t.tokens[0], m{"quantity": 2})
		lines = append(lines, fmt.Sprintf(`{"product_id":%d,"key":"default","quantity":2}`, id))
	}
	where := fmt.Sprintf("?company_id=%d", t.Shop.ID)
	for _, c := range []struct{ name, method, path, key, body string }{
		{"bare", "GET", "/v1/auth/me", t.tokens[0], ""},
		{"read", "GET", "/cart/items" + where, t.tokens[0], ""},
		{"quote", "POST", "/cart/quote", "", fmt.Sprintf(`{"company_id":%d,"items":[%s]}`, t.Shop.ID, strings.Join(lines, ","))},
	} {
		b.Run(c.name, func(b *testing.B) {
			n := 0
			t.Sent.Take()
			for b.Loop() {
				if n++; n%50 == 0 {
					b.StopTimer()
					t.Clock.Advance(time.Minute)
					b.StartTimer()
				}
				var body any
				if c.body != "" {
					body = c.body
				}
				if got := t.Send(apitest.Request{Method: c.method, Path: c.path, Key: c.key, Body: body}); got.Status != 200 {
					b.Fatalf("%d %s", got.Status, got.Body)
				}
			}
			b.ReportMetric(float64(len(t.Sent.Take()))/float64(n), "statements")
		})
	}
}
