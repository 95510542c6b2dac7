package api

import (
	"context"
	"log/slog"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/internal/latency"
)

// answered counts a call and logs it at debug level. A streamed body is counted until it
// begins.
func (s *Server) answered(rc *fasthttp.RequestCtx, e *Endpoint, route *latency.Route, started time.Time) {
	took, status := time.Since(started), rc.Response.StatusCode()
	route.Observe(status, took)
	if s.Log.Enabled(context.Background(), slog.LevelDebug) {
		bytes := -1 // a stream
		if !rc.Response.IsBodyStream() {
			bytes = len(rc.Response.Body())
		}
		s.Log.Debug("call", "request_id", RequestID(rc), "method", string(rc.Method()), "route", e.Path, "status", status,
			"took_ms", float64(took.Microseconds())/1000, "bytes", bytes)
	}
}
