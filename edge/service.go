package edge

import (
	"slices"
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/internal/origin"
	"vitrine/internal/shop"
	"vitrine/render"
)

// Prefixes of the platform's own paths (CONTRACT, "Storefront host").
const (
	apiPrefix   = "/api/"
	htmlPrefix  = "/_html/"
	widthPrefix = "/w/"
	assetPrefix = "/_vitrine/"
	filePrefix  = "/_file/"
	pinPath     = "/_vitrine/pin"
)

// announcements are the addresses at which programs look for what a shop offers them. The API
// answers there, on every host of the shop.
var announcements = []string{"/.well-known/ucp", "/.well-known/acp.json", "/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource"}

// service answers the platform's own paths. It returns 0 if the path is not one of them.
// The paths are case-sensitive.
func (v *visit) service(path string) (int, outcome) {
	switch {
	case strings.HasPrefix(path, apiPrefix) || path == "/api":
		v.route = routeAPI
		return v.api(path), cacheNone
	case slices.Contains(announcements, path):
		v.route = routeAPI
		return v.callAPI(path), cacheNone
	case strings.HasPrefix(path, shop.FormPrefix):
		v.route = routeService
		return v.leadForm(path)
	case strings.HasPrefix(path, shop.ReviewPrefix), strings.HasPrefix(path, shop.QuestionPrefix):
		v.route = routeService
		return v.remark(path)
	case strings.HasPrefix(path, shop.HelpfulPrefix):
		v.route = routeService
		return v.helpful(path)
	case strings.HasPrefix(path, shop.UnsubscribePrefix):
		v.route = routeService
		return v.unsubscribe(path)
	case path == render.SuggestPath:
		v.route = routeService
		return v.suggest()
	case path == render.VisitorStylePath:
		v.route = routeService
		return v.visitorStyle(), cacheNone
	case path == render.ManifestPath:
		v.route = routeService
		return v.manifest(), cacheNone
	case strings.HasPrefix(path, render.IconPrefix):
		v.route = routePicture
		return v.icon(render.IconSize(v.st.site.Shop().Face, path), immutableCaching)
	case path == "/favicon.ico":
		if render.HasIcons(v.st.site.Shop().Face) {
			return v.icon(faviconSize, "public, max-age=300")
		}
		return v.asset(assetPrefix + "favicon.svg"), cacheNone
	case path == "/robots.txt":
		return v.robots(), cacheNone
	}
	if strings.HasPrefix(path, assetPrefix) {
		v.route = routeService
		return v.asset(path), cacheNone
	}
	answer := v.contentHandler(path)
	if answer == nil {
		return 0, cacheNone
	}
	if v.route = routeFile; strings.HasPrefix(path, widthPrefix) {
		v.route = routePicture
	}
	if v.st.closed && !v.admitted() {
		return plain(v.ctx, fasthttp.StatusNotFound), cacheNone
	}
	if status := v.readsOnly(); status != 0 {
		return status, cacheNone
	}
	status, how := answer(path)
	if v.st.closed {
		v.keepPrivate()
	}
	return status, how
}

// contentHandler returns the handler of a service path with content of the shop, which a
// closed shop hides, nil for other paths.
func (v *visit) contentHandler(path string) func(string) (int, outcome) {
	switch {
	case strings.HasPrefix(path, htmlPrefix):
		return v.releaseFile
	case strings.HasPrefix(path, shop.FilesPrefix):
		return v.mediaFile
	case strings.HasPrefix(path, widthPrefix):
		return v.resized
	case path == "/sitemap.xml":
		return v.sitemap
	case strings.HasPrefix(path, filePrefix):
		return v.permanent
	}
	return nil
}

// plainNotFound answers a plain 404.
func (v *visit) plainNotFound(string) (int, outcome) {
	return plain(v.ctx, fasthttp.StatusNotFound), cacheNone
}

// api passes a call to the admin API with the permissions of visitors. Responses that the
// API streams are not bounded by the time of the visit.
func (v *visit) api(path string) int {
	rest := strings.TrimPrefix(path, "/api")
	if rest == "" {
		rest = "/"
	}
	return v.callAPI(rest)
}

// callAPI passes the visit to a path of the API.
func (v *visit) callAPI(rest string) int {
	if v.s.cfg.API == nil {
		unframed(&v.ctx.Response.Header)
		return plain(v.ctx, fasthttp.StatusNotFound)
	}
	if _, query, ok := strings.Cut(v.target, "?"); ok {
		rest += "?" + query
	}
	origin.Mark(v.ctx, v.storefront())
	v.ctx.Request.SetRequestURI(strings.Clone(rest))
	v.s.cfg.API(v.ctx)
	unframed(&v.ctx.Response.Header)
	return v.ctx.Response.StatusCode()
}

// storefront is what the API needs to know about the visit.
func (v *visit) storefront() origin.Storefront {
	return origin.Storefront{Span: v.span(), Shop: v.t.company, Version: v.st.version, Admitted: v.st.closed && v.admitted(), Opened: v.enteredPolicies(), Cookies: v.cookies()}
}

// fail answers a failure to read a file or picture.
func (v *visit) fail(err error) (int, outcome) {
	refusal, ok := shop.AsRefusal(err)
	if ok && refusal.Class == shop.NotFound {
		return plain(v.ctx, fasthttp.StatusNotFound), cacheNone
	}
	if ok && refusal.Class == shop.InvalidArgument {
		return plain(v.ctx, fasthttp.StatusNotFound), cacheNone
	}
	return v.outage(err), cacheNone
}
