package fidelity

import (
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
	"vitrine/compile/release"
)

// Alone, a document owns the top of the window. In a page the shop's header is there, and
// collides with elements that the document keeps at the top of the window.

// covers reports the declarations that keep an element at the top of the window, once each.
func (f *look) covers() {
	dom.Shown(f.Body, func(n *html.Node) {
		if text, _ := dom.Attr(n, "style"); text != "" {
			own := inlineDecls(text)
			if stays(own["position"]) && atTop(own["top"]) {
				f.OfAttribute(release.FidelityCover, "position:"+own["position"]+" at the top", "style", text)
			}
		}
	})
	for i := range f.author.rules {
		rule := &f.author.rules[i]
		for _, d := range rule.decls {
			if d.name == "position" && stays(d.value) && f.toppedBy(rule) {
				f.At(release.FidelityCover, "position:"+d.value+" at the top", d.at)
				break
			}
		}
	}
}

func stays(position string) bool { return position == "fixed" || position == "sticky" }

// atTop reports whether a value of top can be covered by the shop's header: not a percentage, and
// not negative, which is outside the window.
func atTop(value string) bool {
	return value != "" && value[0] >= '0' && value[0] <= '9' && !strings.HasSuffix(value, "%") || strings.HasPrefix(value, ".")
}

// toppedBy reports whether an element styled by the rule is placed at the top but not also at the
// bottom, like dialogs, which cover the page on purpose.
func (f *look) toppedBy(rule *styleRule) (found bool) {
	dom.Shown(f.Body, func(n *html.Node) {
		if found || f.author.unsure() || !f.styled(rule, n) {
			return
		}
		text, _ := dom.Attr(n, "style")
		top, tall := atTop(inlineDecls(text)["top"]), false
		for _, r := range f.settersOf("top bottom inset height") {
			if !f.styled(r, n) {
				continue
			}
			for _, d := range r.decls {
				top = top || d.name == "top" && atTop(d.value)
				tall = tall || d.name == "bottom" && atTop(d.value) || d.name == "inset" ||
					d.name == "height" && (d.value == "100%" || d.value == "100vh")
			}
		}
		found = top && !tall
	})
	return found
}

func (f *look) styled(rule *styleRule, n *html.Node) bool {
	for _, m := range rule.selectors {
		if f.author.matches(m, n) {
			return true
		}
	}
	return false
}

// inlineDecls returns the declarations of a style attribute, assuming that no brackets contain
// semicolons.
func inlineDecls(text string) map[string]string {
	decls := map[string]string{}
	for d := range strings.SplitSeq(text, ";") {
		name, value, _ := strings.Cut(d, ":")
		value, _, _ = strings.Cut(value, "!")
		decls[strings.ToLower(strings.Trim(name, dom.Spaces))] = strings.ToLower(strings.Trim(value, dom.Spaces))
	}
	return decls
}
