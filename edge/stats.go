package edge

import "sync/atomic"

// outcome is how the cache took part in an answer.
type outcome uint8

const (
	cacheNone outcome = iota // it had no part
	cacheHot                 // found by the raw target
	cacheHit
	cacheMiss
	cacheStale // served though stale, because the database is away
	outcomes
)

// Stats is a snapshot of counters since the start.
type Stats struct {
	Statuses [6]uint64 // answers by the first digit of their status
	Hot      uint64    // answers found by their raw target
	Hits     uint64    // other answers from the cache
	Misses   uint64    // answers that were made
	Stale    uint64    // stale answers while the database was away
	Shops    int       // loaded shops
}

type stats struct {
	statuses [6]atomic.Uint64
	caching  [outcomes]atomic.Uint64
}

func (s *stats) count(status int, o outcome) {
	if class := status / 100; class > 0 && class < len(s.statuses) {
		s.statuses[class].Add(1)
	}
	if o != cacheNone {
		s.caching[o].Add(1)
	}
}

// Stats returns the counters. It may be called at any time.
func (s *Server) Stats() Stats {
	out := Stats{
		Hot: s.stats.caching[cacheHot].Load(), Hits: s.stats.caching[cacheHit].Load(),
		Misses: s.stats.caching[cacheMiss].Load(), Stale: s.stats.caching[cacheStale].Load(),
		Shops: len(s.tenants.held()),
	}
	for i := range s.stats.statuses {
		out.Statuses[i] = s.stats.statuses[i].Load()
	}
	return out
}
