package api

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/internal/cookie"
	"vitrine/internal/forwarded"
	"vitrine/internal/latency"
	"vitrine/internal/limiter"
	"vitrine/internal/load"
	"vitrine/internal/origin"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/span"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/trace"
)

// visitorTimeout limits reads of anonymous visitors, so that they cannot hold the database for
// a minute.
const visitorTimeout = 5 * time.Second

// Server answers calls: it identifies the caller, checks access and rate limits, runs the
// endpoint and writes the response. With a store it writes the audit log and answers repeats of
// an Idempotency-Key.
type Server struct {
	Identify func(context.Context, Credentials) (Identity, error)
	Limiter  *Limiter
	Proxies  forwarded.Proxies // whose forwarding headers are trusted
	Cookies  cookie.Rule       // how cookies of the admin origin are set
	Log      *slog.Logger
	Store    *store.Store     // nil: no audit log and no Idempotency-Key
	Sealer   *secret.Sealer   // encrypts stored responses
	Sites    *load.Sites      // shops as visitors see them
	Now      func() time.Time // clock for timestamps of stored rows

	Compression *Compression // of responses; nil: none

	Tracer *span.Tracer // nil: no traces

	Latencies latency.Histograms // of calls, by endpoint
	Refused   latency.Counter    // calls, by class and code

	// Calls divides among shops the calls that run at once, as many as there are connections to the
	// database; nil: all run. Transfers of files are not counted: they last as long as their client.
	Calls *limiter.PerShop

	// Flush stores the key uses that Identify recorded; Upkeep calls it. May be nil.
	Flush func(context.Context) error

	lastOutageLog atomic.Int64 // Unix time of the last log line about an outage
}

// Handler returns the fasthttp handler of one endpoint. Values of the request are copied before
// use, because fasthttp reuses them.
func (s *Server) Handler(e *Endpoint) fasthttp.RequestHandler {
	route, operation := s.Latencies.Route(e.Method+" "+e.Path), e.Operation() // requests to unknown addresses are not counted
	return func(rc *fasthttp.RequestCtx) {
		defer s.answered(rc, e, route, time.Now()) // not rc.Time(), which is zero in calls made inside the process
		ctx, c, w := s.open(rc, e)
		defer w.end()
		if s.Tracer != nil {
			var traced *span.Span
			ctx, traced = s.trace(ctx, c, operation)
			defer c.endTrace(traced, rc)
		}
		r, err := s.run(ctx, c)
		c.setIgnoredHeader()
		if err != nil {
			s.Refuse(rc, c.RequestID, w.explain(err))
			return
		}
		s.Compression.apply(c, r).write(rc, c.RequestID)
		if !c.drained() {
			rc.SetConnectionClose()
		}
	}
}

// open makes the call of a request. It may take until the deadline, which the caller ends.
func (s *Server) open(rc *fasthttp.RequestCtx, e *Endpoint) (context.Context, *Call, *deadline) {
	rc.SetUserValue(endpointValue, e)
	c := newCall(e, rc)
	c.log, c.client, c.limiter, c.server = s.Log, s.Proxies.Client(rc), s.Limiter, s
	w := newDeadline()
	if c.stream != nil {
		c.stream.deadline = w
	}
	ctx, traced := trace.WithRequest(w.ctx, c.RequestID)
	rc.SetUserValue(tracedValue, traced)
	c.traced = traced
	return ctx, c, w
}

// Do runs an endpoint inside the process with the given identity and without rate limits; the
// program's own seeding uses it. params are path and query values. A body that is an io.Reader
// is passed as it is, any other is encoded as JSON.
func (s *Server) Do(ctx context.Context, e *Endpoint, who Identity, params map[string]string, body any) (any, error) {
	c := &Call{
		Identity: who, server: s, log: s.Log, endpoint: e, size: -1,
		path: func(name string) string { return params[name] },
		query: func(name string) []string {
			if v, ok := params[name]; ok {
				return []string{v}
			}
			return nil
		},
	}
	if raw, ok := body.(io.Reader); ok {
		c.body = raw
		return s.invoke(ctx, c)
	}
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	c.body, c.size = bytes.NewReader(data), int64(len(data))
	return s.invoke(ctx, c)
}

func newCall(e *Endpoint, rc *fasthttp.RequestCtx) *Call {
	c := &Call{endpoint: e, http: rc, RequestID: RequestID(rc), size: int64(rc.Request.Header.ContentLength())}
	c.Storefront = max(origin.Of(rc).Shop, 0)
	c.path = func(name string) string {
		v, ok := rc.UserValue(name).(string)
		if decoded, err := url.PathUnescape(v); ok && err == nil {
			return strings.Clone(decoded)
		}
		return ""
	}
	c.query = func(name string) (values []string) {
		for _, v := range rc.QueryArgs().PeekMulti(name) {
			values = append(values, string(v))
		}
		return values
	}
	if stream := rc.RequestBodyStream(); stream != nil {
		c.stream = &bodyStream{from: stream}
		c.body = c.stream
	} else {
		c.body = bytes.NewReader(rc.Request.Body())
	}
	return c
}

func (s *Server) run(ctx context.Context, c *Call) (reply, error) {
	c.readGate = func(id shop.CompanyID) (companydb.Gate, error) { return c.gate(ctx, id) }
	guard := c.sameOrigin
	if c.sandboxed() {
		guard = c.enterSandboxed
	}
	if err := guard(); err != nil {
		return reply{}, err
	}
	if c.endpoint.SignsIn && c.Storefront != 0 && origin.Of(c.http).Cookies == cookie.None {
		return reply{}, ErrPlainHTTP
	}
	if err := s.identify(ctx, c); err != nil {
		return reply{}, s.Limiter.countRefused(c, err)
	}
	if linked := c.Anonymous() && c.endpoint.OrderLink && len(c.query("key")) > 0; !linked {
		if err := c.endpoint.Admit(c.Identity); err != nil {
			return reply{}, err
		}
	}
	if err := s.Limiter.count(ctx, c); err != nil {
		return reply{}, err
	}
	if company := max(c.Company, c.Storefront); s.Calls != nil && company != 0 && c.endpoint.Class != Storage && c.endpoint.Class != Pictures {
		release, err := s.Calls.Acquire(ctx, company)
		if err != nil {
			return reply{}, ErrBusyShop
		}
		defer release()
	}
	if c.Anonymous() && c.endpoint.Method == fasthttp.MethodGet {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, visitorTimeout)
		defer cancel()
	}
	r, err := s.execute(ctx, c)
	if err != nil && c.byAddress() {
		err = s.Limiter.countRefused(c, err)
	}
	return r, err
}

// identify sets the identity of the caller, unless the endpoint does not need it.
func (s *Server) identify(ctx context.Context, c *Call) error {
	if c.endpoint.Auth == Link {
		return nil
	}
	who, err := s.Identify(ctx, c.Credentials())
	if err != nil {
		return err
	}
	c.Buyer = who.Bound != 0 || c.Storefront != 0 && c.Header("Authorization") == "" && !who.Anonymous()
	if c.Buyer {
		who = Identity{Person: who.Person, Contour: shop.Prod, Bound: who.Bound, Fresh: who.Fresh}
	}
	c.Identity = who
	return nil
}

// invoke runs the endpoint. A panic becomes an INTERNAL response instead of ending the process.
func (s *Server) invoke(ctx context.Context, c *Call) (out any, err error) {
	err = safely(func() (err error) {
		out, err = c.endpoint.Do.run(c.inContour(ctx), c)
		return err
	})
	return out, err
}

// Token returns the key or session token of the call, from the Authorization header or else from
// the session cookie. A header that holds no valid token is refused; the cookie does not replace
// it.
func (c *Call) Token() string {
	if h := c.Header("Authorization"); h != "" {
		if scheme, token, ok := strings.Cut(h, " "); ok && strings.EqualFold(scheme, "Bearer") {
			return strings.TrimSpace(token)
		}
		return h
	}
	return c.cookieToken()
}

// cookieToken returns the session token of the cookie.
func (c *Call) cookieToken() string {
	switch {
	case c.http == nil:
		return ""
	case c.Storefront != 0:
		return string(origin.Of(c.http).Cookies.Value(&c.http.Request.Header, cookie.Session))
	case !c.fromOwnPage():
		return ""
	}
	return string(c.server.Cookies.Value(&c.http.Request.Header, cookie.Admin))
}

// ByCookie reports whether the token of the call came in the session cookie.
func (c *Call) ByCookie() bool { return c.Header("Authorization") == "" && c.cookieToken() != "" }

// RequestID returns the id of a request and creates it on first use.
func RequestID(rc *fasthttp.RequestCtx) string {
	if id, ok := rc.UserValue("request-id").(string); ok {
		return id
	}
	var b [12]byte
	rand.Read(b[:]) // never fails (crypto/rand)
	id := hex.EncodeToString(b[:])
	rc.SetUserValue("request-id", id)
	return id
}
