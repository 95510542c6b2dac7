package redirect_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/golden"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/company"
)

const movePath = "/categories/move"

func section(a *apitest.API, slug string, parent any) any {
	return a.Result("POST", "/categories", a.Owner, m{"item": m{"name": slug, "is_published": true, "parent_id": parent, "seo": m{"slug": slug}}})["id"]
}

func product(a *apitest.API, slug string, in any) any {
	return a.Result("POST", "/products", a.Owner, m{"item": m{"name": slug, "category_id": in, "is_published": true, "seo": m{"slug": slug}}})["id"]
}

// trail returns the redirects that a visitor of an address follows, according to the check
// endpoint.
func trail(a *apitest.API, address string) (to []any) {
	for _, step := range a.Result("GET", rulesPath+"/check?url="+address, a.Owner, nil)["steps"].(l) {
		to = append(to, step.(m)["to"])
	}
	return to
}

// rulesFrom returns the rules of the set by their source.
func rulesFrom(a *apitest.API) map[string]m {
	rules := map[string]m{}
	for _, r := range a.OK("GET", rulesPath, a.Owner, nil)["result"].(l) {
		rules[r.(m)["from_path"].(string)] = r.(m)
	}
	return rules
}

func TestAMovePinsEveryURLWithoutARule(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	tea, gifts := section(a, "tea", 0), section(a, "gifts", 0)
	green := section(a, "green", tea)
	product(a, "sencha", green)
	product(a, "matcha", green)
	product(a, "gyokuro", section(a, "shade", green))
	product(a, "green", tea) // shadowed by the section with that slug
	addRule(a, "/tea/green/matcha", "/gifts", "override_live", true)
	addRule(a, "/gifts/green/shade", "/tea/green/shade") // a pin in the other direction would be a loop
	addRule(a, "/tea/green/shade/gyokuro", "/gifts", "enabled", false)
	before := version(a)

	move := m{"from_id": green, "to_id": gifts, "type": "inside", "pin_rules": true, "dry_run": true}
	dry := a.OK("POST", movePath, a.Owner, move)
	if at := trail(a, "/gifts/green/sencha"); len(at) != 1 || at[0] != "/tea/green/sencha" || version(a) != before {
		t.Errorf("a dry run changed something: %v, version %s", at, version(a))
	}
	move["dry_run"] = false
	done := a.OK("POST", movePath, a.Owner, move)
	if !reflect.DeepEqual(dry, done) {
		t.Errorf("the dry run returned %v, the move %v", dry, done)
	}
	if done["categories_affected"] != 2.0 || done["products_affected"] != 3.0 || done["rules_created"] != 2.0 {
		t.Errorf("counters: %v", done)
	}
	var got []string
	for _, change := range done["url_changes"].(l) {
		c := change.(m)
		got = append(got, fmt.Sprint(c["kind"], " ", c["old_path"], ": ", c["new_path"], " ", c["covered_by"]))
	}
	golden.Ordered(t, "changes", got, []string{
		"category /tea/green: /gifts/green none", "category /tea/green/shade: /gifts/green/shade auto",
		"product /tea/green/sencha: /gifts/green/sencha auto", "product /tea/green/matcha: /gifts/green/matcha rule",
		"product /tea/green/shade/gyokuro: /gifts/green/shade/gyokuro auto",
	})
	rules := rulesFrom(a)
	for from, to := range map[string]string{"/tea/green": "/gifts/green", "/tea/green/sencha": "/gifts/green/sencha"} {
		r := rules[from]
		if r["to_target"] != to || r["kind"] != "exact" || r["code"] != 301.0 || r["enabled"] != true || r["override_live"] != false ||
			r["note"] != "category move" {
			t.Errorf("the pin of %s: %v", from, r)
		}
	}
	if len(rules) != 5 {
		t.Errorf("an existing source or a loop was pinned: %v", slices.Collect(maps.Keys(rules)))
	}
}

func TestAMoveBeyondThePlanIsRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	tea, gifts := section(a, "tea", 0), section(a, "gifts", 0)
	green := section(a, "green", tea)
	product(a, "sencha", green)
	a.Limit(company.Limits{store.LimitRedirects: 1})
	for _, dry := range []bool{true, false} {
		body := a.Refused(
			"POST", movePath, a.Owner, m{"from_id": green, "to_id": gifts, "pin_rules": true, "dry_run": dry}, 429,
			"REDIRECT_LIMIT_REACHED",
		)
		if body["limit_code"] != "redirects_max" {
			t.Errorf("refusal: %v", body)
		}
	}
	if at := trail(a, "/gifts/green"); len(at) != 1 || at[0] != "/tea/green" || len(rulesFrom(a)) != 0 {
		t.Errorf("the refused move left %v and %v", at, rulesFrom(a))
	}
	if got := a.OK("POST", movePath, a.Owner, m{"from_id": green, "to_id": gifts}); got["rules_created"] != 0.0 {
		t.Errorf("without pins: %v", got)
	}
}

// After several moves of a page, each of its former URLs reaches it with one redirect, through
// the storefront and through the pinned rules.
func TestAfterFiveMovesEachOldAddressIsOneRedirect(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	green := section(a, "green", section(a, "p0", 0))
	product(a, "sencha", green)
	for i := 1; i <= 5; i++ {
		a.OK("POST", movePath, a.Owner, m{"from_id": green, "to_id": section(a, fmt.Sprint("p", i), 0), "pin_rules": true})
	}
	rules := rulesFrom(a)
	for i := range 5 {
		for _, page := range []string{"/green", "/green/sencha"} {
			old, now := fmt.Sprintf("/p%d%s", i, page), "/p5"+page
			if at := trail(a, old); len(at) != 1 || at[0] != now {
				t.Errorf("%s leads to %v", old, at)
			}
			if rules[old]["to_target"] != now {
				t.Errorf("the pin of %s leads to %v", old, rules[old]["to_target"])
			}
		}
	}
	// After moving back to the original place, rules that would form a loop are omitted.
	back := a.Result("GET", "/categories/by-slug/p0", a.Owner, nil)["id"]
	if got := a.OK("POST", movePath, a.Owner, m{"from_id": green, "to_id": back, "pin_rules": true}); got["rules_created"] != 0.0 {
		t.Errorf("after moving back: %v", got)
	}
	if at := trail(a, "/p5/green/sencha"); len(at) != 1 || at[0] != "/p0/green/sencha" {
		t.Errorf("the last address leads to %v", at)
	}
}

// A move that is taken back takes its rules along: those that it made go, and those of earlier moves
// lead where they led. What somebody wrote, or changed since, stays.
func TestAMoveThatIsTakenBackTakesItsRulesBack(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	tea, gifts, sale := section(a, "tea", 0), section(a, "gifts", 0), section(a, "sale", 0)
	green := section(a, "green", tea)
	product(a, "sencha", green)
	product(a, "matcha", green)
	a.OK("POST", movePath, a.Owner, m{"from_id": green, "to_id": gifts, "pin_rules": true})
	before := rulesFrom(a)
	own := addRule(a, "/gifts/green", "/tea")
	done := a.OK("POST", movePath, a.Owner, m{"from_id": green, "to_id": sale, "pin_rules": true})
	if done["rules_created"] != 2.0 || rulesFrom(a)["/tea/green/sencha"]["to_target"] != "/sale/green/sencha" {
		t.Fatalf("the second move: %v, %v", done, rulesFrom(a))
	}
	changed := rulesFrom(a)["/gifts/green/matcha"]
	a.OK("PUT", rulesPath+"/"+changed["id"].(string), a.Owner, rule("/gifts/green/matcha", "/sale/green/matcha", "code", 302))
	back := m{"from_id": green, "to_id": gifts, "unpin_version": done["rules_version"], "dry_run": true}
	if dry := a.OK("POST", movePath, a.Owner, back); dry["rules_version"] == done["rules_version"] || len(rulesFrom(a)) != len(before)+3 {
		t.Errorf("a dry run: %v, %v", dry, rulesFrom(a))
	}
	back["dry_run"] = false
	a.OK("POST", movePath, a.Owner, back)
	after := rulesFrom(a)
	if after["/gifts/green"]["id"] != own || after["/gifts/green/matcha"]["code"] != 302.0 || len(after) != len(before)+2 {
		t.Errorf("what others wrote: %v", after)
	}
	for from, rule := range before {
		if after[from]["to_target"] != rule["to_target"] {
			t.Errorf("the rule of %s leads to %v, before it led to %v", from, after[from]["to_target"], rule["to_target"])
		}
	}
	made := a.OK("GET", rulesPath+"/versions", a.Owner, nil)["result"].(l)
	for _, version := range []any{made[1].(m)["version"], 999} {
		body := a.Refused("POST", movePath, a.Owner, m{"from_id": green, "to_id": tea, "unpin_version": version}, 404, "REDIRECT_VERSION_NOT_FOUND")
		if body["place"] != "unpin_version" {
			t.Errorf("version %v: %v", version, body)
		}
	}
}

// A website moves with its section, including all of its pages.
func TestAMoveListsTheURLsOfAWebsite(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	club := a.Result("POST", "/categories", a.Owner, m{"item": m{"name": "club", "type": "site", "is_published": true, "seo": m{"slug": "club"}}})["id"]
	gifts := section(a, "gifts", 0)
	done := a.OK("POST", movePath, a.Owner, m{"from_id": club, "to_id": gifts, "pin_rules": true})
	if got := fmt.Sprint(done["url_changes"]); !strings.Contains(got, "kind:folder new_path:/gifts/club/* old_path:/club/*") || !strings.Contains(got, "covered_by:auto kind:folder") {
		t.Errorf("%s", got)
	}
	if at := trail(a, "/club/about/index.html"); len(at) != 1 || at[0] != "/gifts/club/about/index.html" {
		t.Errorf("an address inside leads to %v", at)
	}
	a.OK("PUT", fmt.Sprintf("/categories/%v", club), a.Owner, m{"item": m{"seo": m{"slug": "verein"}}})
	for _, old := range []string{"/club/about/", "/gifts/club/about/"} {
		if at := trail(a, old); len(at) == 0 || at[len(at)-1] != "/gifts/verein/about/" {
			t.Errorf("%s leads to %v", old, at)
		}
	}
}

func TestExamplesOfAMoveAreLimited(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	tea, gifts := section(a, "tea", 0), section(a, "gifts", 0)
	for i := range 18 {
		product(a, fmt.Sprint("tea-", i), tea)
	}
	for i := range 5 {
		section(a, fmt.Sprint("sub-", i), tea)
	}
	got := a.OK("POST", movePath, a.Owner, m{"from_id": tea, "to_id": gifts, "pin_rules": true})
	changes := got["url_changes"].(l)
	if got["categories_affected"] != 6.0 || got["products_affected"] != 18.0 || got["rules_created"] != 24.0 || len(changes) != 20 {
		t.Fatalf("%d examples of %v", len(changes), got)
	}
	for i, change := range changes {
		if (change.(m)["kind"] == "category") != (i < 6) {
			t.Errorf("example %d is %v", i, change)
		}
	}
}

func TestAMovePlacesTheSectionAmongItsSiblings(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ids := map[string]any{}
	for _, slug := range []string{"a", "b", "c"} {
		ids[slug] = section(a, slug, 0)
	}
	ids["d"] = section(a, "d", ids["a"])
	order := func() (slugs string) {
		for _, c := range a.OK("GET", "/categories", a.Owner, nil)["result"].(l) {
			if c := c.(m); fmt.Sprint(c["parent_id"]) == "0" {
				slugs += c["seo"].(m)["slug"].(string)
			}
		}
		return slugs
	}
	for _, step := range []struct{ from, to, kind, want string }{
		{"c", "a", "before", "cab"}, {"c", "a", "after", "acb"}, {"d", "c", "before", "adcb"}, {"a", "", "inside", "dcba"},
		{"a", "b", "after", "dcba"}, {"b", "b", "", ""}, {"d", "c", "", "cba"},
	} {
		to := ids[step.to]
		if step.to == "" {
			to = 0
		}
		move := m{"from_id": ids[step.from], "to_id": to}
		if step.kind != "" {
			move["type"] = step.kind
		}
		status, answer := a.Call("POST", movePath, a.Owner, move)
		if step.want == "" {
			if apitest.Code(answer) != "CATEGORY_CYCLE" {
				t.Errorf("a section moved next to itself: %d %v", status, answer)
			}
			continue
		}
		if got := order(); status != 200 || got != step.want {
			t.Errorf("%s %s %s: %s, want %s (%v)", step.from, step.kind, step.to, got, step.want, answer)
		}
	}
}

func TestInvalidMovesAreRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	tea, gifts := section(a, "tea", 0), section(a, "gifts", 0)
	green := section(a, "green", tea)
	move := m{"from_id": green, "to_id": gifts}
	pinned := m{"from_id": green, "to_id": gifts, "pin_rules": true}
	unpinned := m{"from_id": green, "to_id": gifts, "unpin_version": 1}
	for _, c := range []struct {
		key    string
		body   m
		status int
		code   string
	}{
		{a.Dev, move, 403, "PAT_CONTOUR_MISMATCH"},
		{a.Editor, pinned, 403, "REDIRECTS_FORBIDDEN"},
		{a.Editor, unpinned, 403, "REDIRECTS_FORBIDDEN"},
		{a.Scoped("catalog:write"), pinned, 403, "PAT_SCOPE_MISSING"},
		{a.Scoped("catalog:write"), unpinned, 403, "PAT_SCOPE_MISSING"},
		{a.Scoped("catalog:read", "redirects:write"), m{"from_id": green, "to_id": gifts, "dry_run": true}, 403, "PAT_SCOPE_MISSING"},
		{a.Owner, m{"from_id": tea, "to_id": green}, 400, "CATEGORY_CYCLE"},
		{a.Owner, m{"from_id": tea, "to_id": green, "type": "after"}, 400, "CATEGORY_CYCLE"},
		{a.Owner, m{"from_id": 999, "to_id": green}, 404, "CATEGORY_NOT_FOUND"},
		{a.Owner, m{"from_id": green, "to_id": 999}, 404, "CATEGORY_NOT_FOUND"},
		{a.Owner, m{"from_id": green, "to_id": 0, "type": "before"}, 404, "CATEGORY_NOT_FOUND"},
		{a.Owner, m{}, 404, "CATEGORY_NOT_FOUND"},
		{a.Stranger, move, 404, "CATEGORY_NOT_FOUND"},
		{a.Owner, m{"from_id": green, "to_id": gifts, "type": "beside"}, 400, "CATEGORY_MOVE_TYPE_UNKNOWN"},
	} {
		body := a.Refused("POST", movePath, c.key, c.body, c.status, c.code)
		if c.code == "PAT_SCOPE_MISSING" && c.body["pin_rules"] == true && body["required_scope"] != "redirects:write" {
			t.Errorf("the scope that is missing: %v", body)
		}
	}
	session := a.Send(
		apitest.Request{
			Method: "POST", Path: movePath, Key: a.Session(a.OwnerID), Header: map[string]string{"X-Service-Contour": "dev"},
			Body: move,
		},
	)
	if apitest.Code(session.JSON) != "DEV_MODE_UNAVAILABLE" {
		t.Errorf("a session in the draft: %s", session.Body)
	}
	if at := trail(a, "/gifts/green"); len(at) != 1 || at[0] != "/tea/green" {
		t.Errorf("a refused move moved: %v", at)
	}
	a.OK("POST", movePath, a.Editor, move)

	// Nothing can be moved below the deepest level, in a dry run or otherwise (CONTRACT,
	// "Answers").
	deepest := tea
	for n := range 11 {
		deepest = section(a, fmt.Sprintf("level%d", n), deepest)
	}
	for _, in := range []m{{"from_id": green, "to_id": deepest}, {"from_id": green, "to_id": deepest, "dry_run": true}, {"from_id": tea, "to_id": gifts}} {
		a.Refused("POST", movePath, a.Owner, in, 400, "CATEGORY_TOO_DEEP")
	}
	a.OK("POST", movePath, a.Owner, m{"from_id": green, "to_id": deepest, "type": "before"})
	a.OK("POST", movePath, a.Owner, m{"from_id": green, "to_id": gifts})

	// A move that would create a redirect loop with a rule over live pages is refused.
	addRule(a, "/tea/green", "/gifts/green", "override_live", true)
	a.Refused("POST", movePath, a.Owner, m{"from_id": green, "to_id": tea}, 400, "REDIRECT_LOOP")
}

// If two sections are concurrently moved into each other, one move succeeds.
func TestConcurrentMovesCreateNoCycleInTheTree(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	into := func(from, to any) apitest.Request {
		return apitest.Request{Method: "POST", Path: movePath, Key: a.Owner, Body: m{"from_id": from, "to_id": to}}
	}
	for pair := range 4 {
		x, y := section(a, fmt.Sprint("x", pair), 0), section(a, fmt.Sprint("y", pair), 0)
		if got := concurrently(a, into(x, y), into(y, x)); got[""] != 1 || got["CATEGORY_CYCLE"] != 1 {
			t.Errorf("two moves into each other: %v", got)
		}
	}
	var ids []any
	for i := range 6 {
		ids = append(ids, section(a, fmt.Sprint("z", i), 0))
	}
	moved := map[string]int{}
	var mu sync.Mutex
	var movers sync.WaitGroup
	for mover := range 4 {
		movers.Go(func() {
			for i := range 12 {
				from, to := ids[(mover*5+i)%6], ids[(mover+i*3+1)%6]
				if from == to {
					continue
				}
				got := a.Send(into(from, to))
				mu.Lock()
				moved[apitest.Code(got.JSON)]++
				mu.Unlock()
			}
		})
	}
	movers.Wait()
	if moved[""] == 0 || moved["CATEGORY_CYCLE"] == 0 || len(moved) != 2 {
		t.Errorf("racing moves answered %v", moved)
	}
	rows, err := catalog.CategoryAddresses(t.Context(), a.Store.Shop(a.Shop.ID))
	if err != nil {
		t.Fatal(err)
	}
	parent := map[shop.CategoryID]shop.CategoryID{}
	for _, row := range rows {
		parent[row.ID] = row.Parent
	}
	for id := range parent {
		steps := 0
		for at := id; at != 0 && steps <= len(parent); steps++ {
			at = parent[at]
		}
		if steps > len(parent) {
			t.Errorf("section %s is in a cycle", id)
		}
	}
	t.Logf("48 racing moves: %v", moved)
}
