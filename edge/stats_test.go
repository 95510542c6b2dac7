package edge

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

func TestAFloodOfAddressesAddsNoSeries(t *testing.T) {
	w := newWorld(t)
	w.get("/")
	w.get("/")
	for _, path := range []string{"/no-such-page", "/_vitrine/none", "/files/none", "/w/1/webp/none", "/api/none"} {
		w.get(path)
	}
	before, _ := w.routes()
	for i := range 200 {
		for _, form := range []string{"/no-such-page-%d", "/?q=%d", "/_vitrine/%d", "/files/%d", "/w/1/webp/%d", "/api/%d", "/%%zz%d"} {
			w.get(fmt.Sprintf(form, i))
		}
	}
	series, names := w.routes()
	if len(names) > int(routes) || series > before+int(routes) {
		t.Errorf("%d series, %d before: %v", series, before, names)
	}
	for _, name := range []string{"hot", "page", "missing", "service", "file", "picture", "api"} {
		if !names[name] {
			t.Errorf("nothing was counted as %s", name)
		}
	}
}

// routes returns the number of series of responses and their routes.
func (w *world) routes() (series int, names map[string]bool) {
	w.t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(w.edge.stats.responses)
	families, err := registry.Gather()
	if err != nil {
		w.t.Fatal(err)
	}
	names = map[string]bool{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			series++
			for _, label := range metric.GetLabel() {
				if label.GetName() == "route" {
					names[label.GetValue()] = true
				}
			}
		}
	}
	return series, names
}

// The log of visits is read by more people than an e-mail is, so it contains no query: a
// query may contain the key of an order.
func TestVisitLogOmitsQueries(t *testing.T) {
	var log strings.Builder
	w := newWorld(t, func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	for _, target := range []string{"/orders/5?key=sesame", "/api/orders/5?key=sesame", "/about?key=sesame", "/none?key=sesame", "/files/x?key=sesame", "/ORDERS/5?key=sesame"} {
		w.get(target)
	}
	w.get("/about")
	if text := log.String(); !strings.Contains(text, "target=/orders/5 ") || strings.Contains(text, "sesame") {
		t.Error(text)
	}
}
