// Package script tokenizes the scripts of documents, for checks without running them.
package script

import (
	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// Token is a significant token, with the number of brackets open before it.
type Token struct {
	Type    js.TokenType
	Text    string
	Offset  int
	Depth   int
	Newline bool // a line break precedes it
}

// Tokens are the tokens of one script.
type Tokens []Token

// OfDocument reports whether the token at i is a property of the page's own document, and not of
// one in another window.
func (s Tokens) OfDocument(i int) bool {
	of := s.Text(i - 4)
	return s.Text(i-1) == "." && s.Text(i-2) == "document" && (s.Text(i-3) != "." || of == "window" || of == "self" || of == "globalThis")
}

// Text returns the token at i, or "" out of range.
func (s Tokens) Text(i int) string {
	if i < 0 || i >= len(s) {
		return ""
	}
	return s[i].Text
}

// Lex splits a script into tokens without blanks and comments. whole is false if its brackets do
// not close, in which case little is certain.
func Lex(text string) (toks Tokens, whole bool) {
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
		toks = append(toks, Token{tt, string(data), from, depth, newline})
		newline = false
		switch tt {
		case js.OpenBraceToken, js.OpenParenToken, js.OpenBracketToken, js.TemplateStartToken:
			depth++
		}
	}
}

// operand reports whether the last token ends a value, so that a slash divides.
func (s Tokens) operand() bool {
	if len(s) == 0 {
		return false
	}
	switch t := s[len(s)-1]; t.Type {
	case js.CloseBraceToken, js.CloseParenToken, js.CloseBracketToken, js.StringToken, js.TemplateToken, js.TemplateEndToken,
		js.RegExpToken, js.ThisToken, js.SuperToken, js.NullToken, js.TrueToken, js.FalseToken:
		return true
	default:
		return js.IsNumeric(t.Type) || js.IsIdentifier(t.Type)
	}
}
