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

// inert keeps a file that a shop owner uploaded from running anything when it
// is opened as a page of its own.
const inert = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"

// mediaFile answers /files/…: an original of the media library (document 1, 4.4).
func (v *visit) mediaFile(path string) (int, outcome) {
	decoded, ok := decodePath(path)
	if !ok {
		return plain(v.ctx, fasthttp.StatusBadRequest), cacheNone
	}
	return v.original(strings.Clone(decoded[len(filesPrefix):]))
}

// original serves a stored file by its storage path.
func (v *visit) original(path string) (int, outcome) {
	if traverses(path) || path == "" {
		return plain(v.ctx, fasthttp.StatusNotFound), cacheNone
	}
	f, err := v.s.cfg.Source.MediaFile(v.work(), v.t.company, path)
	if err != nil {
		return v.fail(err)
	}
	out := stored{File: f, caching: "public, max-age=300", fields: []field{{fasthttp.HeaderXContentTypeOptions, "nosniff"}}}
	if holdsUUID(path) {
		out.caching = immutableCaching
	}
	if active(f.MIME) {
		out.fields = append(out.fields, field{fasthttp.HeaderContentSecurityPolicy, inert})
	}
	// Named by content: whether the path still leads here was just asked.
	out.name = "media " + f.SHA256 + " " + f.MIME + " " + out.caching
	return v.serve(out)
}

// holdsUUID reports whether a path names its file by id, so that another file
// never stands there.
func holdsUUID(path string) bool {
	const size = 36
	for i := 0; i+size <= len(path); i++ {
		if isUUID(path[i : i+size]) {
			return true
		}
	}
	return false
}

func isUUID(s string) bool {
	for i := 0; i < len(s); i++ {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') || !dash && unhex(s[i]) < 0 {
			return false
		}
	}
	return true
}

// standInCaching is for a picture of another width than asked for, sent because
// the resizer is busy.
const standInCaching = "public, max-age=30"

// resized answers /w/{width}/webp/{path}?q=: a picture cut to a width. HEAD is
// 404 (document 1, 4.4).
func (v *visit) resized(path string) (int, outcome) {
	decoded, ok := decodePath(path)
	if !ok {
		return plain(v.ctx, fasthttp.StatusBadRequest), cacheNone
	}
	number, rest, _ := strings.Cut(decoded[len(widthPrefix):], "/")
	file, ok := strings.CutPrefix(rest, "webp/")
	width, numeric := clamped(number, shop.MinPictureWidth, shop.MaxPictureWidth)
	if !ok || !numeric || file == "" || traverses(file) || v.ctx.IsHead() || v.s.cfg.Resize == nil {
		return plain(v.ctx, fasthttp.StatusNotFound), cacheNone
	}
	// The storage path, or the public path as the API prints it.
	file = strings.Clone(strings.TrimPrefix(file, filesPrefix[1:]))
	if strings.HasSuffix(lower(file), ".svg") {
		return v.original(file)
	}
	quality := 0
	if text, ok := queryValue(v.query, "q"); ok {
		quality, _ = clamped(text, shop.MinPictureQuality, shop.MaxPictureQuality)
	}
	picture, err := v.s.cfg.Resize(v.work(), v.t.company, file, width, quality)
	switch {
	case errors.Is(err, ErrKeepOriginal):
		return v.original(file)
	case err != nil:
		return v.unresized(err)
	}
	return v.sendPicture(picture), cacheNone
}

// unresized answers when a picture could not be cut.
func (v *visit) unresized(err error) (int, outcome) {
	if errors.Is(err, shop.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) {
		v.ctx.Response.Header.Set(fasthttp.HeaderRetryAfter, "1")
		return plain(v.ctx, fasthttp.StatusServiceUnavailable), cacheNone
	}
	return v.fail(err)
}

func (v *visit) sendPicture(p Image) int {
	h := &v.ctx.Response.Header
	h.SetNoDefaultContentType(true)
	h.Set(fasthttp.HeaderETag, p.ETag)
	h.Set(fasthttp.HeaderCacheControl, immutableCaching)
	if p.StandIn {
		h.Set(fasthttp.HeaderCacheControl, standInCaching)
	}
	h.Set(fasthttp.HeaderXContentTypeOptions, "nosniff")
	if unchanged(&v.ctx.Request.Header, []byte(p.ETag)) {
		v.ctx.SetStatusCode(fasthttp.StatusNotModified)
		return fasthttp.StatusNotModified
	}
	h.SetContentType("image/webp")
	v.ctx.Response.SetBodyRaw(p.Body)
	return fasthttp.StatusOK
}

// clamped reads a number of decimal digits and moves it between two bounds.
func clamped(text string, low, high int) (int, bool) {
	if text == "" || len(text) > 20 || len(bytes.Trim([]byte(text), "0123456789")) > 0 {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		n = high // too many digits for a number
	}
	return min(max(n, low), high), true
}
