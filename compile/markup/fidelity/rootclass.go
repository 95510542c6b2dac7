package fidelity

import (
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/js"

	"vitrine/compile/markup"
	"vitrine/compile/markup/script"
	"vitrine/compile/release"
)

// The storefront copies the classes that scripts set on html and body to the wrapper. This file
// finds where that is not equivalent.

// tall lists the properties by which a class makes the wrapper a different box than body was.
const tall = "height min-height max-height"

// dressed reports the classes that a script sets on html or body and that set a height, once
// each.
func (f *look) dressed(t *markup.Text, toks script.Tokens) {
	for i := range toks {
		for _, name := range rootClasses(toks, i) {
			if !f.classes[name] && f.setsHeight(name) {
				f.classes[name] = true
				f.At(release.FidelityClass, "the class "+markup.Quoted(name)+", which sets a height,", markup.Place{Text: t, Offset: toks[i].Offset})
			}
		}
	}
}

// setsHeight reports whether a class alone sets a height and is not just a scroll lock, which
// stays on body only.
func (f *look) setsHeight(class string) bool {
	height, paints := false, false
	for i := range f.author.rules {
		rule := &f.author.rules[i]
		own := func(m matcher) bool {
			return !m.never && len(m.parts) == 1 && m.parts[0].tag == "" && slices.Contains(m.parts[0].classes, class)
		}
		if !slices.ContainsFunc(rule.selectors, own) {
			continue
		}
		for _, d := range rule.decls {
			height = height || among(d.name, tall)
			paints = paints ||
				!among(d.name, tall+" width overflow* overscroll-behavior* touch-action position inset* top right bottom left padding-right")
		}
	}
	return height && paints
}

// maxClasses is the maximum number of classes read from one call.
const maxClasses = 20

// rootClasses returns the literal classes that the token at i sets on html or body:
// document.body.classList.add('a', 'b'), className = 'a b', and $('body').addClass('a b').
func rootClasses(s script.Tokens, i int) (names []string) {
	root := strings.Trim(s.Text(i-2), "\"'`")
	ofRoot := s.Text(i-1) == "." && (root == "body" || root == "documentElement") && s.OfDocument(i-2)
	from := 0
	switch s[i].Text {
	case "classList":
		if method := s.Text(i + 2); ofRoot && s.Text(i+1) == "." && (method == "add" || method == "toggle") {
			from = i + 4
		}
	case "className":
		if ofRoot && (s.Text(i+1) == "=" || s.Text(i+1) == "+=") {
			from = i + 2
		}
	case "addClass", "toggleClass":
		root = strings.Trim(s.Text(i-3), "\"'`")
		if s.Text(i-1) == "." && s.Text(i-2) == ")" && (root == "body" || root == "html") {
			from = i + 2
		}
	}
	for ; from > 0 && from < len(s) && (s[from].Type == js.StringToken || s[from].Text == ",") && len(names) < maxClasses; from++ {
		names = append(names, strings.Fields(strings.Trim(s[from].Text, "\"'`,"))...)
	}
	return names
}
