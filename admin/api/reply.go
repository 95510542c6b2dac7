package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"github.com/valyala/fasthttp"

	"vitrine/compile/pack"
	"vitrine/internal/condition"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/trace"
)

const jsonType = "application/json; charset=utf-8"

// reply is a response that is ready to be sent, or to be stored for a repeat.
type reply struct {
	status      int
	contentType string
	maxAge      int // as in Raw
	etag        string
	policy      string
	body        []byte
	stream      io.ReadCloser // instead of body
	length      int           // of stream
	parts       bool          // of stream may be requested
	replayed    bool
	coding      pack.Coding // of body
	varies      bool        // another coding was possible
}

// Statused is a response that may have another status than its endpoint's; 0: it does not.
type Statused interface{ Status() int }

// succeed makes the reply from the value that an endpoint returned.
func succeed(e *Endpoint, out any) (reply, error) {
	r := reply{status: e.Success(), contentType: jsonType}
	if raw, ok := out.(Raw); ok {
		r.contentType, r.body, r.maxAge, r.etag, r.policy = cmp.Or(raw.ContentType, jsonType), raw.Body, raw.MaxAge, raw.ETag, raw.Policy
		r.stream, r.length, r.parts = raw.Stream, raw.Length, e.Parts
		return r, nil
	}
	var err error
	if r.body, err = encode(out); err != nil {
		return r, err
	}
	if other, ok := out.(Statused); ok && other.Status() != 0 {
		r.status = other.Status()
	}
	if version := e.versionOf(out); !version.IsZero() {
		r.etag = etagOf(version, r.body)
	}
	return r, nil
}

// Success returns the status of a successful response.
func (e *Endpoint) Success() int {
	if e.Status != 0 {
		return e.Status
	}
	return fasthttp.StatusOK
}

// refuse makes the reply of a refusal.
func refuse(refusal *shop.Refusal) reply {
	body, err := encode(refusal.Body())
	if err != nil {
		body, _ = encode(shop.ErrInternal.Body())
	}
	return reply{status: refusal.Status(), contentType: jsonType, body: body}
}

func (r reply) write(rc *fasthttp.RequestCtx, requestID string) {
	rc.Response.Header.Set("X-Request-Id", requestID)
	switch {
	case r.maxAge > 0:
		rc.Response.Header.Set("Cache-Control", "public, max-age="+strconv.Itoa(r.maxAge))
	case r.maxAge == Revalidate:
		rc.Response.Header.Set("Cache-Control", "no-cache")
	case r.maxAge == Personal:
		rc.Response.Header.Set("Cache-Control", "private, no-cache")
	default:
		rc.Response.Header.Set("Cache-Control", "no-store")
	}
	if r.replayed {
		rc.Response.Header.Set("Idempotent-Replayed", "true")
	}
	if r.policy != "" {
		rc.Response.Header.Set("Content-Security-Policy", r.policy)
	}
	if r.varies {
		rc.Response.Header.Add(fasthttp.HeaderVary, fasthttp.HeaderAcceptEncoding)
	}
	if r.etag != "" {
		rc.Response.Header.Set("ETag", r.etag)
		if (rc.IsGet() || rc.IsHead()) && condition.Unchanged(&rc.Request.Header, []byte(r.etag)) {
			rc.SetStatusCode(fasthttp.StatusNotModified)
			if r.stream != nil {
				_ = r.stream.Close() // it was only read from
			}
			return
		}
	}
	rc.SetStatusCode(r.status)
	rc.SetContentType(r.contentType)
	if r.stream != nil {
		r.send(rc)
		return
	}
	if r.coding != "" {
		rc.Response.Header.Set(fasthttp.HeaderContentEncoding, string(r.coding))
	}
	rc.SetBody(r.body)
}

// send sends the stream, or the requested part of it. The response closes it.
func (r reply) send(rc *fasthttp.RequestCtx) {
	seeker, ok := r.stream.(io.Seeker)
	if !ok || !r.parts {
		rc.SetBodyStream(r.stream, r.length)
		return
	}
	rc.Response.Header.Set(fasthttp.HeaderAcceptRanges, "bytes")
	part, kind := condition.RequestedRange(&rc.Request.Header, []byte(r.etag), int64(r.length))
	if kind == condition.WholeBody {
		rc.SetBodyStream(r.stream, r.length)
		return
	}
	condition.SetPart(&rc.Response, part, kind, int64(r.length))
	if kind == condition.Unsatisfiable {
		_ = r.stream.Close() // it was only read from
		return
	}
	if _, err := seeker.Seek(part.Start, io.SeekStart); err != nil {
		_ = r.stream.Close()
		rc.Response.Reset()
		refuse(shop.ErrUnavailable.With("the file cannot be read now")).write(rc, RequestID(rc))
		return
	}
	rc.SetBodyStream(section{io.LimitReader(r.stream, part.Length), r.stream}, int(part.Length))
}

// section is a part of a stream that closes the stream.
type section struct {
	io.Reader
	io.Closer
}

// encode writes JSON without escaping <, > and &: responses are never parsed as HTML (nosniff),
// and owners read them.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// EncodeJSON writes JSON for programs that read texts as they were written: without escaping <, > and &.
func EncodeJSON(v any) ([]byte, error) {
	text, err := encode(v)
	return bytes.TrimRight(text, "\n"), err
}

// Keys of the user values with the endpoint of a call and with its trace.Request.
const (
	endpointValue = "endpoint"
	tracedValue   = "traced"
)

// pathOf returns the path for the log: the endpoint's, because the address of an upload
// authorizes anyone who has it.
func pathOf(rc *fasthttp.RequestCtx) string {
	if e, ok := rc.UserValue(endpointValue).(*Endpoint); ok {
		return e.Path
	}
	return "none"
}

// Fault returns the refusal for an error that is not a refusal: ErrUnavailable if the same call
// may succeed later, because the database is unavailable or was too slow, and ErrInternal for
// everything else.
func Fault(err error) *shop.Refusal {
	switch {
	case errors.Is(err, context.DeadlineExceeded), store.TimedOut(err):
		return shop.ErrUnavailable.With("the request took too long")
	case store.IsMoving(err):
		return store.ErrMoving
	case store.IsDiskFull(err):
		return shop.ErrUnavailable.With("the disk of the database is full; nothing was stored").RetryAfter(60)
	case store.IsReadOnly(err):
		return shop.ErrUnavailable.With("the database accepts no writes for the moment; nothing was stored").RetryAfter(5)
	case store.IsUnavailable(err):
		return shop.ErrUnavailable.With("the database is unavailable for the moment")
	}
	return shop.ErrInternal
}

// logFailure logs why a call failed. During an outage, when all calls fail, it logs one line
// per second.
func (s *Server) logFailure(rc *fasthttp.RequestCtx, requestID string, err error) {
	if store.IsUnavailable(err) && s.Now != nil {
		if now := s.Now().Unix(); s.lastOutageLog.Swap(now) == now {
			return
		}
	}
	traced, _ := rc.UserValue(tracedValue).(*trace.Request)
	s.Log.Error("request failed", append([]any{
		"request_id", requestID, "method", string(rc.Method()), "path", pathOf(rc), "error", secret.Mask(err.Error()),
	}, traced.Failed(err)...)...)
}

// challenge is the WWW-Authenticate of every response with the status 401 that has no better one (RFC 9110,
// 15.5.2). Browsers ask their users for a password only by other schemes.
const challenge = `Bearer realm="vitrine"`

// Refuse writes an error as a response; this is the only place that does. An error that is not a
// refusal becomes INTERNAL and is logged once with its request id.
func (s *Server) Refuse(rc *fasthttp.RequestCtx, requestID string, err error) {
	refusal, ok := shop.AsRefusal(err)
	if !ok {
		if refusal = Fault(err); refusal.Class == shop.Internal {
			refusal = refusal.With("request " + requestID)
		}
	}
	// A refusal that wraps a cause tells the caller what is wrong; the cause, such as a full
	// disk or an unavailable bucket, is for the operator.
	if !ok || refusal.Class == shop.Unavailable && err != error(refusal) {
		s.logFailure(rc, requestID, err)
	}
	s.Refused.Add(string(refusal.Class), refusal.Code)
	if refusal.Class == shop.Unavailable && refusal.RetryAfterHeader() == "" {
		refusal = refusal.RetryAfter(1)
	}
	refuse(refusal).write(rc, requestID)
	if address := refusal.LocationHeader(); address != "" {
		rc.Response.Header.Set(fasthttp.HeaderLocation, address)
	}
	if after := refusal.RetryAfterHeader(); after != "" {
		rc.Response.Header.Set("Retry-After", after)
	}
	if refusal.Class == shop.Unauthenticated {
		rc.Response.Header.Set(fasthttp.HeaderWWWAuthenticate, challenge)
	}
	if rc.Request.IsBodyStream() {
		// The rest of a refused upload is not read, so the connection cannot be reused.
		rc.SetConnectionClose()
	}
}
