package redirect_test

import (
	"fmt"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	redirectdb "vitrine/internal/store/redirect"
)

// changed formats the changes of a dry run: "/a missing 404 -> rule /b 308 x7".
func changed(answer m) string {
	text := ""
	for _, c := range answer["replay"].(m)["changed"].(l) {
		c := c.(m)
		x, y := c["before"].(m), c["after"].(m)
		text += fmt.Sprintln(c["path"], x["kind"], x["location"], x["code"], "->", y["kind"], y["location"], y["code"], "x", c["hits"])
	}
	return text
}

func TestADryRunReportsChangesForVisitorsAndWritesNothing(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.Result("POST", "/categories", a.Owner, m{"item": m{"name": "Tea", "type": "product", "is_published": true, "seo": m{"slug": "tea"}}})
	one := addRule(a, "/one", "/tea")
	mask := addRule(a, "/m*", "/tea")
	wider := addRule(a, "/m1*", "/one")
	hit(t, a, one, 7)
	hit(t, a, mask, 3)
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	misses := []redirectdb.Miss{
		{Path: "/lost", Hits: 9, LastHitAt: at}, {Path: "/m1x", Hits: 2, LastHitAt: at},
		{Path: "/tea/gone", Hits: 1, LastHitAt: at},
	}
	if err := redirectdb.AddMisses(t.Context(), a.Store, a.Shop.ID, misses); err != nil {
		t.Fatal(err)
	}
	set, before := setOf(a), version(a)
	for _, c := range []struct {
		name, method, path string
		body               m
		want               string
	}{
		{"create", "POST", "", m{"item": rule("/lost", "/one")["item"]}, "/lost missing  404 -> rule /one 308 x 9\n"},
		{"create without effect", "POST", "", m{"item": rule("/elsewhere", "/one")["item"]}, ""},
		{"edit", "PUT", "/" + one, m{"item": rule("/one", "/tea", "code", 302, "override_live", true)["item"]}, "/one rule /tea 308 -> rule /tea 302 x 7\n"},
		{"delete", "DELETE", "", m{"ids": l{mask}}, "/m1x rule /tea 308 -> rule /one 308 x 2\n/mx rule /tea 308 -> missing  404 x 3\n"},
		{"order", "PUT", "/order", m{"ids": l{wider, mask, one}}, "/m1x rule /tea 308 -> rule /one 308 x 2\n"},
		{"import", "POST", "/import", m{"text": "/lost;/tea\n/one;/tea;302"}, "/lost missing  404 -> rule /tea 308 x 9\n/one rule /tea 308 -> rule /tea 307 x 7\n"},
		{"settings", "PUT", "/settings", m{"miss_fallback": false}, "/tea/gone fallback /tea 308 -> missing  404 x 1\n"},
		{"rollback", "POST", "/rollback", m{"version": "2"}, "/m1x rule /tea 308 -> missing  404 x 2\n/mx rule /tea 308 -> missing  404 x 3\n"},
	} {
		c.body["dry_run"] = true
		answer := a.OK(c.method, rulesPath+c.path, a.Owner, c.body)
		if got := changed(answer); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
		replay := answer["replay"].(m)
		if replay["checked"] != 5.0 || replay["total"] != float64(len(replay["changed"].(l))) {
			t.Errorf("%s: %v", c.name, replay)
		}
		if version(a) != before || setOf(a) != set {
			t.Fatalf("%s: the dry run wrote", c.name)
		}
	}
	if list := a.OK("GET", rulesPath, a.Owner, nil); list["miss_fallback"] != true {
		t.Error("a dry run switched the fallback off")
	}
	tried := a.OK("POST", rulesPath, a.Owner, m{"item": rule("/new", "/tea")["item"], "dry_run": true})
	if tried["result"].(m)["id"] != "0" || tried["version"] != before {
		t.Errorf("a rule of a dry run: %v", tried)
	}
	order := a.OK("PUT", rulesPath+"/order", a.Owner, m{"ids": l{wider, mask, one}, "dry_run": true})
	if first := order["result"].(l)[1].(m); first["id"] != wider || first["sort_order"] != 1.0 {
		t.Errorf("the order of a dry run: %v", order["result"])
	}
	for code, body := range map[string]m{
		"REDIRECT_LOOP": rule("/x", "/X/"), "REDIRECT_DUPLICATE": rule("/one", "/x"), "REDIRECT_RESERVED_PATH": rule("/cart", "/x"),
	} {
		body["dry_run"] = true
		status := 400
		if code == "REDIRECT_DUPLICATE" {
			status = 409
		}
		a.Refused("POST", rulesPath, a.Owner, body, status, code)
	}
	if _, replayed := a.OK("POST", rulesPath, a.Owner, rule("/real", "/tea"))["replay"]; replayed {
		t.Error("a mutation without dry_run has a replay")
	}
}

func TestEnablingTheFallbackIsRefusedIfItCreatesALoop(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.Result("POST", "/categories", a.Owner, m{"item": m{"name": "Tea", "type": "product", "is_published": true, "seo": m{"slug": "tea"}}})
	a.OK("PUT", rulesPath+"/settings", a.Owner, m{"miss_fallback": false})
	id := addRule(a, "/tea", "/tea/gone", "override_live", true)
	for _, dry := range []bool{true, false} {
		answer := a.Refused("PUT", rulesPath+"/settings", a.Owner, m{"miss_fallback": true, "dry_run": dry}, 400, "REDIRECT_LOOP")
		if answer["witness"] != "/tea" || fmt.Sprint(answer["rules"]) != "["+id+"]" {
			t.Errorf("the loop: %v", answer)
		}
	}
	if list := a.OK("GET", rulesPath, a.Owner, nil); list["miss_fallback"] != false {
		t.Error("the refused setting was written")
	}
	a.OK("DELETE", rulesPath, a.Owner, m{"ids": l{id}})
	a.OK("PUT", rulesPath+"/settings", a.Owner, m{"miss_fallback": true})
}

func TestTheListReportsShadowedRules(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	section := a.Result(
		"POST", "/categories", a.Owner,
		m{"item": m{"name": "Tea", "type": "product", "is_published": true, "seo": m{"slug": "tea"}}},
	)
	wide := addRule(a, "/old/**", "/tea", "kind", "pattern")
	narrow := addRule(a, "/old/shoes/*", "/elsewhere", "kind", "pattern")
	page := addRule(a, "/tea", "/elsewhere")
	off := addRule(a, "/old/off*", "/elsewhere", "enabled", false)
	over := addRule(a, "/tea", "/elsewhere", "query_match", "a=1", "override_live", true)
	want := map[string]string{
		wide: "<nil>", narrow: fmt.Sprint(m{"kind": "rule", "rule_id": wide}), off: "<nil>", over: "<nil>",
		page: fmt.Sprint(m{"kind": "page", "entity": "category", "id": section["id"]}),
	}
	for _, r := range a.OK("GET", rulesPath, a.Owner, nil)["result"].(l) {
		r := r.(m)
		if got := fmt.Sprint(r["shadowed_by"]); got != want[r["id"].(string)] {
			t.Errorf("%v: shadowed by %s, want %s", r["from_path"], got, want[r["id"].(string)])
		}
	}
}

func TestMovingASectionIsRefusedIfItCreatesALoop(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	section := func(slug string, parent any) any {
		return a.Result("POST", "/categories", a.Owner, m{"item": m{"name": "S", "type": "product", "is_published": true, "parent_id": parent, "seo": m{"slug": slug}}})["id"]
	}
	tea, gifts := section("tea", 0), section("gifts", 0)
	path := fmt.Sprint("/categories/", gifts)
	a.OK("PUT", path, a.Owner, m{"item": m{"parent_id": tea}}) // no rules, no loop check
	a.OK("PUT", path, a.Owner, m{"item": m{"parent_id": 0}})
	// While there is no such page the old URL redirects to /gifts. Once the section has that URL,
	// a rule over it redirects away and the section's slug redirects back.
	id := addRule(a, "/tea/gifts", "/gifts", "override_live", true)
	answer := a.Refused("PUT", path, a.Owner, m{"item": m{"parent_id": tea}}, 400, "REDIRECT_LOOP")
	if answer["witness"] != "/tea/gifts" {
		t.Errorf("the loop: %v", answer)
	}
	a.Refused("POST", "/categories/move", a.Owner, m{"from_id": gifts, "to_id": tea, "type": "inside"}, 400, "REDIRECT_LOOP")
	if got := a.Result("GET", path, a.Owner, nil)["parent_id"]; got != "0" {
		t.Errorf("the refused parent was written: %v", got)
	}
	a.OK("DELETE", rulesPath, a.Owner, m{"ids": l{id}})
	a.OK("PUT", path, a.Owner, m{"item": m{"parent_id": tea}})
}
