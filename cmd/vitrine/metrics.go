package main

import (
	"github.com/prometheus/client_golang/prometheus"

	"vitrine/internal/blob"
	"vitrine/internal/certificate"
	"vitrine/internal/store"
	"vitrine/internal/store/trace"
	"vitrine/resizer"
)

// gauges collects values that parts of the process count themselves, at the time of the
// scrape. Labels come only from the program, so that requests cannot add series.
type gauges func(chan<- prometheus.Metric)

// Describe is empty: the series are known only when they are collected.
func (gauges) Describe(chan<- *prometheus.Desc) {}

// Collect sends all series.
func (g gauges) Collect(to chan<- prometheus.Metric) { g(to) }

// buildMetric is always 1; its labels identify the build.
func buildMetric(b buildInfo) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "vitrine_build_info", Help: "Always 1; the labels name the build.",
		ConstLabels: prometheus.Labels{"version": b.version, "commit": b.commit, "goversion": b.golang},
	}, func() float64 { return 1 })
}

// watchPool exposes the connections to the database.
func (o *ops) watchPool(db *store.Store) {
	desc := func(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }
	inUse := desc("vitrine_database_connections_in_use", "Connections in use.")
	idle := desc("vitrine_database_connections_idle", "Open idle connections.")
	limit := desc("vitrine_database_connections_limit", "Maximum number of open connections.")
	taken := desc("vitrine_database_acquires_total", "Number of acquired connections.")
	waited := desc("vitrine_database_waits_total", "Number of acquisitions that had to wait.")
	seconds := desc("vitrine_database_wait_seconds_total", "Time spent waiting for a connection.")
	o.registry.MustRegister(gauges(func(to chan<- prometheus.Metric) {
		p := db.PoolStats()
		for d, value := range map[*prometheus.Desc]float64{inUse: float64(p.InUse), idle: float64(p.Idle), limit: float64(p.Limit)} {
			to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
		}
		for d, value := range map[*prometheus.Desc]float64{taken: float64(p.Taken), waited: float64(p.Waited), seconds: p.WaitSeconds} {
			to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, value)
		}
	}))
}

// watchReplica exposes what a replica answers, if there is one.
func (o *ops) watchReplica(db *store.Store) {
	if _, ok := db.ReplicaStats(); !ok {
		return
	}
	up := prometheus.NewDesc("vitrine_replica_up", "1 while pages are drawn from the replica.", nil, nil)
	behind := prometheus.NewDesc("vitrine_replica_behind_seconds", "How long the replica has lacked something that the database has.", nil, nil)
	reads := prometheus.NewDesc(
		"vitrine_replica_reads_total", "Reads that the replica answered, that went to the database because it lacked something, or because they failed there.",
		[]string{"outcome"}, nil,
	)
	o.registry.MustRegister(gauges(func(to chan<- prometheus.Metric) {
		now, _ := db.ReplicaStats()
		one := 0.0
		if now.Up {
			one = 1
		}
		to <- prometheus.MustNewConstMetric(up, prometheus.GaugeValue, one)
		to <- prometheus.MustNewConstMetric(behind, prometheus.GaugeValue, now.Behind.Seconds())
		for outcome, n := range map[string]int64{"answered": now.Read, "lacking": now.Primary, "failed": now.Repeated} {
			to <- prometheus.MustNewConstMetric(reads, prometheus.CounterValue, float64(n), outcome)
		}
	}))
}

// watchStatements exposes the numbers of failing and slow statements. Each series exists once
// such a statement has occurred.
func (o *ops) watchStatements(traced *trace.Tracer) {
	failed := prometheus.NewDesc(
		"vitrine_database_failed_statements_total", "Statements that failed, by the function that issued them.",
		[]string{"statement", "caller", "reason"}, nil,
	)
	slow := prometheus.NewDesc(
		"vitrine_database_slow_statements_total", "Statements that took "+trace.Slow.String()+" or longer, by the function that issued them.",
		[]string{"statement", "caller"}, nil,
	)
	o.registry.MustRegister(gauges(func(to chan<- prometheus.Metric) {
		for _, c := range traced.Counts() {
			desc, labels := failed, []string{c.Statement, c.Caller, c.Outcome}
			if c.Slow() {
				desc, labels = slow, labels[:2]
			}
			to <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, float64(c.Total), labels...)
		}
	}))
}

// watchQueue exposes the queue of the resizer.
func (o *ops) watchQueue(r *resizer.Resizer) {
	for name, value := range map[string]func(resizer.Stats) int{
		"vitrine_resizer_running": func(s resizer.Stats) int { return s.Running },
		"vitrine_resizer_waiting": func(s resizer.Stats) int { return s.Waiting },
	} {
		o.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: "Pictures currently at the resizer."},
			func() float64 { return float64(value(r.Stats())) }))
	}
	for outcome, value := range map[string]func(resizer.Stats) int64{
		"hit": func(s resizer.Stats) int64 { return s.Hits }, "fetched": func(s resizer.Stats) int64 { return s.Fetched }, "busy": func(s resizer.Stats) int64 { return s.Busy },
		"broken": func(s resizer.Stats) int64 { return s.Broken }, "dropped": func(s resizer.Stats) int64 { return s.Dropped },
	} {
		o.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "vitrine_resizer_wishes_total", Help: "Requested variants: found on this machine, fetched from the store of files, or not made.",
			ConstLabels: prometheus.Labels{"outcome": outcome},
		}, func() float64 { return float64(value(r.Stats())) }))
	}
}

// watchCache exposes the size of a cache and its limit.
func (o *ops) watchCache(name string, size func() (used, limit int64)) {
	labels := prometheus.Labels{"cache": name}
	used := prometheus.NewDesc("vitrine_cache_bytes", "Size of a cache: pages and loaded shops in memory, resized pictures on disk.", nil, labels)
	limit := prometheus.NewDesc("vitrine_cache_limit_bytes", "Maximum size of a cache.", nil, labels)
	o.registry.MustRegister(gauges(func(to chan<- prometheus.Metric) {
		u, l := size()
		to <- prometheus.MustNewConstMetric(used, prometheus.GaugeValue, float64(u))
		to <- prometheus.MustNewConstMetric(limit, prometheus.GaugeValue, float64(l))
	}))
}

// watchVariants exposes the size of the cache of resized pictures.
func (o *ops) watchVariants(kept *blob.Cache, limit int64) {
	o.watchCache("variants", func() (int64, int64) { return kept.Bytes(), limit })
}

// watchFiles exposes when the certificates in files expire, if there are any.
func (o *ops) watchFiles(files *certificate.Files) {
	if files == nil {
		return
	}
	o.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "vitrine_certificate_files_expiry_timestamp_seconds", Help: "When the first of the certificates in VITRINE_TLS_CERT expires.",
	}, func() float64 { return seconds(files.Expiry()) }))
}
