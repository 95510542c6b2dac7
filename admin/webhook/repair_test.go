package webhook_test

import (
	"fmt"
	"slices"
	"testing"
	"time"
	"vitrine/internal/store/storetest"
)

// A redelivery is one attempt, and does not affect the state of the subscription.
func TestARedeliveryIsASingleAttempt(t *testing.T) {
	t.Parallel()
	d := open(t)
	f := &failing{}
	r := newReceiver(t, f.answer)
	path, _ := d.subscribe(r.URL, "product.updated")
	f.well.Store(true)
	d.editProduct()
	stop := d.startWorker()
	d.waitForState(path, "delivered", 1)
	stop()
	f.well.Store(false)
	at := fmt.Sprintf("%s/deliveries/%d/redeliver", path, d.journal(path, "")[0].ID)
	first := d.Result("POST", at, d.owner, nil)
	if second := d.Result("POST", at, d.owner, nil); second["id"] != first["id"] || first["by_hand"] != true || first["state"] != "queued" {
		t.Errorf("%v, then %v", first, second)
	}
	d.startWorker()
	dead := d.waitForState(path, "dead", 1)[0]
	if dead.Reason != "status 500" || len(dead.Log) != 1 || dead.ID.String() != first["id"] {
		t.Errorf("%+v", dead)
	}
	if w := d.hook(path); w.FailingSince != nil || w.LastStatus != 500 {
		t.Errorf("%+v", w)
	}
	d.Refused("POST", path+"/deliveries/999/redeliver", d.owner, nil, 404, "WEBHOOK_DELIVERY_NOT_FOUND")
	other, _ := d.subscribe(public, "order.paid")
	d.Refused("POST", fmt.Sprintf("%s/deliveries/%d/redeliver", other, dead.ID), d.owner, nil, 404, "WEBHOOK_DELIVERY_NOT_FOUND")
	d.OK("PUT", path, d.owner, m{"is_active": false})
	d.Refused("POST", at, d.owner, nil, 400, "WEBHOOK_INACTIVE")
	d.Refused("POST", path+"/replay", d.owner, m{"since": "2020-01-01T00:00:00Z"}, 400, "WEBHOOK_INACTIVE")
}

// A replay sends deliveries that died since a given time again, each event once, oldest first,
// with the same bytes, and none that was accepted or is queued.
func TestAReplaySendsDeadDeliveriesAgain(t *testing.T) {
	t.Parallel()
	d := open(t)
	f := &failing{}
	r := newReceiver(t, f.answer)
	path, _ := d.subscribe(r.URL, "product.updated")
	f.well.Store(true)
	d.editProduct()
	stop := d.startWorker()
	d.waitForState(path, "delivered", 1)
	stop()
	for range 3 {
		d.editProduct()
	}
	d.OK("PUT", path, d.owner, m{"is_active": false}) // three deliveries are dead
	d.OK("PUT", path, d.owner, m{"is_active": true})
	events := storetest.Events(t, d.Store.Pool, int(d.Shop.ID))
	events = events[len(events)-3:]
	for _, since := range []any{nil, "", "yesterday", "2999-01-01T00:00:00Z", 7, "2026-01-01"} {
		d.Refused("POST", path+"/replay", d.owner, m{"since": since}, 400, "INVALID_REQUEST")
	}
	since := events[1].At.Format(time.RFC3339Nano)
	d.Clock.Advance(time.Minute) // the database uses the real time
	if got := d.Result("POST", path+"/replay", d.owner, m{"since": since}); got["queued"] != 2.0 || got["more"] != false {
		t.Errorf("%v", got)
	}
	if got := d.Result("POST", path+"/replay", d.owner, m{"since": since}); got["queued"] != 0.0 {
		t.Errorf("queued deliveries were queued again: %v", got)
	}
	if got := d.Result("POST", path+"/replay", d.owner, m{"since": "2020-01-01T00:00:00+05:00"}); got["queued"] != 1.0 {
		t.Errorf("%v", got)
	}
	d.startWorker()
	d.waitForState(path, "delivered", 4)
	if got := d.Result("POST", path+"/replay", d.owner, m{"since": "2020-01-01T00:00:00Z"}); got["queued"] != 0.0 {
		t.Errorf("accepted deliveries were queued again: %v", got)
	}
	var ids []string
	for _, v := range r.seen()[1:] {
		ids = append(ids, v.envelope(t).EventID)
	}
	slices.Sort(ids)
	want := []string{events[0].ID, events[1].ID, events[2].ID}
	slices.Sort(want)
	if !slices.Equal(ids, want) {
		t.Errorf("%v, not %v", ids, want)
	}
}
