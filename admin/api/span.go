package api

import (
	"context"
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/internal/origin"
	"vitrine/internal/span"
)

// Operation returns method and path as one word, the id of the operation in OpenAPI and the name of
// its spans: get_storefrontRedirects_id. Only a slash becomes an underscore, so that
// /storefront/redirects has another id.
func (e *Endpoint) Operation() string {
	id := strings.ToLower(e.Method)
	for segment := range strings.SplitSeq(strings.Trim(e.Path, "/"), "/") {
		id += "_"
		for i, word := range strings.FieldsFunc(segment, notWord) {
			if i > 0 {
				word = strings.ToUpper(word[:1]) + word[1:]
			}
			id += word
		}
	}
	return strings.TrimSuffix(id, "_")
}

func notWord(r rune) bool {
	return r < '0' || '9' < r && r < 'A' || 'Z' < r && r < 'a' || 'z' < r
}

// trace begins the span of a call: a part of the visit that it belongs to, or a trace, which a
// trusted front may have begun.
func (s *Server) trace(ctx context.Context, c *Call, operation string) (context.Context, *span.Span) {
	var traced *span.Span
	if visit := origin.Of(c.http); visit.Shop != 0 {
		ctx, traced = span.Begin(visit.Span.In(ctx), operation)
	} else {
		ctx, traced = s.Tracer.Start(ctx, operation, span.From{Traceparent: s.Proxies.Traceparent(c.http)})
	}
	traced.Set("http.request.method", c.endpoint.Method)
	traced.Set("http.route", c.endpoint.Path)
	traced.Set("vitrine.request_id", c.RequestID)
	return ctx, traced
}

// endTrace ends the span of a call that was answered. A streamed body follows it.
func (c *Call) endTrace(traced *span.Span, rc *fasthttp.RequestCtx) {
	if traced == nil {
		return
	}
	traced.SetNumber("http.response.status_code", int64(rc.Response.StatusCode()))
	traced.SetNumber("vitrine.company", int64(max(c.Company, c.Storefront)))
	if rc.Response.StatusCode() >= fasthttp.StatusInternalServerError {
		traced.Fail("failed")
	}
	traced.End()
}
