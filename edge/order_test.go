package edge

import (
	"bytes"
	"runtime"
	"testing"
	"time"

	"vitrine/compile"
	"vitrine/internal/await"
	"vitrine/internal/shop"
)

// Whoever sees a new state finds its changes in the ledger: a page of the state before would
// otherwise look unchanged to a request between the two. The test holds the ledger, waits until
// the change is about to be recorded, and looks at the state. It is not parallel, so no other
// test records anything meanwhile.
func TestAChangeIsRecordedBeforeItsStateIsVisible(t *testing.T) {
	for name, change := range map[string]func(w *world, at *tenant){
		"a write": func(w *world, _ *tenant) { w.rename(11, "Renamed") },
		"a moment at which prices change": func(w *world, at *tenant) {
			w.edge.advanceClock(at, w.edge.cfg.Now())
		},
		"a shop that is loaded again": func(w *world, _ *tenant) { w.change(7, compile.Delta{}, nil) },
		"a scheduled page appears": func(w *world, at *tenant) {
			w.clock.Add(90)
			w.edge.advanceClock(at, w.edge.cfg.Now())
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			noon := w.edge.cfg.Now().Add(90 * time.Second)
			w.change(7, compile.Delta{Ahead: []compile.Scheduled{{Page: compile.PageRef{Entity: compile.EntityProduct, ID: 11}, At: noon}}}, nil,
				shop.Key{Kind: shop.KeyProduct, ID: 11})
			w.get("/shoes/clog")
			tenant := w.edge.tenants.peek(7)
			before := tenant.state.Load()
			tenant.ledger.mu.Lock()
			done := make(chan struct{})
			go func() {
				defer close(done)
				change(w, tenant)
			}()
			if !await.Until(recording) {
				t.Fatal("the change was not recorded")
			}
			if tenant.state.Load() != before {
				t.Error("the new state is visible before the ledger has its changes")
			}
			tenant.ledger.mu.Unlock()
			await.Next(t, done)
			if tenant.state.Load() == before {
				t.Error("nothing changed")
			}
		})
	}
}

// recording reports whether a goroutine is in the method that records changes.
func recording() bool {
	stacks := make([]byte, 1<<20)
	return bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte("edge.(*ledger).record("))
}
