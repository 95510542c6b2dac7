package resizer

import (
	"errors"
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"

	"vitrine/internal/shop"
)

// kept returns a variant of a source from the cache. A disk that fails is a miss: the
// picture can be made again.
func (r *Resizer) kept(source string, w wish) (Variant, bool) {
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
		r.log.Warn("resizer: kept variant is no picture", "error", err)
		return Variant{}, false
	}
	return variantOf(body, info.Width), true
}

// keep stores a variant. A full disk costs the next request another decode, not
// this one its answer.
func (r *Resizer) keep(source string, w wish, body []byte) {
	if r.cache == nil {
		return
	}
	if err := r.cache.Put(source, w.key(source), body); err != nil {
		r.log.Warn("resizer: cannot keep a variant", "error", err)
	}
}

// nearby finds a kept step to answer with while the queue is full: the next
// larger one, which a browser shrinks unseen, before the next smaller.
func (r *Resizer) nearby(src Source, want wish) (Variant, bool) {
	steps := shop.PictureSteps[:]
	at, _ := slices.BinarySearch(steps, want.width)
	order := slices.Clone(steps[at:])
	for i := at - 1; i >= 0; i-- {
		order = append(order, steps[i])
	}
	for _, step := range order {
		near := wish{width: step}
		if v, ok := r.kept(src.Key, near); ok {
			v.ETag, v.StandIn = near.etag(src.Key), true
			return v, true
		}
	}
	return Variant{}, false
}

// verdict is what Inspect, Complete and, when it failed, the decoder said about
// a source. It depends on the bytes alone, so a refusal is as final as the key.
type verdict struct {
	info Info
	err  error
}

// isFinal reports whether an error lies in the picture.
func isFinal(err error) bool {
	return errors.Is(err, ErrBroken) || errors.Is(err, ErrNotResizable) || errors.Is(err, ErrTooBig)
}

// maxVerdicts bounds the memory of verdicts, some 200 bytes each.
const maxVerdicts = 50_000

// verdicts remembers sources by their keys, so that all widths beyond a source
// are known to be one variant, and a refused source is not read again.
type verdicts = lru.Cache[string, verdict]

func newVerdicts() *verdicts {
	seen, err := lru.New[string, verdict](maxVerdicts)
	if err != nil {
		panic(err) // it refuses sizes below 1 only
	}
	return seen
}
