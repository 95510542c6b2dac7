package markup

import (
	"strings"

	"github.com/tdewolff/parse/v2/css"

	"vitrine/compile/markup/style"
)

// maxNesting is the maximum nesting of blocks that is parsed; deeper ones are copied.
const maxNesting = 128

// maxLists is the maximum nesting of :is(), :where() and :not() that is parsed.
const maxLists = 16

// addressFunc decides about one address of a style sheet; ok is false to keep it. offset is its
// position in the sheet. An address in a comment is checked but never moved.
type addressFunc func(address string, offset int, comment bool) (moved string, ok bool)

// sheet is one pass over a style sheet. It copies every token except bare body, html and :root
// selectors and addresses (document 3, 4.6.3).
type sheet struct {
	style.Sheet
	out     []byte
	class   string // ".svc-body-7", replaces the bare selectors
	address addressFunc

	// echo keeps only the rules whose bare selectors would miss the wrapper, with the enclosing
	// conditional rules.
	echo    bool
	imports func(address, conditions string)
	begun   bool // a rule has been read: later imports are ignored
	depth   int  // open blocks
	lists   int  // open :is(), :where() and :not()
}

// rewriteStyle rewrites the addresses of a style attribute or of an svg
// presentation attribute.
func rewriteStyle(src string, address addressFunc) string {
	if !mayName(src) {
		return src
	}
	s := newSheet(src, "", address)
	s.values(0, len(s.Toks))
	return string(s.out)
}

// mayName reports whether a style may contain an address.
func mayName(style string) bool {
	return strings.IndexByte(style, '(') >= 0 || strings.IndexByte(style, '@') >= 0
}

func newSheet(src, class string, address addressFunc) *sheet {
	return &sheet{Sheet: style.Read(src), out: make([]byte, 0, len(src)+64), class: class, address: address}
}

func (s *sheet) write(text string) { s.out = append(s.out, text...) }

func (s *sheet) copy(i int) { s.out = append(s.out, s.Text(i)...) }

// items parses rules, and declarations where allowed, up to the brace that closes the block or
// the end. It returns the index of that brace.
func (s *sheet) items(i int, outer ancestor, declarations, top bool) int {
	for i < len(s.Toks) {
		switch s.Toks[i].Type {
		case css.WhitespaceToken, css.CommentToken, css.CDOToken, css.CDCToken, css.SemicolonToken:
			if s.Toks[i].Type == css.SemicolonToken && !declarations {
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
			if end, ok := s.Declaration(i); declarations && ok {
				s.values(i, end)
				i = end
				continue
			}
			i = s.rule(i, outer, top)
		}
	}
	return i
}

// between copies white space and comments, which an echo leaves out.
func (s *sheet) between(i int, declarations bool) {
	if s.Toks[i].Type == css.CommentToken {
		s.comment(i)
	}
	if !s.echo || declarations {
		s.copy(i)
	}
}

// rule parses a style rule. A stray closing brace invalidates the rule that contains it, as in
// browsers: its selector is kept.
func (s *sheet) rule(i int, outer ancestor, top bool) int {
	s.begun = true
	start := len(s.out)
	brace, spoilt := s.Prelude(i, top)
	if brace == len(s.Toks) || s.Toks[brace].Type != css.LeftBraceToken {
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

// forget removes output that is not part of an echo. It was parsed anyway, so that its addresses
// were checked.
func (s *sheet) forget(start int) {
	if s.echo {
		s.out = s.out[:start]
	}
}

// block copies a block with its contents and returns the index after its closing brace. A kept
// rule is echoed completely.
func (s *sheet) block(brace int, outer ancestor, declarations bool) int {
	s.copy(brace)
	var end int
	if s.depth++; s.depth > maxNesting {
		end = s.Skip(brace)
		s.values(brace+1, end)
	} else {
		echo := s.echo
		s.echo = echo && !declarations
		end = s.items(brace+1, outer, declarations, false)
		s.echo = echo
	}
	s.depth--
	if end < len(s.Toks) {
		s.copy(end)
		end++
	}
	return end
}
