package edge

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/internal/shop"
)

// standInCaching is for a picture of another width than requested, sent because the resizer
// is busy.
const standInCaching = "public, max-age=30"

// pictureRequest is a picture as an address asks for it.
type pictureRequest struct {
	path           string // storage path
	width, quality int    // quality 0: the default of the width
}

// readPictureRequest reads /w/{width}/webp/{path}?q= (document 1, 4.4).
func readPictureRequest(decoded, query string) (c pictureRequest, ok bool) {
	number, rest, _ := strings.Cut(decoded[len(widthPrefix):], "/")
	file, ok := strings.CutPrefix(rest, "webp/")
	width, numeric := clamped(number, shop.MinPictureWidth, shop.MaxPictureWidth)
	if !ok || !numeric || file == "" || traverses(file) {
		return pictureRequest{}, false
	}
	// Both the storage path and the public path as the API prints it are accepted.
	c = pictureRequest{path: strings.TrimPrefix(file, shop.FilesPrefix[1:]), width: width}
	if text, ok := queryValue(query, "q"); ok {
		c.quality, _ = clamped(text, shop.MinPictureQuality, shop.MaxPictureQuality)
	}
	return c, true
}

// name is the name of its entry in the cache.
func (c pictureRequest) name() string {
	return "cut " + strconv.Itoa(c.width) + " " + strconv.Itoa(c.quality) + " " + c.path
}

// resized answers a picture resized to a width. HEAD is 404 (document 1, 4.4).
func (v *visit) resized(path string) (int, outcome) {
	decoded, ok := decodePath(path)
	if !ok {
		return plain(v.ctx, fasthttp.StatusBadRequest), cacheNone
	}
	c, ok := readPictureRequest(decoded, v.query)
	if !ok || v.ctx.IsHead() || v.s.cfg.Resize == nil {
		return plain(v.ctx, fasthttp.StatusNotFound), cacheNone
	}
	c.path = strings.Clone(c.path)
	if status := v.mayEnterPicture(c.path); status != 0 {
		return status, cacheNone
	}
	if strings.HasSuffix(strings.ToLower(c.path), ".svg") {
		return v.original(c.path)
	}
	name := c.name()
	hash := v.s.cache.hash(v.t, name)
	if e := v.s.cache.find(hash, v.t, name); e != nil && e.fresh(v.st) {
		v.remember(e, false, "")
		return e.answer.send(v.ctx, false), cacheHit
	}
	ctx, stop := v.untilGone()
	defer stop()
	picture, err := v.s.cfg.Resize(ctx, v.t.company, c.path, c.width, c.quality)
	switch {
	case errors.Is(err, ErrKeepOriginal):
		return v.original(c.path)
	case err != nil:
		return v.unresized(err), cacheNone
	case v.inside:
		defer v.keepPrivate()
	}
	e := &entry{tenant: v.t, name: name, hash: hash, keys: cutKeys, madeAt: v.st.gen, answer: picture.answer(withdrawable(c.path), v.t.company), getOnly: true}
	e.validAt.Store(v.st.gen)
	// Cache only pictures whose address never gets other content: no stand-in, which will
	// soon be replaced, and nothing so large that it would evict many pages.
	if !picture.StandIn && holdsUUID(c.path) && len(picture.Body) <= smallFile && !v.t.draft {
		v.s.cache.put(e, v.s.cfg.Now())
		v.remember(e, false, "")
	}
	return e.answer.send(v.ctx, false), cacheMiss
}

// cutKeys are the keys that change when a file of the media library is deleted.
var cutKeys = []shop.Key{{Kind: shop.KeyDesign}}

// unresized answers when a picture could not be resized.
func (v *visit) unresized(err error) int {
	if errors.Is(err, shop.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		v.ctx.Response.Header.Set(fasthttp.HeaderRetryAfter, "1")
		return plain(v.ctx, fasthttp.StatusServiceUnavailable)
	}
	status, _ := v.fail(err)
	return status
}

func (p Image) answer(withdrawable bool, company shop.CompanyID) *answer {
	a := &answer{
		mime: "image/webp", tag: strings.Trim(p.ETag, `"`), caching: immutableCaching,
		fields: []field{{fasthttp.HeaderXContentTypeOptions, "nosniff"}, {surrogateHeader, surrogates(cutKeys, company)}},
	}
	switch {
	case p.StandIn:
		a.caching = standInCaching
	case withdrawable:
		a.caching = withdrawableCaching
	}
	return a.finish(p.Body)
}

// clamped reads a decimal number and limits it to a range.
func clamped(text string, low, high int) (int, bool) {
	if text == "" || len(text) > 20 || len(bytes.Trim([]byte(text), "0123456789")) > 0 {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		n = high // too many digits for an int
	}
	return min(max(n, low), high), true
}
