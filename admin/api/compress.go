package api

import (
	"runtime"
	"strings"
	"sync"

	"github.com/valyala/fasthttp"

	"vitrine/compile/pack"
	"vitrine/compile/release"
	"vitrine/internal/condition"
	"vitrine/internal/lru"
)

// Bounds of compression.
const (
	minPacked    = 1 << 10  // bytes of a body from which it is compressed
	maxPacked    = 4 << 20  // bytes of a body up to which it is compressed
	maxDocuments = 16 << 20 // bytes of the compressed documents that are kept
)

// Compression compresses responses of the admin origin with br or gzip. Documents that are the
// same for all callers are compressed once, other responses for each call at a fast level. Files
// such as exports are sent as they are: they are read from disk in pieces.
//
// A response of which one part is secret and another part repeats the request tells an observer of
// its size the secret byte by byte (BREACH), so endpoints that open sessions or show secrets are
// left out, and so are shops' hosts, where a browser sends the cookie of a visitor along.
type Compression struct {
	idle      chan *pack.Packer // bounds the encoders, which take about a megabyte each
	building  sync.Mutex        // one document at a time
	mu        sync.Mutex
	documents *lru.Weighted[string, []byte]
}

// NewCompression returns a Compression with two encoders for each processor.
func NewCompression() *Compression {
	c := &Compression{idle: make(chan *pack.Packer, 2*runtime.GOMAXPROCS(0)), documents: lru.New[string, []byte](maxDocuments)}
	for range cap(c.idle) {
		c.idle <- pack.New(pack.Call)
	}
	return c
}

// suffixes distinguish the entity tags of the representations of one body: they are strong, so
// that If-Match can use them (RFC 9110, section 8.8.3.3).
var suffixes = map[pack.Coding]string{pack.Gzip: "-gz", pack.Brotli: "-br"}

// apply compresses the reply to a call in the coding that the caller prefers. A reply that becomes
// a 304 only gets the tag. One that cannot be compressed is sent as it is: the call has done its
// work.
func (p *Compression) apply(c *Call, r reply) reply {
	if p == nil || c.Storefront != 0 || c.endpoint.Secret || c.endpoint.SignsIn || r.stream != nil ||
		len(r.body) < minPacked || len(r.body) > maxPacked || !release.Compressible(r.contentType) {
		return r
	}
	r.varies = true
	coding := pack.Accepted(c.http.Request.Header.Peek(fasthttp.HeaderAcceptEncoding), true)
	if coding == "" {
		return r
	}
	packed := r
	if r.etag != "" {
		packed.etag = strings.TrimSuffix(r.etag, `"`) + suffixes[coding] + `"`
		if (c.http.IsGet() || c.http.IsHead()) && condition.Unchanged(&c.http.Request.Header, []byte(packed.etag)) {
			return packed
		}
	}
	form, err := p.form(r, coding)
	if err != nil {
		c.log.Error("a response was not compressed", "request_id", c.RequestID, "coding", coding, "error", err)
	}
	if form == nil {
		return r // not smaller
	}
	packed.coding, packed.body = coding, form
	return packed
}

// form returns the body in a coding, nil if that is not smaller.
func (p *Compression) form(r reply, coding pack.Coding) ([]byte, error) {
	if r.maxAge > 0 && r.etag != "" {
		return p.document(r, coding)
	}
	packer := <-p.idle
	defer func() { p.idle <- packer }()
	return packer.Encode(r.body, coding)
}

// document returns a document in a coding, compressed on its first request. The tag is a hash of
// the body.
func (p *Compression) document(r reply, coding pack.Coding) ([]byte, error) {
	name := r.etag + string(coding)
	if form, known := p.kept(name); known {
		return form, nil
	}
	p.building.Lock()
	defer p.building.Unlock()
	if form, known := p.kept(name); known {
		return form, nil
	}
	form, err := pack.Encode(r.body, coding, pack.Document)
	if err == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.documents.Put(name, form, int64(len(name)+len(form)))
	}
	return form, err
}

func (p *Compression) kept(name string) ([]byte, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.documents.Get(name)
}
