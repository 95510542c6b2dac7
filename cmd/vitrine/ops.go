package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/net/netutil"

	"vitrine/admin/picture"
	"vitrine/admin/purge"
	"vitrine/edge"
	"vitrine/internal/store"
	"vitrine/resizer"
)

// ops is the operator's listener: health, metrics and profiles. It must never be reachable by
// visitors.
type ops struct {
	http     *http.Server
	mux      *http.ServeMux
	registry *prometheus.Registry
	health   *health
	ready    atomic.Bool
	failed   chan error             // of the listener
	schema   atomic.Pointer[string] // why the schema cannot be used; nil: it can
}

// newOps accepts requests for the named hosts, IP addresses and localhost. A process that can do
// nothing without the database is not ready while it is unavailable; an edge serves what it has.
func newOps(h *health, needsDatabase bool, hosts []string, log *slog.Logger) *ops {
	o := &ops{registry: prometheus.NewRegistry(), health: h, failed: make(chan error, 1)}
	o.registry.MustRegister(h.metrics(), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), buildMetric(thisBuild()))
	mux := http.NewServeMux()
	o.mux = mux
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, h.text()) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		switch {
		case !o.ready.Load():
			writeText(w, http.StatusServiceUnavailable, starting)
		case o.schema.Load() != nil:
			writeText(w, http.StatusServiceUnavailable, *o.schema.Load()+"\n")
		case needsDatabase && slices.Contains(h.missing(), theDatabase):
			writeText(w, http.StatusServiceUnavailable, "the database does not answer\n")
		default:
			writeText(w, http.StatusOK, "ready\n")
		}
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(o.registry, promhttp.HandlerOpts{}))
	profiles(mux)
	// The parent of several processes shares one connection for all its requests.
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	o.http = opsServer(hosts, mux, log)
	o.http.Protocols = &protocols
	return o
}

// profiles serves the profiles of this process.
func profiles(mux *http.ServeMux) {
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
}

// opsServer serves operators.
func opsServer(hosts []string, mux *http.ServeMux, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: onlyHosts(hosts, mux), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, IdleTimeout: time.Minute,
		WriteTimeout:   3 * time.Minute, // the longest profile
		MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// onlyHosts refuses requests for other host names. A page in a browser on the operator's
// machine could send them after its name was made to resolve to this listener (DNS
// rebinding).
func onlyHosts(hosts []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.Host
		if host, _, err := net.SplitHostPort(name); err == nil {
			name = host
		}
		name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
		if _, err := netip.ParseAddr(name); err != nil && name != "localhost" && !slices.Contains(hosts, name) {
			writeText(w, http.StatusMisdirectedRequest, "the ops listener does not accept this host: see VITRINE_OPS_HOSTS\n")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// starting is the body of /readyz before and after a process serves.
const starting = "starting or stopping\n"

// maxOpsConnections is the maximum number of open connections; others wait.
const maxOpsConnections = 256

// start serves in the background, before the process has reached what it depends on.
func (o *ops) start(l net.Listener) {
	go func() { o.failed <- o.http.Serve(netutil.LimitListener(l, maxOpsConnections)) }()
}

// failure waits until the listener fails or the context ends.
func (o *ops) failure(ctx context.Context) error {
	select {
	case err := <-o.failed:
		return fmt.Errorf("ops: %w", err)
	case <-ctx.Done():
		return nil
	}
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	if _, err := w.Write([]byte(text)); err != nil {
		return // the client has disconnected
	}
}

// watch exposes the counters of the edge and the resizer.
func (o *ops) watch(e *edge.Server, r *resizer.Resizer) {
	counter := func(name, help string, labels prometheus.Labels, value func() float64) {
		o.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels}, value))
	}
	for class, label := range []string{1: "1xx", 2: "2xx", 3: "3xx", 4: "4xx", 5: "5xx"} {
		if label != "" {
			counter("vitrine_edge_answers_total", "Responses of the edge by status class.", prometheus.Labels{"class": label},
				func() float64 { return float64(e.Stats().Statuses[class]) })
		}
	}
	for label, value := range map[string]func(edge.Stats) uint64{
		"hot":   func(s edge.Stats) uint64 { return s.Hot },
		"hit":   func(s edge.Stats) uint64 { return s.Hits },
		"miss":  func(s edge.Stats) uint64 { return s.Misses },
		"stale": func(s edge.Stats) uint64 { return s.Stale },
	} {
		counter("vitrine_edge_cache_total", "Page requests by cache outcome.", prometheus.Labels{"outcome": label},
			func() float64 { return float64(value(e.Stats())) })
	}
	o.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "vitrine_edge_shops", Help: "Shops held in memory."},
		func() float64 { return float64(e.Stats().Shops) }))
	o.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "vitrine_edge_followed_timestamp_seconds", Help: "When the edge last read what other processes have changed.",
	}, func() float64 {
		if at := e.Stats().Followed; !at.IsZero() {
			return seconds(at)
		}
		return 0
	}))
	o.watchCache("shops", func() (used, limit int64) { now := e.Stats(); return now.ShopBytes, now.ShopLimit })
	counter("vitrine_edge_shops_evicted_total", "Loaded shops that were evicted because of the limit of their bytes.", nil, func() float64 { return float64(e.Stats().Evicted) })
	o.watchCache("pages", func() (used, limit int64) { now := e.Stats(); return now.CacheBytes, now.CacheLimit })
	counter("vitrine_resizer_decodes_total", "Pictures decoded.", nil, func() float64 { return float64(r.Stats().Decodes) })
	counter(
		"vitrine_resizer_deaths_total", "Decoding processes that died while decoding a picture.", nil,
		func() float64 { return float64(r.Stats().Deaths) },
	)
	counter("vitrine_resizer_busy_total", "Requests refused because the queue was full.", nil, func() float64 { return float64(r.Stats().Busy) })
}

// watchPictures exposes the counter of the background work on pictures.
func (o *ops) watchPictures(w *picture.Worker) {
	o.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "vitrine_pictures_prepared_total", Help: "New pictures whose preset sizes were created.",
	}, func() float64 { return float64(w.Prepared()) }))
}

// watchPurges exposes the counter of failed purges of each cache in front of the edges.
func (o *ops) watchPurges(w *purge.Worker[store.Moment]) {
	for _, t := range w.Targets {
		o.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "vitrine_purges_failed_total", Help: "Failed attempts to tell a cache what has changed.", ConstLabels: prometheus.Labels{"target": t.Name},
		}, func() float64 { return float64(w.Failures()[t.Name]) }))
	}
}

// opsDrainTime is long enough for a scrape; profiles are cut off.
const opsDrainTime = 2 * time.Second

func (o *ops) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), opsDrainTime)
	defer cancel()
	if err := o.http.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return o.http.Close()
}
