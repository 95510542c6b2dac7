package markup

import (
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// The storefront gives the wrapper the classes that scripts put on html and body.
// Where that is not the same is found here.

// tall is the properties of a class by which the wrapper is another box than body was.
const tall = "height min-height max-height"

// dressed files the classes that a script puts on html or body and that set a
// height, once each.
func (f *fidelity) dressed(t *sourceText, toks scriptTokens) {
	for i := range toks {
		for _, name := range toks.rootClasses(i) {
			if !f.classes[name] && f.setsHeight(name) {
				f.classes[name] = true
				f.at(FidelityClass, "the class "+quoted(name)+", which sets a height,", place{t, toks[i].offset})
			}
		}
	}
}

// setsHeight reports whether a class by itself sets a height and is no mere scroll
// lock, which is left to body.
func (f *fidelity) setsHeight(class string) bool {
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
			paints = paints || !among(d.name, tall+" width overflow* overscroll-behavior* touch-action position inset* top right bottom left padding-right")
		}
	}
	return height && paints
}

// maxClasses is how many classes one call is read for.
const maxClasses = 20

// rootClasses is the classes that the token at i puts on html or body, where they
// are written out: document.body.classList.add('a', 'b'), className = 'a b', and
// $('body').addClass('a b').
func (s scriptTokens) rootClasses(i int) (names []string) {
	root := strings.Trim(s.text(i-2), "\"'`")
	ofRoot := s.text(i-1) == "." && (root == "body" || root == "documentElement") && s.ofDocument(i-2)
	from := 0
	switch s[i].text {
	case "classList":
		if method := s.text(i + 2); ofRoot && s.text(i+1) == "." && (method == "add" || method == "toggle") {
			from = i + 4
		}
	case "className":
		if ofRoot && (s.text(i+1) == "=" || s.text(i+1) == "+=") {
			from = i + 2
		}
	case "addClass", "toggleClass":
		root = strings.Trim(s.text(i-3), "\"'`")
		if s.text(i-1) == "." && s.text(i-2) == ")" && (root == "body" || root == "html") {
			from = i + 2
		}
	}
	for ; from > 0 && from < len(s) && (s[from].tt == js.StringToken || s[from].text == ",") && len(names) < maxClasses; from++ {
		names = append(names, strings.Fields(strings.Trim(s[from].text, "\"'`,"))...)
	}
	return names
}
