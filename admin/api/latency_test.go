package api_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/admin/api"
	"vitrine/internal/shop"
)

// The edge makes calls with contexts of its own, which no listener has given a time.
func TestCallsInsideTheProcessTakeTheirOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &api.Server{
			Log: slog.New(slog.DiscardHandler), Limiter: api.NewLimiter(time.Now),
			Identify: func(context.Context, string, string, shop.CompanyID) (api.Identity, error) {
				return api.Identity{}, nil
			},
		}
		call := s.Handler(&api.Endpoint{
			Method: "GET", Path: "/things", Auth: api.Link,
			Do: api.Handle(func(context.Context, *api.Call, api.None) (none api.None, err error) {
				time.Sleep(3 * time.Second)
				return none, nil
			}),
		})
		var rc fasthttp.RequestCtx
		rc.Init(&fasthttp.Request{}, nil, nil)
		call(&rc)
		routes := s.Latencies()
		if len(routes) != 1 || routes[0].Counts.Count != 1 || routes[0].Counts.Seconds != 3 {
			t.Errorf("recorded %+v", routes)
		}
	})
}
