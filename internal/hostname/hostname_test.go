package hostname

import (
	"strings"
	"testing"
)

// FuzzParse checks that Parse returns a host without port, in lower case, or an
// error.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"shop.localhost", "SHOP.Localhost.:8080", "[::1]:80", "a:b:c", ".", "..", "a..b", "[", "x@y", "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := string(raw)
		name, err := Parse(raw)
		if string(raw) != before {
			t.Fatalf("%q was changed", before)
		}
		if err != nil {
			return
		}
		if again, err := Parse(name); err != nil || len(again) == 0 || len(again) > len(name) {
			t.Errorf("%q: %q is not a valid host", before, name)
		}
		if strings.ToLower(string(name)) != string(name) || strings.ContainsAny(string(name), "/\\@ \r\n") {
			t.Errorf("%q: %q", before, name)
		}
	})
}
