package edge

import (
	"strings"
	"testing"
	"time"

	"vitrine/compile"
	"vitrine/internal/shop"
)

// A product that is dated ahead answers 404, and at its time its page, without a write
// and though the 404 and the sitemap were kept.
func TestWhatIsDatedAheadAppearsByTheClock(t *testing.T) {
	w := newWorld(t)
	w.expect("before it has a date", w.get("/shoes/boot"), 200)
	noon := w.edge.cfg.Now().Add(90 * time.Second)
	boot := compile.PageRef{Entity: compile.EntityProduct, ID: 11}
	w.change(7, compile.Delta{Ahead: []compile.Ahead{{Page: boot, At: noon}}}, nil, shop.Key{Kind: shop.KeyProduct, ID: 11})
	listed := func() bool { return strings.Contains(w.get("/sitemap.xml").Body, "/shoes/boot<") }
	tenant := w.edge.tenants.peek(7)
	if tenant.clock == nil {
		t.Fatal("the clock is not wound")
	}
	for range 2 {
		w.expect("ahead of its time", w.get("/shoes/boot"), 404)
		if listed() {
			t.Error("the sitemap names it ahead of its time")
		}
		w.edge.turn(tenant, noon) // a timer that comes too early moves nothing
	}
	w.clock.Add(89)
	w.edge.turn(tenant, noon)
	w.expect("a second before", w.get("/shoes/boot"), 404)
	w.clock.Add(1)
	w.edge.turn(tenant, noon)
	w.expect("at its time", w.get("/shoes/boot"), 200)
	if !listed() {
		t.Error("the sitemap does not name it")
	}
	if tenant.clock != nil {
		t.Error("the clock goes on for nothing")
	}
}
