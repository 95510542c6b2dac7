package foreign

import (
	"regexp/syntax"
	"strconv"
	"strings"

	"vitrine/compile/redirect"
)

// atom is a piece of an expression as masks know them.
type atom struct {
	kind atomKind
	text string // of a literal
}

type atomKind uint8

const (
	text  atomKind = iota
	piece          // one character or more of a segment: a star
	rest           // anything, slashes too
)

// branch is one of the alternatives of an expression.
type branch struct {
	atoms      []atom
	groups     map[int][2]int // of atoms, by number
	start, end bool           // anchored
	warning    Warning
}

// maxBranches bounds the alternatives of an expression.
const maxBranches = 16

// branches reads a regular expression as alternatives of literals and stars. It
// fails on what no mask can say.
func branches(pattern string) ([]branch, bool) {
	if len(pattern) > 2000 {
		return nil, false
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, false
	}
	return extend([]branch{{groups: map[int][2]int{}}}, re)
}

// extend adds an expression to the end of every branch.
func extend(list []branch, re *syntax.Regexp) ([]branch, bool) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return list, true
	case syntax.OpBeginText, syntax.OpBeginLine:
		return each(list, func(b *branch) { b.start = b.start || len(b.atoms) == 0 })
	case syntax.OpEndText, syntax.OpEndLine:
		return each(list, func(b *branch) { b.end = true })
	case syntax.OpLiteral:
		return each(list, func(b *branch) { b.add(atom{text: escapePath(strings.ToLower(string(re.Rune)))}) })
	case syntax.OpAnyCharNotNL, syntax.OpAnyChar: // a dot that was meant as one
		return each(list, func(b *branch) { b.add(atom{text: "."}) })
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			var ok bool
			if list, ok = extend(list, sub); !ok {
				return nil, false
			}
		}
		return list, true
	case syntax.OpAlternate:
		return alternatives(list, re.Sub)
	case syntax.OpQuest:
		return alternatives(list, []*syntax.Regexp{{Op: syntax.OpEmptyMatch}, re.Sub[0]})
	case syntax.OpCapture:
		return capture(list, re)
	case syntax.OpStar, syntax.OpPlus:
		return repeat(list, re)
	case syntax.OpCharClass:
		return letters(list, re)
	}
	return nil, false
}

func each(list []branch, change func(*branch)) ([]branch, bool) {
	for i := range list {
		if list[i].end {
			return nil, false // something after the end
		}
		change(&list[i])
	}
	return list, true
}

// add appends an atom; literals that touch become one unless a group ends
// between them.
func (b *branch) add(a atom) { b.atoms = append(b.atoms, a) }

func (b branch) clone() branch {
	out := b
	out.atoms = append([]atom(nil), b.atoms...)
	out.groups = make(map[int][2]int, len(b.groups))
	for k, v := range b.groups {
		out.groups[k] = v
	}
	return out
}

func alternatives(list []branch, subs []*syntax.Regexp) ([]branch, bool) {
	var out []branch
	for _, sub := range subs {
		copies := make([]branch, len(list))
		for i := range list {
			copies[i] = list[i].clone()
		}
		more, ok := extend(copies, sub)
		if out = append(out, more...); !ok || len(out) > maxBranches {
			return nil, false
		}
	}
	return out, true
}

func capture(list []branch, re *syntax.Regexp) ([]branch, bool) {
	var out []branch
	for _, b := range list {
		start := len(b.atoms)
		more, ok := extend([]branch{b.clone()}, re.Sub[0])
		if !ok {
			return nil, false
		}
		for i := range more {
			more[i].groups[re.Cap] = [2]int{start, len(more[i].atoms)}
		}
		out = append(out, more...)
	}
	return out, len(out) <= maxBranches
}

// repeat reads .* and .+ as anything, and a class that repeats as a star.
func repeat(list []branch, re *syntax.Regexp) ([]branch, bool) {
	sub := re.Sub[0]
	switch {
	case sub.Op == syntax.OpAnyCharNotNL || sub.Op == syntax.OpAnyChar:
		return each(list, func(b *branch) {
			if re.Op == syntax.OpPlus {
				b.warning = Wider
			}
			b.add(atom{kind: rest})
		})
	case sub.Op == syntax.OpCharClass && !has(sub, '/'):
		return each(list, func(b *branch) {
			if !allButSlash(sub) {
				b.warning = Wider
			} else if re.Op == syntax.OpStar {
				b.warning = Narrower
			}
			b.add(atom{kind: piece})
		})
	case sub.Op == syntax.OpLiteral && string(sub.Rune) == "/": // slashes count once
		return each(list, func(b *branch) { b.add(atom{text: "/"}) })
	}
	return nil, false
}

// letters reads a class of a few letters as alternatives.
func letters(list []branch, re *syntax.Regexp) ([]branch, bool) {
	var subs []*syntax.Regexp
	for i := 0; i+1 < len(re.Rune); i += 2 {
		for c := re.Rune[i]; c <= re.Rune[i+1]; c++ {
			if len(subs) == maxBranches {
				return nil, false
			}
			subs = append(subs, &syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune{c}})
		}
	}
	return alternatives(list, subs)
}

func has(class *syntax.Regexp, c rune) bool {
	for i := 0; i+1 < len(class.Rune); i += 2 {
		if class.Rune[i] <= c && c <= class.Rune[i+1] {
			return true
		}
	}
	return false
}

// allButSlash reports whether a class is [^/], line ends and the like apart.
func allButSlash(class *syntax.Regexp) bool {
	for c := rune('!'); c < 0x7f; c++ {
		if c != '/' && !has(class, c) {
			return false
		}
	}
	return has(class, 'я')
}

// rules are the rules of an expression and its target. prefixed is what stands
// before the expression: "/" in an .htaccess, nothing in nginx. group writes
// the reference to a group as the target has it, "$1".
func rules(pattern, prefixed, to string, base redirect.Rule) (list []redirect.Rule, warning Warning, ok bool) {
	found, ok := branches(pattern)
	if !ok {
		return nil, "", false
	}
	seen := map[string]bool{}
	for _, b := range found {
		rule, w, ok := b.rule(prefixed, to, base)
		if !ok {
			return nil, "", false
		}
		if w != "" {
			warning = w
		}
		if !seen[rule.From] {
			seen[rule.From] = true
			list = append(list, rule)
		}
	}
	return list, warning, true
}

// rule writes a branch as a source and fills its groups into the target.
func (b branch) rule(prefixed, to string, base redirect.Rule) (redirect.Rule, Warning, bool) {
	atoms, warning := b.atoms, b.warning
	free := len(atoms) > 0 && atoms[0].kind == rest
	if !b.start && !free {
		return base, "", false // it may stand anywhere in the path
	}
	lead := ""
	if prefixed == "" && free { // it takes the first slash, too
		prefixed, lead = "/", "/"
	}
	if !b.end && (len(atoms) == 0 || atoms[len(atoms)-1].kind != rest) {
		atoms = append(atoms[:len(atoms):len(atoms)], atom{kind: rest})
	}
	w := writer{from: prefixed, said: make([]string, len(atoms)), warning: warning}
	for i, a := range atoms {
		if !w.write(i, a, i == len(atoms)-1) {
			return base, "", false
		}
	}
	if !strings.HasPrefix(w.from, "/") {
		return base, "", false
	}
	if free {
		w.said[0] = lead + w.said[0]
	}
	if trimmed := strings.TrimRight(w.from, "/"); trimmed != "" {
		w.from = trimmed
	}
	rule := base
	rule.From, rule.Kind = w.from, redirect.Pattern
	rule.To = fillGroups(to, func(group int) string {
		span := b.groups[group]
		if group == 0 {
			span = [2]int{0, len(b.atoms)}
		}
		return strings.Join(w.said[span[0]:span[1]], "")
	})
	m := mask{from: w.from, stars: make([]string, w.stars), tail: w.tail}
	if w.stars == 0 {
		rule.Kind = redirect.Exact
	} else if m.prefix(&rule) {
		rule.Kind = redirect.Prefix
	}
	return rule, w.warning, true
}

// writer writes a source atom by atom.
type writer struct {
	from    string
	said    []string // what each atom is in a target
	stars   int
	starred bool // the segment at hand has a star
	tail    bool
	warning Warning
}

func (w *writer) write(i int, a atom, last bool) bool {
	if a.kind == text {
		w.from += a.text
		w.said[i] = a.text
		if cut := strings.LastIndexByte(a.text, '/'); cut >= 0 {
			w.starred = false
		}
		return true
	}
	w.stars++
	star := "$" + strconv.Itoa(w.stars)
	if a.kind == rest && last {
		w.tail = true
		switch {
		case strings.HasSuffix(w.from, "/"):
			w.from += "**"
		default: // /old and everything below, but not /older
			w.from, star, w.warning = w.from+"/**", "/"+star, Narrower
		}
		w.said[i] = star
		return true
	}
	if w.starred || w.stars > 9 {
		return false
	}
	if a.kind == rest {
		w.warning = Narrower
	}
	w.starred = true
	w.from += "*"
	w.said[i] = star
	return true
}

// fillGroups writes $1, ${1} and %1 of a target as what the groups are; other
// dollars stay what they are.
func fillGroups(to string, group func(int) string) string {
	var b strings.Builder
	for i := 0; i < len(to); i++ {
		rest := to[i:]
		switch {
		case len(rest) > 1 && rest[0] == '$' && digit(rest[1]):
			b.WriteString(group(int(rest[1] - '0')))
			i++
		case len(rest) > 3 && rest[:2] == "${" && digit(rest[2]) && rest[3] == '}':
			b.WriteString(group(int(rest[2] - '0')))
			i += 3
		default:
			b.WriteByte(to[i])
		}
	}
	return strings.ReplaceAll(b.String(), "//$", "/$")
}

func digit(c byte) bool { return '0' <= c && c <= '9' }
