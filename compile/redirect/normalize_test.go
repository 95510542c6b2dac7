package redirect

import (
	"strings"
	"testing"

	"vitrine/internal/shop"
)

// codeOf returns the code of a refusal.
func codeOf(err error) string {
	if err == nil {
		return "ok"
	}
	r, ok := shop.AsRefusal(err)
	if !ok {
		return err.Error()
	}
	return r.Code
}

func TestKindIsDerivedFromTheSource(t *testing.T) {
	for _, c := range []struct {
		from, to string
		sent     Kind
		want     Kind // empty: refused
	}{
		{"/a", "/b", "", Exact},
		{"/a/%2A", "/b", "", Exact},
		{"/goods/*", "/b", "", Prefix},
		{"/goods/*/", "/b", "", Prefix},
		{"/*", "/b", "", Prefix},
		{"/goods/*", "/b/$1", "", Pattern},
		{"/goods/*", "/b", Pattern, Pattern},
		{"/goods/*", "/b", Prefix, Prefix},
		{"/goods/**", "/b", "", Pattern},
		{"/a*", "/b", "", Pattern},
		{"/a/*/*", "/b", "", Pattern},
		{"/a", "/b", Pattern, ""},
		{"/a", "/b", Prefix, ""},
		{"/a*", "/b", Exact, ""},
		{"/a*", "/b", Prefix, ""},
		{"/a/**", "/b", Prefix, ""},
		{"/goods/*", "/b", Exact, ""},
		{"/a", "/b", "mask", ""},
	} {
		r, err := Normalize(Rule{From: c.from, To: c.to, Kind: c.sent})
		if r.Kind != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s to %s as %q is %q (%v), want %q", c.from, c.to, c.sent, r.Kind, err, c.want)
		}
	}
}

func TestSourcesRefused(t *testing.T) {
	for _, from := range []string{
		"", "a", "http://x.test/a", "/a?x=1", "/a#b", "/a\nb", "/a%00", "/%zz", "/a/../b", "/%2e%2e", `\a`,
		"/a**", "/**/a", "/a*b*", "/***", "/a/**b", "/*/*/*/*/*/*/*/*/*/*", "/" + strings.Repeat("a", MaxPath), "/", "//",
	} {
		if _, err := Normalize(Rule{From: from, To: "/new"}); codeOf(err) != "REDIRECT_INVALID_SOURCE" {
			t.Errorf("%.40q: %v", from, err)
		}
	}
	if _, err := Normalize(Rule{From: "/", To: "/new", OverrideLive: true}); err != nil {
		t.Error("an override rule may have / as its source:", err)
	}
	if _, err := Normalize(Rule{From: "/*/*/*/*/*/*/*/*/**", To: "/$9"}); err != nil {
		t.Error("nine stars:", err)
	}
}

func TestTargets(t *testing.T) {
	const invalid, notAllowed = "REDIRECT_INVALID_TARGET", "REDIRECT_EXTERNAL_NOT_ALLOWED"
	for _, c := range []struct {
		to       string
		external bool
		want     string
	}{
		{"/b", false, "ok"},
		{"/", false, "ok"},
		{"/b?x=//y#z//", false, "ok"},
		{"/b%20c/é", false, "ok"},
		{"/costs-$0-$x-$", false, "ok"},
		{"https://example.test", false, notAllowed},
		{"HTTP://example.test/x", false, notAllowed},
		{"https://example.test", true, "ok"},
		{"https://example.test:8443/a//b?x#y", true, "ok"},
		{"https://пример.рф/x", true, "ok"},
		{"https://[::1]:80/", true, "ok"},
		{"http://127.0.0.1/", true, "ok"},
		{"", false, invalid},
		{"b", false, invalid},
		{"b.example", true, invalid},
		{"?x=1", false, invalid},
		{"#top", false, invalid},
		{"//evil.test", false, invalid},
		{"//evil.test", true, invalid},
		{"///evil.test", false, invalid},
		{`/\evil.test`, false, invalid},
		{`\/evil.test`, false, invalid},
		{`\\evil.test`, true, invalid},
		{"/\t/evil.test", false, invalid},
		{"/b\r\nSet-Cookie: x", false, invalid},
		{" /b", false, invalid},
		{"https:evil.test", true, invalid},
		{"https:/evil.test", true, invalid},
		{"https:///evil.test", true, invalid},
		{"http://", true, invalid},
		{"https://?x", true, invalid},
		{"javascript:alert(1)", true, invalid},
		{"data:text/html,x", true, invalid},
		{"ftp://example.test/x", true, invalid},
		{"mailto:a@example.test", true, invalid},
		{"https://u:p@example.test/", true, invalid},
		{"https://u@example.test", true, invalid},
		{`https://evil.test\@good.test`, true, invalid},
		{`https://good.test/\evil.test`, true, invalid},
		{"https://good.test%2Fevil.test/", true, invalid},
		{"https://good test/", true, invalid},
		{"https://good..test/", true, invalid},
		{"https://1.2.3.999/", true, invalid},
		{"https://0x7f.1/", true, invalid},
		{"https://[::1/", true, invalid},
		{"https://[x]/", true, invalid},
		{"https://example.test:0/", true, invalid},
		{"https://example.test:/", true, invalid},
		{"https://example.test:99999/", true, invalid},
		{"https://example.test$1", true, invalid},
		{"https://$1/", true, invalid},
		{"https://example.test:$1/", true, invalid},
		{"https://$1@example.test/", true, invalid},
		{"/b/../c", false, invalid},
		{"/b/%2e%2e/c", false, invalid},
		{"/100%", false, invalid},
		{"/a%0d%0ab", false, invalid},
		{"/b/$2", false, invalid},
		{"/b?x=$9", false, invalid},
		{"/b#$2", false, invalid},
		{"/" + strings.Repeat("$1", 19), false, invalid},
		{"/" + strings.Repeat("x", maxTarget), false, invalid},
	} {
		_, err := Normalize(Rule{Kind: Pattern, From: "/s/*", To: c.to, External: c.external})
		if codeOf(err) != c.want {
			t.Errorf("target %.40q (external %v): %s, want %s", c.to, c.external, codeOf(err), c.want)
		}
	}
	for _, kind := range []Kind{Exact, Prefix} {
		from := map[Kind]string{Exact: "/s", Prefix: "/s/*"}[kind]
		if _, err := Normalize(Rule{Kind: kind, From: from, To: "/b/$1"}); codeOf(err) != invalid {
			t.Errorf("%s has no star to name: %v", kind, err)
		}
	}
}

func TestConditions(t *testing.T) {
	for in, want := range map[string]string{
		"": "ok", "k=v": "ok", "?k=v": "ok", "??k=v": "ok", "k=": "ok", "k=a=b": "ok", "a[]=1": "ok",
		"novalue": "no", "=v": "no", "?": "ok", "a=1&b=2": "no", "k=a b": "no", "k=a#b": "no", "k=a\nb": "no",
	} {
		r, err := Normalize(Rule{From: "/a", To: "/b", QueryMatch: in})
		if (err == nil) != (want == "ok") || err == nil && r.QueryMatch != strings.TrimLeft(in, "?") ||
			err != nil && codeOf(err) != "REDIRECT_INVALID_QUERY" {
			t.Errorf("condition %q: %q, %v", in, r.QueryMatch, err)
		}
	}
	for _, from := range []string{"/a*", "/a/*", "/a/**"} {
		if _, err := Normalize(Rule{From: from, To: "/b", QueryMatch: "k=v"}); codeOf(err) != "REDIRECT_INVALID_QUERY" {
			t.Errorf("condition on %s: %v", from, err)
		}
	}
}

func TestDefaultsAndPlainFields(t *testing.T) {
	r, err := Normalize(Rule{ID: 7, From: "/a", To: "/b", External: true, Note: "two\nlines\x00", SortOrder: 3})
	if err != nil || r.Code != 301 || r.External || r.Note != "two lines " || r.ID != 7 || r.SortOrder != 3 || r.Enabled {
		t.Errorf("%+v %v", r, err)
	}
	for _, bad := range []Rule{{Code: 308}, {Code: 1000}, {Code: -1}, {Note: strings.Repeat("é", 501)}, {Kind: "regex"}} {
		bad.From, bad.To = "/a", "/b"
		if r, err := Normalize(bad); codeOf(err) != "INVALID_REQUEST" || r != (Rule{}) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := Normalize(Rule{From: "/a", To: "/b", Note: strings.Repeat("é", 500)}); err != nil {
		t.Error("a note of 500 characters:", err)
	}
}

func TestDuplicates(t *testing.T) {
	key := func(kind Kind, from, condition string) string {
		return Rule{Kind: kind, From: from, QueryMatch: condition}.DuplicateKey()
	}
	for _, same := range [][2]string{
		{key(Exact, "/a", ""), key(Exact, "/A//", "")},
		{key(Exact, "/caf%c3%a9", "k=v"), key(Exact, "/café", "k=v")},
		{key(Pattern, "/A*/", ""), key(Pattern, "/a*", "")},
		{key(Prefix, "/Goods/*", ""), key(Prefix, "/goods/*/", "")},
	} {
		if same[0] != same[1] {
			t.Errorf("%q and %q differ", same[0], same[1])
		}
	}
	for _, differ := range [][2]string{
		{key(Exact, "/a", "k=v"), key(Exact, "/a", "k=V")},
		{key(Exact, "/a%3Fk=v", ""), key(Exact, "/a", "k=v")},
		{key(Prefix, "/goods/*", ""), key(Pattern, "/goods/*", "")},
		{key(Pattern, "/a%2A/*", ""), key(Pattern, "/a*/%2A", "")},
	} {
		if differ[0] == differ[1] {
			t.Errorf("%q twice", differ[0])
		}
	}
}
