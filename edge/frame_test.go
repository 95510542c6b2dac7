package edge

import (
	"strings"
	"sync"
	"testing"

	"github.com/valyala/fasthttp"
)

// The frame of zones and forms is read once and not per visitor, and shows changes at once.
func TestFramesOfZonesAreCached(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.API = func(rc *fasthttp.RequestCtx) { rc.SetBodyString(`{"result":{}}`) } })
	first := w.get("/cart")
	read := w.src.called("Content")
	var visitors sync.WaitGroup
	for range 8 {
		visitors.Go(func() {
			if again := w.get("/cart"); again.Status != 200 || again.Body != first.Body {
				t.Errorf("another visitor gets %d %s", again.Status, again.Body)
			}
		})
	}
	visitors.Wait()
	if n := w.src.called("Content"); n != read {
		t.Errorf("the frame was read %d times more", n-read)
	}
	if other := w.get("/wishlist"); w.src.called("Content") != read+1 || !strings.Contains(other.Body, `"/wishlist`) {
		t.Errorf("another zone: %s", other.Body)
	}
	sh := w.src.shops[7].in.Shop
	sh.Name = "New name"
	w.changeShop(sh)
	if got := w.get("/cart"); !strings.Contains(got.Body, "New name") {
		t.Errorf("after a change: %s", got.Body)
	}
}
