package api

import (
	"bytes"
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/internal/shop"
)

// The form lane (document 3, 4.2): pages of site folders run in a sandbox whose
// origin is "null", and may call two endpoints of the shop, as nobody. What comes
// from that origin and says who it is, even with an empty header, is refused: a
// page that tries would only ever work by mistake.

// ErrSandboxHeader refuses such a call.
var ErrSandboxHeader = shop.Refuse(shop.PermissionDenied, "FORM_LANE_HEADER_FORBIDDEN").
	When("a sandboxed page sent Authorization, Cookie, X-Service-Contour or X-Service-Draft, even empty")

// ErrSandboxType refuses a body of the lane that is not declared as JSON: browsers
// send other types without asking first.
var ErrSandboxType = shop.ErrInvalidRequest.With("a sandboxed page sends Content-Type: application/json")

const sandboxedOrigin = "null"

// identifying are the headers that say who calls.
var identifying = [...]string{"authorization", "cookie", "x-service-contour", "x-service-draft"}

// sandboxed reports whether a sandboxed page calls an endpoint of the lane.
func (c *Call) sandboxed() bool {
	return c.http != nil && c.endpoint.Sandbox && string(c.http.Request.Header.Peek(fasthttp.HeaderOrigin)) == sandboxedOrigin
}

// enterSandboxed holds a call of a sandboxed page to the rules of the lane, and lets
// the page read the answer, a refusal too.
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

// Preflight answers a browser that asks for a sandboxed page whether it may
// call an endpoint of the lane. Other origins may not, and are told of no method.
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
