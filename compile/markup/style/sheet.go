// Package style parses style sheets: tokens from a lossless lexer, the blocks they form,
// selectors and their parts. It parses what browsers parse, including hostile sheets, and writes
// nothing: package markup uses it to move addresses and bare selectors, package fidelity to find
// what no longer applies.
package style

import (
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// Sheet is the text of a style sheet and its tokens, which cover the whole text.
type Sheet struct {
	Src  string
	Toks []Token
}

// Token is a range of the source.
type Token struct {
	Type     css.TokenType
	From, To int32
}

// Read splits a style sheet.
func Read(src string) Sheet {
	src = strings.TrimPrefix(src, "\uFEFF") // the lexer would read it as part of the first name
	return Sheet{src, Lex(src)}
}

// Lex splits a text into tokens without losing a byte.
func Lex(src string) []Token {
	toks := make([]Token, 0, len(src)/4+8)
	l := css.NewLexer(parse.NewInputString(src))
	at := 0
	for {
		tt, data := l.Next()
		if tt == css.ErrorToken || len(data) == 0 {
			break
		}
		toks = append(toks, Token{tt, int32(at), int32(at + len(data))})
		at += len(data)
	}
	if at < len(src) { // the lexer gave up: copy the rest
		toks = append(toks, Token{css.BadStringToken, int32(at), int32(len(src))})
	}
	return toks
}

// Text returns the token at i.
func (s *Sheet) Text(i int) string { return s.Src[s.Toks[i].From:s.Toks[i].To] }

// Declaration returns where the declaration at i ends; ok is false when a block comes first, so
// that it is a nested rule. The block of a custom property is part of its value.
func (s *Sheet) Declaration(i int) (end int, ok bool) {
	custom := s.Toks[i].Type == css.CustomPropertyNameToken
	var open Stack
	for j := i; j < len(s.Toks); j++ {
		tt := s.Toks[j].Type
		if len(open) == 0 {
			switch {
			case tt == css.SemicolonToken || tt == css.RightBraceToken:
				return j, true
			case tt == css.LeftBraceToken && !custom:
				return j, false
			}
		}
		open.Step(tt)
	}
	return len(s.Toks), true
}

// Prelude finds the brace that opens a rule's block, or the end of a rule without one.
func (s *Sheet) Prelude(i int, top bool) (end int, spoilt bool) {
	var open Stack
	for j := i; j < len(s.Toks); j++ {
		tt := s.Toks[j].Type
		if len(open) == 0 {
			switch tt {
			case css.LeftBraceToken:
				return j, spoilt
			case css.RightBraceToken:
				if !top {
					return j, spoilt
				}
				spoilt = true
			}
		}
		open.Step(tt)
	}
	return len(s.Toks), spoilt
}

// AtPrelude finds the brace that opens the block of an at-rule, or the index after a rule without
// one.
func (s *Sheet) AtPrelude(i int, top bool) (end int, block bool) {
	var open Stack
	for j := i; j < len(s.Toks); j++ {
		tt := s.Toks[j].Type
		if len(open) == 0 {
			switch tt {
			case css.LeftBraceToken:
				return j, true
			case css.SemicolonToken:
				return j + 1, false
			case css.RightBraceToken:
				if !top {
					return j, false
				}
			}
		}
		open.Step(tt)
	}
	return len(s.Toks), false
}

// Skip returns the index of the bracket that closes the one at i.
func (s *Sheet) Skip(i int) int {
	var open Stack
	for j := i; j < len(s.Toks); j++ {
		open.Step(s.Toks[j].Type)
		if len(open) == 0 {
			return j
		}
	}
	return len(s.Toks)
}

// Stack holds the closing brackets expected by the open ones in a run of tokens.
type Stack []css.TokenType

// Step processes one more token.
func (st *Stack) Step(tt css.TokenType) {
	switch tt {
	case css.LeftParenthesisToken, css.FunctionToken:
		*st = append(*st, css.RightParenthesisToken)
	case css.LeftBracketToken:
		*st = append(*st, css.RightBracketToken)
	case css.LeftBraceToken:
		*st = append(*st, css.RightBraceToken)
	case css.RightParenthesisToken, css.RightBracketToken, css.RightBraceToken:
		if n := len(*st); n > 0 && (*st)[n-1] == tt {
			*st = (*st)[:n-1]
		}
	}
}
