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
			return e.scripted(dst, s)
		case "style":
			return appendHarmless(dst, s)
		}
		return appendHTML(dst, s)
	case htmlQuoted, htmlBare:
		return e.attribute(dst, s)
	case htmlValue: // without quotes a value would end at its first blank
		e.first, e.based, e.str = true, false, 0
		dst = append(e.attribute(append(dst, '"'), s), '"')
		e.state = htmlTag
		return dst
	}
	for i := range len(s) { // amid a tag or comment only names are harmless
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
		return e.scripted(dst, s)
	case asStyle:
		return appendHarmless(dst, s)
	case asPage:
		s = string(appendHTML(nil, s))
	}
	e.first = false
	if e.state == htmlBare {
		return appendReferences(dst, s)
	}
	return appendHTML(dst, s)
}

// address makes sure that an address does not begin with a scheme that runs
// something.
func (e *htmlEscaper) address(s string) string {
	if e.based {
		return s
	}
	i := strings.IndexAny(s, ":/?#")
	e.based = i >= 0
	if i < 0 || s[i] != ':' {
		return s
	}
	if e.first {
		switch strings.ToLower(s[:i]) {
		case "http", "https", "mailto", "tel":
			return s
		}
		return "#"
	}
	return strings.ReplaceAll(s, ":", "%3A")
}

// scripted writes a value where a script stands: inside its string, or as one.
func (e *htmlEscaper) scripted(dst []byte, s string) []byte {
	if e.str != 0 {
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

func (e *htmlEscaper) list(dst []byte, l list) []byte { return e.text(dst, spelled(l)) }
func (e *htmlEscaper) none(dst []byte) []byte         { return e.text(dst, absent) }

// appendHTML writes s as text or as an attribute in quotes.
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

// appendReferences writes s into an attribute without quotes.
func appendReferences(dst []byte, s string) []byte {
	for i := range len(s) {
		if b := s[i]; nameByte(b) || b >= utf8.RuneSelf || b == '/' {
			dst = append(dst, b)
		} else {
			dst = append(dst, '&', '#', 'x', hexDigits[b>>4], hexDigits[b&0xf], ';')
		}
	}
	return dst
}

// appendScript writes s between the quotes of a script's string. Every character
// that means something to a script or a page is spelled by its number, so that
// the result is harmless wherever it stands.
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

// appendHarmless writes what is left of s where a style reads it.
func appendHarmless(dst []byte, s string) []byte {
	for _, r := range s {
		if r >= utf8.RuneSelf || r == ' ' || r == '#' || r == '%' || r == ',' || r != ':' && nameByte(byte(r)) {
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}
