package style

import (
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// Shape classifies a compound for the question whether body may follow it.
type Shape uint8

const (
	Other    Shape = iota // a type, or nothing that can be the root
	Plain                 // no type: .no-js, [dir=rtl], *
	BareRoot              // html or :root alone
	BareBody              // body alone
	RootLike              // html.js, :root[data-x]
	Nesting               // & alone
)

// Compound is a run of simple selectors; Join is the combinator before it, 0 for the first.
type Compound struct {
	From, To int // tokens
	Shape    Shape
	Join     byte
}

// Compounds splits a selector at its combinators. lead is a combinator before the first compound,
// as in nested rules; ok is false for an invalid selector, which is kept unchanged.
func (s *Sheet) Compounds(from, to int) (parts []Compound, lead byte, ok bool) {
	join, space := byte(0), false
	for i := from; i < to; {
		switch tt := s.Toks[i].Type; {
		case tt == css.CommentToken:
			i++
		case tt == css.WhitespaceToken:
			space = true
			i++
		case s.Delim(i, ">") || s.Delim(i, "+") || s.Delim(i, "~"):
			if join != 0 {
				return nil, 0, false
			}
			join = s.Text(i)[0]
			i++
		default:
			c, next, fine := s.compound(i, to)
			if !fine {
				return nil, 0, false
			}
			switch {
			case len(parts) == 0:
				lead = join
			case join == 0 && space:
				c.Join = ' '
			default:
				c.Join = join
			}
			parts = append(parts, c)
			i, join, space = next, 0, false
		}
	}
	return parts, lead, join == 0
}

func (s *Sheet) Delim(i int, text string) bool {
	return s.Toks[i].Type == css.DelimToken && s.Text(i) == text
}

// simples records the parts of a compound.
type simples struct {
	element            string // type selector, lower case
	universal, parent  bool
	root, rest, prefix bool // :root, anything else, a namespace
}

// compound parses the simple selectors from i on. Comments do not separate them.
func (s *Sheet) compound(i, end int) (c Compound, next int, ok bool) {
	c = Compound{From: i, To: i}
	var has simples
	for i < end {
		switch tt := s.Toks[i].Type; {
		case tt == css.CommentToken:
			i++
			continue
		case tt == css.WhitespaceToken || s.Delim(i, ">") || s.Delim(i, "+") || s.Delim(i, "~"):
			c.Shape = has.shape()
			return c, i, true
		default:
			if i, ok = s.simple(i, end, &has); !ok {
				return c, i, false
			}
		}
		c.To = i
	}
	c.Shape = has.shape()
	return c, i, true
}

// simple parses one simple selector and returns the index after it.
func (s *Sheet) simple(i, end int, has *simples) (int, bool) {
	switch s.Toks[i].Type {
	case css.IdentToken:
		if has.element != "" || has.rest || has.root || has.parent {
			has.prefix = true // svg|body, or invalid CSS
		}
		has.element = strings.ToLower(Unescape(s.Text(i)))
	case css.HashToken:
		has.rest = true
	case css.LeftBracketToken:
		has.rest = true
		return s.behind(i, end)
	case css.ColonToken:
		return s.pseudo(i+1, end, has)
	case css.DelimToken:
		switch s.Text(i) {
		case "*":
			has.universal = true
		case "&":
			has.parent = true
		case "|":
			has.prefix = true
		case ".":
			has.rest = true
			if i+1 >= end || s.Toks[i+1].Type != css.IdentToken {
				return i, false
			}
			return i + 2, true
		default:
			return i, false
		}
	default:
		return i, false
	}
	return i + 1, true
}

// pseudo parses the part after a colon.
func (s *Sheet) pseudo(i, end int, has *simples) (int, bool) {
	if i < end && s.Toks[i].Type == css.ColonToken {
		has.rest = true
		i++
		if i < end && s.Toks[i].Type == css.IdentToken {
			return i + 1, true
		}
	}
	if i >= end {
		return i, false
	}
	switch s.Toks[i].Type {
	case css.IdentToken:
		if !has.root && strings.EqualFold(Unescape(s.Text(i)), "root") {
			has.root = true
		} else {
			has.rest = true
		}
		return i + 1, true
	case css.FunctionToken:
		has.rest = true
		return s.behind(i, end)
	}
	return i, false
}

// behind returns the index after the bracket that closes the one at i.
func (s *Sheet) behind(i, end int) (int, bool) {
	close := s.Skip(i)
	if close >= end {
		return end, false
	}
	return close + 1, true
}

func (h simples) shape() Shape {
	typed := h.element != "" || h.prefix
	bare := !h.rest && !h.universal && !h.parent && !h.prefix
	switch {
	case h.prefix:
		return Other
	case bare && h.element == "html" && !h.root, bare && h.root && h.element == "":
		return BareRoot
	case bare && h.element == "body" && !h.root:
		return BareBody
	case h.root || h.element == "html":
		return RootLike
	case typed:
		return Other
	case h.parent && !h.rest && !h.universal:
		return Nesting
	}
	return Plain
}

// MentionsParent reports whether a nested selector contains &, so that none is prepended.
func (s *Sheet) MentionsParent(parts []Compound) bool {
	for i := parts[0].From; i < parts[len(parts)-1].To; i++ {
		if s.Delim(i, "&") {
			return true
		}
	}
	return false
}
