package api

import (
	"context"
	"errors"
	"time"
)

const (
	shareEvery = time.Second
	lastFlush  = 5 * time.Second
)

// Upkeep shares the rate counts and writes down the use of keys every second,
// until the context ends. Failures are logged once until it works again: the API
// goes on without. What is over for all processes, package upkeep removes.
func (s *Server) Upkeep(ctx context.Context) {
	tick := time.NewTicker(shareEvery)
	defer tick.Stop()
	failing := false
	for {
		err := errors.Join(s.Limiter.Share(ctx, s.Store), s.flush(ctx))
		if err != nil && !failing && ctx.Err() == nil {
			s.Log.Warn("upkeep of the admin API fails; rate limits count this process alone", "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastFlush)
			defer cancel()
			if err := s.flush(last); err != nil {
				s.Log.Warn("the last use of keys was not written", "error", err)
			}
			return
		case <-tick.C:
		}
	}
}

func (s *Server) flush(ctx context.Context) error {
	if s.Flush == nil {
		return nil
	}
	return s.Flush(ctx)
}
