package redirect

import (
	"iter"
	"strings"
)

// Lead is a place that a rule leads to, as a key: what a loop check needs of a target. A rule
// with a tail has one lead with the tail and one without.
type Lead struct {
	At   Open
	HTML bool // after the .html hop
	hash uint64
}

// Leads returns where a rule leads, before and after the .html hops, and nothing if that is
// another host. LeadsOf handles targets with a host.
func (s *Set) Leads(rank int32) []Lead { return s.rules[rank].leads }

// LeadsOf returns where a Location leads, given as a path.
func LeadsOf(a *Address, path string) []Lead { return appendLeads(nil, a, path, 0) }

// maxStrips is the number of .html suffixes that are stripped from an open address in succession.
const maxStrips = 2

func appendLeads(leads []Lead, a *Address, path string, strips int) []Lead {
	if a.Parse(path) != nil || a.Dots {
		return leads
	}
	at := a.OpenKey()
	leads = append(leads, Lead{at, strips > 0, hash(a.Key)})
	if at.Closed() {
		if path = Stripped(a.Path); path != "" {
			leads = appendLeads(leads, a, path, strips+1)
		}
		return leads
	}
	if strips < maxStrips {
		NarrowSuffix(".html", at, at, func(ended Open) {
			leads = appendLeads(leads, a, Stripped(ended.Address()), strips+1)
		})
	}
	return leads
}

// compileLeads computes the leads of a rule whose target is on the shop's own host.
func (c *compiled) compileLeads(scratch *Address) {
	if c.target.external {
		return
	}
	if c.rule.Kind == Exact {
		path, _, _ := strings.Cut(c.rule.To, "#")
		path, _, _ = strings.Cut(path, "?")
		c.leads = LeadsOf(scratch, path)
		return
	}
	for _, location := range c.locations() {
		path, _, _ := strings.Cut(location, "?")
		c.leads = append(c.leads, LeadsOf(scratch, path)...)
	}
}

// locations returns the Locations that a mask or prefix sends for its source with a tail and
// without.
func (c *compiled) locations() []string {
	from := c.open()
	list := []string{c.send(from)}
	if from.HasTail() {
		list = append(list, c.send(from.WithTail(0)))
	}
	return list
}

// Locations returns the Locations that a rule sends for the addresses of its source, with its
// stars as holes.
func (s *Set) Locations(rank int32) []string {
	c := s.rules[rank]
	if c.rule.Kind == Exact {
		return []string{c.rule.To}
	}
	return c.locations()
}

// Stripped returns the target of the .html hop, or "" for a path that does not end in .html.
// Repeated and trailing slashes are removed. Case and escaping of the suffix do not matter.
func Stripped(path string) string {
	const suffix = ".html"
	path, ok := trimSlashes(path), true
	for n := len(suffix) - 1; n >= 0 && ok; n-- {
		path, ok = cutByte(path, suffix[n])
	}
	switch path = trimSlashes(path); {
	case !ok:
		return ""
	case path == "":
		return "/"
	}
	return path
}

// cutByte removes one byte, possibly escaped, from the end of a path.
func cutByte(path string, want byte) (string, bool) {
	if n := len(path) - 3; n >= 0 && path[n] == '%' {
		c, ok := unescape(path[n:])
		return path[:n], ok && lower(c) == want
	}
	if path == "" {
		return "", false
	}
	last := len(path) - 1
	return path[:last], lower(path[last]) == want
}

func trimSlashes(path string) string {
	for {
		cut, ok := cutByte(path, '/')
		if !ok {
			return path
		}
		path = cut
	}
}

// Successors yields the ranks of the rules that may answer at a closed lead, in any phase and
// with any query.
func (s *Set) Successors(a *Address, l Lead, exact func(key string, ranks iter.Seq[int32]), rule func(rank int32)) {
	a.setKey(l.At)
	if h := s.exact.find(a.Key, l.hash); h != nil {
		exact(h.key, h.all)
	}
	for p := Override; p <= Plain; p++ {
		if rank := s.phases[p].find(a); rank != none {
			rule(rank)
		}
	}
}

// all yields the ranks of the rules of a key.
func (h *holders) all(yield func(int32) bool) {
	for _, rank := range [...]int32{h.override, h.plain} {
		if rank != none && !yield(rank) {
			return
		}
	}
	for _, rank := range h.conditions {
		if !yield(rank) {
			return
		}
	}
}

// Exact yields the ranks of the exact rules of an address, in any phase and with any condition.
func (s *Set) Exact(a *Address) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		if h := s.holders(a); h != nil {
			h.all(yield)
		}
	}
}

// setKey builds an address from a key, sufficient for looking up rules.
func (a *Address) setKey(key Open) {
	a.reset()
	if a.Key = append(a.Key, key...); len(key) == 0 {
		a.Key = append(a.Key, '/')
	}
	for i, c := range a.Key {
		if c == '/' {
			a.cuts = append(a.cuts, uint16(i))
		}
	}
	a.cut()
}
