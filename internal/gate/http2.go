package gate

import (
	"cmp"
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"strconv"

	"github.com/valyala/fasthttp"
)

// Limits of an HTTP/2 connection.
const (
	maxStreams = 128

	defaultReadBuffer = 4 << 10 // of fasthttp

	frameSize     = 16 << 10
	streamWindow  = 256 << 10 // bytes of a body that a client may send before the handler reads them
	connectWindow = 512 << 10 // of all bodies of a connection
)

// newMultiplexer returns the server of HTTP/2. It reads frames and keeps the rules of the
// protocol; every request becomes a connection of fasthttp, so that handlers, limits and refusals
// are the same in both protocols.
func (g *Gate) newMultiplexer() *http.Server {
	var only http.Protocols
	only.SetHTTP2(true)
	return &http.Server{
		Handler: http.HandlerFunc(g.serveStream), Protocols: &only,
		MaxHeaderBytes: cmp.Or(g.HTTP.ReadBufferSize, defaultReadBuffer), IdleTimeout: idleTimeout,
		ErrorLog: slog.NewLogLogger(g.cfg.Log.Handler(), slog.LevelDebug),
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: maxStreams, MaxReadFrameSize: frameSize,
			MaxReceiveBufferPerConnection: connectWindow, MaxReceiveBufferPerStream: streamWindow,
			WriteByteTimeout: answerTimeout,
		},
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c.(*tls.Conn).NetConn().(*socket).own)
		},
	}
}

type connKey struct{} // of the Conn in the context of a stream

// serveStream answers one request of an HTTP/2 connection.
func (g *Gate) serveStream(w http.ResponseWriter, r *http.Request) {
	parent := r.Context().Value(connKey{}).(*Conn)
	s := &stream{w: w, control: http.NewResponseController(w), body: r.Body, size: r.ContentLength, gone: r.Context(), parent: parent, bodiless: r.Method == http.MethodHead}
	own := g.enterStream(s)
	if head, ok := requestHead(r); !ok {
		own.refused = fasthttp.StatusBadRequest
	} else {
		s.head = head
	}
	if own.refused != 0 { // its body is not read
		s.head, s.size, s.body = []byte("GET / HTTP/1.1\r\nHost: refused\r\nConnection: close\r\n\r\n"), 0, http.NoBody
	}
	if s.size < 0 {
		s.chunks = make([]byte, 0, chunkSize+chunkFrame)
	}
	err := g.HTTP.ServeConn(own)
	if !s.finish() {
		g.cfg.Log.Debug("a response was cut off", "error", err)
		panic(http.ErrAbortHandler) // resets the stream: the client must not take the response for complete
	}
}

// enterStream registers a request of HTTP/2. It counts as a connection of its client.
func (g *Gate) enterStream(s *stream) *Conn {
	own := &Conn{Conn: s, gate: g, client: s.parent.client, secure: s.parent.secure}
	if !g.register(own) {
		own.refused = fasthttp.StatusServiceUnavailable
	}
	return own
}

// requestHead returns the head of a request as HTTP/1.1. It returns false for what has no such
// form: a space or a line end would be read as something else than it was sent as. A Host field
// must not differ from the :authority, nor a length from that of the body (RFC 9113, 8.1.1, 8.3.1).
func requestHead(r *http.Request) (head []byte, ok bool) {
	if !printable(r.Method) || !printable(r.RequestURI) || !printable(r.Host) {
		return nil, false
	}
	for i, length := range r.Header["Content-Length"] {
		if i > 0 || length != strconv.FormatInt(r.ContentLength, 10) {
			return nil, false
		}
	}
	head = make([]byte, 0, 512)
	head = append(append(append(append(head, r.Method...), ' '), r.RequestURI...), " HTTP/1.1\r\nConnection: close\r\nHost: "...)
	head = append(append(head, r.Host...), "\r\n"...)
	for name, values := range r.Header {
		if name == "Host" {
			for _, value := range values {
				if value != r.Host {
					return nil, false
				}
			}
			continue
		}
		if ofConnection[name] {
			continue
		}
		if !printable(name) {
			return nil, false
		}
		for _, value := range values {
			if !oneLine(value) {
				return nil, false
			}
			head = append(append(append(append(head, name...), ": "...), value...), "\r\n"...)
		}
	}
	switch {
	case r.ContentLength < 0:
		head = append(head, "Transfer-Encoding: chunked\r\n"...)
	case r.ContentLength > 0 || r.Method == http.MethodPost || r.Method == http.MethodPut:
		head = appendInt(append(head, "Content-Length: "...), r.ContentLength, 10)
		head = append(head, "\r\n"...)
	}
	return append(head, "\r\n"...), true
}

// ofConnection are the fields that concern a connection or the framing of a message. HTTP/2 has
// frames instead, and Expect is answered when the handler reads the body.
var ofConnection = map[string]bool{
	"Connection": true, "Keep-Alive": true, "Proxy-Connection": true, "Transfer-Encoding": true, "Upgrade": true,
	"Content-Length": true, "Expect": true, "Te": true, "Trailer": true,
}

// printable reports whether a text has neither spaces nor control characters, and is not empty.
func printable(text string) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] == 0x7f {
			return false
		}
	}
	return text != ""
}

func oneLine(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
