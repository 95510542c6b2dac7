package redirect

import "math"

// none is a rank greater than that of any rule.
const none = math.MaxInt32

// node is a node of an index of masks or of prefixes, keyed by segments. A segment of an address
// is looked up only among the children of its node, and every node is visited at most once per
// address: there is no backtracking, because a star stays within its segment.
type node struct {
	first    int32 // lowest rank in this subtree, to prune the search
	end      int32 // rank of the mask that ends here
	rest     int32 // rank of the prefix or ** that matches any remainder
	literals map[string]*node
	any      *node // after a segment that is just a star
	shapes   []shape
}

// shape groups the segments before*after whose literals have the same lengths, so that one lookup
// decides among all of them.
type shape struct {
	before, after int
	next          map[affixes]*node
}

type affixes struct{ before, after string }

func newNode() *node { return &node{first: none, end: none, rest: none} }

// add adds a rule.
func (n *node) add(segments []segment, prefix bool, rank int32) {
	n.first = min(n.first, rank)
	for i, seg := range segments {
		if seg.piece == rest || prefix && i == len(segments)-1 {
			n.rest = min(n.rest, rank)
			return
		}
		n = n.child(seg)
		n.first = min(n.first, rank)
	}
	n.end = min(n.end, rank)
}

// child returns the node after a segment, creating it if necessary.
func (n *node) child(seg segment) *node {
	switch {
	case seg.piece == literal:
		if n.literals == nil {
			n.literals = map[string]*node{}
		}
		return childIn(n.literals, seg.before)
	case seg.before == "" && seg.after == "":
		if n.any == nil {
			n.any = newNode()
		}
		return n.any
	}
	key := affixes{seg.before, seg.after}
	for i := range n.shapes {
		if n.shapes[i].before == len(seg.before) && n.shapes[i].after == len(seg.after) {
			return childIn(n.shapes[i].next, key)
		}
	}
	next := map[affixes]*node{}
	n.shapes = append(n.shapes, shape{len(seg.before), len(seg.after), next})
	return childIn(next, key)
}

func childIn[K comparable](children map[K]*node, key K) *node {
	next := children[key]
	if next == nil {
		next = newNode()
		children[key] = next
	}
	return next
}

// find returns the lowest rank below best that matches the address from segment i on, or best. A
// nil node matches nothing.
func (n *node) find(a *Address, i int, best int32) int32 {
	if n == nil || n.first >= best {
		return best
	}
	best = min(best, n.rest)
	if i == a.segments() {
		return min(best, n.end)
	}
	seg := a.segment(i)
	if len(n.literals) > 0 {
		best = n.literals[string(seg)].find(a, i+1, best)
	}
	best = n.any.find(a, i+1, best)
	for k := range n.shapes {
		s := &n.shapes[k]
		if len(seg) > s.before+s.after { // a star is one byte or more
			next := s.next[affixes{string(seg[:s.before]), string(seg[len(seg)-s.after:])}]
			best = next.find(a, i+1, best)
		}
	}
	return best
}
