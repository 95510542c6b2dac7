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
