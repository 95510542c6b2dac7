package feed

import (
	"encoding/json"
	"unicode/utf8"
)

// jsonEscaper follows the grammar of JSON. A value inside quotes of the template
// is escaped for them; where a whole value is due it becomes one: a string with
// its quotes, a number, true, null, an array of texts.
type jsonEscaper struct {
	*flaw
	state   jsonState
	key     bool   // the string is a key
	stack   []byte // open { and [
	literal []byte // a number or word of the template, as far as it goes
	hex     int    // digits still due after \u
}

type jsonState uint8

const (
	jsonValue jsonState = iota // a value is due
	jsonFirst                  // after [: a value or ]
	jsonKey                    // after a comma in an object
	jsonKeyOr                  // after {: a key or }
	jsonColon
	jsonAfter // after a value
	jsonString
	jsonEscape // after \ in a string
	jsonHex
	jsonLiteral
)

func (e *jsonEscaper) constant(dst []byte, c *constant) []byte {
	for i, b := range c.text {
		if why := e.step(b); why != "" {
			e.report(c.text[:i], why)
		}
	}
	return append(dst, c.text...)
}

// step takes one byte of constant text and says what is wrong with it.
func (e *jsonEscaper) step(b byte) (why string) {
	switch e.state {
	case jsonString:
		switch {
		case b == '"':
			e.closeString()
		case b == '\\':
			e.state = jsonEscape
		case b < ' ':
			return "a control character in a JSON string"
		}
		return ""
	case jsonEscape:
		return e.escaped(b)
	case jsonHex:
		if e.hex--; e.hex == 0 {
			e.state = jsonString
		}
		if !isHex(b) {
			return `\u wants four hexadecimal digits`
		}
		return ""
	case jsonLiteral:
		if isLiteral(b) {
			return e.lengthen(b)
		}
		why = e.closeLiteral()
	}
	if b == ' ' || b == '\t' || b == '\r' || b == '\n' || b == 0xef || b == 0xbb || b == 0xbf {
		return why
	}
	if more := e.structure(b); why == "" {
		why = more
	}
	return why
}

func (e *jsonEscaper) escaped(b byte) string {
	e.state = jsonString
	switch b {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return ""
	case 'u':
		e.state, e.hex = jsonHex, 4
		return ""
	}
	return "an unknown escape in a JSON string"
}

func isHex(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F'
}

func isLiteral(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b == '-' || b == '+' || b == '.'
}

// structure takes a byte between values.
func (e *jsonEscaper) structure(b byte) string {
	due := e.state == jsonValue || e.state == jsonFirst
	switch {
	case b == '{' && due:
		e.push('{', jsonKeyOr)
	case b == '[' && due:
		e.push('[', jsonFirst)
	case b == '}' && (e.state == jsonKeyOr || e.state == jsonAfter && e.in('{')):
		e.pop()
	case b == ']' && (e.state == jsonFirst || e.state == jsonAfter && e.in('[')):
		e.pop()
	case b == ',' && e.state == jsonAfter && e.in('{'):
		e.state = jsonKey
	case b == ',' && e.state == jsonAfter && e.in('['):
		e.state = jsonValue
	case b == ':' && e.state == jsonColon:
		e.state = jsonValue
	case b == '"' && (due || e.state == jsonKey || e.state == jsonKeyOr):
		e.openString()
	case isLiteral(b) && due:
		e.state, e.literal = jsonLiteral, append(e.literal[:0], b)
	default:
		return "JSON has no " + string(rune(b)) + " here"
	}
	return ""
}

func (e *jsonEscaper) in(open byte) bool {
	return len(e.stack) > 0 && e.stack[len(e.stack)-1] == open
}

func (e *jsonEscaper) push(open byte, next jsonState) {
	e.stack = append(e.stack, open)
	e.state = next
}

func (e *jsonEscaper) pop() {
	e.stack = e.stack[:len(e.stack)-1]
	e.state = jsonAfter
}

func (e *jsonEscaper) openString() {
	e.key = e.state == jsonKey || e.state == jsonKeyOr
	e.state = jsonString
}

func (e *jsonEscaper) closeString() {
	if e.state = jsonAfter; e.key {
		e.state = jsonColon
	}
}

const maxLiteral = 64

func (e *jsonEscaper) lengthen(b byte) string {
	if len(e.literal) >= maxLiteral {
		return "a number or word of JSON is too long"
	}
	e.literal = append(e.literal, b)
	return ""
}

func (e *jsonEscaper) closeLiteral() string {
	e.state = jsonAfter
	if !json.Valid(e.literal) {
		return string(e.literal) + " is no value of JSON"
	}
	return ""
}

func (e *jsonEscaper) text(dst []byte, s string) []byte {
	switch e.state {
	case jsonString:
		return appendJSON(dst, s)
	case jsonValue, jsonFirst, jsonKey, jsonKeyOr:
		e.openString()
		dst = append(appendJSON(append(dst, '"'), s), '"')
		e.closeString()
		return dst
	}
	if s != "" {
		e.report(nil, "JSON has no value here")
	}
	return dst
}

func (e *jsonEscaper) number(dst, digits []byte) []byte {
	switch e.state {
	case jsonValue, jsonFirst:
		if !json.Valid(digits) { // infinity and its like
			return e.text(dst, string(digits))
		}
		e.state, e.literal = jsonLiteral, append(e.literal[:0], digits...)
		return append(dst, digits...)
	case jsonLiteral:
		for _, b := range digits {
			if why := e.lengthen(b); why != "" {
				e.report(nil, why)
			}
		}
		return append(dst, digits...)
	}
	return e.text(dst, string(digits))
}

func (e *jsonEscaper) list(dst []byte, l list) []byte {
	if e.state != jsonValue && e.state != jsonFirst {
		return e.text(dst, spelled(l))
	}
	dst = append(dst, '[')
	for i, s := range l {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendJSON(append(dst, '"'), s), '"')
	}
	e.state = jsonAfter
	return append(dst, ']')
}

func (e *jsonEscaper) none(dst []byte) []byte {
	if e.state != jsonValue && e.state != jsonFirst {
		return e.text(dst, absent)
	}
	e.state = jsonAfter
	return append(dst, "null"...)
}

func (e *jsonEscaper) end(dst []byte) []byte {
	if e.state == jsonLiteral {
		if why := e.closeLiteral(); why != "" {
			e.report(nil, why)
		}
	}
	if e.state != jsonAfter || len(e.stack) > 0 {
		e.report(nil, "the JSON document does not end")
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// appendJSON writes s as it stands between the quotes of a JSON string. What
// ends a script element or a line of one is escaped too, because JSON is often
// put into pages.
func appendJSON(dst []byte, s string) []byte {
	last := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			switch {
			case r == utf8.RuneError && size == 1:
				dst = append(append(dst, s[last:i]...), `\ufffd`...)
				last = i + size
			case r == '\u2028' || r == '\u2029':
				dst = append(append(dst, s[last:i]...), `\u202`...)
				dst = append(dst, hexDigits[r&0xf])
				last = i + size
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' && (c != '/' || i == 0 || s[i-1] != '<') {
			i++
			continue
		}
		dst = appendEscape(append(dst, s[last:i]...), c)
		i++
		last = i
	}
	return append(dst, s[last:]...)
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\', '/':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}
