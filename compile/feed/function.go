package feed

import "text/template/parse"

// function is a function that templates can call.
type function struct {
	least, most int // arguments; most is -1 for any number
	call        func(r *run, line int, args []value) value
	strings     bool // every argument must be a text
}

// functions holds all functions of the language except and, or, which do not
// evaluate every argument.
var functions = map[string]function{
	"not":      {1, 1, func(_ *run, _ int, args []value) value { return boolean(!args[0].truth()) }, false},
	"len":      {1, 1, length, false},
	"index":    {1, -1, index, false},
	"slice":    {1, -1, slice, false},
	"eq":       {1, -1, compareEqual, false},
	"ne":       {2, 2, compareUnequal, false},
	"lt":       {2, 2, compare(func(c comparison) bool { return c.less() }), false},
	"le":       {2, 2, compare(func(c comparison) bool { return c.less() || c.equal() }), false},
	"gt":       {2, 2, compare(func(c comparison) bool { return !(c.less() || c.equal()) }), false},
	"ge":       {2, 2, compare(func(c comparison) bool { return !c.less() }), false},
	"print":    {0, -1, joined(sprint), false},
	"println":  {0, -1, joined(sprintln), false},
	"printf":   {1, -1, printf, false},
	"html":     {0, -1, joined(escapeHTML), false},
	"js":       {0, -1, joined(escapeJS), false},
	"urlquery": {0, -1, joined(escapeQuery), false},

	"products":     {0, -1, (*run).products, true},
	"categories":   {0, 0, (*run).categories, false},
	"pictures":     {1, 3, (*run).pictures, false},
	"offers":       {1, 1, (*run).offers, false},
	"file_url":     {1, 1, link("file", linkFile, true), false},
	"file_path":    {1, 1, link("file", linkFile, false), false},
	"category_url": {1, 1, link("category", linkCategory, true), false},
	"product_url":  {1, 1, link("product", linkProduct, true), false},
	"minor":        {2, 2, (*run).minor, false},
	"plain":        {1, 1, (*run).plain, true},
	"now":          {0, 1, (*run).now, true},
}

// functionNames are the function names that the parser accepts.
var functionNames = parserNames()

func parserNames() map[string]any {
	names := map[string]any{"and": true, "or": true}
	for name := range functions {
		names[name] = true
	}
	return names
}

// function compiles a call of n with args. final is the left-hand side of a pipe,
// which is the last argument; text/template evaluates it first.
func (a *assembler) function(n *parse.IdentifierNode, at parse.Node, args []parse.Node, final expr) expr {
	line := a.at(n)
	here := a.t.lines.of(at)
	count := len(args)
	if final != nil {
		count++
	}
	if n.Ident == "and" || n.Ident == "or" {
		return a.shortCircuit(n.Ident == "or", line, args, final)
	}
	f := functions[n.Ident]
	if count < f.least || f.most >= 0 && count > f.most {
		return a.failing(line, final, "%s does not take %d arguments", n.Ident, count)
	}
	evals := make([]expr, len(args))
	lines := make([]int, count)
	for i, arg := range args {
		evals[i] = a.argument(arg)
		lines[i] = a.line
	}
	if final != nil {
		lines[len(args)] = line
	}
	c := &call{name: n.Ident, f: f, line: here, lines: lines, args: evals, final: final, count: count}
	return c.run
}

// call is a compiled function call.
type call struct {
	name  string
	f     function
	line  int
	lines []int // of the arguments
	args  []expr
	final expr
	count int
}

// run evaluates the arguments onto a stack, the piped one first, and calls the
// function.
func (c *call) run(r *run) value {
	before, base := r.heldBytes, len(r.args)
	var last value
	if c.final != nil {
		last = c.final(r)
		r.hold(c.line, len(last.s))
	}
	for i, eval := range c.args {
		v := eval(r)
		r.hold(c.line, len(v.s))
		if c.f.strings {
			c.check(r, i, v)
		}
		r.args = append(r.args, v)
	}
	if c.final != nil {
		if c.f.strings {
			c.check(r, c.count-1, last)
		}
		r.args = append(r.args, last)
	}
	out := c.f.call(r, c.line, r.args[base:])
	r.args, r.heldBytes = r.args[:base], before
	return out
}

func (c *call) check(r *run, i int, v value) {
	if v.kind != kindText {
		r.fail(c.lines[i], "%s needs a text, not %s", c.name, v.kind)
	}
}

// shortCircuit implements and, or: the first argument that decides is the value.
func (a *assembler) shortCircuit(or bool, line int, args []parse.Node, final expr) expr {
	if len(args) == 0 && final == nil {
		return a.failing(line, nil, "and, or need an argument")
	}
	evals := make([]expr, len(args))
	for i, arg := range args {
		evals[i] = a.argument(arg)
	}
	return func(r *run) value {
		var v, last value
		if final != nil {
			last = final(r)
		}
		for _, eval := range evals {
			if v = eval(r); v.truth() == or {
				return v
			}
		}
		if final != nil {
			return last
		}
		return v
	}
}
