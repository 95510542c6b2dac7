package compile

import (
	"slices"
	"strings"
	"testing"

	"vitrine/compile/redirect"
	"vitrine/internal/corpus"
	"vitrine/internal/shop"
)

// corpusRow is a line of the corpus of redirect cases.
type corpusRow struct {
	ID      string
	Rules   []corpusRule
	Write   *corpusRule
	Request *string
	CSV     string
	Alone   bool
	Expect  struct {
		Status   int
		Location any
		Code     any
	}
}

type corpusRule struct {
	From     string        `json:"from_path"`
	To       string        `json:"to_target"`
	Kind     redirect.Kind `json:"kind"`
	External bool          `json:"external"`
	Code     int           `json:"code"`
	Override bool          `json:"override_live"`
	Drop     bool          `json:"drop_query"`
	Query    string        `json:"query_match"`
}

func (r corpusRule) rule(id int) (redirect.Rule, error) {
	return redirect.Normalize(redirect.Rule{
		ID: shop.RuleID(id), From: r.From, To: strings.ReplaceAll(r.To, "{host}", "shop.test:8080"), Kind: r.Kind,
		External: r.External, Code: r.Code, Enabled: true, OverrideLive: r.Override, DropQuery: r.Drop,
		QueryMatch: r.Query, SortOrder: id,
	})
}

func readCorpus(t *testing.T) []corpusRow {
	t.Helper()
	return corpus.Lines[corpusRow](t, "redirect/cases.jsonl")
}

func corpusSite(list []redirect.Rule) *Site {
	return New(Input{Shop: Shop{Origin: "http://shop.test:8080", Hosts: []string{"shop.test"}}, Rules: list})
}

// corpusSites puts all rows that may share a shop into one, as the corpus allows, and gives each
// of the others its own.
func corpusSites(t *testing.T, rows []corpusRow) func(corpusRow) *Site {
	var shared []redirect.Rule
	compileRules := func(row corpusRow, list []redirect.Rule) []redirect.Rule {
		for _, r := range row.Rules {
			rule, err := r.rule(len(list) + 1)
			if err != nil {
				t.Fatalf("%s: %v", row.ID, err)
			}
			list = append(list, rule)
		}
		return list
	}
	for _, row := range rows {
		if !row.Alone {
			shared = compileRules(row, shared)
		}
	}
	one := corpusSite(shared)
	if err := one.CheckLoops(nil); err != nil {
		t.Errorf("the shared set is refused: %v", err)
	}
	return func(row corpusRow) *Site {
		if !row.Alone {
			return one
		}
		s := corpusSite(compileRules(row, nil))
		if err := s.CheckLoops(nil); err != nil {
			t.Errorf("%s is refused: %v", row.ID, err)
		}
		return s
	}
}

func TestCorpusRequests(t *testing.T) {
	rows := readCorpus(t)
	site := corpusSites(t, rows)
	w := &Walk{}
	for _, row := range rows {
		if row.Request == nil || row.CSV != "" {
			continue
		}
		d := site(row).Resolve(w, "shop.test", *row.Request)
		status := map[Kind]int{NotFound: 404, BadAddress: 400, TooLong: 414, Page: 200, Redirect: d.Status}[d.Kind]
		if status != row.Expect.Status || !accepts(row.Expect.Location, d.Location) {
			t.Errorf("%s %.80s\n got  %d %s\n want %d %v", row.ID, *row.Request, status, d.Location, row.Expect.Status, row.Expect.Location)
		}
	}
}

func accepts(want any, got string) bool {
	switch want := want.(type) {
	case string:
		return got == want
	case []any:
		return slices.Contains(want, any(got))
	}
	return got == ""
}

func TestCorpusRefusals(t *testing.T) {
	rows := readCorpus(t)
	site := corpusSites(t, rows)
	for _, row := range rows {
		if row.Write == nil {
			continue
		}
		before := site(row)
		got := "accepted"
		rule, err := row.Write.rule(len(before.Rules()) + 1)
		if err == nil && Reserved(rule.Key()) {
			err = ErrReservedPath
		}
		if err == nil {
			err = before.With(Delta{Rules: append(slices.Clone(before.Rules()), rule)}).CheckLoops(before)
		}
		if r, ok := shop.AsRefusal(err); ok {
			got = r.Code
		}
		if want := row.Expect.Code; want != nil && !accepts(want, got) {
			t.Errorf("%s %s -> %s: got %s, want %v", row.ID, row.Write.From, row.Write.To, got, want)
		}
	}
}
