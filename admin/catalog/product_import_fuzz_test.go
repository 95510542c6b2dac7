package catalog

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"vitrine/internal/cells"
	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
)

// shopSheet is a shop with an attribute of each kind and a section.
var shopSheet = sheet{
	slugs: map[shop.CategoryID]string{1: "tea"}, sections: map[string]shop.CategoryID{"tea": 1},
	attributes: []catalog.Attribute{
		{ID: 1, Name: "Colour", Kind: catalog.AttributeOption, Options: []catalog.Option{{ID: 1, Value: "red", Label: "Red"}, {ID: 2, Value: "blue", Label: "Blue"}}},
		{ID: 2, Name: "Weight", Kind: catalog.AttributeNumber}, {ID: 3, Name: "Note", Kind: catalog.AttributeText},
	},
}

// Any CSV is refused with a refusal or read line by line; no line before a broken quote is
// lost.
func FuzzReadProducts(f *testing.F) {
	for _, text := range []string{
		"sku,name\n1,Tea", "\ufeffsku;price\n1;x", "sku\tname\n\"a\nb\"\t'=c", "name\n\"", "sku,,sku\n", "a|b\\|c", "\r\n\r\n", "sku\r1\r2",
		"name,attribute:colour,Attribute:Weight\nTea,red|Blue,\"1,5\"", "sku,variants\n1,\"[{\"\"sku\"\":\"\"a\"\"}]\"", "sku,gallery\n1,x", "sku,noindex\n\"1\"2,TRUE",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // bodies are always UTF-8
		}
		read, err := shopSheet.readProducts(text)
		if err != nil {
			if _, ok := shop.AsRefusal(err); !ok {
				t.Errorf("%q: %v is not a refusal", text, err)
			}
			return
		}
		last := 1
		for _, l := range read.Rows {
			if l.Line < last {
				t.Errorf("%q: line %d after line %d", text, l.Line, last)
			}
			last = l.Line
			r := cellReader{sheet: shopSheet, cells: l.Cells}
			if _, _, err := r.item(); err != nil {
				if _, ok := shop.AsRefusal(err); !ok {
					t.Errorf("%q: %v is not a refusal", text, err)
				}
			}
		}
	})
}

// FuzzDecodeText checks that bytes are decoded to valid text without NUL, or refused.
func FuzzDecodeText(f *testing.F) {
	f.Add([]byte("sku"), "")
	f.Add([]byte("\xff\xfes\x00k\x00"), "")
	f.Add([]byte("\xf7\xe0\xe9"), "windows-1251")
	f.Fuzz(func(t *testing.T, file []byte, name string) {
		text, err := decodeText(file, name)
		if _, refused := shop.AsRefusal(err); refused != (err != nil) {
			t.Errorf("%v is not a refusal", err)
		}
		if err == nil && (!utf8.ValidString(text) || strings.ContainsRune(text, 0)) {
			t.Errorf("%q is not valid text", text)
		}
	})
}

func TestEncodingsAreDecodedOrRefused(t *testing.T) {
	for _, c := range []struct{ file, name, want string }{
		{"чай", "", "чай"}, {"\ufeffчай", "UTF-8", "\ufeffчай"}, {"\xf7\xe0\xe9", "Windows-1251", "чай"},
		{"\xff\xfe\x47\x04\x30\x04\x39\x04", "", "чай"}, {"\xfe\xff\x04\x47\x04\x30\x04\x39", "", "чай"}, {"th\xe9", "windows-1252", "thé"},
	} {
		if got, err := decodeText([]byte(c.file), c.name); got != c.want || err != nil {
			t.Errorf("%q in %q: %q, %v", c.file, c.name, got, err)
		}
	}
	for _, c := range []struct{ file, name, reason string }{
		{"sku\nsku\n\xf7\xe0\xe9", "", "line 3 is not utf-8"}, {"a\x00b", "", "line 1"}, {"a", "koi8-r", "encoding must be utf-8"},
	} {
		_, err := decodeText([]byte(c.file), c.name)
		if refusal, ok := shop.AsRefusal(err); !ok || refusal.Code != "IMPORT_ENCODING_INVALID" || !strings.Contains(refusal.Detail, c.reason) {
			t.Errorf("%q in %q: %v", c.file, c.name, err)
		}
	}
}

// Guarding cells and joining lists can be reversed exactly.
func TestGuardsAndListsAreReversible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.OneOf(rapid.String(), rapid.StringMatching(`[=+@'\-\t\r |\\a]*`)).Draw(t, "cell")
		if got := cells.Unguard(cells.Guard(cell)); got != cell {
			t.Errorf("guarded and unguarded: %q is %q", cell, got)
		}
		if g := cells.Guard(cell); g != "" && strings.ContainsRune("=+-@\t\r", rune(g[0])) {
			t.Errorf("%q is a formula", g)
		}
		list := rapid.SliceOf(rapid.StringMatching(`[ \t|\\aя]{1,6}`)).Draw(t, "list")
		if got := splitList(joinList(list)); !slices.Equal(got, list) {
			t.Errorf("joined and split: %q is %q", list, got)
		}
	})
}
