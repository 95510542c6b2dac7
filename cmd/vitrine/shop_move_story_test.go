package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/admin/api"
	"vitrine/internal/await"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
)

// settingsFile writes the settings of an installation as its service reads them.
func (p *program) settingsFile() string {
	p.t.Helper()
	text := "# the other installation\n"
	for _, e := range p.env {
		if strings.HasPrefix(e, "VITRINE_") {
			text += e + "\n"
		}
	}
	path := filepath.Join(p.dir, "settings.env")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

func (p *program) sealer() *secret.Sealer {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, "var", "secret.key"))
	if err != nil {
		p.t.Fatal(err)
	}
	s, err := secret.NewSealer(strings.TrimSpace(string(text)))
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// shopper buys on the shop's own host, and goes where the shop says that it is.
type shopper struct {
	t       *testing.T
	edges   map[string]string // addresses by host
	origin  string
	cookie  string
	company string
	network string

	mu       sync.Mutex
	placed   map[string]bool // ids of acknowledged orders
	refused  atomic.Int64
	followed atomic.Int64
}

// call calls the API of the shop until it is answered, and follows the shop.
func (s *shopper) call(method, path string, body any) (answer map[string]any) {
	s.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		s.t.Error(err)
		return nil
	}
	last := ""
	done := await.Until(func() bool {
		request, err := http.NewRequest(method, s.origin+"/api"+path, bytes.NewReader(data))
		if err != nil {
			s.t.Error(err)
			return true
		}
		request.Host, request.URL.Host = request.URL.Host, s.edges[request.URL.Host]
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Cookie", s.cookie)
		request.Header.Set("X-Forwarded-For", s.network)
		response, err := direct.Do(request)
		if err != nil {
			s.t.Error(err)
			return true
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			s.t.Error(err)
			return true
		}
		last = fmt.Sprintf("%d %s %.300s", response.StatusCode, s.origin, text)
		switch response.StatusCode {
		case 200, 201:
			if cookie, _, found := strings.Cut(response.Header.Get("Set-Cookie"), ";"); found {
				s.cookie = cookie
			}
			if err := json.Unmarshal(text, &answer); err != nil {
				s.t.Errorf("%s: %v", text, err)
			}
			return true
		case 429: // it buys faster than people
		case 503:
			s.refused.Add(1)
			if response.Header.Get("Retry-After") == "" {
				s.t.Errorf("refused without Retry-After: %s", text)
			}
		case 307:
			s.followed.Add(1)
			s.origin = strings.TrimSuffix(response.Header.Get("Location"), "/api"+path)
		case 404: // it has gone and is about to arrive
		default:
			if strings.Contains(string(text), "COMPANY_UNAVAILABLE") { // it was on its way when the shop went
				return false
			}
			s.t.Errorf("%s %s: %d %s", method, path, response.StatusCode, text)
			return true
		}
		return false
	})
	if !done {
		s.t.Errorf("%s %s is not answered: %s", method, path, last)
	}
	return answer
}

// buy places one order.
func (s *shopper) buy(product string) {
	if s.cookie == "" {
		s.call("POST", "/v1/auth/guest", map[string]any{})
	}
	s.call("POST", "/cart/items/"+product+"/default", map[string]any{"quantity": 1})
	answer := s.call("POST", "/cart/confirm", map[string]any{"contact": map[string]any{"name": "Ann", "phone": "1"}})
	if order, ok := answer["result"].(map[string]any); ok {
		s.mu.Lock()
		s.placed[itoa(order["id"])] = true
		s.mu.Unlock()
	}
}

// surrogateKeys name the shop by its id.
var surrogateKeys = regexp.MustCompile(`Surrogate-Key=[^=]* `)

func withoutKeys(page string) string { return surrogateKeys.ReplaceAllString(page, "") }

// A shop sells while it moves to another installation, and the move is killed again and again. Every
// order that was acknowledged is there, with its id; pages, pictures, keys, sessions, sign-in and
// signed links work there, and the former addresses lead there until the shop is deleted here.
func TestAShopMovesWhileItSells(t *testing.T) {
	t.Parallel()
	from, to := newProgram(t), newProgram(t)
	for _, p := range []*program{from, to} {
		p.env = append(p.env, "VITRINE_TRUSTED_PROXIES=127.0.0.0/8")
	}
	to.shop("other") // has the ids that the shop brings
	key := from.shop("tea")
	from.start()
	to.start()
	furnish(from, key)
	section := itoa(from.must(key, "POST", "/categories", map[string]any{"item": map[string]any{"name": "Many", "type": "product", "is_published": true}})["id"])
	product := itoa(from.must(key, "POST", "/products", map[string]any{"item": map[string]any{
		"name": "Sold", "category_id": section, "price": map[string]any{"price": 5}, "is_published": true}})["id"])
	owner := from.signIn("tea@example.test")
	from.must(owner, "PUT", "/v1/shop/settings", map[string]any{"sandbox": true})
	from.must(owner, "PUT", "/v1/shop/payment-methods/sandbox", map[string]any{"title": "By card", "is_active": true})
	company := itoa(from.must(key, "GET", "/v1/orgs/current", nil)["id"])
	here, there := from.database(t), to.database(t)
	if _, err := here.Exec(t.Context(), `INSERT INTO product (company_id, category_id, kind, name, slug, price, is_published)
		SELECT $1, $2, 'standard', 'Tea ' || n, 'tea-' || n, n, true FROM generate_series(1, 5000) n`, company, section); err != nil {
		t.Fatal(err)
	}
	want := crawl(from, "tea", 60, slices.Sorted(maps.Keys(kinds))...)

	edges := map[string]string{}
	for _, p := range []*program{from, to} {
		edges["tea.localhost:"+portOf(t, p.edge)] = p.edge
	}
	shoppers := make([]*shopper, 6)
	stop := make(chan struct{})
	var buying sync.WaitGroup
	for i := range shoppers {
		shoppers[i] = &shopper{t: t, edges: edges, origin: "http://tea.localhost:" + portOf(t, from.edge), company: company, network: fmt.Sprint("203.0.113.", i+1), placed: map[string]bool{}}
		buying.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(100 * time.Millisecond):
				}
				shoppers[i].buy(product)
			}
		})
	}
	end := sync.OnceFunc(func() { close(stop); buying.Wait() })
	t.Cleanup(end)
	placed := func() (n int) {
		for _, s := range shoppers {
			s.mu.Lock()
			n += len(s.placed)
			s.mu.Unlock()
		}
		return n
	}
	wait(t, "shoppers buy", func() bool { return placed() > 5 })

	// A guest whose order waits to be paid, and who has a letter with its link.
	guest := from.guest()
	from.must(guest, "POST", "/cart/items/"+product+"/default", map[string]any{"company_id": company, "quantity": 1})
	order := itoa(from.must(guest, "POST", "/cart/confirm", map[string]any{"company_id": company, "contact": map[string]any{"name": "Bob", "phone": "1"}, "payment_method": "sandbox"})["id"])
	pays := itoa(from.must(guest, "POST", "/orders/"+order+"/payment", map[string]any{"method": "sandbox"})["redirect_url"])
	number := func(text string) (n int64) {
		if _, err := fmt.Sscan(text, &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	link := "/orders/" + order + "?key=" + api.OrderKey(from.sealer(), shop.CompanyID(number(company)), shop.OrderID(number(order)))

	move := []string{"shop", "move", "--shop", "tea", "--to", to.settingsFile()}
	ask := func(db *pgx.Conn, sql string, args ...any) func() bool {
		return func() (yes bool) {
			if err := db.QueryRow(t.Context(), sql, args...).Scan(&yes); err != nil {
				t.Error(err)
			}
			return yes
		}
	}
	killed := 0
	kill := func(what string, moment func() bool) {
		t.Helper()
		if from.killedWhen(moment, move...) {
			killed++
			t.Logf("killed %s; %d orders", what, placed())
		}
	}
	kill("when it has begun", ask(there, `SELECT EXISTS (SELECT FROM shop_move)`))
	from.verb(append(slices.Clone(move), "--undo")...)
	if left := ask(there, `SELECT EXISTS (SELECT FROM shop_move) OR EXISTS (SELECT FROM company WHERE slug = 'tea')`); left() {
		t.Error("undoing left something")
	}
	kill("while it copied", ask(there, `SELECT count(*) > 1000 FROM product`))
	kill("after the first pass", ask(there, `SELECT EXISTS (SELECT FROM shop_move WHERE since <> '')`))
	kill("while writes were refused", ask(here, `SELECT EXISTS (SELECT FROM pg_locks, hashtextextended('moving:' || $1::text, 0) h
		WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted AND classid::bigint = (h >> 32) & 4294967295 AND objid::bigint = h & 4294967295
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`, company))
	kill("when the shop had gone", ask(here, `SELECT EXISTS (SELECT FROM shop_move WHERE gone)`))
	report := from.verb(move...)
	if killed < 4 {
		t.Errorf("it was killed only %d times", killed)
	}
	before := placed()
	wait(t, "people buy there", func() bool { return placed() > before+5 })
	end()
	var refused, followed int64
	for _, s := range shoppers {
		refused, followed = refused+s.refused.Load(), followed+s.followed.Load()
		if s.origin != report["storefront_url"] {
			t.Errorf("a shopper is at %s, the shop at %s", s.origin, report["storefront_url"])
		}
	}

	sold := to.orders(key)
	for _, s := range shoppers {
		for id := range s.placed {
			if sold[id] == nil {
				t.Errorf("order %s is lost", id)
			}
		}
	}
	t.Logf("%d orders acknowledged, %d refusals, %d redirects, killed %d times: %v", placed(), refused, followed, killed, report)
	if n := placed() + 1; len(sold) != n {
		t.Errorf("%d orders, and %d were acknowledged", len(sold), n)
	}
	for path, page := range want {
		was, got := withoutKeys(hostless(from, "tea", page)), withoutKeys(hostless(to, "tea", seen(to.served("tea", path))))
		if got != was {
			_, difference := moved{}.difference(was, got)
			t.Errorf("%s differs:\n%s", path, difference)
		}
	}
	to.signIn("tea@example.test")
	to.must(key, "POST", "/products", map[string]any{"item": map[string]any{"name": "New"}})

	// The old installation leads to the new one.
	now := itoa(report["company_id"])
	leads := func(host, at, address, want string) {
		t.Helper()
		request, err := http.NewRequest("GET", "http://"+at, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.URL.Opaque, request.Host = address, host
		response, err := direct.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if got := response.Header.Get("Location"); response.StatusCode != 307 || got != want {
			t.Errorf("%s%s: %d %s, want %s", host, address, response.StatusCode, got, want)
		}
	}
	leads("tea.localhost", from.edge, link, "http://tea.localhost:"+portOf(t, to.edge)+link)
	_, path, _ := strings.Cut(strings.TrimPrefix(pays, "http://"), "/")
	path = "/" + path
	paysThere := strings.Replace(path, "/sandbox/"+company+"/", "/sandbox/"+now+"/", 1)
	leads("localhost", from.admin, path, "http://localhost:"+portOf(t, to.admin)+paysThere)
	status, answer, err := from.try("", "POST", "/v1/payments/sandbox/"+company, map[string]any{"ref": "x"})
	if err != nil || status >= 400 { // the client follows, and there the notification is accepted
		t.Errorf("a notification: %d %s %v", status, answer, err)
	}
	if status, answer := to.call("", "GET", link, nil); status != 200 {
		t.Errorf("the link of a letter: %d %v", status, answer)
	}
	if status, answer := to.call("", "GET", strings.Replace(link, "key=", "key=x", 1), nil); status == 200 {
		t.Errorf("a wrong link: %v", answer)
	}
	if status, page, err := to.try("", "GET", paysThere, nil); err != nil || status != 200 || !strings.Contains(string(page), "5") {
		t.Errorf("the page to pay at: %d %s %v", status, page, err)
	}
	if again := from.verb(move...); again["company_id"] != report["company_id"] {
		t.Errorf("again: %v", again)
	}
	for name, p := range map[string]*program{"restored": from, "undone": from} {
		args := map[string][]string{"restored": {"shop", "restore", "--shop", "tea"}, "undone": append(slices.Clone(move), "--undo")}[name]
		if out, _, err := p.run(args...); err == nil {
			t.Errorf("%s: %s", name, out)
		}
	}
	from.verb("shop", "delete", "--shop", "tea", "--yes", "tea")
	if status, _, _ := from.visit("tea", "/"); status != 404 {
		wait(t, "the old address answers no more", func() bool { status, _, _ := from.visit("tea", "/"); return status == 404 })
	}
	if all := to.orders(key); !reflect.DeepEqual(slices.Sorted(maps.Keys(all)), slices.Sorted(maps.Keys(sold))) {
		t.Error("deleting the old shop changed the new one")
	}
}

// A move with the wrong settings begins nothing, and says what is wrong.
func TestAMoveWithWrongSettingsIsRefused(t *testing.T) {
	t.Parallel()
	from, to := newProgram(t), newProgram(t)
	from.shop("tea")
	to.shop("cups")
	refused := func(want string, file string, shop string) {
		t.Helper()
		if said := from.refusedStart("shop", "move", "--shop", shop, "--to", file); !strings.Contains(said, want) {
			t.Errorf("%s, want %s", said, want)
		}
	}
	refused("does not belong to the installation", to.with("VITRINE_SECRET_KEY="+anotherKey).settingsFile(), "tea")
	refused("the same installation", from.settingsFile(), "tea")
	refused("SHOP_NOT_FOUND", to.settingsFile(), "nobody")
	broken := filepath.Join(to.dir, "broken")
	if err := os.WriteFile(broken, []byte("# settings\nVITRINE_DATA_DIR\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused("line 2", broken, "tea")
	to.shop("tea")
	refused("a shop with this slug", to.settingsFile(), "tea")
}
