package compile

import (
	"testing"

	"vitrine/compile/redirect"
)

func TestSearchAnswersWhereTheOwnerHasNothingElse(t *testing.T) {
	rule := func(kind redirect.Kind, from string, override bool) redirect.Rule {
		return redirect.Rule{ID: 5, Kind: kind, From: from, To: "/else", Enabled: true, Code: 301, OverrideLive: override}
	}
	for _, c := range []struct {
		name   string
		rules  []redirect.Rule
		target string
		want   Kind
		to     string
	}{
		{"plainly", nil, "/search?q=tea", Search, ""},
		{"spelled otherwise", nil, "/SEARCH/?q=tea", Redirect, "/search?q=tea"},
		{"below it", nil, "/search/tea", NotFound, ""},
		{"a rule that names it", []redirect.Rule{rule(redirect.Exact, "/search", false)}, "/search?q=tea", Redirect, "/else?q=tea"},
		{"a rule for everything", []redirect.Rule{rule(redirect.Pattern, "/**", false)}, "/search", Search, ""},
		{"an override rule for everything", []redirect.Rule{rule(redirect.Pattern, "/**", true)}, "/search", Redirect, "/else"},
	} {
		s := New(Input{Shop: Shop{Hosts: []string{"shop.test"}}, Rules: c.rules})
		d := s.Resolve(&Walk{}, "shop.test", c.target)
		if d.Kind != c.want || d.Location != c.to {
			t.Errorf("%s: %v to %q, want %v to %q", c.name, d.Kind, d.Location, c.want, c.to)
		}
	}
	s := New(Input{Shop: Shop{Hosts: []string{"shop.test"}}})
	if got := s.Check("/search"); got.Reserved || got.Reason != "The shop's search answers; only a rule that names the address itself comes before it." {
		t.Errorf("%+v", got)
	}
}
