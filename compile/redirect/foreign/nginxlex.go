package foreign

import "strings"

// directive is a statement of nginx's configuration: words up to ";", or up to the block that
// follows.
type directive struct {
	line  int
	words []string
	block []directive
	open  bool // it has a block
}

// text formats a directive as one line.
func (d directive) text() string { return strings.Join(d.words, " ") }

// lexer splits a configuration into words.
type lexer struct {
	text string
	line int
}

// maxBlocks limits the nesting of blocks.
const maxBlocks = 20

// directives parses up to the end of a block or of the file.
func (l *lexer) directives(depth int) (list []directive) {
	var d directive
	for {
		word, kind := l.next()
		switch kind {
		case end:
			if len(d.words) > 0 {
				list = append(list, d)
			}
			return list
		case plain:
			if len(d.words) == 0 {
				d.line = l.line
			}
			d.words = append(d.words, word)
			continue
		case opens:
			d.open = true
			if depth < maxBlocks {
				d.block = l.directives(depth + 1)
			}
		case closes:
			if len(d.words) > 0 {
				list = append(list, d)
			}
			return list
		}
		if len(d.words) > 0 {
			list = append(list, d)
		}
		d = directive{}
	}
}

type token uint8

const (
	plain token = iota
	semicolon
	opens
	closes
	end
)

// next returns the next word or sign.
func (l *lexer) next() (string, token) {
	l.skip()
	if l.text == "" {
		return "", end
	}
	switch l.text[0] {
	case ';':
		l.text = l.text[1:]
		return "", semicolon
	case '{':
		l.text = l.text[1:]
		return "", opens
	case '}':
		l.text = l.text[1:]
		return "", closes
	case '"', '\'':
		return l.quoted(l.text[0]), plain
	}
	return l.bare(), plain
}

// skip skips blanks and comments.
func (l *lexer) skip() {
	for l.text != "" {
		switch c := l.text[0]; {
		case c == '\n':
			l.line++
		case c == '#':
			i := strings.IndexByte(l.text, '\n')
			if i < 0 {
				i = len(l.text)
			}
			l.text = l.text[i:]
			continue
		case c > ' ':
			return
		}
		l.text = l.text[1:]
	}
}

// quoted reads a quoted word, in which a backslash escapes the quote.
func (l *lexer) quoted(quote byte) string {
	var b strings.Builder
	i := 1
	for ; i < len(l.text) && l.text[i] != quote; i++ {
		if l.text[i] == '\\' && i+1 < len(l.text) && l.text[i+1] == quote {
			i++
		}
		if l.text[i] == '\n' {
			l.line++
		}
		b.WriteByte(l.text[i])
	}
	l.text = l.text[min(i+1, len(l.text)):]
	return b.String()
}

// bare reads a word up to a blank or a sign. A brace within a word, as in ${1} or x{2}, belongs
// to it.
func (l *lexer) bare() string {
	i := 0
	for ; i < len(l.text); i++ {
		c := l.text[i]
		if c <= ' ' || c == ';' || c == '{' && !braceInWord(l.text[:i]) || c == '}' && !strings.Contains(l.text[:i], "{") {
			break
		}
	}
	word := l.text[:i]
	l.text = l.text[i:]
	return word
}

// braceInWord reports whether a brace after these bytes belongs to the word.
func braceInWord(before string) bool {
	return strings.HasSuffix(before, "$") || strings.ContainsAny(before, "^(]\\")
}
