package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// The people of a market.
const (
	theVisitors = "Visitors" // read pages
	theBuyers   = "Buyers"   // fill carts and order
	theOwners   = "Owners"   // add and rename products
	theUploads  = "Uploads"  // of the owners, which visitors then read
)

// patience is how long people wait for a response before they try again.
const patience = 30 * time.Second

const adminOrigin = "http://admin.localhost"

// market is a shop with people who act all the time, each from an address of their own, through the
// front of a platform. A request that fails is repeated with the same Idempotency-Key. The market keeps
// an account of what was acknowledged.
type market struct {
	t       *testing.T
	front   string // address of visitors and buyers
	admin   string // of owners
	key     string
	company string
	section string
	product string // that buyers order
	sign    string // a product whose name only the test changes
	end     chan struct{}
	all     sync.WaitGroup

	mu       sync.Mutex
	seen     map[string]*sight
	n        int
	orders   map[string]time.Time // acknowledged, by the contact's name
	products map[string]time.Time // by name
	files    map[string]keptFile  // by path
}

type keptFile struct {
	data []byte
	at   time.Time
}

// sight is what one kind of people saw since it was last taken.
type sight struct {
	requests int
	failed   map[string]int // by status, or "none" without a response
	last     time.Time      // a successful response
	longest  time.Duration  // between two successful responses
	begun    time.Time      // of the newest request that succeeded
}

func newMarket(t *testing.T, p *program, front, admin string) *market {
	m := &market{
		t: t, front: front, admin: admin, key: p.shop("tea"), end: make(chan struct{}),
		orders: map[string]time.Time{}, products: map[string]time.Time{}, files: map[string]keptFile{},
	}
	m.take()
	return m
}

// open creates the shop's goods and lets the people in, until the test ends.
func (m *market) open() {
	m.t.Helper()
	owner := m.client(2)
	create := func(path, id string, item map[string]any) string {
		var made map[string]any
		wait(m.t, path, func() bool {
			status, data, err := owner.api("POST", path, id, map[string]any{"item": item})
			made, _ = object(data)["result"].(map[string]any)
			return err == nil && status == 200
		})
		return itoa(made["id"])
	}
	m.section = create("/categories", "section", map[string]any{"type": "product", "name": "Teas", "is_published": true})
	m.product = create("/products", "sencha", map[string]any{"name": "Sencha", "category_id": m.section, "is_published": true, "price": map[string]any{"price": 12}})
	m.sign = create("/products", "sign", map[string]any{"name": "Sign", "is_published": true}) // in no section: at /product/<id>
	status, data, err := owner.api("GET", "/v1/orgs/current", "", nil)
	if err != nil || status != 200 {
		m.t.Fatalf("%d %s %v", status, data, err)
	}
	m.company = itoa(object(data)["result"].(map[string]any)["id"])
	for n := range 4 {
		m.repeat(200*time.Millisecond, m.client(10+n).visitOnce)
	}
	for n := range 3 {
		m.repeat(1200*time.Millisecond, m.client(20+n).orderOnce)
	}
	m.repeat(500*time.Millisecond, m.client(30).addOnce)
	m.repeat(1500*time.Millisecond, m.client(31).uploadOnce)
	m.t.Cleanup(m.close)
}

func (m *market) close() {
	close(m.end)
	m.all.Wait()
}

func (m *market) repeat(pace time.Duration, act func()) {
	m.all.Go(func() {
		tick := time.NewTicker(pace)
		defer tick.Stop()
		for !m.ended() {
			act()
			select {
			case <-m.end:
			case <-tick.C:
			}
		}
	})
}

func (m *market) ended() bool {
	select {
	case <-m.end:
		return true
	default:
		return false
	}
}

// take returns what people saw since the last call.
func (m *market) take() map[string]*sight {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.seen
	m.seen = map[string]*sight{}
	for _, who := range everybody {
		m.seen[who] = &sight{failed: map[string]int{}, last: time.Now()}
	}
	for who, s := range old {
		s.longest = max(s.longest, time.Since(s.last))
		m.seen[who].begun = s.begun
	}
	return old
}

// waiting are the people who have not succeeded yet with a request that they began after a moment.
func (m *market) waiting(after time.Time) (list []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, who := range everybody {
		if !m.seen[who].begun.After(after) {
			list = append(list, who)
		}
	}
	return list
}

// next names a write, so that it can be found.
func (m *market) next(kind string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n++
	return fmt.Sprintf("%s %d", kind, m.n)
}

// note adds a request to what people saw.
func (m *market) note(who string, begun time.Time, status int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, now := m.seen[who], time.Now()
	s.requests++
	switch {
	case err != nil && m.ended():
	case err != nil:
		s.failed["none"]++
	case status >= 400:
		s.failed[fmt.Sprint(status)]++
	default:
		s.longest, s.last = max(s.longest, now.Sub(s.last)), now
		if begun.After(s.begun) {
			s.begun = begun
		}
	}
}

// customer is one of the people.
type customer struct {
	*market
	http   http.Client
	owner  http.Client
	cookie string
	visits int
}

// client returns a person with an address of their own.
func (m *market) client(address int) *customer {
	from := fmt.Sprintf("127.0.0.%d", address)
	return &customer{market: m, http: through(m.front, from), owner: through(m.admin, from)}
}

// through is a client that connects to one address whatever host it asks for.
func through(to, from string) http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	return http.Client{
		Timeout: patience, CheckRedirect: direct.CheckRedirect,
		Transport: &http.Transport{IdleConnTimeout: time.Second, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "tcp", to)
		}},
	}
}

func (c *customer) send(method, url, once string, header map[string]string, body []byte) (int, []byte, http.Header, error) {
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	if once != "" {
		request.Header.Set("Idempotency-Key", once)
	}
	client := &c.http
	if strings.HasPrefix(url, adminOrigin) {
		client = &c.owner
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, nil, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return response.StatusCode, data, response.Header, err
}

// api is a call of the owner.
func (c *customer) api(method, path, once string, body any) (int, []byte, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	status, data, _, err := c.send(method, adminOrigin+path, once, map[string]string{"Authorization": "Bearer " + c.key}, data)
	return status, data, err
}

var errEnded = errors.New("the market has ended")

// until repeats a request until its result is certain, and reports whether it succeeded.
func (c *customer) until(who string, request func() (int, error)) bool {
	for !c.ended() {
		begun := time.Now()
		status, err := request()
		if errors.Is(err, errEnded) {
			return false
		}
		c.note(who, begun, status, err)
		if err == nil && status < 500 && status != http.StatusTooManyRequests {
			return status < 400
		}
		select {
		case <-c.end:
		case <-time.After(500 * time.Millisecond):
		}
	}
	return false
}

func (c *customer) visitOnce() {
	begun := time.Now()
	path := []string{"/", "/teas", "/teas/sencha"}[c.visits%3]
	c.visits++
	status, _, _, err := c.send("GET", "http://tea.localhost"+path, "", nil, nil)
	c.note(theVisitors, begun, status, err)
}

// orderOnce buys a product on the shop's own host. A buyer whose session is gone begins again.
func (c *customer) orderOnce() {
	call := func(method, path, once string, body map[string]any) bool {
		return c.until(theBuyers, func() (int, error) {
			data, err := json.Marshal(body)
			if err != nil {
				return 0, err
			}
			status, _, header, err := c.send(method, "http://tea.localhost/api"+path, once, map[string]string{
				"Content-Type": "application/json", "Cookie": c.cookie}, data)
			if cookie, _, found := strings.Cut(header.Get("Set-Cookie"), ";"); found && status < 400 {
				c.cookie = cookie
			}
			return status, err
		})
	}
	if c.cookie == "" && !call("POST", "/v1/auth/guest", "", map[string]any{}) {
		return
	}
	name := c.next("order")
	if call("POST", "/cart/items/"+c.product+"/default", name+" line", map[string]any{"quantity": 1}) &&
		call("POST", "/cart/confirm", name, map[string]any{"company_id": c.company, "contact": map[string]any{"name": name, "phone": "1"}}) {
		c.mu.Lock()
		c.orders[name] = time.Now()
		c.mu.Unlock()
		return
	}
	c.cookie = ""
}

// addOnce adds a product.
func (c *customer) addOnce() {
	name := c.next("product")
	if c.until(theOwners, func() (int, error) {
		status, _, err := c.api("POST", "/products", name, map[string]any{"item": map[string]any{"name": name}})
		return status, err
	}) {
		c.mu.Lock()
		c.products[name] = time.Now()
		c.mu.Unlock()
	}
}

// uploadOnce announces a file, sends it, confirms it, and reads it as a visitor.
func (c *customer) uploadOnce() {
	name := c.next("file")
	data := append(noise(1, 20_000), name...)
	var u upload
	var path string
	for _, step := range []func() (int, error){
		func() (int, error) {
			status, answer, err := c.api("POST", "/v1/storages/files", name, map[string]any{"section": "content", "file_type": "file", "original_name": name + ".pdf"})
			if err == nil && status < 300 {
				up := object(answer)["upload"].(map[string]any)
				u = upload{id: itoa(up["id"]), url: itoa(up["url"])}
			}
			return status, err
		},
		func() (int, error) {
			status, _, _, err := c.send("PUT", u.url, "", nil, data)
			return status, err
		},
		func() (int, error) {
			status, answer, err := c.api("POST", "/v1/storages/files/"+u.id+"/done", name+" done", map[string]any{})
			if err == nil && status < 300 {
				path = itoa(object(answer)["result"].(map[string]any)["public_path"])
				c.mu.Lock()
				c.files[path] = keptFile{data, time.Now()}
				c.mu.Unlock()
			}
			return status, err
		},
		func() (int, error) {
			status, _, _, err := c.send("GET", "http://tea.localhost"+path, "", nil, nil)
			return status, err
		},
	} {
		if !c.until(theUploads, step) {
			return
		}
	}
}

// account compares what was acknowledged with what the database and the bucket have. It returns what
// is lost although it was acknowledged, apart from what was acknowledged in the spans of time in
// which the database could lose it; that is counted and forgotten. It also returns what exists twice.
func (m *market) account(database string, excused ...stretch) (lost, doubled []string, gone int) {
	m.t.Helper()
	conn, err := pgx.Connect(m.t.Context(), database)
	if err != nil {
		m.t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(m.t.Context()))
	// What is acknowledged from now on is part of the next account.
	m.mu.Lock()
	orders, products, files := maps.Clone(m.orders), maps.Clone(m.products), maps.Clone(m.files)
	m.mu.Unlock()
	rows, err := conn.Query(m.t.Context(), `SELECT contact_name, count(*) FROM shop_order GROUP BY 1
		UNION ALL SELECT name, count(*) FROM product GROUP BY 1
		UNION ALL SELECT original_name, count(*) FROM media_file WHERE status = 'stored' GROUP BY 1`)
	if err != nil {
		m.t.Fatal(err)
	}
	count := map[string]int{}
	var name string
	var n int
	if _, err := pgx.ForEachRow(rows, []any{&name, &n}, func() error { count[name] = n; return nil }); err != nil {
		m.t.Fatal(err)
	}
	for name, n := range count {
		if n > 1 {
			doubled = append(doubled, fmt.Sprintf("%s: %d times", name, n))
		}
	}
	forget := func(at time.Time, what string, drop func()) {
		if slices.ContainsFunc(excused, func(s stretch) bool { return at.After(s.from) && at.Before(s.to) }) {
			m.mu.Lock()
			drop()
			m.mu.Unlock()
			gone++
			return
		}
		lost = append(lost, what)
	}
	for name, at := range orders {
		if count[name] == 0 {
			forget(at, name, func() { delete(m.orders, name) })
		}
	}
	for name, at := range products {
		if count[name] == 0 {
			forget(at, name, func() { delete(m.products, name) })
		}
	}
	visitor := m.client(2)
	for path, file := range files {
		status, data, _, err := visitor.send("GET", "http://tea.localhost"+path, "", nil, nil)
		if err != nil || status != 200 || !bytes.Equal(data, file.data) {
			forget(file.at, fmt.Sprintf("%s: %d, %d of %d bytes, %v", path, status, len(data), len(file.data), err), func() { delete(m.files, path) })
		}
	}
	return lost, doubled, gone
}

// stretch is a time in which acknowledged writes may be lost.
type stretch struct{ from, to time.Time }
