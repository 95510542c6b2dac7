package store

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"vitrine/internal/shop"
)

// The replica answers reads of a shop once it has replayed, in the history of the primary, what this
// process has seen of the shop.
func TestAReplicaIsReadOnceItHasWhatWasSeen(t *testing.T) {
	t.Parallel()
	const primary, standby = "77 00000001 5 1259 100.5", "77 00000001"
	const changed, other = shop.CompanyID(1), shop.CompanyID(2)
	var r *replica
	follow := func(lsn int64, changes ...shop.CompanyID) {
		f := Followed{Now: Moment{history: primary, lsn: lsn}, Versions: map[shop.CompanyID]int64{}}
		for _, id := range changes {
			f.Versions[id] = 1
		}
		r.followed(f, r.begin(), nil)
	}
	looks := func(replayed int64) { r.found(replicaState{server: "77 1", history: standby, replayed: replayed}) }
	for _, c := range []struct {
		what           string
		do             func()
		changed, other bool
	}{
		{"nothing was followed", func() { looks(1000) }, false, false},
		{"no look at the replica", func() { follow(10) }, false, false},
		{"it lacks what was there at first", func() { follow(10); looks(9) }, false, false},
		{"it has that", func() { follow(10); looks(10) }, true, true},
		{"it lacks a change", func() { follow(10); looks(10); follow(20, changed); looks(19) }, false, true},
		{"it has the change", func() { follow(10); looks(10); follow(20, changed); looks(20) }, true, true},
		{"a write of this process", func() { follow(10); looks(10); r.touch(changed); looks(1000) }, false, true},
		{"a write, followed", func() { follow(10); looks(10); r.touch(changed); follow(20); looks(20) }, true, true},
		{"a write while it was followed", func() {
			follow(10)
			covered := r.begin()
			r.touch(changed)
			r.followed(Followed{Now: Moment{history: primary, lsn: 20}}, covered, nil)
			looks(1000)
		}, false, true},
		{"a write that could not be followed", func() {
			follow(10)
			looks(1000)
			r.touch(changed)
			r.followed(Followed{}, r.begin(), errors.New("down"))
		}, false, true},
		{"another timeline", func() { follow(10); r.found(replicaState{server: "77 1", history: "77 00000002", replayed: 1000}) }, false, false},
		{"another system", func() { follow(10); r.found(replicaState{server: "78 1", history: "78 00000001", replayed: 1000}) }, false, false},
		{"the primary has another history", func() {
			follow(10)
			looks(1000)
			r.followed(Followed{Now: Moment{history: "77 00000002 5 1259 200.5", lsn: 20}, Reset: true}, r.begin(), nil)
		}, false, false},
		{"it is down", func() { follow(10); looks(10); r.stop() }, false, false},
		{"it was down", func() { follow(10); looks(10); r.stop(); looks(10) }, true, true},
		{"it is far behind", func() { follow(10); looks(10); follow(20); r.since = time.Now().Add(-time.Minute) }, false, false},
		{"it was far behind", func() { follow(10); looks(10); follow(20); r.since = time.Now().Add(-time.Minute); looks(20) }, true, true},
	} {
		r = &replica{touched: map[shop.CompanyID]bool{}, needs: map[shop.CompanyID]int64{}, floor: math.MaxInt64}
		r.alive, r.down = context.WithCancel(t.Context())
		r.down()
		c.do()
		for id, want := range map[shop.CompanyID]bool{changed: c.changed, other: c.other} {
			if _, got := r.has(id); got != want {
				t.Errorf("%s: shop %d is read there: %t", c.what, id, got)
			}
		}
		if len(r.needs) > 1 {
			t.Errorf("%s: %v", c.what, r.needs)
		}
	}
}

// A read that the replica cannot answer is repeated at the primary, unless its caller is gone or the
// answer counts.
func TestAReadThatFailsAtTheReplicaIsRepeated(t *testing.T) {
	t.Parallel()
	gone, failed := errors.New("gone"), errors.New("failed")
	r := &replica{touched: map[shop.CompanyID]bool{}, needs: map[shop.CompanyID]int64{}}
	r.alive, r.down = context.WithCancel(t.Context())
	r.history, r.state = "77 00000001 5", replicaState{history: "77 00000001", replayed: 1}
	s := &Store{replica: r}
	final := func(err error) bool { return errors.Is(err, gone) }
	for _, c := range []struct {
		there, want error
		reads       int
	}{{nil, nil, 1}, {gone, gone, 1}, {failed, nil, 2}} {
		reads := 0
		err := s.Anywhere(t.Context(), 1, final, func(ctx context.Context) error {
			if reads++; ReadsReplica(ctx) {
				return c.there
			}
			return nil
		})
		if !errors.Is(err, c.want) || reads != c.reads {
			t.Errorf("%v: %v after %d reads", c.there, err, reads)
		}
	}
	// A replica that is found to be down while it is read.
	err := s.Anywhere(t.Context(), 1, final, func(ctx context.Context) error {
		if !ReadsReplica(ctx) {
			return nil
		}
		r.stop()
		<-ctx.Done()
		return ctx.Err()
	})
	if err != nil {
		t.Error(err)
	}
	if now := r.stats; now != (ReplicaStats{Read: 2, Repeated: 2}) {
		t.Errorf("%+v", now)
	}
	if err := s.Anywhere(InDraft(t.Context(), 1), 1, final, func(ctx context.Context) error {
		if ReadsReplica(ctx) {
			return failed
		}
		return nil
	}); err != nil {
		t.Error("a draft is read at the replica")
	}
}
