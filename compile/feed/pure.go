package feed

import (
	"slices"
	"text/template/parse"
)

// overProducts tells a range that goes straight over products.
func overProducts(pipe *parse.PipeNode) bool {
	name, ok := pipe.Cmds[len(pipe.Cmds)-1].Args[0].(*parse.IdentifierNode)
	return ok && name.Ident == "products" && !pipe.IsAssign
}

// pure tells whether what the body of a range writes depends on the element and
// the shop alone, so that it may be copied from the render before. The index,
// variables from outside, links, other products and a break make it depend on
// more.
func (a *assembler) pure(n *parse.RangeNode) bool {
	p := purity{trees: a.trees, done: map[string]bool{}}
	decl := n.Pipe.Decl
	if len(decl) > 0 {
		p.own = append(p.own, decl[len(decl)-1].Ident[0])
	}
	return p.list(n.List, 0)
}

type purity struct {
	trees map[string]*parse.Tree
	own   []string // variables in sight that were declared inside
	done  map[string]bool
}

// list checks statements; depth is the number of loops inside the range.
func (p *purity) list(n *parse.ListNode, depth int) bool {
	if n == nil {
		return true
	}
	for _, node := range n.Nodes {
		if !p.statement(node, depth) {
			return false
		}
	}
	return true
}

func (p *purity) statement(n parse.Node, depth int) bool {
	switch n := n.(type) {
	case *parse.ActionNode:
		return p.pipe(n.Pipe)
	case *parse.IfNode:
		return p.branch(&n.BranchNode, depth, depth)
	case *parse.WithNode:
		return p.branch(&n.BranchNode, depth, depth)
	case *parse.RangeNode:
		return p.branch(&n.BranchNode, depth+1, depth)
	case *parse.TemplateNode:
		return p.called(n)
	case *parse.BreakNode:
		return depth > 0
	}
	return true
}

func (p *purity) branch(n *parse.BranchNode, depth, elseDepth int) bool {
	mark := len(p.own)
	defer func() { p.own = p.own[:mark] }()
	return p.pipe(n.Pipe) && p.list(n.List, depth) && p.list(n.ElseList, elseDepth)
}

// called checks a template as if it stood here: its $ is what it is given.
func (p *purity) called(n *parse.TemplateNode) bool {
	if n.Pipe != nil && !p.pipe(n.Pipe) {
		return false
	}
	if result, ok := p.done[n.Name]; ok {
		return result
	}
	inner := purity{trees: p.trees, done: p.done}
	p.done[n.Name] = inner.list(p.trees[n.Name].Root, 0)
	return p.done[n.Name]
}

func (p *purity) pipe(n *parse.PipeNode) bool {
	for _, cmd := range n.Cmds {
		for _, arg := range cmd.Args {
			if !p.operand(arg) {
				return false
			}
		}
	}
	for _, v := range n.Decl {
		if !n.IsAssign {
			p.own = append(p.own, v.Ident[0])
		} else if !slices.Contains(p.own, v.Ident[0]) {
			return false
		}
	}
	return true
}

func (p *purity) operand(n parse.Node) bool {
	switch n := n.(type) {
	case *parse.VariableNode:
		return n.Ident[0] == "$" || slices.Contains(p.own, n.Ident[0])
	case *parse.PipeNode:
		return p.pipe(n)
	case *parse.ChainNode:
		return p.operand(n.Node)
	case *parse.IdentifierNode:
		return n.Ident == "and" || n.Ident == "or" || functions[n.Ident].pure
	}
	return true
}
