package redirect

import (
	"strings"
	"testing"
)

// locate returns the Location of one rule for an address, "none" if it does not match, and the
// code if the rule is refused.
func locate(t *testing.T, r Rule, target string) string {
	t.Helper()
	r.Enabled = true
	r, err := Normalize(r)
	if err != nil {
		return codeOf(err)
	}
	var a Address
	if err := a.Parse(target); err != nil {
		return err.Error()
	}
	m, ok := NewSet([]Rule{r}).Match(map[bool]Phase{true: Override, false: Plain}[r.OverrideLive], &a)
	if !ok {
		return "none"
	}
	return string(m.AppendLocation(nil, &a))
}

func TestLocations(t *testing.T) {
	old := Rule{From: "/old-page", To: "/new"}
	tags := Rule{From: "/d", To: "/n", DropQuery: true}
	own := Rule{From: "/t", To: "/n?src=old#top"}
	mask := Rule{From: "/go/*", To: "/$1", Kind: Pattern}
	deep := Rule{From: "/go/**", To: "/$1"}
	find := Rule{From: "/x/*", To: "/find?q=$1", Kind: Pattern}
	goods := Rule{From: "/goods/*", To: "/shop"}
	for _, c := range []struct {
		rule         Rule
		target, want string
	}{
		// The target is never another host.
		{mask, "/go//evil.test", "/evil.test"},
		{mask, "/go/%2Fevil.test", "/evil.test"},
		{mask, "/go/%5Cevil.test", "/%5Cevil.test"},
		{mask, `/go/\evil.test`, "/%5Cevil.test"},
		{mask, "/go/%5C%5Cevil.test%252e", "/%5C%5Cevil.test%252e"},
		{mask, "/go/%252Fevil.test", "/%252Fevil.test"},
		{deep, "/go//%2F/evil.test", "/evil.test"},
		{deep, "/go", "/"},
		{deep, "/go/a//b/", "/a/b"},
		{deep, "/go/a%2fb", "/a%2fb"},
		{deep, "/go/@evil.test:80", "/@evil.test:80"},
		{Rule{From: "/go/**", To: "/$1/evil.test"}, "/go", "/evil.test"},
		{Rule{From: "/go/**", To: "/$1/$1/x"}, "/go", "/x"},
		{Rule{From: "/go/**", To: "/a//$1//b"}, "/go/c", "/a/c/b"},
		{Rule{From: "/p/*", To: "/"}, "/p//evil.test", "/evil.test"},
		{Rule{From: "/p/*", To: "/"}, `/p/\evil.test`, "/%5Cevil.test"},
		{Rule{From: "/p/*", To: "https://e.test", External: true}, "/p/@x.test", "https://e.test/@x.test"},
		{Rule{From: "/p/*", To: "https://e.test", External: true}, "/p", "https://e.test"},

		// Equal spellings of one address.
		{old, "/OLD-Page///", "/new"}, {old, "/%6Fld-page", "/new"}, {old, "//old-page", "/new"},
		{old, "/old-page/x", "none"}, {old, "/old-pages", "none"}, {old, "/a/../old-page", "none"},
		{Rule{From: "/café", To: "/x"}, "/caf%C3%A9", "/x"},
		{Rule{From: "/café", To: "/x"}, "/CAF%C3%89", "none"},
		{Rule{From: "/café", To: "/x"}, "/cafe%CC%81", "none"},
		{Rule{From: "/k", To: "/x"}, "/%E2%84%AA", "none"},

		// The visitor's query, byte for byte.
		{old, "/old-page?", "/new"},
		{old, "/old-page?gclid=A%2BB&q=a+b&u=http://x//y", "/new?gclid=A%2BB&q=a+b&u=http://x//y"},
		{old, "/old-page?a=1&&b;c&=&%zz", "/new?a=1&&b;c&=&%zz"},
		{old, "/old-page?a\rb\x00 c\x7f", "/new?a%0Db%00%20c%7F"},
		{tags, "/d?x=1&gclid=A%2BB&utm_source=a+b&y=2&yclid=", "/n?gclid=A%2BB&utm_source=a+b&yclid="},
		{tags, "/d?gclid=1;utm_source=x&b=1", "/n?gclid=1;utm_source=x"},
		{tags, "/d?utmx=1", "/n"}, {tags, "/d?gclid", "/n?gclid"}, {tags, "/d?GCLID=1&Utm_a=2", "/n"},
		{tags, "/d?utm_=1&_openstat=2&ttclid=3", "/n?utm_=1&_openstat=2&ttclid=3"},
		{Rule{From: "/d", To: "/n?gclid=own", DropQuery: true}, "/d?gclid=1&fbclid=2", "/n?gclid=own&fbclid=2"},
		{own, "/t?id=7", "/n?src=old&id=7#top"}, {own, "/t?src=evil", "/n?src=old#top"},
		{own, "/t?srcs=1&&sr=2", "/n?src=old&srcs=1&&sr=2#top"}, {own, "/t?a=1&src=2&&b", "/n?src=old&a=1&b#top"},
		{Rule{From: "/t", To: "/n?#"}, "/t", "/n"}, {Rule{From: "/t", To: "/n?#"}, "/t?a", "/n?a"},
		{Rule{From: "/t/*", To: "/n?$1=own", Kind: Pattern}, "/t/src?src=2&b=3", "/n?src=own&b=3"},

		// Stars and tails as typed.
		{find, "/x/a&b%23c", "/find?q=a%26b%23c"}, {find, "/x/a+b=c%20d", "/find?q=a%2Bb%3Dc%20d"},
		{find, "/x/A%2fb", "none"}, {find, "/x/", "none"}, {find, "/x//", "none"},
		{Rule{From: "/x/**", To: "/find?q=$1"}, "/x/a/b", "/find?q=a%2Fb"},
		{Rule{From: "/x/*", To: "/y#$1", Kind: Pattern}, "/x/%23a\"?q", "/y?q#%23a%22"},
		{goods, "/goodsale", "none"}, {goods, "/goods", "/shop"}, {goods, "/goods/", "/shop"},
		{goods, "/GOODS/A/B%20c?q=1", "/shop/A/B%20c?q=1"}, {goods, "/goods//A///b/", "/shop/A/b"},
		{Rule{From: "/goods/*", To: "/shop?a=1#f"}, "/goods/B?a=2&c", "/shop/B?a=1&c#f"},
		{Rule{From: "/foo*bar/*", To: "/$2/$1"}, "/FOObazBAR/Q%C3%A9", "/Q%C3%A9/baz"},
		{Rule{From: "/foo*bar", To: "/$1"}, "/foobar", "none"},
		{Rule{From: "/x/*", To: "/$1", Kind: Pattern}, "/x/é\xff", "/%C3%A9%FF"},
		{Rule{From: "/a%2A*", To: "/$1"}, "/a*b", "/b"}, {Rule{From: "/a%2A*", To: "/$1"}, "/aab", "none"},

		// Targets are written in ASCII.
		{Rule{From: "/a", To: "/ć d?é=\"#ü"}, "/a", "/%C4%87%20d?%C3%A9=%22#%C3%BC"},
		// A fragment belongs to the page's script, with the marks that it was typed with.
		{Rule{From: "/a", To: "/b#/tab?x=1&y={2}^|\\~'()%3F#end"}, "/a?z", "/b?z#/tab?x=1&y={2}^|\\~'()%3F#end"},
		{Rule{From: "/a", To: "/b#a \"<`>é"}, "/a", "/b#a%20%22%3C%60%3E%C3%A9"},
		{Rule{From: "/a", To: "HTTPS://пример.рф/ы", External: true}, "/a?x=1", "https://xn--e1afmkfd.xn--p1ai/%D1%8B?x=1"},

		// Conditions.
		{Rule{From: "/o", To: "/p5", QueryMatch: "id=5"}, "/o?x=1&id=5", "/p5?x=1&id=5"},
		{Rule{From: "/o", To: "/p5", QueryMatch: "id=5"}, "/o?id=4&id=5", "/p5?id=4&id=5"},
		{Rule{From: "/o", To: "/p5", QueryMatch: "id=5"}, "/o?id=%35", "none"},
		{Rule{From: "/o", To: "/p5", QueryMatch: "id=5"}, "/o?ID=5&id=55&xid=5&id=5;a", "none"},
		{Rule{From: "/o", To: "/p5", QueryMatch: "id=5"}, "/o", "none"},
	} {
		if got := locate(t, c.rule, c.target); got != c.want {
			t.Errorf("%s to %s: %q goes to %q, want %q", c.rule.From, c.rule.To, c.target, got, c.want)
		}
	}
}

func TestAppendQueryOnOtherHops(t *testing.T) {
	for _, c := range []struct {
		target, query string
		drop          bool
		want          string
	}{
		{"/a", "", false, "/a"},
		{"/a", "x=1&y", false, "/a?x=1&y"},
		{"/a?x=0", "x=1&y", false, "/a?x=0&y"},
		{"/a?x=0#f", "y", false, "/a?x=0&y#f"},
		{"/a#f", "y?z=#", false, "/a?y?z=%23#f"},
		{"/a?", "", false, "/a"},
		{"/a", "x=1&utm_a=b%2Bc", true, "/a?utm_a=b%2Bc"},
		{"https://e.test", "x=1", false, "https://e.test?x=1"},
	} {
		if got := string(AppendQuery([]byte("-"), c.target, c.query, c.drop)); got != "-"+c.want {
			t.Errorf("%s with %s: %q, want %q", c.target, c.query, got[1:], c.want)
		}
	}
}

func TestSentCodes(t *testing.T) {
	for code, want := range map[int][3]int{301: {301, 301, 308}, 302: {302, 302, 307}} {
		m := Match{Rule: &Rule{Code: code}}
		for p, status := range want {
			if m.Status(Phase(p)) != status {
				t.Errorf("%d in phase %d is sent as %d", code, p, m.Status(Phase(p)))
			}
		}
	}
}

// A long address against a mask that repeats its star is bounded by the limit of references.
func TestLocationIsBounded(t *testing.T) {
	long := "/x/" + strings.Repeat("é", 4000)
	got := locate(t, Rule{From: "/x/*", To: "/" + strings.Repeat("$1", maxReferences), Kind: Pattern}, long)
	if limit := 3 * maxReferences * MaxPath; len(got) > limit {
		t.Errorf("%d bytes", len(got))
	}
}
