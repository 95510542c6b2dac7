package lead

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
)

// Bounds of a pattern. Matching costs at most its steps for each character.
const (
	maxPattern = 200 // characters as written
	maxSteps   = 500 // instructions of the compiled pattern
)

// pattern is the rule of a text, for the server and for browsers.
type pattern struct {
	whole  *regexp.Regexp
	script string // the same for JavaScript's v flag; empty: browsers are not told
}

// compile reads a pattern: RE2 as Go has it, anchored at both ends. Lines have no
// meaning of their own, since a value is one text.
func compile(text string) (p pattern, err error) {
	if len([]rune(text)) > maxPattern {
		return p, fmt.Errorf("has at most %d characters", maxPattern)
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	var fault *syntax.Error
	switch {
	case errors.As(err, &fault):
		return p, fmt.Errorf("is no expression of RE2: %s", fault.Code)
	case err != nil:
		return p, errors.New("is no expression of RE2")
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil || len(program.Inst) > maxSteps {
		return p, fmt.Errorf("makes more than %d steps", maxSteps)
	}
	if p.whole, err = regexp.Compile("^(?:" + text + ")$"); err != nil {
		return p, errors.New("is no expression of RE2")
	}
	var w script
	if w.print(tree, 0); !w.unsaid {
		p.script = w.String()
	}
	return p, nil
}

func (p pattern) matches(value string) bool { return p.whole.MatchString(value) }

// script prints an expression for browsers, which read another language: classes
// have other escapes there, a dot leaves out other characters, and \s means more.
// So nothing is copied, everything is printed anew from what it means, with each
// character by its number where it could mean something. What a browser would try
// in more ways than it has time for, or what it has no word for, stays unsaid: the
// server holds it.
type script struct {
	strings.Builder
	unsaid bool
}

// repeats are what can be had again and again.
func repeats(t *syntax.Regexp) bool {
	return t.Op == syntax.OpStar || t.Op == syntax.OpPlus || t.Op == syntax.OpRepeat && (t.Max < 0 || t.Max > 1)
}

// print writes a part; inside counts the repetitions around it.
func (w *script) print(t *syntax.Regexp, inside int) {
	if repeats(t) {
		inside++
	}
	if inside > 1 {
		w.unsaid = true
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
	default: // lines, edges of words, what never matches
		w.unsaid = true
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

// group prints a part so that what follows applies to all of it.
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

// folded are the pairs of one character in any case.
func folded(r rune) (class []rune) {
	class = []rune{r, r}
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		class = append(class, next, next)
	}
	return class
}

// class prints the characters between pairs.
func (w *script) class(pairs []rune) {
	if len(pairs) == 0 {
		w.unsaid = true
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

// char is a character by itself where it means itself everywhere, else its number.
func (w *script) char(r rune) {
	switch {
	case r >= '0' && r <= '9', r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z':
		w.WriteRune(r)
	default:
		fmt.Fprintf(w, `\u{%X}`, r)
	}
}
