package markup

import (
	"strings"

	"github.com/tdewolff/parse/v2/css"
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

// shape is what a compound is for the question whether body may follow it.
type shape uint8

const (
	other    shape = iota // a type, or nothing that can be the root
	plain                 // no type: .no-js, [dir=rtl], *
	bareRoot              // html or :root alone
	bareBody              // body alone
	rootLike              // html.js, :root[data-x]
	nesting               // & alone
)

// compound is a run of simple selectors; join is the combinator before it, 0
// for the first.
type compound struct {
	from, to int
	shape    shape
	join     byte
}

// edit replaces tokens.
type edit struct {
	from, to int
	text     string
}

// selectors writes a selector list with its bare roots replaced. It returns
// what the rule is for the selectors nested in it and, in an echo, whether any
// selector is to be repeated; only those are written then.
func (s *sheet) selectors(i, end int, outer ancestor) (inner ancestor, wanted bool) {
	var open stack
	inner = fresh
	first := true
	for from := i; from <= end; {
		to := from
		for to < end && (len(open) > 0 || s.toks[to].tt != css.CommaToken) {
			open.step(s.toks[to].tt)
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
		for to < end && s.toks[to].tt != css.CommaToken {
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
	for from < to && s.toks[from].tt == css.WhitespaceToken {
		from++
	}
	for to > from && s.toks[to-1].tt == css.WhitespaceToken {
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
			if s.toks[i].tt == css.CommentToken {
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
	parts, lead, ok := s.compounds(from, to)
	if !ok || len(parts) == 0 {
		return nil, underTyped, false
	}
	before := outer
	if outer != fresh && lead == 0 && s.mentionsParent(parts) {
		before = fresh
	} else if outer == fresh && lead != 0 {
		before = underTyped
	}
	if outer == underBody && before == fresh && s.overParent(parts) {
		edits = append(edits, edit{parts[0].from, parts[1].from, ""})
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
			subjectOrClose := k == len(parts)-1 || parts[k+1].join != ' '
			needed = needed || subjectOrClose
		}
		if !done {
			edits = append(edits, s.arguments(c, prev)...)
		}
	}
	return edits, s.subject(parts, before, outer), needed
}

// follows is what the compound before the k-th one is for it.
func (s *sheet) follows(parts []compound, k int, before, outer ancestor) ancestor {
	p := parts[k-1]
	switch {
	case p.shape == plain:
		return underPlain
	case p.shape == nesting:
		return max(outer, underRoot)
	case k == 1 && before == fresh && p.shape == bareRoot:
		return underRoot
	case k == 1 && before == fresh && p.shape == rootLike:
		return underPlain
	}
	return underTyped
}

// overParent reports whether a nested selector begins with html & or html>&.
// Inside body{…} both are the wrapper, so only the & is left.
func (s *sheet) overParent(parts []compound) bool {
	return len(parts) > 1 && parts[0].shape == bareRoot && parts[1].join != '+' && parts[1].join != '~' && s.delim(parts[1].from, "&")
}

// replace decides about one compound. body behind a bare root collapses with
// it, because the wrapper stands for both.
func (s *sheet) replace(parts []compound, k int, prev ancestor, lead byte) (edit, bool) {
	c := parts[k]
	join := c.join
	if k == 0 {
		join = lead
	}
	switch {
	case c.shape == bareRoot && k == 0 && prev == fresh:
		return edit{c.from, c.to, s.class}, true
	case c.shape != bareBody || prev >= underTyped:
		return edit{}, false
	case prev != underRoot || join == '+' || join == '~':
		return edit{c.from, c.to, s.class}, true
	case k == 0: // html{body{…}}
		return edit{s.leadFrom(c.from, join), c.to, "&"}, true
	case parts[k-1].shape == nesting:
		return edit{parts[k-1].from, c.to, "&"}, true
	}
	return edit{parts[k-1].from, c.to, s.class}, true
}

// leadFrom is where the combinator before the first compound stands.
func (s *sheet) leadFrom(from int, lead byte) int {
	for i := from - 1; lead != 0 && i >= 0; i-- {
		if s.toks[i].tt == css.DelimToken {
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
func (s *sheet) arguments(c compound, prev ancestor) (edits []edit) {
	if s.lists++; s.lists > maxLists {
		s.lists--
		return nil
	}
	defer func() { s.lists-- }()
	if prev == underRoot {
		prev = underPlain
	}
	for i := c.from; i < c.to; i++ {
		if s.toks[i].tt == css.LeftBracketToken {
			i = s.skip(i)
			continue
		}
		if s.toks[i].tt != css.FunctionToken {
			continue
		}
		close := min(s.skip(i), c.to)
		name := strings.ToLower(unescapeCSS(strings.TrimSuffix(s.text(i), "(")))
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
	var open stack
	from := i
	for ; i <= end; i++ {
		if i == end || len(open) == 0 && s.toks[i].tt == css.CommaToken {
			found, _, _ := s.complex(from, i, outer)
			edits = append(edits, found...)
			from = i + 1
			continue
		}
		open.step(s.toks[i].tt)
	}
	return edits
}

// subject is what a selector's last compound is for the rules nested in it.
func (s *sheet) subject(parts []compound, before, outer ancestor) ancestor {
	last := parts[len(parts)-1]
	alone := len(parts) == 1
	switch {
	case last.shape == nesting && alone:
		return max(outer, underRoot)
	case alone && before == fresh && last.shape == bareRoot:
		return underRoot
	case last.shape == bareBody && (alone && before <= underRoot || len(parts) == 2 && s.follows(parts, 1, before, outer) == underRoot && last.join != '+' && last.join != '~'):
		return underBody
	case last.shape == plain || alone && before == fresh && last.shape == rootLike:
		return underPlain
	}
	return underTyped
}
