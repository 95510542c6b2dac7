package latency

import (
	"testing"
	"time"
)

func TestDurationsAreCountedUpToTheirBounds(t *testing.T) {
	var h Histogram
	for _, d := range []time.Duration{-time.Second, 0, 50 * time.Microsecond, 51 * time.Microsecond, time.Minute, 2 * time.Minute} {
		h.Observe(d)
	}
	c := h.Counts()
	if c.Count != 6 || c.UpTo[0.00005] != 3 || c.UpTo[0.0001] != 4 || c.UpTo[60] != 5 {
		t.Errorf("%+v", c)
	}
}

func TestOnlyClassesThatAnsweredAreShown(t *testing.T) {
	var c Classes
	for _, status := range []int{200, 204, 503, 0, 999, -5} {
		c.Observe(status, time.Millisecond)
	}
	list := c.Routes("page")
	if len(list) != 2 || list[0].Class != "2xx" || list[0].Counts.Count != 2 || list[1].Class != "5xx" {
		t.Errorf("%+v", list)
	}
}
