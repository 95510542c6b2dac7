package feed

import (
	"slices"
	"sort"
	"text/template/parse"
)

// checkGraph refuses a body in which a template can reach itself or calls an
// undefined one. Names of templates are constants, so the call graph is exact.
// Exponentially many calls are left to the step counter.
func checkGraph(trees map[string]*parse.Tree, at lines) *Problem {
	g := graph{trees: trees, lines: at, state: map[string]int{}}
	names := make([]string, 0, len(trees))
	for name := range trees {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if p := g.visit(name); p != nil {
			return p
		}
	}
	return nil
}

type graph struct {
	trees map[string]*parse.Tree
	lines lines
	state map[string]int // 1: being visited, 2: done
}

func (g *graph) visit(name string) *Problem {
	g.state[name] = 1
	var problem *Problem
	walk(g.trees[name].Root, func(n parse.Node) {
		call, ok := n.(*parse.TemplateNode)
		if !ok || problem != nil {
			return
		}
		line := g.lines.of(call)
		switch {
		case g.trees[call.Name] == nil:
			problem = invalid(line, "template %q is not defined", call.Name)
		case g.state[call.Name] == 1:
			problem = invalid(line, "template %q calls itself", call.Name)
		case g.state[call.Name] == 0:
			problem = g.visit(call.Name)
		}
	})
	g.state[name] = 2
	return problem
}

// walk visits every statement, also those of nested lists.
func walk(n parse.Node, visit func(parse.Node)) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return
		}
		for _, inner := range n.Nodes {
			walk(inner, visit)
		}
		return
	case *parse.IfNode:
		walk(n.List, visit)
		walk(n.ElseList, visit)
	case *parse.WithNode:
		walk(n.List, visit)
		walk(n.ElseList, visit)
	case *parse.RangeNode:
		walk(n.List, visit)
		walk(n.ElseList, visit)
	}
	visit(n)
}

// lines holds the offsets at which the lines of a body begin.
type lines []int

func linesOf(body string) lines {
	out := lines{0}
	for i := range len(body) {
		if body[i] == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}

// of returns the line of a node, counted from 1.
func (l lines) of(n parse.Node) int {
	return sort.Search(len(l), func(i int) bool { return l[i] > int(n.Position()) })
}
