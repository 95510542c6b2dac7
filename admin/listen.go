package admin

import (
	"github.com/valyala/fasthttp"

	"vitrine/admin/api"
	"vitrine/internal/gate"
	"vitrine/internal/shop"
)

// Limits on connections of the admin listener: in total and per client.
const (
	maxConnections = 4 << 10
	maxPerClient   = 1 << 8
)

// readBuffer is the size limit of the request line and the header fields.
const readBuffer = 16 << 10

// noRequest maps statuses to the refusals of requests that fail before they reach an endpoint.
// The refusals carry literal statuses of HTTP.
var noRequest = map[int]*shop.Refusal{
	fasthttp.StatusBadRequest:                  shop.ErrInvalidRequest.With("this is not an HTTP request"),
	fasthttp.StatusRequestTimeout:              unread(fasthttp.StatusRequestTimeout, "the request did not arrive in time"),
	fasthttp.StatusRequestURITooLong:           unread(fasthttp.StatusRequestURITooLong, "the request line may have at most 16 KB"),
	fasthttp.StatusMisdirectedRequest:          unread(fasthttp.StatusMisdirectedRequest, "the certificate of this connection is not for this host: open another one"),
	fasthttp.StatusRequestHeaderFieldsTooLarge: unread(fasthttp.StatusRequestHeaderFieldsTooLarge, "the request line and header fields may have at most 16 KB"),
	fasthttp.StatusHTTPVersionNotSupported:     unread(fasthttp.StatusHTTPVersionNotSupported, "use HTTP/1.1"),
	fasthttp.StatusServiceUnavailable:          shop.ErrUnavailable.With("there are too many connections").RetryAfter(5),
}

func unread(status int, detail string) *shop.Refusal {
	return shop.ErrInvalidRequest.WithStatus(status).With(detail)
}

// Gate returns the listener of the admin API. Bodies are streamed: each endpoint limits what it
// reads.
func (a *Admin) Gate() *gate.Gate {
	return gate.New(&fasthttp.Server{
		Handler: a.Handler(), NoDefaultServerHeader: true, StreamRequestBody: true, MaxRequestBodySize: 1 << 20,
		DisablePreParseMultipartForm: true, ReadBufferSize: readBuffer,
	}, gate.Config{Connections: maxConnections, PerClient: maxPerClient, Trusted: gate.UnlimitedNetworks(a.server.Proxies), Log: a.server.Log, Refuse: a.unreadable})
}

// unreadable answers a request that is not valid HTTP with a refusal in the usual format.
func (a *Admin) unreadable(rc *fasthttp.RequestCtx, status int) {
	rc.Response.Header.Set("X-Content-Type-Options", "nosniff")
	a.server.Refuse(rc, api.RequestID(rc), noRequest[status])
}
