package catalog

import (
	"strings"
	"testing"
	"unicode/utf8"

	"vitrine/internal/shop"
)

// Whatever is sent as a CSV is refused in words or read line by line; no line
// is lost before a broken quote, and guarding a cell loses nothing.
func FuzzParseProducts(f *testing.F) {
	for _, text := range []string{"sku,name\n1,Tea", "\ufeffsku;price\n1;x", "sku\tname\n\"a\nb\"\t'=c", "name\n\"", "sku,,sku\n", "a|b\\|c", "\r\n\r\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // bodies are UTF-8
		}
		if got := unguarded(guarded(text)); got != text {
			t.Errorf("guarded and unguarded: %q is %q", text, got)
		}
		if list := parted(joined([]string{text})); strings.TrimSpace(text) != "" && (len(list) != 1 || list[0] != strings.TrimSpace(text)) {
			t.Errorf("joined and parted: %q is %q", text, list)
		}
		lines, err := parseProducts(text)
		if err != nil {
			if _, ok := shop.AsRefusal(err); !ok {
				t.Errorf("%q: %v is no refusal", text, err)
			}
			return
		}
		last := 1
		for _, l := range lines {
			if l.line < last {
				t.Errorf("%q: line %d after line %d", text, l.line, last)
			}
			last = l.line
			if _, err := l.item(seoItem{}, nil); err != nil {
				if _, ok := shop.AsRefusal(err); !ok {
					t.Errorf("%q: %v is no refusal", text, err)
				}
			}
		}
	})
}
