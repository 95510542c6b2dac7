package letter_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/mail/mailtest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
	"vitrine/internal/store/privacy"
	"vitrine/internal/store/sales"
)

// leaves fills the buyer's cart and enters an address at the checkout.
func (d *fixture) leaves(email string, agreed bool) {
	d.t.Helper()
	d.buyerCall("POST", "/cart/items/"+d.product+"/default", m{"quantity": 2})
	d.buyerCall("PUT", "/cart/contact", m{"email": email, "agreed": agreed})
}

// remind runs the worker once, as if it was later, and returns how many carts it looked at.
func (d *fixture) remind(later time.Duration) int {
	d.t.Helper()
	now := time.Now().Add(later)
	left, err := sales.ClaimLeftCarts(d.t.Context(), d.Store, now, time.Minute, 100)
	for _, c := range left {
		if err == nil {
			err = d.Store.Write(d.t.Context(), c.Company, func(tx *store.Tx) error { return sales.Remind(d.t.Context(), tx, c.Person, now) })
		}
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return len(left)
}

func (d *fixture) reminders(set m) {
	d.OK("PUT", "/v1/shop/settings", d.owner, m{"cart_reminder": set})
}

// expect checks how many reminders were queued since the last letters were removed.
func (d *fixture) expect(step string, want int) {
	d.t.Helper()
	if got := len(d.letters(store.CartLetter)); got != want {
		d.t.Errorf("%s: %d letters, want %d", step, got, want)
	}
}

// A cart gets one reminder, after the hours, until its buyer has ordered.
func TestACartIsRemindedOfOnce(t *testing.T) {
	t.Parallel()
	d := open(t, "en")
	d.OK("PUT", "/products/"+d.product+"/stock", d.owner, m{"quantity": 40})
	d.leaves("ann@else.test", false)
	if n := d.remind(100 * time.Hour); n != 0 {
		t.Errorf("%d carts were claimed while reminders are off", n)
	}
	d.reminders(m{"after_hours": 2})
	d.remind(time.Hour)
	d.expect("too early", 0)
	d.remind(3 * time.Hour)
	d.expect("after the hours", 1)
	if n := d.remind(3 * time.Hour); n != 0 {
		t.Errorf("%d carts were claimed again", n)
	}
	d.leaves("ann@else.test", true) // the cart changes
	d.remind(6 * time.Hour)
	d.expect("the same cart, changed", 1)
	order := d.orders(1, "ann@else.test")
	row := d.Result("GET", "/carts", d.Owner, nil)["items"].([]any)[0].(map[string]any)
	if fmt.Sprint(row["recovered_order_id"]) != order || row["reminded_at"] == nil {
		t.Errorf("the recovered cart is %v", row)
	}
	d.leaves("ann@else.test", false)
	d.remind(9 * time.Hour)
	d.expect("after the order", 2)
	now := d.Result("GET", "/stats", d.Owner, nil)
	if got := fmt.Sprint(now["reminders"], now["recovered_orders"], now["recovered_revenue"], now["previous"].(map[string]any)["reminders"]); got != "2 1 70 0" {
		t.Errorf("statistics: %s", got)
	}
	d.OK("PUT", "/orders/"+order+"/status", d.owner, m{"status": "cancelled"})
	if now := d.Result("GET", "/stats", d.Owner, nil); now["recovered_orders"] != 0.0 {
		t.Errorf("a cancelled order counts: %v", now["recovered_orders"])
	}
}

// Workers that look at the same cart at once, and one that dies before its commit, write one letter.
func TestWorkersRemindOfACartOnce(t *testing.T) {
	t.Parallel()
	d := open(t, "en")
	d.reminders(m{"after_hours": 1})
	d.leaves("ann@else.test", false)
	now := time.Now().Add(2 * time.Hour)
	left, err := sales.ClaimLeftCarts(t.Context(), d.Store, now, time.Minute, 100)
	if err != nil || len(left) != 1 {
		t.Fatalf("%v, %v", left, err)
	}
	if again, err := sales.ClaimLeftCarts(t.Context(), d.Store, now, time.Minute, 100); err != nil || len(again) != 0 {
		t.Errorf("claimed during the lease: %v, %v", again, err)
	}
	dies := errors.New("the process dies")
	err = d.Store.Write(t.Context(), d.Shop.ID, func(tx *store.Tx) error {
		return errors.Join(sales.Remind(t.Context(), tx, left[0].Person, now), dies)
	})
	if !errors.Is(err, dies) {
		t.Fatal(err)
	}
	d.expect("a worker died", 0)
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			err := d.Store.Write(t.Context(), d.Shop.ID, func(tx *store.Tx) error { return sales.Remind(t.Context(), tx, left[0].Person, now) })
			if err != nil {
				t.Error(err)
			}
		})
	}
	workers.Wait()
	d.expect("eight workers", 1)
}

// A worker that is cut off at any message to or from the database, between the claim of a cart and the
// end of its transaction, writes one letter or none. None is written by the next worker, once the
// lease is over.
func TestAReminderIsWrittenOnceWhereverItsWorkerDies(t *testing.T) {
	t.Parallel()
	d := open(t, "en")
	d.reminders(m{"after_hours": 1})
	died, atOnce := 0, 0
	for cut, done := 1, false; !done; cut++ {
		email := fmt.Sprintf("buyer%d@else.test", cut)
		d.buyer = d.Session(d.Buyer(fmt.Sprintf("account%d@people.test", cut)))
		d.leaves(email, false)
		written := func() (n int) {
			for _, l := range d.letters(store.CartLetter) {
				if l["to"] == email {
					n++
				}
			}
			return n
		}
		now := time.Now().Add(2 * time.Hour)
		d.DatabaseConn.Cut(cut)
		left, err := sales.ClaimLeftCarts(t.Context(), d.Store, now, time.Minute, 100)
		for _, c := range left {
			err = errors.Join(err, d.Store.Write(t.Context(), c.Company, func(tx *store.Tx) error { return sales.Remind(t.Context(), tx, c.Person, now) }))
		}
		d.DatabaseConn.Mend()
		done = err == nil
		before := written()
		if done && before != 1 || before > 1 {
			t.Errorf("cut after %d messages: %d letters, %v", cut, before, err)
		}
		if !done {
			died++
			atOnce += before
		}
		d.remind(2*time.Hour + 2*time.Minute)
		d.remind(3 * time.Hour)
		if n := written(); n != 1 {
			t.Errorf("cut after %d messages: %d letters in the end, %d before", cut, n, before)
		}
	}
	if died < 10 || atOnce == 0 || atOnce == died {
		t.Errorf("the worker died %d times, %d of them after its commit", died, atOnce)
	}
}

// Who gets no reminder, though they left a cart at which an address was entered.
func TestWhoGetsNoReminder(t *testing.T) {
	t.Parallel()
	const address = "Ann+tea@else.test"
	set := m{"after_hours": 1}
	for name, x := range map[string]struct {
		set  m
		left func(d *fixture)
		want int
	}{
		"nothing is against it":       {set, func(*fixture) {}, 1},
		"no consent":                  {m{"after_hours": 1, "ask_consent": true}, func(*fixture) {}, 0},
		"with consent":                {m{"after_hours": 1, "ask_consent": true}, func(d *fixture) { d.leaves(address, true) }, 1},
		"the address was removed":     {set, func(d *fixture) { d.leaves("", true) }, 0},
		"the cart was emptied":        {set, func(d *fixture) { d.buyerCall("DELETE", "/cart/items/"+d.product+"/default", nil) }, 0},
		"the product is not sold":     {set, func(d *fixture) { d.OK("PUT", "/products/"+d.product, d.Owner, m{"item": m{"is_published": false}}) }, 0},
		"the product was deleted":     {set, func(d *fixture) { d.OK("DELETE", "/products/"+d.product, d.Owner, nil) }, 0},
		"the buyer ordered":           {set, func(d *fixture) { d.orders(1, "other@else.test") }, 0},
		"the address bounces":         {set, func(d *fixture) { d.exec(`INSERT INTO letter_bounce VALUES ($1, 'ann+tea@else.test', '550', now())`) }, 0},
		"the shop is closed":          {set, func(d *fixture) { d.Close(true) }, 0},
		"the shop is blocked":         {set, func(d *fixture) { d.exec(`UPDATE company SET blocked = true WHERE id = $1`) }, 0},
		"reminders were switched off": {set, func(d *fixture) { d.reminders(nil) }, 0},
		"too long ago": {set, func(d *fixture) {
			d.exec(`UPDATE cart SET updated_at = now() - interval '8 days' WHERE company_id = $1`)
		}, 0},
		"the address ordered elsewhere": {set, func(d *fixture) {
			mine := d.buyer
			d.buyer = d.Session(d.Buyer("another@people.test"))
			d.orders(1, "ann@else.test") // the same mailbox
			d.buyer = mine
		}, 0},
		"the address refused": {set, func(d *fixture) {
			d.exec(`INSERT INTO reminder_refusal (company_id, recipient) VALUES ($1, address_hash('ANN@else.test'))`)
		}, 0},
		"the address was erased": {set, func(d *fixture) {
			d.orders(1, "ann+tea@else.test")
			customer := d.Result("GET", "/customers", d.Owner, nil)["items"].([]any)[0].(map[string]any)["id"]
			d.OK("POST", "/customers/"+fmt.Sprint(customer)+"/erase", d.Owner, m{})
			d.buyer = d.Session(d.Buyer("new@people.test"))
			d.leaves(address, true)
		}, 0},
		"another cart has a reminder to the address": {set, func(d *fixture) {
			d.remind(2 * time.Hour)
			d.buyer = d.Session(d.Buyer("another@people.test"))
			d.leaves("ann@else.test", true)
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t, "en")
			d.reminders(x.set)
			d.leaves(address, false)
			x.left(d)
			d.remind(3 * time.Hour)
			d.remind(3 * time.Hour)
			d.Close(false)
			d.expect(name, x.want)
		})
	}
}

// A buyer who entered no address gets the letter at the verified address of their account.
func TestASignedInBuyerNeedsNoAddress(t *testing.T) {
	t.Parallel()
	d := open(t, "en")
	d.reminders(m{"after_hours": 1})
	d.buyerCall("POST", "/cart/items/"+d.product+"/default", m{"quantity": 1})
	d.remind(2 * time.Hour)
	d.expect("an address that is not verified", 0)
	ben, _, err := people.PersonByEmail(t.Context(), d.Store, "ben@people.test")
	if err == nil {
		err = d.Store.Write(t.Context(), d.Shop.ID, func(tx *store.Tx) error { return people.MarkProven(t.Context(), tx, ben.ID, d.Clock.Now()) })
	}
	if err != nil {
		t.Fatal(err)
	}
	d.buyerCall("PUT", "/cart/items/"+d.product+"/default", m{"quantity": 2})
	d.remind(2 * time.Hour)
	if l := d.letters(store.CartLetter); len(l) != 1 || l[0]["to"] != "ben@people.test" {
		t.Errorf("%v", l)
	}
	data, err := privacy.ExportPerson(t.Context(), d.Store, ben.ID, 0)
	if err != nil || !strings.Contains(string(data), `"reminder_email"`) && !strings.Contains(string(data), "cart_left_buyer") {
		t.Errorf("the export of the person has no reminder: %v", err)
	}
}

// The letter has the lines at present prices, a code that is issued once, a link that opens the cart
// for others without its contact, and a header with which mail programs unsubscribe.
func TestTheReminderOfACart(t *testing.T) {
	t.Parallel()
	p := startWorker(t, &mailtest.Box{})
	campaign := p.Result("POST", "/promotions", p.owner, m{"item": m{"name": "Back", "kind": "personal_coupon", "value": m{"percent": 10}, "issue": m{"on": "order_completed", "prefix": "BACK-", "days": 7}}})["id"]
	p.Refused("PUT", "/v1/shop/settings", p.owner, m{"cart_reminder": m{"after_hours": 1, "promotion_id": "999"}}, 400, "SETTINGS_INVALID")
	p.reminders(m{"after_hours": 1, "promotion_id": campaign})
	p.leaves("ann@else.test", false)
	p.OK("PUT", "/products/"+p.product, p.Owner, m{"item": m{"price": m{"price": 15}}})
	p.remind(2 * time.Hour)
	p.until(store.CartLetter, "sent", 1)
	sent := p.box.Mails()[0]
	text := sent.Part("text/plain")
	code := regexp.MustCompile(`BACK-[A-Z2-9]{10}`).FindString(text)
	link := regexp.MustCompile(`http://\S+/cart\?open=(\S+)`).FindStringSubmatch(text)
	if !strings.Contains(text, "Earl <Grey>: 2 × 15") || !strings.Contains(text, "30") || code == "" || link == nil || strings.Contains(text, "http://tea.shops.test/cart?open=1\n") {
		t.Fatalf("%s", text)
	}
	target := strings.Trim(sent.Header("List-Unsubscribe"), "<>")
	if sent.Header("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" || !strings.Contains(text, target) || !strings.Contains(target, shop.UnsubscribePrefix) {
		t.Errorf("List-Unsubscribe: %q", target)
	}
	if issued := p.Result("GET", "/promotions/"+fmt.Sprint(campaign)+"/codes", p.owner, nil)["items"].([]any); len(issued) != 1 {
		t.Errorf("%d codes", len(issued))
	}
	if n := len(p.fixture.letters("personal_coupon_buyer")); n != 0 {
		t.Errorf("%d letters about the code alone", n)
	}
	p.opened(link[1])

	// An address that refuses after the letter was queued gets none.
	p.leaves("cleo@else.test", true)
	p.exec(`DELETE FROM cart_reminder WHERE company_id = $1`)
	p.stop()
	p.remind(4 * time.Hour)
	p.exec(`INSERT INTO reminder_refusal (company_id, recipient) VALUES ($1, address_hash('cleo@else.test'))`)
	p.resume().until(store.CartLetter, "failed", 1)
	for _, other := range p.box.Mails() {
		if other.To == "cleo@else.test" {
			t.Error("an address that refused got a letter")
		}
	}
}

// opened opens the link of a cart twice as another visitor: the lines are added once, and nothing else.
func (p *mailFixture) opened(key string) {
	p.t.Helper()
	check := api.CheckLinks(p.t.Context(), p.Store, p.letters.Sealer, p.Shop.ID)
	for name, bad := range map[string]string{"": "", "changed": "9" + key, "cut": key[:len(key)-1], "other": strings.Replace(key, ".", "0.", 1)} {
		if _, ok := api.ReadCartKey(check, bad, time.Now()); ok {
			p.t.Errorf("a key that is %s opens a cart", name)
		}
	}
	cart, ok := api.ReadCartKey(check, key, time.Now())
	if !ok {
		p.t.Fatal("the key of the letter is invalid")
	}
	if _, ok := api.ReadCartKey(api.CheckLinks(p.t.Context(), p.Store, p.letters.Sealer, p.Shop.ID+1), key, time.Now()); ok {
		p.t.Error("another shop accepts the key")
	}
	if _, ok := api.ReadCartKey(check, key, time.Now().Add(api.CartLinkLife+time.Hour)); ok {
		p.t.Error("the key never expires")
	}
	visitor := p.Buyer("dan@people.test")
	for range 2 {
		err := p.Store.Write(p.t.Context(), p.Shop.ID, func(tx *store.Tx) error {
			if err := sales.LockCart(p.t.Context(), tx, visitor); err != nil {
				return err
			}
			return sales.OpenCart(p.t.Context(), tx, cart, key, visitor)
		})
		if err != nil {
			p.t.Fatal(err)
		}
	}
	got, err := sales.GetCart(context.Background(), p.Store.Shop(p.Shop.ID), visitor)
	if err != nil || len(got.Lines) != 1 || got.Lines[0].Quantity != 2 || got.Contact != (sales.Contact{}) {
		p.t.Errorf("opened twice: %+v, %v", got, err)
	}
}
