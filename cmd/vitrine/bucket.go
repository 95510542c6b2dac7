package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vitrine/internal/blob"
	"vitrine/internal/span"
)

// meteredStore is a blob store whose calls are counted with their duration and outcome.
type meteredStore struct {
	blob.Store
	calls *prometheus.HistogramVec
}

// meter counts the calls of a blob store.
func (o *ops) meter(s blob.Store) meteredStore {
	m := meteredStore{s, prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "vitrine_bucket_seconds", Help: "Duration of calls of the store of files by operation and outcome; that of put includes the time in which the sender sends.",
		Buckets: []float64{0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120},
	}, []string{"operation", "outcome"})}
	o.registry.MustRegister(m.calls)
	return m
}

// begin begins a call; done ends it with an error or without. Only failures of the store itself count
// as such: a missing object and a wrong hash are answers.
func (m meteredStore) begin(ctx context.Context, operation string) (within context.Context, done func(error)) {
	began := time.Now()
	within, traced := span.Call(ctx, "bucket "+operation)
	return within, func(err error) {
		outcome := "ok"
		switch {
		case errors.Is(err, blob.ErrDiskFull):
			outcome = "disk_full"
		case errors.Is(err, blob.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
			outcome = "unavailable"
		case errors.Is(err, blob.ErrDamaged):
			outcome = "damaged"
		}
		m.calls.WithLabelValues(operation, outcome).Observe(time.Since(began).Seconds())
		if outcome != "ok" {
			traced.Fail(outcome)
		}
		traced.End()
	}
}

func (m meteredStore) Put(ctx context.Context, r io.Reader, limit int64) (ref blob.Ref, err error) {
	ctx, done := m.begin(ctx, "put")
	defer func() { done(err) }()
	return m.Store.Put(ctx, r, limit)
}

func (m meteredStore) PutWithNote(ctx context.Context, r io.Reader, limit int64, note func(blob.Ref) error) (ref blob.Ref, err error) {
	ctx, done := m.begin(ctx, "put")
	defer func() { done(err) }()
	return m.Store.PutWithNote(ctx, r, limit, note)
}

func (m meteredStore) PutExpect(ctx context.Context, r io.Reader, sha string, size int64) (err error) {
	ctx, done := m.begin(ctx, "put")
	defer func() { done(err) }()
	return m.Store.PutExpect(ctx, r, sha, size)
}

func (m meteredStore) Open(ctx context.Context, sha string) (r io.ReadSeekCloser, size int64, err error) {
	ctx, done := m.begin(ctx, "open")
	defer func() { done(err) }()
	return m.Store.Open(ctx, sha)
}

func (m meteredStore) ReadAll(ctx context.Context, sha string, max int64) (body []byte, err error) {
	ctx, done := m.begin(ctx, "read")
	defer func() { done(err) }()
	return m.Store.ReadAll(ctx, sha, max)
}

func (m meteredStore) Derived(ctx context.Context, source, key string) (body []byte, err error) {
	ctx, done := m.begin(ctx, "read")
	defer func() { done(err) }()
	return m.Store.Derived(ctx, source, key)
}

func (m meteredStore) PutDerived(ctx context.Context, source, key string, body []byte) (err error) {
	ctx, done := m.begin(ctx, "put")
	defer func() { done(err) }()
	return m.Store.PutDerived(ctx, source, key, body)
}

func (m meteredStore) Has(ctx context.Context, sha string) (has bool, err error) {
	ctx, done := m.begin(ctx, "has")
	defer func() { done(err) }()
	return m.Store.Has(ctx, sha)
}

func (m meteredStore) Collect(ctx context.Context, sha string, before time.Time) (gone bool, err error) {
	ctx, done := m.begin(ctx, "delete")
	defer func() { done(err) }()
	return m.Store.Collect(ctx, sha, before)
}

func (m meteredStore) Owner(ctx context.Context) (id string, err error) {
	ctx, done := m.begin(ctx, "probe")
	defer func() { done(err) }()
	return m.Store.Owner(ctx)
}
