// Package purge tells caches in front of the edges which of their responses have changed: Varnish,
// Fastly and Cloudflare (VITRINE_PURGE).
//
// The edge names in a response what it was built from (Surrogate-Key, and Cache-Tag for
// Cloudflare). Each write records the keys it changed, so that record is the queue: one worker for
// each target follows it, and stores the moment up to which the target was told. So a write
// neither waits for a purge nor writes a row for it, a target that is down is told later, and a
// purge may be repeated but is never lost. A purge waits until the edges have seen the change,
// because a cache would otherwise fetch the old page again.
package purge
