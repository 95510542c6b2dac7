package ucp

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"vitrine/internal/budget"
	"vitrine/internal/flight"
	"vitrine/internal/lru"
	"vitrine/internal/outbound"
)

// Fetch sends a request to an address that a stranger named.
type Fetch func(ctx context.Context, r outbound.Request) (*outbound.Answer, error)

// Bounds of profiles.
const (
	maxProfile     = 256 << 10 // bytes
	maxProfiles    = 1000      // cached
	shortestAge    = time.Minute
	longestAge     = 24 * time.Hour
	failureAge     = time.Minute
	discoveries    = 60 // unknown profiles per minute
	maxProfileURL  = 2000
	profileTimeout = 5 * time.Second
)

// Profiles reads and caches the profiles of platforms, for all shops of this process. Callers may name
// any address, so how many unknown ones are fetched is limited, and a failure is remembered.
type Profiles struct {
	fetch   Fetch
	now     func() time.Time
	unknown *budget.Budgets[struct{}]
	flights flight.Group

	mu     sync.Mutex
	cached *lru.Weighted[string, cachedProfile]
}

type cachedProfile struct {
	platform *Platform
	err      error // of the last fetch
	read     time.Time
	until    time.Time
}

// NewProfiles returns an empty cache.
func NewProfiles(fetch Fetch, now func() time.Time) *Profiles {
	return &Profiles{
		fetch: fetch, now: now, unknown: budget.New[struct{}](discoveries, time.Minute, now),
		cached: lru.New[string, cachedProfile](maxProfiles),
	}
}

// Get returns the platform that publishes a profile. Its errors are faults.
func (p *Profiles) Get(ctx context.Context, address string) (*Platform, error) {
	c, fresh := p.known(address)
	if !fresh {
		v, err := p.flights.Do(ctx, address, func() (any, error) { return p.discover(ctx, address) })
		if err != nil {
			return nil, err
		}
		c = v.(cachedProfile)
	}
	return c.platform, c.err
}

// known returns what is cached of a profile, and whether it is used without reading it again.
func (p *Profiles) known(address string) (c cachedProfile, fresh bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, found := p.cached.Get(address)
	return c, found && p.now().Before(c.until)
}

// discover reads a profile for all who wait for it, who count once.
func (p *Profiles) discover(ctx context.Context, address string) (cachedProfile, error) {
	c, fresh := p.known(address)
	if fresh { // another flight has just read it
		return c, nil
	}
	if c.platform == nil {
		if _, wait := p.unknown.Take(struct{}{}); wait > 0 {
			return c, errUnavailable.after(budget.Seconds(wait), "too many unknown platforms call at once; try again later")
		}
	}
	return p.read(ctx, address), nil
}

// Again returns the platform of a profile that lacks a key. It is read again unless that was done
// in the last minute.
func (p *Profiles) Again(ctx context.Context, address string) (*Platform, error) {
	p.mu.Lock()
	if c, known := p.cached.Get(address); known && p.now().Sub(c.read) >= shortestAge {
		c.until = c.read
		p.cached.Put(address, c, 1)
	}
	p.mu.Unlock()
	return p.Get(ctx, address)
}

// read fetches a profile and caches it, or that it cannot be read.
func (p *Profiles) read(ctx context.Context, address string) (c cachedProfile) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), profileTimeout)
	defer cancel()
	age := failureAge
	if c.platform, age, c.err = p.request(ctx, address); c.err != nil {
		age = failureAge
	}
	c.read = p.now()
	c.until = c.read.Add(age)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cached.Put(address, c, 1)
	return c
}

func (p *Profiles) request(ctx context.Context, address string) (*Platform, time.Duration, error) {
	unreachable := func(why string) error {
		return errUnreachable.with("the profile " + address + " cannot be read: " + why)
	}
	answer, err := p.fetch(ctx, outbound.Request{URL: address, Header: map[string]string{"Accept": "application/json"}, MaxBody: maxProfile})
	switch {
	case errors.Is(err, outbound.ErrNotAllowed):
		return nil, 0, unreachable("the address is not allowed")
	case errors.Is(err, outbound.ErrTooLarge):
		return nil, 0, errMalformed.with("the profile " + address + " is larger than 256 KB")
	case err != nil:
		return nil, 0, unreachable("no answer")
	}
	text, err := io.ReadAll(answer.Body)
	if closeErr := answer.Body.Close(); err == nil {
		err = closeErr
	}
	switch {
	case answer.Status != 200:
		return nil, 0, unreachable("it answers " + strconv.Itoa(answer.Status))
	case errors.Is(err, outbound.ErrTooLarge):
		return nil, 0, errMalformed.with("the profile " + address + " is larger than 256 KB")
	case err != nil:
		return nil, 0, unreachable("the answer ended early")
	}
	platform, err := parseProfile(address, text)
	return platform, ageOf(answer.Header.Get("Cache-Control")), err
}

// ageOf returns how long a profile is used, by its Cache-Control.
func ageOf(cacheControl string) time.Duration {
	for directive := range strings.SplitSeq(cacheControl, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		seconds, err := strconv.Atoi(strings.Trim(value, `"`))
		switch {
		case strings.EqualFold(name, "no-store"), strings.EqualFold(name, "no-cache"):
			return shortestAge
		case strings.EqualFold(name, "max-age") && err == nil:
			seconds = min(max(seconds, 0), int(longestAge/time.Second))
			return max(time.Duration(seconds)*time.Second, shortestAge)
		}
	}
	return shortestAge
}
