package compile

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"vitrine/compile/loop"
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
	if away := s.Check("/away"); away.Location != "https://else.test/" || !away.Steps[0].OverrideLive ||
		!strings.Contains(away.Reason, "leaves the shop") {
		t.Errorf("got %+v", away)
	}
}

func TestCheckOfAddressesThatStay(t *testing.T) {
	s := withRules(demo(), "/shoes /news")
	for _, c := range []struct{ target, reason string }{
		{"/shoes", "Rule 1, /shoes, has this address too, but does not act over live pages."},
		{"/about", "Only a rule that acts over live pages"},
		{"/nothing", "404"}, {"/%zz", "400"}, {"/%00", "400"}, {"/a/../b", "404"}, {"/CART/", "path of the platform"},
		{"/ads.txt", "site file"}, {"/" + strings.Repeat("a", 9000), "414"},
		{"nonsense", "not an address of the shop"}, {"https://else.test/shoes", "not an address of the shop"}, {"", "not an address of the shop"},
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

func TestCheckReportsFallbackHostAndLoops(t *testing.T) {
	s := withRules(demo(), "/a /b", "/b /a")
	if got := s.Check("/shoes/none"); !got.Fallback || got.Matched || got.SentCode != 0 || got.Location != "/shoes" {
		t.Errorf("got %+v", got)
	}
	if got := s.Check("http://www.shop.test/about"); got.Location != "https://shop.test:8443/about" || got.Steps[0].Kind != "canonical" {
		t.Errorf("got %+v", got)
	}
	if got := s.Check("/a"); !got.TooLong || len(got.Steps) != loop.MaxHops || got.Answers != 0 || got.Page != nil {
		t.Errorf("got %+v", got)
	}
}

// A trace names the pages that it leads to and what the last address answers.
func TestCheckNamesThePages(t *testing.T) {
	s := withRules(demo(), "/old /shoes/none", "/out https://elsewhere.test/ external")
	shoes := s.Check("/shoes").Page
	if shoes == nil || shoes.Entity != "category" || shoes.ID == 0 {
		t.Fatalf("got %+v", shoes)
	}
	got := s.Check("/old")
	if got.Answers != 200 || *got.Page != *shoes || got.Steps[0].Page != nil || *got.Steps[1].Page != *shoes {
		t.Errorf("got %+v", got)
	}
	if got := s.Check("/out"); got.Answers != 0 || got.Page != nil || got.Location == "" {
		t.Errorf("beyond the shop: %+v", got)
	}
	if got := s.Check("/shoes/none.xml"); got.Answers != 404 || got.Page != nil {
		t.Errorf("missing: %+v", got)
	}
}

// Every outcome has a reason in plain sentences.
func TestReasonsAreSentences(t *testing.T) {
	s := withRules(demo(), "/sale /shoes 302 override", "/x /y", "/page.html /about", "/away https://else.test/ override", "/p /q", "/q /p")
	for target, want := range map[string]string{
		"/sale":         "Rule 1, /sale, acts over live pages and sends the visitor to /shoes (302). A live page answers.",
		"/x":            "No page has the address /x, so rule 2, /x, sends the visitor to /y (308). No page, no rule and no former address: the visitor gets the page for missing addresses (404).",
		"/page.html":    "Rule 3, /page.html, was written for an address ending in .html and sends the visitor to /about (301). A live page answers.",
		"/about.html":   "Addresses have no .html here, so the shop sends the visitor to /about (308). A live page answers.",
		"/about/":       "The page of /about/ has its own address, and the shop sends the visitor to /about (308). A live page answers.",
		"/bootz?a=1":    "The page of /bootz was renamed, and the shop sends the visitor to /shoes/boots?a=1 (308). A live page answers.",
		"/shoes/none":   "No page and no rule has the address /shoes/none, so the shop sends the visitor to /shoes (308), the nearest section. A live page answers.",
		"/away":         "Rule 4, /away, acts over live pages and sends the visitor to https://else.test/ (301). There the visitor leaves the shop.",
		"/x.html":       "Addresses have no .html here, so the shop sends the visitor to /x (308). Then: No page has the address /x, so rule 2, /x, sends the visitor to /y (308). No page, no rule and no former address: the visitor gets the page for missing addresses (404).",
		"/none.json":    "No page, no rule and no former address: the visitor gets the page for missing addresses (404). An address that ends like a file is not sent to the nearest section.",
		"/a/../shoes":   "An address with . or .. between its slashes is never answered: the visitor gets the page for missing addresses (404).",
		"/shoes/%2e%2e": "An address with . or .. between its slashes is never answered: the visitor gets the page for missing addresses (404).",
	} {
		if got := s.Check(target).Reason; got != want {
			t.Errorf("%s\n got  %s\n want %s", target, got, want)
		}
	}
	if got := s.Check("/p").Reason; !strings.Contains(got, "in a circle") {
		t.Errorf("a loop: %s", got)
	}
	var long []string
	for i := range 12 {
		long = append(long, "/l"+string(rune('a'+i))+" /l"+string(rune('b'+i)))
	}
	if got := withRules(demo(), long...).Check("/la"); !got.TooLong || !strings.Contains(got.Reason, "more than 10 times in a row") {
		t.Errorf("a long chain: %s", got.Reason)
	}
	closed := demo()
	closed.Shop.Closed = true
	if got := New(closed).Check("/shoes").Reason; !strings.HasPrefix(got, "The shop is closed: visitors without its PIN get the PIN page") {
		t.Errorf("closed: %s", got)
	}
}

func TestTraceAsJSON(t *testing.T) {
	got, err := json.Marshal(rulesOnly("/old /new").Check("/old"))
	want := `{"matched":true,"rule_id":"1","code":301,"sent_code":308,"location":"/new","chain":["/old","/new"],` +
		`"fallback":false,"reserved":false,"too_long":false,` +
		`"reason":"No page has the address /old, so rule 1, /old, sends the visitor to /new (308). No page, no rule and no former address: the visitor gets the page for missing addresses (404). The fallback to the nearest section is switched off.",` +
		`"steps":[{"kind":"rule","from":"/old","to":"/new","rule_id":"1","code":301,"sent_code":308,"override_live":false}],"answers":404}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, err := json.Marshal(rulesOnly().Check("/x")); err != nil || strings.Contains(string(got), "null") {
		t.Errorf("got %s", got)
	}
}
