package release

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/shop"
)

// refused fails the test unless err is the refusal want and its text contains all parts.
func refused(t *testing.T, err error, want *shop.Refusal, parts ...string) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got %v, want %s", err, want.Code)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not contain %q", err, part)
		}
	}
}

func TestCleanKeepsValidPaths(t *testing.T) {
	for _, path := range []string{
		"index.html", "a/b/c.css", "картинки/чай.webp", "with space.png", "a%2e%2e/b", "[id].html", "...", "..a/b..", "a:b",
		"naïve/é.png", "\U0001F600.svg", ".well-known/x", strings.Repeat("a", MaxPath-1), strings.Repeat("a", MaxPath),
	} {
		if got, err := Clean(path); err != nil || got != path {
			t.Errorf("Clean(%q) = %q, %v", path, got, err)
		}
	}
}

func TestCleanRefusesHostilePaths(t *testing.T) {
	for path, why := range map[string]string{
		"":                               "is empty",
		"../a":                           `a ".." segment`,
		"a/../../b":                      `a ".." segment`,
		"a/..":                           `a ".." segment`,
		"./a":                            `a "." segment`,
		"a/.":                            `a "." segment`,
		"a//b":                           "empty segment",
		"a/":                             "empty segment",
		"/etc/passwd":                    "absolute",
		"//host/a":                       "absolute",
		"C:/x":                           "absolute",
		`a\b`:                            "backslash",
		`..\a`:                           "backslash",
		"a\x00.html":                     "control character",
		"a\nb":                           "control character",
		"a\x7f":                          "control character",
		"a\u0085":                        "control character",
		"a\xffb":                         "not UTF-8",
		"\xed\xa0\x80":                   "not UTF-8",
		strings.Repeat("a", MaxPath+1):   "longer than 512 bytes",
		strings.Repeat("й", MaxPath/2+1): "longer than 512 bytes",
	} {
		_, err := Clean(path)
		refused(t, err, ErrPath, why)
	}
}

func TestARefusalNamesThePathOnOneShortLine(t *testing.T) {
	_, err := Clean("a\n" + strings.Repeat("й", 1<<20))
	if text := err.Error(); len(text) > 800 || strings.Contains(text, "\n") {
		t.Errorf("%d bytes: %.200s", len(text), text)
	}
	for path, want := range map[string]string{
		"css/../x": "css/../x", `css\a.css`: `css\a.css`, "a\nb": "a\nb", `/"x"`: `/"x"`, "\xe4.css": "\ufffd.css",
		"../" + strings.Repeat("й", 300): "../" + strings.Repeat("й", 58) + "…",
	} {
		_, err := Clean(path)
		if r, _ := shop.AsRefusal(err); r.Fields["path"] != want {
			t.Errorf("%q: the field path is %q", path, r.Fields["path"])
		}
	}
}

func TestConflictsAreFoundInAnyOrder(t *testing.T) {
	for _, tc := range []struct{ paths, why string }{
		{"a b c", ""},
		{"a/x A/y", ""}, // folders that differ by case have no file in common
		{"a a", "twice"},
		{"logo.png b Logo.PNG", "only by case"},
		{"dir/a DIR/A", "only by case"},
		{"ä Ä", "only by case"},
		{"σ ς", "only by case"},
		{"\u212a k", "only by case"}, // the Kelvin sign
		{"a a!b a-b a/b", "needs a folder"},
		{"a/b A", "needs a folder"},
		{"a/b/c a/b", "needs a folder"},
		{"ab a/b", ""},
	} {
		err := conflict(strings.Fields(tc.paths))
		if tc.why == "" && err != nil {
			t.Errorf("%s: %v", tc.paths, err)
		} else if tc.why != "" {
			refused(t, err, ErrConflict, tc.why)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"index.html", "a/../b", "/a", `a\b`, "a\x00", "", "C:/x", "й/\xff", "a//b", "./."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		got, err := Clean(path)
		if err != nil {
			refused(t, err, ErrPath)
			return
		}
		if got != path || len(got) > MaxPath || !utf8.ValidString(got) || strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("%q became %q", path, got)
		}
		if s := "/" + got + "/"; strings.Contains(s, "/../") || strings.Contains(s, "/./") || strings.Contains(s, "//") ||
			strings.Contains(s, `\`) {
			t.Errorf("%q passed", got)
		}
		if fold(fold(got)) != fold(got) {
			t.Errorf("folding %q is not stable", got)
		}
		if fold(strings.ToUpper(got)) == fold(got) && strings.ToUpper(got) != got {
			if conflict([]string{got, strings.ToUpper(got)}) == nil {
				t.Errorf("%q and its upper case are accepted together", got)
			}
		}
	})
}
