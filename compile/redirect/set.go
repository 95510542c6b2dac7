package redirect

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// Phase is a moment at which rules may answer (document 3, 4.5).
type Phase uint8

// The phases, in the order in which an address meets them.
const (
	Override Phase = iota // rules with override_live, before the page is looked up
	HTML                  // rules without it whose source ends in .html, at the .html hop
	Plain                 // all rules without override_live, where no page exists
)

// Set is the enabled rules of a shop, compiled. It is immutable and safe for
// concurrent use.
type Set struct {
	rules  []compiled // in rank order: by sort order, then by id
	phases [Plain + 1]phase
}

// compiled is a rule with its source and target taken apart.
type compiled struct {
	rule   Rule
	source source
	target target
}

// phase is the index of the rules that may answer in one phase.
type phase struct {
	exact    map[string]exact
	longest  int // of the keys of exact: a longer address need not be hashed
	masks    *node
	prefixes *node
}

// exact is the rules of one key. Values are ranks.
type exact struct {
	plain      int32
	conditions map[string]int32 // by the pair that must stand in the query
}

// condition notes a rule with a condition; of equal ones the first answers.
func (e *exact) condition(pair string, rank int32) {
	if e.conditions == nil {
		e.conditions = map[string]int32{}
	}
	if _, known := e.conditions[pair]; !known {
		e.conditions[pair] = rank
	}
}

// holding is the lowest rank among the conditions that a query holds. It costs
// a look-up for each pair of the query, however many conditions there are.
func (e exact) holding(query string) int32 {
	best := int32(none)
	for query != "" && len(e.conditions) > 0 {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		if rank, ok := e.conditions[pair]; ok {
			best = min(best, rank)
		}
	}
	return best
}

// NewSet compiles rules as stored. Disabled rules and rules that do not parse
// are left out.
func NewSet(rules []Rule) *Set {
	order := make([]int, len(rules))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		x, y := &rules[i], &rules[j]
		return cmp.Or(cmp.Compare(x.SortOrder, y.SortOrder), cmp.Compare(x.ID, y.ID), cmp.Compare(i, j))
	})
	s := &Set{rules: make([]compiled, 0, len(rules))}
	var scratch Address
	for _, i := range order {
		if c, ok := compileRule(&scratch, rules[i]); ok {
			s.rules = append(s.rules, c)
		}
	}
	for i := range s.phases {
		s.phases[i] = phase{exact: map[string]exact{}, masks: newNode(), prefixes: newNode()}
	}
	for i := range s.rules {
		s.index(&s.rules[i], int32(i))
	}
	return s
}

func compileRule(scratch *Address, r Rule) (compiled, bool) {
	if !r.Enabled {
		return compiled{}, false
	}
	src, err := parseSource(scratch, r.From)
	if err != nil || !r.Kind.fits(src) {
		return compiled{}, false
	}
	t, err := parseTarget(scratch, r.To, r.External, r.Kind.references(src))
	return compiled{r, src, t}, err == nil
}

func (s *Set) index(c *compiled, rank int32) {
	if c.rule.OverrideLive {
		s.phases[Override].add(c, rank)
		return
	}
	s.phases[Plain].add(c, rank)
	if c.source.html() {
		s.phases[HTML].add(c, rank)
	}
}

func (p *phase) add(c *compiled, rank int32) {
	switch c.rule.Kind {
	case Pattern:
		p.masks.add(c.source.segments, false, rank)
	case Prefix:
		p.prefixes.add(c.source.segments, true, rank)
	default:
		e, known := p.exact[c.source.key]
		if !known {
			e.plain = none
		}
		if c.rule.QueryMatch != "" {
			e.condition(c.rule.QueryMatch, rank)
		} else {
			e.plain = min(e.plain, rank)
		}
		p.exact[c.source.key] = e
		p.longest = max(p.longest, len(c.source.key))
	}
}

// Match finds the rule that answers an address in a phase: exact with a
// condition, plain exact, masks, prefixes, and the lowest sort order among
// those of a kind. It does not allocate.
func (s *Set) Match(p Phase, a *Address) (Match, bool) {
	if a.Dots || len(a.Key) == 0 {
		return Match{}, false
	}
	rank := s.find(&s.phases[p], a)
	if rank == none {
		return Match{}, false
	}
	c := &s.rules[rank]
	m := Match{Rule: &c.rule, compiled: c}
	if c.rule.Kind != Exact {
		m.capture(a)
	}
	return m, true
}

func (s *Set) find(p *phase, a *Address) int32 {
	if len(a.Key) > p.longest {
		return p.findTree(a)
	}
	if e, ok := p.exact[string(a.Key)]; ok {
		if rank := e.holding(a.Query); rank != none {
			return rank
		}
		if e.plain != none {
			return e.plain
		}
	}
	return p.findTree(a)
}

// findTree is the rank of the mask, else of the prefix, that answers.
func (p *phase) findTree(a *Address) int32 {
	if rank := p.masks.find(a, 0, none); rank != none {
		return rank
	}
	return p.prefixes.find(a, 0, none)
}

// All is the rules that take part in matching, by sort order. They are shared
// with the Set and not to be changed.
func (s *Set) All() iter.Seq[*Rule] {
	return func(yield func(*Rule) bool) {
		for i := range s.rules {
			if !yield(&s.rules[i].rule) {
				return
			}
		}
	}
}

// Len is how many rules take part in matching.
func (s *Set) Len() int { return len(s.rules) }
