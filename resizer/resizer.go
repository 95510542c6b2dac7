// Package resizer cuts pictures to the widths that pages ask for, as WebP
// (document 1, 4.4): GET /w/{width}/webp/<path>?q=<quality>.
//
// A variant is what source, width, quality and policy determine, to the byte.
// Its way:
//
//	Variant    clamps the wish and looks into the cache
//	pool       one flight for one variant, a bounded queue, a child per worker
//	Inspect    reads the header in Go: format, size, frames, orientation, limits
//	decoder    sends picture and order through a pipe to the child, a process
//	           that runs Child: without secrets, files, much memory or time
//	encode     in it, libvips: decode, shrink, turn upright, convert to sRGB, save
//	cache      keeps the variant, the request answers
//
// Pictures come from strangers. Nothing is decoded before Inspect has held its
// header to the limits, only five loaders of libvips may run at all, a broken
// picture is an error and a flood of wishes ends at the queue. A picture that
// breaks its decoder costs two children and one answer.
//
// The address, the caching headers and what to answer in place of an error are
// not decided here. The errors ErrNotResizable, ErrBroken and ErrTooBig concern
// the picture and are final; the original can be served instead.
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
)

// Config sets up a Resizer; the zero value works and keeps nothing.
type Config struct {
	Workers int          // pictures in work at once, 0 for one per processor
	Queue   int          // pictures that may wait beyond that, 0 for 64, below 0 for none
	Cache   *blob.Cache  // keeps finished variants; nil makes each anew
	Log     *slog.Logger // nil for the default one

	// Child is the command line of a process that calls the function Child: each
	// worker has one of its own decode for it, so that whatever a picture does
	// to a decoder ends there. Empty, pictures are decoded in this process.
	Child []string
}

// openTimeout bounds how long a worker waits for the bytes of a source.
const openTimeout = 30 * time.Second

// Source is a picture to be resized.
type Source struct {
	Key  string                                // SHA-256 of the content in hex: what is kept goes by it
	Open func(context.Context) ([]byte, error) // all bytes, bounded by the caller; called at most once per variant
}

// Stored is the source kept in a store under a hash, refused over max bytes.
func Stored(store blob.Store, sha string, max int64) Source {
	return Source{Key: sha, Open: func(ctx context.Context) ([]byte, error) {
		return store.ReadAll(ctx, sha, max)
	}}
}

// Variant is a finished picture.
type Variant struct {
	Body        []byte // not to be changed
	ETag        string // strong, with quotes
	ContentType string
	Width       int  // pixels; less than asked for when the source is narrower
	StandIn     bool // another step than asked for, because the resizer is busy; to be cached for seconds only
}

// Resizer makes variants. All methods are safe for concurrent use.
type Resizer struct {
	pool     *pool
	decoders []*decoder // each its worker's own
	cache    *blob.Cache
	log      *slog.Logger
	seen     *verdicts
	ctx      context.Context
	stop     context.CancelFunc

	decodes, hits, busy, broken, deaths atomic.Int64
}

// New starts the workers. Close ends them.
func New(cfg Config) (*Resizer, error) {
	if cfg.Workers < 0 {
		return nil, fmt.Errorf("resizer: %d workers", cfg.Workers)
	}
	if cfg.Workers == 0 {
		cfg.Workers = runtime.GOMAXPROCS(0)
	}
	if cfg.Queue == 0 {
		cfg.Queue = 64
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	r := &Resizer{cache: cfg.Cache, log: cfg.Log, seen: newVerdicts()}
	for range cfg.Workers {
		r.decoders = append(r.decoders, &decoder{command: cfg.Child, log: cfg.Log, deaths: &r.deaths})
	}
	r.pool = newPool(r.decoders, max(cfg.Queue, 0))
	r.ctx, r.stop = context.WithCancel(context.Background())
	return r, nil
}

// Close refuses new work and what waits with ErrClosed, and returns when what
// has begun is finished and kept.
func (r *Resizer) Close() {
	r.pool.close()
	r.stop()
}

// Variant returns the source at a width of 16 to 4096 pixels, never more than
// its own, with a quality of 40 to 95 or 0 for the default of its step; values
// outside are clamped. It may return ErrNotResizable, ErrBroken, ErrTooBig,
// ErrBusy, ErrClosed, ErrPanic, the error of ctx or the one of src.Open.
//
// When the queue is full, or longer than ctx has time, a step nearby that is
// already kept stands in.
func (r *Resizer) Variant(ctx context.Context, src Source, width, quality int) (Variant, error) {
	asked := wishFor(width, quality)
	want := asked
	seen, known := r.seen.Get(src.Key)
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
		if near, ok := r.nearby(src, want); ok {
			return near, nil
		}
	}
	if err != nil {
		return Variant{}, err
	}
	return v, nil
}

// fetch returns a variant from the cache or by way of the pool.
func (r *Resizer) fetch(ctx context.Context, src Source, want wish) (Variant, error) {
	key := want.key(src.Key)
	if v, ok := r.kept(src.Key, want); ok {
		r.hits.Add(1)
		return v, nil
	}
	done, err := r.pool.do(ctx, key, func(d *decoder) (outcome, error) { return r.make(d, src, want) })
	if err != nil {
		return Variant{}, err
	}
	return variantOf(done.picture.body, done.picture.width), nil
}

// make runs on a worker.
func (r *Resizer) make(d *decoder, src Source, want wish) (outcome, error) {
	ctx, cancel := context.WithTimeout(r.ctx, openTimeout)
	defer cancel()
	file, err := src.Open(ctx)
	if err != nil {
		return outcome{}, fmt.Errorf("resizer: source %s: %w", src.Key, err)
	}
	info, err := r.judge(src.Key, file)
	if err != nil {
		return outcome{}, err
	}
	if info.Width < want.width {
		return outcome{}, &narrowerError{info}
	}
	// Another request may have finished it since this one looked.
	if v, ok := r.kept(src.Key, want); ok {
		return outcome{encoded{body: v.Body, width: v.Width}, info}, nil
	}
	picture, err := r.encode(d, file, info, want.shape(info))
	switch {
	case err == nil:
		r.keep(src.Key, want, picture.body)
	case isFinal(err):
		r.seen.Add(src.Key, verdict{info, err})
	}
	return outcome{picture, info}, err
}

// judge inspects the source and remembers what came out.
func (r *Resizer) judge(key string, file []byte) (Info, error) {
	info, err := Inspect(file)
	if err == nil {
		err = Complete(file)
	}
	if err != nil {
		r.broken.Add(1)
	}
	r.seen.Add(key, verdict{info, err})
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

// narrowerError says that a source is narrower than the wish: the wish is
// fulfilled by the flight of the source's own width.
type narrowerError struct{ info Info }

func (e *narrowerError) Error() string {
	return fmt.Sprintf("resizer: the source is only %d pixels wide", e.info.Width)
}

func variantOf(body []byte, width int) Variant {
	return Variant{Body: body, ContentType: "image/webp", Width: width}
}

// Stats counts since New.
type Stats struct {
	Decodes          int64 // pictures decoded
	Hits             int64 // variants found in the cache
	Busy             int64 // variants asked for while the queue was full
	Broken           int64 // pictures refused or broken
	Dropped          int64 // waiting pictures whose clients had gone
	Deaths           int64 // children that died at a picture
	Running, Waiting int   // now
}

// Stats returns the counters, for the operator's metrics.
func (r *Resizer) Stats() Stats {
	s := Stats{
		Decodes: r.decodes.Load(), Hits: r.hits.Load(), Busy: r.busy.Load(), Broken: r.broken.Load(), Deaths: r.deaths.Load(),
	}
	s.Running, s.Waiting, s.Dropped = r.pool.load()
	return s
}
