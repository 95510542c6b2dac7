package edge

import (
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/compile/pack"
	"vitrine/compile/release"
	"vitrine/internal/shop"
	"vitrine/render"
)

const immutableCaching = "public, max-age=31536000, immutable"

// assetEntries prepares the storefront's own files.
func assetEntries() (map[string]*entry, error) {
	all := map[string]*entry{}
	for _, a := range render.Assets() {
		caching := immutableCaching
		if !a.Immutable {
			caching = "public, max-age=86400"
		}
		all[a.Path] = &entry{name: a.Path, answer: (&answer{
			mime: a.Type, tag: a.ETag[1 : len(a.ETag)-1], caching: caching, packs: release.Compressible(a.Type), level: pack.File,
			fields: []field{{fasthttp.HeaderXContentTypeOptions, "nosniff"}, {surrogateHeader, shop.AllSurrogates}},
		}).finish(a.Body)}
	}
	return all, nil
}

// asset answers /_vitrine/…. A closed shop serves these paths too, because its PIN page
// needs them, and so does the password page of a closed resource in an open shop.
func (v *visit) asset(path string) int {
	switch path {
	case pinPath:
		return v.enterPIN()
	case accessPath:
		return v.enterClosed()
	case clearPath:
		return v.clear()
	}
	if strings.HasPrefix(path, passPrefix) {
		return v.servePass(path)
	}
	if strings.HasPrefix(path, previewPrefix) {
		return v.preview(path)
	}
	e := v.s.assets[path]
	if e == nil {
		return plain(v.ctx, fasthttp.StatusNotFound)
	}
	if status := v.readsOnly(); status != 0 {
		return status
	}
	return e.answer.send(v.ctx, false)
}
