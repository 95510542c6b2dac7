package latency

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// series returns the metric of a registry as name{labels} with the number of observations.
func series(t *testing.T, h Histograms) map[string]uint64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(h)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]uint64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			var labels []string
			for _, l := range metric.GetLabel() {
				labels = append(labels, l.GetValue())
			}
			found[strings.Join(labels, " ")] = metric.GetHistogram().GetSampleCount()
		}
	}
	return found
}

func TestOnlyClassesThatOccurredHaveSeries(t *testing.T) {
	h := New("test_seconds", "A test.")
	for _, status := range []int{200, 204, 503, 0, 999, -5} {
		h.Route("page").Observe(status, time.Millisecond)
	}
	if got := series(t, h); len(got) != 2 || got["2xx page"] != 2 || got["5xx page"] != 1 {
		t.Errorf("%v", got)
	}
}

func TestObservationsDoNotAllocate(t *testing.T) {
	r := New("test_seconds", "A test.").Route("page")
	r.Observe(200, time.Millisecond)
	if n := testing.AllocsPerRun(1000, func() { r.Observe(200, time.Millisecond) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
