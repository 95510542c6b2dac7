package count

import (
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"vitrine/internal/shop"
)

// tally is a number of requests and the time of the last one.
type tally struct {
	n    int64
	last time.Time
}

// Bounds of the counters kept between two flushes. A robot that requests invented addresses
// uses up the share of its shop and of no other.
const (
	maxMissesPerShop = 500
	maxMisses        = 20_000
	maxHits          = 50_000
	maxMissPath      = 2048 // bytes of a path in the 404 log
)

// misses adds up the 404 log between flushes. A cache would favour the most recent paths,
// which during a flood are those of the flood.
type misses struct {
	mu    sync.Mutex
	shops map[shop.CompanyID]map[string]*tally // by path
	paths int                                  // in all shops
}

// Miss counts a 404 of a path, as it was sent.
func (c *Counters) Miss(company shop.CompanyID, path string) { c.misses.add(company, path, c.now()) }

// Hit counts a match of a redirect rule.
func (c *Counters) Hit(company shop.CompanyID, rule shop.RuleID) { c.hits.add(company, rule, c.now()) }

// add counts a miss.
//
// If the share of a shop is full, a new path replaces one that was requested once. So
// during a flood of invented addresses, a path that is requested repeatedly gets in sooner
// or later, and then keeps its place.
func (m *misses) add(company shop.CompanyID, path string, now time.Time) {
	path = readable(path)
	m.mu.Lock()
	defer m.mu.Unlock()
	paths := m.shops[company]
	c := paths[path]
	if c == nil {
		if len(paths) >= maxMissesPerShop && !m.evict(paths) || m.paths >= maxMisses {
			return
		}
		if paths == nil {
			if m.shops == nil {
				m.shops = map[shop.CompanyID]map[string]*tally{}
			}
			paths = map[string]*tally{}
			m.shops[company] = paths
		}
		c = &tally{}
		paths[strings.Clone(path)] = c
		m.paths++
	}
	c.n, c.last = c.n+1, now
}

// evict drops a path that was requested once, if there is one among the first few in the
// map's random order.
func (m *misses) evict(paths map[string]*tally) bool {
	left := 8
	for path, c := range paths {
		if c.n == 1 {
			delete(paths, path)
			m.paths--
			return true
		}
		if left--; left == 0 {
			break
		}
	}
	return false
}

func (m *misses) take() []Miss {
	m.mu.Lock()
	defer m.mu.Unlock()
	batch := make([]Miss, 0, m.paths)
	for company, paths := range m.shops {
		for path, c := range paths {
			batch = append(batch, Miss{Company: company, Path: path, Hits: c.n, Last: c.last})
		}
	}
	clear(m.shops)
	m.paths = 0
	return batch
}

// readable is a path in the form of the log: at most maxMissPath bytes of valid UTF-8, with
// invalid bytes percent-encoded.
func readable(path string) string {
	if !utf8.ValidString(path) {
		const hex = "0123456789ABCDEF"
		var b strings.Builder
		for i := 0; i < len(path); {
			r, size := utf8.DecodeRuneInString(path[i:])
			if r == utf8.RuneError && size == 1 {
				b.WriteByte('%')
				b.WriteByte(hex[path[i]>>4])
				b.WriteByte(hex[path[i]&15])
			} else {
				b.WriteString(path[i : i+size])
			}
			i += size
		}
		path = b.String()
	}
	if len(path) <= maxMissPath {
		return path
	}
	end := maxMissPath
	for !utf8.RuneStart(path[end]) {
		end--
	}
	return path[:end]
}

type hitKey struct {
	company shop.CompanyID
	rule    shop.RuleID
}

// hits adds up the counters of redirect rules between flushes.
type hits struct {
	mu     sync.Mutex
	byRule map[hitKey]*tally
}

func (h *hits) add(company shop.CompanyID, rule shop.RuleID, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	k := hitKey{company, rule}
	c := h.byRule[k]
	if c == nil {
		if len(h.byRule) >= maxHits {
			return
		}
		if h.byRule == nil {
			h.byRule = map[hitKey]*tally{}
		}
		c = &tally{}
		h.byRule[k] = c
	}
	c.n, c.last = c.n+1, now
}

func (h *hits) take() []Hit {
	h.mu.Lock()
	defer h.mu.Unlock()
	batch := make([]Hit, 0, len(h.byRule))
	for k, c := range h.byRule {
		batch = append(batch, Hit{Company: k.company, Rule: k.rule, Hits: c.n, Last: c.last})
	}
	clear(h.byRule)
	return batch
}
