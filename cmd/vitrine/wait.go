package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"vitrine/internal/blob"
	"vitrine/internal/store"
)

// Waits between the attempts to reach what a process depends on.
const (
	firstWait   = time.Second
	longestWait = 15 * time.Second
)

// waitFor repeats open while it fails with an error that passes by itself, and says for what it
// waits. Other errors are returned.
func waitFor[T any](ctx context.Context, log *slog.Logger, what string, passes func(error) bool, open func(context.Context) (T, error)) (T, error) {
	for pause := firstWait; ; pause = min(2*pause, longestWait) {
		value, err := open(ctx)
		if err == nil || !passes(err) || ctx.Err() != nil {
			return value, err
		}
		log.Warn("waiting for the "+what, "again_in", pause, "error", err)
		select {
		case <-ctx.Done():
			return value, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// awaitDatabase opens the database once it answers.
func awaitDatabase(ctx context.Context, s *Settings, log *slog.Logger, settings ...store.ConnOption) (*database, error) {
	return waitFor(ctx, log, "database", store.IsUnavailable, func(ctx context.Context) (*database, error) {
		return openDatabase(ctx, s, log, settings...)
	})
}

// awaitBlobs opens the store of files once it answers.
func awaitBlobs(ctx context.Context, s *Settings, log *slog.Logger) (blob.Store, error) {
	away := func(err error) bool { return errors.Is(err, blob.ErrUnavailable) }
	return waitFor(ctx, log, "bucket", away, func(context.Context) (blob.Store, error) { return openBlobs(s) })
}

// stoppedOr returns no error to a process that was told to stop while it waited.
func stoppedOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
