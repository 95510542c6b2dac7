package api

import (
	"context"
	"errors"
	"time"
)

const (
	shareEvery = time.Second
	sweepEvery = 10 * time.Minute
	lastFlush  = 5 * time.Second
)

// Upkeep shares the rate counts and writes down the use of keys every second, and
// now and then forgets what is over, until the context ends. Failures are logged once until it works again:
// the API goes on without.
func (s *Server) Upkeep(ctx context.Context) {
	tick := time.NewTicker(shareEvery)
	defer tick.Stop()
	var swept time.Time
	failing := false
	for {
		err := errors.Join(s.Limiter.Share(ctx, s.Store), s.flush(ctx))
		if now := s.Now(); now.Sub(swept) >= sweepEvery {
			swept = now
			err = errors.Join(err, s.Sweep(ctx))
		}
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

// Sweep forgets sessions that are over, idempotency keys after 24 hours, audit entries after 90 days
// and rate counts of minutes gone by.
func (s *Server) Sweep(ctx context.Context) error {
	now := s.Now()
	return errors.Join(
		s.Store.SweepKeys(ctx, now),
		s.Store.SweepAudit(ctx, now),
		s.Store.SweepRates(ctx, now.Unix()/60-1),
		s.Store.SweepSessions(ctx, now),
	)
}
