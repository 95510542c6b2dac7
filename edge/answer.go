package edge

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"sync/atomic"

	"github.com/valyala/fasthttp"

	"vitrine/compile/pack"
	"vitrine/internal/condition"
)

// field is one header field.
type field struct{ name, value string }

// answer is a response body in memory with everything that can be kept for it: its bytes, its
// entity tag and its header fields, in each coding, as fasthttp copies them. From the second
// response of a kind on, only the choice among them remains.
type answer struct {
	status       int
	mime         string
	tag          string  // entity tag of the plain body, unquoted; empty: no tag, and no 304
	caching      string  // Cache-Control
	private      string  // Cache-Control for visitors with a session; empty: as caching
	fields       []field // other header fields
	packs        bool    // worth compressing
	level        pack.Level
	ranged       bool  // supports Range
	unpackedSize int64 // size of the plain body if only its gzip form is kept; 0: the plain body is kept

	// The plain form of an answer without ranges is dropped when there is a compressed one, which
	// nearly all clients accept, until a client asks for it. plain is then nil.
	plain     atomic.Pointer[representation]
	keepPlain bool // a client asked for it, or it does not compress; guarded by mu
	size      int  // of the plain body
	packed    [encodings]atomic.Pointer[representation]
	mu        sync.Mutex // held while compressing
}

// representation is an answer in one coding.
type representation struct {
	body []byte
	etag []byte // strong, quoted
	in   encoding

	// The header fields of a 200 and of a 304, for visitors without a session and with one. Each is
	// made for the first response that needs it, because most pages need one or two.
	full, unchanged [2]atomic.Pointer[fasthttp.ResponseHeader]
}

// finish prepares an answer for its body. The body must not be changed afterwards.
func (a *answer) finish(body []byte) *answer {
	if a.status == 0 {
		a.status = fasthttp.StatusOK
	}
	a.packs = a.packs && len(body) >= pack.MinSize
	if a.level == (pack.Level{}) {
		a.level = pack.Page
	}
	a.size, a.keepPlain = len(body), a.ranged
	a.plain.Store(a.represent(body, identity))
	return a
}

// withPacked prepares an answer of which only the gzip form is kept, which takes about a
// tenth of the memory of a long body. Clients that do not accept gzip get the body
// decompressed as a stream. Ranges are not supported: anybody could request the work of
// decompressing all of it to send one byte.
func (a *answer) withPacked(packed []byte, size int64) *answer {
	a.status, a.packs, a.ranged, a.unpackedSize = fasthttp.StatusOK, true, false, size
	a.plain.Store(a.represent(nil, identity))
	a.packed[gzipped].Store(a.represent(packed, gzipped))
	return a
}

func (a *answer) represent(body []byte, e encoding) *representation {
	f := &representation{body: body, in: e}
	if a.tag != "" {
		f.etag = []byte(`"` + a.tag + encodingTags[e] + `"`)
	}
	return f
}

// full returns the header fields of a response with a body.
func (a *answer) full(f *representation, session bool) *fasthttp.ResponseHeader {
	caching, place := a.visitor(session)
	if h := f.full[place].Load(); h != nil {
		return h
	}
	h := a.describe(f, caching)
	h.SetStatusCode(a.status)
	h.SetContentType(a.mime)
	if f.in != identity {
		h.SetContentEncoding(encodingNames[f.in])
	}
	f.full[place].Store(h)
	return h
}

// unchanged returns the header fields of a 304.
func (a *answer) unchanged(f *representation, session bool) *fasthttp.ResponseHeader {
	caching, place := a.visitor(session)
	if h := f.unchanged[place].Load(); h != nil {
		return h
	}
	h := a.describe(f, caching)
	h.SetStatusCode(fasthttp.StatusNotModified)
	f.unchanged[place].Store(h)
	return h
}

// visitor returns the Cache-Control for a visitor, and the place of the header fields with it.
func (a *answer) visitor(session bool) (caching string, place int) {
	if session && a.private != "" {
		return a.private, 1
	}
	return a.caching, 0
}

// describe returns the header fields that a 304 carries as well (RFC 9110, section 15.4.5).
func (a *answer) describe(f *representation, caching string) *fasthttp.ResponseHeader {
	h := &fasthttp.ResponseHeader{}
	h.SetNoDefaultContentType(true)
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
	return h
}

// longBody is the size above which a request does not wait for a compression that another
// request has begun: a feed of 4 MB takes a tenth of a second.
const longBody = 1 << 20

// pack makes the compressed forms in advance, so that no request has to.
func (a *answer) pack() {
	for e := gzipped; e <= a.bestEncoding(); e++ {
		a.in(e)
	}
}

// bestEncoding is the best coding that the answer is available in.
func (a *answer) bestEncoding() encoding {
	if a.unpackedSize > 0 {
		return gzipped
	}
	return brotlied
}

// weight is roughly the memory that the answer takes. Forms that are not made yet are included,
// because they may be.
func (a *answer) weight() int64 {
	if a.unpackedSize > 0 {
		return int64(cap(a.packed[gzipped].Load().body))
	}
	return int64(a.size) * 3 / 2
}

// in returns the answer in a coding and compresses it on first use. It returns the plain
// body if compression does not make it smaller, and for a long body while another request
// is compressing it.
func (a *answer) in(e encoding) *representation {
	if !a.packs {
		e = identity
	}
	if f := a.form(e).Load(); f != nil {
		return f
	}
	if !a.mu.TryLock() {
		if f := a.plain.Load(); f != nil && a.size > longBody {
			return f
		}
		a.mu.Lock()
	}
	defer a.mu.Unlock()
	if f := a.form(e).Load(); f != nil {
		return f
	}
	if e == identity {
		return a.restore()
	}
	whole := a.body()
	body, err := encode(whole, e, a.level)
	if err != nil || body == nil {
		f := a.restore()
		a.packed[e].Store(f)
		return f
	}
	f := a.represent(body, e)
	a.packed[e].Store(f)
	if !a.keepPlain {
		a.plain.Store(nil)
	}
	return f
}

// form is where the answer in a coding is kept.
func (a *answer) form(e encoding) *atomic.Pointer[representation] {
	if e == identity {
		return &a.plain
	}
	return &a.packed[e]
}

// restore returns the plain form and keeps it from now on. The caller holds a.mu.
func (a *answer) restore() *representation {
	a.keepPlain = true
	f := a.plain.Load()
	if f == nil {
		f = a.represent(a.body(), identity)
		a.plain.Store(f)
	}
	return f
}

// body returns the plain body, from a compressed form where it was dropped. The caller holds a.mu.
func (a *answer) body() []byte {
	if f := a.plain.Load(); f != nil {
		return f.body
	}
	for e := gzipped; e < encodings; e++ {
		if f := a.packed[e].Load(); f != nil {
			return decode(f.body, e, a.size)
		}
	}
	panic("edge: an answer without any form")
}

// send writes the response: a 304 if the client has the current representation, a part if a
// range is requested, else the whole body. It allocates only for parts and the first response
// of a kind.
func (a *answer) send(ctx *fasthttp.RequestCtx, session bool) (status int) {
	req, resp := &ctx.Request.Header, &ctx.Response
	e := identity
	if a.packs {
		e = negotiate(req.Peek(fasthttp.HeaderAcceptEncoding), a.bestEncoding())
	}
	f := a.in(e)
	if condition.Unchanged(req, f.etag) {
		a.unchanged(f, session).CopyTo(&resp.Header)
		return fasthttp.StatusNotModified
	}
	if a.ranged {
		plain := a.plain.Load()
		if part, kind := condition.RequestedRange(req, plain.etag, int64(a.size)); kind != condition.WholeBody {
			return a.sendPart(ctx, plain, session, part, kind)
		}
	}
	a.full(f, session).CopyTo(&resp.Header)
	if f.body == nil && a.unpackedSize > 0 {
		return a.unpack(ctx)
	}
	resp.SetBodyRaw(f.body)
	return a.status
}

// unpack sends the plain body of an answer that is kept only as gzip.
func (a *answer) unpack(ctx *fasthttp.RequestCtx) int {
	if ctx.IsHead() {
		ctx.Response.Header.SetContentLength(int(a.unpackedSize))
		return a.status
	}
	body, err := pack.Unpack(a.packed[gzipped].Load().body)
	if err != nil { // it was intact when it was stored
		return plain(ctx, fasthttp.StatusInternalServerError)
	}
	ctx.SetBodyStream(body, int(a.unpackedSize))
	return a.status
}

func (a *answer) sendPart(ctx *fasthttp.RequestCtx, f *representation, session bool, part condition.Span, kind condition.RangeKind) int {
	a.full(f, session).CopyTo(&ctx.Response.Header)
	status := condition.SetPart(&ctx.Response, part, kind, int64(a.size))
	if kind == condition.OnePart {
		ctx.Response.SetBodyRaw(f.body[part.Start : part.Start+part.Length])
	}
	return status
}

// tagOf is the entity tag of a body.
func tagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return tagOfSum(sum[:])
}

func tagOfSum(sum []byte) string { return hex.EncodeToString(sum[:12]) }

// shortTexts are the bodies of short responses that need no page.
var shortTexts = map[int]string{
	400: "Bad request\n", 403: "Forbidden\n", 404: "Not found\n", 405: "Method not allowed\n", 408: "Request timeout\n",
	414: "URI too long\n", 421: "Misdirected request\n", 429: "Too many requests\n", 431: "Request header fields too large\n",
	500: "Internal error\n", 503: "Temporarily unavailable\n", 505: "HTTP version not supported\n",
}

// plain writes a short response that must not be cached.
func plain(ctx *fasthttp.RequestCtx, status int) int {
	ctx.Response.Header.SetNoDefaultContentType(true)
	ctx.SetStatusCode(status)
	ctx.SetContentType("text/plain; charset=utf-8")
	ctx.Response.Header.Set(fasthttp.HeaderCacheControl, "no-store")
	ctx.Response.Header.Set(fasthttp.HeaderXContentTypeOptions, "nosniff")
	ctx.SetBodyString(shortTexts[status])
	return status
}
