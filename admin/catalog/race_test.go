package catalog_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
)

// race is a test of concurrent calls. Every round starts in a new window of the rate limits.
type race struct {
	bench
	codes map[string]int // of all rounds
}

func raceOf(t *testing.T) *race { return &race{open(t), map[string]int{}} }

// run makes concurrent calls with the owner's key. None may fail with INTERNAL, which a
// deadlock or a violated constraint would cause.
func (r *race) run(calls ...apitest.Request) []apitest.Answer {
	r.t.Helper()
	r.Clock.Advance(time.Minute)
	for i := range calls {
		calls[i].Key = r.Owner
	}
	answers := r.AtOnce(calls...)
	for i, a := range answers {
		r.codes[apitest.Code(a.JSON)]++
		if a.Status >= 500 {
			r.t.Fatalf("%s %s: %d %s", calls[i].Method, calls[i].Path, a.Status, a.Body)
		}
	}
	return answers
}

// note logs the results of the rounds.
func (r *race) note(what string) { r.t.Logf("%s: %v", what, r.codes) }

func call(method, path string, body any) apitest.Request {
	return apitest.Request{Method: method, Path: path, Body: body}
}

func edit(kind string, of, fields m) apitest.Request { return call("PUT", at(kind, of), item(fields)) }

// times returns n calls, each made from its number.
func times(n int, make func(i int) apitest.Request) (calls []apitest.Request) {
	for i := range n {
		calls = append(calls, make(i))
	}
	return calls
}

// won counts the calls that succeeded.
func won(answers []apitest.Answer) int { return apitest.Codes(answers)[""] }

// nouns are the kinds of things with a slug, with the fields each requires besides its name.
func (r *race) nouns() map[string]m {
	news := r.section("news", "News")
	return map[string]m{
		"products": {"name": "Чайник"}, "categories": {"name": "Чайник"}, "articles": {"title": "Чайник", "category_id": news["id"]},
	}
}

func with(fields m, name string, value any) m {
	all := maps.Clone(fields)
	all[name] = value
	return all
}

func TestThingsWithTheSameNameGetDifferentSlugs(t *testing.T) {
	r := raceOf(t)
	for kind, fields := range r.nouns() {
		answers := r.run(times(30, func(int) apitest.Request { return call("POST", "/"+kind, item(fields)) })...)
		slugs := map[any]bool{}
		for _, a := range answers {
			result, _ := a.JSON["result"].(m)
			seo, _ := result["seo"].(m)
			slugs[seo["slug"]] = true
		}
		if won(answers) != 30 || len(slugs) != 30 || !slugs["chaynik"] && !slugs["chajnik"] {
			t.Errorf("%s: %v, slugs %v", kind, apitest.Codes(answers), slugs)
		}
	}
	r.note("30 products, sections and articles of one name")
}

func TestOnlyOneConcurrentCallGetsARequestedSlug(t *testing.T) {
	r := raceOf(t)
	for kind, fields := range r.nouns() {
		fields = with(fields, "seo", m{"slug": "mine"})
		answers := r.run(times(20, func(int) apitest.Request { return call("POST", "/"+kind, item(fields)) })...)
		if got := apitest.Codes(answers); got[""] != 1 || got["SLUG_TAKEN"] != 19 {
			t.Errorf("%s created: %v", kind, got)
		}
		var others []m
		for i := range 12 {
			others = append(others, r.add(kind, with(fields, "seo", m{"slug": fmt.Sprint("other", i)})))
		}
		answers = r.run(times(12, func(i int) apitest.Request { return edit(kind, others[i], m{"seo": m{"slug": "wanted"}}) })...)
		if got := apitest.Codes(answers); got[""] != 1 || got["SLUG_TAKEN"] != 11 {
			t.Errorf("%s renamed: %v", kind, got)
		}
	}
	r.note("one asked slug")
}

func TestOnlyOneConcurrentCallGetsASKU(t *testing.T) {
	r := raceOf(t)
	answers := r.run(times(20, func(int) apitest.Request { return call("POST", "/products", item(m{"name": "Tea", "sku": "S"})) })...)
	if got := apitest.Codes(answers); got[""] != 1 || got["already_exists"] != 19 {
		t.Errorf("created: %v", got)
	}
	var others []m
	for range 12 {
		others = append(others, r.add("products", m{"name": "Tea"}))
	}
	answers = r.run(times(12, func(i int) apitest.Request { return edit("products", others[i], m{"sku": "W"}) })...)
	if got := apitest.Codes(answers); got[""] != 1 || got["already_exists"] != 11 {
		t.Errorf("edited: %v", got)
	}
	answers = r.run(times(12, func(i int) apitest.Request {
		return call("PUT", at("products", others[i])+"/variants", m{"items": l{m{"sku": "V"}}})
	})...)
	if got := apitest.Codes(answers); got[""] != 1 || got["already_exists"] != 11 {
		t.Errorf("variants: %v", got)
	}
	r.note("one sku")
}

// If restores and new claims of a unique value are concurrent, exactly one of them gets it.
func TestConcurrentRestoresAndClaims(t *testing.T) {
	r := raceOf(t)
	for round := range 6 {
		slug := fmt.Sprint("s", round)
		fields := m{"name": "Tea", "sku": slug, "seo": m{"slug": slug}}
		gone := r.add("products", fields)
		r.OK("DELETE", at("products", gone), r.Owner, nil)
		restore := edit("products", gone, m{"is_deleted": false})
		answers := r.run(append(times(3, func(int) apitest.Request { return restore }),
			times(3, func(int) apitest.Request { return call("POST", "/products", item(fields)) })...)...)
		restored, taken := won(answers[:3]), won(answers[3:])
		if restored > 0 && taken > 0 || restored == 0 && taken != 1 {
			t.Errorf("restored %d times, taken %d times", restored, taken)
		}
		if total, _ := r.list("filter.query=Tea&filter.ids="+id(gone), r.Owner); total != min(restored, 1) {
			t.Errorf("restored %d times, and %d exist", restored, total)
		}
	}
	r.note("restores against takers of slug and sku")
}

func TestOnlyOneOfTwoProductsWithTheSameSKUIsRestored(t *testing.T) {
	r := raceOf(t)
	for round := range 6 {
		var gone []m
		for i := range 4 {
			p := r.add("products", m{"name": "Tea", "sku": fmt.Sprint("S", round), "seo": m{"slug": fmt.Sprint("s", round, "-", i)}})
			r.OK("DELETE", at("products", p), r.Owner, nil)
			gone = append(gone, p)
		}
		answers := r.run(times(4, func(i int) apitest.Request { return edit("products", gone[i], m{"is_deleted": false}) })...)
		if got := apitest.Codes(answers); got[""] != 1 || got["already_exists"] != 3 {
			t.Errorf("restored: %v", got)
		}
	}
	r.note("four deleted products of one sku")
}

func TestADeletionIsNotUndoneByAnEdit(t *testing.T) {
	r := raceOf(t)
	news := r.section("news", "News")
	for kind, fields := range map[string]m{
		"products": {"name": "Tea"}, "categories": {"name": "Tea"}, "articles": {"title": "Tea", "category_id": news["id"]},
	} {
		for range 6 {
			x := r.add(kind, fields)
			answers := r.run(call("DELETE", at(kind, x), nil), edit(kind, x, m{"is_published": true}), edit(kind, x, m{"is_published": false}),
				call("DELETE", at(kind, x), nil))
			if deleted := won([]apitest.Answer{answers[0], answers[3]}); deleted != 1 {
				t.Errorf("%s deleted %d times", kind, deleted)
			}
			if status, _ := r.Call("GET", at(kind, x), r.Owner, nil); status != 404 {
				t.Errorf("%s was restored: %d", kind, status)
			}
		}
	}
	r.note("deletions against edits")
}

// skus are the skus that a batch claims, in ascending or descending order.
func skus(round int, back bool) (list []string) {
	for i := range 40 {
		list = append(list, fmt.Sprint("R", round, "-", i))
	}
	if back {
		slices.Reverse(list)
	}
	return list
}

func TestBatchesWithTheSameSKUsInOppositeOrder(t *testing.T) {
	r := raceOf(t)
	for round := range 4 {
		answers := r.run(times(6, func(i int) apitest.Request {
			var items l
			for _, sku := range skus(round, i%2 == 1) {
				items = append(items, m{"name": "Tea", "sku": sku})
			}
			return call("POST", "/products/batch", m{"items": items})
		})...)
		created := 0
		for _, a := range answers {
			for _, code := range outcomes(a.JSON) {
				r.codes[code]++
				if code == "" {
					created++
				} else if code != "already_exists" {
					t.Errorf("an item failed with %s", code)
				}
			}
		}
		if created != 40 {
			t.Errorf("%d products of 40 skus", created)
		}
	}
	r.note("six batches of 40 skus")
}

// edits returns a bulk edit that gives each product the sku and the slug at its index.
func edits(of []m, skus []string) apitest.Request {
	var items l
	for i, p := range of {
		items = append(items, m{"id": p["id"], "sku": skus[i], "seo": m{"slug": "p" + skus[i]}})
	}
	return call("PATCH", "/products/batch", m{"items": items})
}

func TestBulkEditsWithTheSameSKUsInOppositeOrder(t *testing.T) {
	r := raceOf(t)
	for round := range 4 {
		var sets [3][]m
		for i := range sets {
			var items l
			for range 40 {
				items = append(items, m{"name": "Tea"})
			}
			for _, made := range r.OK("POST", "/products/batch", r.Owner, m{"items": items})["results"].(l) {
				sets[i] = append(sets[i], made.(m))
			}
		}
		half := l{}
		for _, sku := range skus(round, true)[:20] {
			half = append(half, m{"name": "Tea", "sku": sku})
		}
		answers := r.run(edits(sets[0], skus(round, false)), edits(sets[1], skus(round, true)), edits(sets[2], skus(round, false)),
			call("POST", "/products/batch", m{"items": half}))
		held := 0
		for _, a := range answers {
			for _, code := range outcomes(a.JSON) {
				r.codes[code]++
				if code == "" {
					held++
				} else if code != "already_exists" && code != "SLUG_TAKEN" {
					t.Errorf("an item failed with %s", code)
				}
			}
		}
		if held != 40 {
			t.Errorf("%d products have 40 skus", held)
		}
	}
	r.note("bulk edits and a batch of 40 skus")
}

func TestVariantsWithTheSameSKUsInOppositeOrder(t *testing.T) {
	r := raceOf(t)
	var products []m
	for range 6 {
		products = append(products, r.add("products", m{"name": "Tea"}))
	}
	for round := range 6 {
		answers := r.run(times(6, func(i int) apitest.Request {
			var items l
			for _, sku := range skus(round, i%2 == 1) {
				items = append(items, m{"sku": sku})
			}
			return call("PUT", at("products", products[i])+"/variants", m{"items": items})
		})...)
		if got := apitest.Codes(answers); got[""] != 1 || got["already_exists"] != 5 {
			t.Errorf("variants: %v", got)
		}
	}
	r.note("six sets of 40 variants")
}

// An import locks the products of its lines in one order, and a bulk edit that also restores
// acquires the plan's lock in between: they must not deadlock.
func TestImportsAndRestoresDoNotDeadlock(t *testing.T) {
	r := raceOf(t)
	r.Limit(companydb.Limits{store.LimitProducts: 1000})
	var living []m
	csv := "sku,name\n"
	for i := range 20 {
		living = append(living, r.add("products", m{"name": "Tea", "sku": fmt.Sprint("L", i)}))
		csv += fmt.Sprintf("L%d,Tea\n", i)
	}
	for range 6 {
		gone := r.add("products", m{"name": "Gone"})
		r.OK("DELETE", at("products", gone), r.Owner, nil)
		items := l{m{"id": gone["id"], "is_deleted": false}}
		for _, p := range living {
			items = append(items, m{"id": p["id"], "name": "Tea", "description": "edited"})
		}
		calls := []apitest.Request{call("PATCH", "/products/batch", m{"items": items}), call("POST", "/products/import", m{"text": csv})}
		for _, a := range r.run(slices.Concat(calls, calls)...) {
			if failed, _ := a.JSON["failed"].(float64); failed > 1 { // the other has restored it
				t.Errorf("%s", a.Body)
			}
		}
	}
	r.note("imports against bulk edits that restore")
}

func TestThePlanLimitHoldsForEveryEndpoint(t *testing.T) {
	r := raceOf(t)
	const limit = 50
	var gone []m
	for range 10 {
		p := r.add("products", m{"name": "Gone"})
		r.OK("DELETE", at("products", p), r.Owner, nil)
		gone = append(gone, p)
	}
	r.Limit(companydb.Limits{store.LimitProducts: limit})
	batch := l{}
	csv := "name\n"
	for range 20 {
		batch, csv = append(batch, m{"name": "Tea"}), csv+"Tea\n"
	}
	restores := l{}
	for _, p := range gone {
		restores = append(restores, m{"id": p["id"], "is_deleted": false})
	}
	calls := []apitest.Request{call("PATCH", "/products/batch", m{"items": restores}), call("POST", "/products/import", m{"text": csv})}
	calls = append(calls, times(4, func(int) apitest.Request { return call("POST", "/products/batch", m{"items": batch}) })...)
	calls = append(calls, times(10, func(i int) apitest.Request { return edit("products", gone[i], m{"is_deleted": false}) })...)
	calls = append(calls, times(10, func(int) apitest.Request { return call("POST", "/products", item(m{"name": "Tea"})) })...)
	r.run(calls...)
	if total, _ := r.list("", r.Owner); total != limit {
		t.Errorf("%d products, the plan allows %d", total, limit)
	}
	r.note("batches, imports, restores and creations for 50 places")
}
