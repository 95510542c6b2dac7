package edge

import (
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/compile/release"
	"vitrine/internal/shop"
)

// releaseFile answers /_html/{doc}/{rid}/path: a file of a retained release, byte for byte
// and for ever (document 3, 4.6.7; CONTRACT, "Html documents"). The path is case-sensitive,
// and a query is ignored.
func (v *visit) releaseFile(path string) (int, outcome) {
	decoded, ok := decodePath(path)
	if !ok {
		return plain(v.ctx, fasthttp.StatusBadRequest), cacheNone
	}
	doc, rest, _ := strings.Cut(decoded[len(htmlPrefix):], "/")
	id, file, _ := strings.Cut(rest, "/")
	documentID, ok1 := plainID(doc)
	releaseID, ok2 := plainID(id)
	if !ok1 || !ok2 || file == "" || traverses(file) {
		return plain(v.ctx, fasthttp.StatusNotFound), cacheNone
	}
	closed, err := v.documentClosed(shop.DocumentID(documentID))
	if err != nil {
		return v.outage(err), cacheNone
	}
	if status := v.mayEnter(closed); status != 0 {
		return status, cacheNone
	}
	// A valid entry needs no check that the release is retained: its key changes when the
	// document loses a release.
	hash := v.s.cache.hash(v.t, decoded)
	if e := v.s.cache.find(hash, v.t, decoded); e != nil && e.fresh(v.st) && !v.inside {
		v.remember(e, false, "")
		return e.answer.send(v.ctx, false), cacheHit
	}
	f, err := v.t.source.ReleaseFile(v.work(), v.t.company, shop.DocumentID(documentID), shop.ReleaseID(releaseID), strings.Clone(file))
	if err != nil {
		return v.fail(err)
	}
	if mime := release.MIME(file); mime != release.Unknown {
		f.MIME = mime
	}
	status, how := v.serve(stored{
		File: f, name: strings.Clone(decoded), caching: immutableCaching,
		keys:   []shop.Key{{Kind: shop.KeyDocument, ID: documentID}},
		fields: []field{{fasthttp.HeaderXContentTypeOptions, "nosniff"}},
	})
	if v.inside {
		v.keepPrivate()
	}
	return status, how
}

// maxShown bounds the documents whose policies a state of a shop remembers.
const maxShown = 10_000

// documentClosed lists the policies that close a document: those of the pages that show it,
// if all of these pages are closed. A visitor with access to any of the pages has access to
// the document.
func (v *visit) documentClosed(doc shop.DocumentID) ([]shop.PolicyID, error) {
	if !v.st.site.HasClosed() {
		return nil, nil
	}
	st := v.st
	st.mu.Lock()
	closed, known := st.shown[doc]
	st.mu.Unlock()
	if known {
		return closed, nil
	}
	pages, everywhere, err := v.t.source.DocumentPages(v.work(), v.t.company, doc)
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		by := st.site.Closed(page)
		if by == nil || everywhere {
			closed = nil
			break
		}
		closed = append(closed, by...)
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.shown == nil {
		st.shown = map[shop.DocumentID][]shop.PolicyID{}
	}
	if len(st.shown) < maxShown {
		st.shown[doc] = closed
	}
	return closed, nil
}

// plainID reads an id in its canonical spelling: no sign, no leading zero.
func plainID(text string) (int64, bool) {
	if text == "" || text[0] < '1' || text[0] > '9' {
		return 0, false
	}
	id, err := strconv.ParseInt(text, 10, 64)
	return id, err == nil
}
