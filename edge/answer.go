package edge

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/valyala/fasthttp"

	"vitrine/compile/pack"
	"vitrine/internal/condition"
)

// field is one header field.
type field struct{ name, value string }

// answer is a body in memory with all that can be said about it beforehand: in
// each coding its bytes, its entity tag and its header fields as fasthttp
// copies them. Nothing is computed for a visitor but the choice among them.
type answer struct {
	status  int
	mime    string
	tag     string  // of the plain body, unquoted; empty: none, and no 304
	caching string  // Cache-Control
	private string  // the same for visitors with a session; empty: no difference
	fields  []field // the rest
	packs   bool    // worth encoding
	level   pack.Level
	ranged  bool  // answers Range
	stowed  int64 // size of the body where nothing but its gzip form is kept; 0: it is kept as it is

	plain  *representation
	packed [encodings]atomic.Pointer[representation]
	mu     sync.Mutex // held while packing
}

// representation is an answer in one coding.
type representation struct {
	body    []byte
	etag    []byte // strong, quoted
	headers [2]head
}

// head is the header fields of a 200 and a 304, for everybody and for visitors
// with a session.
type head struct{ full, unchanged fasthttp.ResponseHeader }

// finish prepares an answer for its body, which nobody changes any more.
func (a *answer) finish(body []byte) *answer {
	if a.status == 0 {
		a.status = fasthttp.StatusOK
	}
	a.packs = a.packs && len(body) >= pack.MinSize
	if a.level == (pack.Level{}) {
		a.level = pack.Page
	}
	a.plain = a.represent(body, identity)
	return a
}

// stow prepares an answer for a body of which only the gzip form is kept: a long
// one takes a tenth so. Who does not take gzip gets it unpacked, a little at a
// time, and ranges of it are not answered: unpacking all to send one byte is work
// that anybody could ask for.
func (a *answer) stow(packed []byte, size int64) *answer {
	a.status, a.packs, a.ranged, a.stowed = fasthttp.StatusOK, true, false, size
	a.plain = a.represent(nil, identity)
	a.packed[gzipped].Store(a.represent(packed, gzipped))
	return a
}

func (a *answer) represent(body []byte, e encoding) *representation {
	f := &representation{body: body}
	if a.tag != "" {
		f.etag = []byte(`"` + a.tag + encodingTags[e] + `"`)
	}
	for i, caching := range [...]string{a.caching, a.private} {
		if caching == "" {
			caching = a.caching
		}
		h := &f.headers[i]
		for _, head := range []*fasthttp.ResponseHeader{&h.full, &h.unchanged} {
			head.SetNoDefaultContentType(true)
			a.describe(head, f, e, caching)
		}
		h.full.SetStatusCode(a.status)
		h.full.SetContentType(a.mime)
		if e != identity {
			h.full.SetContentEncoding(encodingNames[e])
		}
		h.unchanged.SetStatusCode(fasthttp.StatusNotModified)
	}
	return f
}

// describe sets the fields that a 304 carries too (RFC 9110, section 15.4.5).
func (a *answer) describe(h *fasthttp.ResponseHeader, f *representation, e encoding, caching string) {
	if len(f.etag) > 0 {
		h.SetBytesV(fasthttp.HeaderETag, f.etag)
	}
	h.Set(fasthttp.HeaderCacheControl, caching)
	if a.packs {
		h.Set(fasthttp.HeaderVary, fasthttp.HeaderAcceptEncoding)
	}
	if a.ranged {
		h.Set(fasthttp.HeaderAcceptRanges, "bytes")
	}
	for _, x := range a.fields {
		h.Set(x.name, x.value)
	}
}

// packsLong is the size above which nobody waits for a packing that somebody
// else has begun: a feed of 4 MB takes a tenth of a second.
const packsLong = 1 << 20

// pack makes the packed forms, so that no visitor has to.
func (a *answer) pack() {
	for e := gzipped; e <= a.most(); e++ {
		a.in(e)
	}
}

// most is the best coding that there is.
func (a *answer) most() encoding {
	if a.stowed > 0 {
		return gzipped
	}
	return brotlied
}

// size is what an answer takes in memory, about: what was not packed yet will be.
func (a *answer) size() int64 {
	if a.stowed > 0 {
		return int64(cap(a.packed[gzipped].Load().body))
	}
	return int64(cap(a.plain.body)) * 3 / 2
}

// in returns the answer in a coding, packing it on first use. What does not get
// smaller stays plain, and a long one is plain while it is being packed.
func (a *answer) in(e encoding) *representation {
	if e == identity || !a.packs {
		return a.plain
	}
	if f := a.packed[e].Load(); f != nil {
		return f
	}
	if !a.mu.TryLock() {
		if len(a.plain.body) > packsLong {
			return a.plain
		}
		a.mu.Lock()
	}
	defer a.mu.Unlock()
	if f := a.packed[e].Load(); f != nil {
		return f
	}
	f := a.plain
	if body, err := encode(a.plain.body, e, a.level); err == nil && body != nil {
		f = a.represent(body, e)
	}
	a.packed[e].Store(f)
	return f
}

// send writes the answer: 304 when the visitor has it, one part of it when it
// is asked for, else all of it. It allocates nothing but for parts.
func (a *answer) send(ctx *fasthttp.RequestCtx, session bool) (status int) {
	req, resp := &ctx.Request.Header, &ctx.Response
	f := a.plain
	if a.packs {
		f = a.in(negotiate(req.Peek(fasthttp.HeaderAcceptEncoding), a.most()))
	}
	h := &f.headers[0]
	if session {
		h = &f.headers[1]
	}
	if condition.Unchanged(req, f.etag) {
		h.unchanged.CopyTo(&resp.Header)
		return fasthttp.StatusNotModified
	}
	if a.ranged {
		if part, kind := wants(req, a.plain.etag, int64(len(a.plain.body))); kind != wholeBody {
			return a.sendPart(ctx, session, part, kind)
		}
	}
	h.full.CopyTo(&resp.Header)
	if f.body == nil && a.stowed > 0 {
		return a.unpack(ctx)
	}
	resp.SetBodyRaw(f.body)
	return a.status
}

// unpack sends the plain body of what is stowed.
func (a *answer) unpack(ctx *fasthttp.RequestCtx) int {
	if ctx.IsHead() {
		ctx.Response.Header.SetContentLength(int(a.stowed))
		return a.status
	}
	body, err := pack.Unpack(a.packed[gzipped].Load().body)
	if err != nil { // it was whole when it was stowed
		return plain(ctx, fasthttp.StatusInternalServerError)
	}
	ctx.SetBodyStream(body, int(a.stowed))
	return a.status
}

func (a *answer) sendPart(ctx *fasthttp.RequestCtx, session bool, part span, kind rangeKind) int {
	h := &a.plain.headers[0]
	if session {
		h = &a.plain.headers[1]
	}
	h.full.CopyTo(&ctx.Response.Header)
	status := partial(ctx, part, kind, int64(len(a.plain.body)))
	if kind == onePart {
		ctx.Response.SetBodyRaw(a.plain.body[part.start : part.start+part.length])
	}
	return status
}

// partial sets what tells a part, or the refusal of one, from the whole.
func partial(ctx *fasthttp.RequestCtx, part span, kind rangeKind, size int64) int {
	of := "/" + strconv.FormatInt(size, 10)
	if kind == unsatisfiable {
		ctx.Response.Header.Set(fasthttp.HeaderContentRange, "bytes *"+of)
		ctx.SetStatusCode(fasthttp.StatusRequestedRangeNotSatisfiable)
		return fasthttp.StatusRequestedRangeNotSatisfiable
	}
	last := part.start + part.length - 1
	ctx.Response.Header.Set(fasthttp.HeaderContentRange,
		"bytes "+strconv.FormatInt(part.start, 10)+"-"+strconv.FormatInt(last, 10)+of)
	ctx.SetStatusCode(fasthttp.StatusPartialContent)
	return fasthttp.StatusPartialContent
}

// tagOf is an entity tag for bytes.
func tagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return tagOfSum(sum[:])
}

func tagOfSum(sum []byte) string { return hex.EncodeToString(sum[:12]) }

// texts of the short answers that need no page.
var shortTexts = map[int]string{
	400: "Bad request\n", 403: "Forbidden\n", 404: "Not found\n", 405: "Method not allowed\n", 408: "Request timeout\n",
	414: "URI too long\n", 429: "Too many requests\n", 431: "Request header fields too large\n",
	500: "Internal error\n", 503: "Temporarily unavailable\n", 505: "HTTP version not supported\n",
}

// plain writes a short answer that no cache keeps.
func plain(ctx *fasthttp.RequestCtx, status int) int {
	ctx.Response.Header.SetNoDefaultContentType(true)
	ctx.SetStatusCode(status)
	ctx.SetContentType("text/plain; charset=utf-8")
	ctx.Response.Header.Set(fasthttp.HeaderCacheControl, "no-store")
	ctx.Response.Header.Set(fasthttp.HeaderXContentTypeOptions, "nosniff")
	ctx.SetBodyString(shortTexts[status])
	return status
}
