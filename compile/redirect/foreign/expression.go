package foreign

import (
	"regexp/syntax"
	"strings"
)

// atom is a part of an expression that a mask can represent.
type atom struct {
	kind atomKind
	text string // of a literal
}

type atomKind uint8

const (
	text  atomKind = iota
	piece          // one character or more of a segment: a star
	rest           // anything, including slashes
)

// branch is one of the alternatives of an expression.
type branch struct {
	atoms      []atom
	groups     map[int][2]int // group number to range of atoms
	start, end bool           // anchored
	warning    Warning
}

// maxBranches limits the alternatives of an expression.
const maxBranches = 16

// branches parses a regular expression into alternatives of literals and stars. It fails for
// expressions that no mask can represent.
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

// extend appends an expression to every branch.
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
	case syntax.OpAnyCharNotNL, syntax.OpAnyChar: // usually an unescaped literal dot
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
			return nil, false // something follows the end anchor
		}
		change(&list[i])
	}
	return list, true
}

// add appends an atom.
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

// repeat handles .* and .+ as rest, and a repeated class as a star.
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

// letters expands a class of a few letters to alternatives.
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

// allButSlash reports whether a class is [^/], ignoring line ends and the like.
func allButSlash(class *syntax.Regexp) bool {
	for c := rune('!'); c < 0x7f; c++ {
		if c != '/' && !has(class, c) {
			return false
		}
	}
	return has(class, 'я')
}
