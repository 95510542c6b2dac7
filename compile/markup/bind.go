package markup

import (
	"strings"

	"vitrine/compile/markup/dom"
)

// scope holds the names of the enclosing loops, outermost first.
type scope []loopName

type loopName struct {
	name string
	typ  typ
}

// resolve looks up a path. known is false when the text is not a path or its root is neither a
// root nor a loop name; a path to an unknown field is known and empty.
func (s scope) resolve(text string) (p path, t typ, known bool) {
	name, rest := ident(text)
	if name == "" {
		return p, noType, false
	}
	if p.root, t, known = s.root(name); !known {
		return p, noType, false
	}
	for rest != "" {
		var st step
		t, st, rest = move(t, rest)
		if rest == notPath {
			return p, noType, false
		}
		if p.n == maxPath {
			t = noType
		}
		if t == noType {
			p.empty = true
			continue // the rest must still be a path
		}
		p.steps[p.n] = st
		p.n++
	}
	if p.empty {
		return path{empty: true}, noType, true
	}
	return p, t, true
}

func (s scope) root(name string) (root, typ, bool) {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i].name == name {
			return rootLoop + root(i), s[i].typ, true
		}
	}
	for i := range roots {
		if roots[i].name == name {
			return root(i), roots[i].typ, true
		}
	}
	return 0, noType, false
}

// notPath is the rest that move returns for invalid syntax.
const notPath = "\x00"

// move parses one ".name" or "[n]".
func move(t typ, text string) (typ, step, string) {
	switch text[0] {
	case '.':
		name, rest := ident(text[1:])
		if name == "" {
			return noType, step{}, notPath
		}
		if at := slot(t, name); at >= 0 {
			return fields[at].typ, step{slot: int16(at)}, rest
		}
		return noType, step{}, rest
	case '[':
		digits, rest, ok := strings.Cut(text[1:], "]")
		if !ok || digits == "" || len(digits) > 5 || strings.Trim(digits, "0123456789") != "" {
			return noType, step{}, notPath
		}
		n := int32(0)
		for _, d := range digits {
			n = n*10 + d - '0'
		}
		return t.element(), step{slot: -1, row: n}, rest
	}
	return noType, step{}, notPath
}

// ident parses a name and returns the rest.
func ident(text string) (name, rest string) {
	i := 0
	for i < len(text) && identByte(text[i], i == 0) {
		i++
	}
	return text[:i], text[i:]
}

func identByte(c byte, first bool) bool {
	letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
	return letter || !first && c >= '0' && c <= '9'
}

// loop parses "x in path".
func (s scope) loop(text string) (name string, p path, list typ, known bool) {
	name, rest := ident(strings.Trim(text, dom.Spaces))
	trimmed := strings.TrimLeft(rest, dom.Spaces)
	if name == "" || len(trimmed) == len(rest) || !strings.HasPrefix(trimmed, "in") {
		return "", p, noType, false
	}
	after := strings.TrimLeft(trimmed[2:], dom.Spaces)
	if len(after) == len(trimmed)-2 {
		return "", p, noType, false
	}
	p, list, known = s.resolve(after)
	return name, p, list, known
}

// condition parses "path" or "!path".
func (s scope) condition(text string) (p path, negated, known bool) {
	text = strings.Trim(text, dom.Spaces)
	if rest, ok := strings.CutPrefix(text, "!"); ok {
		text, negated = strings.TrimLeft(rest, dom.Spaces), true
	}
	p, _, known = s.resolve(text)
	return p, negated, known
}

// maxHoleText limits the text between braces, so that a page full of opening braces is scanned
// only once.
const maxHoleText = 256

// nextHole finds the first placeholder with a known root: the text before it, its path and the
// text after it. Braces with unknown roots belong to other template systems and are kept.
func (s scope) nextHole(text string) (before string, p path, rest string, found bool) {
	for from := 0; ; {
		i := strings.Index(text[from:], "{{")
		if i < 0 {
			return text, p, "", false
		}
		open := from + i
		inner := open + 2
		if strings.HasPrefix(text[inner:], "{") {
			from = inner + len(text[inner:]) - len(strings.TrimLeft(text[inner:], "{"))
			continue
		}
		end := strings.Index(text[inner:min(len(text), inner+maxHoleText)], "}}")
		if end >= 0 {
			if p, _, known := s.resolve(strings.Trim(text[inner:inner+end], dom.Spaces)); known {
				return text[:open], p, text[inner+end+2:], true
			}
		}
		from = inner
	}
}

// marker begins the four bytes that replace a placeholder while an attribute is rewritten. No
// byte of valid UTF-8 is 0xFF, and every pass treats bytes from 0x80 as letters, so the
// placeholder is carried along as part of a name.
const marker = 0xFF

const maxHoles = 1 << 18

// mark replaces the placeholders of a value by markers.
func (s scope) mark(text string) (marked string, holes []path) {
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	var b strings.Builder
	for len(holes) < maxHoles {
		before, p, rest, found := s.nextHole(text)
		b.WriteString(before)
		if !found {
			return b.String(), holes
		}
		n := len(holes)
		b.Write([]byte{marker, 0x80 | byte(n>>12&63), 0x80 | byte(n>>6&63), 0x80 | byte(n&63)})
		holes = append(holes, p)
		text = rest
	}
	b.WriteString(text)
	return b.String(), holes
}

// nextMarker splits a marked value at its first placeholder; n is -1 when there is none.
func nextMarker(marked string) (before string, n int, rest string) {
	i := strings.IndexByte(marked, marker)
	if i < 0 || i+4 > len(marked) {
		return marked, -1, ""
	}
	n = int(marked[i+1]&63)<<12 | int(marked[i+2]&63)<<6 | int(marked[i+3]&63)
	return marked[:i], n, marked[i+4:]
}
