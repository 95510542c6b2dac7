package main

import (
	"context"
	"time"
)

// resealAgain is the pause after a failure.
const resealAgain = time.Minute

// reseal seals stored secrets with the present key once a worker has started with a list of keys, so
// that the former ones can be removed from it.
func (srv *server) reseal(ctx context.Context) {
	for srv.sealer.Rotates() {
		var changed, left int
		ran, err := srv.db.RunExclusive(ctx, "reseal", func(ctx context.Context) (err error) {
			changed, left, err = srv.db.Reseal(ctx, srv.sealer.Reseal)
			return err
		})
		switch {
		case err != nil && ctx.Err() == nil:
			srv.log.Warn("stored secrets could not be sealed with the new key; it is tried again", "error", err)
		case err == nil && ran && left > 0:
			srv.log.Error("some stored secrets are sealed with a key that is not in VITRINE_SECRET_KEY", "secrets", left)
			return
		case err == nil && ran:
			srv.log.Info("all stored secrets are sealed with the first key of VITRINE_SECRET_KEY; a day after every process has this list, when answers kept for Idempotency-Keys have expired, the others can be removed", "changed", changed)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(resealAgain):
		}
	}
}
