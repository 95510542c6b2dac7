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

// latencies holds the durations of the calls of each endpoint. Its size is limited by the
// number of endpoints: requests to unknown addresses are not counted.
type latencies struct {
	mu   sync.Mutex
	rows []rowLatency
}

type rowLatency struct {
	endpoint *Endpoint
	classes  *latency.Classes
}

// of returns the classes of an endpoint. HEAD counts with GET.
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

// Latencies returns the durations of calls by the endpoint's method and path.
func (s *Server) Latencies() (list []latency.Route) {
	s.latencies.mu.Lock()
	defer s.latencies.mu.Unlock()
	for _, r := range s.latencies.rows {
		list = append(list, r.classes.Routes(r.endpoint.Method+" "+r.endpoint.Path)...)
	}
	return list
}

// answered counts a call and logs it at debug level. A streamed body is counted until it
// begins.
func (s *Server) answered(rc *fasthttp.RequestCtx, e *Endpoint, classes *latency.Classes, started time.Time) {
	took, status := time.Since(started), rc.Response.StatusCode()
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
