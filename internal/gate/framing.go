package gate

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"regexp"
	"strings"

	"github.com/valyala/fasthttp"
)

// fault returns the status for a request that fasthttp accepts although it is ambiguous, 0
// if it is valid. Servers in front of this one interpret bare line feeds and folded lines
// in different ways.
func fault(h *fasthttp.RequestHeader) int {
	if !h.IsHTTP11() && string(h.Protocol()) != "HTTP/1.0" {
		return fasthttp.StatusHTTPVersionNotSupported
	}
	coded, measured := false, false
	for rest := h.RawHeaders(); len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 1 || rest[end-1] != '\r' || rest[0] == ' ' || rest[0] == '\t' {
			return fasthttp.StatusBadRequest
		}
		switch line := rest[:end-1]; {
		case isField(line, fasthttp.HeaderTransferEncoding):
			if coded = true; !bytes.EqualFold(bytes.TrimSpace(line[len(fasthttp.HeaderTransferEncoding)+1:]), chunked) {
				return fasthttp.StatusBadRequest
			}
		case isField(line, fasthttp.HeaderContentLength):
			measured = true
		}
		rest = rest[end+1:]
	}
	if coded && (measured || !h.IsHTTP11()) || bytes.IndexByte(h.Host(), '@') >= 0 {
		return fasthttp.StatusBadRequest
	}
	return 0
}

var chunked = []byte("chunked")

// isField reports whether a line is the header field with a name.
func isField(line []byte, name string) bool {
	return len(line) > len(name) && line[len(name)] == ':' && bytes.EqualFold(line[:len(name)], []byte(name))
}

// refuseMalformed answers input that is no valid HTTP request: malformed lines, two Host
// fields, a target that is too long. It closes the connection.
func (g *Gate) refuseMalformed(rc *fasthttp.RequestCtx, err error) {
	status := fasthttp.StatusBadRequest
	var timeout net.Error
	switch small := (*fasthttp.ErrSmallBuffer)(nil); {
	case errors.As(err, new(fasthttp.ErrNothingRead)):
		rc.SetStatusCode(fasthttp.StatusRequestTimeout) // no request was sent, so nothing is refused
		return
	case errors.As(err, &small):
		status = fasthttp.StatusRequestHeaderFieldsTooLarge
		if c, ok := rc.Conn().(*Conn); ok && c.line >= g.HTTP.ReadBufferSize {
			status = fasthttp.StatusRequestURITooLong
		}
	case errors.As(err, &timeout) && timeout.Timeout():
		status = fasthttp.StatusRequestTimeout
	}
	rc.Response.Reset()
	g.cfg.Refuse(rc, status)
	rc.SetConnectionClose()
}

// debugLogger passes fasthttp's messages, which concern single connections, to the debug
// level, without the received data.
type debugLogger struct{ log *slog.Logger }

var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

func (l debugLogger) Printf(format string, args ...any) {
	message := strings.TrimSpace(fmt.Sprintf(format, args...))
	l.log.Debug("connection", "message", quoted.ReplaceAllString(message, `"…"`))
}
