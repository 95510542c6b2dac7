package admin

import (
	"github.com/valyala/fasthttp"

	"vitrine/admin/api"
	"vitrine/internal/gate"
	"vitrine/internal/shop"
)

// Connections of the admin listener, all and of one client.
const (
	maxConnections = 4 << 10
	maxPerClient   = 1 << 8
)

// readBuffer holds the request line and the header fields.
const readBuffer = 16 << 10

// noRequest is what the listener says of what never reaches an endpoint. The
// refusals carry literal statuses of HTTP.
var noRequest = map[int]*shop.Refusal{
	fasthttp.StatusBadRequest:                  shop.ErrInvalidRequest.With("this is no HTTP request"),
	fasthttp.StatusRequestTimeout:              unread(fasthttp.StatusRequestTimeout, "the request did not come in time"),
	fasthttp.StatusRequestURITooLong:           unread(fasthttp.StatusRequestURITooLong, "the request line has at most 16 KB"),
	fasthttp.StatusRequestHeaderFieldsTooLarge: unread(fasthttp.StatusRequestHeaderFieldsTooLarge, "the request line and header fields have at most 16 KB"),
	fasthttp.StatusHTTPVersionNotSupported:     unread(fasthttp.StatusHTTPVersionNotSupported, "speak HTTP/1.1"),
	fasthttp.StatusServiceUnavailable:          shop.ErrUnavailable.With("there are too many connections").RetryAfter(5),
}

func unread(status int, detail string) *shop.Refusal {
	return shop.ErrInvalidRequest.WithStatus(status).With(detail)
}

// Gate is the listener of the admin API.
// Bodies are streams: each endpoint bounds what it reads.
func (a *Admin) Gate() *gate.Gate {
	return gate.New(&fasthttp.Server{
		Handler: a.Handler(), NoDefaultServerHeader: true, StreamRequestBody: true, MaxRequestBodySize: 1 << 20,
		DisablePreParseMultipartForm: true, ReadBufferSize: readBuffer,
	}, gate.Config{Connections: maxConnections, PerClient: maxPerClient, Trusted: gate.Uncounted(a.server.Proxies), Log: a.server.Log, Refuse: a.unreadable})
}

// unreadable answers what is no HTTP request in the form of all other refusals.
func (a *Admin) unreadable(rc *fasthttp.RequestCtx, status int) {
	rc.Response.Header.Set("X-Content-Type-Options", "nosniff")
	a.server.Refuse(rc, api.RequestID(rc), noRequest[status])
}
