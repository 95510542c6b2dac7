package markup

import (
	"strings"

	"github.com/tdewolff/parse/v2/css"

	"vitrine/compile/markup/style"
)

// ancestor is the context of the first compound of a selector: nothing, or the subject of the
// enclosing rule.
type ancestor uint8

const (
	fresh      ancestor = iota // nothing: the compound is the leftmost one
	underRoot                  // inside html{…} or :root{…}
	underPlain                 // possibly the root element: no type, html.js
	underTyped                 // an element of another type
	underBody                  // body itself, the wrapper: no other compound below it replaces body
)

// edit replaces tokens.
type edit struct {
	from, to int
	text     string
}

// selectors writes a selector list with its bare roots replaced. It returns the context for
// nested selectors and, in an echo, whether any selector must be repeated; only those are written
// then.
func (s *sheet) selectors(i, end int, outer ancestor) (inner ancestor, wanted bool) {
	var open style.Stack
	inner = fresh
	first := true
	for from := i; from <= end; {
		to := from
		for to < end && (len(open) > 0 || s.Toks[to].Type != css.CommaToken) {
			open.Step(s.Toks[to].Type)
			to++
		}
		edits, subject, needed := s.complex(from, to, outer)
		inner = joinAncestors(inner, subject)
		if !s.echo || needed {
			if s.echo {
				if !first {
					s.write(",")
				}
				from, to = s.trim(from, to)
			}
			s.apply(from, to, edits)
			first = false
		}
		for to < end && s.Toks[to].Type != css.CommaToken {
			to++
		}
		if to < end && !s.echo {
			s.copy(to)
		}
		from = to + 1
	}
	return inner, !s.echo || !first
}

func joinAncestors(a, b ancestor) ancestor {
	if a == fresh || a == b {
		return b
	}
	return min(max(a, b, underPlain), underTyped)
}

// trim removes surrounding white space from a range.
func (s *sheet) trim(from, to int) (int, int) {
	for from < to && s.Toks[from].Type == css.WhitespaceToken {
		from++
	}
	for to > from && s.Toks[to-1].Type == css.WhitespaceToken {
		to--
	}
	return from, to
}

// apply copies tokens with the edits, which are in order. Comments in replaced ranges are kept.
func (s *sheet) apply(from, to int, edits []edit) {
	for _, e := range edits {
		s.copyAll(from, e.from)
		for i := e.from; i < e.to; i++ {
			if s.Toks[i].Type == css.CommentToken {
				s.copy(i)
			}
		}
		s.write(e.text)
		from = e.to
	}
	s.copyAll(from, to)
}

// complex computes the edits of one selector between commas. subject is the context for nested
// rules; needed reports whether the unchanged selector would miss the wrapper: body .x still
// matches inside the page's own body, body>.x does not.
func (s *sheet) complex(from, to int, outer ancestor) (edits []edit, subject ancestor, needed bool) {
	parts, lead, ok := s.Compounds(from, to)
	if !ok || len(parts) == 0 {
		return nil, underTyped, false
	}
	before := outer
	if outer != fresh && lead == 0 && s.MentionsParent(parts) {
		before = fresh
	} else if outer == fresh && lead != 0 {
		before = underTyped
	}
	if outer == underBody && before == fresh && s.overParent(parts) {
		edits = append(edits, edit{parts[0].From, parts[1].From, ""})
	}
	for k, c := range parts {
		prev := before
		if k == 0 && len(edits) > 0 {
			continue
		}
		if k > 0 {
			prev = s.follows(parts, k, before, outer)
		}
		done := false
		if e, ok := s.replace(parts, k, prev, lead); ok {
			edits, done = mergeEdit(edits, e), true
			subjectOrClose := k == len(parts)-1 || parts[k+1].Join != ' '
			needed = needed || subjectOrClose
		}
		if !done {
			edits = append(edits, s.arguments(c, prev)...)
		}
	}
	return edits, s.subject(parts, before, outer), needed
}

// follows returns the context of the k-th compound given by the one before it.
func (s *sheet) follows(parts []style.Compound, k int, before, outer ancestor) ancestor {
	p := parts[k-1]
	switch {
	case p.Shape == style.Plain:
		return underPlain
	case p.Shape == style.Nesting:
		return max(outer, underRoot)
	case k == 1 && before == fresh && p.Shape == style.BareRoot:
		return underRoot
	case k == 1 && before == fresh && p.Shape == style.RootLike:
		return underPlain
	}
	return underTyped
}

// overParent reports whether a nested selector begins with html & or html>&. Inside body{…} both
// match the wrapper, so only the & is kept.
func (s *sheet) overParent(parts []style.Compound) bool {
	return len(parts) > 1 && parts[0].Shape == style.BareRoot && parts[1].Join != '+' && parts[1].Join != '~' && s.Delim(parts[1].From, "&")
}

// replace decides about one compound. body after a bare root is merged with it, because the
// wrapper replaces both.
func (s *sheet) replace(parts []style.Compound, k int, prev ancestor, lead byte) (edit, bool) {
	c := parts[k]
	join := c.Join
	if k == 0 {
		join = lead
	}
	switch {
	case c.Shape == style.BareRoot && k == 0 && prev == fresh:
		return edit{c.From, c.To, s.class}, true
	case c.Shape != style.BareBody || prev >= underTyped:
		return edit{}, false
	case join == '>' && k > 0 && prev == underPlain: // html.full > body: the wrapper is not a child of html
		return edit{parts[k-1].To, c.To, " " + s.class}, true
	case prev != underRoot || join == '+' || join == '~':
		return edit{c.From, c.To, s.class}, true
	case k == 0: // html{body{…}}
		return edit{s.leadFrom(c.From, join), c.To, "&"}, true
	case parts[k-1].Shape == style.Nesting:
		return edit{parts[k-1].From, c.To, "&"}, true
	}
	return edit{parts[k-1].From, c.To, s.class}, true
}

// leadFrom returns the index of the combinator before the first compound.
func (s *sheet) leadFrom(from int, lead byte) int {
	for i := from - 1; lead != 0 && i >= 0; i-- {
		if s.Toks[i].Type == css.DelimToken {
			return i
		}
	}
	return from
}

// mergeEdit appends an edit; it replaces the last one if it covers it.
func mergeEdit(edits []edit, e edit) []edit {
	if n := len(edits); n > 0 && edits[n-1].from >= e.from {
		edits = edits[:n-1]
	}
	return append(edits, e)
}

// arguments rewrites the selector lists in :is(), :where() and :not() of a compound. The contents
// of :is() have the context of the compound.
func (s *sheet) arguments(c style.Compound, prev ancestor) (edits []edit) {
	if s.lists++; s.lists > maxLists {
		s.lists--
		return nil
	}
	defer func() { s.lists-- }()
	if prev == underRoot {
		prev = underPlain
	}
	for i := c.From; i < c.To; i++ {
		if s.Toks[i].Type == css.LeftBracketToken {
			i = s.Skip(i)
			continue
		}
		if s.Toks[i].Type != css.FunctionToken {
			continue
		}
		close := min(s.Skip(i), c.To)
		name := strings.ToLower(style.Unescape(strings.TrimSuffix(s.Text(i), "(")))
		around := prev
		switch name {
		case "not":
			around = fresh
		case "is", "where":
		default:
			i = close
			continue
		}
		edits = append(edits, s.list(i+1, close, around)...)
		i = close
	}
	return edits
}

func (s *sheet) list(i, end int, outer ancestor) (edits []edit) {
	var open style.Stack
	from := i
	for ; i <= end; i++ {
		if i == end || len(open) == 0 && s.Toks[i].Type == css.CommaToken {
			found, _, _ := s.complex(from, i, outer)
			edits = append(edits, found...)
			from = i + 1
			continue
		}
		open.Step(s.Toks[i].Type)
	}
	return edits
}

// subject returns the context that a selector's last compound provides for nested rules.
func (s *sheet) subject(parts []style.Compound, before, outer ancestor) ancestor {
	last := parts[len(parts)-1]
	alone := len(parts) == 1
	switch {
	case last.Shape == style.Nesting && alone:
		return max(outer, underRoot)
	case alone && before == fresh && last.Shape == style.BareRoot:
		return underRoot
	case last.Shape == style.BareBody && (alone && before <= underRoot || len(parts) == 2 && s.follows(parts, 1, before, outer) == underRoot && last.Join != '+' && last.Join != '~'):
		return underBody
	case last.Shape == style.Plain || alone && before == fresh && last.Shape == style.RootLike:
		return underPlain
	}
	return underTyped
}
