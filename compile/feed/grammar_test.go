package feed

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// grammar draws templates that parse, most of which fail at rendering: fuzzing by bytes
// seldom gets past the parser.
type grammar struct {
	t     *rapid.T
	vars  []string
	loops int
	depth int
	next  int
}

func (g *grammar) pick(from ...string) string { return rapid.SampledFrom(from).Draw(g.t, "pick") }

func (g *grammar) gap() string { return g.pick(" ", " ", " ", "\n", " \n ") }

func (g *grammar) body() string {
	var b strings.Builder
	mark := len(g.vars)
	for range rapid.IntRange(0, 3).Draw(g.t, "statements") {
		b.WriteString(g.statement())
	}
	g.vars = g.vars[:mark]
	return b.String()
}

func (g *grammar) declare() string {
	g.next++
	return fmt.Sprintf("$v%d", g.next%4)
}

func (g *grammar) statement() string {
	if g.depth > 4 {
		return "x"
	}
	g.depth++
	defer func() { g.depth-- }()
	switch rapid.IntRange(0, 11).Draw(g.t, "statement") {
	case 0:
		return g.pick("text", "\n", " a\nb ", "{{/* c */}}", "{{- 1 -}}\n")
	case 1, 2, 3:
		return "{{" + g.pipe() + g.pick("", "\n", " ") + "}}"
	case 4:
		pipe, name := g.pipe(), g.declare()
		g.vars = append(g.vars, name)
		return "{{" + name + " :=" + g.gap() + pipe + "}}"
	case 5:
		if len(g.vars) == 0 {
			return "y"
		}
		return "{{" + g.pick(g.vars...) + " = " + g.pipe() + "}}"
	case 6, 7:
		return g.branch(g.pick("if", "with"))
	case 8, 9:
		return g.loop()
	case 10:
		if g.loops > 0 {
			return g.pick("{{break}}", "{{continue}}", "{{if .}}{{break}}{{end}}")
		}
		return "z"
	}
	return `{{template "` + g.pick("one", "two") + `"` + g.gap() + g.pick("", g.pipe()) + "}}"
}

func (g *grammar) branch(word string) string {
	mark := len(g.vars)
	defer func() { g.vars = g.vars[:mark] }()
	out := "{{" + word + g.gap()
	pipe := g.pipe()
	if rapid.Bool().Draw(g.t, "declares") {
		name := g.declare()
		g.vars = append(g.vars, name)
		out += name + " := "
	}
	out += pipe + "}}" + g.body()
	if rapid.Bool().Draw(g.t, "else") {
		out += "{{else}}" + g.body()
	}
	return out + "{{end}}"
}

func (g *grammar) loop() string {
	mark := len(g.vars)
	defer func() { g.vars = g.vars[:mark] }()
	over := g.pick(
		"products", `products "category=coats"`, `products "category=hidden"`, "categories", "3", "0",
		`(pictures (index (products) 0))`, g.pipe(),
	)
	head := ""
	for i := range rapid.IntRange(0, 2).Draw(g.t, "names") {
		name := g.declare()
		g.vars = append(g.vars, name)
		if head += name; i == 0 {
			head = name
		} else {
			head = g.vars[len(g.vars)-2] + ", " + name
		}
	}
	if head != "" {
		head += " := "
	}
	g.loops++
	out := "{{range " + head + over + "}}" + g.body()
	g.loops--
	if rapid.Bool().Draw(g.t, "else") {
		out += "{{else}}" + g.body()
	}
	return out + "{{end}}"
}

func (g *grammar) pipe() string {
	out := g.command()
	for rapid.IntRange(0, 3).Draw(g.t, "more") == 0 {
		out += g.gap() + "|" + g.gap() + g.pick(
			"len", "print", "not", "html", `printf "%v"`, "eq 1", "and 1", "or 0", "index (products)", "println 2", "urlquery",
			"js",
		)
	}
	return out
}

func (g *grammar) command() string {
	if rapid.Bool().Draw(g.t, "operand") {
		return g.operand()
	}
	name := g.pick(
		"eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not", "len", "index", "slice", "print", "println", "html", "js",
		"urlquery", "products", "categories", "pictures", "file_url", "product_url", "now",
	)
	for range rapid.IntRange(0, 3).Draw(g.t, "arguments") {
		name += g.gap() + g.operand()
	}
	return name
}

func (g *grammar) operand() string {
	operands := []string{
		".", "$", ".Name", ".ID", ".Price", ".Slug", ".Shop", ".Shop.Name", "$.Shop.URL", "$.Shop.Nope", ".Rating", "1", "0",
		"-2", "1.5", `"a"`, `""`, `"limit=1"`, "true", "false", "'x'", "products", "categories", "nil",
	}
	operands = append(operands, g.vars...)
	for _, v := range g.vars {
		operands = append(operands, v+".Name", v+".Price")
	}
	if g.depth < 6 && rapid.IntRange(0, 4).Draw(g.t, "nested") == 0 {
		g.depth++
		defer func() { g.depth-- }()
		return "(" + g.pipe() + ")" + g.pick("", "", ".Name", ".ID")
	}
	return g.pick(operands...)
}

func TestGeneratedTemplatesAgreeWithTextTemplate(t *testing.T) {
	c := small()
	rapid.Check(t, func(rt *rapid.T) {
		g := &grammar{t: rt}
		inner := &grammar{t: rt, depth: 2}
		body := `{{define "one"}}` + inner.body() + `{{end}}{{define "two"}}[{{.}}{{$}}]{{end}}` + g.body()
		differ(rt, c, body)
	})
}
