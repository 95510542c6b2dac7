// Package outbound is the HTTP client for untrusted addresses: pictures fetched by address,
// and other addresses that a shop may configure. It reaches only the public internet.
//
// The destination of a request is checked at the dial. A host name is looked up once per
// connection, addresses outside the public internet are dropped (see blocks), and the
// client dials one of the remaining addresses, not the name: so a name that changes its
// address between look-up and dial has no effect. The socket is checked again before it
// connects. All of this applies to every hop of a redirect.
//
//	scheme     http, https
//	host       a name or an address, no user before it, no zone
//	port       any but those that browsers refuse
//	redirects  as many as the request allows, each checked again
//	proxies    none; one from the environment would bypass the check
//	headers    at most 64 KB; the body is bounded by the request
//	time       30 seconds from the look-up to the last byte of the body
//
// Connections are not kept alive, unless the client is made for many calls to the same
// hosts (Receivers); cookies are not sent, bodies are not decompressed.
package outbound

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"vitrine/internal/span"
)

// Errors of a request, matched with errors.Is. Any other error means that there was no
// answer, or none in HTTP.
var (
	ErrNotAllowed              = errors.New("outbound: the address is not allowed")
	ErrTooLarge                = errors.New("outbound: the answer is larger than allowed")
	ErrTooManyRedirects        = errors.New("outbound: too many redirects")
	ErrRedirectWithoutLocation = errors.New("outbound: a redirect without an address")
)

const (
	wholeTime = 30 * time.Second // document 1, 4.4
	dialTime  = 10 * time.Second
	maxHeader = 64 << 10
	agent     = "vitrine/1.0"
)

// Client sends requests. It is safe for concurrent use.
type Client struct {
	transport *http.Transport
	dial      dialler
	whole     time.Duration
	often     bool
	secure    bool           // http only to addresses that Allow names
	trusted   *x509.CertPool // nil: the system's
}

// Option configures a Client in New.
type Option func(*Client)

// Resolve replaces the system's resolver.
func Resolve(look func(ctx context.Context, host string) ([]netip.Addr, error)) Option {
	return func(c *Client) { c.dial.lookUp = look }
}

// ForWebhooks configures a client for webhooks (document 2, 6.4): ten seconds in total, five
// of them to connect and five for TLS, 16 KB of headers, and connections that are kept
// alive briefly.
func ForWebhooks() Option {
	return func(c *Client) { c.often, c.whole, c.dial.time = true, 10*time.Second, 5*time.Second }
}

// ForProfiles configures a client for documents of programs that name themselves: five seconds in
// total, and http only to addresses that Allow names.
func ForProfiles() Option {
	return func(c *Client) { c.secure, c.whole, c.dial.time = true, 5*time.Second, 3*time.Second }
}

// Allow permits ranges that are not public: the servers of tests, and receivers that the
// operator has allowed. If it includes loopback addresses, a receiver may be called
// localhost.
func Allow(ranges ...netip.Prefix) Option {
	return func(c *Client) { c.dial.allowed = append(c.dial.allowed, ranges...) }
}

// Trust adds the certificate authority of a test server.
func Trust(authority *x509.Certificate) Option {
	return func(c *Client) {
		c.trusted = x509.NewCertPool()
		c.trusted.AddCert(authority)
	}
}

// New returns a client that reaches only public addresses.
func New(options ...Option) *Client {
	c := &Client{dial: dialler{lookUp: lookUp, time: dialTime}, whole: wholeTime}
	for _, set := range options {
		set(c)
	}
	c.transport = &http.Transport{
		Proxy:                  nil,
		DialContext:            c.dial.dial,
		TLSHandshakeTimeout:    c.dial.time,
		MaxResponseHeaderBytes: maxHeader,
		DisableKeepAlives:      true,
		DisableCompression:     true,
	}
	if c.often {
		t := c.transport
		t.DisableKeepAlives, t.ForceAttemptHTTP2, t.MaxResponseHeaderBytes = false, true, maxHeader/4
		t.MaxIdleConns, t.MaxIdleConnsPerHost = 1024, 64
		t.IdleConnTimeout = 4 * time.Second // servers close idle connections after five seconds or more; closing first avoids failed calls
		t.TLSClientConfig = &tls.Config{ClientSessionCache: tls.NewLRUClientSessionCache(1024), RootCAs: c.trusted}
	}
	return c
}

// local reports whether localhost may be called.
func (c *Client) local() bool {
	return (c.often || c.secure) && slices.ContainsFunc(c.dial.allowed, func(p netip.Prefix) bool { return p.Addr().IsLoopback() })
}

// Check returns ErrNotAllowed for an address that no request could reach now. A name that
// cannot be resolved, or not within the context, is accepted: it may resolve when it is
// called.
func (c *Client) Check(ctx context.Context, raw string) error { return c.check(ctx, raw, c.secure) }

// CheckSecure is Check for requests that are Secure.
func (c *Client) CheckSecure(ctx context.Context, raw string) error { return c.check(ctx, raw, true) }

func (c *Client) check(ctx context.Context, raw string, secure bool) error {
	u, err := parse(raw, c.local())
	if err != nil {
		return err
	}
	if secure && u.Scheme == "http" {
		ctx = context.WithValue(ctx, onlyAllowed{}, true)
	}
	if _, err := c.dial.addresses(ctx, u.Hostname()); errors.Is(err, ErrNotAllowed) {
		return err
	}
	return nil
}

// Request is a request to send.
type Request struct {
	Method       string // empty: GET
	URL          string
	Header       map[string]string
	Body         []byte
	Secure       bool  // http only to addresses that Allow names
	MaxRedirects int   // redirects to follow, for GET only
	MaxBody      int64 // maximum bytes of the answer
}

// Answer is a response with any status. Body yields at most Request.MaxBody bytes and then
// ErrTooLarge; the caller must close it, which ends the connection.
type Answer struct {
	Status int
	Header http.Header
	Size   int64 // as announced, or -1
	Body   io.ReadCloser
}

func (r Request) method() string { return cmp.Or(r.Method, http.MethodGet) }

// Do sends a request and follows redirects. An answer that announces more than MaxBody is
// ErrTooLarge at once, unless its status is not a success.
func (c *Client) Do(ctx context.Context, r Request) (out *Answer, err error) {
	at, err := parse(r.URL, c.local())
	if err != nil {
		return nil, err
	}
	if (c.secure || r.Secure) && at.Scheme == "http" {
		ctx = context.WithValue(ctx, onlyAllowed{}, true)
	}
	ctx, traced := span.Call(ctx, "outbound "+r.method())
	defer func() {
		if err == nil {
			traced.SetNumber("http.response.status_code", int64(out.Status))
		}
		traced.Set("server.address", at.Hostname())
		traced.EndWith(err)
	}()
	ctx, cancel := context.WithTimeout(ctx, c.whole)
	for hop := 0; ; hop++ {
		out, next, err := c.send(ctx, r, at)
		switch {
		case err != nil:
			cancel()
			return nil, err
		case next == nil:
			out.Body = &body{ReadCloser: out.Body, left: r.MaxBody, cancel: cancel}
			return out, nil
		case hop == r.MaxRedirects:
			cancel()
			return nil, ErrTooManyRedirects
		}
		at = next
	}
}

// send performs one hop. next is the target of a redirect, if it must be followed; the body
// is closed then.
func (c *Client) send(ctx context.Context, r Request, at *url.URL) (out *Answer, next *url.URL, err error) {
	method := r.method()
	request, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(r.Body))
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrNotAllowed, err)
	}
	for name, value := range r.Header {
		request.Header.Set(name, value)
	}
	request.Header.Set("User-Agent", agent)
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return nil, nil, fmt.Errorf("outbound: %w", err)
	}
	out = &Answer{Status: response.StatusCode, Header: response.Header, Size: response.ContentLength, Body: response.Body}
	if redirects(out.Status) && r.MaxRedirects > 0 && method == http.MethodGet {
		next, err = follow(at, out.Header.Get("Location"), c.local())
		return nil, next, errors.Join(err, out.Body.Close())
	}
	if out.Status/100 == 2 && out.Size > r.MaxBody {
		return nil, nil, errors.Join(fmt.Errorf("%w: %d bytes", ErrTooLarge, out.Size), out.Body.Close())
	}
	return out, nil, nil
}

func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// follow returns the address of a Location if it is allowed.
func follow(from *url.URL, location string, local bool) (*url.URL, error) {
	if location == "" {
		return nil, ErrRedirectWithoutLocation
	}
	if len(location) > maxURL {
		return nil, fmt.Errorf("%w: it is too long", ErrNotAllowed)
	}
	next, err := from.Parse(location)
	if err != nil {
		return nil, fmt.Errorf("%w: it is malformed", ErrNotAllowed)
	}
	return next, checkURL(next, local)
}

// body bounds the size of an answer and releases its timeout when it is closed.
type body struct {
	io.ReadCloser
	left   int64
	cancel context.CancelFunc
}

func (b *body) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n - 1, ErrTooLarge
	}
	return n, err
}

func (b *body) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}
