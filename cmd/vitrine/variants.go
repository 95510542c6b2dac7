package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"vitrine/internal/blob"
)

// variants are the resized pictures on this machine's disk. They go with the picture that
// they were made of: somebody may have been erased with it.
//
// The process that removes the bytes removes its variants at once (wholly). Another
// machine, and a picture that was in the making just then, is caught up with by rounds.
type variants struct {
	kept *blob.Cache
	gone func(context.Context, []string) ([]string, error) // those of the objects that nothing refers to
	log  *slog.Logger
}

const (
	variantsEvery = time.Hour // how long a variant outlives its picture on another machine, at most
	askedAtOnce   = 500       // objects of one question to the database
)

// run does a round now and every hour until the context ends. A round that fails is
// followed by the next one.
func (v *variants) run(ctx context.Context) {
	tick := time.NewTicker(variantsEvery)
	defer tick.Stop()
	for {
		if err := v.round(ctx); err != nil && ctx.Err() == nil {
			v.log.Warn("resized pictures of what is gone stay for now", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// round removes the variants of all that nothing refers to any more.
func (v *variants) round(ctx context.Context) error {
	for shard := range 256 {
		sources, err := v.kept.Sources(fmt.Sprintf("%02x", shard))
		if err != nil {
			return err
		}
		for some := range slices.Chunk(sources, askedAtOnce) {
			over, err := v.gone(ctx, some)
			for _, sha := range over {
				err = errors.Join(err, v.kept.Drop(sha))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// wholly is a store of bytes whose objects take their variants on this machine along.
type wholly struct {
	blob.Store
	kept *blob.Cache
}

// Collect removes an object, and what was made of it.
func (w wholly) Collect(ctx context.Context, sha string, before time.Time) (gone bool, err error) {
	if gone, err = w.Store.Collect(ctx, sha, before); gone {
		err = errors.Join(err, w.kept.Drop(sha))
	}
	return gone, err
}
