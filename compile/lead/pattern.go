package lead

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
)

// Limits of a pattern. Matching costs at most maxSteps per character.
const (
	maxPattern = 200 // characters as written
	maxSteps   = 500 // instructions of the compiled pattern
)

// pattern is a compiled pattern, for the server and for browsers.
type pattern struct {
	whole  *regexp.Regexp
	script string // equivalent for JavaScript's v flag; empty: not sent to browsers
}

// compile parses a pattern: RE2 in Go's syntax, anchored at both ends. Lines have no special
// meaning, since a value is one text.
func compile(text string) (p pattern, err error) {
	if len([]rune(text)) > maxPattern {
		return p, fmt.Errorf("has at most %d characters", maxPattern)
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	var fault *syntax.Error
	switch {
	case errors.As(err, &fault):
		return p, fmt.Errorf("is not an RE2 expression: %s", fault.Code)
	case err != nil:
		return p, errors.New("is not an RE2 expression")
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil || len(program.Inst) > maxSteps {
		return p, fmt.Errorf("makes more than %d steps", maxSteps)
	}
	if p.whole, err = regexp.Compile("^(?:" + text + ")$"); err != nil {
		return p, errors.New("is not an RE2 expression")
	}
	var w script
	if w.print(tree, 0); !w.unsupported {
		p.script = w.String()
	}
	return p, nil
}

func (p pattern) matches(value string) bool { return p.whole.MatchString(value) }

// script prints an expression for browsers, whose dialect differs: classes have other escapes, a
// dot excludes other characters, and \s matches more. So nothing is copied; the expression is
// generated from the syntax tree, with every character that could have a meaning as a code point
// escape. Expressions with too much backtracking, or without an equivalent in JavaScript, are
// marked as unsupported: only the server checks them.
type script struct {
	strings.Builder
	unsupported bool
}

// repeats reports whether an expression can match repeatedly.
func repeats(t *syntax.Regexp) bool {
	return t.Op == syntax.OpStar || t.Op == syntax.OpPlus || t.Op == syntax.OpRepeat && (t.Max < 0 || t.Max > 1)
}

// print writes an expression; inside counts the enclosing repetitions.
func (w *script) print(t *syntax.Regexp, inside int) {
	if repeats(t) {
		inside++
	}
	if inside > 1 {
		w.unsupported = true
		return
	}
	switch t.Op {
	case syntax.OpEmptyMatch:
		w.WriteString("(?:)")
	case syntax.OpLiteral:
		for _, r := range t.Rune {
			w.literal(r, t.Flags&syntax.FoldCase != 0)
		}
	case syntax.OpCharClass:
		w.class(t.Rune)
	case syntax.OpAnyCharNotNL:
		w.WriteString(`[^\n]`)
	case syntax.OpAnyChar:
		w.WriteString(`[\u{0}-\u{10FFFF}]`)
	case syntax.OpBeginText:
		w.WriteString("^")
	case syntax.OpEndText:
		w.WriteString("$")
	case syntax.OpCapture:
		w.group(t.Sub[0], inside)
	case syntax.OpConcat:
		for _, sub := range t.Sub {
			w.group(sub, inside)
		}
	case syntax.OpAlternate:
		for i, sub := range t.Sub {
			if i > 0 {
				w.WriteString("|")
			}
			w.group(sub, inside)
		}
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		w.group(t.Sub[0], inside)
		w.WriteString(times(t))
	default: // line anchors, word boundaries, expressions that never match
		w.unsupported = true
	}
}

func times(t *syntax.Regexp) string {
	switch {
	case t.Op == syntax.OpStar:
		return "*"
	case t.Op == syntax.OpPlus:
		return "+"
	case t.Op == syntax.OpQuest:
		return "?"
	case t.Max < 0:
		return fmt.Sprintf("{%d,}", t.Min)
	case t.Max == t.Min:
		return fmt.Sprintf("{%d}", t.Min)
	}
	return fmt.Sprintf("{%d,%d}", t.Min, t.Max)
}

// group prints an expression so that a following quantifier applies to all of it.
func (w *script) group(t *syntax.Regexp, inside int) {
	switch {
	case t.Op == syntax.OpCharClass, t.Op == syntax.OpAnyChar, t.Op == syntax.OpAnyCharNotNL, t.Op == syntax.OpLiteral && len(t.Rune) == 1:
		w.print(t, inside)
		return
	}
	w.WriteString("(?:")
	w.print(t, inside)
	w.WriteString(")")
}

func (w *script) literal(r rune, fold bool) {
	if !fold {
		w.char(r)
		return
	}
	w.class(folded(r))
}

// folded returns a character in all cases, as pairs for class.
func folded(r rune) (class []rune) {
	class = []rune{r, r}
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		class = append(class, next, next)
	}
	return class
}

// class prints a character class from pairs of bounds.
func (w *script) class(pairs []rune) {
	if len(pairs) == 0 {
		w.unsupported = true
		return
	}
	w.WriteString("[")
	for i := 0; i+1 < len(pairs); i += 2 {
		w.char(pairs[i])
		if pairs[i] != pairs[i+1] {
			w.WriteString("-")
			w.char(pairs[i+1])
		}
	}
	w.WriteString("]")
}

// char prints a letter or digit as it is, and any other character as a code point escape.
func (w *script) char(r rune) {
	switch {
	case r >= '0' && r <= '9', r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z':
		w.WriteRune(r)
	default:
		fmt.Fprintf(w, `\u{%X}`, r)
	}
}
