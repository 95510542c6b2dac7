package edge

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"vitrine/internal/shop"
)

const (
	unknownTTL = 2 * time.Second
	maxUnknown = 10_000
	asking     = 16 // concurrent queries for hosts
)

// hosts maps hosts to shops. Hosts of loaded shops come from their compiled sites and
// change with them. Hosts of no shop are kept in a negative cache for two seconds, so that
// a flood of invented names costs little. It is emptied when it is full: an LRU would make
// each look-up allocate the name.
type hosts struct {
	now     func() time.Time
	mu      sync.RWMutex
	known   map[string]*tenant
	unknown map[string]unowned
	epoch   uint64              // grows with every change of ownership
	slots   *semaphore.Weighted // concurrent queries
}

// MovedError is returned for a host whose shop has moved to another installation.
type MovedError struct{ Origin string } // of the shop there

func (e *MovedError) Error() string { return "the shop is at " + e.Origin }

// unowned is what is known about a host of no shop.
type unowned struct {
	until time.Time
	moved string // the origin of the shop that had it
}

func (h *hosts) init(now func() time.Time) {
	h.now = now
	h.known = map[string]*tenant{}
	h.unknown = map[string]unowned{}
	h.slots = semaphore.NewWeighted(asking)
}

// find returns the shop of a host, or nil. It does not allocate.
func (h *hosts) find(name []byte) *tenant {
	h.mu.RLock()
	t := h.known[string(name)]
	h.mu.RUnlock()
	return t
}

func (h *hosts) isUnknown(name []byte) bool {
	h.mu.RLock()
	u, ok := h.unknown[string(name)]
	h.mu.RUnlock()
	return ok && h.now().Before(u.until)
}

// movedTo returns where the shop of a host has gone; empty if nothing is known.
func (h *hosts) movedTo(name []byte) string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.unknown[string(name)].moved
}

// currentEpoch is the epoch before a query of the Source. Its result is recorded only if
// the epoch is still the same.
func (h *hosts) currentEpoch() uint64 {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.epoch
}

// record stores the result of a query made at an epoch: the shop of a host, or that no shop
// has it and where the one that had it has gone.
func (h *hosts) record(name string, t *tenant, moved string, asked uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.epoch != asked:
	case t != nil:
		h.known[name] = t
		t.hosts = append(t.hosts, name)
	default:
		if len(h.unknown) >= maxUnknown {
			clear(h.unknown)
		}
		h.unknown[name] = unowned{h.now().Add(unknownTTL), moved}
	}
}

// forgetUnknown empties the negative cache: a shop may just have been given a host.
func (h *hosts) forgetUnknown() {
	h.mu.Lock()
	h.epoch++
	clear(h.unknown)
	h.mu.Unlock()
}

// replace sets the hosts of a shop and forgets those it no longer has.
func (h *hosts) replace(t *tenant, names []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.epoch++
	for _, old := range t.hosts {
		if h.known[old] == t {
			delete(h.known, old)
		}
	}
	t.hosts = t.hosts[:0]
	for _, name := range names {
		name = strings.ToLower(name)
		h.known[name] = t
		t.hosts = append(t.hosts, name)
		delete(h.unknown, name)
	}
}

// Knows reports whether a shop has a host, or had it before it moved away, from the same memory as
// visits.
func (s *Server) Knows(ctx context.Context, host string) (bool, error) {
	t, err := s.tenantOf(ctx, []byte(host))
	return t != nil || s.hosts.movedTo([]byte(host)) != "", err
}

// tenantOf finds the shop of a host, and queries the Source about hosts of shops that are
// not loaded. It returns nil without an error if no shop has the host.
func (s *Server) tenantOf(ctx context.Context, name []byte) (*tenant, error) {
	if t := s.hosts.find(name); t != nil {
		return t, nil
	}
	if s.hosts.isUnknown(name) {
		return nil, nil
	}
	host, asked := string(name), s.hosts.currentEpoch()
	found, err := s.flights.Do(ctx, "host "+strconv.FormatUint(asked, 10)+" "+host, func() (any, error) {
		if err := s.hosts.slots.Acquire(ctx, 1); err != nil {
			return nil, err
		}
		defer s.hosts.slots.Release(1)
		company, err := s.cfg.Source.Host(ctx, host)
		moved := &MovedError{}
		if err != nil && !errors.Is(err, shop.ErrNotFound) && !errors.As(err, &moved) {
			return nil, err
		}
		if err != nil || company == 0 {
			s.hosts.record(host, nil, moved.Origin, asked)
			return (*tenant)(nil), nil
		}
		t := s.tenants.get(company)
		s.hosts.record(host, t, "", asked)
		return t, nil
	})
	if err != nil {
		return nil, err
	}
	return found.(*tenant), nil
}
