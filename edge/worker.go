package edge

import (
	"github.com/valyala/fasthttp"
)

// A service worker is a script of a host that stays in the visitor's browser and answers
// the host's requests there, including those of the guarded zones. A shop's host therefore
// has none (CONTRACT, "Platform"): whatever serves an address, a browser that requests it
// as a worker gets our worker, which unregisters itself. So a browser with a worker loses
// it at its next update check.

const (
	workerHeader = "Service-Worker"
	clearPath    = "/_vitrine/clear"
)

// lastWorker reloads the pages that an earlier worker controlled. A page that has just
// registered a worker is not among them, so there is no endless reload.
const lastWorker = `self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil((async () => {
  await self.registration.unregister()
  for (const client of await self.clients.matchAll({ type: 'window' })) client.navigate(client.url)
})()))
`

// wantsWorker reports whether a browser requests the script of a service worker.
func wantsWorker(h *fasthttp.RequestHeader) bool { return len(h.Peek(workerHeader)) > 0 }

// endWorker answers with the worker that unregisters itself. The response has no validator:
// a browser must never be told that its current worker is up to date.
func (v *visit) endWorker() int {
	v.ctx.SetStatusCode(fasthttp.StatusOK)
	v.ctx.SetContentType("text/javascript; charset=utf-8")
	v.ctx.Response.Header.Set(fasthttp.HeaderCacheControl, "no-store")
	v.ctx.Response.Header.Set(fasthttp.HeaderXContentTypeOptions, "nosniff")
	v.ctx.SetBodyString(lastWorker)
	return fasthttp.StatusOK
}

// clear makes the browser delete what scripts stored on this host. The storefront's script
// requests it after it has found a worker; pages of other sites may not.
func (v *visit) clear() int {
	switch string(v.ctx.Request.Header.Peek("Sec-Fetch-Site")) {
	case "", "none", "same-origin":
	default:
		return plain(v.ctx, fasthttp.StatusForbidden)
	}
	if v.ctx.IsOptions() {
		return v.allow("GET, HEAD, POST, OPTIONS")
	}
	if !v.reads() && !v.ctx.IsPost() {
		return v.refuseMethod("GET, HEAD, POST, OPTIONS")
	}
	v.ctx.SetStatusCode(fasthttp.StatusNoContent)
	v.ctx.Response.Header.Set("Clear-Site-Data", `"storage"`)
	v.ctx.Response.Header.Set(fasthttp.HeaderCacheControl, "no-store")
	return fasthttp.StatusNoContent
}
