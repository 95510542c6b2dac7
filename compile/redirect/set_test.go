package redirect

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/shop"
)

func TestOrderOfRules(t *testing.T) {
	enabled := func(rules ...Rule) *Set {
		for i := range rules {
			rules[i].Enabled, rules[i].Code = true, 301
		}
		return NewSet(rules)
	}
	full := enabled(
		Rule{ID: 1, Kind: Prefix, From: "/o/*", To: "/b"},
		Rule{ID: 2, Kind: Pattern, From: "/o/a*", To: "/b"},
		Rule{ID: 3, Kind: Exact, From: "/o/abc", To: "/b"},
		Rule{ID: 4, Kind: Exact, From: "/o/abc", To: "/b", QueryMatch: "v=1"},
		Rule{ID: 5, Kind: Exact, From: "/o/abc", To: "/b", QueryMatch: "w=1", SortOrder: -1},
		Rule{ID: 6, Kind: Exact, From: "/o/only", To: "/b", QueryMatch: "v=1"},
		Rule{ID: 7, Kind: Prefix, From: "/o/deep/*", To: "/b", SortOrder: -1},
		Rule{ID: 8, Kind: Pattern, From: "/o/a*c", To: "/b", SortOrder: 1},
		Rule{ID: 9, Kind: Pattern, From: "/o/**", To: "/b", SortOrder: 2},
		Rule{ID: 10, Kind: Exact, From: "/live", To: "/b", OverrideLive: true},
		Rule{ID: 11, Kind: Exact, From: "/page.HTML", To: "/b"},
		Rule{ID: 12, Kind: Pattern, From: "/old/*.html", To: "/b"},
		Rule{ID: 13, Kind: Exact, From: "/over.html", To: "/b", OverrideLive: true},
	)
	prefixes := enabled(
		Rule{ID: 1, Kind: Prefix, From: "/o/*", To: "/b", SortOrder: 2},
		Rule{ID: 2, Kind: Prefix, From: "/o/deep/*", To: "/b", SortOrder: 1},
		Rule{ID: 3, Kind: Prefix, From: "/*", To: "/b", SortOrder: 3},
		Rule{ID: 5, Kind: Prefix, From: "/tie/*", To: "/b", SortOrder: 9},
		Rule{ID: 4, Kind: Pattern, From: "/tie/x/*/*/y", To: "/b", SortOrder: 99},
	)
	for _, c := range []struct {
		set    *Set
		phase  Phase
		target string
		want   shop.RuleID
	}{
		{full, Plain, "/o/abc?v=1", 4},
		{full, Plain, "/o/abc?v=1&w=1", 5}, // the lower sort order
		{full, Plain, "/o/abc?v=2", 3},
		{full, Plain, "/o/only?v=1", 6},
		{full, Plain, "/o/only", 9},
		{full, Plain, "/o/abbc", 2},
		{full, Plain, "/o/deep/x", 9}, // masks before prefixes, regardless of sort order
		{full, Plain, "/o/deep", 9},
		{full, Plain, "/live", 0},
		{full, Override, "/live", 10},
		{full, Override, "/o/abc", 0},
		{full, HTML, "/page.html", 11},
		{full, Plain, "/page.html", 11},
		{full, HTML, "/old/a.HTML", 12},
		{full, HTML, "/over.html", 0},
		{full, Override, "/over.html", 13},
		{full, HTML, "/o/abc.html", 0},
		{prefixes, Plain, "/o/deep/x", 2},
		{prefixes, Plain, "/o/dee", 1},
		{prefixes, Plain, "/", 3},
		{prefixes, Plain, "/tie/x/1/2/y", 4},
		{prefixes, Plain, "/tie/x/1/2/z", 3},
	} {
		var a Address
		if err := a.Parse(c.target); err != nil {
			t.Fatal(err)
		}
		got := shop.RuleID(0)
		if m, ok := c.set.Match(c.phase, &a); ok {
			got = m.Rule.ID
		}
		if got != c.want {
			t.Errorf("phase %d, %s: rule %d, want %d", c.phase, c.target, got, c.want)
		}
	}
}

func TestSetLeavesOutRulesThatCannotAnswer(t *testing.T) {
	s := NewSet([]Rule{
		{Kind: Exact, From: "/off", To: "/b"},
		{Kind: Exact, From: "no path", To: "/b", Enabled: true},
		{Kind: Exact, From: "/a", To: "//evil.test", Enabled: true},
		{Kind: Exact, From: "/b", To: "https://e.test", Enabled: true}, // not external
		{Kind: Exact, From: "/c/*", To: "/b", Enabled: true},
		{Kind: "regex", From: "/d", To: "/b", Enabled: true},
		{ID: 7, Kind: Exact, From: "/good", To: "/b", Enabled: true},
	})
	for r := range s.All() {
		if r.ID != 7 {
			t.Errorf("%+v is in the set", r)
		}
	}
	if s.Len() != 1 {
		t.Errorf("%d rules", s.Len())
	}
}

// naive answers by comparing every rule with regular expressions: a slow and simple reference for
// the index.
func naive(rules []Rule, p Phase, a *Address) (winner *Rule, captures []string) {
	best := -1
	for i := range rules {
		r := &rules[i]
		html := strings.HasSuffix(r.Key(), ".html")
		if !r.Enabled || a.Dots || r.OverrideLive != (p == Override) || p == HTML && !html {
			continue
		}
		found := sourceExpression(*r).FindStringSubmatch(latin1(a.Decoded))
		if found == nil || r.QueryMatch != "" && !strings.Contains("&"+a.Query+"&", "&"+r.QueryMatch+"&") {
			continue
		}
		class := map[Kind]int{Exact: 1, Pattern: 2, Prefix: 3}[r.Kind]
		if r.QueryMatch != "" {
			class = 0
		}
		// Rules come by sort order: the first of a class wins.
		if winner == nil || class < best {
			best, winner, captures = class, r, found[1:]
		}
	}
	return winner, captures
}

// sourceExpression converts a source to a regular expression over the decoded path, one rune per
// byte.
func sourceExpression(r Rule) *regexp.Regexp {
	text := strings.TrimRight(r.From, "/")
	text = strings.NewReplacer("%2A", "\x00").Replace(text)
	var out strings.Builder
	switch {
	case r.Kind == Prefix:
		out.WriteString(quoteKey(strings.TrimSuffix(text, "/*")) + `(?:/(.*))?`)
	case strings.HasSuffix(text, "/**"):
		out.WriteString(starsToGroups(strings.TrimSuffix(text, "/**")) + `(?:/(.*))?`)
	default:
		out.WriteString(starsToGroups(text))
	}
	expression := "(?is)^" + out.String() + "$"
	if r.Kind == Prefix && text == "/*" || text == "/**" {
		expression = "(?is)^/(.*)$"
	} else if text == "" {
		expression = "^/$"
	}
	return regexp.MustCompile(expression)
}

func starsToGroups(text string) string {
	pieces := strings.Split(text, "*")
	for i, p := range pieces {
		pieces[i] = quoteKey(p)
	}
	return strings.Join(pieces, "([^/]+)")
}

func quoteKey(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == 0:
			c = '*'
		case c == '%':
			c, _ = unescape(text[i:])
			i += 2
		}
		fmt.Fprintf(&b, `\x{%x}`, c)
	}
	return b.String()
}

func latin1(b []byte) string {
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}

// The word lists are short, so that random rules and addresses often match.
var (
	literalWord = rapid.SampledFrom([]string{"a", "b", "ab", "B", "%41b", "%2A", "b.html", "%C3%A9", "ba"})
	starWord    = rapid.SampledFrom([]string{"*", "a*", "*b", "A*b", "%2A*", "*.html"})
	addressWord = rapid.SampledFrom([]string{"a", "b", "AB", "aab", "abab", "%61", "*", "**b", "a%2Fb", "b.html", "%C3%a9", "%E9", "", "ba"})
	queryText   = rapid.SampledFrom([]string{"", "k=v", "k=v&x=1", "x=1&k=v2", "kk=v"})
)

func genRule(t *rapid.T) Rule {
	var from strings.Builder
	n := rapid.IntRange(0, 4).Draw(t, "segments")
	stars := rapid.Bool().Draw(t, "stars")
	for range n {
		word := literalWord
		if stars && rapid.IntRange(0, 2).Draw(t, "star") == 0 {
			word = starWord
		}
		from.WriteString("/" + word.Draw(t, "word"))
	}
	from.WriteString(rapid.SampledFrom([]string{"", "", "/", "/*", "/**"}).Draw(t, "end"))
	in := Rule{
		From: from.String(), To: "/t", Enabled: rapid.IntRange(0, 9).Draw(t, "enabled") > 0, OverrideLive: rapid.Bool().Draw(t, "override"),
		QueryMatch: rapid.SampledFrom([]string{"", "", "k=v"}).Draw(t, "condition"),
	}
	if rapid.Bool().Draw(t, "mask") && strings.Contains(in.From, "*") {
		in.Kind = Pattern
	}
	r, err := Normalize(in)
	if err != nil {
		return Rule{Kind: Exact, From: "/a", To: "/t", Enabled: true, Code: 301}
	}
	return r
}

func genTarget(t *rapid.T) string {
	words := rapid.SliceOfN(addressWord, 0, 5).Draw(t, "path")
	target := "/" + strings.Join(words, "/")
	if q := queryText.Draw(t, "query"); q != "" {
		target += "?" + q
	}
	return target
}

func TestIndexEqualsNaiveScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SliceOfN(rapid.Custom(genRule), 0, 20).Draw(t, "rules")
		for i := range rules {
			rules[i].SortOrder = i
		}
		s := NewSet(rules)
		for range 10 {
			target := genTarget(t)
			var a Address
			if err := a.Parse(target); err != nil {
				t.Fatal(err)
			}
			for p := Override; p <= Plain; p++ {
				want, captures := naive(rules, p, &a)
				m, ok := s.Match(p, &a)
				if ok != (want != nil) || ok && *m.Rule != *want {
					t.Fatalf("phase %d, %s: %+v, want %+v", p, target, m.Rule, want)
				}
				for i, capture := range captures {
					got := m.tail
					if m.Rule.Kind == Pattern {
						got = m.stars[i]
					}
					if latin1(a.Decoded[got.start:got.end]) != capture {
						t.Fatalf("%s on %s: star %d is %q, want %q", want.From, target, i+1, a.Decoded[got.start:got.end], capture)
					}
				}
			}
		}
	})
}

// samples returns probes of a rule, with tails of zero to two segments.
func samples(s *Set) (addresses []string) {
	for tail := range 3 {
		addresses = append(addresses, s.Probe(0, tail))
	}
	return addresses
}

func TestRuleMatchesTheAddressesOfItsSource(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := genRule(t)
		r.Enabled = true
		s, phase := NewSet([]Rule{r}), Plain
		if r.OverrideLive {
			phase = Override
		}
		for _, address := range samples(s) {
			var a Address
			if err := a.Parse(address); err != nil {
				t.Fatalf("%s: %s: %v", r.From, address, err)
			}
			if _, ok := s.Match(phase, &a); !ok {
				t.Fatalf("%s does not match %s", r.From, address)
			}
		}
	})
}
