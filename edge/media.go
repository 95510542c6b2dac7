package edge

import (
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/internal/shop"
)

// inert keeps an uploaded file from executing anything when it is opened as a page.
const inert = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"

// mediaFile answers /files/…: an original of the media library (document 1, 4.4).
func (v *visit) mediaFile(path string) (int, outcome) {
	decoded, ok := decodePath(path)
	if !ok {
		return plain(v.ctx, fasthttp.StatusBadRequest), cacheNone
	}
	return v.original(strings.Clone(decoded[len(shop.FilesPrefix):]))
}

// original serves a stored file by its storage path.
func (v *visit) original(path string) (int, outcome) {
	if traverses(path) || path == "" {
		return plain(v.ctx, fasthttp.StatusNotFound), cacheNone
	}
	if status := v.mayEnterPicture(path); status != 0 {
		return status, cacheNone
	}
	f, err := v.s.cfg.Source.MediaFile(v.work(), v.t.company, path)
	if err != nil {
		return v.fail(err)
	}
	out := stored{File: f, caching: "public, max-age=300", fields: []field{{fasthttp.HeaderXContentTypeOptions, "nosniff"}}}
	switch {
	case f.Moved:
	case withdrawable(path):
		out.caching = withdrawableCaching
	case holdsUUID(path):
		out.caching = immutableCaching
	}
	if active(f.MIME) {
		out.fields = append(out.fields, field{fasthttp.HeaderContentSecurityPolicy, inert})
	}
	// The entry is named by content: the Source has just confirmed that the path leads to
	// it.
	out.name = "media " + f.SHA256 + " " + f.MIME + " " + out.caching
	status, how := v.serve(out)
	if v.inside {
		v.keepPrivate()
	}
	return status, how
}

// withdrawableCaching is for buyers' pictures, which are removed with their review or its
// author: the content at an address never changes, but may be removed.
const withdrawableCaching = "public, max-age=86400"

// withdrawable reports whether a path below /files/ is that of a buyer's picture.
func withdrawable(path string) bool { return strings.HasPrefix(path, shop.ReviewSection+"/") }

// holdsUUID reports whether a path names its file by id, so that its content never changes.
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
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') || !dash && shop.HexDigit(s[i]) < 0 {
			return false
		}
	}
	return true
}
