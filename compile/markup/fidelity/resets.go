package fidelity

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
	"vitrine/compile/release"
)

// reset is a rule of the browsers' default style sheet that the storefront's base layer resets
// (document 3, 4.6.4).
type reset struct {
	tags  string // of the elements, separated by blanks
	decls []resetDecl
}

// resetDecl is a declaration of such a rule, and the names of the properties that override it;
// margin* is margin and all names that begin with margin-.
type resetDecl struct{ text, names string }

var (
	paragraphs = resetDecl{"margin:1em 0", "margin*"}
	quotes     = resetDecl{"margin:1em 40px", "margin*"}
	indent     = resetDecl{"padding-left:40px", "padding padding-left padding-inline padding-inline-start"}
	weights    = [...][2]string{
		{"2em", ".67em"}, {"1.5em", ".83em"}, {"1.17em", "1em"}, {"", "1.33em"}, {".83em", "1.67em"}, {".67em", "2.33em"},
	}
)

// preflight lists the rules that are reset, except those of body and the headings.
var preflight = []reset{
	{"p dl", []resetDecl{paragraphs}},
	{"blockquote figure", []resetDecl{quotes}},
	{"dd", []resetDecl{{"margin-left:40px", "margin margin-left margin-inline margin-inline-start"}}},
	{"pre", []resetDecl{paragraphs}},
	{"hr", []resetDecl{{"margin:.5em auto", "margin*"}}},
	{"ul menu", []resetDecl{{"list-style:disc", "list-style*"}, paragraphs, indent}},
	{"ol", []resetDecl{{"list-style:decimal", "list-style*"}, paragraphs, indent}},
	{"a", []resetDecl{{"color:linktext", "color"}}},
	{"fieldset", []resetDecl{{"margin:0 2px", "margin*"}}},
	{"button input", []resetDecl{
		{"border:2px outset buttonborder;background:buttonface;padding:1px 6px", "border* background* padding* appearance -webkit-appearance"},
		{"font:13.3px system-ui", "font font-size font-family"}}},
}

// headings returns the rules for h1 to h6.
func headings() (rules []reset) {
	for i, w := range weights {
		r := reset{"h" + string(rune('1'+i)), []resetDecl{{"margin:" + w[1] + " 0", "margin*"}}}
		if w[0] != "" {
			r.decls = append([]resetDecl{{"font-size:" + w[0], "font-size font"}}, r.decls...)
		}
		rules = append(rules, r)
	}
	return rules
}

// maxExamined is the maximum number of examined elements per kind.
const maxExamined = 60

// resets reports, for each kind of element, the first one that relied on the browsers' default
// rules.
func (f *look) resets() {
	if f.author.unsure() {
		return
	}
	var found []func()
	if lost := f.bodyLosses(); lost != nil {
		found = append(found, func() { f.lost("body", lost, f.Body) })
	}
	for _, rule := range slices.Concat(headings(), preflight) {
		for tag := range strings.FieldsSeq(rule.tags) {
			if n, lost := f.first(tag, rule.decls); n != nil {
				found = append(found, func() { f.lost(tag, lost, n) })
			}
		}
	}
	if f.author.unsure() { // matching was cut short
		return
	}
	for _, tell := range found {
		tell()
	}
}

func (f *look) lost(tag string, decls []string, n *html.Node) {
	f.OfElement(release.FidelityReset, tag+"{"+strings.Join(decls, ";")+"}", n)
}

// first finds an element with the tag for which the author leaves a property unset.
func (f *look) first(tag string, decls []resetDecl) (found *html.Node, lost []string) {
	examined := 0
	dom.Shown(f.Body, func(n *html.Node) {
		if found != nil || n.Data != tag || examined == maxExamined || !f.concerned(n) {
			return
		}
		examined++
		if missing := f.losses(n, decls); missing != nil && f.matters(n, missing) {
			found, lost = n, missing
		}
	})
	return found, lost
}

// concerned reports whether the default rule for an element is visible at all.
func (f *look) concerned(n *html.Node) bool {
	switch n.Data {
	case "hr":
		return true
	case "input":
		kind, _ := dom.Attr(n, "type")
		return among(strings.ToLower(kind), "submit button reset")
	case "a":
		_, link := dom.Attr(n, "href")
		return link && hasText(n)
	}
	return hasText(n)
}

// matters reports whether the unset properties are visible: bullets only next to items that are
// still list items.
func (f *look) matters(n *html.Node, missing []string) bool {
	if !strings.HasPrefix(missing[0], "list-style") || len(missing) > 1 {
		return true
	}
	for item := range n.ChildNodes() {
		if item.Type == html.ElementNode && item.Data == "li" {
			return !f.sets(item, "display list-style* float")
		}
	}
	return false
}

// losses returns the declarations that no rule of the author overrides for an element.
func (f *look) losses(n *html.Node, decls []resetDecl) (lost []string) {
	for _, d := range decls {
		if !f.sets(n, d.names) {
			lost = append(lost, d.text)
		}
	}
	return lost
}

// sets reports whether a rule or the style attribute may set one of the named properties on an
// element.
func (f *look) sets(n *html.Node, names string) bool {
	if style, ok := dom.Attr(n, "style"); ok {
		for d := range strings.SplitSeq(style, ";") {
			name, _, _ := strings.Cut(d, ":")
			if among(strings.ToLower(strings.Trim(name, dom.Spaces)), names) {
				return true
			}
		}
	}
	for _, rule := range f.settersOf(names) {
		if slices.ContainsFunc(rule.selectors, func(m matcher) bool { return f.author.matches(m, n) }) {
			return true
		}
	}
	return false
}

// settersOf returns the rules that set one of the named properties on any element.
func (f *look) settersOf(names string) []*styleRule {
	if rules, known := f.setters[names]; known {
		return rules
	}
	var rules []*styleRule
	for i := range f.author.rules {
		rule := &f.author.rules[i]
		if slices.ContainsFunc(rule.decls, func(d decl) bool { return among(d.name, names) }) {
			rules = append(rules, rule)
		}
	}
	f.setters[names] = rules
	return rules
}

// among reports whether a property matches one of the names.
func among(property, names string) bool {
	for name := range strings.FieldsSeq(names) {
		shorthand, whole := strings.CutSuffix(name, "*")
		if property == shorthand || property == "all" || whole && strings.HasPrefix(property, shorthand+"-") {
			return true
		}
	}
	return false
}

// bodyLosses returns what body itself has from browsers: its margin, and a font for text that has
// no other.
func (f *look) bodyLosses() (lost []string) {
	if f.Body.FirstChild != nil {
		lost = f.losses(f.Body, []resetDecl{{"margin:8px", "margin*"}})
	}
	if f.unset("font-family font") {
		lost = append(lost, "font-family:serif")
	}
	return lost
}

// unset reports whether any text leaves an inherited property to the browser.
func (f *look) unset(names string) (found bool) {
	examined := 0
	look := func(n *html.Node) {
		if found || examined == maxExamined || !ownText(n) {
			return
		}
		examined++
		found = true
		for e := n; e != nil && e.Type == html.ElementNode; e = e.Parent {
			found = found && !f.sets(e, names)
		}
	}
	look(f.Body)
	dom.Shown(f.Body, look)
	return found
}

// ownText reports whether an element directly contains text.
func ownText(n *html.Node) bool {
	switch n.Data {
	case "script", "style", "title", "textarea", "option", "button", "code", "pre", "kbd", "samp", "tt":
		return false // these have their own font, or none
	}
	return strings.Trim(dom.Text(n), dom.Spaces) != ""
}
