package markup

import "strings"

// context is the place of a value and determines its escaping. Scripts, style elements, event
// handlers and comments have no context: nothing is substituted there.
type context uint8

const (
	inText    context = iota // text, textarea
	inAttr                   // an attribute in double quotes
	inAddress                // an address that begins with the value
	inTail                   // an address after a static beginning
	inSrcset                 // a candidate of a srcset that begins with the value
	inStyle                  // a style attribute
)

// schemes lists the schemes allowed for an address from data.
var schemes = [...]string{"http", "https", "mailto", "tel", "sms", "form", "svc", "tg", "viber", "whatsapp"}

func appendEscaped(dst []byte, v string, ctx context) []byte {
	switch ctx {
	case inText:
		return appendText(dst, v)
	case inAttr:
		return appendAttr(dst, v)
	case inAddress:
		if !schemeAllowed(v) {
			return append(dst, '#')
		}
		return appendAttr(dst, v)
	case inTail:
		return appendPercent(dst, v)
	case inSrcset:
		if !schemeAllowed(v) {
			return append(dst, '#')
		}
		return appendCandidate(dst, v)
	case inStyle:
		if !schemeAllowed(v) {
			return dst
		}
		return appendCSS(dst, v)
	}
	return dst
}

// appendText escapes for text. A carriage return would be parsed as a line feed; a no-break space
// is written as browsers write it.
func appendText(dst []byte, s string) []byte { return appendEntities(dst, s, false) }

// appendAttr escapes for an attribute in double quotes. < and > are escaped as well: the
// attribute may be inside noscript, where a browser with scripts looks for an end tag in it.
func appendAttr(dst []byte, s string) []byte { return appendEntities(dst, s, true) }

// special marks the bytes that may need an entity.
var special = [256]bool{'&': true, '<': true, '>': true, '"': true, '\r': true, 0: true, 0xC2: true}

func appendEntities(dst []byte, s string, quote bool) []byte {
	from := 0
	for i := 0; i < len(s); i++ {
		if !special[s[i]] {
			continue
		}
		entity, width := "", 1
		switch s[i] {
		case '&':
			entity = "&amp;"
		case '<':
			entity = "&lt;"
		case '>':
			entity = "&gt;"
		case '"':
			if quote {
				entity = "&quot;"
			}
		case '\r':
			entity = "&#13;"
		case 0:
			entity = "\uFFFD"
		case 0xC2:
			if i+1 < len(s) && s[i+1] == 0xA0 {
				entity, width = "&nbsp;", 2
			}
		}
		if entity == "" {
			continue
		}
		dst = append(append(dst, s[from:i]...), entity...)
		i += width - 1
		from = i + 1
	}
	return append(dst, s[from:]...)
}

const hexDigits = "0123456789ABCDEF"

func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// appendPercent encodes everything that could end a path segment.
func appendPercent(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; unreserved(c) {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return dst
}

// appendCandidate keeps an address a single candidate of a srcset: commas and white space are
// encoded, the rest is escaped for the attribute.
func appendCandidate(dst []byte, s string) []byte {
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c > ' ' && c != ',' {
			continue
		}
		dst = append(appendAttr(dst, s[from:i]), '%', hexDigits[c>>4], hexDigits[c&15])
		from = i + 1
	}
	return appendAttr(dst, s[from:])
}

// appendCSS escapes everything that could end the value, the address or the string that contains
// it in a style attribute.
func appendCSS(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x80 || unreserved(c) && c != '~' || strings.IndexByte("/%#:?=+", c) >= 0 {
			dst = append(dst, c)
			continue
		}
		if c == 0 {
			dst = append(dst, "\uFFFD"...)
			continue
		}
		dst = append(dst, '\\')
		if c >= 16 {
			dst = append(dst, hexDigits[c>>4])
		}
		dst = append(dst, hexDigits[c&15], ' ')
	}
	return dst
}

// schemeAllowed reports whether an address from data has no scheme or a harmless one. Browsers
// skip leading controls and spaces, and tabs and line breaks anywhere, so they are skipped here
// too.
func schemeAllowed(address string) bool {
	name, ok := scheme(address)
	if !ok {
		return true
	}
	for _, s := range schemes {
		if strings.EqualFold(name, s) {
			return true
		}
	}
	return false
}

// scheme returns the part before the first colon if a browser would parse it as a scheme. Tabs
// and line breaks are removed from it.
func scheme(address string) (string, bool) {
	s := strings.TrimLeftFunc(address, func(r rune) bool { return r <= ' ' })
	colon := strings.IndexByte(s, ':')
	if colon <= 0 {
		return "", false
	}
	name := s[:colon]
	if strings.ContainsAny(name, "\t\n\r") {
		name = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(name)
	}
	for i := 0; i < len(name); i++ {
		c := name[i] | 0x20
		letter := c >= 'a' && c <= 'z'
		if !letter && (i == 0 || (name[i] < '0' || name[i] > '9') && strings.IndexByte("+-.", name[i]) < 0) {
			return "", false
		}
	}
	return name, name != ""
}
