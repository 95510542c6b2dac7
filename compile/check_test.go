package compile

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestCheckFollowsTheHops(t *testing.T) {
	s := withRules(demo(), "/old /older?x=1", "/older /bootz 302", "/away https://else.test/ override")
	got := s.Check("/old.html?utm_source=a")
	if !got.Matched || got.RuleID != 1 || got.Code != 301 || got.SentCode != 308 || got.Location != "/shoes/boots?x=1&utm_source=a" {
		t.Errorf("got %+v", got)
	}
	want := []string{
		"/old.html?utm_source=a", "/old?utm_source=a", "/older?x=1&utm_source=a", "/bootz?x=1&utm_source=a", "/shoes/boots?x=1&utm_source=a",
	}
	if !slices.Equal(got.Chain, want) {
		t.Errorf("chain %q", got.Chain)
	}
	var kinds []string
	for i, step := range got.Steps {
		kinds = append(kinds, step.Kind)
		if step.From != want[i] || step.To != want[i+1] {
			t.Errorf("step %d goes from %s to %s", i, step.From, step.To)
		}
	}
	if strings.Join(kinds, " ") != "html rule rule slug-journal" || got.Steps[2].Code != 302 || got.Steps[2].SentCode != 307 {
		t.Errorf("steps %+v", got.Steps)
	}
	if away := s.Check("/away"); away.Location != "https://else.test/" || !away.Steps[0].OverrideLive || !strings.Contains(away.Reason, "leaves the shop") {
		t.Errorf("got %+v", away)
	}
}

func TestCheckOfAddressesThatStay(t *testing.T) {
	s := withRules(demo(), "/shoes /news")
	for _, c := range []struct{ target, reason string }{
		{"/shoes", "Rule 1 has this address as its source but does not act over live pages."},
		{"/about", "only a rule that acts over live pages"},
		{"/nothing", "404"}, {"/%zz", "400"}, {"/%00", "400"}, {"/a/../b", "404"}, {"/CART/", "path of the platform"},
		{"/ads.txt", "site file"}, {"/" + strings.Repeat("a", 9000), "414"},
		{"nonsense", "no address of the shop"}, {"https://else.test/shoes", "no address of the shop"}, {"", "no address of the shop"},
		{"https://shop.test:8443/about", "A live page answers"},
	} {
		got := s.Check(c.target)
		if !strings.Contains(got.Reason, c.reason) || got.Matched || got.Location != "" || len(got.Steps) != 0 {
			t.Errorf("%.40s: %+v", c.target, got)
		}
		if got.Reserved != (c.target == "/CART/") {
			t.Errorf("%s reserved: %v", c.target, got.Reserved)
		}
	}
}

func TestCheckTellsFallbackHostAndCircles(t *testing.T) {
	s := withRules(demo(), "/a /b", "/b /a")
	if got := s.Check("/shoes/none"); !got.Fallback || got.Matched || got.SentCode != 0 || got.Location != "/shoes" {
		t.Errorf("got %+v", got)
	}
	if got := s.Check("http://www.shop.test/about"); got.Location != "https://shop.test:8443/about" || got.Steps[0].Kind != "canonical" {
		t.Errorf("got %+v", got)
	}
	if got := s.Check("/a"); !got.TooLong || len(got.Steps) != MaxHops {
		t.Errorf("got %+v", got)
	}
}

func TestTraceAsJSON(t *testing.T) {
	got, err := json.Marshal(bare("/old /new").Check("/old"))
	want := `{"matched":true,"rule_id":"1","code":301,"sent_code":308,"location":"/new","chain":["/old","/new"],` +
		`"fallback":false,"reserved":false,"too_long":false,` +
		`"reason":"Rule 1 answers with 308. Nothing answers there: the visitor gets the page for missing addresses (404).",` +
		`"steps":[{"kind":"rule","from":"/old","to":"/new","rule_id":"1","code":301,"sent_code":308,"override_live":false}]}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, err := json.Marshal(bare().Check("/x")); err != nil || strings.Contains(string(got), "null") {
		t.Errorf("got %s", got)
	}
}
