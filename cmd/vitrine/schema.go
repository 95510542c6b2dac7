package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"vitrine/internal/store"
)

const (
	schemaPause = 2 * time.Second  // between two looks of a process that waits for the schema
	schemaEvery = 5 * time.Second  // between two looks of a running process
	schemaLimit = 5 * time.Second  // for one look
	schemaAgain = 15 * time.Second // between two lines about the wait
)

// awaitSchema waits until the database has the schema that this program needs. It returns an
// error for one that this program does not know.
func awaitSchema(ctx context.Context, db *store.Store, log *slog.Logger) error {
	var said time.Time
	for {
		err := db.CheckSchema(ctx)
		if !errors.Is(err, store.ErrSchemaOlder) && !(err != nil && !said.IsZero() && store.IsUnavailable(err)) {
			return err
		}
		if time.Since(said) >= schemaAgain {
			log.Warn("waiting for the schema of the database", "error", err)
			said = time.Now()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(schemaPause):
		}
	}
}

// watchSchema makes the process unready while the database has a schema that this program does
// not know, because a later release has migrated it.
func (o *ops) watchSchema(ctx context.Context, db *store.Store, log *slog.Logger) {
	tick := time.NewTicker(schemaEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		look, cancel := context.WithTimeout(ctx, schemaLimit)
		err := db.CheckSchema(look)
		cancel()
		if !errors.Is(err, store.ErrSchemaNewer) && !errors.Is(err, store.ErrSchemaOlder) {
			if err == nil {
				o.schema.Store(nil)
			}
			continue // an outage says nothing about the schema
		}
		text := err.Error()
		if old := o.schema.Swap(&text); old == nil {
			log.Error("this process is not ready any more", "error", err)
		}
	}
}
