package admin

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/admin/api"
	"vitrine/internal/shop"
)

// Refusals of what is no request. They carry literal statuses of HTTP.
var (
	errHeaders = shop.ErrInvalidRequest.WithStatus(fasthttp.StatusRequestHeaderFieldsTooLarge)
	errSlow    = shop.ErrInvalidRequest.WithStatus(fasthttp.StatusRequestTimeout)
)

// Server is the listener of the admin API. Bodies are streams: each endpoint
// bounds what it reads.
func (a *Admin) Server() *fasthttp.Server {
	return &fasthttp.Server{
		Handler: a.Handler(), ErrorHandler: a.unreadable, NoDefaultServerHeader: true, StreamRequestBody: true, MaxRequestBodySize: 1 << 20,
		DisablePreParseMultipartForm: true, ReadBufferSize: 16 << 10, ReadTimeout: 5 * time.Minute, WriteTimeout: time.Minute,
		HeaderReceived: patience, IdleTimeout: time.Minute, Concurrency: 4096, Logger: quiet{a.server.Log}, SecureErrorLogMessage: true,
	}
}

// patience gives files the time that a slow line needs: 100 MB at 1 Mbit/s. A
// chunked body has no length.
func patience(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	const chunked = -1
	if size := h.ContentLength(); size == chunked || size > 1<<20 {
		return fasthttp.RequestConfig{ReadTimeout: 15 * time.Minute}
	}
	return fasthttp.RequestConfig{}
}

// unreadable answers what is no HTTP request in the form of all other refusals.
// The connection ends with it.
func (a *Admin) unreadable(rc *fasthttp.RequestCtx, err error) {
	refusal := shop.ErrInvalidRequest.With("this is no HTTP request")
	var slow net.Error
	switch small := (*fasthttp.ErrSmallBuffer)(nil); {
	case errors.As(err, &small):
		refusal = errHeaders.With("the request line and header fields have at most 16 KB")
	case errors.As(err, &slow) && slow.Timeout():
		refusal = errSlow.With("the request did not come in time")
	}
	rc.Response.Reset()
	rc.Response.Header.Set("X-Content-Type-Options", "nosniff")
	a.server.Refuse(rc, api.RequestID(rc), refusal)
	rc.SetConnectionClose()
}

// quiet routes fasthttp's messages, which are about single connections, to the
// debug level.
type quiet struct{ log *slog.Logger }

func (q quiet) Printf(format string, args ...any) {
	q.log.Debug("connection", "message", strings.TrimSpace(fmt.Sprintf(format, args...)))
}
