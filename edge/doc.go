// Package edge is the visitor side: it answers every request to the storefront host of a
// shop from memory, and queries the database only for content that is not cached or has
// changed.
//
// # Path of a request
//
//	server.go      fasthttp reads it, behind a gate (package gate)
//	hot.go         the target was answered before: look up, write, done
//	visit.go       else: find host and shop, and resolve the address
//	host.go        host -> shop
//	tenant.go      shop -> its compiled site; catchup.go applies every write; pulse.go notices a database that answers nothing
//	service.go     the platform's own paths: /_html, /files, /w, /api, robots
//	page.go        a live page: from the cache, or drawn once for all who wait
//	redirect.go    a redirect
//	missing.go     a 404
//	answer.go      headers and body, prepared once for each encoding
//	counted.go     which responses are page views; package count counts them
//
// # Validity by version
//
// Entries are never deleted from the cache to make a write visible. A shop has a
// generation, which grows with each change that is applied, and a ledger of the generation
// at which each key (a product, the categories, the design) last changed. An entry holds
// its keys and the generation it was drawn at; it is valid while none of its keys has
// changed since. The check costs as much as there are keys and is made once per generation;
// further visits compare one number. So an entry that was drawn from old rows while they
// changed may be stored and will never be served, and the underlying cache may drop or
// delay entries freely.
//
// A write that the admin API has acknowledged is visible to the next request, because
// [Server.Changed] returns only when the new generation is in place. In another process
// [Server.Poll] applies it within a second. When the Source may have lost writes (a failover,
// a restore), each shop is compared with it on its next visit.
//
// While the database is unavailable the edge serves what it has: cached pages, even stale
// ones, and every redirect. Other requests get 503.
//
// # Out of scope
//
// It decides nothing about addresses (package compile), renders nothing (package render),
// and writes nothing but counters. It has no TLS, HTTP/2 or access log: those belong to the
// server in front. No address is built from a Host header.
package edge
