package redirect

import (
	"bytes"
	"iter"
)

// Branch is a part of a set: all masks or prefixes whose sources share a beginning.
type Branch struct{ n *node }

// Rules yields the ranks of a branch.
func (b Branch) Rules() iter.Seq[int32] {
	return func(yield func(int32) bool) { b.n.all(yield) }
}

func (n *node) all(yield func(int32) bool) bool {
	if n == nil {
		return true
	}
	for _, rank := range [...]int32{n.rest, n.end} {
		if rank != none && !yield(rank) {
			return false
		}
	}
	for _, next := range n.literals {
		if !next.all(yield) {
			return false
		}
	}
	for i := range n.shapes {
		for _, next := range n.shapes[i].next {
			if !next.all(yield) {
				return false
			}
		}
	}
	return n.any.all(yield)
}

// Meets reports the masks and prefixes whose source may share an address with an open one, each
// by its rank or as part of a branch. It may report a few that do not.
func (s *Set) Meets(o Open, rule func(rank int32), branch func(Branch)) {
	m := meeting{rule, branch}
	segments := o.segments()
	for _, p := range [...]Phase{Override, Plain} {
		m.at(s.phases[p].masks, segments)
		m.at(s.phases[p].prefixes, segments)
	}
}

// Over is Meets for the rules with override_live only.
func (s *Set) Over(o Open, rule func(rank int32)) {
	m := meeting{rule, func(b Branch) { b.Rules()(func(rank int32) bool { rule(rank); return true }) }}
	m.at(s.phases[Override].masks, o.segments())
	m.at(s.phases[Override].prefixes, o.segments())
}

// Below returns an open address for everything one segment below a key.
func Below(key string) Open { return appendHole(append(Open(key), '/'), firstHole) }

type meeting struct {
	rule   func(int32)
	branch func(Branch)
}

func (m meeting) at(n *node, segments [][]byte) {
	if n == nil || n.first == none {
		return
	}
	if len(segments) > 0 && hasTail(segments[0]) {
		m.branch(Branch{n})
		return
	}
	if n.rest != none {
		m.rule(n.rest)
	}
	if len(segments) == 0 {
		if n.end != none {
			m.rule(n.end)
		}
		return
	}
	segment, below := segments[0], segments[1:]
	if Open(segment).Closed() {
		m.at(n.literals[string(segment)], below)
	} else {
		for text, next := range n.literals {
			if mayBe(segment, text, "", true) {
				m.at(next, below)
			}
		}
	}
	m.at(n.any, below)
	for i := range n.shapes {
		for key, next := range n.shapes[i].next {
			if mayBe(segment, key.before, key.after, false) {
				m.at(next, below)
			}
		}
	}
}

// mayBe compares the ends of an open segment with before*after, or with a literal given in
// before.
func mayBe(segment []byte, before, after string, literal bool) bool {
	head, foot := ends(segment)
	if literal {
		return len(before) > len(head)+len(foot) && before[:len(head)] == string(head) && before[len(before)-len(foot):] == string(foot)
	}
	if len(head) == len(segment) {
		return len(segment) > len(before)+len(after) && string(head[:len(before)]) == before && string(head[len(head)-len(after):]) == after
	}
	n, m := min(len(head), len(before)), min(len(foot), len(after))
	return string(head[:n]) == before[:n] && string(foot[len(foot)-m:]) == after[len(after)-m:]
}

// ends returns the literals before the first hole and after the last one.
func ends(segment []byte) (head, foot []byte) {
	first := bytes.IndexByte(segment, holeMark)
	if first < 0 {
		return segment, nil
	}
	return segment[:first], segment[min(bytes.LastIndexByte(segment, holeMark)+2, len(segment)):]
}
