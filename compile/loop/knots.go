package loop

import "math"

// knots is a graph with its circles contracted. A knot is a set of nodes that
// all lead to each other; knots are numbered from the ends of the graph to its
// beginnings, so an edge leads to a knot of a lower or the same number.
type knots struct {
	of     []int32 // the knot of a node
	nodes  []int32 // knot by knot
	ends   []int32 // where each knot ends in nodes
	cyclic []bool  // the knot has an edge within itself
}

// tie finds the knots (Tarjan's algorithm, without recursion: a chain may have
// 20,000 rules).
func tie(next [][]int32) *knots {
	k := &knots{of: make([]int32, len(next)), nodes: make([]int32, 0, len(next)), ends: make([]int32, 0, len(next))}
	t := tying{k: k, next: next, index: make([]int32, len(next)), low: make([]int32, len(next))}
	for i := range k.of {
		k.of[i] = -1
	}
	for i := range next {
		if t.index[i] == 0 {
			t.from(int32(i))
		}
	}
	return k
}

type tying struct {
	k          *knots
	next       [][]int32
	index, low []int32 // index counts from 1
	count      int32
	open       []int32 // nodes whose knot is not known yet
	way        []visit
}

// visit is a node on the way and its next edge.
type visit struct{ node, edge int32 }

func (t *tying) from(root int32) {
	t.enter(root)
	for len(t.way) > 0 {
		v := &t.way[len(t.way)-1]
		if edges := t.next[v.node]; int(v.edge) < len(edges) {
			to := edges[v.edge]
			v.edge++
			switch {
			case t.index[to] == 0:
				t.enter(to)
			case t.k.of[to] < 0:
				t.low[v.node] = min(t.low[v.node], t.index[to])
			}
			continue
		}
		node := v.node
		t.way = t.way[:len(t.way)-1]
		if len(t.way) > 0 {
			above := t.way[len(t.way)-1].node
			t.low[above] = min(t.low[above], t.low[node])
		}
		if t.low[node] == t.index[node] {
			t.close(node)
		}
	}
}

func (t *tying) enter(node int32) {
	t.count++
	t.index[node], t.low[node] = t.count, t.count
	t.open = append(t.open, node)
	t.way = append(t.way, visit{node, 0})
}

// close makes a knot of the nodes that were opened since one, itself included.
func (t *tying) close(node int32) {
	i := len(t.open) - 1
	for t.open[i] != node {
		i--
	}
	k := t.k
	for _, m := range t.open[i:] {
		k.of[m] = int32(len(k.ends))
	}
	k.nodes = append(k.nodes, t.open[i:]...)
	k.ends = append(k.ends, int32(len(k.nodes)))
	cyclic := len(t.open)-i > 1
	t.open = t.open[:i]
	for _, to := range t.next[node] {
		cyclic = cyclic || to == node
	}
	k.cyclic = append(k.cyclic, cyclic)
}

// members is the nodes of a knot.
func (k *knots) members(knot int) []int32 {
	start := int32(0)
	if knot > 0 {
		start = k.ends[knot-1]
	}
	return k.nodes[start:k.ends[knot]]
}

// through is, for every knot, the weight of the heaviest way through it, when
// every node counts its weight once.
func (k *knots) through(next [][]int32, weight func(knot int) int) []int {
	own, down, up := make([]int, len(k.ends)), make([]int, len(k.ends)), make([]int, len(k.ends))
	for i := range own {
		own[i] = weight(i)
		down[i] = own[i]
		k.edges(next, i, func(to int32) { down[i] = max(down[i], own[i]+down[to]) })
	}
	for i := len(own) - 1; i >= 0; i-- {
		up[i] += own[i]
		k.edges(next, i, func(to int32) { up[to] = max(up[to], up[i]) })
	}
	for i := range down {
		down[i] = min(down[i]+up[i]-own[i], math.MaxInt32)
	}
	return down
}

// edges visits the other knots that one leads to.
func (k *knots) edges(next [][]int32, knot int, visit func(to int32)) {
	for _, node := range k.members(knot) {
		for _, to := range next[node] {
			if other := k.of[to]; other != int32(knot) {
				visit(other)
			}
		}
	}
}
