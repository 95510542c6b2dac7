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

// fault is the status of a request that fasthttp takes and nobody should, 0
// when there is none. Lines that end in a bare line feed or go on in the next
// line are read in several ways by servers in front of this one.
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
		case is(line, fasthttp.HeaderTransferEncoding):
			if coded = true; !bytes.EqualFold(bytes.TrimSpace(line[len(fasthttp.HeaderTransferEncoding)+1:]), chunked) {
				return fasthttp.StatusBadRequest
			}
		case is(line, fasthttp.HeaderContentLength):
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

// is reports whether a line is the field of a name.
func is(line []byte, name string) bool {
	return len(line) > len(name) && line[len(name)] == ':' && bytes.EqualFold(line[:len(name)], []byte(name))
}

// unreadable answers what is no HTTP request: broken lines, two Host fields, too
// long a target. The connection ends with it.
func (g *Gate) unreadable(rc *fasthttp.RequestCtx, err error) {
	status := fasthttp.StatusBadRequest
	var timeout net.Error
	switch small := (*fasthttp.ErrSmallBuffer)(nil); {
	case errors.As(err, new(fasthttp.ErrNothingRead)):
		rc.SetStatusCode(fasthttp.StatusRequestTimeout) // for nobody, so it is no refusal
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

// quiet routes fasthttp's messages, which are about single connections, to the
// debug level, without what was sent.
type quiet struct{ log *slog.Logger }

var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

func (q quiet) Printf(format string, args ...any) {
	message := strings.TrimSpace(fmt.Sprintf(format, args...))
	q.log.Debug("connection", "message", quoted.ReplaceAllString(message, `"…"`))
}
