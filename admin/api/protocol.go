package api

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/internal/drain"
	"vitrine/internal/origin"
	"vitrine/internal/shop"
)

// Response is the response of an address that speaks a protocol of its own.
type Response struct {
	Status      int
	ContentType string
	Header      map[string]string
	Body        []byte
}

// Protocol returns the handler of an address that speaks a protocol of its own instead of that of
// the endpoints: MCP and OAuth. The row says who may call it; it is not part of the endpoint table,
// and its calls are neither counted nor written to the audit log. Only the admin origin serves it, or
// only shops' hosts, and no call that was made for another one, so that none can make itself.
func (s *Server) Protocol(e *Endpoint, answer func(ctx context.Context, c *Call) (Response, error)) fasthttp.RequestHandler {
	route := s.Latencies.Route(e.Method + " " + e.Path)
	return func(rc *fasthttp.RequestCtx) {
		if (origin.Of(rc).Shop != 0) != e.Storefront || rc.UserValue(innerValue) != nil {
			s.Refuse(rc, RequestID(rc), shop.ErrNotFound.With(e.Method+" "+e.Path))
			return
		}
		defer s.answered(rc, e, route, time.Now())
		ctx, c, w := s.open(rc, e)
		defer w.end()
		out, err := s.speak(ctx, c, answer)
		if err != nil {
			s.Refuse(rc, c.RequestID, w.explain(err))
			return
		}
		out.write(rc, c)
	}
}

func (s *Server) speak(ctx context.Context, c *Call, answer func(context.Context, *Call) (Response, error)) (Response, error) {
	if err := s.identify(ctx, c); err != nil {
		return Response{}, s.Limiter.countRefused(c, err)
	}
	if err := c.endpoint.Admit(c.Identity); err != nil {
		return Response{}, err
	}
	return answer(ctx, c)
}

// StorefrontVersion is the version of the shop as the edge knows it: what was made of the shop at
// this version or a later one needs no look at the database to be current.
func (c *Call) StorefrontVersion() int64 { return origin.Of(c.http).Version }

// EnterShop takes one of the slots for calls of the storefront's shop that run at once; leave frees it.
// Endpoints do without: Server.run takes it for them.
func (c *Call) EnterShop(ctx context.Context) (leave func(), err error) {
	if c.server.Calls == nil {
		return func() {}, nil
	}
	if leave, err = c.server.Calls.Acquire(ctx, c.Storefront); err != nil {
		return nil, ErrBusyShop
	}
	return leave, nil
}

func (r Response) write(rc *fasthttp.RequestCtx, c *Call) {
	h := &rc.Response.Header
	h.Set("X-Request-Id", c.RequestID)
	h.Set("Cache-Control", "no-store")
	for name, value := range r.Header {
		h.Set(name, value)
	}
	if r.Status == fasthttp.StatusUnauthorized && r.Header[fasthttp.HeaderWWWAuthenticate] == "" {
		h.Set(fasthttp.HeaderWWWAuthenticate, challenge)
	}
	rc.SetStatusCode(r.Status)
	rc.SetContentType(r.ContentType)
	rc.SetBody(r.Body)
	if !c.drained() {
		rc.SetConnectionClose()
	}
}

// ReadBody reads the whole body, at most limit bytes of it. The rest of a longer one is read and
// dropped, so that the client sees the refusal.
func (c *Call) ReadBody(limit int64) ([]byte, error) {
	body, err := c.readBody(limit)
	if err != nil {
		return nil, errors.Join(err, drain.Refused(c.body))
	}
	return body, nil
}

// CountForNetworkAs counts the call for its network in a class.
func (c *Call) CountForNetworkAs(class Class) error {
	return spend(c.limiter.networks, networkLimits, class, c.Network(), address)
}

// Inner is a call of an endpoint that is made for another call.
type Inner struct {
	Method, Target string // Target is the path with its query, as in a request line
	Body           []byte // JSON; nil: none
	IdempotencyKey string // empty: none
}

// innerValue is the key of the user value that marks an Inner.
const innerValue = "inner"

// InnerAnswer is the response to an Inner. Body has at most the bytes that the caller asked for; Size
// is that of the whole body, -1 if it is longer than that and its length is not known.
type InnerAnswer struct {
	Status            int
	ContentType       string
	Body              []byte
	Size              int
	Replayed          bool   // the answer of an earlier call with the same IdempotencyKey
	Ignored           string // what of the request was ignored
	RequestID         string
	RetryAfterSeconds string
}

// Make makes an Inner with the credentials and from the network of this call, through the handler
// that serves the listener: it is admitted, counted, logged and answered like any other call.
func (c *Call) Make(through fasthttp.RequestHandler, in Inner, limit int) (InnerAnswer, error) {
	var rc fasthttp.RequestCtx
	rc.Init(&fasthttp.Request{}, c.client.Socket(), nil)
	rc.Request.Header.SetMethod(in.Method)
	rc.Request.SetRequestURI(in.Target)
	rc.Request.Header.Set(fasthttp.HeaderAuthorization, c.Header(fasthttp.HeaderAuthorization))
	rc.Request.Header.Set(fasthttp.HeaderAccept, "application/json, text/markdown, text/plain, */*")
	if in.Body != nil {
		rc.Request.Header.SetContentType("application/json")
		rc.Request.SetBodyRaw(in.Body)
	}
	if in.IdempotencyKey != "" {
		rc.Request.Header.Set("Idempotency-Key", in.IdempotencyKey)
	}
	rc.SetUserValue(innerValue, true)
	through(&rc)
	h := &rc.Response.Header
	out := InnerAnswer{
		Status: rc.Response.StatusCode(), ContentType: string(h.ContentType()), Replayed: len(h.Peek("Idempotent-Replayed")) > 0,
		Ignored: string(h.Peek(IgnoredHeader)), RequestID: string(h.Peek("X-Request-Id")), RetryAfterSeconds: string(h.Peek("Retry-After")),
	}
	var err error
	if stream := rc.Response.BodyStream(); stream != nil {
		out.Size = h.ContentLength()
		out.Body, err = io.ReadAll(io.LimitReader(stream, int64(limit)))
		if len(out.Body) < limit {
			out.Size = len(out.Body)
		}
		if closeErr := rc.Response.CloseBodyStream(); err == nil {
			err = closeErr
		}
		return out, err
	}
	body := rc.Response.Body()
	out.Size = len(body)
	out.Body = append([]byte(nil), body[:min(len(body), limit)]...)
	return out, nil
}
