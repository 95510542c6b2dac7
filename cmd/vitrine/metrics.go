package main

import (
	"github.com/prometheus/client_golang/prometheus"

	"vitrine/admin"
	"vitrine/edge"
	"vitrine/internal/latency"
	"vitrine/internal/store"
	"vitrine/resizer"
)

// gauges collects what parts of the process count for themselves, at the moment
// that somebody asks. Labels come from the program alone, so that no flood of
// requests adds a series.
type gauges func(chan<- prometheus.Metric)

// Describe says nothing: the series are known when they are collected.
func (gauges) Describe(chan<- *prometheus.Desc) {}

// Collect sends everything.
func (g gauges) Collect(to chan<- prometheus.Metric) { g(to) }

// histograms sends how long answers took, by route and class of status.
func histograms(to chan<- prometheus.Metric, name, help string, list []latency.Route) {
	desc := prometheus.NewDesc(name, help, []string{"route", "class"}, nil)
	for _, r := range list {
		to <- prometheus.MustNewConstHistogram(desc, r.Counts.Count, r.Counts.Seconds, r.Counts.UpTo, r.Name, r.Class)
	}
}

// watchPools exposes the connections to the database.
func (o *ops) watchPools(db *store.Store) {
	desc := func(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, []string{"pool"}, nil) }
	inUse := desc("vitrine_database_connections_in_use", "Connections at work.")
	idle := desc("vitrine_database_connections_idle", "Open connections that wait for work.")
	limit := desc("vitrine_database_connections_limit", "Connections that may be open.")
	taken := desc("vitrine_database_acquires_total", "Times that a connection was taken.")
	waited := desc("vitrine_database_waits_total", "Times that none was idle then.")
	seconds := desc("vitrine_database_wait_seconds_total", "Time spent waiting for one.")
	o.registry.MustRegister(gauges(func(to chan<- prometheus.Metric) {
		for _, p := range db.Pools() {
			for d, value := range map[*prometheus.Desc]float64{inUse: float64(p.InUse), idle: float64(p.Idle), limit: float64(p.Limit)} {
				to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, p.Name)
			}
			for d, value := range map[*prometheus.Desc]float64{taken: float64(p.Taken), waited: float64(p.Waited), seconds: p.WaitSeconds} {
				to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, value, p.Name)
			}
		}
	}))
}

// watchCalls exposes how long calls of the API took.
func (o *ops) watchCalls(a *admin.Admin) {
	o.registry.MustRegister(gauges(func(to chan<- prometheus.Metric) {
		histograms(to, "vitrine_api_seconds", "Calls of the API by endpoint.", a.Latencies())
	}))
}

// watchVisits exposes how long answers of the edge and builds of site files took.
func (o *ops) watchVisits(e *edge.Server) {
	o.registry.MustRegister(gauges(func(to chan<- prometheus.Metric) {
		stats := e.Stats()
		histograms(to, "vitrine_edge_seconds", "Answers of the edge by what answered.", stats.Routes)
		histograms(to, "vitrine_sitefile_build_seconds", "Builds of site files; 5xx are those that failed.", stats.Builds)
	}))
}

// watchQueue exposes who waits for the resizer.
func (o *ops) watchQueue(r *resizer.Resizer) {
	for name, value := range map[string]func(resizer.Stats) int{
		"vitrine_resizer_running": func(s resizer.Stats) int { return s.Running },
		"vitrine_resizer_waiting": func(s resizer.Stats) int { return s.Waiting },
	} {
		o.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: "Pictures at the resizer now."},
			func() float64 { return float64(value(r.Stats())) }))
	}
	for outcome, value := range map[string]func(resizer.Stats) int64{
		"hit": func(s resizer.Stats) int64 { return s.Hits }, "busy": func(s resizer.Stats) int64 { return s.Busy },
		"broken": func(s resizer.Stats) int64 { return s.Broken }, "dropped": func(s resizer.Stats) int64 { return s.Dropped },
	} {
		o.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "vitrine_resizer_wishes_total", Help: "Variants asked for that needed no decoding, or got none.",
			ConstLabels: prometheus.Labels{"outcome": outcome},
		}, func() float64 { return float64(value(r.Stats())) }))
	}
}
