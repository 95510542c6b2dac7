package api

import (
	"bytes"
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/internal/shop"
)

// The form lane (document 3, 4.2): pages of site folders run in a sandbox with the origin
// "null", and may call two endpoints of the shop anonymously. A call from that origin that
// identifies its caller, even with an empty header, is refused: it would only ever work by
// mistake.

// ErrSandboxHeader refuses a call of a sandboxed page that identifies its caller.
var ErrSandboxHeader = shop.Refuse(shop.PermissionDenied, "FORM_LANE_HEADER_FORBIDDEN").
	When("a sandboxed page sent Authorization, Cookie, X-Service-Contour or X-Service-Draft, even empty")

// ErrSandboxType refuses a body of a sandboxed page that is not declared as JSON: browsers send
// other types without a preflight.
var ErrSandboxType = shop.ErrInvalidRequest.With("a sandboxed page must send Content-Type: application/json")

const sandboxedOrigin = "null"

// identifying are the headers that identify the caller.
var identifying = [...]string{"authorization", "cookie", "x-service-contour", "x-service-draft"}

// sandboxed reports whether a sandboxed page calls an endpoint of the form lane.
func (c *Call) sandboxed() bool {
	return c.http != nil && c.endpoint.Sandbox && string(c.http.Request.Header.Peek(fasthttp.HeaderOrigin)) == sandboxedOrigin
}

// enterSandboxed checks a call of a sandboxed page against the rules of the form lane, and lets
// the page read the response, including a refusal.
func (c *Call) enterSandboxed() error {
	allowAnyOrigin(c.http)
	for line := range bytes.Lines(c.http.Request.Header.RawHeaders()) {
		name, _, _ := bytes.Cut(line, []byte(":"))
		for _, forbidden := range identifying {
			if strings.EqualFold(string(bytes.TrimSpace(name)), forbidden) {
				return ErrSandboxHeader.With(forbidden + " must not be sent from a sandboxed page")
			}
		}
	}
	kind, _, _ := strings.Cut(c.Header(fasthttp.HeaderContentType), ";")
	if c.endpoint.Method == fasthttp.MethodPost && !strings.EqualFold(strings.TrimSpace(kind), "application/json") {
		return ErrSandboxType
	}
	return nil
}

func allowAnyOrigin(rc *fasthttp.RequestCtx) {
	rc.Response.Header.Set(fasthttp.HeaderAccessControlAllowOrigin, "*")
	rc.Response.Header.Add(fasthttp.HeaderVary, fasthttp.HeaderOrigin)
}

// Preflight answers the preflight request of a sandboxed page for an endpoint of the form lane.
// Other origins are refused and get no allowed methods.
func (s *Server) Preflight(e *Endpoint) fasthttp.RequestHandler {
	return func(rc *fasthttp.RequestCtx) {
		if string(rc.Request.Header.Peek(fasthttp.HeaderOrigin)) != sandboxedOrigin {
			rc.Response.Header.Set(fasthttp.HeaderAllow, e.Method)
			s.Refuse(rc, RequestID(rc), shop.ErrMethodNotAllowed)
			return
		}
		allowAnyOrigin(rc)
		h := &rc.Response.Header
		h.Set(fasthttp.HeaderAccessControlAllowMethods, e.Method)
		h.Set(fasthttp.HeaderAccessControlAllowHeaders, "Accept, Content-Type")
		h.Set(fasthttp.HeaderAccessControlMaxAge, "600")
		h.Set("X-Request-Id", RequestID(rc))
		rc.SetStatusCode(fasthttp.StatusNoContent)
	}
}
