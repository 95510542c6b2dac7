package edge

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"vitrine/internal/shop"
)

// count is a number of visitors and when the last one came.
type count struct {
	n    int64
	last time.Time
}

// Bounds of what is remembered between two flushes. A robot that asks for
// invented addresses fills its shop's share and no other's.
const (
	maxMissesPerShop = 500
	maxMisses        = 20_000
	maxHits          = 50_000
	maxMissPath      = 2048 // bytes of a path in the 404 log
)

// misses adds up the 404 log between flushes. A cache would give a full share to
// whatever came last, which under a flood is the flood.
type misses struct {
	mu    sync.Mutex
	shops map[shop.CompanyID]map[string]*count // by path
	paths int                                  // in all shops
}

// add counts a miss of a path as the visitor typed it.
//
// Where a shop's share is full, a new path takes the place of one that was
// asked for once. So under a flood of invented addresses one that is asked for
// again and again gets in sooner or later, and then keeps its place.
func (m *misses) add(company shop.CompanyID, path string, now time.Time) {
	path = readable(path)
	m.mu.Lock()
	defer m.mu.Unlock()
	paths := m.shops[company]
	c := paths[path]
	if c == nil {
		if len(paths) >= maxMissesPerShop && !m.forget(paths) || m.paths >= maxMisses {
			return
		}
		if paths == nil {
			if m.shops == nil {
				m.shops = map[shop.CompanyID]map[string]*count{}
			}
			paths = map[string]*count{}
			m.shops[company] = paths
		}
		c = &count{}
		paths[strings.Clone(path)] = c
		m.paths++
	}
	c.n, c.last = c.n+1, now
}

// forget drops a path that was asked for once, if there is one among a few that
// come first in the map's random order.
func (m *misses) forget(paths map[string]*count) bool {
	looks := 8
	for path, c := range paths {
		if c.n == 1 {
			delete(paths, path)
			m.paths--
			return true
		}
		if looks--; looks == 0 {
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

// readable is a path as the log shows it: at most maxMissPath bytes of valid
// UTF-8, where bytes that are none are percent-encoded.
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
	byRule map[hitKey]*count
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
		c = &count{}
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

// flush hands the counters to the Source. A batch that fails is lost, but for that of the
// statistics: these counters are approximate, and keeping them would grow without bound in
// an outage.
func (s *Server) flush(ctx context.Context) error {
	err := s.handOver(ctx)
	ctx, cancel := context.WithTimeout(ctx, visitTimeout)
	defer cancel()
	if batch := s.misses.take(); len(batch) > 0 {
		err = errors.Join(err, s.cfg.Source.Misses(ctx, batch))
	}
	if batch := s.hits.take(); len(batch) > 0 {
		err = errors.Join(err, s.cfg.Source.Hits(ctx, batch))
	}
	if batch := s.views.take(); len(batch) > 0 {
		err = errors.Join(err, s.cfg.Source.Views(ctx, batch))
	}
	return err
}
