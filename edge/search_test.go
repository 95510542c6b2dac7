package edge

import (
	"encoding/json"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"vitrine/internal/await"
	"vitrine/render"
)

// Equivalent addresses are one page, drawn once; pages for one visitor's input are drawn
// individually and not cached.
func TestFilteredSectionsAreCachedIfShared(t *testing.T) {
	w := newWorld(t)
	w.get("/shoes")
	before := w.src.called("Content")
	for _, target := range []string{
		"/shoes?a5=red&in_stock=1", "/shoes?in_stock=1&a5=red", "/shoes?a5=red&a5=red&in_stock=1&min_price=&utm_source=x&junk=1", "/shoes?a5=%72ed&in_stock=1&sort=no",
	} {
		got := w.get(target)
		w.expect(target, got, 200, "Cache-Control", pageCaching)
		w.shows(target, got, `<meta name="robots" content="noindex">`)
		if strings.Contains(got.Body, "canonical") {
			t.Errorf("%s has its own canonical address", target)
		}
	}
	if n := w.src.called("Content") - before; n != 1 {
		t.Errorf("drawn %d times", n)
	}
	before = w.src.called("Content")
	for range 2 {
		w.expect("a typed price", w.get("/shoes?min_price=7"), 200, "Cache-Control", guardedCaching, "Surrogate-Key", "")
	}
	if n := w.src.called("Content") - before; n != 2 {
		t.Errorf("a typed price was drawn %d times for two requests", n)
	}
	before = w.src.called("Content")
	for range 2 {
		w.get("/shoes/boot?a5=red")
		w.get("/news?a5=red")
	}
	if n := w.src.called("Content") - before; n > 2 {
		t.Errorf("pages without a filtered list were drawn %d times", n)
	}
}

func TestSearch(t *testing.T) {
	w := newVisitorsWorld(t)
	got := w.get("/search?q=boo")
	w.expect("found", got, 200, "Cache-Control", guardedCaching, "X-Robots-Tag", "")
	w.shows("found", got, "Boot", `value="boo"`, `<link rel="canonical" href="http://shop.localhost:8080/search?q=boo">`)
	w.expect("all", w.get("/search"), 200, "Cache-Control", pageCaching)
	w.expect("another spelling", w.get("/Search/?q=boo"), 308, "Location", "/search?q=boo")
	w.expect("sent", w.ask("POST", "/search", "Content-Length: 0"), 405)
	w.visits("/search?q=wooden+shoes", "203.0.113.1")
	w.visits("/search?q=boot", "203.0.113.1")
	w.get("/_vitrine/suggest?q=nothing")
	visits, day := w.counted(7, today)
	if visits == 0 || len(day.Lists.Searches) != 1 || day.Lists.Searches["wooden shoes"] != 1 || day.Lists.Pages["/search"] < 2 {
		t.Errorf("failed searches: %v, pages %v", day.Lists.Searches, day.Lists.Pages)
	}
}

func TestSuggestionsAreSmallAndShared(t *testing.T) {
	w := newWorld(t)
	var answer struct{ Items []map[string]string }
	got := w.get("/_vitrine/suggest?q=boo")
	w.expect("boo", got, 200, "Content-Type", "application/json", "Cache-Control", pageCaching, "X-Content-Type-Options", "nosniff", "X-Robots-Tag", "noindex")
	if err := json.Unmarshal([]byte(got.Body), &answer); err != nil || len(answer.Items) != 1 {
		t.Fatalf("%s: %v", got.Body, err)
	}
	if i := answer.Items[0]; i["kind"] != "product" || i["name"] != "Boot" || i["url"] != "/shoes/boot" || i["price"] != "€90" {
		t.Errorf("%v", i)
	}
	before := w.src.called("Content")
	w.get("/_vitrine/suggest?q=+boo+")
	w.get("/_vitrine/suggest?q=xq")
	w.get("/_vitrine/suggest?q=xq")
	if n := w.src.called("Content") - before; n != 2 {
		t.Errorf("asked %d times", n)
	}
	w.rename(11, "Bootee")
	if got := w.get("/_vitrine/suggest?q=boo"); !strings.Contains(got.Body, "Bootee") {
		t.Errorf("after a change: %s", got.Body)
	}
	w.expect("sent", w.ask("POST", "/_vitrine/suggest?q=boo", "Content-Length: 0"), 405)
	w.closeShop("")
	if got := w.get("/_vitrine/suggest?q=boo"); got.Status != 404 || strings.Contains(got.Body, "Boot") {
		t.Errorf("of a closed shop: %d %s", got.Status, got.Body)
	}
	if got := w.get("/search?q=boo"); strings.Contains(got.Body, "Bootee") {
		t.Error("a closed shop is searched")
	}
}

// Malformed queries are answered as if they were absent.
func TestHostileSearchesAndFilters(t *testing.T) {
	w := newWorld(t)
	var many []string
	for i := range 900 {
		many = append(many, "a"+strconv.Itoa(i)+"=x")
	}
	for _, query := range []string{
		"q=" + strings.Repeat("x", 7000), "q=%00", "q=%ff%fe", "q=%zz", "q=a%00b", "q=", "q", "q=%F0%9F%8D%B5%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7", "q='%22%3A*%26%7C%21%28%29%5C",
		"q=%3Cscript%3Ealert(1)%3C/script%3E", strings.Join(many, "&"), "min_price=99999999999999999999&max_price=-1&sort=%00", "a1=%00&a1_min=NaN&a2147483648=x",
		"min_price=5&max_price=1", "page=0&page=-1", "page=99999999999", "%00=%00&&&=&;",
	} {
		for _, path := range []string{"/search?", "/_vitrine/suggest?", "/shoes?", "/?"} {
			got := w.get(path + query)
			if got.Status != 200 && got.Status != 404 && got.Status != 414 {
				t.Errorf("%s%.60s: %d", path, query, got.Status)
			}
			if strings.Contains(got.Body, "<script>alert") {
				t.Errorf("%s%.60s becomes markup", path, query)
			}
		}
	}
}

// A redirect rule for the address takes precedence.
func TestRedirectRuleOverridesTheSearch(t *testing.T) {
	w := newWorld(t)
	w.expect("without one", w.get("/search"), 200)
	w.rules(rule("/search", "/shoes"))
	w.expect("with one", w.get("/search?q=x"), 308, "Location", "/shoes?q=x")
}

// Searches need most CPU time, so a shop draws only as many at once as leave half of the
// processors free, and its other pages do not wait for them.
func TestSearchesLeaveRoomForOtherPages(t *testing.T) {
	w := newWorld(t)
	most := max(1, runtime.GOMAXPROCS(0)/2)
	var under, peak atomic.Int64
	release := make(chan struct{})
	w.src.before = func(want render.PageRequest) {
		if want.Kind != render.WantSearch && want.Kind != render.WantSuggest {
			return
		}
		peak.Store(max(peak.Load(), under.Add(1)))
		<-release
		under.Add(-1)
	}
	var searches sync.WaitGroup
	for n := range 3 * most {
		searches.Go(func() { w.get("/search?q=boot" + itoa(n)) })
	}
	await.Until(func() bool { return under.Load() == int64(most) })
	w.expect("another page", w.get("/about"), 200)
	close(release)
	searches.Wait()
	if peak.Load() != int64(most) {
		t.Errorf("%d concurrent searches, want %d", peak.Load(), most)
	}
}
