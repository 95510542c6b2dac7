package compile

import (
	"strconv"
	"strings"

	"vitrine/internal/shop"
)

// Refusals of a rule set (document 3, sections 4.5 and 7). Their details name
// an address that shows the fault and the way from there.
var (
	ErrLoop         = shop.Refuse(shop.InvalidArgument, "REDIRECT_LOOP")
	ErrChainTooLong = shop.Refuse(shop.InvalidArgument, "REDIRECT_CHAIN_TOO_LONG")
)

// Circle is a fault of a rule set: a chain that never ends, or one of more
// than MaxHops redirects.
type Circle struct {
	Chain   []string      // addresses from the witness on; an endless chain ends where it repeats or has grown
	Rules   []shop.RuleID // rules that answer along the chain, each once
	Endless bool
	Grown   bool // endless, because its addresses grow until they are too long
}

// CheckLoops refuses a shop whose redirects run in a circle, grow without
// bound or form a chain of more than MaxHops (document 3, 4.5): ErrLoop or
// ErrChainTooLong. It walks with Resolve itself, so the .html hop, the journal
// and the fallback count like rules. before is the Site that the mutation
// starts from, or nil: what was broken there already is not held against the
// mutation.
func (s *Site) CheckLoops(before *Site) error {
	c, found := s.FindCircle(before)
	switch {
	case !found:
		return nil
	case c.Endless:
		return ErrLoop.With(c.String())
	}
	return ErrChainTooLong.With(c.String())
}

// FindCircle is CheckLoops for callers that need to know the rules at fault,
// as an import does to refuse a row and try the rest.
//
// Rules are looked at as if the shop had no pages: a rule without override_live
// is harmless while a live page stands before it, but nobody would check the
// set again when that page goes. What pages add to chains is looked at apart.
func (s *Site) FindCircle(before *Site) (Circle, bool) {
	g := newGraph(s)
	k := tie(g.next)
	e := newExplorer(s, before, g)
	var stale []int32
	for knot, cyclic := range k.cyclic {
		if !cyclic {
			continue
		}
		rules := g.rulesOf(k.members(knot))
		e.stale = false
		if c, found := e.endless(newArena(g, rules)); found {
			return c, true
		}
		if e.stale {
			stale = append(stale, k.members(knot)...)
		}
	}
	if rules := g.rulesBefore(stale); len(rules) > 0 {
		if c, found := e.endless(newArena(g, rules)); found {
			return c, true
		}
	}
	if c, found := e.aroundPages(); found {
		return c, true
	}
	return e.tooLongIn(k)
}

// ends reports whether the chain from an address is at most MaxHops long. A
// chain that returns to an address it has visited is longer than any limit, and
// so is one that grows until its address is too long.
func (s *Site) ends(w *Walk, start string) bool {
	host, at, here := s.host(), start, true
	for hop := range MaxHops + 1 {
		d := s.Resolve(w, host, at)
		if d.Kind != Redirect {
			return d.Kind != TooLong || hop == 0
		}
		if host, at, here = s.local(d.Location, host); !here {
			return true
		}
	}
	return false
}

// farthest is how far a chain is followed to tell an endless one from a long
// one.
const farthest = 1000

// circle describes the chain from an address that does not end in time.
func (s *Site) circle(w *Walk, start string) Circle {
	c := Circle{Chain: []string{start}}
	host, at, here := s.host(), start, true
	seen, rules := map[string]bool{}, map[shop.RuleID]bool{}
	for range farthest {
		d := s.Resolve(w, host, at)
		if d.Kind == TooLong {
			c.Endless, c.Grown = true, true // no chain of sane addresses grows that long
			return c
		}
		if d.Kind != Redirect {
			return c
		}
		state := host + view(w.addr.Key) + "?" + w.addr.Query
		if seen[state] {
			c.Endless = true
			return c
		}
		seen[state] = true
		if d.Rule != 0 && !rules[d.Rule] {
			rules[d.Rule] = true
			c.Rules = append(c.Rules, d.Rule)
		}
		location := strings.Clone(d.Location)
		if host, at, here = s.local(location, host); !here {
			return c
		}
		c.Chain = append(c.Chain, location)
	}
	c.Endless = len(at) > len(start)+farthest/4
	return c
}

// String is the chain for people; a long one is cut short.
func (c Circle) String() string {
	const shown = MaxHops + 2
	if len(c.Chain) <= shown {
		return strings.Join(c.Chain, " -> ")
	}
	return strings.Join(c.Chain[:shown], " -> ") + " and " + strconv.Itoa(len(c.Chain)-shown) + " more"
}
