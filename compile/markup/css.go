package markup

import (
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// maxNesting is how deep blocks of a style sheet are read; what lies deeper is
// copied.
const maxNesting = 128

// maxLists is how deep :is(), :where() and :not() are read inside one another.
const maxLists = 16

// addressFunc decides about one address of a style sheet; ok is false when it
// stays. offset is where it stands in the sheet. An address in a comment is
// looked at and never moved.
type addressFunc func(address string, offset int, comment bool) (moved string, ok bool)

// sheet is one pass over a style sheet. It copies every token but bare
// body, html and :root selectors and addresses (document 3, 4.6.3).
type sheet struct {
	src     string
	toks    []token
	out     []byte
	class   string // ".svc-body-7", in place of the bare selectors
	address addressFunc

	// echo keeps only the rules whose bare selectors would miss the wrapper,
	// with the conditional rules around them.
	echo    bool
	imports func(address, conditions string)
	begun   bool // there was a rule: imports behind it are none
	depth   int  // open blocks
	lists   int  // open :is(), :where() and :not()
}

// token is a range of the source.
type token struct {
	tt       css.TokenType
	from, to int32
}

// rewriteStyle rewrites the addresses of a style attribute or of an svg
// presentation attribute.
func rewriteStyle(src string, address addressFunc) string {
	if !mayName(src) {
		return src
	}
	s := newSheet(src, "", address)
	s.values(0, len(s.toks))
	return string(s.out)
}

// mayName reports whether a style may name an address at all.
func mayName(style string) bool {
	return strings.IndexByte(style, '(') >= 0 || strings.IndexByte(style, '@') >= 0
}

func newSheet(src, class string, address addressFunc) *sheet {
	src = strings.TrimPrefix(src, "\uFEFF") // the lexer would read it as part of the first name
	return &sheet{src: src, toks: lex(src), out: make([]byte, 0, len(src)+64), class: class, address: address}
}

func lex(src string) []token {
	toks := make([]token, 0, len(src)/4+8)
	l := css.NewLexer(parse.NewInputString(src))
	at := 0
	for {
		tt, data := l.Next()
		if tt == css.ErrorToken || len(data) == 0 {
			break
		}
		toks = append(toks, token{tt, int32(at), int32(at + len(data))})
		at += len(data)
	}
	if at < len(src) { // the lexer gave up: copy the rest
		toks = append(toks, token{css.BadStringToken, int32(at), int32(len(src))})
	}
	return toks
}

func (s *sheet) text(i int) string { return s.src[s.toks[i].from:s.toks[i].to] }

func (s *sheet) write(text string) { s.out = append(s.out, text...) }

func (s *sheet) copy(i int) { s.out = append(s.out, s.text(i)...) }

// items reads rules, and declarations where they may stand, up to the brace
// that closes the block or the end. It returns the index of that brace.
func (s *sheet) items(i int, outer ancestor, declarations, top bool) int {
	for i < len(s.toks) {
		switch s.toks[i].tt {
		case css.WhitespaceToken, css.CommentToken, css.CDOToken, css.CDCToken, css.SemicolonToken:
			if s.toks[i].tt == css.SemicolonToken && !declarations {
				i = s.rule(i, outer, top)
				continue
			}
			s.between(i, declarations)
			i++
		case css.RightBraceToken:
			if !top {
				return i
			}
			i = s.rule(i, outer, top)
		case css.AtKeywordToken:
			i = s.atRule(i, outer, declarations, top)
		default:
			if end, ok := s.declaration(i); declarations && ok {
				s.values(i, end)
				i = end
				continue
			}
			i = s.rule(i, outer, top)
		}
	}
	return i
}

// between copies white space and comments; an echo needs neither.
func (s *sheet) between(i int, declarations bool) {
	if s.toks[i].tt == css.CommentToken {
		s.comment(i)
	}
	if !s.echo || declarations {
		s.copy(i)
	}
}

// declaration reports where the declaration at i ends; ok is false when a
// block comes first, so that it is a nested rule. The block of a custom
// property belongs to its value.
func (s *sheet) declaration(i int) (end int, ok bool) {
	custom := s.toks[i].tt == css.CustomPropertyNameToken
	var open stack
	for j := i; j < len(s.toks); j++ {
		tt := s.toks[j].tt
		if len(open) == 0 {
			switch {
			case tt == css.SemicolonToken || tt == css.RightBraceToken:
				return j, true
			case tt == css.LeftBraceToken && !custom:
				return j, false
			}
		}
		open.step(tt)
	}
	return len(s.toks), true
}

// rule reads a style rule. A stray closing brace spoils the rule that it
// stands in, as in browsers: its selector stays.
func (s *sheet) rule(i int, outer ancestor, top bool) int {
	s.begun = true
	start := len(s.out)
	brace, spoilt := s.prelude(i, top)
	if brace == len(s.toks) || s.toks[brace].tt != css.LeftBraceToken {
		s.values(i, brace)
		s.forget(start)
		return brace
	}
	inner, wanted := fresh, !s.echo
	if spoilt {
		s.values(i, brace)
	} else {
		inner, wanted = s.selectors(i, brace, outer)
	}
	end := s.block(brace, inner, true)
	if !wanted {
		s.out = s.out[:start]
	}
	return end
}

// forget takes back what an echo does not repeat. It was read all the same, so
// its addresses were looked at.
func (s *sheet) forget(start int) {
	if s.echo {
		s.out = s.out[:start]
	}
}

// prelude finds the brace that opens a rule's block, or what ends the rule
// without one.
func (s *sheet) prelude(i int, top bool) (end int, spoilt bool) {
	var open stack
	for j := i; j < len(s.toks); j++ {
		tt := s.toks[j].tt
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
		open.step(tt)
	}
	return len(s.toks), spoilt
}

// block copies a block with what stands in it, from its opening brace to the
// token behind its closing one. A kept rule is echoed with everything in it.
func (s *sheet) block(brace int, outer ancestor, declarations bool) int {
	s.copy(brace)
	var end int
	if s.depth++; s.depth > maxNesting {
		end = s.skip(brace)
		s.values(brace+1, end)
	} else {
		echo := s.echo
		s.echo = echo && !declarations
		end = s.items(brace+1, outer, declarations, false)
		s.echo = echo
	}
	s.depth--
	if end < len(s.toks) {
		s.copy(end)
		end++
	}
	return end
}

// skip is the index of the brace that closes the one at i.
func (s *sheet) skip(i int) int {
	var open stack
	for j := i; j < len(s.toks); j++ {
		open.step(s.toks[j].tt)
		if len(open) == 0 {
			return j
		}
	}
	return len(s.toks)
}

// stack is the open brackets of a run of tokens, as what closes them.
type stack []css.TokenType

func (st *stack) step(tt css.TokenType) {
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
