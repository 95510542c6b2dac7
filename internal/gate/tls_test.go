package gate

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/internal/await"
	"vitrine/internal/certificate/certtest"
)

// testCertificates are one certificate, for a.test and its subdomains.
type testCertificates struct{ pair tls.Certificate }

func (c testCertificates) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return &c.pair, nil
}

func (c testCertificates) Covers(_, other string) bool {
	return c.pair.Leaf.VerifyHostname(other) == nil
}

// secureGate is a testGate with TLS.
type secureGate struct {
	*testGate
	authority *certtest.Authority
}

func newSecureGate(t *testing.T, handler fasthttp.RequestHandler, cfg Config) *secureGate {
	t.Helper()
	h := &secureGate{newTestGate(t, handler, cfg), certtest.New(t)}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.address = l.Addr().String()
	served := make(chan error, 1)
	own := h.listen(l)
	go func() { served <- h.serveTLS(own, testCertificates{h.authority.Pair(t, "a.test", "*.a.test")}) }()
	t.Cleanup(func() {
		over, cancel := context.WithCancel(context.Background())
		cancel()
		if err := errors.Join(h.Shutdown(over), await.Next(t, served)); err != nil {
			t.Error(err)
		}
	})
	return h
}

// connect opens a TLS connection with a protocol, naming a host.
func (h *secureGate) connect(host string, protocols ...string) *tls.Conn {
	h.t.Helper()
	c, err := tls.Dial("tcp", h.address, &tls.Config{ServerName: host, RootCAs: h.authority.Roots, NextProtos: protocols})
	if err != nil {
		h.t.Fatal(err)
	}
	if err := c.SetDeadline(time.Now().Add(await.Limit)); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = c.Close() }) // tests close some themselves
	return c
}

// secureVisitor is visitor with TLS and HTTP/1.1.
func (h *secureGate) secureVisitor() *visitor {
	c := h.connect("a.test")
	return &visitor{c, h.t, bufio.NewReader(c)}
}

// client is a client of one protocol, 1 or 2.
func (h *secureGate) client(protocol int) *http.Client {
	var only http.Protocols
	only.SetHTTP1(protocol == 1)
	only.SetHTTP2(protocol == 2)
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", h.address)
	}
	transport := &http.Transport{
		DialContext: dial, Protocols: &only, DisableCompression: true,
		TLSClientConfig: &tls.Config{RootCAs: h.authority.Roots, ServerName: "a.test"},
	}
	h.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// call makes a request and returns the response with its body read.
func call(t *testing.T, client *http.Client, r *http.Request) (*http.Response, string) {
	t.Helper()
	answer, err := client.Do(r.WithContext(await.Context(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close() //nolint:errcheck // it was read to its end
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

func request(t *testing.T, method, address string, body io.Reader) *http.Request {
	t.Helper()
	r, err := http.NewRequest(method, address, body)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// echo answers with what it received.
func echo(rc *fasthttp.RequestCtx) {
	switch string(rc.Path()) {
	case "/unchanged":
		rc.SetStatusCode(fasthttp.StatusNotModified)
		rc.Response.Header.Set("Etag", `"x"`)
		return
	case "/stream":
		rc.SetBodyStream(strings.NewReader(strings.Repeat("part ", 20_000)), -1)
		return
	case "/measured":
		rc.SetBodyStream(strings.NewReader(strings.Repeat("m", 50_000)), 50_000)
		return
	case "/big":
		rc.Response.SetBodyRaw(bytes.Repeat([]byte("b"), 100_000))
		return
	case "/bare":
		rc.Response.Header.SetNoDefaultContentType(true)
		rc.SetBodyString("<html>")
		return
	}
	var size int
	if stream := rc.RequestBodyStream(); stream != nil {
		n, err := io.Copy(io.Discard, stream)
		if err != nil {
			rc.SetStatusCode(fasthttp.StatusRequestTimeout)
			rc.SetConnectionClose()
			return
		}
		size = int(n)
	} else {
		size = len(rc.Request.Body())
	}
	fmt.Fprintf(rc, "%s %s host=%s length=%d body=%d cookie=%s a=%s range=%s te=%s trailer=%s from=%s",
		rc.Method(), rc.RequestURI(), rc.Host(), rc.Request.Header.ContentLength(), size, rc.Request.Header.Cookie("b"),
		bytes.Join(rc.Request.Header.PeekAll("A"), []byte("|")), rc.Request.Header.Peek("Range"), rc.Request.Header.Peek("Te"), rc.Request.Header.Peek("X-Late"), rc.RemoteIP())
	rc.Response.Header.Add("Set-Cookie", "one=1")
	rc.Response.Header.Add("Set-Cookie", "two=2")
}

// A handler sees the same request and a client the same response in both protocols.
func TestBothProtocolsCarryTheSame(t *testing.T) {
	h := newSecureGate(t, echo, Config{})
	unknown := func() io.Reader { return io.MultiReader(strings.NewReader(strings.Repeat("u", 100_000))) }
	for name, make := range map[string]func() *http.Request{
		"get": func() *http.Request {
			r := request(t, "GET", "https://a.test/x%2Fy?q=%20&r", nil)
			r.Header["A"] = []string{"1", "2"}
			r.Header.Set("Cookie", "a=1; b=2")
			r.Header.Set("Range", "bytes=0-3")
			return r
		},
		"post":            func() *http.Request { return request(t, "POST", "https://a.test/", strings.NewReader("hello")) },
		"an empty post":   func() *http.Request { return request(t, "POST", "https://a.test/", http.NoBody) },
		"a long put":      func() *http.Request { return request(t, "PUT", "https://a.test/", bytes.NewReader(big[:3<<20])) },
		"unknown size":    func() *http.Request { return request(t, "POST", "https://a.test/", unknown()) },
		"a stream":        func() *http.Request { return request(t, "GET", "https://a.test/stream", nil) },
		"measured stream": func() *http.Request { return request(t, "GET", "https://a.test/measured", nil) },
		"a big body":      func() *http.Request { return request(t, "GET", "https://a.test/big", nil) },
		"head":            func() *http.Request { return request(t, "HEAD", "https://a.test/big", nil) },
		"head, measured":  func() *http.Request { return request(t, "HEAD", "https://a.test/measured", nil) },
		"unchanged":       func() *http.Request { return request(t, "GET", "https://a.test/unchanged", nil) },
		"no content type": func() *http.Request { return request(t, "GET", "https://a.test/bare", nil) },
		"expects": func() *http.Request {
			r := request(t, "POST", "https://a.test/", strings.NewReader("hello"))
			r.Header.Set("Expect", "100-continue")
			return r
		},
	} {
		t.Run(name, func(t *testing.T) {
			one, first := call(t, h.client(1), make())
			two, second := call(t, h.client(2), make())
			if one.ProtoMajor != 1 || two.ProtoMajor != 2 {
				t.Fatalf("%s and %s", one.Proto, two.Proto)
			}
			if one.StatusCode != two.StatusCode || first != second || one.ContentLength != two.ContentLength {
				t.Errorf("HTTP/1.1: %d %d %.200q\nHTTP/2: %d %d %.200q", one.StatusCode, one.ContentLength, first, two.StatusCode, two.ContentLength, second)
			}
			one.Header.Del("Date")
			two.Header.Del("Date")
			if a, b := fmt.Sprint(one.Header), fmt.Sprint(two.Header); a != b {
				t.Errorf("HTTP/1.1: %s\nHTTP/2: %s", a, b)
			}
			if two.Header.Get("Strict-Transport-Security") != "max-age=604800" {
				t.Errorf("%v", two.Header)
			}
		})
	}
}

func TestTrailersAreIgnored(t *testing.T) {
	h := newSecureGate(t, echo, Config{})
	r := request(t, "POST", "https://a.test/", io.MultiReader(strings.NewReader("hello")))
	r.Trailer = http.Header{"X-Late": {"1"}}
	if _, body := call(t, h.client(2), r); !strings.Contains(body, "body=5 ") || !strings.Contains(body, "trailer= ") {
		t.Error(body)
	}
}

// Without ALPN, and with HTTP/1.1 in it, a connection carries HTTP/1.1.
func TestTheProtocolIsNegotiated(t *testing.T) {
	h := newSecureGate(t, ok, Config{})
	for _, offered := range [][]string{nil, {"http/1.1"}, {"http/1.1", "h2"}, {"h2"}} {
		want := ""
		if len(offered) > 0 {
			want = "h2"
			if len(offered) == 1 {
				want = offered[0]
			}
		}
		if got := h.connect("a.test", offered...).ConnectionState().NegotiatedProtocol; got != want {
			t.Errorf("%v: %q", offered, got)
		}
	}
	for name, cfg := range map[string]*tls.Config{
		"TLS 1.1":      {MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10},
		"CBC":          {MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA}},
		"no such ALPN": {NextProtos: []string{"spdy/3"}},
	} {
		cfg.ServerName, cfg.RootCAs = "a.test", h.authority.Roots
		if c, err := tls.Dial("tcp", h.address, cfg); err == nil {
			t.Errorf("%s: accepted", name)
			_ = c.Close() // the test has failed already
		}
	}
}

// A request for a host that the certificate does not cover is refused, in both protocols and
// whatever the form of the target.
func TestMisdirectedRequestsAreRefused(t *testing.T) {
	h := newSecureGate(t, ok, Config{})
	for host, want := range map[string]int{
		"a.test": 200, "A.Test": 200, "a.test:443": 200, "shop.a.test": 200, "a.test.": 200, "b.test": 421, "a.test.b.test": 421, "x.y.a.test": 421, "127.0.0.1": 421,
	} {
		for protocol := 1; protocol <= 2; protocol++ {
			r := request(t, "GET", "https://a.test/", nil)
			r.Host = host
			if answer, _ := call(t, h.client(protocol), r); answer.StatusCode != want {
				t.Errorf("HTTP/%d, %s: %d, want %d", protocol, host, answer.StatusCode, want)
			}
		}
	}
	v := h.secureVisitor()
	v.send("GET https://b.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
	if got := v.status(); got != 421 {
		t.Errorf("an absolute target: %d", got)
	}
}

// A resumed session needs no certificate and is held to the same host.
func TestSessionsAreResumed(t *testing.T) {
	h := newSecureGate(t, ok, Config{})
	cache := tls.NewLRUClientSessionCache(1)
	for i := range 2 {
		c, err := tls.Dial("tcp", h.address, &tls.Config{ServerName: "a.test", RootCAs: h.authority.Roots, ClientSessionCache: cache})
		if err != nil {
			t.Fatal(err)
		}
		v := &visitor{c, t, bufio.NewReader(c)}
		v.send("GET / HTTP/1.1\r\nHost: b.test\r\n\r\n")
		if got := v.status(); got != 421 || c.ConnectionState().DidResume != (i == 1) {
			t.Errorf("connection %d: status %d, resumed %v", i, got, c.ConnectionState().DidResume)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A client that does not finish its handshake is cut off after ten seconds, even while it sends.
func TestHandshakesTimeOut(t *testing.T) {
	h := newSecureGate(t, ok, Config{})
	silent, dripping := h.visitor(), h.visitor()
	dripping.send("\x16\x03\x01\x40\x00")
	h.until(2, in(greeting, nothing))
	h.sweep(h.now)
	h.pass(int(greetTimeout/time.Second)-1, func() { dripping.send(strings.Repeat("x", 600)) })
	h.until(2, anyState)
	h.pass(1, noop)
	h.until(0, anyState)
	silent.ended()
}

// After its handshake a connection is a fresh one.
func TestSecureConnectionsWithoutRequestsTimeOut(t *testing.T) {
	h := newSecureGate(t, ok, Config{})
	v := h.secureVisitor()
	h.until(1, in(fresh, reading))
	h.sweep(h.now)
	h.pass(int(requestTimeout/time.Second)-1, noop)
	h.until(1, anyState)
	h.pass(1, noop)
	h.until(0, anyState)
	if _, err := v.r.ReadByte(); err == nil {
		t.Error("the connection is open")
	}
}

func TestSlowRequestsOverTLSTimeOut(t *testing.T) {
	h := newSecureGate(t, ok, Config{})
	v := h.secureVisitor()
	v.send(getLine + "X: ")
	h.until(1, func(c *Conn) bool { return in(head, reading)(c) && c.in.Load() == int64(len(getLine)+3) })
	h.sweep(h.now)
	h.pass(int(requestTimeout/time.Second), noop)
	if got := v.status(); got != 408 {
		t.Errorf("status %d", got)
	}
	h.until(0, anyState)
}

// One client has a limited number of handshakes in progress, and others are not affected by it.
func TestHandshakesAreCounted(t *testing.T) {
	h := newSecureGate(t, ok, Config{})
	var waiting []*visitor
	for range maxGreetings {
		waiting = append(waiting, h.visitor())
	}
	h.until(maxGreetings, in(greeting, nothing))
	late := h.visitor()
	late.ended()
	if err := waiting[0].Close(); err != nil {
		t.Fatal(err)
	}
	h.until(maxGreetings-1, anyState)
	v := h.secureVisitor()
	v.send("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
	if got := v.status(); got != 200 {
		t.Errorf("status %d", got)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for client, now := range h.clients {
		if now != (load{maxGreetings, maxGreetings - 1}) {
			t.Errorf("%s has %v", client, now)
		}
	}
}

// A connection that speaks no TLS, or a challenge, is closed.
func TestOtherProtocolsAreClosed(t *testing.T) {
	h := newSecureGate(t, ok, Config{})
	v := h.visitor()
	v.send(getLine + "\r\n")
	if _, err := io.Copy(io.Discard, v.r); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Error(err)
	}
	c := h.connect("a.test", ChallengeProtocol)
	if _, err := io.Copy(io.Discard, c); err != nil {
		t.Error(err)
	}
	h.until(0, anyState)
}
