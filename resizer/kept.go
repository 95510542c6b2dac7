package resizer

import (
	"errors"
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"

	"vitrine/internal/shop"
)

// cached returns a variant of a source from the cache. A disk error is a miss: the picture
// can be made again.
func (r *Resizer) cached(source string, w spec) (Variant, bool) {
	if r.cache == nil {
		return Variant{}, false
	}
	body, ok, err := r.cache.Get(source, w.key(source))
	if err != nil {
		r.log.Warn("resizer: cannot read a variant", "error", err)
	}
	if err != nil || !ok {
		return Variant{}, false
	}
	info, err := Inspect(body)
	if err != nil {
		r.log.Warn("resizer: cached variant is not a picture", "error", err)
		return Variant{}, false
	}
	return variantOf(body, info.Width), true
}

// store caches a variant. An error only costs the next request another decode, so it is
// logged.
func (r *Resizer) store(source string, w spec, body []byte) {
	if r.cache == nil {
		return
	}
	if err := r.cache.Put(source, w.key(source), body); err != nil {
		r.log.Warn("resizer: cannot store a variant", "error", err)
	}
}

// nearest finds a cached step to answer with while the queue is full: the next larger ones,
// which a browser scales down without visible loss, before the smaller ones.
func (r *Resizer) nearest(src Source, want spec) (Variant, bool) {
	steps := shop.PictureSteps[:]
	at, _ := slices.BinarySearch(steps, want.width)
	order := slices.Clone(steps[at:])
	for i := at - 1; i >= 0; i-- {
		order = append(order, steps[i])
	}
	for _, step := range order {
		near := spec{width: step}
		if v, ok := r.cached(src.Key, near); ok {
			v.ETag, v.StandIn = near.etag(src.Key), true
			return v, true
		}
	}
	return Variant{}, false
}

// verdict is the result of Inspect, Complete and, if it failed, the decoder for a source.
// It depends on the bytes alone, so a refusal is as permanent as the key.
type verdict struct {
	info Info
	err  error
}

// isFinal reports whether an error is caused by the picture.
func isFinal(err error) bool {
	return errors.Is(err, ErrBroken) || errors.Is(err, ErrNotResizable) || errors.Is(err, ErrNoDecoder) || errors.Is(err, ErrTooBig)
}

// maxVerdicts bounds the memory of verdicts, some 200 bytes each.
const maxVerdicts = 50_000

// verdicts remembers sources by their keys, so that all widths beyond a source are known to
// be one variant, and a refused source is not read again.
type verdicts = lru.Cache[string, verdict]

func newVerdicts() *verdicts {
	seen, err := lru.New[string, verdict](maxVerdicts)
	if err != nil {
		panic(err) // it only refuses sizes below 1
	}
	return seen
}
