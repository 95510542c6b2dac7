package feed

import (
	"cmp"
	"encoding/json"
	"unicode/utf8"
)

// jsonEscaper tracks the grammar of JSON. A value inside quotes of the template is
// escaped for them. Where JSON expects a value, it becomes one: a quoted string, a
// number, true, null, an array of strings.
//
// Of JSON lines every line is a document of its own, and so is none: a line end begins
// the next one, and may stand in no value.
type jsonEscaper struct {
	*firstFlaw
	lines   bool // JSON lines
	state   jsonState
	key     bool   // the string is a key
	stack   []byte // open { and [
	literal []byte // the number or word that is being read
	hex     int    // hexadecimal digits still missing after \u
}

type jsonState uint8

const (
	jsonValue    jsonState = iota // before a value
	jsonFirst                     // after [: a value or ]
	jsonKey                       // after a comma in an object
	jsonFirstKey                  // after {: a key or }
	jsonColon
	jsonAfter // after a value
	jsonString
	jsonEscape // after \ in a string
	jsonHex
	jsonLiteral
)

func (e *jsonEscaper) constant(dst []byte, c *constant) []byte {
	for i, b := range c.text {
		if fault := e.step(b); fault != "" {
			e.report(c.text[:i], fault)
		}
	}
	return append(dst, c.text...)
}

// step handles one byte of constant text. fault says what is wrong with it.
func (e *jsonEscaper) step(b byte) (fault string) {
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
			return `\u needs four hexadecimal digits`
		}
		return ""
	case jsonLiteral:
		if isLiteral(b) {
			return e.extendLiteral(b)
		}
		fault = e.closeLiteral()
	}
	if b == '\n' && e.lines {
		return cmp.Or(fault, e.endLine())
	}
	if b == ' ' || b == '\t' || b == '\r' || b == '\n' || b == 0xef || b == 0xbb || b == 0xbf {
		return fault
	}
	if more := e.structure(b); fault == "" {
		fault = more
	}
	return fault
}

// endLine begins the next document of JSON lines.
func (e *jsonEscaper) endLine() string {
	if !e.complete() {
		return "a line ends within a JSON value"
	}
	e.state = jsonValue
	return ""
}

// complete reports whether a document may end here.
func (e *jsonEscaper) complete() bool {
	return len(e.stack) == 0 && (e.state == jsonAfter || e.lines && e.state == jsonValue)
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

// structure handles a byte between values.
func (e *jsonEscaper) structure(b byte) string {
	valueExpected := e.state == jsonValue || e.state == jsonFirst
	switch {
	case b == '{' && valueExpected:
		e.push('{', jsonFirstKey)
	case b == '[' && valueExpected:
		e.push('[', jsonFirst)
	case b == '}' && (e.state == jsonFirstKey || e.state == jsonAfter && e.in('{')):
		e.pop()
	case b == ']' && (e.state == jsonFirst || e.state == jsonAfter && e.in('[')):
		e.pop()
	case b == ',' && e.state == jsonAfter && e.in('{'):
		e.state = jsonKey
	case b == ',' && e.state == jsonAfter && e.in('['):
		e.state = jsonValue
	case b == ':' && e.state == jsonColon:
		e.state = jsonValue
	case b == '"' && (valueExpected || e.state == jsonKey || e.state == jsonFirstKey):
		e.openString()
	case isLiteral(b) && valueExpected:
		e.state, e.literal = jsonLiteral, append(e.literal[:0], b)
	default:
		return "JSON does not allow " + string(rune(b)) + " here"
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
	e.key = e.state == jsonKey || e.state == jsonFirstKey
	e.state = jsonString
}

func (e *jsonEscaper) closeString() {
	if e.state = jsonAfter; e.key {
		e.state = jsonColon
	}
}

const maxLiteral = 64

func (e *jsonEscaper) extendLiteral(b byte) string {
	if len(e.literal) >= maxLiteral {
		return "a number or word of JSON is too long"
	}
	e.literal = append(e.literal, b)
	return ""
}

func (e *jsonEscaper) closeLiteral() string {
	e.state = jsonAfter
	if !json.Valid(e.literal) {
		return string(e.literal) + " is not a value of JSON"
	}
	return ""
}

func (e *jsonEscaper) text(dst []byte, s string) []byte {
	switch e.state {
	case jsonString:
		return appendJSON(dst, s)
	case jsonValue, jsonFirst, jsonKey, jsonFirstKey:
		e.openString()
		dst = append(appendJSON(append(dst, '"'), s), '"')
		e.closeString()
		return dst
	}
	if s != "" {
		e.report(nil, "JSON does not allow a value here")
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
			if fault := e.extendLiteral(b); fault != "" {
				e.report(nil, fault)
			}
		}
		return append(dst, digits...)
	}
	return e.text(dst, string(digits))
}

func (e *jsonEscaper) list(dst []byte, l list) []byte {
	if e.state != jsonValue && e.state != jsonFirst {
		return e.text(dst, joinList(l))
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
		if fault := e.closeLiteral(); fault != "" {
			e.report(nil, fault)
		}
	}
	if !e.complete() {
		e.report(nil, "the JSON document is not complete")
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// appendJSON escapes s for a JSON string. It also escapes "</" and the line ends of
// scripts, because JSON is often embedded in pages.
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
