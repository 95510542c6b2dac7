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

// stored is a file of the Source with what is said about it.
type stored struct {
	File
	name    string     // of its entry, unique in the shop
	keys    []shop.Key // what makes it unreachable when it moves
	settled bool       // the compiled site leads here, so its generation tells when that ends
	status  int        // 0: 200. Others have no tag: preconditions and ranges change nothing
	caching string
	fields  []field
}

// serve answers with a stored file: 200, 304, 206 or 416.
func (v *visit) serve(f stored) (int, outcome) {
	if f.Size > smallFile || v.t.draft || v.inside {
		return v.stream(f)
	}
	hash := v.s.cache.hash(v.t, f.name)
	if e := v.s.cache.find(hash, v.t, f.name); e != nil && e.fresh(v.st) {
		v.remember(e, f.settled)
		return e.answer.send(v.ctx, false), cacheHit
	}
	s, t, st, ctx := v.s, v.t, v.st, v.work()
	found, err := s.flights.do(ctx, "file "+t.company.String()+" "+f.name, func() (any, error) {
		body, err := f.whole().read(ctx)
		if err != nil {
			return nil, fmt.Errorf("file %s: %w", f.SHA256, err)
		}
		packed, err := f.forms(ctx)
		if err != nil {
			return nil, fmt.Errorf("a form of file %s: %w", f.SHA256, err)
		}
		e := &entry{tenant: t, name: f.name, hash: hash, keys: f.keys, born: st.gen, answer: f.answer(body, packed)}
		e.seen.Store(st.gen)
		s.cache.put(e, s.cfg.Now())
		return e, nil
	})
	if err != nil {
		return v.fail(err)
	}
	e := found.(*entry)
	v.remember(e, f.settled)
	return e.answer.send(v.ctx, false), cacheMiss
}

// remember lets the next visitor of a file of a release take the short way.
// Other files are looked up each time, because no key tells of their end.
func (v *visit) remember(e *entry, settled bool) {
	if (settled || len(e.keys) > 0) && v.shortens() && v.query == "" {
		v.t.targets.put(v.target, e, v.st.gen)
	}
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

// tag is an entity tag: half of the hash is more than enough to tell two
// contents apart. Only a 200 has one.
func (f stored) tag() string {
	if f.status != 0 {
		return ""
	}
	return f.SHA256[:min(32, len(f.SHA256))]
}

// read returns the whole of a small file. A short file is an error: half a file
// must never be kept.
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

// stream sends a large file, or a part of it, in pieces. Parts are of the plain
// bytes; a whole goes in the form that the visitor takes, where there is one.
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
	for _, x := range f.fields {
		h.Set(x.name, x.value)
	}
	if f.status != 0 {
		h.SetContentType(f.MIME)
		v.ctx.SetStatusCode(f.status)
		return v.pour(rep, coding, span{0, rep.Size}), cacheNone
	}
	h.Set(fasthttp.HeaderAcceptRanges, "bytes")
	tag := f.quoted(coding)
	h.SetBytesV(fasthttp.HeaderETag, tag)
	if condition.Unchanged(req, tag) {
		v.ctx.SetStatusCode(fasthttp.StatusNotModified)
		return fasthttp.StatusNotModified, cacheNone
	}
	h.SetContentType(f.MIME)
	part, kind := wants(req, f.quoted(identity), f.Size)
	if kind == wholeBody {
		return v.pour(rep, coding, span{0, rep.Size}), cacheNone
	}
	h.SetBytesV(fasthttp.HeaderETag, f.quoted(identity))
	if status := partial(v.ctx, part, kind, f.Size); kind == unsatisfiable {
		return status, cacheNone
	}
	return v.pour(f.whole(), identity, part), cacheNone
}

func (f stored) quoted(e encoding) []byte { return []byte(`"` + f.tag() + encodingTags[e] + `"`) }

// pour sends a part of a form. It stays open while it is sent, so its context is
// the server's own.
func (v *visit) pour(f Representation, coding encoding, part span) int {
	h := &v.ctx.Response.Header
	if coding != identity {
		h.SetContentEncoding(encodingNames[coding])
	}
	if v.ctx.IsHead() {
		h.SetContentLength(int(part.length))
		return v.ctx.Response.StatusCode()
	}
	r, err := f.Open(v.s.ctx)
	if err == nil {
		if _, err = r.Seek(part.start, io.SeekStart); err != nil {
			err = errors.Join(err, r.Close())
		}
	}
	if err != nil {
		v.ctx.Response.Reset()
		status, _ := v.fail(err)
		return status
	}
	v.ctx.SetBodyStream(section{io.LimitReader(r, part.length), r}, int(part.length))
	return v.ctx.Response.StatusCode()
}

// section is a part of a file that closes the whole.
type section struct {
	io.Reader
	io.Closer
}

// forms reads the packed forms of a small file.
func (f stored) forms(ctx context.Context) (bodies [encodings][]byte, err error) {
	for e, rep := range f.Packed {
		if rep.Size > 0 {
			if bodies[e], err = rep.read(ctx); err != nil {
				return bodies, err
			}
		}
	}
	return bodies, nil
}

// packs reports whether the file was packed when it was published.
func (f stored) packs() bool {
	return slices.ContainsFunc(f.Packed[:], func(rep Representation) bool { return rep.Size > 0 })
}

// active reports whether a browser that opens the bytes as a page of their own
// could run something in them.
func active(mime string) bool {
	base, _, _ := bytes.Cut([]byte(mime), []byte(";"))
	base = bytes.TrimSpace(base)
	return bytes.HasSuffix(base, []byte("html")) || bytes.HasSuffix(base, []byte("xml"))
}
