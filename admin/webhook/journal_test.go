package webhook_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vitrine/admin/webhook"
	"vitrine/internal/await"
	"vitrine/internal/deliver"
	"vitrine/internal/hook"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/letter"
	webhookdb "vitrine/internal/store/webhook"
)

// failing responds with 500 until it is set to work.
type failing struct{ well atomic.Bool }

func (f *failing) answer(_ int, w http.ResponseWriter, _ *http.Request) {
	if !f.well.Load() {
		w.WriteHeader(500)
	}
}

// The subscribers at the time an event is recorded receive it. Later edits change nothing, and a
// disabled or deleted subscription receives nothing more.
func TestRecipientsAreFixedWhenTheEventIsRecorded(t *testing.T) {
	t.Parallel()
	d := open(t)
	r := newReceiver(t, nil)
	here, _ := d.subscribe(r.URL+"/here", "product.updated")
	other, _ := d.subscribe(r.URL+"/other", "order.paid")
	off, _ := d.subscribe(r.URL+"/off", "product.updated")
	ended, _ := d.subscribe(r.URL+"/ended", "product.updated")
	d.editProduct()
	d.OK("PUT", here, d.owner, m{"events": []string{"order.paid"}})
	d.OK("PUT", other, d.owner, m{"events": []string{"product.updated"}})
	d.OK("PUT", off, d.owner, m{"is_active": false})
	d.OK("PUT", off, d.owner, m{"is_active": true})
	d.OK("DELETE", ended, d.owner, nil)
	late, _ := d.subscribe(r.URL+"/late", "product.updated")
	d.startWorker()
	d.waitForState(here, "delivered", 1)
	for _, path := range []string{off, ended} {
		dead := d.journal(path, "")
		if len(dead) != 1 || dead[0].State != "dead" || dead[0].Reason != "subscription is gone or disabled" || dead[0].DeadAt == nil || len(dead[0].Log) != 0 {
			t.Errorf("%s: %+v", path, dead)
		}
	}
	for _, path := range []string{other, late} {
		if list := d.journal(path, ""); len(list) != 0 {
			t.Errorf("%s: %+v", path, list)
		}
	}
	if n := len(r.seen()); n != 1 {
		t.Errorf("%d requests", n)
	}
	if list := d.Result("GET", ended+"/deliveries", d.owner, nil)["items"].([]any); len(list) != 1 {
		t.Errorf("the journal of a deleted subscription: %v", list)
	}
	d.Refused("GET", here+"/deliveries?filter.state=lost", d.owner, nil, 400, "INVALID_REQUEST")
	d.Refused("GET", here+"/deliveries?page.number=2", d.owner, nil, 400, "INVALID_REQUEST")
}

// An event committed after the subscription was disabled is not sent.
func TestEventsRecordedWhileDisabledAreNotSent(t *testing.T) {
	t.Parallel()
	d := open(t)
	r := newReceiver(t, nil)
	path, _ := d.subscribe(r.URL, "product.updated")
	d.startWorker()
	err := d.Store.Write(t.Context(), d.Shop.ID, func(tx *store.Tx) error {
		if err := tx.RecordEvent(t.Context(), "product.updated", m{}); err != nil {
			return err
		}
		d.OK("PUT", path, d.owner, m{"is_active": false})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if dead := d.waitForState(path, "dead", 1)[0]; dead.Reason != webhookdb.Gone {
		t.Errorf("%+v", dead)
	}
	if n := len(r.seen()); n > 0 {
		t.Errorf("%d requests", n)
	}
}

// An attempt in progress when the subscription ends counts if it is accepted, and is not repeated
// if not.
func TestASubscriptionEndsDuringAnAttempt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code      int
		end       func(d *fixture, path string)
		state, is string
	}{
		{200, func(d *fixture, path string) { d.OK("DELETE", path, d.owner, nil) }, "delivered", ""},
		{500, func(d *fixture, path string) { d.OK("DELETE", path, d.owner, nil) }, "dead", webhookdb.Gone},
		{200, func(d *fixture, path string) { d.OK("PUT", path, d.owner, m{"is_active": false}) }, "delivered", ""},
		{500, func(d *fixture, path string) { d.OK("PUT", path, d.owner, m{"is_active": false}) }, "dead", webhookdb.Gone},
	} {
		t.Run(fmt.Sprint(c.code, c.state), func(t *testing.T) {
			t.Parallel()
			d := open(t)
			goOn := make(chan struct{})
			r := newReceiver(t, func(_ int, w http.ResponseWriter, _ *http.Request) { <-goOn; w.WriteHeader(c.code) })
			path, _ := d.subscribe(r.URL, "product.updated")
			stop := d.startWorker()
			d.editProduct()
			r.wait(t, 1)
			c.end(d, path)
			close(goOn)
			if c.state == "delivered" {
				d.waitForState(path, "delivered", 1)
			}
			stop() // all results are recorded now
			one := d.journal(path, "")[0]
			if one.State != c.state || one.Reason != c.is || (one.DeadAt != nil) != (c.state == "dead") || (one.DeliveredAt != nil) != (c.state == "delivered") {
				t.Errorf("%+v", one)
			}
			d.Clock.Advance(time.Hour)
			d.startWorker()
			d.expectIdle(r, 1, "afterwards")
		})
	}
}

// After a change of the secret both secrets sign for a day; the legacy signature uses the secret
// at the time the event was queued.
func TestBothSecretsSignForADay(t *testing.T) {
	t.Parallel()
	d := open(t)
	f := &failing{}
	r := newReceiver(t, f.answer)
	path, made := d.subscribe(r.URL, "product.updated")
	old := made["secret"].(string)
	d.startWorker()
	d.editProduct()
	d.waitAttempts(path, 1)
	d.OK("PUT", path, d.owner, m{"secret": "the second secret"})
	f.well.Store(true)
	d.Clock.Advance(2 * time.Second)
	d.wake()
	d.waitForState(path, "delivered", 1)
	d.editProduct()
	visits := r.wait(t, 3)
	signed := func(v received) int { return len(strings.Fields(v.header.Get("Webhook-Signature"))) }
	for i, want := range []string{old, old, "the second secret"} {
		if got := visits[i].header.Get("X-Service-Signature"); got != hook.Sign(want, visits[i].body) {
			t.Errorf("request %d is not signed with %s", i+1, want)
		}
	}
	for _, v := range visits[1:] {
		verifies(t, made["standard_secret"].(string), v)
		verifies(t, hook.Prefixed("the second secret"), v)
		if signed(v) != 2 {
			t.Errorf("%d signatures", signed(v))
		}
	}
	d.waitForState(path, "delivered", 2)
	d.Clock.Advance(24*time.Hour + time.Second)
	d.editProduct()
	v := r.wait(t, 4)[3]
	verifies(t, hook.Prefixed("the second secret"), v)
	if signed(v) != 1 {
		t.Errorf("%d signatures after a day", signed(v))
	}
	// A manual redelivery uses the current secret, with the same event and sequence.
	d.waitForState(path, "delivered", 3)
	first := d.journal(path, "")[2]
	d.OK("POST", fmt.Sprintf("%s/deliveries/%d/redeliver", path, first.ID), d.session(), nil)
	v = r.wait(t, 5)[4]
	if v.header.Get("X-Service-Signature") != hook.Sign("the second secret", v.body) || v.header.Get("X-Service-Event-Id") != first.EventID ||
		v.header.Get("X-Service-Sequence") != "1" || v.header.Get("X-Service-Attempt") != "1" || string(v.body) != string(visits[0].body) ||
		v.header.Get("Webhook-Id") != visits[0].header.Get("Webhook-Id") || v.header.Get("X-Service-Delivery-Id") == visits[0].header.Get("X-Service-Delivery-Id") {
		t.Errorf("%v %s", v.header, v.body)
	}
}

// session returns a session of the owner that is valid after the clock was advanced.
func (d *fixture) session() string { return d.Session(d.OwnerID) }

// The sequence of a subscription is consecutive, and a retry has the sequence of its first
// attempt, so a gap reveals a missing delivery.
func TestTheSequenceOfASubscriptionIsConsecutive(t *testing.T) {
	t.Parallel()
	d := open(t)
	r := newReceiver(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n%3 == 0 {
			w.WriteHeader(500)
		}
	})
	path, _ := d.subscribe(r.URL, "product.updated")
	d.startWorker()
	const n = 40
	for range n {
		d.editProduct()
	}
	if !await.Until(func() bool {
		d.Clock.Advance(time.Hour)
		d.wake()
		return len(d.journal(path, "delivered")) >= n
	}) {
		t.Fatalf("%+v", d.journal(path, ""))
	}
	seen := map[string]string{}
	for _, v := range r.seen() {
		at := v.header.Get("X-Service-Sequence")
		if id := v.envelope(t).EventID; seen[at] != "" && seen[at] != id {
			t.Errorf("sequence %s has two events", at)
		} else {
			seen[at] = id
		}
	}
	for i := 1; i <= n; i++ {
		if seen[fmt.Sprint(i)] == "" {
			t.Errorf("no delivery has sequence %d", i)
		}
	}
	if len(seen) != n {
		t.Errorf("%d sequences", len(seen))
	}
}

// The owner is notified once of a failing subscription, and again after it has recovered. It
// stays active.
func TestTheOwnerIsNotifiedOfAFailure(t *testing.T) {
	t.Parallel()
	d := open(t)
	f := &failing{}
	r := newReceiver(t, f.answer)
	path, _ := d.subscribe(r.URL, "product.updated")
	stop := d.startWorker()
	letters := func() (n int) {
		list, err := letter.PlatformLetters(t.Context(), d.Store, d.Clock.Now(), 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range list {
			if l.Kind == store.LetterWebhookFailing {
				n++
				if l.To != "tea@people.test" || !strings.Contains(l.Text, r.URL) || !strings.Contains(l.Text, "status 500") {
					t.Errorf("%+v", l)
				}
			}
		}
		return n
	}
	fails := func(attempts int) {
		t.Helper()
		d.editProduct()
		for i := range attempts {
			if i > 0 {
				d.Clock.Advance(pauses[i-1] + 3*time.Second)
				d.wake()
			}
			d.waitAttempts(path, i+1)
		}
	}
	fails(6) // 12.6 minutes
	if n := letters(); n != 0 {
		t.Errorf("notified %d times too early", n)
	}
	d.Clock.Advance(time.Hour)
	d.wake()
	d.waitAttempts(path, 7)
	wait(t, "a letter after an hour", func() bool { return letters() == 1 })
	d.Clock.Advance(time.Hour)
	d.wake()
	d.waitForState(path, "dead", 1)
	stop() // a letter would be queued after the result is recorded
	if n := letters(); n != 1 {
		t.Errorf("notified %d times", n)
	}
	d.startWorker()
	f.well.Store(true)
	d.record(d.Shop.ID)
	wait(t, "well", func() bool { return d.hook(path).FailingSince == nil })
	f.well.Store(false)
	d.record(d.Shop.ID)
	d.Clock.Advance(time.Second)
	wait(t, "ill", func() bool { return d.hook(path).FailingSince != nil })
	d.Clock.Advance(2 * time.Hour)
	d.wake()
	wait(t, "a second letter", func() bool { return letters() == 2 })
	if w := d.hook(path); !w.Active {
		t.Error("the subscription was disabled")
	}
}

func wait(t testing.TB, what string, is func() bool) {
	t.Helper()
	if !await.Until(is) {
		t.Fatal("timed out waiting for " + what)
	}
}

// All queued deliveries are sent by wake-ups alone, without polling: those over the concurrency
// limit when it allows, those of a locked subscription when it is unlocked.
func TestDeliveriesDoNotWaitForAPoll(t *testing.T) {
	t.Parallel()
	d := open(t)
	r := newReceiver(t, func(n int, _ http.ResponseWriter, _ *http.Request) { time.Sleep(time.Duration(n%7) * time.Millisecond) })
	var paths []string
	for i := range 20 { // one host, whose limit is below their sum
		path, _ := d.subscribe(fmt.Sprint(r.URL, "/", i), "product.updated")
		paths = append(paths, path)
	}
	d.queue(50)
	d.startWorker(func(l *deliver.Loop[webhookdb.DueDelivery]) { l.Interval = time.Hour })
	err := d.Store.Write(t.Context(), d.Shop.ID, func(tx *store.Tx) error { // locks one of them for a while
		if _, err := webhookdb.Lock(t.Context(), tx, id(paths[3])); err != nil {
			return err
		}
		time.Sleep(300 * time.Millisecond)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		d.waitForState(path, "delivered", 50)
	}
}

// Two workers share the journal, and neither sends a delivery that the other has leased.
func TestTwoWorkersSendNothingTwice(t *testing.T) {
	t.Parallel()
	d := open(t)
	r := newReceiver(t, func(n int, _ http.ResponseWriter, _ *http.Request) { time.Sleep(time.Duration(n%5) * time.Millisecond) })
	var paths []string
	for i := range 5 {
		path, _ := d.subscribe(fmt.Sprint(r.URL, "/", i), "product.updated")
		paths = append(paths, path)
	}
	const n = 100
	for range n {
		d.record(d.Shop.ID)
	}
	d.startWorker()
	d.hooks = webhook.New(config(d.Twin()))
	d.startWorker()
	for range n {
		d.record(d.Shop.ID)
	}
	for _, path := range paths {
		wait(t, path, func() bool {
			_, total, err := webhookdb.Deliveries(context.Background(), d.Store.Shop(d.Shop.ID), id(path), "delivered", 1, 0)
			return err == nil && total == 2*n
		})
	}
	times, sequences := map[string]int{}, map[string]int{}
	for _, v := range r.seen() {
		times[v.header.Get("X-Service-Delivery-Id")]++
		sequences[v.header.Get("Webhook-Id")[len("msg_")+37:]+" "+v.header.Get("X-Service-Sequence")]++
	}
	if len(times) != 2*n*len(paths) || len(sequences) != len(times) {
		t.Errorf("%d deliveries, %d sequences", len(times), len(sequences))
	}
	for id, n := range times {
		if n != 1 {
			t.Errorf("delivery %s arrived %d times", id, n)
		}
	}
	for i := 1; i <= 2*n; i++ {
		for _, path := range paths {
			if sequences[fmt.Sprint(id(path), " ", i)] != 1 {
				t.Errorf("%s has sequence %d %d times", path, i, sequences[fmt.Sprint(id(path), " ", i)])
			}
		}
	}
}

// Random edits of subscriptions are compared with a model: an event is sent to the subscriptions
// that were subscribed and active when it was recorded.
func TestSubscriptionsAgainstAModel(t *testing.T) {
	t.Parallel()
	d := open(t)
	type sub struct {
		id     shop.WebhookID
		events []string
		active bool
		gone   bool
		heard  int
	}
	names := hook.Names(true)
	write := func(t *rapid.T, fn func(tx *store.Tx) error) {
		if err := d.Store.Write(context.Background(), d.Shop.ID, fn); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		var subs []*sub
		some := func() []string {
			return rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 4, rapid.ID).Draw(t, "events")
		}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			var s *sub
			if len(subs) > 0 {
				s = rapid.SampledFrom(subs).Draw(t, "which")
			}
			switch what := rapid.IntRange(0, 5).Draw(t, "what"); {
			case s == nil || what == 0:
				w := webhookdb.Webhook{Active: true, URL: public, Host: "x", Events: some()}
				write(t, func(tx *store.Tx) error {
					return webhookdb.Insert(ctx, tx, &w, func(shop.WebhookID) []byte { return []byte("s") })
				})
				subs = append(subs, &sub{id: w.ID, events: w.Events, active: true})
			case what < 3:
				name := rapid.SampledFrom(names).Draw(t, "event")
				write(t, func(tx *store.Tx) error { return tx.RecordEvent(ctx, name, m{}) })
				for _, s := range subs {
					if s.active && !s.gone && slices.Contains(s.events, name) {
						s.heard++
					}
				}
			case s.gone:
			case what == 5:
				write(t, func(tx *store.Tx) error { return webhookdb.Delete(ctx, tx, s.id, d.Clock.Now()) })
				s.gone = true
			default:
				s.events, s.active = some(), rapid.Bool().Draw(t, "active")
				write(t, func(tx *store.Tx) error {
					w, err := webhookdb.Lock(ctx, tx, s.id)
					if err != nil {
						return err
					}
					w.Events, w.Active = s.events, s.active
					return webhookdb.Save(ctx, tx, &w, nil, d.Clock.Now())
				})
			}
		}
		for _, s := range subs {
			list, total, err := webhookdb.Deliveries(ctx, d.Store.Shop(d.Shop.ID), s.id, "", 100, 0)
			if err != nil || total != s.heard {
				t.Fatalf("%+v received %d (%v)", s, total, err)
			}
			for _, one := range list {
				if (s.gone || !s.active) && one.State != "dead" {
					t.Fatalf("%+v has %+v", s, one)
				}
			}
			write(t, func(tx *store.Tx) error { return webhookdb.Delete(ctx, tx, s.id, d.Clock.Now()) })
		}
	})
}

// The database becomes unavailable between any two messages, repeatedly: every recorded event
// arrives, and duplicates have the same bytes.
func TestDeliveriesSurviveAnUnavailableDatabase(t *testing.T) {
	t.Parallel()
	d := open(t)
	r := newReceiver(t, nil)
	path, _ := d.subscribe(r.URL, "product.updated")
	const n = 40
	for range n {
		d.record(d.Shop.ID)
	}
	d.startWorker()
	for cut := range 12 {
		d.DatabaseConn.Cut(cut * 5)
		time.Sleep(30 * time.Millisecond)
		d.DatabaseConn.Mend()
		d.wake()
		time.Sleep(30 * time.Millisecond)
	}
	if !await.Until(func() bool {
		d.Clock.Advance(time.Minute) // leases expire
		d.wake()
		return len(d.journal(path, "delivered")) == n
	}) {
		t.Fatalf("%+v", d.journal(path, ""))
	}
	bodies := map[string]string{}
	for _, v := range r.seen() {
		id := v.envelope(t).EventID
		if was, known := bodies[id]; known && was != string(v.body) {
			t.Errorf("%s, then %s", was, v.body)
		}
		bodies[id] = string(v.body)
	}
	if len(bodies) != n {
		t.Errorf("%d of %d events", len(bodies), n)
	}
}
