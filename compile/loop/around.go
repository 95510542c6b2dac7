package loop

import "vitrine/compile/redirect"

// aroundPages looks for circles that run through live pages: a rule over a page
// leads to an address from which a broken chain, the journal or the fallback
// leads back to it. Every page that such a rule covers is walked, because its
// slug decides.
func (e *explorer) aroundPages() bool {
	e.pages = true
	defer func() { e.pages = false }()
	over, asks := false, false
	for rank := range int32(e.s.Set.Len()) {
		rule := e.s.Set.Rule(rank)
		if rule.OverrideLive && rule.Kind == redirect.Exact && e.around(start{path: e.s.Set.Source(rank), query: rule.QueryMatch}) {
			return true
		}
		over = over || rule.OverrideLive && rule.Kind != redirect.Exact && e.leadsOn(rank)
		asks = asks || rule.QueryMatch != ""
	}
	if !over {
		return false
	}
	var addr redirect.Address
	for url := range e.s.Pages(e.covers) {
		if !asks && e.ends(url) || addr.Parse(url) != nil {
			continue
		}
		if e.around(start{path: addr.Open()}) {
			return true
		}
	}
	return false
}

// leadsOn reports whether a rule leads to an address of the shop.
func (e *explorer) leadsOn(rank int32) bool {
	return len(e.s.Set.Leads(rank)) > 0 || e.s.Set.Rule(rank).External && len(e.g.leadsHome(rank)) > 0
}

// covers reports whether a mask or prefix may stand over something right below
// a path, given as a key.
func (e *explorer) covers(base string) (covered bool) {
	e.s.Set.Over(redirect.Below(base), func(rank int32) { covered = covered || e.leadsOn(rank) })
	return covered
}

// around walks from one address and, where rules on the way have conditions,
// from the same address with their pairs. It reports whether enough were found.
func (e *explorer) around(x start) bool {
	e.seen, e.queue = map[string]bool{}, nil
	e.push(x)
	a := &arena{}
	for len(e.queue) > 0 && len(e.seen) < 100 {
		x, e.queue = e.queue[0], e.queue[1:]
		if !e.walk(x, a) {
			continue
		}
		if c := e.circle(x.address()); c.Endless && e.keep(c) {
			return true
		}
	}
	return false
}

// aroundHops is by how much pages and other hosts lengthen a chain of rules
// where it is likely: a canonical hop at one end, the fallback at the other.
const aroundHops = 2

// tooLongIn looks for chains of too many redirects among the rules through
// which the graph has a way that long.
func (e *explorer) tooLongIn(k *knots) {
	g := e.g
	through := k.through(g.next, func(knot int) (weight int) {
		free := 0
		for _, rank := range k.members(knot) {
			switch {
			case int(rank) >= len(g.html):
			case g.leadsAnywhere[e.s.Set.Rule(rank).ID]:
				free = 1
			case g.html[rank]:
				weight += 2
			default:
				weight++
			}
		}
		return weight + free
	})
	var rules []int32
	for rank := range int32(len(g.html)) {
		if through[k.of[rank]] > MaxHops-aroundHops {
			rules = append(rules, rank)
		}
	}
	if len(rules) == 0 {
		return
	}
	a := newArena(g, rules)
	a.once, a.tails, a.html = true, true, false // anybody may put .html behind an address
	for _, there := range [...]bool{true, false} {
		e.pages = there
		if e.tooLong(a) {
			return
		}
	}
}
