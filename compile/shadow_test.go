package compile

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"vitrine/internal/shop"
)

func TestShadowedRules(t *testing.T) {
	for _, c := range []struct {
		want  string
		rules []string
	}{
		{"", []string{"/a /b", "/b /c"}},
		{"1<rule 2", []string{"/a /b", "/* /x override"}},
		{"2<rule 1", []string{"/g/* /x", "/g/a/* /y"}},
		{"", []string{"/g/a/* /y", "/g/* /x"}},
		{"2<rule 1", []string{"/g/*/x /x", "/g/a*/x /y"}},
		{"", []string{"/g/*/x /x", "/g/* /y"}},
		{"1<rule 2", []string{"/g/* /x", "/g/** /y"}},   // masks come before prefixes
		{"", []string{"/g /x", "/g/** /y"}},             // exact rules before masks
		{"", []string{"/g/* /x", "/g /a", "/g/*/* /z"}}, // paths of three segments remain
		{"", []string{"/a /b ?x=1", "/a /c ?y=1"}},
		{"2<rule 1", []string{"/a /b override", "/a /c ?x=1"}},
		{"1<page", []string{"/shoes /x"}}, {"", []string{"/shoes /x override"}}, {"", []string{"/SHOES /x"}},
		{"1<file", []string{"/ads.txt /x"}}, {"1<page", []string{"/docs/* /x"}}, {"1<slug-journal", []string{"/bootz /x"}},
		{"1<canonical", []string{"/product/red-boot /x"}},
	} {
		got := ""
		shadows := withRules(demo(), c.rules...).Shadowed()
		for id := range shop.RuleID(len(c.rules)) + 1 {
			if shadow, ok := shadows[id]; ok {
				got = fmt.Sprintf("%d<%s", id, printShadow(shadow))
			}
		}
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.rules, got, c.want)
		}
	}
}

func printShadow(s Shadow) string {
	switch {
	case s.Rule != 0:
		return "rule " + s.Rule.String()
	case s.Kind == Redirect:
		return s.By.String()
	}
	return map[Kind]string{Page: "page", File: "file", Service: "service"}[s.Kind]
}

// A rule is shadowed exactly when it answers at no short address.
func TestShadowsAgainstBruteForce(t *testing.T) {
	addresses := shortPaths([]string{"a", "b", "ab", "ba", "bab", "aab", "c", "ac", "cb", "a.html", "c.html", "cc.html", "ca", "acb"}, 3)
	for seed := range uint64(150) {
		in := drawShop(rand.New(rand.NewPCG(seed, 1)))
		in.Categories, in.Products, in.Journal = nil, nil, nil
		s := New(in)
		answers := map[shop.RuleID]bool{}
		w := &Walk{}
		for _, address := range append([]string{"/"}, addresses...) {
			for _, query := range []string{"", "?x=1", "?y=a"} {
				if d := s.Resolve(w, s.host(), address+query); d.Rule != 0 {
					answers[d.Rule] = true
				}
			}
		}
		shadows := s.Shadowed()
		for _, r := range in.Rules {
			if _, shadowed := shadows[r.ID]; shadowed == answers[r.ID] {
				t.Fatalf("seed %d: rule %v is shadowed: %v, it answers: %v\n%s", seed, r.ID, shadowed, answers[r.ID], printRules(in.Rules))
			}
		}
	}
}
