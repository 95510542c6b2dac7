package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// health knows what a process depends on and whether it answers. It looks at most once a second,
// however often it is asked.
type health struct {
	mu     sync.Mutex
	checks map[string]func(context.Context) error
	at     time.Time
	away   []string
}

const (
	healthFresh = time.Second
	checkTime   = 2 * time.Second
)

// What a process depends on.
const (
	theDatabase = "database"
	theBucket   = "bucket"
)

var errNotOpen = errors.New("not open yet")

// newHealth returns the health of a process that has opened nothing yet.
func newHealth() *health {
	notOpen := func(context.Context) error { return errNotOpen }
	return &health{checks: map[string]func(context.Context) error{theDatabase: notOpen, theBucket: notOpen}}
}

// watch sets how to find out whether a thing answers.
func (h *health) watch(what string, check func(context.Context) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.checks[what], h.at = check, time.Time{}
}

// missing returns what does not answer, in alphabetical order.
func (h *health) missing() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.at) < healthFresh {
		return h.away
	}
	ctx, cancel := context.WithTimeout(context.Background(), checkTime)
	defer cancel()
	var asking sync.WaitGroup
	var mu sync.Mutex
	var away []string
	for what, check := range h.checks {
		asking.Go(func() {
			if check(ctx) != nil {
				mu.Lock()
				defer mu.Unlock()
				away = append(away, what)
			}
		})
	}
	asking.Wait()
	slices.Sort(away)
	h.at, h.away = time.Now(), away
	return away
}

// healthy is the body of /healthz while everything answers.
const healthy = "ok\n"

// text is the body of /healthz.
func (h *health) text() string {
	if away := h.missing(); len(away) > 0 {
		return "away: " + strings.Join(away, ", ") + "\n"
	}
	return healthy
}

// metrics are 1 for what answers and 0 for what is unavailable.
func (h *health) metrics() prometheus.Collector {
	up := map[string]*prometheus.Desc{
		theDatabase: prometheus.NewDesc("vitrine_database_up", "Whether the database answers.", nil, nil),
		theBucket:   prometheus.NewDesc("vitrine_bucket_up", "Whether the store of files answers.", nil, nil),
	}
	return gauges(func(to chan<- prometheus.Metric) {
		away := h.missing()
		for what, desc := range up {
			value := 1.0
			if slices.Contains(away, what) {
				value = 0
			}
			to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value)
		}
	})
}
