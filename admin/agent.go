package admin

import (
	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"

	"vitrine/admin/api"
	"vitrine/admin/docs"
	"vitrine/admin/mcp"
	"vitrine/admin/oauth"
	"vitrine/internal/origin"
)

// serveAgents adds the Model Context Protocol and OAuth to the router. The calls that it makes go through the
// same handler as those of the listener.
func (a *Admin) serveAgents(url string, guides *docs.Docs, grants *oauth.OAuth) {
	handler := a.Handler()
	server := mcp.New(mcp.Config{
		URL: url, Table: a.table, Find: a.finder(),
		Guides: func() (list []mcp.Guide) {
			for _, g := range guides.Guides() {
				list = append(list, mcp.Guide(g))
			}
			return list
		},
		Make: func(c *api.Call, in api.Inner, limit int) (api.InnerAnswer, error) { return c.Make(handler, in, limit) },
	})
	agents := a.server.Protocol(&mcp.Row, server.Answer)
	a.router.Handle(mcp.Row.Method, mcp.Row.Path, func(rc *fasthttp.RequestCtx) {
		agents(rc)
		if rc.Response.StatusCode() == fasthttp.StatusUnauthorized {
			rc.Response.Header.Set(fasthttp.HeaderWWWAuthenticate, grants.Challenge())
		}
	})
	type address struct{ method, path string }
	onShops := map[address]fasthttp.RequestHandler{}
	for _, route := range grants.Routes() {
		if route.Row.Storefront {
			onShops[address{route.Row.Method, route.Row.Path}] = a.server.Protocol(route.Row, route.Answer)
		}
	}
	for _, route := range grants.Routes() {
		if route.Row.Storefront {
			continue
		}
		here, there := a.server.Protocol(route.Row, route.Answer), onShops[address{route.Row.Method, route.Row.Path}]
		a.router.Handle(route.Row.Method, route.Row.Path, func(rc *fasthttp.RequestCtx) {
			if there != nil && origin.Of(rc).Shop != 0 {
				there(rc)
				return
			}
			here(rc)
		})
	}
}

// finder returns a function that finds the row that answers a call, by the rules of the router.
func (a *Admin) finder() func(method, path string) *api.Endpoint {
	type key struct{}
	rows := router.New()
	rows.RedirectTrailingSlash, rows.RedirectFixedPath, rows.HandleOPTIONS, rows.HandleMethodNotAllowed = false, false, false, false
	for i := range a.table {
		e := &a.table[i]
		rows.Handle(e.Method, e.Path, func(rc *fasthttp.RequestCtx) { rc.SetUserValue(key{}, e) })
	}
	return func(method, path string) *api.Endpoint {
		var rc fasthttp.RequestCtx
		rc.Request.Header.SetMethod(method)
		rc.Request.SetRequestURI(path)
		rows.Handler(&rc)
		e, _ := rc.UserValue(key{}).(*api.Endpoint)
		return e
	}
}
