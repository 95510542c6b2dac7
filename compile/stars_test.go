package compile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// starAddresses are the paths of up to two words over a and b, some with .html, and
// those of three short words.
var starAddresses = func() []string {
	words := []string{"a", "b", "ab", "ba", "aa", "bb", "aba", "bab", "a.html", "b.html", ".html"}
	return slices.Concat([]string{"/"}, shortPaths(words, 2), shortPaths(words[:4], 3))
}()

// genStarRule draws a rule with stars over the letters a and b.
func genStarRule(t *rapid.T) redirect.Rule {
	from, to, stars := "", "", []string{}
	for range rapid.IntRange(1, 3).Draw(t, "segments") {
		segment := rapid.SampledFrom([]string{"a", "b", "*", "*", "a*", "*b", "b*a", "*.html"}).Draw(t, "segment")
		if from += "/" + segment; strings.Contains(segment, "*") {
			stars = append(stars, fmt.Sprintf("$%d", len(stars)+1))
		}
	}
	kind := redirect.Pattern
	switch end := rapid.SampledFrom([]string{"", "", "/**", "/*"}).Draw(t, "end"); {
	case end == "/*" && len(stars) == 0:
		from, kind = from+end, redirect.Prefix
	case end == "/**":
		from, stars = from+end, append(stars, fmt.Sprintf("$%d", len(stars)+1))
	case len(stars) == 0:
		kind = redirect.Exact
	}
	for range rapid.IntRange(0, 3).Draw(t, "target segments") {
		to += "/"
		for range rapid.IntRange(1, 2).Draw(t, "pieces") {
			to += rapid.SampledFrom(append(stars, append(stars, "a", "b", ".html")...)).Draw(t, "piece")
		}
	}
	return redirect.Rule{Kind: kind, From: from, To: "/" + strings.TrimPrefix(to, "/"), Enabled: true, OverrideLive: rapid.Bool().Draw(t, "override")}
}

// The check finds a circle in every rule set in which one of these addresses
// never ends, and every circle it reports never ends.
func TestLoopCheckAgainstBruteForceOnStars(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := Input{Shop: Shop{Origin: "https://shop.test", Hosts: []string{"shop.test"}}}
		for i := range rapid.IntRange(1, 4).Draw(t, "rules") {
			rule, err := redirect.Normalize(genStarRule(t))
			if err != nil {
				t.Fatal(err)
			}
			rule.ID, rule.SortOrder = shop.RuleID(i+1), i
			in.Rules = append(in.Rules, rule)
		}
		s := New(in)
		walked := &bruteWalk{s: s}
		c, found := s.FindLoop(nil)
		if found && c.Endless {
			if !walked.endless(c.Chain[0], true) && walked.hops <= maxHopsChecked {
				t.Fatalf("the check reports that %s never ends, but it does\n%s", c.Chain[0], printRules(in.Rules))
			}
			return
		}
		for _, address := range starAddresses {
			if walked.endless(address, true) {
				t.Fatalf("%s never ends, but the check reports %q\n%s", address, c.Chain, printRules(in.Rules))
			}
		}
	})
}
