package shop

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Clip returns the first characters of a text.
func Clip(text string, most int) string {
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i]
		}
	}
	return text
}

// Shorten is Clip with an ellipsis for the characters that are left out.
func Shorten(text string, most int) string {
	if short := Clip(text, most); short != text {
		return short + "…"
	}
	return text
}

// Fold returns a text as searches compare it: in lower case, and with е for ё, which many people
// do not type.
func Fold(text string) string {
	text = strings.ToLower(text)
	return strings.ReplaceAll(strings.ReplaceAll(text, "ё", "е"), "е\u0308", "е")
}

// PhoneDigits returns the digits of a query that may be a part of a phone number in any notation;
// empty: it is something else.
func PhoneDigits(query string) string {
	const fewest = 3
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, query)
	if len(digits) < fewest || strings.Trim(query, "+-()./ 0123456789\u00a0") != "" {
		return ""
	}
	return digits
}

// OneLine replaces control characters and line separators by spaces.
func OneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
}

// HexDigit returns the value of a hexadecimal digit, or -1 for another byte.
func HexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// UTC returns a time in UTC; nil stays nil.
func UTC(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	utc := at.UTC()
	return &utc
}

// JoinIDs writes ids with spaces between them.
func JoinIDs[ID fmt.Stringer](ids []ID) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	return strings.Join(texts, " ")
}
