// Package resizer resizes pictures to the widths that pages request, as WebP (document 1,
// 4.4): GET /w/{width}/webp/<path>?q=<quality>.
//
// Source, width, quality and policy determine every byte of a variant. It is made as
// follows:
//
//	Variant    clamps the request and checks the cache
//	pool       one flight per variant, a bounded queue, a child per worker
//	Inspect    reads the header in Go: format, size, frames, orientation, limits
//	shared     looks for a step among those that another machine has made
//	decoder    sends the picture and the request through a pipe to the child, a
//	           process that runs Child: without secrets, files, much memory or time
//	encode     in the child, libvips: decode, shrink, rotate, convert to sRGB, save
//	cache      stores the variant, and the request is answered
//
// Pictures are untrusted. Nothing is decoded before Inspect has checked its header against
// the limits, only six loaders of libvips may run at all, a broken picture is an error,
// and a flood of requests is stopped by the queue. A picture that crashes its decoder costs
// two children and one response.
//
// The address, the caching headers and the response to an error are not decided here. The
// errors ErrNotResizable, ErrNoDecoder, ErrBroken and ErrTooBig concern the picture and are final; the
// original can be served instead.
package resizer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync/atomic"
	"time"

	"vitrine/internal/blob"
	"vitrine/internal/shop"
)

// Config configures a Resizer; the zero value works without a cache.
type Config struct {
	Workers int          // concurrent pictures, 0 for one per processor
	Queue   int          // pictures that may wait in addition, about half of them of one shop; 0 for 128, below 0 for none
	Cache   *blob.Cache  // stores finished variants; nil: every variant is made again
	Shared  blob.Store   // keeps the steps for all machines; nil: each machine makes its own
	Log     *slog.Logger // nil for the default one

	// Child is the command line of a process that calls the function Child: each worker
	// decodes in its own child, so that the effects of a malicious picture are confined to
	// it. If it is empty, pictures are decoded in this process.
	Child []string
}

// openTimeout bounds how long a worker waits for the bytes of a source.
const openTimeout = 30 * time.Second

// Source is a picture to be resized.
type Source struct {
	Key  string                                // SHA-256 of the content in hex; identifies the picture in the cache
	Open func(context.Context) ([]byte, error) // all bytes, bounded by the caller; called at most once per variant
	Shop shop.CompanyID                        // whose turn in the queue it takes; 0: those without a shop
}

// Of returns the source as one of a shop.
func (s Source) Of(company shop.CompanyID) Source {
	s.Shop = company
	return s
}

// Stored returns the source for an object of a store, refused over max bytes.
func Stored(store blob.Store, sha string, max int64) Source {
	return Source{Key: sha, Open: func(ctx context.Context) ([]byte, error) {
		return store.ReadAll(ctx, sha, max)
	}}
}

// Variant is a finished picture.
type Variant struct {
	Body        []byte // read-only
	ETag        string // strong, with quotes
	ContentType string
	Width       int  // in pixels; less than requested if the source is narrower
	StandIn     bool // another step than requested, because the resizer is busy; to be cached for seconds only
}

// Resizer makes variants. All methods are safe for concurrent use.
type Resizer struct {
	pool     *pool
	decoders []*decoder // one per worker
	cache    *blob.Cache
	log      *slog.Logger
	verdicts *verdicts
	shared   shared
	ctx      context.Context
	stop     context.CancelFunc

	decodes, hits, fetched, busy, broken, deaths atomic.Int64
}

// New starts the workers. Close stops them.
func New(cfg Config) (*Resizer, error) {
	if cfg.Workers < 0 {
		return nil, fmt.Errorf("resizer: %d workers", cfg.Workers)
	}
	if cfg.Workers == 0 {
		cfg.Workers = runtime.GOMAXPROCS(0)
	}
	if cfg.Queue == 0 {
		cfg.Queue = 128
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	r := &Resizer{cache: cfg.Cache, log: cfg.Log, verdicts: newVerdicts()}
	for range cfg.Workers {
		r.decoders = append(r.decoders, &decoder{command: cfg.Child, log: cfg.Log, deaths: &r.deaths})
	}
	r.pool = newPool(r.decoders, max(cfg.Queue, 0))
	r.ctx, r.stop = context.WithCancel(context.Background())
	r.shared = shared{store: cfg.Shared, log: cfg.Log, puts: make(chan sharedVariant, sharedPuts), stored: make(chan struct{})}
	go r.shared.run(r.ctx)
	return r, nil
}

// Close refuses new and waiting work with ErrClosed, and returns when running work has
// completed and is stored.
func (r *Resizer) Close() {
	r.pool.close()
	r.stop()
	<-r.shared.stored
}

// Variant returns the source at a width of 16 to 4096 pixels, at most its own, with a
// quality of 40 to 95 or 0 for the default of its step; other values are clamped. It may
// return ErrNotResizable, ErrNoDecoder, ErrBroken, ErrTooBig, ErrBusy, ErrClosed, ErrPanic, the error of
// ctx or that of src.Open.
//
// If the queue is full, or the wait exceeds the deadline of ctx, a cached step of similar
// width is returned instead.
func (r *Resizer) Variant(ctx context.Context, src Source, width, quality int) (Variant, error) {
	asked := specFor(width, quality)
	want := asked
	seen, known := r.verdicts.Get(src.Key)
	if seen.err != nil {
		return Variant{}, seen.err
	}
	if known {
		want = asked.within(seen.info)
	}
	v, err := r.fetch(ctx, src, want)
	var narrower *narrowerError
	if errors.As(err, &narrower) {
		v, err = r.fetch(ctx, src, asked.within(narrower.info))
	}
	v.ETag = asked.etag(src.Key)
	if errors.Is(err, ErrBusy) || errors.Is(err, context.DeadlineExceeded) {
		r.busy.Add(1)
		if near, ok := r.nearest(src, want); ok {
			return near, nil
		}
	}
	if err != nil {
		return Variant{}, err
	}
	return v, nil
}

// fetch returns a variant from the cache or from the pool.
func (r *Resizer) fetch(ctx context.Context, src Source, want spec) (Variant, error) {
	key := want.key(src.Key)
	if v, ok := r.cached(src.Key, want); ok {
		r.hits.Add(1)
		return v, nil
	}
	done, err := r.pool.do(ctx, src.Shop, key, func(d *decoder) (outcome, error) { return r.make(d, src, want) })
	if err != nil {
		return Variant{}, err
	}
	return variantOf(done.picture.body, done.picture.width), nil
}

// make runs on a worker.
func (r *Resizer) make(d *decoder, src Source, want spec) (outcome, error) {
	ctx, cancel := context.WithTimeout(r.ctx, openTimeout)
	defer cancel()
	seen, _ := r.verdicts.Get(src.Key)
	if v, ok := r.fetchShared(ctx, src.Key, want, seen.info.Width); ok {
		return outcome{encoded{body: v.Body, width: v.Width}, seen.info}, nil
	}
	file, err := src.Open(ctx)
	if err != nil {
		return outcome{}, fmt.Errorf("resizer: source %s: %w", src.Key, err)
	}
	info, err := r.inspectSource(src.Key, file)
	if err != nil {
		return outcome{}, err
	}
	if info.Width < want.width {
		return outcome{}, &narrowerError{info}
	}
	// Another request may have finished it since the first check.
	if v, ok := r.cached(src.Key, want); ok {
		return outcome{encoded{body: v.Body, width: v.Width}, info}, nil
	}
	picture, err := r.encode(d, file, info, want.shape(info))
	switch {
	case err == nil:
		r.store(src.Key, want, picture.body)
		r.shared.put(src.Key, want, info.Width, picture.body)
	case isFinal(err):
		r.verdicts.Add(src.Key, verdict{info, err})
	}
	return outcome{picture, info}, err
}

// fetchShared returns a variant that another machine has made, and caches it.
func (r *Resizer) fetchShared(ctx context.Context, source string, w spec, full int) (Variant, bool) {
	body, ok := r.shared.get(ctx, source, w, full)
	if !ok {
		return Variant{}, false
	}
	info, err := Inspect(body)
	if err != nil {
		r.log.Warn("resizer: shared variant is not a picture", "error", err)
		return Variant{}, false
	}
	r.fetched.Add(1)
	r.store(source, w, body)
	return variantOf(body, info.Width), true
}

// inspectSource inspects the source and stores the verdict.
func (r *Resizer) inspectSource(key string, file []byte) (Info, error) {
	info, err := Inspect(file)
	if err == nil {
		err = Complete(file)
	}
	if err != nil {
		r.broken.Add(1)
	}
	r.verdicts.Add(key, verdict{info, err})
	return info, err
}

func (r *Resizer) encode(d *decoder, file []byte, info Info, s shape) (encoded, error) {
	r.decodes.Add(1)
	picture, err := d.encode(file, info, s)
	if err != nil {
		r.broken.Add(1)
	}
	return picture, err
}

// narrowerError reports that a source is narrower than requested: the flight for the
// source's own width then answers the request.
type narrowerError struct{ info Info }

func (e *narrowerError) Error() string {
	return fmt.Sprintf("resizer: the source is only %d pixels wide", e.info.Width)
}

func variantOf(body []byte, width int) Variant {
	return Variant{Body: body, ContentType: "image/webp", Width: width}
}

// Stats are counters since New.
type Stats struct {
	Decodes          int64 // pictures decoded
	Hits             int64 // variants found in the cache
	Fetched          int64 // variants that another machine had made
	Busy             int64 // variants requested while the queue was full
	Broken           int64 // pictures refused or broken
	Dropped          int64 // waiting pictures whose clients had disconnected
	Deaths           int64 // children that died while decoding
	Running, Waiting int   // current values
}

// Stats returns the counters for metrics.
func (r *Resizer) Stats() Stats {
	s := Stats{
		Decodes: r.decodes.Load(), Hits: r.hits.Load(), Fetched: r.fetched.Load(), Busy: r.busy.Load(), Broken: r.broken.Load(), Deaths: r.deaths.Load(),
	}
	s.Running, s.Waiting, s.Dropped = r.pool.load()
	return s
}
