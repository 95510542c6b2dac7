package markup

import (
	"strings"

	"github.com/tdewolff/parse/v2/css"

	"vitrine/compile/markup/style"
)

// ancestor is what stands before the first compound of a selector: nothing, or
// the subject of the rule around it.
type ancestor uint8

const (
	fresh      ancestor = iota // nothing: the compound is the leftmost one
	underRoot                  // inside html{…} or :root{…}
	underPlain                 // something that may be the root element: no type, html.js
	underTyped                 // an element of another type
	underBody                  // body itself, the wrapper: nothing else may stand for body below it
)

// edit replaces tokens.
type edit struct {
	from, to int
	text     string
}

// selectors writes a selector list with its bare roots replaced. It returns
// what the rule is for the selectors nested in it and, in an echo, whether any
// selector is to be repeated; only those are written then.
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

// trim narrows a range to what is no white space.
func (s *sheet) trim(from, to int) (int, int) {
	for from < to && s.Toks[from].Type == css.WhitespaceToken {
		from++
	}
	for to > from && s.Toks[to-1].Type == css.WhitespaceToken {
		to--
	}
	return from, to
}

// apply copies tokens with the edits, which are in order. Comments among what
// is replaced are kept.
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

// complex finds the edits of one selector between commas. subject is what it
// is for nested rules; needed says that the selector as written would miss the
// wrapper: body .x still matches inside the page's own body, body>.x does not.
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

// follows is what the compound before the k-th one is for it.
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

// overParent reports whether a nested selector begins with html & or html>&.
// Inside body{…} both are the wrapper, so only the & is left.
func (s *sheet) overParent(parts []style.Compound) bool {
	return len(parts) > 1 && parts[0].Shape == style.BareRoot && parts[1].Join != '+' && parts[1].Join != '~' && s.Delim(parts[1].From, "&")
}

// replace decides about one compound. body behind a bare root collapses with
// it, because the wrapper stands for both.
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
	case join == '>' && k > 0 && prev == underPlain: // html.full > body: the wrapper is no child of html
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

// leadFrom is where the combinator before the first compound stands.
func (s *sheet) leadFrom(from int, lead byte) int {
	for i := from - 1; lead != 0 && i >= 0; i-- {
		if s.Toks[i].Type == css.DelimToken {
			return i
		}
	}
	return from
}

// mergeEdit appends an edit; one that covers the last takes its place.
func mergeEdit(edits []edit, e edit) []edit {
	if n := len(edits); n > 0 && edits[n-1].from >= e.from {
		edits = edits[:n-1]
	}
	return append(edits, e)
}

// arguments rewrites the selector lists in :is(), :where() and :not() of a
// compound. What :is() holds stands where the compound stands.
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

// subject is what a selector's last compound is for the rules nested in it.
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
