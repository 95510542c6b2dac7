package edge

import (
	"fmt"
	"testing"
)

func TestAFloodOfAddressesAddsNoSeries(t *testing.T) {
	w := newWorld(t)
	w.get("/")
	w.get("/")
	for _, path := range []string{"/no-such-page", "/_vitrine/none", "/files/none", "/w/1/webp/none", "/api/none"} {
		w.get(path)
	}
	before := len(w.edge.Stats().Routes)
	for i := range 200 {
		for _, form := range []string{"/no-such-page-%d", "/?q=%d", "/_vitrine/%d", "/files/%d", "/w/1/webp/%d", "/api/%d", "/%%zz%d"} {
			w.get(fmt.Sprintf(form, i))
		}
	}
	stats := w.edge.Stats()
	names := map[string]bool{}
	for _, r := range stats.Routes {
		names[r.Name] = true
	}
	if len(names) > int(routes) || len(stats.Routes) > before+int(routes) {
		t.Errorf("%d series, %d before: %v", len(stats.Routes), before, names)
	}
	for _, name := range []string{"hot", "page", "missing", "service", "file", "picture", "api"} {
		if !names[name] {
			t.Errorf("nothing was counted as %s", name)
		}
	}
}
