package edge

import (
	"github.com/valyala/fasthttp"

	"vitrine/edge/count"
	"vitrine/internal/cookie"
	"vitrine/internal/hostname"
)

// hot answers a GET or HEAD whose target led to a cached entry in the current generation of
// its shop: no address is resolved, only numbers are compared, and nothing is allocated. It
// returns false without writing anything if the request needs the full path.
func (s *Server) hot(ctx *fasthttp.RequestCtx) bool {
	h := &ctx.Request.Header
	target := h.RequestURI()
	if target[0] != '/' || !h.IsGet() && !h.IsHead() || ctx.Request.IsBodyStream() || wantsWorker(h) {
		return false
	}
	name, err := hostname.Parse(h.Host())
	if err != nil {
		return false
	}
	t := s.hosts.find(name)
	if t == nil {
		return false
	}
	st := t.state.Load()
	if !s.isCurrent(t, st) || st.closed || string(name) != st.host {
		return false
	}
	if previewCookie.Present(h) {
		return false
	}
	cut := t.targets.find(target)
	if cut == nil || cut.gen.Load() != st.gen {
		return false
	}
	e := s.cache.find(cut.hash, t, cut.name)
	if e == nil || e.validAt.Load() != st.gen || e.getOnly && !h.IsGet() {
		return false
	}
	var today *count.Day // set if it may be a page view
	if h.IsGet() && cut.path != "" {
		if today = s.counters.Today(ctx, &t.counted, &st.place); !today.Ready() {
			return false
		}
	}
	t.markUsed(s.turn.Load())
	if h.IsGet() {
		e.countRead()
	}
	status := e.answer.send(ctx, cookie.Session.Present(h))
	if today != nil && status != fasthttp.StatusPartialContent {
		today.View(ctx, &st.place, cut.path, "")
	}
	s.done(ctx, routeHot, status, cacheHot)
	return true
}
