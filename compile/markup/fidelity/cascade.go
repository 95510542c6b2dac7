package fidelity

import (
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup"
	"vitrine/compile/markup/style"
	"vitrine/compile/release"
)

// A bare body selector has the specificity of one type. The wrapper's class that replaces it has
// that of a class: as much as the selectors that style body by its own classes. And html and
// body, two elements with separate rules, are now one element. Where that changes the winning
// declaration of a property, the document looks different.

// maxAlike is the maximum number of findings of one kind per document, and of declarations that
// are compared: both tend to repeat.
const maxAlike = 200

// weighed is a declaration for the wrapper with its rule.
type weighed struct {
	decl
	rule     *styleRule
	selector string
}

// cascade finds the declarations that win for the wrapper but lost for body, and the selectors
// that no longer match it.
func (f *look) cascade() {
	var own, body, echoed []weighed
	for i := range f.author.rules {
		rule := &f.author.rules[i]
		f.stale(rule)
		for _, m := range rule.selectors {
			kind, bare := m.bare()
			for _, d := range rule.decls {
				w := weighed{d, rule, m.String()}
				switch linked := !d.at.Text.Inline; {
				case linked && bare:
					echoed = few(echoed, w)
				case linked && f.classOf(f.Body, m):
					f.overtaken(w, echoed, false)
				case linked && f.classOf(f.Root, m):
					f.overtaken(w, echoed, true)
				}
				switch {
				case bare && kind == style.BareBody:
					f.overtakes(w, own)
					body = few(body, w)
				case bare && !rule.styles(style.BareBody):
					f.overtakes(w, body)
				case !bare && f.classOf(f.Body, m):
					own = few(own, w)
				}
			}
		}
	}
}

func few(list []weighed, w weighed) []weighed {
	if len(list) == maxAlike {
		return list
	}
	return append(list, w)
}

// styles reports whether a rule has a bare selector of that kind.
func (r *styleRule) styles(kind style.Shape) bool {
	for _, m := range r.selectors {
		if about, ok := m.bare(); ok && about == kind {
			return true
		}
	}
	return false
}

// classOf reports whether a selector matches html or body by a single class or attribute, whose
// specificity does not exceed that of the wrapper's class.
func (f *look) classOf(n *html.Node, m matcher) bool {
	return !m.fuzzy && m.specificity == [3]int{0, 1, 0} && len(m.parts) == 1 && !m.parts[0].any && f.author.matches(m, n)
}

// overtakes reports the first earlier declaration that a later bare rule overrides now and did
// not before.
func (f *look) overtakes(late weighed, earlier []weighed) bool {
	for _, early := range earlier {
		if early.rule == late.rule || early.rule.layered || late.rule.layered || early.important != late.important ||
			!sameProperty(early.name, late.name) || early.value == late.value || !together(early.rule.conditions, late.rule.conditions) {
			continue
		}
		f.At(release.FidelityCascade, late.selector+"{"+late.name+"} beats "+early.selector+"{"+early.name+"} inside a page:", late.at)
		return true
	}
	return false
}

// overtaken reports the first earlier bare rule of a linked sheet that overrides a later
// declaration of that sheet, for body or for html: the bare rules are repeated after the whole
// sheet. Rules for body have always hidden those for html.
func (f *look) overtaken(late weighed, earlier []weighed, ofRoot bool) {
	for _, bare := range earlier {
		if bare.at.Text == late.at.Text && !(ofRoot && bare.rule.styles(style.BareBody)) && f.overtakes(bare, []weighed{late}) {
			return
		}
	}
}

// sameProperty reports whether two declarations set the same property, one of them possibly by a
// shorthand.
func sameProperty(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || strings.HasPrefix(b, a+"-")
}

// together reports whether two rules can apply at the same time, as far as their conditions tell.
func together(a, b string) bool { return a == "" || b == "" || a == b }

// stale reports the selectors of a rule that require the element names html or body together with
// a class or an id that these have in the document: the wrapper takes over the class and is a
// div.
func (f *look) stale(rule *styleRule) {
	for _, m := range rule.selectors {
		for _, p := range m.parts {
			n := map[string]*html.Node{"html": f.Root, "body": f.Body}[p.tag]
			if n == nil || p.any || len(p.ids)+len(p.classes)+len(p.attrs) == 0 || p.ofPage() || !p.matches(n) {
				continue
			}
			f.At(release.FidelitySelector, p.String(), rule.at)
			break
		}
	}
}

// ofRoots reports whether a rule styles html or body with a class, an id or an attribute: the
// wrapper is neither, whatever a script sets there.
func (f *look) ofRoots() bool {
	for i := range f.author.rules {
		for _, m := range f.author.rules[i].selectors {
			if len(m.parts) == 0 {
				continue
			}
			p := m.parts[len(m.parts)-1]
			n := map[string]*html.Node{"html": f.Root, "body": f.Body}[p.tag]
			if n != nil && !p.any && len(p.ids)+len(p.classes)+len(p.attrs) > 0 && !p.ofPage() && !p.matches(n) {
				return true // a matching selector is reported as stale
			}
		}
	}
	return false
}

// ofPage reports whether a compound requires an attribute that the page's own html has.
func (p compoundMatch) ofPage() bool {
	for _, a := range p.attrs {
		if a.name == "lang" || a.name == "dir" {
			return true
		}
	}
	return false
}

// String returns a short form of the selector.
func (m matcher) String() string {
	parts := make([]string, len(m.parts))
	for i, p := range m.parts {
		parts[i] = p.String()
	}
	return strings.Join(parts, " ")
}

// String returns the compound in its likely spelling.
func (p compoundMatch) String() string {
	var b strings.Builder
	b.WriteString(p.tag)
	for _, id := range p.ids {
		b.WriteString("#" + id)
	}
	for _, c := range p.classes {
		b.WriteString("." + c)
	}
	for _, a := range p.attrs {
		b.WriteString("[" + a.name)
		if a.value != "" {
			b.WriteString("=" + a.value)
		}
		b.WriteString("]")
	}
	return b.String()
}

// units reports sizes that depend on the root element, which the page keeps.
func (f *look) units() {
	var size, tall markup.Place
	centred, tallChild := false, false
	for i := range f.author.rules {
		rule := &f.author.rules[i]
		root, body := rule.styles(style.BareRoot), rule.styles(style.BareBody)
		for _, d := range rule.decls {
			switch percent := strings.HasSuffix(d.value, "%"); {
			case root && d.name == "font-size" && d.at.Text.Inline && !ordinary[d.value]:
				size = d.at // a linked sheet keeps its bytes, so it applies to the page's own root
			case body && percent && (d.name == "height" || d.name == "min-height"):
				tall = d.at
			case body && d.name == "display" && (strings.Contains(d.value, "flex") || strings.Contains(d.value, "grid")):
				centred = true
			case percent && (d.name == "height" || d.name == "min-height"):
				tallChild = tallChild || f.childOfBody(rule)
			}
		}
	}
	if size.Text != nil && f.usesRem() {
		f.At(release.FidelityRem, "font-size of the root element", size)
	}
	if tall.Text != nil && (centred || tallChild) {
		f.At(release.FidelityHeight, "a height in percent of the window", tall)
	}
}

// ordinary lists the font sizes of the root element that equal the page's.
var ordinary = map[string]bool{"100%": true, "16px": true, "1rem": true, "1em": true, "medium": true, "inherit": true, "initial": true}

func (f *look) usesRem() bool {
	for _, rule := range f.author.rules {
		for _, d := range rule.decls {
			if i := strings.Index(d.value, "rem"); i > 0 && (d.value[i-1] >= '0' && d.value[i-1] <= '9' || d.value[i-1] == '.') {
				return true
			}
		}
	}
	return false
}

// childOfBody reports whether a rule styles a direct child of body.
func (f *look) childOfBody(rule *styleRule) bool {
	for n := range f.Body.ChildNodes() {
		for _, m := range rule.selectors {
			if n.Type == html.ElementNode && f.author.matches(m, n) {
				return true
			}
		}
	}
	return false
}
