package count

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Names in the lists are short, printable and not personal.
func TestNamesOfVisitsAreHarmless(t *testing.T) {
	for in, want := range map[string]string{
		"  Green\tTea \x00\n": "green tea", "me@example.com": "", "call +49 170 1234567": "", "\xff\xfeтест": "тест", "\u202egnp": "gnp",
		strings.Repeat("я", 300): strings.Repeat("я", 100),
	} {
		if got := wordsOf(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"/a/b.html": "/a/b.html", "/u/me%40example.com": "/u/…", "/reset/0123456789abcdef0123456789abcdef": "/reset/…", "/tel/4917012345678": "/tel/…",
		"/a%00b/\x01c": "/a b/ c", "/" + strings.Repeat("x", 100): "/…", "/%zz": "/%zz", "/products/green-tea-2027-edition": "/products/green-tea-2027-edition",
	} {
		if got := missingName(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"https://www.Example.com/x?y": "example.com", "http://user:pass@example.com/": "", "javascript://x": "", "https://": "", "about:blank": "",
		"android-app://com.mail.app/": "com.mail.app", "https://a\x00b/": "", "https://[::1]/": "[::1]", "https://exa mple.com/": "",
	} {
		if got := string(hostOfReferrer([]byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzNamesOfVisits(f *testing.F) {
	f.Add("/a/b", "utm_source=x&utm_campaign=%00%ff", "https://a.example/")
	f.Fuzz(func(t *testing.T, text, query, referrer string) {
		for _, name := range []string{wordsOf(text), missingName(text), campaignOf(query), string(hostOfReferrer([]byte(referrer)))} {
			if len(name) > 4*maxPageName || !utf8.ValidString(name) || strings.ContainsAny(name, "\n\r\x00") || strings.Contains(name, "@") {
				t.Errorf("%q", name)
			}
		}
	})
}
