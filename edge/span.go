package edge

import (
	"context"

	"github.com/valyala/fasthttp"

	"vitrine/internal/shop"
	"vitrine/internal/span"
)

// traced is the trace of a visit.
type traced struct {
	began bool
	span  *span.Span // nil: the visit is not traced
	zone  shop.Zone  // whose page is drawn; empty: none
}

// span returns the span of the visit, which begins with its first work.
func (v *visit) span() *span.Span {
	if v.s.cfg.Tracer == nil {
		return nil
	}
	if !v.traced.began {
		v.traced.began = true
		_, v.traced.span = v.s.cfg.Tracer.Start(context.Background(), "visit", span.From{Traceparent: v.s.cfg.Proxies.Traceparent(v.ctx), At: v.ctx.Time()})
	}
	return v.traced.span
}

var outcomeNames = [outcomes]string{"none", "hot", "hit", "miss", "stale"}

// endSpan ends the span of a visit that was answered. Paths are not in it: those of forms, orders and
// guarded zones are secrets.
func (v *visit) endSpan(status int, how outcome) {
	if s := v.traced.span; s != nil {
		name := routeNames[v.route]
		if v.traced.zone != "" {
			name = "zone " + string(v.traced.zone)
		}
		s.Rename(name)
		s.Set("http.request.method", knownMethod(v.ctx))
		s.SetNumber("http.response.status_code", int64(status))
		s.Set("vitrine.cache", outcomeNames[how])
		if v.t != nil {
			s.SetNumber("vitrine.company", int64(v.t.company))
		}
		if status >= fasthttp.StatusInternalServerError {
			s.Fail("failed")
		}
		s.End()
	}
	v.traced = traced{}
}

// knownMethod returns the method of a request, or _OTHER for those that the edge does not know.
func knownMethod(rc *fasthttp.RequestCtx) string {
	switch {
	case rc.IsGet():
		return fasthttp.MethodGet
	case rc.IsHead():
		return fasthttp.MethodHead
	case rc.IsPost():
		return fasthttp.MethodPost
	case rc.IsPut():
		return fasthttp.MethodPut
	case rc.IsPatch():
		return fasthttp.MethodPatch
	case rc.IsDelete():
		return fasthttp.MethodDelete
	case rc.IsOptions():
		return fasthttp.MethodOptions
	}
	return "_OTHER"
}
