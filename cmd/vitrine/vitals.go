package main

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vitrine/internal/store"
	"vitrine/internal/store/vital"
)

// vitals knows what the whole installation reports, in a worker: the queues, certificates, the upkeep.
// It asks the database at a fixed pace, however often it is scraped.
type vitals struct {
	store  *store.Store
	queues []string

	mu     sync.Mutex
	now    vital.Vitals // zero: not measured yet
	upkeep vital.Upkeep
}

const vitalsTime = 10 * time.Second // for one measurement

// watchVitals exposes what a worker measures. Queues that no worker with these settings works on are
// not measured.
func (o *ops) watchVitals(s *store.Store, mails, purges, issues bool) *vitals {
	v := &vitals{store: s, queues: slices.DeleteFunc(vital.Names(), func(name string) bool {
		switch name {
		case "letters", "platform_letters":
			return !mails
		case "purges":
			return !purges
		case "certificates":
			return !issues
		}
		return false
	})}
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	due := desc("vitrine_queue_due", "Rows of a queue that could be worked on now, counted up to 20,000.", "queue")
	dead := desc("vitrine_queue_dead", "Rows of a queue that were given up and are still kept, counted up to 20,000.", "queue")
	oldest := desc("vitrine_queue_oldest_seconds", "Time since the first of the due rows of a queue became due.", "queue")
	certificates := desc("vitrine_certificates", "Valid certificates that the authority issued for domains of shops.")
	failing := desc("vitrine_certificates_failing", "Domains whose last attempt to get or renew a certificate failed.")
	soonest := desc("vitrine_certificates_soonest_expiry_timestamp_seconds", "When the first of these certificates expires.")
	schema := desc("vitrine_schema_version", "Highest migration that was applied to the database.")
	measured := desc("vitrine_measured_timestamp_seconds", "When the queues, certificates and the schema were last measured.")
	ran := desc("vitrine_upkeep_last_run_timestamp_seconds", "When the last round of the upkeep ended, in any worker.")
	succeeded := desc("vitrine_upkeep_last_success_timestamp_seconds", "When the last round of the upkeep without a failure ended, in any worker.")
	took := desc("vitrine_upkeep_last_duration_seconds", "Duration of the last round of the upkeep.")
	failures := desc("vitrine_upkeep_failures_total", "Rounds of the upkeep in which something failed, in all workers.")
	o.registry.MustRegister(gauges(func(to chan<- prometheus.Metric) {
		v.mu.Lock()
		now, upkeep := v.now, v.upkeep
		v.mu.Unlock()
		gauge := func(d *prometheus.Desc, value float64, labels ...string) {
			to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
		}
		if now.At.IsZero() {
			return
		}
		for name, q := range now.Queues {
			gauge(due, float64(q.Due), name)
			gauge(dead, float64(q.Dead), name)
			gauge(oldest, q.Oldest, name)
		}
		gauge(certificates, float64(now.Certificates.Count))
		gauge(failing, float64(now.Certificates.Failing))
		if now.Certificates.Soonest != nil {
			gauge(soonest, seconds(*now.Certificates.Soonest))
		}
		gauge(schema, float64(now.Schema))
		gauge(measured, seconds(now.At))
		if !upkeep.At.IsZero() {
			gauge(ran, seconds(upkeep.At))
			gauge(took, upkeep.Seconds)
		}
		if !upkeep.Succeeded.IsZero() {
			gauge(succeeded, seconds(upkeep.Succeeded))
		}
		to <- prometheus.MustNewConstMetric(failures, prometheus.CounterValue, float64(upkeep.Failures))
	}))
	return v
}

// seconds is a moment as metrics have it.
func seconds(at time.Time) float64 { return float64(at.UnixMilli()) / 1000 }

// run measures until the context ends. While the database does not answer, the last measurement stays.
func (v *vitals) run(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(vital.Every)
	defer tick.Stop()
	for {
		if err := v.measure(ctx); err != nil && ctx.Err() == nil {
			log.Debug("the queues were not measured", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (v *vitals) measure(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, vitalsTime)
	defer cancel()
	now, err := vital.Current(ctx, v.store, v.queues)
	if err != nil {
		return err
	}
	upkeep, err := vital.LastUpkeep(ctx, v.store)
	if err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.now, v.upkeep = now, upkeep
	return nil
}

// watchDisk exposes the space of the disk with the data dir.
func (o *ops) watchDisk(dir string) {
	free := prometheus.NewDesc("vitrine_disk_free_bytes", "Free space on the disk with the data dir.", nil, nil)
	size := prometheus.NewDesc("vitrine_disk_size_bytes", "Size of the disk with the data dir.", nil, nil)
	o.registry.MustRegister(gauges(func(to chan<- prometheus.Metric) {
		var fs syscall.Statfs_t
		if syscall.Statfs(dir, &fs) != nil {
			return
		}
		to <- prometheus.MustNewConstMetric(free, prometheus.GaugeValue, float64(fs.Bavail)*float64(fs.Bsize))
		to <- prometheus.MustNewConstMetric(size, prometheus.GaugeValue, float64(fs.Blocks)*float64(fs.Bsize))
	}))
}
