package api_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"vitrine/admin/api"
)

func TestAPartThatFailsIsLoggedUnderItsRequest(t *testing.T) {
	var log bytes.Buffer
	s := &api.Server{Log: slog.New(slog.NewTextHandler(&log, nil))}
	e := &api.Endpoint{Method: "POST", Path: "/things/batch", Do: api.Handle(func(_ context.Context, c *api.Call, _ api.None) (string, error) {
		c.RequestID = "abc123"
		return c.Failed(errors.New("disk full")), nil
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
