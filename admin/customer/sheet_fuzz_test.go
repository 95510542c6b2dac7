package customer

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Each line of any CSV is returned once, with rising numbers, and its cells are valid text
// within their limits.
func FuzzReadSheet(f *testing.F) {
	for _, text := range []string{
		"email,name\na@b.c,Ann", "\ufeffName;EMAIL;groups\r\n\"A;\"\"B\";a@b.c;x; y\r\n", "email\tnote\n\t\"open\n", "email\n\"\n\x00\n=1", "email,email\na@b.c,d@e.f\n\n\n,,,,",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines, _, err := readSheet(text)
		if err != nil {
			return
		}
		at := 0
		for _, line := range lines {
			if line.number < at || line.number > strings.Count(text, "\n")+strings.Count(text, "\r")+1 {
				t.Fatalf("line %d after %d", line.number, at)
			}
			at = line.number
			for column, cell := range line.cells {
				if utf8.RuneCountInString(cell) > lengths[column] || !utf8.ValidString(cell) || strings.ContainsRune(cell, 0) {
					t.Fatalf("%s is %q", column, cell)
				}
			}
			if line.reason == "" && address(line.cells["email"]) == "" {
				t.Fatalf("line %d has no address and no reason", line.number)
			}
		}
	})
}
