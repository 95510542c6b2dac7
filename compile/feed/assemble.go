package feed

import (
	"bytes"
	"slices"
	"strconv"
	"text/template/parse"
)

// signal tells how a statement ended.
type signal uint8

const (
	proceed signal = iota
	breakLoop
	continueLoop
)

// stmt is a compiled statement.
type stmt func(*run) signal

// block is a list of statements. Entering it is a step, and so is each statement.
// Entering an empty block is a step too, because an empty loop takes time as well.
type block struct {
	stmts []stmt
	line  int
}

func (b *block) run(r *run) signal {
	if r.steps += 1 + len(b.stmts); r.steps > r.nextTick {
		r.tick(b.line)
	}
	for _, s := range b.stmts {
		if end := s(r); end != proceed {
			return end
		}
	}
	return proceed
}

// definition is a template that other templates call by its name.
type definition struct {
	body  *block
	slots int
}

// assembler turns the tree of one template into closures. Variables become slots
// of a frame; the parser has already checked that they are declared.
type assembler struct {
	t       *Template
	scope   []string // visible variables; the index is the slot
	slots   int
	line    int // of the node that text/template would name in an error
	problem *Problem
	texts   []byte // the constant texts in order, from which the separator of CSV is guessed
}

func (t *Template) assemble(trees map[string]*parse.Tree) *Problem {
	t.defined = make(map[string]*definition, len(trees))
	names := make([]string, 0, len(trees))
	for name := range trees {
		names = append(names, name)
		t.defined[name] = &definition{}
	}
	slices.Sort(names)
	for _, name := range names {
		a := &assembler{t: t, scope: []string{"$"}, slots: 1}
		body := a.list(trees[name].Root)
		if a.problem != nil {
			return a.problem
		}
		*t.defined[name] = definition{body: body, slots: a.slots}
		if name == mainName {
			t.root, t.slots = body, a.slots
			t.comma = separator(a.texts)
		}
	}
	return nil
}

func (a *assembler) refuse(n parse.Node, format string, args ...any) {
	if a.problem == nil {
		a.problem = invalid(a.t.lines.of(n), format, args...)
	}
}

func (a *assembler) at(n parse.Node) int {
	a.line = a.t.lines.of(n)
	return a.line
}

func (a *assembler) declare(name string) int {
	a.scope = append(a.scope, name)
	a.slots = max(a.slots, len(a.scope))
	return len(a.scope) - 1
}

func (a *assembler) slot(name string) int {
	for i := len(a.scope) - 1; i >= 0; i-- {
		if a.scope[i] == name {
			return i
		}
	}
	return -1
}

// assigned returns the slot of a variable that is assigned to. The parser accepts
// undeclared variables here, and $, which authors expect to be the root; both are
// refused.
func (a *assembler) assigned(n *parse.VariableNode) int {
	slot := a.slot(n.Ident[0])
	if slot <= 0 {
		a.refuse(n, "%s is assigned to but not declared", n.Ident[0])
	}
	return max(slot, 0)
}

func (a *assembler) list(n *parse.ListNode) *block {
	b := &block{line: a.line}
	if n == nil {
		return b
	}
	b.line = a.t.lines.of(n)
	for _, node := range n.Nodes {
		if s := a.statement(node); s != nil {
			b.stmts = append(b.stmts, s)
		}
	}
	return b
}

func (a *assembler) statement(n parse.Node) stmt {
	a.at(n)
	switch n := n.(type) {
	case *parse.TextNode:
		return a.constant(n)
	case *parse.ActionNode:
		return a.action(n)
	case *parse.IfNode:
		return a.branch(n.BranchNode, false)
	case *parse.WithNode:
		return a.branch(n.BranchNode, true)
	case *parse.RangeNode:
		return a.loop(n)
	case *parse.TemplateNode:
		return a.call(n)
	case *parse.BreakNode:
		return func(*run) signal { return breakLoop }
	case *parse.ContinueNode:
		return func(*run) signal { return continueLoop }
	}
	return nil
}

// constant is a piece of text of the template itself.
type constant struct {
	id      int
	line    int
	text    []byte
	declare int // offset of an XML declaration, -1 for none
}

func (a *assembler) constant(n *parse.TextNode) stmt {
	if len(n.Text) == 0 {
		return func(*run) signal { return proceed }
	}
	c := &constant{id: a.t.texts, line: a.line, text: bytes.Clone(n.Text), declare: bytes.Index(n.Text, []byte("<?xml "))}
	a.t.texts++
	a.texts = append(a.texts, n.Text...)
	return func(r *run) signal {
		r.setLine(c.line)
		if r.trace != nil {
			r.trace.note(r.position(), c.line)
		}
		if r.out = r.esc.constant(r.out, c); len(r.out) > r.spillAt {
			r.spill()
		}
		return proceed
	}
}

func (a *assembler) action(n *parse.ActionNode) stmt {
	eval := a.pipeline(n.Pipe)
	line := a.t.lines.of(n)
	if len(n.Pipe.Decl) > 0 {
		store := a.store(n.Pipe, a.line)
		return func(r *run) signal {
			store(r, eval(r))
			return proceed
		}
	}
	general := func(r *run) signal {
		v := eval(r)
		r.setLine(line)
		r.print(v)
		return proceed
	}
	if f, ok := plainField(n.Pipe); ok {
		return fieldAction(f, line, general)
	}
	return general
}

// plainField returns the field when an action is a single field of the dot.
func plainField(pipe *parse.PipeNode) (field, bool) {
	if len(pipe.Cmds) != 1 || len(pipe.Cmds[0].Args) != 1 {
		return field{}, false
	}
	n, ok := pipe.Cmds[0].Args[0].(*parse.FieldNode)
	if !ok || len(n.Ident) != 1 {
		return field{}, false
	}
	f, ok := fields[n.Ident[0]]
	return f, ok
}

// fieldAction writes a field of a product without building a value first. Most
// actions of feeds are of this kind.
func fieldAction(f field, line int, general stmt) stmt {
	switch {
	case f.text != nil:
		return func(r *run) signal {
			if r.dot.kind != kindItem {
				return general(r)
			}
			r.setLine(line)
			if r.out = r.esc.text(r.out, f.text(r.dot.ref.(*Item))); len(r.out) > r.spillAt {
				r.spill()
			}
			return proceed
		}
	case f.whole != nil:
		return func(r *run) signal {
			if r.dot.kind != kindItem || f.money && r.dot.ref.(*Item).Digits > 0 {
				return general(r)
			}
			r.setLine(line)
			digits := strconv.AppendInt(r.scratch[:0], f.whole(r.dot.ref.(*Item)), 10)
			if r.out = r.esc.number(r.out, digits); len(r.out) > r.spillAt {
				r.spill()
			}
			return proceed
		}
	}
	return general
}

// store returns a function that sets the variables which a pipeline declares or
// assigns.
func (a *assembler) store(pipe *parse.PipeNode, line int) func(*run, value) {
	slots := make([]int, len(pipe.Decl))
	for i, variable := range pipe.Decl {
		if pipe.IsAssign {
			slots[i] = a.assigned(variable)
		} else {
			slots[i] = a.declare(variable.Ident[0])
		}
	}
	return func(r *run, v value) {
		for _, slot := range slots {
			r.set(line, slot, v)
		}
	}
}

func (a *assembler) branch(n parse.BranchNode, with bool) stmt {
	mark := len(a.scope)
	defer func() { a.scope = a.scope[:mark] }()
	eval := a.pipeline(n.Pipe)
	store := a.store(n.Pipe, a.line)
	line := a.t.lines.of(&n)
	yes := a.list(n.List)
	no := &block{}
	if n.ElseList != nil {
		no = a.list(n.ElseList)
	}
	hasElse := n.ElseList != nil
	return func(r *run) signal {
		v := eval(r)
		store(r, v)
		switch {
		case !v.truth():
			if hasElse {
				return no.run(r)
			}
			return proceed
		case with:
			return r.with(line, v, yes)
		}
		return yes.run(r)
	}
}

// with runs a block with v as the dot.
func (r *run) with(line int, v value, b *block) signal {
	r.hold(line, len(v.s))
	before := r.dot
	r.dot = v
	end := b.run(r)
	r.dot = before
	r.hold(line, -len(v.s))
	return end
}

func (a *assembler) call(n *parse.TemplateNode) stmt {
	line := a.line
	eval := func(*run) value { return value{} }
	if n.Pipe != nil {
		eval = a.pipeline(n.Pipe)
		a.store(n.Pipe, line)
	}
	called := a.t.defined[n.Name]
	return func(r *run) signal {
		v := eval(r)
		base := r.base
		r.base = len(r.vars)
		for range called.slots {
			r.vars = append(r.vars, value{})
		}
		r.set(line, 0, v)
		r.with(line, v, called.body)
		for i := range r.vars[r.base:] {
			r.heldBytes -= len(r.vars[r.base+i].s)
		}
		clear(r.vars[r.base:])
		r.vars = r.vars[:r.base]
		r.base = base
		return proceed
	}
}
