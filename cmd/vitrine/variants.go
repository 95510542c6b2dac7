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

// variants are resized pictures, on this machine's disk or in the bucket. They are deleted with the
// picture they were made from, because it may show a person whose data was erased.
//
// The process that deletes an object deletes its variants immediately (collectingStore). Periodic
// rounds do the same for objects deleted by other machines, and for variants that were being
// created at that moment.
type variants struct {
	kept derived
	gone func(context.Context, []string) ([]string, error) // returns the objects that nothing refers to
	log  *slog.Logger
}

// derived is where variants are.
type derived interface {
	DerivedSources(ctx context.Context, shard string) ([]string, error)
	DropDerived(ctx context.Context, source string) error
}

const (
	variantsEvery = time.Hour // maximum time that a variant outlives its picture on another machine
	askedAtOnce   = 500       // objects per database query
)

// run does a round now and every hour until the context ends. After a failed round it
// continues with the next one.
func (v *variants) run(ctx context.Context) {
	tick := time.NewTicker(variantsEvery)
	defer tick.Stop()
	for {
		if err := v.round(ctx); err != nil && ctx.Err() == nil {
			v.log.Warn("deleting resized pictures of deleted objects failed; it will be retried", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// round deletes the variants of all objects that nothing refers to any more.
func (v *variants) round(ctx context.Context) error {
	for shard := range 256 {
		sources, err := v.kept.DerivedSources(ctx, fmt.Sprintf("%02x", shard))
		if err != nil {
			return err
		}
		for some := range slices.Chunk(sources, askedAtOnce) {
			over, err := v.gone(ctx, some)
			for _, sha := range over {
				err = errors.Join(err, v.kept.DropDerived(ctx, sha))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// collectingStore is a blob store that deletes an object's variants, on this machine and in the store, along
// with it.
type collectingStore struct {
	blob.Store
	kept *blob.Cache
}

// Collect removes an object and its variants.
func (w collectingStore) Collect(ctx context.Context, sha string, before time.Time) (gone bool, err error) {
	if gone, err = w.Store.Collect(ctx, sha, before); gone {
		err = errors.Join(err, w.kept.DropDerived(ctx, sha), w.Store.DropDerived(ctx, sha))
	}
	return gone, err
}
