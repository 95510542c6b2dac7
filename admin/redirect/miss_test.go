package redirect_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	redirectdb "vitrine/internal/store/redirect"
)

func TestTheLogOfMissesIsPagedAndHidden(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var batch []redirectdb.Miss
	for i := range 3 {
		batch = append(batch, redirectdb.Miss{Path: fmt.Sprintf("/m%d", i), Hits: 1, LastHitAt: at})
	}
	batch[1].Hits = 5
	if err := redirectdb.AddMisses(t.Context(), a.Store, a.Shop.ID, batch); err != nil {
		t.Fatal(err)
	}
	answer := a.OK("GET", rulesPath+"/misses?page.number=1&page.limit=2", a.Owner, nil)
	first := answer["result"].(l)[0].(m)
	if answer["total"] != 3.0 || answer["current_page"] != 1.0 || len(answer["result"].(l)) != 2 || first["path"] != "/m1" || first["hits"] != "5" ||
		first["last_hit_at"] != "2026-11-21T12:00:00Z" || first["hidden"] != false {
		t.Errorf("misses: %v", answer)
	}
	if got := a.OK("POST", rulesPath+"/misses/hide", a.Owner, m{"paths": l{"/m1", "/none"}}); got["changed"] != 1.0 {
		t.Errorf("hide: %v", got)
	}
	count := func(query string) any { return a.OK("GET", rulesPath+"/misses"+query, a.Owner, nil)["total"] }
	if count("") != 2.0 || count("?hidden=true") != 1.0 {
		t.Errorf("after hiding: %v %v", count(""), count("?hidden=true"))
	}
	a.OK("POST", rulesPath+"/misses/hide", a.Owner, m{"paths": l{"/m1"}, "unhide": true})
	if count("") != 3.0 {
		t.Errorf("after showing: %v", count(""))
	}
	if got := a.OK("POST", rulesPath+"/misses/hide", a.Stranger, m{"paths": l{"/m1"}}); got["changed"] != 0.0 {
		t.Errorf("another shop hid %v", got)
	}
	a.Refused("GET", rulesPath+"/misses?page.number=0&page.limit=2", a.Owner, nil, 400, "INVALID_REQUEST")
	a.Refused("GET", rulesPath+"/misses?page.limit=101", a.Owner, nil, 400, "INVALID_REQUEST")
	a.Refused("POST", rulesPath+"/misses/hide", a.Owner, m{"paths": make([]string, 1001)}, 400, "INVALID_REQUEST")
	a.Refused("GET", rulesPath+"/misses?q="+strings.Repeat("a", 201), a.Owner, nil, 400, "INVALID_REQUEST")
	a.Refused("GET", rulesPath+"/misses?q=%00", a.Owner, nil, 400, "INVALID_REQUEST")
	a.Refused("GET", rulesPath+"/misses", a.Editor, nil, 403, "REDIRECTS_FORBIDDEN")
	if count("?q=M1") != 1.0 || count("?min_hits=2") != 1.0 || count("?q=nowhere") != 0.0 {
		t.Errorf("filters: %v %v %v", count("?q=M1"), count("?min_hits=2"), count("?q=nowhere"))
	}
}

// miss adds addresses to the 404 log, as the edge does.
func miss(a *apitest.API, t *testing.T, paths ...string) {
	t.Helper()
	var batch []redirectdb.Miss
	for i, path := range paths {
		batch = append(batch, redirectdb.Miss{Path: path, Hits: shop.Int64(len(paths) - i), LastHitAt: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)})
	}
	if err := redirectdb.AddMisses(t.Context(), a.Store, a.Shop.ID, batch); err != nil {
		t.Fatal(err)
	}
}

func TestAMissSuggestsALivePage(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.OK("PUT", rulesPath+"/settings", a.Owner, m{"miss_fallback": false})
	tea := a.Result("POST", "/categories", a.Owner, m{"item": m{"name": "Tea", "is_published": true, "seo": m{"slug": "loose-tea"}}})["id"]
	product := a.Result("POST", "/products", a.Owner, m{"item": m{"name": "Sencha", "category_id": tea, "is_published": true, "seo": m{"slug": "sencha-kyoto"}}})["id"]
	a.OK("PUT", "/products/"+fmt.Sprint(product), a.Owner, m{"item": m{"seo": m{"slug": "uji-first-flush"}}})
	for _, c := range []struct{ path, want string }{
		{"/shop/Sencha-Kyoto.php", "404 /loose-tea/uji-first-flush journal"},
		{"/shop/uji-frist-flush", "404 /loose-tea/uji-first-flush similar"},
		{"/loose-tea/qwertz/4711", "404 /loose-tea section"},
		{"/zzz/4711", "404 none"},
		{"/loose-tea/" + strings.Repeat("x", 2000), "404 /loose-tea section"},
		{"/%FF%C0", "404 none"},
		{"/old/sencha-kyoto", "308 none"}, // a page has this address since
	} {
		miss(a, t, c.path)
		row := a.OK("GET", rulesPath+"/misses?q="+url.QueryEscape(c.path[:min(len(c.path), 190)]), a.Owner, nil)["result"].(l)[0].(m)
		got := fmt.Sprint(row["answers"], " none")
		if found, ok := row["suggestion"].(m); ok {
			got = fmt.Sprint(row["answers"], " ", found["to"], " ", found["reason"])
		}
		if got != c.want {
			t.Errorf("%.60s: %s, want %s", c.path, got, c.want)
		}
	}

	// A rule for a miss takes effect, and the log shows its response.
	addRule(a, "/shop/uji-frist-flush", "/loose-tea/uji-first-flush")
	row := a.OK("GET", rulesPath+"/misses?q=frist", a.Owner, nil)["result"].(l)[0].(m)
	if row["answers"] != 308.0 || row["suggestion"] != nil {
		t.Errorf("after the rule: %v", row)
	}
}
