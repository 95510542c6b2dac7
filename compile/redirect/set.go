package redirect

import (
	"cmp"
	"iter"
	"slices"

	"vitrine/internal/shop"
)

// Phase is a point at which rules may answer (document 3, 4.5).
type Phase uint8

// The phases, in the order in which an address passes them.
const (
	Override Phase = iota // rules with override_live, before the page is looked up
	HTML                  // rules without it whose source ends in .html, at the .html hop
	Plain                 // all rules without override_live, where no page exists
)

// Set holds the compiled enabled rules of a shop. It is immutable and safe for concurrent use.
type Set struct {
	rules  []*compiled // in rank order: by sort order, then by id
	exact  table
	phases [Plain + 1]phase
}

// compiled is a rule with its parsed source and target. It depends only on the rule, so versions
// of a Set share it.
type compiled struct {
	rule   Rule
	source source
	target target
	hash   uint64 // of the key of an exact rule
}

// phase is the index of the masks and prefixes that may answer in one phase.
type phase struct{ masks, prefixes *node }

// NewSet compiles rules as stored. Disabled rules and rules that do not parse
// are left out.
func NewSet(rules []Rule) *Set { return new(Set).With(rules) }

// With compiles another version of a set. Unchanged rules are not parsed again, so that one edit
// of 20,000 rules costs milliseconds.
func (s *Set) With(rules []Rule) *Set {
	order := make([]int32, len(rules))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int {
		x, y := &rules[i], &rules[j]
		return cmp.Or(cmp.Compare(x.SortOrder, y.SortOrder), cmp.Compare(x.ID, y.ID), cmp.Compare(i, j))
	})
	next := &Set{rules: make([]*compiled, 0, len(rules))}
	known := previous{set: s}
	var scratch Address
	for _, i := range order {
		if !rules[i].Enabled {
			continue
		}
		c := known.find(&rules[i])
		if c == nil {
			c = compileRule(&scratch, rules[i])
		}
		if c != nil {
			next.rules = append(next.rules, c)
		}
	}
	next.index()
	return next
}

// previous finds the unchanged rules of an earlier version. They mostly come in the same order.
type previous struct {
	set  *Set
	next int
	byID map[shop.RuleID]*compiled
}

func (f *previous) find(r *Rule) *compiled {
	for _, at := range [...]int{f.next, f.next + 1} {
		if at < len(f.set.rules) && f.set.rules[at].rule == *r {
			f.next = at + 1
			return f.set.rules[at]
		}
	}
	if f.byID == nil {
		f.byID = make(map[shop.RuleID]*compiled, len(f.set.rules))
		for _, c := range f.set.rules {
			f.byID[c.rule.ID] = c
		}
	}
	if c := f.byID[r.ID]; c != nil && c.rule == *r {
		return c
	}
	return nil
}

func compileRule(scratch *Address, r Rule) *compiled {
	src, err := parseSource(scratch, r.From)
	if err != nil || !r.Kind.fits(src) {
		return nil
	}
	t, err := parseTarget(scratch, r.To, r.External, r.Kind.references(src))
	if err != nil {
		return nil
	}
	return &compiled{rule: r, source: src, target: t, hash: hash([]byte(src.key))}
}

// index adds every rule to the indexes used by Match.
func (s *Set) index() {
	exact := 0
	for _, c := range s.rules {
		if c.rule.Kind == Exact {
			exact++
		}
	}
	s.exact = newTable(exact)
	for p := range s.phases {
		s.phases[p] = phase{newNode(), newNode()}
	}
	for i, c := range s.rules {
		rank := int32(i)
		switch {
		case c.rule.Kind == Exact:
			s.exact.add(c, rank)
		case c.rule.OverrideLive:
			s.phases[Override].add(c, rank)
		default:
			s.phases[Plain].add(c, rank)
			if c.source.html() {
				s.phases[HTML].add(c, rank)
			}
		}
	}
}

func (p *phase) add(c *compiled, rank int32) {
	if c.rule.Kind == Pattern {
		p.masks.add(c.source.segments, false, rank)
	} else {
		p.prefixes.add(c.source.segments, true, rank)
	}
}

// Match finds the rule that answers an address in a phase: exact with a condition, plain exact,
// masks, prefixes, and the lowest sort order within each class. It does not allocate.
func (s *Set) Match(p Phase, a *Address) (Match, bool) {
	if a.Dots || len(a.Key) == 0 {
		return Match{}, false
	}
	rank := s.find(p, a)
	if rank == none {
		return Match{}, false
	}
	c := s.rules[rank]
	m := Match{Rule: &c.rule, compiled: c}
	if c.rule.Kind != Exact {
		m.capture(a)
	}
	return m, true
}

func (s *Set) find(p Phase, a *Address) int32 {
	if h := s.holders(a); h != nil {
		if rank := h.answer(p, a.Query); rank != none {
			return rank
		}
	}
	return s.phases[p].find(a)
}

// find returns the rank of the mask, else of the prefix, that answers.
func (p *phase) find(a *Address) int32 {
	if rank := p.masks.find(a, 0, none); rank != none {
		return rank
	}
	return p.prefixes.find(a, 0, none)
}

// All yields the rules that take part in matching, by sort order. They are shared with the Set
// and must not be changed.
func (s *Set) All() iter.Seq[*Rule] {
	return func(yield func(*Rule) bool) {
		for i := range s.rules {
			if !yield(&s.rules[i].rule) {
				return
			}
		}
	}
}

// Len returns the number of rules that take part in matching; their ranks are 0 to Len-1.
func (s *Set) Len() int { return len(s.rules) }

// Rule returns the rule of a rank. It is shared: callers must not change it.
func (s *Set) Rule(rank int32) *Rule { return &s.rules[rank].rule }

// Key returns the comparison key of a rule's source, including stars.
func (s *Set) Key(rank int32) string { return s.rules[rank].source.key }

// Depth returns the number of segments of the longest source of a mask or prefix.
func (s *Set) Depth() (depth int) {
	for _, c := range s.rules {
		if c.rule.Kind != Exact {
			depth = max(depth, len(c.source.segments))
		}
	}
	return depth
}
