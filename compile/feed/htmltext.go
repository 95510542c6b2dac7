package feed

import (
	"strings"
	"unicode/utf8"
)

func (e *htmlEscaper) text(dst []byte, s string) []byte {
	switch e.state {
	case htmlText:
		return appendHTML(dst, s)
	case htmlRaw:
		switch e.word = e.word[:0]; e.raw {
		case "script":
			return e.scriptValue(dst, s)
		case "style":
			return appendStyle(dst, s)
		}
		return appendHTML(dst, s)
	case htmlQuoted, htmlBare:
		return e.attribute(dst, s)
	case htmlValue: // an unquoted value would end at its first space
		e.valueStart, e.schemeDone, e.stringQuote = true, false, 0
		dst = append(e.attribute(append(dst, '"'), s), '"')
		e.state = htmlTag
		return dst
	}
	for i := range len(s) { // inside a tag or comment only characters of names are harmless
		if b := s[i]; b != '-' && b != ':' && nameByte(b) {
			e.step(b)
			dst = append(dst, b)
		}
	}
	return dst
}

func (e *htmlEscaper) attribute(dst []byte, s string) []byte {
	if s == "" {
		return dst
	}
	switch e.use {
	case asAddress:
		s = e.address(s)
	case asScript:
		return e.scriptValue(dst, s)
	case asStyle:
		return appendStyle(dst, s)
	case asPage:
		s = string(appendHTML(nil, s))
	}
	e.valueStart = false
	if e.state == htmlBare {
		return appendUnquoted(dst, s)
	}
	return appendHTML(dst, s)
}

// address prevents a value from giving an address a scheme that runs code.
func (e *htmlEscaper) address(s string) string {
	if e.schemeDone {
		return s
	}
	i := strings.IndexAny(s, ":/?#")
	e.schemeDone = i >= 0
	if i < 0 || s[i] != ':' {
		return s
	}
	if e.valueStart {
		switch strings.ToLower(s[:i]) {
		case "http", "https", "mailto", "tel":
			return s
		}
		return "#"
	}
	return strings.ReplaceAll(s, ":", "%3A")
}

// scriptValue writes a value into a script: inside of its string, or as a string.
func (e *htmlEscaper) scriptValue(dst []byte, s string) []byte {
	if e.stringQuote != 0 {
		return appendScript(dst, s)
	}
	quote := `"`
	if e.raw == "" {
		quote = "&#34;" // in an attribute
	}
	return append(appendScript(append(dst, quote...), s), quote...)
}

func (e *htmlEscaper) number(dst, digits []byte) []byte {
	if e.raw == "script" || e.raw == "" && e.use == asScript && (e.state == htmlQuoted || e.state == htmlBare) {
		return append(dst, digits...)
	}
	return e.text(dst, string(digits))
}

func (e *htmlEscaper) list(dst []byte, l list) []byte { return e.text(dst, joinList(l)) }
func (e *htmlEscaper) none(dst []byte) []byte         { return e.text(dst, absent) }

// appendHTML escapes s for text and quoted attributes.
func appendHTML(dst []byte, s string) []byte {
	last := 0
	for i := range len(s) {
		var by string
		switch s[i] {
		case '&':
			by = "&amp;"
		case '<':
			by = "&lt;"
		case '>':
			by = "&gt;"
		case '"':
			by = "&#34;"
		case '\'':
			by = "&#39;"
		case '`':
			by = "&#96;"
		case 0:
			by = "\ufffd"
		default:
			continue
		}
		dst = append(append(dst, s[last:i]...), by...)
		last = i + 1
	}
	return append(dst, s[last:]...)
}

// appendUnquoted escapes s for an unquoted attribute.
func appendUnquoted(dst []byte, s string) []byte {
	for i := range len(s) {
		if b := s[i]; nameByte(b) || b >= utf8.RuneSelf || b == '/' {
			dst = append(dst, b)
		} else {
			dst = append(dst, '&', '#', 'x', hexDigits[b>>4], hexDigits[b&0xf], ';')
		}
	}
	return dst
}

// appendScript escapes s for a string of a script. Every character with a meaning in
// scripts or HTML becomes a \u escape, so that the result is harmless anywhere.
func appendScript(dst []byte, s string) []byte {
	for _, r := range s {
		switch {
		case r == ' ' || r == '_' || r == ',' || r == '.' || r < utf8.RuneSelf && nameByte(byte(r)) && r != '-' && r != ':':
			dst = append(dst, byte(r))
		case r < utf8.RuneSelf || r == '\u2028' || r == '\u2029':
			dst = append(dst, '\\', 'u', hexDigits[r>>12&0xf], hexDigits[r>>8&0xf], hexDigits[r>>4&0xf], hexDigits[r&0xf])
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}

// appendStyle writes the characters of s that are harmless in a style.
func appendStyle(dst []byte, s string) []byte {
	for _, r := range s {
		if r >= utf8.RuneSelf || r == ' ' || r == '#' || r == '%' || r == ',' || r != ':' && nameByte(byte(r)) {
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}
