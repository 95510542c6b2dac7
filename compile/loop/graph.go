package loop

import (
	"iter"
	"slices"
	"strings"

	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// graph says which rule may answer where another one sends its visitors. It
// sees more edges than there are: it ignores pages, the order of rules and
// which of several rules wins. So where it has no circle and no long way there
// is none, and most sets are decided by it alone; where it has one, explorer
// walks real addresses.
//
// Beside the rules there are nodes for the keys of exact rules, so that
// thousands of conditions on one address cost no more than one; nodes for the
// first segments of masks' targets, behind which stand all exact rules there
// that lead on; and nodes for the branches of the set that a tail may reach.
type graph struct {
	s             *Shop
	next          [][]int32            // edges; a node below len(html) is the rule of that rank
	html          []bool               // the rule may lead to an address ending in .html
	leadsAnywhere map[shop.RuleID]bool // rules whose target may begin with any segment
	keys          map[string]int32
	heads         map[string]int32
	branches      map[redirect.Branch]int32
	addr          redirect.Address
}

// anywhere is the head of targets that may begin with any segment.
const anywhere = "*"

func newGraph(s *Shop) *graph {
	n := s.Set.Len()
	g := &graph{
		s: s, next: make([][]int32, n, n+n/4), html: make([]bool, n), leadsAnywhere: map[shop.RuleID]bool{},
		keys: map[string]int32{}, heads: map[string]int32{}, branches: map[redirect.Branch]int32{},
	}
	for _, there := range [...]bool{true, false} { // heads are made of what exact rules lead to
		for rank := range int32(n) {
			if (s.Set.Rule(rank).Kind == redirect.Exact) == there {
				g.lead(rank)
			}
		}
		if there {
			g.join()
		}
	}
	return g
}

// lead adds the edges of a rule.
func (g *graph) lead(rank int32) {
	leads := g.s.Set.Leads(rank)
	if g.s.Set.Rule(rank).External {
		leads = g.leadsHome(rank)
	}
	for _, l := range leads {
		g.html[rank] = g.html[rank] || l.HTML
		switch {
		case !l.At.Closed():
			g.spread(rank, l.At)
		case !g.s.Reserved(l.At):
			g.s.Set.Successors(&g.addr, l, func(key string, ranks iter.Seq[int32]) {
				g.edge(rank, g.key(key, ranks))
			}, func(to int32) { g.edge(rank, to) })
		}
	}
}

// leadsHome is where a target with a host leads when the host is the shop's.
func (g *graph) leadsHome(rank int32) (leads []redirect.Lead) {
	for _, location := range g.s.Set.Locations(rank) {
		if _, path, here := g.s.Local(location, ""); here {
			path, _, _ = strings.Cut(path, "?")
			leads = append(leads, redirect.LeadsOf(&g.addr, path)...)
		}
	}
	return leads
}

func (g *graph) edge(from, to int32) { g.next[from] = append(g.next[from], to) }

// key is the node of the exact rules of a key.
func (g *graph) key(key string, ranks iter.Seq[int32]) int32 {
	return nodeOf(g, g.keys, key, ranks)
}

// nodeOf finds a node by what it stands for, or makes it with its edges.
func nodeOf[K comparable](g *graph, known map[K]int32, key K, edges iter.Seq[int32]) int32 {
	at, there := known[key]
	if !there {
		g.next = append(g.next, slices.Collect(edges))
		at = int32(len(g.next) - 1)
		known[key] = at
	}
	return at
}

// join makes the nodes of heads: behind each stand the exact rules that lead on
// and whose source begins there.
func (g *graph) join() {
	nobody := func(func(int32) bool) {}
	for rank := range int32(len(g.html)) {
		if g.s.Set.Rule(rank).Kind != redirect.Exact || len(g.next[rank]) == 0 {
			continue
		}
		for _, head := range [...]string{headOf(g.s.Set.Key(rank)), anywhere} {
			g.edge(nodeOf(g, g.heads, head, nobody), rank)
		}
	}
}

// headOf is the first segment of a key.
func headOf(key string) string {
	head, _, _ := strings.Cut(strings.TrimPrefix(key, "/"), "/")
	return head
}

// spread adds the edges of a rule to all that may answer an open address.
func (g *graph) spread(rank int32, at redirect.Open) {
	head := headOf(string(at))
	if !redirect.Open(head).Closed() {
		head = anywhere
	}
	if to, known := g.heads[head]; known {
		g.edge(rank, to)
	}
	if at.Free() {
		g.leadsAnywhere[g.s.Set.Rule(rank).ID] = true
	}
	g.s.Set.Meets(at, func(to int32) { g.edge(rank, to) }, func(b redirect.Branch) {
		g.edge(rank, nodeOf(g, g.branches, b, b.Rules()))
	})
}

// rulesOf is the rules among nodes, by rank.
func (g *graph) rulesOf(nodes []int32) (rules []int32) {
	for _, node := range nodes {
		if int(node) < len(g.html) {
			rules = append(rules, node)
		}
	}
	slices.Sort(rules)
	return rules
}

// rulesBefore is the rules that lead to any of some nodes, and those among
// them.
func (g *graph) rulesBefore(nodes []int32) []int32 {
	if len(nodes) == 0 {
		return nil
	}
	back := make([][]int32, len(g.next))
	for from, edges := range g.next {
		for _, to := range edges {
			back[to] = append(back[to], int32(from))
		}
	}
	reached := make([]bool, len(g.next))
	for _, node := range nodes {
		reached[node] = true
	}
	for i := 0; i < len(nodes); i++ {
		for _, from := range back[nodes[i]] {
			if !reached[from] {
				reached[from] = true
				nodes = append(nodes, from)
			}
		}
	}
	return g.rulesOf(nodes)
}
