package redirect_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
	redirectdb "vitrine/internal/store/redirect"
)

// fill creates a set at every ceiling: 20,000 rules, of which 200 are masks with nine stars and
// 1,000 are prefixes.
func fill(b *testing.B, a *apitest.API) {
	b.Helper()
	change := redirectdb.RulesChange{Kind: redirectdb.RulesCreate}
	add := func(kind, from, to string) {
		rule := &redirectdb.Rule{Kind: kind, From: from, DupKey: from, To: to, Code: 301, Enabled: true, SortOrder: len(change.Rules)}
		change.Rules = append(change.Rules, redirectdb.RuleChange{New: rule})
	}
	for i := range 100 {
		add("pattern", fmt.Sprintf("/*/*/*/*/*/*/*/*/*-%d", i), "/section-1/$1/$9")
		add("pattern", fmt.Sprintf("/blog/*/*/*/*/*/*/*/*/post-%d-*", i), "/section-1/$1/$9")
	}
	for i := range 1000 {
		add("prefix", fmt.Sprintf("/goods/old-section-%d/*", i), fmt.Sprintf("/section-%d", i%500))
	}
	for i := range 18_800 - 1001 {
		add("exact", fmt.Sprintf("/old/catalogue/item-%d.php", i), fmt.Sprintf("/section-%d", i%500))
	}
	err := a.Store.Write(b.Context(), a.Shop.ID, func(tx *store.Tx) error {
		_, err := redirectdb.ChangeRules(b.Context(), tx, change)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkRuleWrite measures an edit through the API, in a shop with one rule and in one at the
// ceilings. The difference is the cost of the set: reading changes, compiling it and checking it
// for loops.
func BenchmarkRuleWrite(b *testing.B) {
	small := 0.0
	for _, full := range []bool{false, true} {
		b.Run(map[bool]string{false: "one rule", true: "ceilings"}[full], func(b *testing.B) {
			a := apitest.New(b)
			if full {
				fill(b, a)
			}
			id := addRule(a, "/edited", "/t")
			n := 0
			for b.Loop() {
				n++
				a.Clock.Advance(1e9)
				a.OK("PUT", rulesPath+"/"+id, a.Owner, rule("/edited", fmt.Sprint("/t", n)))
			}
			each := float64(b.Elapsed().Microseconds()) / float64(b.N) / 1000
			if !full {
				small = each
			}
			b.ReportMetric(each-small, "ms-beyond-one-rule/op")
		})
	}
}

// BenchmarkRuleImport measures an import of 1,000 new lines into a shop that then is at the
// ceilings. The lower bound is reading as many rules.
func BenchmarkRuleImport(b *testing.B) {
	a := apitest.New(b)
	fill(b, a)
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "/imported/%d;/section-%d\n", i, i%500)
	}
	start := version(a)
	for b.Loop() {
		if got := importText(a, text.String())["result"].(m); got["created"] != 1000.0 {
			b.Fatal(got["errors"], got["skipped"])
		}
		b.StopTimer()
		a.Clock.Advance(1e9)
		a.OK("POST", rulesPath+"/rollback", a.Owner, m{"version": start})
		b.StartTimer()
	}
}
