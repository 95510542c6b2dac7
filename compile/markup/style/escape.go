package style

import (
	"strconv"
	"strings"
)

const spaces = " \t\r\n\f"

// Unescape resolves the escapes of a name, a string or an address.
func Unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		i++
		if s[i] == '\n' || s[i] == '\f' { // a line continuation
			i++
			continue
		}
		if s[i] == '\r' {
			i++
			if i < len(s) && s[i] == '\n' {
				i++
			}
			continue
		}
		i = unescapeOne(&b, s, i)
	}
	return b.String()
}

const hexDigits = "0123456789abcdefABCDEF"

// unescapeOne writes the character of the escape whose backslash is before i, and returns the
// index after it.
func unescapeOne(b *strings.Builder, s string, i int) int {
	n := 0
	for n < 6 && i+n < len(s) && strings.IndexByte(hexDigits, s[i+n]) >= 0 {
		n++
	}
	if n == 0 {
		b.WriteByte(s[i])
		return i + 1
	}
	r, _ := strconv.ParseUint(s[i:i+n], 16, 32) // six digits at most
	if r == 0 || r > 0x10FFFF || r >= 0xD800 && r < 0xE000 {
		r = '\uFFFD'
	}
	b.WriteRune(rune(r))
	i += n
	if strings.HasPrefix(s[i:], "\r\n") {
		return i + 2
	}
	if i < len(s) && strings.IndexByte(spaces, s[i]) >= 0 {
		i++
	}
	return i
}
