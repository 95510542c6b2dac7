package api_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/admin/api"
	"vitrine/internal/latency"
	"vitrine/internal/limiter"
	"vitrine/internal/shop"
)

// A shop whose calls hang leaves room for those of others, and its uploads do not count.
func TestCallsOfOneShopLeaveRoomForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shops := map[string]shop.CompanyID{"noisy": 1, "other": 2}
		s := &api.Server{
			Log: slog.New(slog.DiscardHandler), Limiter: api.NewLimiter(time.Now, nil), Latencies: latency.New("calls", "Calls."), Calls: limiter.Shared(8, 8),
			Identify: func(_ context.Context, c api.Credentials) (api.Identity, error) {
				return api.Identity{Person: 1, Company: shops[c.Token], Role: shop.Owner}, nil
			},
		}
		hang := make(chan struct{})
		var running atomic.Int64
		handler := func(class api.Class, wait bool) fasthttp.RequestHandler {
			return s.Handler(&api.Endpoint{
				Method: "GET", Path: "/things", Auth: api.Private, Class: class,
				Do: api.Handle(func(context.Context, *api.Call, api.None) (none api.None, err error) {
					if wait {
						running.Add(1)
						<-hang
					}
					return none, nil
				}),
			})
		}
		call := func(h fasthttp.RequestHandler, token string) int {
			var rc fasthttp.RequestCtx
			rc.Init(&fasthttp.Request{}, nil, nil)
			rc.Request.Header.Set("Authorization", "Bearer "+token)
			h(&rc)
			return rc.Response.StatusCode()
		}
		slow := handler(api.Read, true)
		for range 50 {
			go call(slow, "noisy")
		}
		synctest.Wait()
		if n := running.Load(); n != 4 {
			t.Errorf("%d calls of one shop run at once, want half of 8", n)
		}
		if status := call(handler(api.Read, false), "other"); status != 200 {
			t.Errorf("the call of another shop answers %d", status)
		}
		if status := call(handler(api.Storage, false), "noisy"); status != 200 {
			t.Errorf("an upload answers %d", status)
		}
		close(hang)
	})
}
