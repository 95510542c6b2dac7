package feed

import (
	"strings"
	"unicode/utf8"
)

// Classes of bytes in XML.
const (
	xmlPass  = iota
	xmlQuote // is written as a reference
	xmlBlank // tab or line end, which parsers normalise in attributes
	xmlDrop  // not a character of XML
	xmlTwo   // first of two bytes
	xmlMore  // first of more than two bytes, or invalid
)

var xmlClasses = classes()

func classes() (out [256]uint8) {
	for b := range 256 {
		switch {
		case b >= 0xe0 || b >= 0x80 && b < 0xc2:
			out[b] = xmlMore
		case b >= 0x80:
			out[b] = xmlTwo
		case b == '\t' || b == '\n' || b == '\r':
			out[b] = xmlBlank
		case b < ' ':
			out[b] = xmlDrop
		case strings.IndexByte(`&<>"'`, byte(b)) >= 0:
			out[b] = xmlQuote
		}
	}
	return out
}

// appendXML escapes s for character data or for an attribute. It drops what XML does
// not allow: control characters, surrogates, invalid UTF-8.
func appendXML(dst []byte, s string, attribute bool) []byte {
	last := 0
	for i := 0; i < len(s); {
		class := xmlClasses[s[i]]
		size := 1
		switch class {
		case xmlPass:
			i++
			continue
		case xmlTwo:
			if i+1 < len(s) && s[i+1]&0xc0 == 0x80 {
				i += 2
				continue
			}
			class = xmlDrop
		case xmlMore:
			var r rune
			r, size = utf8.DecodeRuneInString(s[i:])
			if xmlChar(r) && (r != utf8.RuneError || size > 1) {
				i += size
				continue
			}
			class = xmlDrop
		case xmlBlank:
			if !attribute {
				i++
				continue
			}
		}
		dst = append(dst, s[last:i]...)
		if class != xmlDrop {
			dst = append(dst, charReference(s[i])...)
		}
		i += size
		last = i
	}
	return append(dst, s[last:]...)
}

func charReference(b byte) string {
	switch b {
	case '&':
		return "&amp;"
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	case '"':
		return "&quot;"
	case '\'':
		return "&apos;"
	case '\t':
		return "&#9;"
	case '\n':
		return "&#10;"
	}
	return "&#13;"
}

// appendComment escapes s for a comment, which must not contain "--".
func appendComment(dst []byte, s string) []byte {
	at := len(dst)
	dst = appendXML(dst, s, false)
	if strings.IndexByte(s, '-') < 0 {
		return dst
	}
	return append(dst[:at], strings.ReplaceAll(string(dst[at:]), "-", "&#45;")...)
}

// appendCDATA writes s into a CDATA section so that neither s nor s together with the
// text after it ends the section.
func appendCDATA(dst []byte, s string) []byte {
	at := len(dst)
	for i, r := range s {
		if !xmlChar(r) || r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd") {
			continue
		}
		if r == '>' {
			dst = append(dst, `]]><![CDATA[`...)
		}
		dst = utf8.AppendRune(dst, r)
	}
	if len(dst) > at && dst[len(dst)-1] == ']' {
		dst = append(dst, `]]><![CDATA[`...)
	}
	return dst
}
