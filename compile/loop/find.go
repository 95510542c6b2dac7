package loop

import (
	"iter"
	"slices"
	"strings"

	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// Find returns up to most faults that share no rule, so that an import can refuse the
// rows at fault and try the rest. Repairing them may reveal more. Faults that the shop
// had before are left out.
//
// Rules are walked as if the shop had no pages: a rule without override_live is
// harmless while a live page stands before it, but nothing checks the set again when
// that page is deleted. Circles through pages are searched for separately.
func (s *Shop) Find(before *Shop, most int) []Circle {
	f := &finder{
		s: s, before: before, most: most, ended: map[string]int{},
		anywhere: map[shop.RuleID]bool{}, guilty: map[shop.RuleID]bool{}, tooLong: map[shop.RuleID]bool{},
	}
	f.measure()
	if f.search(f.fromRules(), false, true) || f.search(f.fromPages(), true) {
		return f.found
	}
	for _, c := range f.long {
		if f.keep(c) {
			break
		}
	}
	return f.found
}

// finder is one search for faults.
type finder struct {
	s, before       *Shop
	most            int                  // how many faults to find
	length          []int                // by rank of an exact rule: redirects of its chain
	asks            []bool               // by rank of an exact rule: its chain reaches a condition that it does not meet
	stars           []int32              // ranks of masks and prefixes
	exact           []int32              // ranks of exact rules with long chains
	anywhere        map[shop.RuleID]bool // rules whose target begins with a star
	pages           bool                 // whether to walk with the pages of the shop
	queue           []probe
	queued          map[string]bool      // addresses that are or were in the queue
	steps, compared int                  // redirects followed from the queue; rules compared with addresses
	used            []shop.RuleID        // rules of the chain that is being walked
	once            bool                 // whether it has used each of them once, and at most one whose target begins with a star
	ended           map[string]int       // states of chains that end
	found, long     []Circle             // endless chains, and those that end after too many redirects
	guilty, tooLong map[shop.RuleID]bool // rules of found and of long
}

// measure walks from the targets of exact rules and collects the rules that words are
// fitted to.
func (f *finder) measure() {
	set := f.s.Set
	f.length, f.asks = make([]int, set.Len()), make([]bool, set.Len())
	for rank := range int32(set.Len()) {
		rule := set.Rule(rank)
		if rule.Kind != redirect.Exact {
			f.stars = append(f.stars, rank)
			f.anywhere[rule.ID] = set.LeadsAnywhere(rank)
			continue
		}
		start := rule.To
		if rule.QueryMatch != "" {
			start = string(redirect.AppendQuery(nil, rule.To, rule.QueryMatch, rule.DropQuery))
		}
		for n, hop := range f.s.Chain(start, false) {
			if f.length[rank] = 1 + n; n == MaxHops {
				break
			}
			for other := range set.Conditions(hop.Address) {
				if f.asks[rank] = f.asks[rank] || !f.meets(hop.Address.Query, other); f.asks[rank] {
					break
				}
			}
		}
		if f.length[rank] > MaxHops/2 {
			f.exact = append(f.exact, rank)
		}
	}
}

// worth reports whether a chain that reaches a rule after some hops may become too
// long.
func (f *finder) worth(rank int32, hops int) bool {
	return f.s.Set.Rule(rank).Kind != redirect.Exact || f.asks[rank] || hops+f.length[rank] > MaxHops-aroundHops
}

// search walks from probes, without pages and with them as asked, and then from the
// queue. It reports whether enough faults were found.
func (f *finder) search(probes iter.Seq[probe], pages ...bool) bool {
	f.queue, f.queued, f.compared = nil, map[string]bool{}, 0
	for x := range probes {
		if f.try(x, pages) {
			return true
		}
	}
	for f.steps = 0; len(f.queue) > 0 && f.steps < maxSteps; f.queue = f.queue[1:] {
		if f.try(f.queue[0], pages) {
			return true
		}
	}
	return false
}

// try walks from a probe and keeps the fault that its chain has. It reports whether
// enough faults were found.
func (f *finder) try(x probe, pages []bool) bool {
	for _, f.pages = range pages {
		switch hops := f.hops(x); {
		case hops <= MaxHops-aroundHops:
			return false
		case hops <= MaxHops || shares(f.used, f.guilty) || f.brokenBefore(x.address):
			continue
		}
		// Rules that lead back to themselves, like /a/** to /$1, make chains of any length
		// from addresses that no visitor asks for, /a/a/a/a/...; so a chain that ends counts
		// as too long only from the source of a rule, or if it uses every rule once and at
		// most one that leads anywhere.
		counts := len(pages) > 1 && len(f.long) < f.most && (x.depth == 0 || f.once && !x.html) && !shares(f.used, f.tooLong)
		c, repeats := f.follow(x.address, counts)
		f.steps += len(c.Chain)
		switch {
		case c.Endless:
			return f.keep(f.shortest(c, repeats))
		case counts:
			f.long = append(f.long, f.shortest(c, 0))
			add(f.tooLong, c.Rules)
			return false
		}
	}
	return false
}

// shortest returns a chain without the beginning that does not repeat, and with
// readable words, as far as such a chain is as long and new as well.
func (f *finder) shortest(c Circle, repeats int) Circle {
	for _, start := range []string{redirect.Readable(c.Chain[repeats]), c.Chain[repeats], redirect.Readable(c.Chain[0])} {
		if strings.HasPrefix(start, "/") && start != c.Chain[0] && !f.brokenBefore(start) {
			if other, _ := f.follow(start, true); other.Endless == c.Endless && (c.Endless || len(other.Chain) == len(c.Chain)) {
				return other
			}
		}
	}
	return c
}

// brokenBefore reports whether the chain from an address already had too many
// redirects before the mutation.
func (f *finder) brokenBefore(start string) bool {
	return f.before != nil && !f.before.endsInTime(start, f.pages)
}

// keep adds a fault, unless it shares a rule with an earlier one. It reports whether
// enough faults were found.
func (f *finder) keep(c Circle) bool {
	if shares(c.Rules, f.guilty) {
		return false
	}
	add(f.guilty, c.Rules)
	f.found = append(f.found, c)
	return len(f.found) == f.most
}

func add(set map[shop.RuleID]bool, rules []shop.RuleID) {
	for _, id := range rules {
		set[id] = true
	}
}

func shares(rules []shop.RuleID, set map[shop.RuleID]bool) bool {
	return slices.ContainsFunc(rules, func(id shop.RuleID) bool { return set[id] })
}
