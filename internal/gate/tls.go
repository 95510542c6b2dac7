package gate

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/valyala/fasthttp"
	"golang.org/x/sync/errgroup"

	"vitrine/internal/hostname"
)

// Certificates are the certificates of a TLS listener.
type Certificates interface {
	// GetCertificate returns the certificate for a handshake.
	GetCertificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error)

	// Covers reports whether the certificate for one host is valid for another one. The
	// first is empty for a client that named none.
	Covers(host, other string) bool
}

// ChallengeProtocol is negotiated by a certificate authority that checks a host (RFC 8737). The
// certificate is the answer; nothing is sent on the connection.
const ChallengeProtocol = "acme-tls/1"

const (
	protocolH2 = "h2"
	protocolH1 = "http/1.1"
)

// suites are those of TLS 1.2 with forward secrecy and authenticated encryption; the suites of
// TLS 1.3 cannot be chosen.
var suites = []uint16{
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
}

// transportSecurity makes browsers use https for a week after a visit. It names no subdomains,
// which may be other people's. A shop that moves to a server without TLS is reachable again
// after that week.
const transportSecurity = "max-age=604800"

// ServeTLS is Serve for a listener with TLS, which offers HTTP/2 and HTTP/1.1.
func (g *Gate) ServeTLS(l net.Listener, certs Certificates) error {
	own := g.listen(l)
	if own == nil {
		return l.Close()
	}
	return g.watched(func() error { return g.serveTLS(own, certs) })
}

func (g *Gate) serveTLS(own *listener, certs Certificates) error {
	own.secure = &tls.Config{
		GetCertificate: certs.GetCertificate, MinVersion: tls.VersionTLS12, CipherSuites: suites,
		NextProtos:                  []string{protocolH2, protocolH1, ChallengeProtocol},
		DynamicRecordSizingDisabled: true, // responses are small; ten times as many records would cost more than they save
	}
	if g.cfg.Tickets != nil {
		g.cfg.Tickets.apply(own.secure)
	}
	one, two := newHandoff(own.Addr()), newHandoff(own.Addr())
	var group errgroup.Group
	group.Go(func() error { return g.HTTP.Serve(one) })
	group.Go(func() error {
		if err := g.multiplexer.Serve(two); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	})
	group.Go(func() error {
		defer one.Close() //nolint:errcheck // always nil
		defer two.Close() //nolint:errcheck // always nil
		var greetings sync.WaitGroup
		defer greetings.Wait()
		for {
			c, err := own.Accept()
			if errors.Is(err, net.ErrClosed) {
				return nil
			}
			if err != nil {
				return err
			}
			greetings.Go(func() { g.greet(c.(*Conn), certs, one, two) })
		}
	})
	return group.Wait()
}

// greet performs the handshake and passes the connection to the server of its protocol.
func (g *Gate) greet(c *Conn, certs Certificates, one, two *handoff) {
	secured := c.Conn.(*tls.Conn)
	err := secured.HandshakeContext(context.Background()) // the sweep closes it when it takes too long
	g.greeted(c)
	if err != nil {
		_ = c.Close() // the handshake has failed
		return
	}
	state := secured.ConnectionState()
	c.secure = &session{name: []byte(strings.ToLower(state.ServerName)), covers: certs.Covers}
	switch state.NegotiatedProtocol {
	case ChallengeProtocol:
		_ = c.Close() // everything has been said
	case protocolH2:
		if c.phase.CompareAndSwap(greeting, shared) {
			two.give(secured)
		}
	default:
		if c.phase.CompareAndSwap(greeting, fresh) {
			one.give(c)
		}
	}
}

// Tickets are the keys of session tickets. Processes with the same keys resume each other's
// sessions; without Tickets each process has keys of its own.
type Tickets struct {
	mu      sync.Mutex
	keys    [][32]byte
	configs []*tls.Config
}

// Set replaces the keys: the first one seals, all of them open. There must be one at least.
func (t *Tickets) Set(keys [][32]byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keys = keys
	for _, config := range t.configs {
		config.SetSessionTicketKeys(keys)
	}
}

// apply gives a listener the keys, now and after each change.
func (t *Tickets) apply(config *tls.Config) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.configs = append(t.configs, config)
	config.SetSessionTicketKeys(t.keys)
}

// session is what the handshake of a connection has shown.
type session struct {
	name   []byte // the host that the client named, in lower case; empty: none
	covers func(host, other string) bool
	also   atomic.Pointer[string] // the last other host that the certificate covers
}

// misdirected reports whether a request is for a host that the certificate of its connection does
// not cover: the client has not been shown that this server speaks for the host.
func (s *session) misdirected(rc *fasthttp.RequestCtx) bool {
	host := rc.Request.Header.Host()
	if target := rc.Request.Header.RequestURI(); len(target) > 1 && target[0] != '/' {
		host = rc.URI().Host() // an absolute target, which names the host
	}
	if rest, ok := bytes.CutPrefix(host, s.name); ok && len(s.name) > 0 && (len(rest) == 0 || rest[0] == ':') {
		return false
	}
	name, err := hostname.Parse(host)
	if err != nil {
		return false // the handler refuses it
	}
	if bytes.Equal(name, s.name) {
		return false
	}
	if also := s.also.Load(); also != nil && *also == string(name) {
		return false
	}
	other := string(name)
	if !s.covers(string(s.name), other) {
		return true
	}
	s.also.Store(&other)
	return false
}

// handoff is a listener of connections that were accepted elsewhere.
type handoff struct {
	address net.Addr
	conns   chan net.Conn
	quit    chan struct{}
	once    sync.Once
}

func newHandoff(address net.Addr) *handoff {
	return &handoff{address: address, conns: make(chan net.Conn), quit: make(chan struct{})}
}

func (h *handoff) give(c net.Conn) {
	select {
	case h.conns <- c:
	case <-h.quit:
		_ = c.Close() // nobody serves it
	}
}

func (h *handoff) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.quit:
		return nil, net.ErrClosed
	}
}

func (h *handoff) Close() error {
	h.once.Do(func() { close(h.quit) })
	return nil
}

func (h *handoff) Addr() net.Addr { return h.address }

// socket is the connection below TLS. It leads from there back to its Conn: the server of HTTP/2
// only knows the TLS connection.
type socket struct {
	net.Conn
	own    *Conn
	corked *[]byte // what was written since cork; nil: writes are passed on
}

const maxCorked = 64 << 10 // bytes

var corkBuffers = sync.Pool{New: func() any { return new([]byte) }}

// cork collects what is written until uncork, so that several records take one system call.
func (s *socket) cork() { s.corked = corkBuffers.Get().(*[]byte) }

func (s *socket) uncork() error {
	buffer := s.corked
	s.corked = nil
	_, err := s.Conn.Write(*buffer)
	*buffer = (*buffer)[:0]
	corkBuffers.Put(buffer)
	return err
}

func (s *socket) Write(p []byte) (int, error) {
	if s.corked == nil {
		return s.Conn.Write(p)
	}
	if len(*s.corked)+len(p) > maxCorked {
		if _, err := s.Conn.Write(*s.corked); err != nil {
			return 0, err
		}
		*s.corked = (*s.corked)[:0]
	}
	*s.corked = append(*s.corked, p...)
	return len(p), nil
}

func (s *socket) Close() error {
	s.own.gate.leave(s.own)
	return s.Conn.Close()
}
