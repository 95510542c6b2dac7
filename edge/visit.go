package edge

import (
	"context"
	"errors"
	"runtime/debug"
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/compile"
	"vitrine/internal/drain"
	"vitrine/internal/hostname"
	"vitrine/internal/shop"
	"vitrine/render"
)

// visit is one request that the hot path has not answered. Its strings are views of the
// request: clone what outlives it.
type visit struct {
	s   *Server
	ctx *fasthttp.RequestCtx

	t      *tenant
	st     *state
	host   []byte
	target string // path and query as sent
	path   string
	query  string

	walk compile.Walk
	name []byte // name of the entry; also a scratch buffer

	previewing bool // the visitor previews the draft
	admission
	route route

	workCtx context.Context // context of the database work of this visit; nil until it is needed
	cancel  context.CancelFunc
	traced  traced
}

// work returns the context that bounds the database work of the visit. Visits answered from
// memory never create it.
func (v *visit) work() context.Context {
	if v.workCtx == nil {
		v.workCtx, v.cancel = context.WithTimeout(v.span().In(v.s.ctx), visitTimeout)
	}
	return v.workCtx
}

// endWork ends the context of the work; later work gets the whole time again.
func (v *visit) endWork() {
	if v.cancel != nil {
		v.cancel()
	}
	v.workCtx, v.cancel = nil, nil
}

// Handle answers one request of a visitor. It is exported for tests and for callers with
// their own listener.
func (s *Server) Handle(ctx *fasthttp.RequestCtx) {
	if !s.hot(ctx) {
		s.visit(ctx)
	}
	if s.cfg.CacheTags {
		tagForCache(&ctx.Response.Header)
	}
	joinWrites(ctx)
}

// visit answers a request that the hot path cannot answer.
func (s *Server) visit(ctx *fasthttp.RequestCtx) {
	v := s.visits.Get().(*visit)
	v.ctx = ctx
	status, how := v.safely()
	s.finish(v, status, how)
}

// finish counts a visit that was answered, and frees it.
func (s *Server) finish(v *visit, status int, how outcome) {
	s.done(v.ctx, v.route, status, how)
	v.endSpan(status, how)
	v.drain()
	v.endWork()
	v.previewing, v.admission, v.route = false, admission{}, routeOther
	v.ctx, v.t, v.st, v.host, v.target, v.path, v.query = nil, nil, nil, nil, "", "", ""
	s.visits.Put(v)
}

// safely answers, and turns a panic into a 500, so that a request does not end the process.
func (v *visit) safely() (status int, how outcome) {
	defer func() {
		if p := recover(); p != nil {
			v.s.cfg.Log.Error("a visit panicked", "panic", p, "stack", string(debug.Stack()))
			v.ctx.Response.Reset()
			status, how = plain(v.ctx, fasthttp.StatusInternalServerError), cacheNone
		}
	}()
	return v.answer()
}

// answer writes the response and returns its status and the part of the cache.
func (v *visit) answer() (int, outcome) {
	if v.ctx.IsConnect() {
		return v.refuseMethod("GET, HEAD"), cacheNone
	}
	if status := v.readTarget(); status != 0 {
		return status, cacheNone
	}
	if status := v.enter(); status != 0 {
		return status, cacheNone
	}
	if wantsWorker(&v.ctx.Request.Header) {
		v.route = routeService
		return v.endWorker(), cacheNone
	}
	if status := v.enterDraft(); status != 0 {
		return status, cacheNone
	}
	if v.previewing {
		defer v.sealPreview()
	}
	if status, how := v.service(v.path); status != 0 {
		return status, how
	}
	if v.st.closed && !v.admitted() {
		if v.st.site.Resolve(&v.walk, view(v.host), v.target).Kind == compile.File {
			return v.plainNotFound("")
		}
		return v.showPIN(pinFirst, 0, v.target), cacheNone
	}
	return v.resolve()
}

// readTarget parses the request target and the Host field. If it returns a status other
// than 0, it has written the response.
func (v *visit) readTarget() int {
	h := &v.ctx.Request.Header
	target, host := h.RequestURI(), h.Host()
	if len(target) == 1 && target[0] == '*' {
		if !v.ctx.IsOptions() {
			return plain(v.ctx, fasthttp.StatusBadRequest)
		}
		return v.allow("GET, HEAD, OPTIONS")
	}
	if own, rest, ok := splitAbsolute(target); ok {
		host, target = own, rest
	}
	if target[0] != '/' {
		return plain(v.ctx, fasthttp.StatusBadRequest)
	}
	var err error
	if v.host, err = hostname.Parse(host); err != nil {
		return plain(v.ctx, fasthttp.StatusBadRequest)
	}
	v.target = view(target)
	v.path, v.query = splitQuery(v.target)
	return 0
}

// enter finds the shop and its state. If it returns a status other than 0, it has written
// the response.
func (v *visit) enter() int {
	t, st, err := v.tenant()
	switch {
	case err == nil && t == nil:
		return v.unowned()
	case errors.Is(err, shop.ErrNotFound):
		return v.unowned()
	case err != nil:
		return v.outage(err)
	}
	t.markUsed(v.s.turn.Load())
	v.t, v.st = t, st
	return 0
}

// tenant returns the shop that has the host, and its state; nil if none has.
func (v *visit) tenant() (t *tenant, st *state, err error) {
	for range 2 {
		if t = v.s.hosts.find(v.host); t == nil {
			if t, err = v.s.tenantOf(v.work(), v.host); err != nil || t == nil {
				return nil, nil, err
			}
		}
		if st = t.state.Load(); v.s.isCurrent(t, st) {
			return t, st, nil
		}
		if st, err = v.s.current(v.work(), t); v.s.hosts.find(v.host) == t {
			break
		} // else it turned out that the shop has the host no more
	}
	return t, st, err
}

// resolve carries out the decision about the address.
func (v *visit) resolve() (int, outcome) {
	d := v.decide()
	if status := v.mayEnterPage(d); status != 0 {
		v.route = routePage
		return status, cacheNone
	}
	if v.path == llmsPath && (d.Kind == compile.NotFound || d.By == compile.ByFallback) {
		if text := render.LLMsTxt(v.st.site.Shop()); text != nil {
			v.route = routeService
			return v.ownText(text), cacheNone
		}
	}
	switch d.Kind {
	case compile.BadAddress:
		return plain(v.ctx, fasthttp.StatusBadRequest), cacheNone
	case compile.TooLong:
		return plain(v.ctx, fasthttp.StatusRequestURITooLong), cacheNone
	case compile.Redirect:
		v.route = routeRedirect
		return v.redirect(d), cacheNone
	case compile.Page:
		v.route = routePage
		if at, ok := v.st.site.FolderAt(d.Page); ok {
			v.route = routeFolder
			return v.folder(at, d.Rest)
		}
		return v.page(d.Page)
	case compile.Feed:
		v.route = routePage
		return v.articleFeed(d.Page)
	case compile.File:
		v.route = routeSiteFile
		return v.siteFile(d.File)
	case compile.Search:
		v.route = routePage
		return v.searchPage()
	case compile.Service:
		return v.reserved()
	case compile.NotFound:
		v.route = routeMissing
		if d.Log && v.ctx.IsGet() && !v.st.closed && !v.t.draft {
			v.s.counters.Miss(v.t.company, v.path)
			v.countMissing()
		}
	}
	return v.missing()
}

// reserved answers one of the platform's own paths in another spelling than the canonical
// one: /CART/, /%63art, /%5Fhtml/….
func (v *visit) reserved() (int, outcome) {
	path, ok := decodePath(v.path)
	if !ok {
		return plain(v.ctx, fasthttp.StatusBadRequest), cacheNone
	}
	for strings.HasPrefix(path, "//") {
		path = path[1:]
	}
	if path != v.path && strings.Contains(v.path, "%") && !strings.Contains(path, "%") {
		if status, how := v.service(path); status != 0 {
			return status, how
		}
	}
	if zone, below, ok := shop.ZoneOf(path); ok {
		return v.guarded(zone, below)
	}
	return v.missing()
}

// reads reports whether the method only reads.
func (v *visit) reads() bool {
	return v.ctx.IsGet() || v.ctx.IsHead()
}

// readsOnly answers OPTIONS and refuses methods other than GET and HEAD. If it returns a
// status other than 0, it has written the response.
func (v *visit) readsOnly() int {
	switch {
	case v.reads():
		return 0
	case v.ctx.IsOptions():
		return v.allow("GET, HEAD, OPTIONS")
	}
	return v.refuseMethod("GET, HEAD, OPTIONS")
}

func (v *visit) allow(methods string) int {
	v.ctx.SetStatusCode(fasthttp.StatusNoContent)
	v.ctx.Response.Header.Set(fasthttp.HeaderAllow, methods)
	v.ctx.Response.Header.Set(fasthttp.HeaderCacheControl, "no-store")
	return fasthttp.StatusNoContent
}

func (v *visit) refuseMethod(methods string) int {
	v.ctx.Response.Header.Set(fasthttp.HeaderAllow, methods)
	return plain(v.ctx, fasthttp.StatusMethodNotAllowed)
}

// outage is the response while the Source is unavailable.
func (v *visit) outage(err error) int {
	if now := v.s.cfg.Now().Unix(); v.s.lastOutageLog.Swap(now) != now {
		// One log line per second is enough for an outage.
		v.s.cfg.Log.Warn("a visit failed", "host", string(v.host), "path", strings.Clone(v.path), "error", err)
	}
	v.ctx.Response.Header.Set(fasthttp.HeaderRetryAfter, "5")
	return plain(v.ctx, fasthttp.StatusServiceUnavailable)
}

// drain reads the rest of the request's body, or closes the connection.
func (v *visit) drain() {
	stream := v.ctx.RequestBodyStream()
	if stream == nil {
		return
	}
	if v.ctx.Request.Header.ContentLength() < 0 {
		// fasthttp's stream of a chunked body must not be read again after its end: it
		// would parse the next request as a chunk.
		v.ctx.SetConnectionClose()
		return
	}
	if !drain.Answered(stream, -1) {
		v.ctx.SetConnectionClose()
	}
}
