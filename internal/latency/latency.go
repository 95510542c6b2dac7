// Package latency counts responses and how long they take, by labels that come from the program, for
// /metrics. An observation is a few atomic operations: some responses take only microseconds.
package latency

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// buckets range from a response out of memory to a call that runs into its time-out.
var buckets = []float64{
	0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, // seconds
}

// Histograms is a metric. It is a prometheus.Collector.
type Histograms struct{ *prometheus.HistogramVec }

// New returns a metric.
func New(name, help string) Histograms {
	return Histograms{prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, []string{"route", "class"})}
}

// Plain is a metric without labels.
type Plain struct{ prometheus.Histogram }

// NewPlain returns a metric without labels.
func NewPlain(name, help string) Plain {
	return Plain{prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets})}
}

// Took observes a duration.
func (p Plain) Took(d time.Duration) { p.Observe(d.Seconds()) }

// Counter counts what happens, by labels. The zero value counts nothing.
type Counter struct{ *prometheus.CounterVec }

// NewCounter returns a counter.
func NewCounter(name, help string, labels ...string) Counter {
	return Counter{prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)}
}

// Add counts one.
func (c Counter) Add(labels ...string) {
	if c.CounterVec != nil {
		c.WithLabelValues(labels...).Inc()
	}
}

// Route is the series of one route. Names come from the program, never from a request.
type Route struct {
	metric  Histograms
	name    string
	classes [6]atomic.Pointer[prometheus.Observer] // looked up once; a class that has not occurred has no series
}

// Route returns the series of a route.
func (h Histograms) Route(name string) *Route { return &Route{metric: h, name: name} }

// Observe counts a response.
func (r *Route) Observe(status int, d time.Duration) {
	class := status / 100
	if class < 1 || class >= len(r.classes) {
		return
	}
	observer := r.classes[class].Load()
	if observer == nil {
		found := r.metric.WithLabelValues(r.name, strconv.Itoa(class)+"xx")
		observer = &found
		r.classes[class].Store(observer)
	}
	(*observer).Observe(d.Seconds())
}
