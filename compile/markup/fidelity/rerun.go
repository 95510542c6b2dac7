package fidelity

import (
	"strings"

	"github.com/tdewolff/parse/v2/js"
	"golang.org/x/net/html"

	"vitrine/compile/markup"
	"vitrine/compile/markup/dom"
	"vitrine/compile/markup/script"
	"vitrine/compile/release"
)

// A script of a document runs again whenever a visitor returns to its page, in a window that was
// not reloaded, and its tree was complete long before (document 3, 4.6.5). This file finds code
// that works only once, or only while a page loads.

// scripts checks every script.Classic script and module that the document loads from its release.
func (f *look) scripts() {
	dom.Shown(f.Doc, func(n *html.Node) {
		kind := script.KindOf(n)
		if n.Data != "script" || kind != script.Classic && kind != script.Module {
			return
		}
		t := markup.Inline(n)
		if src, external := dom.Attr(n, "src"); external {
			var ok bool
			if t, ok = f.Linked(f.Dir, src); !ok {
				return
			}
		}
		if len(t.Body) <= markup.MaxScript {
			f.script(t, kind)
		}
	})
}

func (f *look) script(t *markup.Text, kind script.Kind) {
	toks, whole := script.Lex(t.Body)
	aware := strings.Contains(t.Body, "readyState") || strings.Contains(t.Body, "svc:navigate")
	seen := map[string]bool{}
	for i := range toks {
		code, thing := finding(toks, i, kind, t.Inline)
		if code == "" || seen[code] || code == release.FidelityReady && aware || code == release.FidelityRoot && !f.ofRoots() ||
			code == release.FidelityRedeclare && !whole {
			continue
		}
		seen[code] = true // one per code and script: they tend to repeat
		f.At(code, thing, markup.Place{Text: t, Offset: toks[i].Offset})
	}
	f.dressed(t, toks)
}

// finding returns the finding for the token at i.
func finding(s script.Tokens, i int, kind script.Kind, inline bool) (code, thing string) {
	switch t := s[i]; t.Text {
	case "const", "let", "class":
		if kind == script.Classic && t.Depth == 0 && declares(s, i) {
			return release.FidelityRedeclare, t.Text + " " + s.Text(i+1)
		}
	case "write", "writeln":
		if s.OfDocument(i) && s.Text(i+1) == "(" {
			return release.FidelityWrite, "document." + t.Text
		}
	case "currentScript":
		if s.OfDocument(i) && (!inline || kind == script.Module) {
			return release.FidelityCurrentScript, "document.currentScript"
		}
	case "classList", "className", "dataset":
		if root := s.Text(i - 2); s.Text(i-1) == "." && (root == "body" || root == "documentElement") && s.OfDocument(i-2) {
			return release.FidelityRoot, "document." + root + "." + t.Text
		}
	case "addEventListener":
		event := strings.Trim(s.Text(i+2), "\"'`")
		onWindow := s.Text(i-1) == "." && (s.Text(i-2) == "window" || s.Text(i-2) == "self") || s.Text(i-1) != "."
		if s.Text(i+1) == "(" && (event == "DOMContentLoaded" || event == "load" && onWindow) {
			return release.FidelityReady, "code that waits for " + event
		}
	case "onload":
		if s.Text(i-1) == "." && s.Text(i-2) == "window" && s.Text(i+1) == "=" {
			return release.FidelityReady, "code that waits for window.onload"
		}
	}
	return "", ""
}

// declares reports whether a declaration begins at i.
func declares(s script.Tokens, i int) bool {
	next := s.Text(i + 1)
	named := i+1 < len(s) && (js.IsIdentifierName(s[i+1].Type) || next == "{" || next == "[")
	before := s.Text(i - 1)
	fresh := before == "" || before == ";" || before == "}" || s[i].Newline && !strings.Contains("=(,:?&|+-!", before)
	return named && fresh
}
