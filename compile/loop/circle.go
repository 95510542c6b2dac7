package loop

import (
	"strconv"
	"strings"

	"vitrine/internal/shop"
)

// Refusals of a rule set (document 3, sections 4.5 and 7). Their details name
// an address that shows the fault and the way from there.
var (
	ErrLoop         = shop.Refuse(shop.InvalidArgument, "REDIRECT_LOOP").When("an address would lead back to itself")
	ErrChainTooLong = shop.Refuse(shop.InvalidArgument, "REDIRECT_CHAIN_TOO_LONG").When("an address would take too many hops")
)

// Circle is a fault of a rule set: a chain that never ends, or one of more
// than MaxHops redirects.
type Circle struct {
	Chain   []string      // addresses from the witness on; an endless chain ends where it repeats or has grown
	Rules   []shop.RuleID // rules that answer along the chain, each once; of one that is too long only up to the hop too many
	Endless bool
	Grown   bool // endless, because its addresses grow until they are too long
}

// Refusal is ErrLoop or ErrChainTooLong with the fault in words, and beside it
// the fields witness, the address that shows it, and chain, the way from there.
func (c Circle) Refusal() *shop.Refusal {
	refusal, what := ErrChainTooLong, " is redirected more than "+strconv.Itoa(MaxHops)+" times: "
	switch {
	case c.Grown:
		refusal, what = ErrLoop, " is redirected to longer and longer addresses: "
	case c.Endless:
		refusal, what = ErrLoop, " is redirected in a circle: "
	}
	chain := c.Chain[:min(len(c.Chain), MaxHops+2)]
	return refusal.With("a visitor of "+c.Chain[0]+what+c.String()).WithField("witness", c.Chain[0]).WithField("chain", chain)
}

// Find finds up to so many faults that share no rule, as an import needs
// them to refuse its rows and try the rest. Without a fault it finds none; when
// those it finds are mended there may be more.
//
// Rules are looked at as if the shop had no pages: a rule without override_live
// is harmless while a live page stands before it, but nobody would check the
// set again when that page goes. What pages add to chains is looked at apart.
func (s *Shop) Find(before *Shop, most int) []Circle {
	g := newGraph(s)
	k := tie(g.next)
	e := newExplorer(s, before, g, most)
	if !e.endlessIn(k) && !e.aroundPages() {
		e.tooLongIn(k)
	}
	return e.found
}

// endlessIn looks for endless chains among the rules that lead to each other,
// and among those that lead to where chains have no end already.
func (e *explorer) endlessIn(k *knots) bool {
	var stale []int32
	for knot, cyclic := range k.cyclic {
		if !cyclic {
			continue
		}
		e.stale = false
		if e.endless(newArena(e.g, e.g.rulesOf(k.members(knot)))) {
			return true
		}
		if e.stale {
			stale = append(stale, k.members(knot)...)
		}
	}
	rules := e.g.rulesBefore(stale)
	return len(rules) > 0 && e.endless(newArena(e.g, rules))
}

// ends reports whether the chain from an address is at most MaxHops long. A
// chain that returns to an address it has visited is longer than any limit, and
// so is one that grows until its address is too long.
func (s *Shop) ends(w Walk, start string, pages bool) bool {
	host, at, here := s.Host, start, true
	for hop := range MaxHops + 1 {
		d := w(host, at, pages)
		if d.Kind != Redirect {
			return d.Kind != TooLong || hop == 0
		}
		if host, at, here = s.Local(d.Location, host); !here {
			return true
		}
	}
	return false
}

// MaxHops is how many redirects in a row a rule set may send (document 3, 4.5).
const MaxHops = 10

// farthest is how far a chain is followed to tell an endless one from a long
// one.
const farthest = 1000

// Follow walks the chain from one address, with pages, and describes it when it
// does not end in time.
func (s *Shop) Follow(start string) (Circle, bool) {
	e := &explorer{s: s, w: s.Walk(), pages: true}
	if e.ends(start) {
		return Circle{}, false
	}
	return e.circle(start), true
}

// ends asks the shop as it would be.
func (e *explorer) ends(start string) bool { return e.s.ends(e.w, start, e.pages) }

// brokenBefore reports whether the chain from an address did not end before the
// mutation either.
func (e *explorer) brokenBefore(start string) bool {
	return e.before != nil && !e.before.ends(e.then, start, e.pages)
}

// circle describes the chain from an address that does not end in time.
func (e *explorer) circle(start string) Circle {
	c := Circle{Chain: []string{start}}
	inTime := e.follow(&c)
	if !c.Endless {
		c.Rules = c.Rules[:inTime]
	}
	return c
}

// follow walks a chain from its first address on and reports how many rules
// answer up to the hop that is one too many.
func (e *explorer) follow(c *Circle) (inTime int) {
	start := c.Chain[0]
	host, at, here := e.s.Host, start, true
	seen, rules := map[string]bool{}, map[shop.RuleID]bool{}
	for hop := range farthest {
		d := e.w(host, at, e.pages)
		if d.Kind == TooLong {
			c.Endless, c.Grown = true, true // no chain of sane addresses grows that long
			return inTime
		}
		if d.Kind != Redirect {
			return inTime
		}
		state := host + string(d.Address.Key) + "?" + d.Address.Query
		if seen[state] {
			c.Endless = true
			return inTime
		}
		seen[state] = true
		if d.Rule != 0 && !rules[d.Rule] {
			rules[d.Rule] = true
			c.Rules = append(c.Rules, d.Rule)
		}
		if hop <= MaxHops {
			inTime = len(c.Rules)
		}
		location := strings.Clone(d.Location)
		if host, at, here = e.s.Local(location, host); !here {
			return inTime
		}
		c.Chain = append(c.Chain, location)
	}
	// Few rules that have gone on that long and have made the address longer make
	// it grow for good, fast or slowly. (What masks compute cannot be foreseen;
	// a chain of a thousand redirects is refused with some right in any case.)
	c.Endless = len(at) > len(start)+farthest/4 || len(at) > len(start) && len(c.Rules) < farthest/4
	return inTime
}

// String is the chain for people; a long one is cut short.
func (c Circle) String() string {
	const shown = MaxHops + 2
	if len(c.Chain) <= shown {
		return strings.Join(c.Chain, " -> ")
	}
	return strings.Join(c.Chain[:shown], " -> ") + " and " + strconv.Itoa(len(c.Chain)-shown) + " more"
}
