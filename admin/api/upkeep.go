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

// Upkeep shares the rate counts and stores the uses of keys every second, until the context
// ends. It logs the first failure until an attempt succeeds again; the API keeps working
// meanwhile. Package upkeep deletes expired rows for all processes.
func (s *Server) Upkeep(ctx context.Context) {
	tick := time.NewTicker(shareEvery)
	defer tick.Stop()
	failing := false
	for {
		err := errors.Join(s.Limiter.Share(ctx, s.Store), s.flush(ctx))
		if err != nil && !failing && ctx.Err() == nil {
			s.Log.Warn("upkeep of the admin API failed; rate limits only count calls of this process", "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastFlush)
			defer cancel()
			if err := s.flush(last); err != nil {
				s.Log.Warn("the last use of keys could not be stored", "error", err)
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
