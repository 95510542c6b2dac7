package api

import (
	"context"
	"time"
)

const (
	flushEvery = time.Second
	lastFlush  = 5 * time.Second
)

// Upkeep records every second when keys were last used, until the context ends. It logs a failure
// once until an attempt succeeds; the API keeps working meanwhile. Package upkeep deletes expired
// rows for all processes.
func (s *Server) Upkeep(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	failing := false
	for {
		err := s.flush(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			s.Log.Warn("the last use of keys could not be stored yet", "error", err)
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
