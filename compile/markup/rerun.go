package markup

import (
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
	"golang.org/x/net/html"
)

// A script of a document runs again whenever a visitor comes back to its page,
// in a window that has lived on, and its tree was complete long before
// (document 3, 4.6.5). What only works once, or only while a page loads, is
// found here.

// maxScript is the largest script that is read, in bytes.
const maxScript = 4 << 20

// scripts looks at every classic script and module that the document loads
// from its release.
func (f *fidelity) scripts(doc *html.Node) {
	shown(doc, func(n *html.Node) {
		kind := kindOfScript(n)
		if n.Data != "script" || kind != classic && kind != module {
			return
		}
		t := &sourceText{indexPath, true, textOf(n)}
		if src, external := attr(n, "src"); external {
			var ok bool
			if t, ok = f.linked(f.dir, src); !ok {
				return
			}
		}
		if len(t.body) <= maxScript {
			f.script(t, kind)
		}
	})
}

func (f *fidelity) script(t *sourceText, kind scriptKind) {
	toks, whole := lexScript(t.body)
	aware := strings.Contains(t.body, "readyState") || strings.Contains(t.body, "svc:navigate")
	seen := map[string]bool{}
	for i := range toks {
		code, thing := toks.finding(i, kind, t.inline)
		if code == "" || seen[code] || code == FidelityReady && aware || code == FidelityRoot && !f.ofRoots() || code == FidelityRedeclare && !whole {
			continue
		}
		seen[code] = true // one of a kind and script: they come in rows
		f.at(code, thing, place{t, toks[i].offset})
	}
	f.dressed(t, toks)
}

// scriptToken is a token that means something, with the brackets open before it.
type scriptToken struct {
	tt      js.TokenType
	text    string
	offset  int
	depth   int
	newline bool // a line ended before it
}

type scriptTokens []scriptToken

// finding is what the token at i begins.
func (s scriptTokens) finding(i int, kind scriptKind, inline bool) (code, thing string) {
	switch t := s[i]; t.text {
	case "const", "let", "class":
		if kind == classic && t.depth == 0 && s.declares(i) {
			return FidelityRedeclare, t.text + " " + s.text(i+1)
		}
	case "write", "writeln":
		if s.ofDocument(i) && s.text(i+1) == "(" {
			return FidelityWrite, "document." + t.text
		}
	case "currentScript":
		if s.ofDocument(i) && (!inline || kind == module) {
			return FidelityCurrentScript, "document.currentScript"
		}
	case "classList", "className", "dataset":
		if root := s.text(i - 2); s.text(i-1) == "." && (root == "body" || root == "documentElement") && s.ofDocument(i-2) {
			return FidelityRoot, "document." + root + "." + t.text
		}
	case "addEventListener":
		event := strings.Trim(s.text(i+2), "\"'`")
		onWindow := s.text(i-1) == "." && (s.text(i-2) == "window" || s.text(i-2) == "self") || s.text(i-1) != "."
		if s.text(i+1) == "(" && (event == "DOMContentLoaded" || event == "load" && onWindow) {
			return FidelityReady, "code that waits for " + event
		}
	case "onload":
		if s.text(i-1) == "." && s.text(i-2) == "window" && s.text(i+1) == "=" {
			return FidelityReady, "code that waits for window.onload"
		}
	}
	return "", ""
}

// ofDocument reports whether the token at i is a property of the page's own
// document, and not of one in another window.
func (s scriptTokens) ofDocument(i int) bool {
	of := s.text(i - 4)
	return s.text(i-1) == "." && s.text(i-2) == "document" && (s.text(i-3) != "." || of == "window" || of == "self" || of == "globalThis")
}

// text is the token at i, "" outside.
func (s scriptTokens) text(i int) string {
	if i < 0 || i >= len(s) {
		return ""
	}
	return s[i].text
}

// declares reports whether a statement begins at i.
func (s scriptTokens) declares(i int) bool {
	next := s.text(i + 1)
	named := i+1 < len(s) && (js.IsIdentifierName(s[i+1].tt) || next == "{" || next == "[")
	before := s.text(i - 1)
	fresh := before == "" || before == ";" || before == "}" || s[i].newline && !strings.Contains("=(,:?&|+-!", before)
	return named && fresh
}

// lexScript splits a script into tokens without blanks and comments. whole is
// false for one whose brackets do not close, of which little can be said.
func lexScript(text string) (toks scriptTokens, whole bool) {
	l := js.NewLexer(parse.NewInputString(text))
	offset, depth, newline := 0, 0, false
	for {
		tt, data := l.Next()
		if tt == js.ErrorToken {
			return toks, depth == 0 && offset >= len(text)
		}
		if (tt == js.DivToken || tt == js.DivEqToken) && !toks.operand() {
			tt, data = l.RegExp()
			if tt == js.ErrorToken {
				return toks, false
			}
		}
		from := offset
		offset += len(data)
		switch tt {
		case js.WhitespaceToken, js.CommentToken:
			continue
		case js.LineTerminatorToken, js.CommentLineTerminatorToken:
			newline = true
			continue
		case js.CloseBraceToken, js.CloseParenToken, js.CloseBracketToken, js.TemplateEndToken:
			depth--
		}
		toks = append(toks, scriptToken{tt, string(data), from, depth, newline})
		newline = false
		switch tt {
		case js.OpenBraceToken, js.OpenParenToken, js.OpenBracketToken, js.TemplateStartToken:
			depth++
		}
	}
}

// operand reports whether a value ends here, so that a slash divides.
func (s scriptTokens) operand() bool {
	if len(s) == 0 {
		return false
	}
	switch t := s[len(s)-1]; t.tt {
	case js.CloseBraceToken, js.CloseParenToken, js.CloseBracketToken, js.StringToken, js.TemplateToken, js.TemplateEndToken,
		js.RegExpToken, js.ThisToken, js.SuperToken, js.NullToken, js.TrueToken, js.FalseToken:
		return true
	default:
		return js.IsNumeric(t.tt) || js.IsIdentifier(t.tt)
	}
}
