package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	peopledb "vitrine/internal/store/people"
	salesdb "vitrine/internal/store/sales"
	"vitrine/internal/store/storetest"
)

// orderShop is a shop in which tests make orders.
type orderShop struct {
	*store.Store
	t       *testing.T
	conn    *pgx.Conn
	company shop.CompanyID
	n       int // people created so far

	currency string // of orders
}

func openOrderShop(t *testing.T, settings ...store.ConnOption) *orderShop {
	t.Helper()
	url := storetest.URL(t, store.Migrate)
	s, err := store.Open(t.Context(), url, settings...)
	must(t, err)
	t.Cleanup(s.Close)
	return &orderShop{Store: s, t: t, conn: connect(t, url), company: newShop(t, s, "tea"), currency: "EUR"}
}

// person creates a person with an address, or a guest without one.
func (l *orderShop) person(email string, proven bool) shop.UserID {
	l.t.Helper()
	if email == "" {
		id, err := peopledb.CreateGuest(l.t.Context(), l.Store)
		must(l.t, err)
		return id
	}
	id, err := peopledb.CreatePerson(l.t.Context(), l.Store, email, "Ann", peopledb.NoPassword)
	must(l.t, err)
	if proven {
		l.exec(`UPDATE person SET proven_at = now() WHERE id = $1`, id)
	}
	return id
}

func (l *orderShop) exec(sql string, args ...any) {
	l.t.Helper()
	if _, err := l.conn.Exec(l.t.Context(), sql, args...); err != nil {
		l.t.Fatal(err)
	}
}

func (l *orderShop) orders(person shop.UserID, email string, sum int64) shop.OrderID {
	l.t.Helper()
	o := &salesdb.Order{
		Person: person, ItemsTotal: sum, GrandTotal: sum, Currency: l.currency, Contact: salesdb.Contact{Name: "Ann", Phone: "1", Email: email}, Lines: []salesdb.OrderLine{},
	}
	must(l.t, l.Write(l.t.Context(), l.company, func(tx *store.Tx) error { return salesdb.PlaceOrder(l.t.Context(), tx, o) }))
	return o.ID
}

// recount compares the counters of customers with a count of their orders.
const recount = `
	SELECT c.id || ': ' || c.orders || ' ' || c.spent || ' ' || coalesce(c.last_order_at::text, '') || ', counted ' || w.n || ' ' || w.s || ' ' || coalesce(w.last::text, '')
	FROM customer c CROSS JOIN LATERAL (
		SELECT count(*) AS n, max(created_at) AS last, coalesce(sum(grand_total) FILTER (WHERE
			currency = (SELECT k.currency FROM company k WHERE k.id = o.company_id)
			AND (NOT EXISTS (SELECT FROM payment y WHERE y.company_id = o.company_id AND y.order_id = o.id AND y.status = 'refunded')
			OR EXISTS (SELECT FROM payment y WHERE y.company_id = o.company_id AND y.order_id = o.id AND y.status IN ('paid', 'paid_again', 'refunding')))), 0) AS s
		FROM shop_order o WHERE o.company_id = c.company_id AND o.customer_id = c.id AND o.status <> 'cancelled') w
	WHERE ((c.orders, c.spent) <> (w.n, w.s) OR c.last_order_at IS DISTINCT FROM w.last)`

// The counters of customers equal a recount of the orders after each of 10,000 random
// steps: orders with and without an address, status changes, second payments, refunds that
// succeed or fail, other currencies, backdated orders, guests who become accounts and
// accounts that absorb guests.
func TestCustomerCountersMatchTheirOrders(t *testing.T) {
	t.Parallel()
	l := openOrderShop(t, planOnce)
	l.exec(`SET plan_cache_mode = force_generic_plan`)
	steps := 0
	rapid.Check(t, func(r *rapid.T) {
		l.company, l.currency = newShop(t, l.Store, fmt.Sprintf("shop%d", steps)), "EUR"
		people := []shop.UserID{l.person("", false), l.person("", false)}
		guests := people
		var orders []shop.OrderID
		address := func() string {
			return rapid.SampledFrom([]string{"", "a@people.test", "B@people.test", "b@People.test", "c@people.test"}).Draw(r, "address")
		}
		for range 100 {
			steps++
			order := shop.OrderID(0)
			if len(orders) > 0 {
				order = rapid.SampledFrom(orders).Draw(r, "order")
			}
			switch step := rapid.SampledFrom([]string{"order", "order", "move", "move", "pay", "again", "refund", "date", "guest", "register", "login", "currency"}).Draw(r, "step"); {
			case step == "order":
				orders = append(orders, l.orders(rapid.SampledFrom(people).Draw(r, "person"), address(), rapid.Int64Range(0, 1000).Draw(r, "sum")))
			case step == "currency":
				l.currency = rapid.SampledFrom([]string{"EUR", "USD"}).Draw(r, "currency")
				must(t, l.Write(t.Context(), l.company, func(tx *store.Tx) error { return company.SetCurrency(t.Context(), tx, l.currency) }))
			case step == "guest":
				people = append(people, l.person("", false))
				guests = people[len(people)-1:]
			case step == "register" && len(guests) > 0:
				l.n++
				_, err := peopledb.RegisterGuest(t.Context(), l.Store, guests[0], fmt.Sprintf("p%d@people.test", l.n), "Ann", peopledb.NoPassword)
				must(t, err)
				guests = guests[1:]
			case step == "login" && len(guests) > 0:
				_, err := peopledb.JoinGuest(t.Context(), l.Store, guests[0], rapid.SampledFrom(people).Draw(r, "account"))
				must(t, err)
			case order == 0:
			case step == "move":
				to := rapid.SampledFrom(shop.OrderStatuses).Draw(r, "to")
				must(t, l.Write(t.Context(), l.company, func(tx *store.Tx) error {
					o, err := salesdb.LockOrder(t.Context(), tx, order)
					if err != nil {
						return err
					}
					return salesdb.SetOrderStatus(t.Context(), tx, &o, to, 0)
				}))
			case step == "pay":
				l.exec(`INSERT INTO payment (company_id, order_id, method, provider, status, amount_minor, currency)
					VALUES ($1, $2, 'manual', 'manual', 'pending', 1, 'EUR') ON CONFLICT DO NOTHING`, l.company, order)
				l.exec(`UPDATE payment SET status = 'paid' WHERE company_id = $1 AND order_id = $2 AND status = 'pending'`, l.company, order)
			case step == "again":
				l.exec(`INSERT INTO payment (company_id, order_id, method, provider, status, amount_minor, currency)
					VALUES ($1, $2, 'manual', 'manual', 'pending', 1, 'EUR') ON CONFLICT DO NOTHING`, l.company, order)
				l.exec(`UPDATE payment SET status = 'paid_again' WHERE company_id = $1 AND order_id = $2 AND status = 'pending'`, l.company, order)
			case step == "refund":
				l.exec(`UPDATE payment SET status = $3 WHERE company_id = $1 AND id = (
					SELECT min(id) FROM payment WHERE company_id = $1 AND order_id = $2 AND status IN ('paid', 'paid_again', 'refunding'))`,
					l.company, order, rapid.SampledFrom([]string{"paid", "refunding", "refunded"}).Draw(r, "refund"))
			case step == "date":
				at := time.Date(2020, 1, rapid.IntRange(1, 28).Draw(r, "day"), 0, 0, 0, 0, time.UTC)
				must(t, l.Write(t.Context(), l.company, func(tx *store.Tx) error { return salesdb.BackdateOrder(t.Context(), tx, order, at) }))
			}
			if wrong := queryTexts(t, l.conn, recount+` AND c.company_id = $1`, l.company); len(wrong) > 0 {
				r.Fatalf("after %d orders the counters are wrong: %v", len(orders), wrong)
			}
		}
	})
	if orphans := queryTexts(t, l.conn, `SELECT o.id::text FROM shop_order o WHERE customer_id IS NULL`); len(orphans) > 0 || steps < 10_000 {
		t.Errorf("after %d steps these orders have no customer: %v", steps, orphans)
	}
}

// Group membership depends on a verified address: an address that others gave with their
// orders puts nobody into a group.
func TestCustomerGroupsNeedAVerifiedAddress(t *testing.T) {
	t.Parallel()
	l := openOrderShop(t)
	var friends, spenders, recent shop.CustomerGroupID
	row := func(sql string, to any, args ...any) {
		t.Helper()
		must(t, l.conn.QueryRow(t.Context(), sql, args...).Scan(to))
	}
	row(`INSERT INTO customer_group (company_id, name) VALUES ($1, 'Friends') RETURNING id`, &friends, l.company)
	row(`INSERT INTO customer_group (company_id, name, spent_more_than) VALUES ($1, 'Rich', 100) RETURNING id`, &spenders, l.company)
	row(`INSERT INTO customer_group (company_id, name, ordered_since) VALUES ($1, 'Fresh', now() - interval '1 day') RETURNING id`, &recent, l.company)
	guest, ann := l.person("", false), l.person("Ann@People.test", false)
	shows := func(name string, person shop.UserID, want string) {
		t.Helper()
		known, groups, err := peopledb.CustomerGroupsOf(t.Context(), l.Shop(l.company), person)
		must(t, err)
		if got := fmt.Sprint(known, groups); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	l.orders(guest, "ann@people.TEST", 100)
	shows("a guest who gives an address", guest, "false []")
	shows("a person who registered the address", ann, "false []")
	l.exec(`UPDATE person SET proven_at = now() WHERE id = $1`, ann)
	shows("a person who verified it", ann, fmt.Sprint("true ", []shop.CustomerGroupID{recent}))
	l.orders(guest, "ann@people.test", 1)
	l.exec(`INSERT INTO customer_member SELECT company_id, $2, id FROM customer WHERE company_id = $1 AND email = 'ann@people.test'`, l.company, friends)
	shows("a person who spent more", ann, fmt.Sprint("true ", []shop.CustomerGroupID{friends, spenders, recent}))
	bob := l.person("bob@people.test", true)
	shows("a stranger", bob, "false []")
	l.orders(bob, "ann@people.test", 1)
	shows("a person who ordered for somebody else", bob, "true []")
	shows("no person", 0, "false []")
	other := newShop(t, l.Store, "other")
	if known, groups, err := peopledb.CustomerGroupsOf(t.Context(), l.Shop(other), ann); err != nil || known || len(groups) > 0 {
		t.Errorf("in another shop: %v %v %v", known, groups, err)
	}
}
