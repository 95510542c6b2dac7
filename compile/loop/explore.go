package loop

import (
	"slices"
	"strings"

	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// explorer walks the addresses that the graph leaves in doubt: open ones, from
// the sources of rules, through the shop's own steps. Where a hole decides whether
// another rule answers, the walk goes on from narrower starts as well. What
// holds of a hole that no rule mentions holds of whatever may stand there, as
// long as no rule asks for it; so the walks cover every address there is, up to
// a depth that no circle of the grammar needs and a budget that no shop needs.
//
// Masks that take from one end of a segment and put at the other are able to
// compute (they are tag systems), so what their chains do in the long run
// cannot be decided; there, and where a ** lands in the middle of a target,
// the walk sees circles of short texts only. It errs by accepting, never by
// refusing: a fault is one that those steps have walked.
type explorer struct {
	s, before *Shop
	g         *graph
	then, w   Walk
	pages     bool              // the shop has its pages
	addr      *redirect.Address // where the chain is
	seen      map[string]bool
	queue     []start
	steps     int
	used      []shop.RuleID // by the chain that is walked
	once      bool          // it has used every rule once, and at most one free rule
	stale     bool          // an endless chain was found, new or not
	found     []Circle
	guilty    map[shop.RuleID]bool // rules of found
	most      int                  // how many to find
}

// start is where a chain begins: an open path and the pairs that the visitor
// has.
type start struct {
	path  redirect.Open
	query string
	depth int // how often it has been narrowed
}

func (x start) address() string {
	if x.query == "" {
		return x.path.Address()
	}
	return x.path.Address() + "?" + x.query
}

const (
	maxSteps    = 15_000 // redirects that a search follows from narrowed starts
	maxNarrow   = 12     // how often a start is narrowed
	grownNarrow = 4      // the same where its chain soon becomes too long an address: each narrowing may buy one more doubling
	maxPairs    = 6      // of a start's query
	maxStart    = 1000   // bytes of a narrowed start
	maxGrown    = 200    // bytes by which an address is longer than its start, and still narrowed
)

// arena is the rules among which a walk looks for ways on.
type arena struct {
	rules  []int32
	within []bool // by rank; nil for all rules
	html   bool   // a target may end in .html
	tails  bool   // a tail may land where it has to be known
	once   bool   // look for chains that use every rule once
}

func newArena(g *graph, rules []int32) *arena {
	a := &arena{rules: rules, within: make([]bool, len(g.html))}
	for _, rank := range rules {
		a.within[rank] = true
		ends, stacks := tailOf(g.s, rank)
		a.html = a.html || g.html[rank] && !(ends && stacks)
		a.tails = a.tails || !stacks
	}
	return a
}

// tailOf reports whether the tail of a rule's source, if it has one, ends its
// target, and whether it stands nowhere else there. Such rules work on the
// beginning of an address as on a stack: in an endless chain there is a moment
// after which nobody looks at the tail, so it need not be known, and nobody
// writes .html behind it.
func tailOf(s *Shop, rank int32) (ends, stacks bool) {
	source := s.Set.Source(rank)
	if !source.HasTail() {
		return false, true
	}
	location, _, _ := strings.Cut(s.Set.Locations(rank)[0], "?")
	tail := redirect.Open(source[len(source)-2:]).Address()
	ends = strings.HasSuffix(location, "/"+tail)
	return ends, !strings.Contains(location, tail) || ends && strings.Count(location, tail) == 1
}

func newExplorer(s, before *Shop, g *graph, most int) *explorer {
	e := &explorer{s: s, before: before, g: g, w: s.Walk(), guilty: map[shop.RuleID]bool{}, most: most}
	if before != nil {
		e.then = before.Walk()
	}
	return e
}

// endless looks for chains without an end that begin in an arena. It reports
// whether enough were found.
func (e *explorer) endless(a *arena) bool {
	return e.search(a, func(x start) bool {
		c := e.circle(x.address())
		if !c.Endless || c.Grown && x.depth > grownNarrow {
			return false
		}
		e.stale = true
		return e.keep(c)
	})
}

// tooLong looks for finite chains that are too long. Rules that lead back to
// themselves, as /a/** to /$1 does, make chains of any length from addresses
// that nobody has, /a/a/a/a/…; so beyond the sources of rules themselves only
// those chains count in which every rule answers once, and one of them at most
// leads to any address whatever.
func (e *explorer) tooLong(a *arena) bool {
	return e.search(a, func(x start) bool {
		return (x.depth == 0 || e.once) && !e.known(e.used) && e.keep(e.circle(x.address()))
	})
}

// keep notes a fault that is new and shares no rule with those before it. It
// reports whether enough were found.
func (e *explorer) keep(c Circle) bool {
	if e.known(c.Rules) || e.brokenBefore(c.Chain[0]) {
		return false
	}
	c = e.named(c)
	for _, id := range c.Rules {
		e.guilty[id] = true
	}
	e.found = append(e.found, c)
	return len(e.found) == e.most
}

// named is the same fault with words for the holes of its first address, if
// they do as well.
func (e *explorer) named(c Circle) Circle {
	address := redirect.Named(c.Chain[0])
	if address == c.Chain[0] || e.ends(address) || e.brokenBefore(address) {
		return c
	}
	if named := e.circle(address); named.Endless == c.Endless && slices.Equal(named.Rules, c.Rules) {
		return named
	}
	return c
}

// known reports whether a fault with any of some rules has been found.
func (e *explorer) known(rules []shop.RuleID) bool {
	return slices.ContainsFunc(rules, func(id shop.RuleID) bool { return e.guilty[id] })
}

// search walks from the sources of an arena, and from narrower starts, until
// enough chains were longer than they may be.
func (e *explorer) search(a *arena, enough func(start) bool) bool {
	e.seen, e.queue = map[string]bool{}, nil
	for _, rank := range a.rules {
		e.own(rank, a)
	}
	for limit := e.steps + maxSteps; len(e.queue) > 0; {
		x := e.queue[0]
		e.queue = e.queue[1:]
		if x.depth > 0 && e.steps > limit {
			return false
		}
		if e.walk(x, a) && enough(x) {
			return true
		}
	}
	return false
}

// own starts from the source of a rule.
func (e *explorer) own(rank int32, a *arena) {
	rule, source := e.s.Set.Rule(rank), e.s.Set.Source(rank)
	query := ""
	if rule.Kind == redirect.Exact {
		query = rule.QueryMatch
	}
	e.push(start{path: source, query: query})
	if source.HasTail() {
		lengths := []int{0, 2, e.s.Set.Depth() + 1}
		if a.tails {
			lengths = []int{0, 1, 2, 3, e.s.Set.Depth() + 1}
		}
		for _, n := range lengths {
			e.push(start{path: source.WithTail(n)})
		}
	}
}

func (e *explorer) push(x start) {
	address := x.address()
	if !e.seen[address] && (x.depth == 0 || len(address) < maxStart) {
		e.seen[address] = true
		e.queue = append(e.queue, x)
	}
}

// walk follows the chain from a start and notes what narrower starts there
// are. It reports whether the chain is longer than it may be.
func (e *explorer) walk(x start, a *arena) (long bool) {
	host, at, here := e.s.Host, x.address(), true
	e.used, e.once = e.used[:0], true
	free := 0
	for range MaxHops + 1 {
		e.steps += 1 + len(at)/100
		d := e.w(host, at, e.pages)
		e.addr = d.Address
		if d.Kind == TooLong {
			return x.depth <= grownNarrow
		}
		if len(e.addr.Key) == 0 {
			return false
		}
		if x.depth < maxNarrow && (e.once || !a.once) {
			e.narrow(x, a)
		}
		if d.Kind != Redirect {
			return false
		}
		if d.Rule != 0 {
			if e.g.leadsAnywhere[d.Rule] {
				free++
			}
			e.once = e.once && free <= 1 && !slices.Contains(e.used, d.Rule)
			e.used = append(e.used, d.Rule)
		}
		if host, at, here = e.s.Local(d.Location, host); !here {
			return false
		}
	}
	return true
}

// narrow adds the starts that bring a chain from where it is now to a rule
// that does not answer the chain as it is.
func (e *explorer) narrow(x start, a *arena) {
	at, query := e.addr.OpenKey(), e.addr.Query
	switch {
	case at.Closed():
		e.ask(x, a, query)
		return
	case len(at) > len(x.path)+maxGrown:
		return
	}
	push := func(path redirect.Open) {
		if a.tails || path.HasTail() == x.path.HasTail() && strings.Count(string(path), "/") == strings.Count(string(x.path), "/") {
			e.push(start{path, x.query, x.depth + 1})
		}
	}
	for _, rank := range a.rules {
		e.s.Set.Narrow(rank, x.path, at, push)
	}
	if a.html {
		redirect.NarrowSuffix(".html", x.path, at, push)
	}
}

// ask adds the pairs that exact rules want to see in the query here.
func (e *explorer) ask(x start, a *arena, query string) {
	for rank := range e.s.Set.Exact(e.addr) {
		pair := e.s.Set.Rule(rank).QueryMatch
		if pair == "" || a.within != nil && !a.within[rank] || hasPair(query, pair) {
			continue
		}
		for _, own := range strings.Split(query, "&") {
			if hole, text, ok := redirect.MatchPair(own, pair); ok {
				e.push(start{x.path.Fill(hole, text), x.query, x.depth + 1})
			}
		}
		if !hasPair(x.query, pair) && strings.Count(x.query, "&") < maxPairs {
			next := x
			next.query, next.depth = withPair(x.query, pair), x.depth+1
			e.push(next)
		}
	}
}

func hasPair(query, pair string) bool {
	for part := range strings.SplitSeq(query, "&") {
		if part == pair {
			return true
		}
	}
	return false
}

func withPair(query, pair string) string {
	if query == "" {
		return pair
	}
	return query + "&" + pair
}
