package edge

import (
	"github.com/valyala/fasthttp"
)

// A service worker is a script of a host that stays in the visitor's browser and
// answers the host's requests there, those of the guarded zones included. A shop's
// host therefore has none (CONTRACT, "Platform"): whatever serves an address, a
// browser that asks for it as a worker gets a worker of ours, which ends itself. So
// a browser that has one loses it at its next check for an update.

const (
	workerHeader = "Service-Worker"
	clearPath    = "/_vitrine/clear"
)

// lastWorker reloads the pages that an earlier worker answered. A page that has just
// registered it is not among them, so it cannot reload without end.
const lastWorker = `self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil((async () => {
  await self.registration.unregister()
  for (const client of await self.clients.matchAll({ type: 'window' })) client.navigate(client.url)
})()))
`

// wantsWorker reports that a browser asks for the script of a service worker.
func wantsWorker(h *fasthttp.RequestHeader) bool { return len(h.Peek(workerHeader)) > 0 }

// endWorker answers with the worker that ends itself. It has no validator: a browser
// must never be told that the worker it has is still the right one.
func (v *visit) endWorker() int {
	v.ctx.SetStatusCode(fasthttp.StatusOK)
	v.ctx.SetContentType("text/javascript; charset=utf-8")
	v.ctx.Response.Header.Set(fasthttp.HeaderCacheControl, "no-store")
	v.ctx.Response.Header.Set(fasthttp.HeaderXContentTypeOptions, "nosniff")
	v.ctx.SetBodyString(lastWorker)
	return fasthttp.StatusOK
}

// clear makes the browser forget what scripts stored on this host. The storefront's
// script asks for it once it has found a worker; pages of other sites may not.
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
