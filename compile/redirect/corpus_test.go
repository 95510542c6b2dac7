package redirect

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/corpus"
	"vitrine/internal/shop"
)

// corpusCase is a row of testdata/redirect/cases.jsonl. A row is self-contained: its rules, one
// request or one write, and the expected result.
type corpusCase struct {
	ID      string       `json:"id"`
	Source  string       `json:"source"`
	Rules   []corpusRule `json:"rules"`
	CSV     string       `json:"csv"`
	Request string       `json:"request"`
	Write   *corpusRule  `json:"write"`
	Alone   bool         `json:"alone"`
	Expect  struct {
		Status   int    `json:"status"`
		Location oneOf  `json:"location"`
		From     string `json:"from"`
		Reason   Reason `json:"reason"`
		HTTP     int    `json:"http"`
		Code     oneOf  `json:"code"`
	} `json:"expect"`
}

type corpusRule struct {
	From         string `json:"from_path"`
	To           string `json:"to_target"`
	Kind         Kind   `json:"kind"`
	Code         int    `json:"code"`
	External     bool   `json:"external"`
	Enabled      *bool  `json:"enabled"`
	OverrideLive bool   `json:"override_live"`
	DropQuery    bool   `json:"drop_query"`
	QueryMatch   string `json:"query_match"`
}

func (c corpusRule) rule() Rule {
	c.To = strings.ReplaceAll(c.To, "{host}", "shop.example.test:8080")
	return Rule{Kind: c.Kind, From: c.From, To: c.To, External: c.External, Code: c.Code,
		Enabled: c.Enabled == nil || *c.Enabled, OverrideLive: c.OverrideLive, DropQuery: c.DropQuery, QueryMatch: c.QueryMatch}
}

// oneOf is a string, a list of acceptable ones, or null.
type oneOf []string

func (o *oneOf) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil && string(b) != "null" {
		*o = oneOf{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(o))
}

// stored returns the rules of a case as the store would hold them.
func (c corpusCase) stored(t *testing.T) []Rule {
	t.Helper()
	var rules []Rule
	for _, in := range c.Rules {
		r, err := Normalize(in.rule())
		if err != nil {
			t.Fatalf("%s: rule %s is refused: %v", c.ID, in.From, err)
		}
		rules = append(rules, r)
	}
	rows, err := ParseImport(c.CSV)
	if err != nil {
		t.Fatalf("%s: %v", c.ID, err)
	}
	for _, row := range rows {
		if row.Reason == "" {
			rules = append(rules, row.Rule)
		}
	}
	return rules
}

// answer returns the response of a shop without pages, by its rules alone.
func answer(s *Set, target string) (status int, location string) {
	var a Address
	switch err := a.Parse(target); {
	case err == ErrAddressTooLong:
		return 414, ""
	case err != nil:
		return 400, ""
	case a.Dots:
		return 404, ""
	}
	for _, p := range []Phase{Override, HTML} {
		if m, ok := s.Match(p, &a); ok {
			return m.Status(p), string(m.AppendLocation(nil, &a))
		}
	}
	if path, ok := strings.CutSuffix(a.Path, ".html"); ok {
		return 308, string(AppendQuery(nil, path, a.Query, false))
	}
	if m, ok := s.Match(Plain, &a); ok {
		return m.Status(Plain), string(m.AppendLocation(nil, &a))
	}
	return 404, ""
}

func (c corpusCase) checkAnswer(t *testing.T, s *Set) {
	t.Helper()
	status, location := answer(s, c.Request)
	if status != c.Expect.Status || len(c.Expect.Location) > 0 && !slices.Contains(c.Expect.Location, location) ||
		len(c.Expect.Location) == 0 && location != "" {
		t.Errorf("%s (%s): %.80s answers %d %q, want %d %q",
			c.ID, c.Source, c.Request, status, location, c.Expect.Status, c.Expect.Location)
	}
}

func TestCorpusAnswers(t *testing.T) {
	var all []Rule
	var shared []corpusCase
	for _, c := range corpus.Lines[corpusCase](t, "redirect/cases.jsonl") {
		if c.Request == "" {
			continue
		}
		rules := c.stored(t)
		for i := range rules {
			rules[i].SortOrder = i
		}
		c.checkAnswer(t, NewSet(rules))
		if !c.Alone {
			all, shared = append(all, rules...), append(shared, c)
		}
	}
	// All rows with a unique path segment are also checked together in one set.
	for i := range all {
		all[i].SortOrder, all[i].ID = i, shop.RuleID(i+1)
	}
	s := NewSet(all)
	for _, c := range shared {
		c.checkAnswer(t, s)
	}
	if len(shared) < 150 {
		t.Errorf("the corpus has only %d rows for one set", len(shared))
	}
}

func TestCorpusRefusals(t *testing.T) {
	// These need the whole set or the shop's service paths and are raised elsewhere.
	elsewhere := []string{"REDIRECT_LOOP", "REDIRECT_CHAIN_TOO_LONG", "REDIRECT_RESERVED_PATH", "REDIRECT_DUPLICATE"}
	for _, c := range corpus.Lines[corpusCase](t, "redirect/cases.jsonl") {
		if c.Write == nil {
			continue
		}
		_, err := Normalize(c.Write.rule())
		if len(c.Expect.Code) > 0 && slices.Contains(elsewhere, c.Expect.Code[0]) {
			if err != nil {
				t.Errorf("%s (%s): refused by its text alone: %v", c.ID, c.Source, err)
			}
			continue
		}
		refusal, ok := shop.AsRefusal(err)
		if !ok || refusal.Status() != c.Expect.HTTP || len(c.Expect.Code) > 0 && !slices.Contains(c.Expect.Code, refusal.Code) {
			t.Errorf("%s (%s): %v, want %d %v", c.ID, c.Source, err, c.Expect.HTTP, c.Expect.Code)
		}
	}
}

func TestCorpusImports(t *testing.T) {
	for _, c := range corpus.Lines[corpusCase](t, "redirect/cases.jsonl") {
		if c.CSV == "" || c.Request != "" {
			continue
		}
		rows, err := ParseImport(c.CSV)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(rows, func(r Row) bool { return r.From == c.Expect.From && r.Reason == c.Expect.Reason }) {
			t.Errorf("%s (%s): rows %+v have no %q with %s", c.ID, c.Source, rows, c.Expect.From, c.Expect.Reason)
		}
	}
}
