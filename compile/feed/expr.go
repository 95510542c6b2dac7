package feed

import (
	"strings"
	"text/template/parse"
)

// expr is a compiled expression.
type expr func(*run) value

func fixed(v value) expr { return func(*run) value { return v } }

// pipeline compiles commands joined by |, each of which is the last argument of the
// next.
func (a *assembler) pipeline(pipe *parse.PipeNode) expr {
	a.at(pipe)
	var eval expr
	for _, cmd := range pipe.Cmds {
		eval = a.command(cmd, eval)
	}
	return eval
}

// nested compiles a pipeline in parentheses. Variables cannot be declared there:
// short-circuit evaluation would decide whether they exist.
func (a *assembler) nested(pipe *parse.PipeNode) expr {
	if len(pipe.Decl) > 0 {
		a.refuse(pipe, "variables are declared at the start of an action, not in parentheses")
		return fixed(value{})
	}
	return a.pipeline(pipe)
}

func (a *assembler) command(cmd *parse.CommandNode, final expr) expr {
	given := len(cmd.Args) > 1 || final != nil
	switch n := cmd.Args[0].(type) {
	case *parse.FieldNode:
		line := a.at(n)
		return a.chain(a.dot(), n.Ident, line, final, given)
	case *parse.ChainNode:
		a.at(n)
		from := a.argument(n.Node)
		return a.chain(from, n.Field, a.line, final, given)
	case *parse.VariableNode:
		line := a.at(n)
		if len(n.Ident) == 1 && given {
			return a.failing(line, final, "%s takes no argument", n)
		}
		return a.chain(a.variable(n), n.Ident[1:], line, final, given)
	case *parse.IdentifierNode:
		return a.function(n, cmd, cmd.Args[1:], final)
	case *parse.PipeNode:
		if given {
			return a.failing(a.line, final, "%s takes no argument", n)
		}
		return a.nested(n)
	case *parse.NilNode:
		return a.failing(a.at(n), final, "nil is not a command")
	default:
		if line := a.at(n); given {
			return a.failing(line, final, "%s takes no argument", n)
		}
		return a.operand(n)
	}
}

// failing returns an expression that fails when it is evaluated. The specification
// wants such errors found at rendering, not at saving.
func (a *assembler) failing(line int, first expr, format string, args ...any) expr {
	return func(r *run) value {
		if first != nil {
			first(r)
		}
		r.fail(line, format, args...)
		return value{}
	}
}

func (a *assembler) dot() expr { return func(r *run) value { return r.dot } }

func (a *assembler) variable(n *parse.VariableNode) expr {
	slot := a.slot(n.Ident[0])
	if slot < 0 { // the parser accepts a variable in its own declaration
		return a.failing(a.t.lines.of(n), nil, "undefined variable %s", n.Ident[0])
	}
	return func(r *run) value { return r.vars[r.base+slot] }
}

// chain reads fields one after the other.
func (a *assembler) chain(from expr, names []string, line int, final expr, given bool) expr {
	if given {
		return a.failing(line, final, "%s is a field and takes no argument", strings.Join(names, "."))
	}
	for _, name := range names {
		from = a.read(from, name, line)
	}
	return from
}

func (a *assembler) read(from expr, name string, line int) expr {
	f, ok := fields[name]
	if !ok {
		f = field{}
	}
	return func(r *run) value {
		v := from(r)
		var out value
		ok := false
		if record, is := v.ref.(Record); is {
			out, ok = record.get(name)
		} else {
			out, ok = f.get(&v)
		}
		if !ok {
			r.fail(line, "%s has no field %s", v.kind, name)
		}
		return out
	}
}

// argument compiles an argument of a function.
func (a *assembler) argument(n parse.Node) expr {
	line := a.at(n)
	switch n := n.(type) {
	case *parse.DotNode:
		return a.dot()
	case *parse.FieldNode:
		return a.chain(a.dot(), n.Ident, line, nil, false)
	case *parse.VariableNode:
		return a.chain(a.variable(n), n.Ident[1:], line, nil, false)
	case *parse.ChainNode:
		from := a.argument(n.Node)
		return a.chain(from, n.Field, a.line, nil, false)
	case *parse.PipeNode:
		return a.nested(n)
	case *parse.IdentifierNode:
		return a.function(n, n, nil, nil)
	case *parse.NilNode:
		return fixed(value{})
	}
	return a.operand(n)
}

// operand compiles the dot or a constant.
func (a *assembler) operand(n parse.Node) expr {
	switch n := n.(type) {
	case *parse.DotNode:
		return a.dot()
	case *parse.BoolNode:
		return fixed(boolean(n.True))
	case *parse.StringNode:
		return fixed(text(n.Text))
	case *parse.NumberNode:
		return a.number(n)
	}
	return a.failing(a.at(n), nil, "%s is not a value", n)
}

// number compiles a numeric constant. Its spelling decides its type, as in Go.
func (a *assembler) number(n *parse.NumberNode) expr {
	hex := len(n.Text) > 2 && n.Text[0] == '0' && (n.Text[1] == 'x' || n.Text[1] == 'X') && !strings.ContainsAny(n.Text, "pP")
	switch {
	case n.IsComplex && !n.IsFloat && !n.IsInt && !n.IsUint, strings.HasSuffix(n.Text, "i"):
		a.refuse(n, "%s: complex numbers are not part of the language", n.Text)
		return fixed(value{})
	case n.IsFloat && !hex && n.Text[0] != '\'' && strings.ContainsAny(n.Text, ".eEpP"):
		return fixed(float(n.Float64))
	case n.IsInt:
		return fixed(number(n.Int64))
	}
	return a.failing(a.line, nil, "the number %s is too large", n.Text)
}
