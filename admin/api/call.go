package api

import (
	"bytes"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"net/netip"
	"slices"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/admin/api/body"
	"vitrine/internal/cookie"
	"vitrine/internal/drain"
	"vitrine/internal/forwarded"
	"vitrine/internal/origin"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/trace"
)

// Identity is the caller: anonymous, a person with a session, or a person's key.
type Identity struct {
	Person  shop.UserID // 0 when anonymous
	Company shop.CompanyID
	Role    shop.Role
	Contour shop.Contour
	Key     shop.KeyID     // 0 for sessions
	Bound   shop.CompanyID // the only shop where a session is valid; 0: any
	Scopes  []shop.Scope

	// Of sessions.
	Fresh       bool // the person proved who they are in the last 10 minutes
	HasFactor   bool // they have a second factor
	LacksFactor bool // the shop requires a second factor of their role, and they have none

	// Deleted is the shop that the call is about, if its owner deleted it: the person acts in no
	// shop then, and may only restore this one.
	Deleted shop.CompanyID
}

// Credentials are what a request says about its caller.
type Credentials struct {
	Token      string
	Contour    string         // X-Service-Contour
	Shop       string         // X-Vitrine-Shop or ShopInAddress: id or slug of the shop that the call is about
	Storefront shop.CompanyID // the shop whose host the call came through; 0 on the admin origin
}

// Credentials returns what the request says about its caller.
func (c *Call) Credentials() Credentials {
	named := c.Header("X-Vitrine-Shop")
	if named == "" && c.endpoint.Do.namesShop {
		if named = c.Query("shop"); len(named) > maxShopName || !isText(named) {
			named = "" // decoding the request refuses it
		}
	}
	return Credentials{Token: c.Token(), Contour: c.Header("X-Service-Contour"), Shop: named, Storefront: c.Storefront}
}

// Anonymous reports whether the call has no session and no key.
func (i Identity) Anonymous() bool { return i.Person == 0 }

// ByKey reports whether the call was made with a key, not a session.
func (i Identity) ByKey() bool { return i.Key != 0 }

// Call is one request to one endpoint.
type Call struct {
	Identity
	RequestID string

	// Storefront is the shop whose storefront host the call came through
	// (CONTRACT, "Storefront host"); 0 on the admin listener.
	Storefront shop.CompanyID

	// Buyer reports that the session came in the cookie of a storefront host. Scripts of the
	// shop's own pages can send that cookie, so it identifies the person but carries none of
	// their rights as a member.
	Buyer bool

	log      *slog.Logger
	endpoint *Endpoint
	traced   *trace.Request // nil inside the process
	server   *Server
	seen     shopView
	readGate func(shop.CompanyID) (companydb.Gate, error) // nil inside the process
	limiter  *Limiter                                     // nil inside the process
	client   forwarded.Client                             // zero inside the process
	http     *fasthttp.RequestCtx                         // nil for calls made inside the process
	path     func(name string) string
	query    func(name string) []string
	body     io.Reader
	size     int64 // of the body, -1 when unknown
	stream   *bodyStream
	ignored  body.Ignored // of the body
	basis    *store.Basis // of an edit; nil: the last write wins
	asked    []string     // query parameters that the endpoint read itself
}

// bodyStream remembers how reading the body ended. The bytes after a chunked body belong to the
// next request of the connection, so nothing is read after the end.
type bodyStream struct {
	from     io.Reader
	ended    error     // io.EOF at the end of the body
	deadline *deadline // restarts with each chunk read; may be nil
}

func (b *bodyStream) Read(p []byte) (n int, err error) {
	if b.ended != nil {
		return 0, b.ended
	}
	n, b.ended = b.from.Read(p)
	if b.deadline != nil {
		b.deadline.restart()
	}
	return n, b.ended
}

// drained reads the rest of the body that an endpoint did not read, and reports whether the
// connection can be reused.
func (c *Call) drained() bool {
	if c.stream == nil {
		return true
	}
	if c.stream.ended != nil {
		return c.stream.ended == io.EOF
	}
	return drain.Answered(c.stream, c.size)
}

// Header returns a request header, or "" if it was not sent.
func (c *Call) Header(name string) string {
	if c.http == nil {
		return ""
	}
	return string(c.http.Request.Header.Peek(name))
}

// Headers returns all values of a request header.
func (c *Call) Headers(name string) (values []string) {
	for _, v := range c.http.Request.Header.PeekAll(name) {
		values = append(values, string(v))
	}
	return values
}

// Method returns the method of the request.
func (c *Call) Method() string { return c.endpoint.Method }

// Target returns path and query of the request, below the prefix by which a shop's host passed it.
func (c *Call) Target() string { return string(c.http.RequestURI()) }

// PathValue returns a part of the path by its name in the row, for addresses with a protocol of
// their own; endpoints declare it in their request type.
func (c *Call) PathValue(name string) string { return c.path(name) }

// LogPartialFailure logs why one part of a call failed while the others are answered, and returns
// the message for the caller.
func (c *Call) LogPartialFailure(err error) (message string) {
	c.log.Error("a part of a request failed", append([]any{
		"request_id", c.RequestID, "method", c.endpoint.Method, "path", c.endpoint.Path, "error", secret.Mask(err.Error()),
	}, c.traced.Failed(err)...)...)
	return "request " + c.RequestID + ": this item failed; send it again"
}

// SetHeader sets a response header.
func (c *Call) SetHeader(name, value string) {
	if c.http != nil {
		c.http.Response.Header.Set(name, value)
	}
}

// SetSessionCookie sets the session cookie on a shop's host or on the admin origin. An age of 0
// deletes it.
func (c *Call) SetSessionCookie(token string, age time.Duration) {
	switch {
	case c.http == nil:
	case c.Storefront != 0:
		origin.Of(c.http).Cookies.Set(&c.http.Response.Header, cookie.Session, token, age)
	default:
		c.server.Cookies.SetStrict(&c.http.Response.Header, cookie.Admin, token, age)
	}
}

// Network returns the network of the caller as used for budgets: an IPv4 address or the /64 of
// an IPv6 address. It is the zero Prefix for calls inside the process.
func (c *Call) Network() netip.Prefix { return c.client.Network() }

// Query returns the first value of a query parameter.
func (c *Call) Query(name string) string {
	if v := c.QueryAll(name); len(v) > 0 {
		return v[0]
	}
	return ""
}

// QueryAll returns all values of a query parameter.
func (c *Call) QueryAll(name string) []string {
	values := c.query(name)
	if len(values) > 0 {
		c.asked = append(c.asked, name)
	}
	return values
}

// Body returns the request body as a stream and its announced size, or -1 if it was not
// announced. Nothing of it has been read unless the endpoint accepts JSON.
func (c *Call) Body() (io.Reader, int64) { return c.body, c.size }

// File returns the uploaded file of a call: the part named "file" of a multipart body, or the
// raw body of any other type. The caller limits how much it reads.
func (c *Call) File() (io.Reader, error) {
	_, file, err := c.Form()
	return file, err
}

const maxFormField = 4 << 10 // bytes

// Form is File with the fields of these names that precede the file.
func (c *Call) Form(names ...string) (fields map[string]*string, file io.Reader, err error) {
	kind, params, err := mime.ParseMediaType(c.Header("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return nil, c.body, nil
	}
	parts := multipart.NewReader(c.body, params["boundary"])
	fields = map[string]*string{}
	for range 16 {
		part, err := parts.NextPart()
		if err != nil {
			break
		}
		name := part.FormName()
		if name == "file" {
			return fields, part, nil
		}
		if !slices.Contains(names, name) {
			continue
		}
		text, err := io.ReadAll(io.LimitReader(part, maxFormField+1))
		if err != nil || len(text) > maxFormField || !isText(string(text)) {
			return nil, nil, shop.ErrInvalidRequest.At(name).With("a text of at most 4 KB")
		}
		value := string(text)
		fields[name] = &value
	}
	return nil, nil, shop.ErrInvalidRequest.With("the multipart body has no part named file")
}

func (c *Call) readBody(limit int64) ([]byte, error) {
	if c.size > limit {
		return nil, shop.ErrBodyTooLarge
	}
	var buf bytes.Buffer
	n, err := io.Copy(&buf, io.LimitReader(c.body, limit+1))
	if err != nil {
		return nil, shop.ErrInvalidRequest.With("the body ended early")
	}
	if n > limit {
		return nil, shop.ErrBodyTooLarge
	}
	return buf.Bytes(), nil
}
