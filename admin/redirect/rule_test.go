package redirect_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	redirectdb "vitrine/internal/store/redirect"
)

const rulesPath = "/storefront-redirects"

// rule returns an enabled rule with further fields, such as "code", 302, "external", true.
func rule(from, to string, more ...any) m {
	item := m{"from_path": from, "to_target": to, "enabled": true}
	for i := 0; i < len(more); i += 2 {
		item[more[i].(string)] = more[i+1]
	}
	return m{"item": item}
}

func addRule(a *apitest.API, from, to string, more ...any) string {
	return a.Result("POST", rulesPath, a.Owner, rule(from, to, more...))["id"].(string)
}

// version returns the version of the redirect set.
func version(a *apitest.API) string {
	return a.OK("GET", rulesPath, a.Owner, nil)["version"].(string)
}

func TestSavingARuleFillsInDefaults(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, c := range []struct {
		item m
		want string // kind, code, external, enabled, query_match, note
	}{
		{m{"from_path": "/a", "to_target": "/b"}, "exact 301 false false  "},
		{m{"from_path": "/goods/*", "to_target": "/shop", "enabled": true, "code": 302}, "prefix 302 false true  "},
		{m{"from_path": "/goods/*", "to_target": "/shop/$1", "sort_order": 99}, "pattern 301 false false  "},
		{m{"from_path": "/x", "to_target": "https://example.com/", "external": true, "query_match": "?id=5", "note": "a\nb"}, "exact 301 true false id=5 a b"},
	} {
		answer := a.OK("POST", rulesPath, a.Owner, m{"item": c.item})
		r := answer["result"].(m)
		got := fmt.Sprint(r["kind"], " ", r["code"], " ", r["external"], " ", r["enabled"], " ", r["query_match"], " ", r["note"])
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.item, got, c.want)
		}
		if _, counted := r["hits"]; counted || answer["version"] != version(a) {
			t.Errorf("a saved rule should have no counters and contain the version: %v", answer)
		}
	}
	if v := version(a); v != "5" {
		t.Errorf("four mutations change the version from 1 to %s", v)
	}

	id := addRule(a, "/old", "/new", "note", "why", "drop_query", true)
	saved := a.Result("PUT", rulesPath+"/"+id, a.Owner, m{"item": m{"from_path": "/old", "to_target": "/newer"}})
	if saved["enabled"] != false || saved["note"] != "" || saved["drop_query"] != false || saved["to_target"] != "/newer" ||
		saved["id"] != id {
		t.Errorf("an edit did not replace all fields: %v", saved)
	}
}

func TestInvalidRulesAreRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	taken := addRule(a, "/taken", "/t", "query_match", "id=5")
	other := addRule(a, "/other", "/t")
	for _, c := range []struct {
		body   m
		status int
		code   string
	}{
		{rule("old", "/b"), 400, "REDIRECT_INVALID_SOURCE"},
		{rule("/old?id=5", "/b"), 400, "REDIRECT_INVALID_SOURCE"},
		{rule("/", "/b"), 400, "REDIRECT_INVALID_SOURCE"},
		{rule("/goods/*", "/b", "kind", "exact"), 400, "REDIRECT_INVALID_SOURCE"},
		{rule("/a", "b"), 400, "REDIRECT_INVALID_TARGET"},
		{rule("/a/*", "/b/$2", "kind", "pattern"), 400, "REDIRECT_INVALID_TARGET"},
		{rule("/a", "javascript:alert(1)", "external", true), 400, "REDIRECT_INVALID_TARGET"},
		{rule("/a", "//evil.test"), 400, "REDIRECT_INVALID_TARGET"},
		{rule("/a", "https://example.com/"), 400, "REDIRECT_EXTERNAL_NOT_ALLOWED"},
		{rule("/a", "/b", "query_match", "id"), 400, "REDIRECT_INVALID_QUERY"},
		{rule("/a/*/b", "/b", "query_match", "id=5"), 400, "REDIRECT_INVALID_QUERY"},
		{rule("/cart", "/b"), 400, "REDIRECT_RESERVED_PATH"},
		{rule("/%63ART/", "/b"), 400, "REDIRECT_RESERVED_PATH"},
		{rule("/api/v1", "/b"), 400, "REDIRECT_RESERVED_PATH"},
		{rule("/robots.txt", "/b"), 400, "REDIRECT_RESERVED_PATH"},
		{rule("/_next/*", "/b"), 400, "REDIRECT_RESERVED_PATH"},
		{rule("/TAKEN/", "/b", "query_match", "id=5"), 409, "REDIRECT_DUPLICATE"},
		{rule("/loop", "/Loop/"), 400, "REDIRECT_LOOP"},
		{rule("/a", "/b", "code", 308), 400, "INVALID_REQUEST"},
		{rule("/a", "/b", "note", strings.Repeat("é", 501)), 400, "INVALID_REQUEST"},
		{rule("/a", "/b", "kind", "regex"), 400, "INVALID_REQUEST"},
		{m{}, 400, "REDIRECT_INVALID_SOURCE"},
	} {
		a.Refused("POST", rulesPath, a.Owner, c.body, c.status, c.code)
		a.Refused("PUT", rulesPath+"/"+other, a.Owner, c.body, c.status, c.code)
	}
	a.Refused("PUT", rulesPath+"/999", a.Owner, rule("/a", "/b"), 404, "REDIRECT_NOT_FOUND")
	a.Refused("DELETE", rulesPath, a.Owner, m{"ids": l{taken, "999"}}, 404, "REDIRECT_NOT_FOUND")
	a.Refused("DELETE", rulesPath, a.Owner, m{"ids": l{}}, 400, "INVALID_REQUEST")
	if v := version(a); v != "3" {
		t.Errorf("refusals changed the version from 3 to %s", v)
	}
	// A key may have any bytes and any length.
	addRule(a, "/"+strings.Repeat("%ff", 2000), "/t")
	a.Refused("POST", rulesPath, a.Owner, rule("/"+strings.Repeat("%FF", 2000), "/t"), 409, "REDIRECT_DUPLICATE")
	addRule(a, "/taken", "/t") // a different condition is a different rule
}

func TestLoopsAndChainsAreRefusedByEveryMutation(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for i := range 10 {
		addRule(a, fmt.Sprintf("/h%d", i), fmt.Sprintf("/h%d", i+1))
	}
	long := a.Refused("POST", rulesPath, a.Owner, rule("/h10", "/h11"), 400, "REDIRECT_CHAIN_TOO_LONG")
	if chain, _ := long["chain"].(l); long["witness"] != "/h0" || len(chain) != 12 || chain[11] != "/h11" || len(long["rules"].(l)) != 11 {
		t.Errorf("the eleventh hop: %v", long)
	}
	a.Refused("POST", rulesPath, a.Owner, rule("/h10", "/h0"), 400, "REDIRECT_LOOP")
	idle := addRule(a, "/h10", "/h0", "enabled", false)
	a.Refused("PUT", rulesPath+"/"+idle, a.Owner, rule("/h10", "/h0"), 400, "REDIRECT_LOOP")

	// The first mask shadows a loop of two prefixes and a mask that redirects to itself.
	hides := addRule(a, "/x/**", "/safe", "kind", "pattern")
	addRule(a, "/x/*", "/y")
	addRule(a, "/y/*", "/x")
	a.Refused("DELETE", rulesPath, a.Owner, m{"ids": l{hides}}, 400, "REDIRECT_LOOP")
	addRule(a, "/x/*/z", "/x/z/z")
	var ids l
	for _, r := range a.OK("GET", rulesPath, a.Owner, nil)["result"].(l) {
		if r.(m)["id"] != hides {
			ids = append(ids, r.(m)["id"])
		}
	}
	before := version(a)
	a.Refused("PUT", rulesPath+"/order", a.Owner, m{"ids": append(ids, hides)}, 400, "REDIRECT_LOOP")
	if now := version(a); now != before {
		t.Errorf("a refused order changed the version from %s to %s", before, now)
	}
}

func TestAnOrderListsEveryRuleOnce(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	one, two, three := addRule(a, "/a/*", "/one"), addRule(a, "/a/b*", "/two"), addRule(a, "/exact", "/three")
	order := func(ids ...any) m { return m{"ids": ids} }
	for _, ids := range []m{order(one, two), order(one, two, two), order(one, two, three, one), order(one, two, "999"), {}} {
		a.Refused("PUT", rulesPath+"/order", a.Owner, ids, 404, "REDIRECT_NOT_FOUND")
	}
	answer := a.OK("PUT", rulesPath+"/order", a.Owner, order(three, two, one))
	if answer["version"] != "5" {
		t.Errorf("version: %v", answer["version"])
	}
	got := map[string]any{}
	for _, r := range answer["result"].(l) {
		got[r.(m)["id"].(string)] = r.(m)["sort_order"]
	}
	if got[three] != 1.0 || got[two] != 2.0 || got[one] != 3.0 {
		t.Errorf("sort_order: %v", got)
	}
}

func TestLimitsOfRules(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.Limit(company.Limits{store.LimitRedirects: 3, store.LimitMasks: 1})
	addRule(a, "/a", "/t")
	mask := addRule(a, "/b*", "/t")
	answer := a.Refused("POST", rulesPath, a.Owner, rule("/c*", "/t"), 429, "REDIRECT_PATTERN_LIMIT_REACHED")
	if answer["limit_code"] != "redirect_masks_max" {
		t.Errorf("limit_code: %v", answer)
	}
	prefix := addRule(a, "/p/*", "/t") // a prefix is not a mask
	answer = a.Refused("POST", rulesPath, a.Owner, rule("/d", "/t"), 429, "REDIRECT_LIMIT_REACHED")
	if answer["limit_code"] != "redirects_max" {
		t.Errorf("limit_code: %v", answer)
	}
	a.Refused("PUT", rulesPath+"/"+prefix, a.Owner, rule("/q*", "/t"), 429, "REDIRECT_PATTERN_LIMIT_REACHED")
	a.Limit(company.Limits{store.LimitRedirects: 1, store.LimitMasks: 1})
	a.OK("PUT", rulesPath+"/"+mask, a.Owner, rule("/e*", "/t")) // a set that exceeds the plan can still be edited
	list := a.OK("GET", rulesPath, a.Owner, nil)
	got := fmt.Sprint(list["rules_limit"], list["patterns_limit"], list["rules_ceiling"], list["patterns_ceiling"], list["miss_fallback"])
	if got != "1 1 20000 200 true" {
		t.Errorf("limits in the list: %s", got)
	}
	if used := a.Result("GET", "/tariff/usage", a.Owner, nil)["redirect_masks_max"].(m)["used"]; used != "1" {
		t.Errorf("masks in use: %v", used)
	}
}

func TestCeilingsApplyToEveryPlan(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	var masks strings.Builder
	for i := range 200 {
		fmt.Fprintf(&masks, "/m%d/x*;/t\n", i)
	}
	if got := a.Result("POST", rulesPath+"/import", a.Owner, m{"text": masks.String()}); got["created"] != 200.0 {
		t.Fatalf("200 masks: %v", got["errors"])
	}
	answer := a.Refused("POST", rulesPath, a.Owner, rule("/m200/x*", "/t"), 429, "REDIRECT_PATTERN_CEILING_REACHED")
	if _, named := answer["limit_code"]; named {
		t.Errorf("a ceiling is reported as a plan limit: %v", answer)
	}
	got := a.Result("POST", rulesPath+"/import", a.Owner, m{"text": "/m200/x*;/t\n/fine;/t"})
	if reasons(got) != "error PATTERN_LIMIT_REACHED, created " {
		t.Errorf("import: %s", reasons(got))
	}

	err := a.Store.Write(t.Context(), a.Shop.ID, func(tx *store.Tx) error {
		change := redirectdb.RulesChange{Kind: redirectdb.RulesCreate}
		for i := range 20000 - 201 {
			from := fmt.Sprintf("/r%d", i)
			rule := &redirectdb.Rule{Kind: "exact", From: from, DupKey: from, To: "/t", Code: 301}
			change.Rules = append(change.Rules, redirectdb.RuleChange{New: rule})
		}
		_, err := redirectdb.ChangeRules(t.Context(), tx, change)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	answer = a.Refused("POST", rulesPath, a.Owner, rule("/more", "/t"), 429, "REDIRECT_CEILING_REACHED")
	if _, named := answer["limit_code"]; named {
		t.Errorf("a ceiling is reported as a plan limit: %v", answer)
	}
}

func TestWhoMayChangeRedirects(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	id := addRule(a, "/a", "/b")
	body := rule("/c", "/d")
	for _, c := range []struct {
		method, path string
		body         any
		writes       bool
	}{
		{"GET", "", nil, false}, {"POST", "", body, true}, {"PUT", "/" + id, body, true}, {"DELETE", "", m{"ids": l{id}}, true},
		{"PUT", "/order", m{"ids": l{id}}, true}, {"GET", "/check?url=/a", nil, false}, {"POST", "/import", m{"text": ""}, true},
		{"GET", "/export", nil, false}, {"PUT", "/settings", m{"miss_fallback": true}, true}, {"GET", "/misses", nil, false},
		{"POST", "/misses/hide", m{"paths": l{}}, true},
	} {
		path := rulesPath + c.path
		a.Refused(c.method, path, a.Editor, c.body, 403, "REDIRECTS_FORBIDDEN")
		a.Refused(c.method, path, "", c.body, 401, "UNAUTHENTICATED")
		if !c.writes {
			a.OK(c.method, path, a.Dev, nil)
			a.Refused(c.method, path, a.Scoped("redirects:write"), nil, 403, "PAT_SCOPE_MISSING")
			continue
		}
		a.Refused(c.method, path, a.Dev, c.body, 403, "PAT_CONTOUR_MISMATCH")
		a.Refused(c.method, path, a.Scoped("redirects:read"), c.body, 403, "PAT_SCOPE_MISSING")
		got := a.Send(
			apitest.Request{
				Method: c.method, Path: path, Key: a.Session(a.OwnerID), Body: c.body,
				Header: map[string]string{"X-Service-Contour": "dev"},
			},
		)
		if apitest.Code(got.JSON) != "DEV_MODE_UNAVAILABLE" {
			t.Errorf("%s %s in the draft contour: %s", c.method, path, got.Body)
		}
	}
	a.Refused("PUT", rulesPath+"/"+id, a.Stranger, body, 404, "REDIRECT_NOT_FOUND")
	a.Refused("DELETE", rulesPath, a.Stranger, m{"ids": l{id}}, 404, "REDIRECT_NOT_FOUND")
	a.Refused("PUT", rulesPath+"/order", a.Stranger, m{"ids": l{id}}, 404, "REDIRECT_NOT_FOUND")
	if list := a.OK("GET", rulesPath, a.Stranger, nil)["result"].(l); len(list) != 0 {
		t.Errorf("another shop sees %v", list)
	}
}

func TestTheListIsInMatchingOrderWithCounters(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	addRule(a, "/g/*", "/prefix")
	addRule(a, "/e", "/exact")
	hit := addRule(a, "/e", "/condition", "query_match", "a=1")
	addRule(a, "/m*", "/to-mask")
	addRule(a, "/p/*", "/live-prefix", "override_live", true)
	addRule(a, "/l", "/live", "override_live", true)
	addRule(a, "/n*", "/to-mask2")
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	rows, err := redirectdb.Rules(t.Context(), a.Store.Shop(a.Shop.ID))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.ID.String() == hit {
			if err := redirectdb.AddHits(context.Background(), a.Store, []redirectdb.RuleHit{{Company: a.Shop.ID, Rule: r.ID, Hits: 7, Last: at}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got []string
	for _, r := range a.OK("GET", rulesPath, a.Owner, nil)["result"].(l) {
		got = append(got, r.(m)["to_target"].(string))
		if r.(m)["id"] == hit && (r.(m)["hits"] != "7" || r.(m)["last_hit_at"] != "2026-11-21T12:00:00Z") {
			t.Errorf("counters: %v", r)
		}
	}
	if fmt.Sprint(got) != "[/live /live-prefix /condition /exact /to-mask /to-mask2 /prefix]" {
		t.Errorf("order: %v", got)
	}
}

func TestCheckTracesAnAddress(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	id := addRule(a, "/old", "/mid", "code", 302)
	addRule(a, "/mid", "/end")
	trace := a.Result("GET", rulesPath+"/check?url=/OLD%3Fa=1", a.Owner, nil)
	if trace["matched"] != true || trace["rule_id"] != id || trace["code"] != 302.0 || trace["sent_code"] != 307.0 ||
		trace["location"] != "/end?a=1" ||
		len(trace["steps"].(l)) != 2 ||
		trace["too_long"] != false {
		t.Errorf("trace: %v", trace)
	}
	for _, url := range []string{"/%25zz", "/%2500", "not-an-address", "https://elsewhere.test/x", "/nothing"} {
		trace := a.Result("GET", rulesPath+"/check?url="+url, a.Owner, nil)
		if trace["matched"] != false || trace["sent_code"] != 0.0 || trace["reason"] == "" {
			t.Errorf("%s: %v", url, trace)
		}
	}
	if trace := a.Result("GET", rulesPath+"/check?url=/cart", a.Owner, nil); trace["reserved"] != true {
		t.Errorf("/cart: %v", trace)
	}
	a.Refused("GET", rulesPath+"/check", a.Owner, nil, 400, "INVALID_REQUEST")
}

func TestSettingsDoNotChangeTheVersion(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	before := version(a)
	if got := a.Result("PUT", rulesPath+"/settings", a.Owner, m{"miss_fallback": false}); got["miss_fallback"] != false {
		t.Errorf("settings: %v", got)
	}
	list := a.OK("GET", rulesPath, a.Owner, nil)
	if list["miss_fallback"] != false || list["version"] != before {
		t.Errorf("list: %v", list)
	}
	a.Refused("PUT", rulesPath+"/settings", a.Owner, m{}, 400, "INVALID_REQUEST")
}
