// Package latency counts how long answers take, cheaply enough for those that
// take a few microseconds: an observation is two atomic additions.
package latency

import (
	"sync/atomic"
	"time"
)

// bounds are the upper ends of the buckets: from an answer out of memory to a
// call that runs into its time-out. What takes longer is in the sum alone.
var bounds = [...]time.Duration{
	50 * time.Microsecond, 100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond,
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second, 30 * time.Second, 60 * time.Second,
}

// Histogram counts durations by size. The zero value is empty. Safe for
// concurrent use.
type Histogram struct {
	buckets [len(bounds) + 1]atomic.Uint64
	nanos   atomic.Int64
}

// Observe counts a duration.
func (h *Histogram) Observe(d time.Duration) {
	i := 0
	for i < len(bounds) && d > bounds[i] {
		i++
	}
	h.buckets[i].Add(1)
	h.nanos.Add(int64(d))
}

// Counts are what a histogram held at a moment, as Prometheus wants it.
type Counts struct {
	Count   uint64
	Seconds float64            // of all together
	UpTo    map[float64]uint64 // by seconds: how many took no longer
}

// Counts reads the histogram.
func (h *Histogram) Counts() Counts {
	c := Counts{Seconds: time.Duration(h.nanos.Load()).Seconds(), UpTo: make(map[float64]uint64, len(bounds))}
	for i := range h.buckets {
		c.Count += h.buckets[i].Load()
		if i < len(bounds) {
			c.UpTo[bounds[i].Seconds()] = c.Count
		}
	}
	return c
}

// Classes are histograms by the class of a status: 2xx, 4xx and so on.
type Classes [6]Histogram

// Observe counts an answer.
func (c *Classes) Observe(status int, d time.Duration) {
	if class := status / 100; class > 0 && class < len(c) {
		c[class].Observe(d)
	}
}

// Route is what was counted of one way to answer and one class of statuses. Its
// names come from the program, never from a request.
type Route struct {
	Name, Class string
	Counts      Counts
}

// Routes are the classes that have answered, under a name.
func (c *Classes) Routes(name string) (list []Route) {
	for i, class := range [len(c)]string{1: "1xx", 2: "2xx", 3: "3xx", 4: "4xx", 5: "5xx"} {
		if counts := c[i].Counts(); counts.Count > 0 {
			list = append(list, Route{name, class, counts})
		}
	}
	return list
}
