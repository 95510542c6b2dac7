package fidelity

import (
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/css"
	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
	"vitrine/compile/markup/style"
)

// maxMatching limits the comparisons of compounds with elements, so that a hostile sheet costs
// little more than parsing it.
const maxMatching = 4 << 20

// matcher is a selector, interpreted generously: when in doubt, it matches.
type matcher struct {
	parts       []compoundMatch
	specificity [3]int // ids; classes, attributes and pseudo classes; types
	fuzzy       bool   // the specificity is unknown
	never       bool   // a state such as :hover, or ::before
}

// compoundMatch is one compound of a selector.
type compoundMatch struct {
	shape   style.Shape
	join    byte // the combinator before it
	tag     string
	ids     []string
	classes []string
	attrs   []attrMatch
	any     bool // contains an unsupported part
}

type attrMatch struct {
	name, value string
	exact       bool // else the attribute only has to exist
}

// matchers parses a list of selectors. An invalid one matches everything.
func (r *ruleReader) matchers(i, end int) (list []matcher) {
	var open style.Stack
	for from := i; i <= end; i++ {
		if i < end && (len(open) > 0 || r.Toks[i].Type != css.CommaToken) {
			open.Step(r.Toks[i].Type)
			continue
		}
		if !r.author.count(&r.author.selectors, maxSelectors) {
			return list
		}
		list = append(list, r.matcher(from, i))
		from = i + 1
	}
	return list
}

func (r *ruleReader) matcher(from, to int) (m matcher) {
	compounds, _, ok := r.Compounds(from, to)
	if !ok || len(compounds) == 0 {
		return matcher{parts: []compoundMatch{{any: true}}, fuzzy: true}
	}
	for _, c := range compounds {
		m.parts = append(m.parts, r.part(c, &m))
	}
	return m
}

// part parses one compound and adds its specificity.
func (r *ruleReader) part(c style.Compound, m *matcher) compoundMatch {
	p := compoundMatch{shape: c.Shape, join: c.Join}
	for i := c.From; i < c.To; i++ {
		text := r.Text(i)
		switch r.Toks[i].Type {
		case css.IdentToken:
			p.tag = strings.ToLower(style.Unescape(text))
			m.specificity[2]++
		case css.HashToken:
			p.ids = append(p.ids, style.Unescape(text[1:]))
			m.specificity[0]++
		case css.LeftBracketToken:
			end := min(r.Skip(i), c.To)
			p.attribute(r.Src[r.Toks[i].To:r.Toks[end-1].To])
			m.specificity[1]++
			i = end
		case css.ColonToken:
			i = r.pseudoPart(i+1, c.To, &p, m)
		case css.DelimToken:
			switch text {
			case ".":
				i++
				p.classes = append(p.classes, style.Unescape(r.Text(i)))
				m.specificity[1]++
			case "&", "|":
				p.any, m.fuzzy = true, true
			}
		}
	}
	return p
}

// attribute parses the contents of an attribute selector's brackets.
func (p *compoundMatch) attribute(text string) {
	name, value, valued := strings.Cut(text, "=")
	name = strings.ToLower(strings.Trim(name, dom.Spaces))
	exact := valued && strings.Trim(name, "~|^$*") == name
	p.attrs = append(p.attrs, attrMatch{strings.TrimRight(name, "~|^$*"), strings.Trim(value, dom.Spaces+`"'`), exact})
}

// states lists the pseudo classes that do not apply to a page at rest.
var states = map[string]bool{
	"hover": true, "active": true, "focus": true, "focus-visible": true, "focus-within": true, "target": true, "visited": true,
	"checked": true, "disabled": true, "indeterminate": true, "invalid": true, "user-invalid": true, "autofill": true, "fullscreen": true,
	"before": true, "after": true, "first-line": true, "first-letter": true,
}

// pseudoPart parses the part after a colon and returns its last index.
func (r *ruleReader) pseudoPart(i, end int, p *compoundMatch, m *matcher) int {
	if i < end && r.Toks[i].Type == css.ColonToken {
		m.never = true
		return i + 1
	}
	if i >= end {
		return i
	}
	m.specificity[1]++
	if r.Toks[i].Type == css.FunctionToken {
		p.any, m.fuzzy = true, true
		return min(r.Skip(i), end-1)
	}
	name := strings.ToLower(style.Unescape(r.Text(i)))
	switch {
	case name == "root":
		p.tag = "html"
	case states[name] || strings.HasPrefix(name, "-"):
		m.never = true
	case name != "link" && name != "any-link":
		p.any = true
	}
	return i
}

// matches reports whether a selector may match an element. Sibling combinators are assumed to
// hold; > is treated as a descendant combinator.
func (a *author) matches(m matcher, n *html.Node) bool {
	last := len(m.parts) - 1
	if a.steps++; m.never || a.steps > maxMatching || !m.parts[last].matches(n) {
		return false
	}
	join := m.parts[last].join
	for k := last - 1; k >= 0; k-- {
		if join != '+' && join != '~' {
			if n = a.ancestor(n, m.parts[k]); n == nil {
				return false
			}
		}
		join = m.parts[k].join
	}
	return true
}

func (a *author) ancestor(n *html.Node, p compoundMatch) *html.Node {
	for n = n.Parent; n != nil && n.Type == html.ElementNode; n = n.Parent {
		if a.steps++; p.matches(n) {
			return n
		}
	}
	return nil
}

func (p compoundMatch) matches(n *html.Node) bool {
	if p.tag != "" && p.tag != n.Data {
		return false
	}
	if len(p.ids) > 0 {
		if id, _ := dom.Attr(n, "id"); p.ids[0] != id {
			return false
		}
	}
	if len(p.classes) > 0 {
		class, _ := dom.Attr(n, "class")
		own := strings.Fields(class)
		for _, c := range p.classes {
			if !slices.Contains(own, c) {
				return false
			}
		}
	}
	for _, want := range p.attrs {
		if value, ok := dom.Attr(n, want.name); !ok || want.exact && value != want.value {
			return false
		}
	}
	return true
}

// bare reports whether a selector consists only of bare html, :root and body, and which one is
// its subject. Such a selector is replaced by the wrapper's class.
func (m matcher) bare() (about style.Shape, ok bool) {
	for _, p := range m.parts {
		if p.shape != style.BareRoot && p.shape != style.BareBody {
			return style.Other, false
		}
	}
	return m.parts[len(m.parts)-1].shape, !m.never
}
