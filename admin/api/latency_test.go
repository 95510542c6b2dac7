package api_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"

	"vitrine/admin/api"
	"vitrine/internal/latency"
)

// The edge makes calls with contexts of its own, which no listener has given a time.
func TestCallsInsideTheProcessTakeTheirOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &api.Server{
			Log: slog.New(slog.DiscardHandler), Limiter: api.NewLimiter(time.Now, nil), Latencies: latency.New("calls", "Calls."),
			Identify: func(context.Context, api.Credentials) (api.Identity, error) {
				return api.Identity{}, nil
			},
		}
		call := s.Handler(&api.Endpoint{
			Method: "GET", Path: "/things", Auth: api.Link,
			Do: api.Handle(func(context.Context, *api.Call, api.None) (none api.None, err error) {
				time.Sleep(3 * time.Second) // on the bubble's clock
				return none, nil
			}),
		})
		var rc fasthttp.RequestCtx
		rc.Init(&fasthttp.Request{}, nil, nil)
		call(&rc)
		registry := prometheus.NewRegistry()
		registry.MustRegister(s.Latencies)
		metrics, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		if len(metrics) != 1 || len(metrics[0].GetMetric()) != 1 || metrics[0].GetMetric()[0].GetHistogram().GetSampleSum() != 3 {
			t.Errorf("recorded %v", metrics)
		}
	})
}
