package markup

import (
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// compounds splits a selector at its combinators. lead is a combinator before
// the first compound, as nested rules have; ok is false for what is no
// selector, which stays as it is.
func (s *sheet) compounds(from, to int) (parts []compound, lead byte, ok bool) {
	join, space := byte(0), false
	for i := from; i < to; {
		switch tt := s.toks[i].tt; {
		case tt == css.CommentToken:
			i++
		case tt == css.WhitespaceToken:
			space = true
			i++
		case s.delim(i, ">") || s.delim(i, "+") || s.delim(i, "~"):
			if join != 0 {
				return nil, 0, false
			}
			join = s.text(i)[0]
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
				c.join = ' '
			default:
				c.join = join
			}
			parts = append(parts, c)
			i, join, space = next, 0, false
		}
	}
	return parts, lead, join == 0
}

func (s *sheet) delim(i int, text string) bool {
	return s.toks[i].tt == css.DelimToken && s.text(i) == text
}

// simples counts what a compound is made of.
type simples struct {
	element            string // type selector, lower case
	universal, parent  bool
	root, rest, prefix bool // :root, anything else, a namespace
}

// compound reads the simple selectors from i on. Comments do not part them.
func (s *sheet) compound(i, end int) (c compound, next int, ok bool) {
	c = compound{from: i, to: i}
	var has simples
	for i < end {
		switch tt := s.toks[i].tt; {
		case tt == css.CommentToken:
			i++
			continue
		case tt == css.WhitespaceToken || s.delim(i, ">") || s.delim(i, "+") || s.delim(i, "~"):
			c.shape = has.shape()
			return c, i, true
		default:
			if i, ok = s.simple(i, end, &has); !ok {
				return c, i, false
			}
		}
		c.to = i
	}
	c.shape = has.shape()
	return c, i, true
}

// simple reads one simple selector and returns the index behind it.
func (s *sheet) simple(i, end int, has *simples) (int, bool) {
	switch s.toks[i].tt {
	case css.IdentToken:
		if has.element != "" || has.rest || has.root || has.parent {
			has.prefix = true // svg|body, or nothing that CSS allows
		}
		has.element = strings.ToLower(unescapeCSS(s.text(i)))
	case css.HashToken:
		has.rest = true
	case css.LeftBracketToken:
		has.rest = true
		return s.behind(i, end)
	case css.ColonToken:
		return s.pseudo(i+1, end, has)
	case css.DelimToken:
		switch s.text(i) {
		case "*":
			has.universal = true
		case "&":
			has.parent = true
		case "|":
			has.prefix = true
		case ".":
			has.rest = true
			if i+1 >= end || s.toks[i+1].tt != css.IdentToken {
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

// pseudo reads what stands behind a colon.
func (s *sheet) pseudo(i, end int, has *simples) (int, bool) {
	if i < end && s.toks[i].tt == css.ColonToken {
		has.rest = true
		i++
		if i < end && s.toks[i].tt == css.IdentToken {
			return i + 1, true
		}
	}
	if i >= end {
		return i, false
	}
	switch s.toks[i].tt {
	case css.IdentToken:
		if !has.root && strings.EqualFold(unescapeCSS(s.text(i)), "root") {
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

// behind is the index after the bracket that closes the one at i.
func (s *sheet) behind(i, end int) (int, bool) {
	close := s.skip(i)
	if close >= end {
		return end, false
	}
	return close + 1, true
}

func (h simples) shape() shape {
	typed := h.element != "" || h.prefix
	bare := !h.rest && !h.universal && !h.parent && !h.prefix
	switch {
	case h.prefix:
		return other
	case bare && h.element == "html" && !h.root, bare && h.root && h.element == "":
		return bareRoot
	case bare && h.element == "body" && !h.root:
		return bareBody
	case h.root || h.element == "html":
		return rootLike
	case typed:
		return other
	case h.parent && !h.rest && !h.universal:
		return nesting
	}
	return plain
}

// mentionsParent reports whether a nested selector names its parent with &,
// so that none is put before it.
func (s *sheet) mentionsParent(parts []compound) bool {
	for i := parts[0].from; i < parts[len(parts)-1].to; i++ {
		if s.delim(i, "&") {
			return true
		}
	}
	return false
}
