package edge

import (
	"strings"
	"testing"
	"time"

	"vitrine/compile"
	"vitrine/internal/shop"
)

// A scheduled product answers 404, and its page from its time on, without a write and
// although the 404 and the sitemap were cached.
func TestScheduledProductAppearsAtItsTime(t *testing.T) {
	w := newWorld(t)
	w.expect("before it has a date", w.get("/shoes/boot"), 200)
	noon := w.edge.cfg.Now().Add(90 * time.Second)
	boot := compile.PageRef{Entity: compile.EntityProduct, ID: 11}
	w.change(7, compile.Delta{Ahead: []compile.Scheduled{{Page: boot, At: noon}}}, nil, shop.Key{Kind: shop.KeyProduct, ID: 11})
	listed := func() bool { return strings.Contains(w.get("/sitemap.xml").Body, "/shoes/boot<") }
	tenant := w.edge.tenants.peek(7)
	if tenant.clock == nil {
		t.Fatal("no timer is set")
	}
	for range 2 {
		w.expect("before its time", w.get("/shoes/boot"), 404)
		if listed() {
			t.Error("the sitemap lists it before its time")
		}
		w.edge.advanceClock(tenant, noon) // a timer that fires too early changes nothing
	}
	w.clock.Add(89)
	w.edge.advanceClock(tenant, noon)
	w.expect("a second before", w.get("/shoes/boot"), 404)
	w.clock.Add(1)
	w.edge.advanceClock(tenant, noon)
	w.expect("at its time", w.get("/shoes/boot"), 200)
	if !listed() {
		t.Error("the sitemap does not list it")
	}
	if tenant.clock != nil {
		t.Error("a timer is set although nothing is due")
	}
}
