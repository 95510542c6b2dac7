package api_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/admin/api"
	"vitrine/internal/latency"
)

// The address of an upload authorizes anyone who has it, so failures are logged with the
// endpoint's path instead of the requested address.
func TestTheLogContainsNoRequestedAddress(t *testing.T) {
	var log bytes.Buffer
	s := &api.Server{
		Log: slog.New(slog.NewTextHandler(&log, nil)), Limiter: api.NewLimiter(time.Now, nil), Latencies: latency.New("calls", ""),
		Identify: func(context.Context, api.Credentials) (api.Identity, error) {
			return api.Identity{}, nil
		},
	}
	e := &api.Endpoint{
		Method: "PUT", Path: "/uploads/{token}", Auth: api.Link,
		Do: api.Handle(func(context.Context, *api.Call, api.None) (api.None, error) {
			return api.None{}, errors.New("disk full")
		}),
	}
	var rc fasthttp.RequestCtx
	rc.Init(&fasthttp.Request{}, nil, nil)
	rc.Request.Header.SetMethod("PUT")
	rc.Request.SetRequestURI("/uploads/up_secret?key=secret")
	s.Handler(e)(&rc)
	if got := log.String(); strings.Contains(got, "secret") || !strings.Contains(got, "path=/uploads/{token}") ||
		rc.Response.StatusCode() != 500 {
		t.Errorf("%d, logged %s", rc.Response.StatusCode(), got)
	}
}

func TestAFailedPartIsLoggedWithItsRequest(t *testing.T) {
	var log bytes.Buffer
	s := &api.Server{Log: slog.New(slog.NewTextHandler(&log, nil))}
	e := &api.Endpoint{Method: "POST", Path: "/things/batch", Do: api.Handle(func(_ context.Context, c *api.Call, _ api.None) (string, error) {
		c.RequestID = "abc123"
		return c.LogPartialFailure(errors.New("disk full")), nil
	})}
	message, err := s.Do(t.Context(), e, api.Identity{}, nil, nil)
	if err != nil || !strings.Contains(message.(string), "request abc123") || strings.Contains(message.(string), "disk") {
		t.Errorf("%v, %v", message, err)
	}
	for _, part := range []string{"request_id=abc123", "path=/things/batch", "disk full"} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("no %s in %s", part, log.String())
		}
	}
}
