package api

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/internal/latency"
)

// latencies are how long the calls of each row took. There are as many as rows:
// what has no address of the API is not among them.
type latencies struct {
	mu   sync.Mutex
	rows []rowLatency
}

type rowLatency struct {
	endpoint *Endpoint
	classes  *latency.Classes
}

// of is where a row is counted: its HEAD with its GET.
func (l *latencies) of(e *Endpoint) *latency.Classes {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.rows, func(r rowLatency) bool { return r.endpoint == e })
	if i < 0 {
		i = len(l.rows)
		l.rows = append(l.rows, rowLatency{e, &latency.Classes{}})
	}
	return l.rows[i].classes
}

// Latencies are how long calls took, by the row's method and path.
func (s *Server) Latencies() (list []latency.Route) {
	s.latencies.mu.Lock()
	defer s.latencies.mu.Unlock()
	for _, r := range s.latencies.rows {
		list = append(list, r.classes.Routes(r.endpoint.Method+" "+r.endpoint.Path)...)
	}
	return list
}

// answered counts a call, and logs it for whoever listens that closely. A body
// that is streamed is counted until it begins.
func (s *Server) answered(rc *fasthttp.RequestCtx, e *Endpoint, classes *latency.Classes) {
	took, status := time.Since(rc.Time()), rc.Response.StatusCode()
	classes.Observe(status, took)
	if s.Log.Enabled(context.Background(), slog.LevelDebug) {
		bytes := -1 // a stream
		if !rc.Response.IsBodyStream() {
			bytes = len(rc.Response.Body())
		}
		s.Log.Debug("call", "request_id", RequestID(rc), "method", string(rc.Method()), "route", e.Path, "status", status,
			"took_ms", float64(took.Microseconds())/1000, "bytes", bytes)
	}
}
