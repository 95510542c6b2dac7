package edge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/valyala/fasthttp"

	"vitrine/compile/release"
	"vitrine/internal/condition"
	"vitrine/internal/shop"
)

// smallFile is the size up to which a file is kept in memory, in all codings;
// a larger one is streamed from the store.
const smallFile = 1 << 20

// stored is a file of the Source with its response metadata.
type stored struct {
	File
	name    string     // name of its entry, unique in the shop
	keys    []shop.Key // a change of one of these may make the file unreachable
	settled bool       // the compiled site resolves to the file, so the generation covers its validity
	status  int        // 0: 200. Other statuses have no entity tag: preconditions and ranges do not apply
	caching string
	fields  []field
	path    string // of a page, under which its views are counted
}

// serve answers with a stored file: 200, 304, 206 or 416.
func (v *visit) serve(f stored) (int, outcome) {
	if f.Size > smallFile || v.t.draft || v.inside {
		return v.stream(f)
	}
	hash := v.s.cache.hash(v.t, f.name)
	if e := v.s.cache.find(hash, v.t, f.name); e != nil && e.fresh(v.st) {
		v.remember(e, f.settled, f.path)
		return e.answer.send(v.ctx, false), cacheHit
	}
	s, t, st, ctx := v.s, v.t, v.st, v.work()
	found, err := s.flights.Do(ctx, "file "+t.company.String()+" "+f.name, func() (any, error) {
		body, err := f.whole().read(ctx)
		if err != nil {
			return nil, fmt.Errorf("file %s: %w", f.SHA256, err)
		}
		f.fields = f.named(t.company)
		packed, err := f.packedBodies(ctx)
		if err != nil {
			return nil, fmt.Errorf("compressed form of file %s: %w", f.SHA256, err)
		}
		e := &entry{tenant: t, name: f.name, hash: hash, keys: f.keys, madeAt: st.gen, answer: f.answer(body, packed)}
		e.validAt.Store(st.gen)
		s.cache.put(e, s.cfg.Now())
		return e, nil
	})
	if err != nil {
		return v.fail(err)
	}
	e := found.(*entry)
	v.remember(e, f.settled, f.path)
	return e.answer.send(v.ctx, false), cacheMiss
}

// remember makes further requests for a file of a release take the hot path. Other files
// are looked up each time, because no key reports their removal.
func (v *visit) remember(e *entry, settled bool, path string) {
	if (settled || len(e.keys) > 0) && v.rememberable() && v.query == "" {
		v.t.targets.put(v.target, e, path, v.st.gen)
	}
}

// named returns the fields with the surrogate keys of the file: of its keys, of the site folders,
// or of the media library.
func (f stored) named(company shop.CompanyID) []field {
	var names string
	switch {
	case len(f.keys) > 0:
		names = surrogates(f.keys, company)
	case f.settled:
		names = surrogates(nil, company) + " " + shop.FolderSurrogate(company)
	default:
		names = surrogates(cutKeys, company)
	}
	return append(slices.Clip(f.fields), field{surrogateHeader, names})
}

func (f stored) answer(body []byte, packed [encodings][]byte) *answer {
	a := &answer{
		status: f.status, mime: f.MIME, tag: f.tag(), caching: f.caching, fields: f.fields,
		packs: release.Compressible(f.MIME), ranged: f.status == 0,
	}
	a.finish(body)
	for e, rep := range packed {
		if rep != nil {
			a.packed[e].Store(a.represent(rep, encoding(e)))
		}
	}
	return a
}

// tag is the entity tag: half of the hash is more than enough to distinguish two contents.
// Only a 200 has one.
func (f stored) tag() string {
	if f.status != 0 {
		return ""
	}
	return f.SHA256[:min(32, len(f.SHA256))]
}

// read returns the whole of a small file. A short read is an error: a truncated file must
// never be cached.
func (f Representation) read(ctx context.Context) ([]byte, error) {
	r, err := f.Open(ctx)
	if err != nil {
		return nil, err
	}
	body := make([]byte, f.Size)
	if _, err = io.ReadFull(r, body); err != nil {
		err = fmt.Errorf("shorter than %d bytes: %w", f.Size, err)
	}
	return body, errors.Join(err, r.Close())
}

// stream sends a large file or a part of it in pieces. Parts are of the plain bytes; the
// whole file is sent in the compressed form that the client accepts, if there is one.
func (v *visit) stream(f stored) (int, outcome) {
	req, h := &v.ctx.Request.Header, &v.ctx.Response.Header
	rep, coding := f.whole(), identity
	if f.packs() {
		h.Set(fasthttp.HeaderVary, fasthttp.HeaderAcceptEncoding)
		if e := negotiate(req.Peek(fasthttp.HeaderAcceptEncoding), brotlied); f.Packed[e].Size > 0 {
			rep, coding = f.Packed[e], e
		}
	}
	h.SetNoDefaultContentType(true)
	h.Set(fasthttp.HeaderCacheControl, f.caching)
	for _, x := range f.named(v.t.company) {
		h.Set(x.name, x.value)
	}
	if f.status != 0 {
		h.SetContentType(f.MIME)
		v.ctx.SetStatusCode(f.status)
		return v.sendSpan(rep, coding, condition.Span{Length: rep.Size}), cacheNone
	}
	h.Set(fasthttp.HeaderAcceptRanges, "bytes")
	tag := f.quoted(coding)
	h.SetBytesV(fasthttp.HeaderETag, tag)
	if condition.Unchanged(req, tag) {
		v.ctx.SetStatusCode(fasthttp.StatusNotModified)
		return fasthttp.StatusNotModified, cacheNone
	}
	h.SetContentType(f.MIME)
	part, kind := condition.RequestedRange(req, f.quoted(identity), f.Size)
	if kind == condition.WholeBody {
		return v.sendSpan(rep, coding, condition.Span{Length: rep.Size}), cacheNone
	}
	h.SetBytesV(fasthttp.HeaderETag, f.quoted(identity))
	if status := condition.SetPart(&v.ctx.Response, part, kind, f.Size); kind == condition.Unsatisfiable {
		return status, cacheNone
	}
	return v.sendSpan(f.whole(), identity, part), cacheNone
}

func (f stored) quoted(e encoding) []byte { return []byte(`"` + f.tag() + encodingTags[e] + `"`) }

// sendSpan sends a part of a representation. The file stays open after the handler has
// returned, so it is opened with the context of the server.
func (v *visit) sendSpan(f Representation, coding encoding, part condition.Span) int {
	h := &v.ctx.Response.Header
	if coding != identity {
		h.SetContentEncoding(encodingNames[coding])
	}
	if v.ctx.IsHead() {
		h.SetContentLength(int(part.Length))
		return v.ctx.Response.StatusCode()
	}
	r, err := f.Open(v.s.ctx)
	if err == nil {
		if _, err = r.Seek(part.Start, io.SeekStart); err != nil {
			err = errors.Join(err, r.Close())
		}
	}
	if err != nil {
		v.ctx.Response.Reset()
		status, _ := v.fail(err)
		return status
	}
	v.ctx.SetBodyStream(section{io.LimitReader(r, part.Length), r}, int(part.Length))
	return v.ctx.Response.StatusCode()
}

// section is a part of a file that closes the file.
type section struct {
	io.Reader
	io.Closer
}

// packedBodies reads the compressed forms of a small file.
func (f stored) packedBodies(ctx context.Context) (bodies [encodings][]byte, err error) {
	for e, rep := range f.Packed {
		if rep.Size > 0 {
			if bodies[e], err = rep.read(ctx); err != nil {
				return bodies, err
			}
		}
	}
	return bodies, nil
}

// packs reports whether compressed forms were made when the file was published.
func (f stored) packs() bool {
	return slices.ContainsFunc(f.Packed[:], func(rep Representation) bool { return rep.Size > 0 })
}

// active reports whether a browser that opens the file as a top-level page could execute
// content in it.
func active(mime string) bool {
	base, _, _ := bytes.Cut([]byte(mime), []byte(";"))
	base = bytes.TrimSpace(base)
	return bytes.HasSuffix(base, []byte("html")) || bytes.HasSuffix(base, []byte("xml"))
}
