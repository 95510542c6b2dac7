package redirect_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	redirectdb "vitrine/internal/store/redirect"
)

// checkSetConsistency checks the invariants of a set after concurrent writes: applying its
// versions one by one results in the set, no two rules have the same key, and there are no loops.
func checkSetConsistency(t *testing.T, a *apitest.API) (versions int) {
	t.Helper()
	reader := a.Store.Shop(a.Shop.ID)
	info, err := company.Info(t.Context(), reader)
	if err != nil {
		t.Fatal(err)
	}
	edits, whole, err := redirectdb.RulesSince(t.Context(), reader, 1, info.RulesVersion)
	if err != nil || !whole {
		t.Fatalf("the versions are incomplete: %v", err)
	}
	summed, err := redirectdb.RedoRules(nil, edits)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := redirectdb.Rules(t.Context(), reader)
	if err != nil || !slices.EqualFunc(summed, rows, redirectdb.Rule.Equal) {
		t.Errorf("%d versions result in %d rules, and there are %d (%v)", len(edits), len(summed), len(rows), err)
	}
	back, err := redirectdb.UndoRules(rows, edits)
	if err != nil || len(back) != 0 {
		t.Errorf("after undoing all versions there are %d rules (%v)", len(back), err)
	}
	hosts, err := shop.ParseStorefronts("http://{shop}.shops.test")
	if err != nil {
		t.Fatal(err)
	}
	site, err := load.Site(t.Context(), reader, hosts)
	if err != nil {
		t.Fatal(err)
	}
	if err := site.CheckLoops(nil); err != nil {
		t.Errorf("the set has loops: %v", err)
	}
	return len(edits)
}

func TestWritersOfTwoProcessesLeaveOneConsistentSet(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	processes := []*apitest.API{a, a.Twin()}
	const sections = 3
	var ids []any
	for i := range sections {
		ids = append(
			ids,
			a.Result("POST", "/categories", a.Owner, m{"item": m{"name": "S", "type": "product", "is_published": true, "seo": m{"slug": fmt.Sprint("s", i)}}})["id"],
		)
	}
	var mu sync.Mutex
	count := map[string]int{}
	var wg sync.WaitGroup
	for writer := range 6 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(writer), 7))
			p := processes[writer%2]
			for range 15 {
				kind, request := randomWrite(t, p, random, ids)
				answer := p.Send(request)
				mu.Lock()
				count[strings.TrimSpace(kind+" "+apitest.Code(answer.JSON))]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	versions := checkSetConsistency(t, a)
	for outcome := range count {
		if strings.HasSuffix(outcome, "INTERNAL") || strings.HasSuffix(outcome, "UNAVAILABLE") {
			t.Errorf("%d times %s", count[outcome], outcome)
		}
	}
	if x, y := setOf(processes[0]), setOf(processes[1]); x != y {
		t.Errorf("two processes see different sets:\n%s\n%s", x, y)
	}
	t.Logf("90 writes made %d versions: %v", versions, count)
}

// randomWrite returns a random mutation in a small set of paths, so that writers conflict.
func randomWrite(t *testing.T, a *apitest.API, random *rand.Rand, sections []any) (kind string, r apitest.Request) {
	path := func() string { return fmt.Sprintf("/%c", 'a'+random.IntN(6)) }
	rows, err := redirectdb.Rules(t.Context(), a.Store.Shop(a.Shop.ID))
	if err != nil {
		t.Error(err)
	}
	ids := l{}
	for _, row := range rows {
		ids = append(ids, row.ID.String())
	}
	call := func(method, path string, body m) apitest.Request {
		return apitest.Request{Method: method, Path: path, Key: a.Owner, Body: body}
	}
	switch n := random.IntN(10); {
	case n < 3:
		return "create", call("POST", rulesPath, rule(path(), path(), "override_live", random.IntN(2) == 0))
	case n == 3 && len(ids) > 0:
		return "edit", call("PUT", rulesPath+"/"+ids[random.IntN(len(ids))].(string), rule(path(), path()))
	case n == 4 && len(ids) > 0:
		return "delete", call("DELETE", rulesPath, m{"ids": l{ids[random.IntN(len(ids))]}})
	case n == 5 && len(ids) > 0:
		random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		return "order", call("PUT", rulesPath+"/order", m{"ids": ids})
	case n == 6:
		return "import", call("POST", rulesPath+"/import", m{"text": path() + ";" + path() + "\n" + path() + "/*;" + path()})
	case n == 7:
		return "rollback", call("POST", rulesPath+"/rollback", m{"version": 1 + random.IntN(10)})
	case n == 8:
		x, y := random.IntN(len(sections)), random.IntN(len(sections)+1)
		to := any(0)
		if y < len(sections) {
			to = sections[y]
		}
		return "move", call("POST", "/categories/move", m{"from_id": sections[x], "to_id": to, "type": "inside", "pin_rules": true})
	}
	for _, row := range rows { // visits happen all the time
		if err := redirectdb.AddHits(t.Context(), a.Store, []redirectdb.RuleHit{{Company: a.Shop.ID, Rule: row.ID, Hits: 1, Last: time.Now()}}); err != nil {
			t.Error(err)
		}
	}
	return "settings", call("PUT", rulesPath+"/settings", m{"miss_fallback": random.IntN(2) == 0})
}

func TestConcurrentMutationsOfTheSameKind(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	twin := a.Twin()
	// race sends two calls concurrently, one to each process.
	race := func(x, y apitest.Request) string {
		var first, second apitest.Answer
		var wg sync.WaitGroup
		wg.Go(func() { first = a.Send(x) })
		wg.Go(func() { second = twin.Send(y) })
		wg.Wait()
		codes := []string{apitest.Code(first.JSON), apitest.Code(second.JSON)}
		slices.Sort(codes)
		return strings.TrimSpace(strings.Join(codes, " "))
	}
	call := func(method, path string, body m) apitest.Request {
		return apitest.Request{Method: method, Path: rulesPath + path, Key: a.Owner, Body: body}
	}
	count := map[string]int{}
	for i := range 5 {
		p := fmt.Sprintf("/r%d", i)
		if got := race(call("POST", "", rule(p, "/t")), call("POST", "", rule(p, "/u"))); got != "REDIRECT_DUPLICATE" {
			t.Errorf("one key: %s", got)
		}
		if got := race(call("POST", "", rule(p+"x", "/t")), call("POST", "", rule(p+"y", "/t"))); got != "" {
			t.Errorf("two keys: %s", got)
		}
		if got := race(call("POST", "", rule(p+"l", p+"m")), call("POST", "", rule(p+"m", p+"l"))); got != "REDIRECT_LOOP" {
			t.Errorf("two halves of a loop: %s", got)
		}
		text := m{"text": p + "i;/t\n" + p + "j;/t"}
		if got := race(call("POST", "/import", text), call("POST", "/import", text)); got != "" {
			t.Errorf("one import twice: %s", got)
		}
		id := addRule(a, p+"d", "/t")
		if got := race(call("DELETE", "", m{"ids": l{id}}), call("DELETE", "", m{"ids": l{id}})); got != "REDIRECT_NOT_FOUND" {
			t.Errorf("one rule deleted twice: %s", got)
		}
		v := version(a)
		count["rollback and create "+race(call("POST", "/rollback", m{"version": v}), call("POST", "", rule(p+"n", "/t")))]++
	}
	count["versions"] = checkSetConsistency(t, a)
	if x, y := setOf(a), setOf(twin); x != y {
		t.Errorf("two processes see different sets:\n%s\n%s", x, y)
	}
	t.Logf("%v", count)
}

func TestConcurrentWritersOfTheSetAreSerialized(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	create := func(from, to string) apitest.Request {
		return apitest.Request{Method: "POST", Path: rulesPath, Key: a.Owner, Body: rule(from, to)}
	}
	if got := concurrently(a, create("/a", "/b"), create("/b", "/a")); got[""] != 1 || got["REDIRECT_LOOP"] != 1 {
		t.Errorf("two halves of a loop: %v", got)
	}
	if got := concurrently(a, create("/twin", "/x"), create("/TWIN/", "/y")); got[""] != 1 || got["REDIRECT_DUPLICATE"] != 1 {
		t.Errorf("twins: %v", got)
	}
	a.Limit(company.Limits{store.LimitRedirects: 4})
	var calls []apitest.Request
	for i := range 6 {
		calls = append(calls, create(fmt.Sprintf("/r%d", i), "/x"))
	}
	if got := concurrently(a, calls...); got[""] != 2 || got["REDIRECT_LIMIT_REACHED"] != 4 {
		t.Errorf("with a limit of two more: %v", got)
	}
	if v := version(a); v != "5" {
		t.Errorf("four rules change the version from 1 to %s", v)
	}
}
