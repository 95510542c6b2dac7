package redirect_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	redirectdb "vitrine/internal/store/redirect"
)

const versionsPath = rulesPath + "/versions"

// setOf formats the set without its counters, in matching order.
func setOf(a *apitest.API) string {
	text := ""
	for _, r := range a.OK("GET", rulesPath, a.Owner, nil)["result"].(l) {
		rule := r.(m)
		for _, listed := range []string{"hits", "last_hit_at", "shadowed_by", "updated_at"} {
			delete(rule, listed)
		}
		text += fmt.Sprintln(rule)
	}
	return text
}

func rollback(a *apitest.API, version any) m {
	return a.OK("POST", rulesPath+"/rollback", a.Owner, m{"version": version})
}

func TestEveryMutationOfTheSetIsAVersionWithItsAuthor(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	one := addRule(a, "/one", "/t", "note", "first")
	two := addRule(a, "/two", "/t")
	a.OK("PUT", rulesPath+"/"+one, a.Owner, rule("/one", "/u"))
	a.OK("PUT", rulesPath+"/order", a.Owner, m{"ids": l{two, one}})
	importText(a, "/three;/t\n/two;/u")
	a.OK("PUT", rulesPath+"/settings", a.Owner, m{"miss_fallback": false}) // creates no version
	session := a.Session(a.OwnerID)
	a.OK("DELETE", rulesPath, session, m{"ids": l{one}})

	list := a.OK("GET", versionsPath, a.Owner, nil)
	got := ""
	for _, v := range list["result"].(l) {
		v := v.(m)
		got += fmt.Sprintln(
			v["version"], v["kind"], v["added"], v["removed"], v["changed"], v["key_id"] != "0",
			v["user_id"] == float64(a.OwnerID),
		)
	}
	want := "7 delete 0 1 0 false true\n6 import 1 0 1 true true\n5 order 0 0 2 true true\n4 edit 0 0 1 true true\n3 create 1 0 0 true true\n2 create 1 0 0 true true\n"
	if got != want || list["total"] != 6.0 {
		t.Errorf("versions:\n%swant\n%s", got, want)
	}
	page := a.OK("GET", versionsPath+"?page.number=2&page.limit=4", a.Owner, nil)
	if rows := page["result"].(l); len(rows) != 2 || rows[0].(m)["version"] != "3" || page["current_page"] != 2.0 {
		t.Errorf("second page: %v", page)
	}

	edit := a.OK("GET", versionsPath+"/4", a.Owner, nil)
	if got := fmt.Sprint(edit["result"].(m)["edits"]); got != "[map[edit:changed new:map[note: to_target:/u] old:map[note:first to_target:/t] rule_id:"+one+"]]" {
		t.Errorf("an edit: %s", got)
	}
	imported := a.OK("GET", versionsPath+"/6?page.number=1&page.limit=1", a.Owner, nil)
	if len(imported["result"].(m)["edits"].(l)) != 1 || imported["total"] != 2.0 {
		t.Errorf("a page of an import: %v", imported)
	}
	removed := a.OK("GET", versionsPath+"/7", a.Owner, nil)["result"].(m)["edits"].(l)[0].(m)
	if _, isNew := removed["new"]; isNew || removed["edit"] != "removed" || removed["old"].(m)["from_path"] != "/one" {
		t.Errorf("a deletion: %v", removed)
	}
	if _, shown := removed["old"].(m)["dup_key"]; shown {
		t.Error("the response contains the key of the index")
	}
	a.Refused("GET", versionsPath+"/99", a.Owner, nil, 404, "REDIRECT_VERSION_NOT_FOUND")
	a.Refused("GET", versionsPath+"/4", a.Stranger, nil, 404, "REDIRECT_VERSION_NOT_FOUND")
	a.Refused("GET", versionsPath, a.Editor, nil, 403, "REDIRECTS_FORBIDDEN")
}

func TestRollbackRestoresTheSet(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	sets := map[string]string{version(a): setOf(a)}
	keep := func() { sets[version(a)] = setOf(a) }
	one := addRule(a, "/one", "/t", "note", "first")
	keep()
	two := addRule(a, "/two/*", "/t", "override_live", true)
	keep()
	importText(a, "/three;/t;302\n/one;/u;;;drop\n/m*;/t")
	keep()
	a.OK("PUT", rulesPath+"/"+two, a.Owner, rule("/one", "/q", "query_match", "a=1"))
	a.OK("PUT", rulesPath+"/"+one, a.Owner, rule("/two/*", "/q"))
	keep()
	hit(t, a, one, 5)
	a.OK("DELETE", rulesPath, a.Owner, m{"ids": l{one}})
	keep()
	for _, v := range []string{"1", "4", "2", "6", "3", "7"} {
		if now := version(a); sets[v] == "" && v != "1" {
			t.Fatalf("no version %s in addition to %s", v, now)
		}
		answer := rollback(a, v)
		if got := setOf(a); got != sets[v] {
			t.Errorf("back to %s:\n%swant\n%s", v, got, sets[v])
		}
		if answer["version"] != version(a) || answer["result"].(m)["rolled_to"] != v {
			t.Errorf("back to %s: %v", v, answer)
		}
	}
	rollback(a, "6")
	for _, r := range a.OK("GET", rulesPath, a.Owner, nil)["result"].(l) {
		if r.(m)["id"] == one && r.(m)["hits"] != "5" {
			t.Errorf("a restored rule has %v hits", r.(m)["hits"])
		}
	}
	before := version(a)
	if again := rollback(a, "6"); again["version"] != before || fmt.Sprint(again["result"]) != "map[added:0 changed:0 removed:0 rolled_to:6]" {
		t.Errorf("nothing to do: %v", again)
	}
	last := a.OK("GET", versionsPath+"/"+before, a.Owner, nil)["result"].(m)
	if last["kind"] != "rollback" || last["rolled_to"] != "6" {
		t.Errorf("the version of a rollback: %v", last)
	}
	for _, v := range []any{"0", "-1", "99"} {
		a.Refused("POST", rulesPath+"/rollback", a.Owner, m{"version": v}, 404, "REDIRECT_VERSION_NOT_FOUND")
	}
	a.Refused("POST", rulesPath+"/rollback", a.Stranger, m{"version": "3"}, 404, "REDIRECT_VERSION_NOT_FOUND")
	a.Refused("POST", rulesPath+"/rollback", a.Dev, m{"version": "3"}, 403, "PAT_CONTOUR_MISMATCH")
}

// hit counts visits of a rule.
func hit(t testing.TB, a *apitest.API, rule string, n int64) {
	t.Helper()
	rows, err := redirectdb.Rules(t.Context(), a.Store.Shop(a.Shop.ID))
	for _, r := range rows {
		if r.ID.String() == rule && err == nil {
			err = redirectdb.AddHits(
				t.Context(), a.Store,
				[]redirectdb.RuleHit{{Company: a.Shop.ID, Rule: r.ID, Hits: n, Last: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}},
			)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestRollbackIsCheckedLikeAnyMutation(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	gone := addRule(a, "/tea", "/tea/gone", "override_live", true)
	mask := addRule(a, "/m*", "/t")
	a.OK("DELETE", rulesPath, a.Owner, m{"ids": l{gone, mask}})
	before := version(a)

	// A set that was valid then would contain a loop now: the fallback leads to the page.
	section := a.Result(
		"POST", "/categories", a.Owner,
		m{"item": m{"name": "Tea", "type": "product", "is_published": true, "seo": m{"slug": "tea"}}},
	)
	answer := a.Refused("POST", rulesPath+"/rollback", a.Owner, m{"version": "2"}, 400, "REDIRECT_LOOP")
	if got := fmt.Sprint(answer["witness"], answer["chain"], answer["rules"]); got != "/tea[/tea /tea/gone /tea] ["+gone+"]" {
		t.Errorf("the witness of a loop: %s in %v", got, answer)
	}
	a.OK("DELETE", fmt.Sprint("/categories/", section["id"]), a.Owner, nil)

	a.Limit(company.Limits{store.LimitMasks: 1})
	addRule(a, "/n*", "/t")
	if got := rollback(a, "3")["result"].(m); got["added"] != 2.0 || got["removed"] != 1.0 {
		t.Errorf("one mask for another: %v", got)
	}
	rollback(a, before)
	a.Limit(company.Limits{store.LimitRedirects: 1})
	answer = a.Refused("POST", rulesPath+"/rollback", a.Owner, m{"version": "3"}, 429, "REDIRECT_LIMIT_REACHED")
	if answer["limit_code"] != "redirects_max" {
		t.Errorf("limit: %v", answer)
	}
	if setOf(a) != "" {
		t.Error("a refused rollback changed the set")
	}
}

func TestTheLast200VersionsCanBeRestored(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	kept := addRule(a, "/kept", "/t")
	err := a.Store.Write(t.Context(), a.Shop.ID, func(tx *store.Tx) error {
		come, leave := redirectdb.RulesChange{Kind: redirectdb.RulesImport}, redirectdb.RulesChange{Kind: redirectdb.RulesDelete}
		for i := range 110 {
			row := &redirectdb.Rule{ID: shop.RuleID(1_000_000 + i), Kind: "exact", From: "/", DupKey: fmt.Sprint(i), To: "/", Code: 301, SortOrder: 2}
			come.Rules, leave.Rules = append(come.Rules, redirectdb.RuleChange{New: row}), append(leave.Rules, redirectdb.RuleChange{Old: row})
		}
		for range 101 { // 22,220 changes of rules
			for _, c := range []redirectdb.RulesChange{come, leave} {
				if _, err := redirectdb.ChangeRules(t.Context(), tx, c); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if total := a.OK("GET", versionsPath, a.Owner, nil)["total"]; total != 200.0 {
		t.Errorf("%v versions are kept", total)
	}
	for _, gone := range []string{"1", "2", "3"} {
		answer := a.Refused("POST", rulesPath+"/rollback", a.Owner, m{"version": gone}, 404, "REDIRECT_VERSION_NOT_FOUND")
		if answer["oldest_version"] != "4" {
			t.Errorf("the oldest version that can be restored: %v", answer)
		}
	}
	a.OK("PUT", rulesPath+"/"+kept, a.Owner, rule("/kept", "/u"))
	rollback(a, "204")
	if got := setOf(a); !strings.Contains(got, "to_target:/t]") || strings.Count(got, "\n") != 1 {
		t.Errorf("back through the kept versions: %s", got)
	}
}
