package edge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/valyala/fasthttp"

	"vitrine/compile/release"
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
	caching string
	fields  []field
}

// serve answers with a stored file: 200, 304, 206 or 416.
func (v *visit) serve(f stored) (int, outcome) {
	if f.Size > smallFile || v.t.draft {
		return v.stream(f)
	}
	hash := v.s.cache.hash(v.t, f.name)
	if e := v.s.cache.find(hash, v.t, f.name); e != nil && e.fresh(v.st) {
		v.remember(e)
		return e.answer.send(v.ctx, false), cacheHit
	}
	s, t, st, ctx := v.s, v.t, v.st, v.work()
	found, err := s.flights.do("file "+t.company.String()+" "+f.name, func() (any, error) {
		body, err := f.read(ctx)
		if err != nil {
			return nil, err
		}
		e := &entry{tenant: t, name: f.name, hash: hash, keys: f.keys, born: st.gen, answer: f.answer(body)}
		e.seen.Store(st.gen)
		s.cache.put(e, s.cfg.Now())
		return e, nil
	})
	if err != nil {
		return v.fail(err)
	}
	e := found.(*entry)
	v.remember(e)
	return e.answer.send(v.ctx, false), cacheMiss
}

// remember lets the next visitor of a file of a release take the short way.
// Other files are looked up each time, because no key tells of their end.
func (v *visit) remember(e *entry) {
	if len(e.keys) > 0 && v.shortens() && v.query == "" {
		v.t.targets.put(v.target, e, v.st.gen)
	}
}

func (f stored) answer(body []byte) *answer {
	return (&answer{
		mime: f.MIME, tag: f.tag(), caching: f.caching, fields: f.fields,
		packs: release.Compressible(f.MIME), ranged: true,
	}).finish(body)
}

// tag is an entity tag: half of the hash is more than enough to tell two
// contents apart.
func (f stored) tag() string { return f.SHA256[:min(32, len(f.SHA256))] }

// read returns the whole of a small file. A short file is an error: half a file
// must never be kept.
func (f stored) read(ctx context.Context) ([]byte, error) {
	r, err := f.Open(ctx)
	if err != nil {
		return nil, err
	}
	body := make([]byte, f.Size)
	if _, err = io.ReadFull(r, body); err != nil {
		err = fmt.Errorf("file %s is shorter than %d bytes: %w", f.SHA256, f.Size, err)
	}
	return body, errors.Join(err, r.Close())
}

// stream sends a large file, or a part of it, in pieces. The file stays open
// while it is sent, so its context is the server's own.
func (v *visit) stream(f stored) (int, outcome) {
	req, h := &v.ctx.Request.Header, &v.ctx.Response.Header
	tag := []byte(`"` + f.tag() + `"`)
	h.SetNoDefaultContentType(true)
	h.SetBytesV(fasthttp.HeaderETag, tag)
	h.Set(fasthttp.HeaderCacheControl, f.caching)
	h.Set(fasthttp.HeaderAcceptRanges, "bytes")
	for _, x := range f.fields {
		h.Set(x.name, x.value)
	}
	if unchanged(req, tag) {
		v.ctx.SetStatusCode(fasthttp.StatusNotModified)
		return fasthttp.StatusNotModified, cacheNone
	}
	h.SetContentType(f.MIME)
	part, kind := wants(req, tag, f.Size)
	status := fasthttp.StatusOK
	switch {
	case kind == unsatisfiable:
		return partial(v.ctx, part, kind, f.Size), cacheNone
	case kind == onePart:
		status = partial(v.ctx, part, kind, f.Size)
	default:
		part = span{0, f.Size}
	}
	if v.ctx.IsHead() {
		h.SetContentLength(int(part.length))
		return status, cacheNone
	}
	r, err := f.Open(v.s.ctx)
	if err == nil {
		if _, err = r.Seek(part.start, io.SeekStart); err != nil {
			err = errors.Join(err, r.Close())
		}
	}
	if err != nil {
		v.ctx.Response.Reset()
		return v.fail(err)
	}
	v.ctx.SetBodyStream(section{io.LimitReader(r, part.length), r}, int(part.length))
	return status, cacheNone
}

// section is a part of a file that closes the whole.
type section struct {
	io.Reader
	io.Closer
}

// active reports whether a browser that opens the bytes as a page of their own
// could run something in them.
func active(mime string) bool {
	base, _, _ := bytes.Cut([]byte(mime), []byte(";"))
	base = bytes.TrimSpace(base)
	return bytes.HasSuffix(base, []byte("html")) || bytes.HasSuffix(base, []byte("xml"))
}
