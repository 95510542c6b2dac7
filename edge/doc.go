// Package edge is the visitor side: it answers every request to the storefront
// host of a shop from memory, and asks the database only for what it has not
// seen or what has changed since.
//
// # How a request travels
//
//	server.go      fasthttp reads it, behind a gate (package gate)
//	hot.go         a target that was answered before: look up, write, done
//	visit.go       else: host, shop, and the address is decided
//	host.go        host -> shop
//	tenant.go      shop -> its compiled site; catchup.go takes every write up
//	service.go     the platform's own paths: /_html, /files, /w, /api, robots
//	page.go        a live page: from the cache, or drawn once for all who wait
//	redirect.go    a redirect
//	missing.go     a 404
//	answer.go      headers and body, prepared once for each encoding
//	counted.go     what of it is a page view, and of whom (counting.go)
//
// # Valid by version
//
// Nothing is ever deleted from the cache to make a write visible. A shop has a
// generation, which grows with each change that is taken up, and a ledger of
// the generation at which each key (a product, the categories, the design) last
// moved. An entry names its keys and the generation it was drawn at; it is valid
// while none of them has moved since. The check costs as much as there are keys
// and is made once per generation; a second visit compares one number. So an
// entry that was drawn from old rows while they changed can be stored and will
// never be served, and the cache behind may drop or delay what it likes.
//
// A write that the admin API has acknowledged is seen by the next request,
// because [Server.Changed] returns only when the new generation is in place. In
// another process [Server.Poll] brings it within a second.
//
// While the database is away the edge serves what it has: cached pages, even
// stale ones, and every redirect. The rest is 503.
//
// # What it does not do
//
// It decides nothing about addresses (package compile), draws nothing (package
// render), and writes nothing but counters. It has no TLS, HTTP/2 or access
// log: those belong to the server in front. No address is built from a Host
// header.
package edge
