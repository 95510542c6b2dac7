package draft_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/await"
)

// A publish and a concurrent live edit of the same rows are serialized: either the publish
// reports the conflict, or it comes first and the edit applies on top of it.
func TestPublishAndConcurrentLiveEditsAreSerialized(t *testing.T) {
	b := open(t)
	for round := range 6 {
		green := id(b.add(b.Owner, "products", m{"name": "Start", "seo": m{"slug": fmt.Sprint("p", round)}}))
		b.put(b.Dev, "products", green, m{"name": "Draft", "description": "draft", "seo": m{"slug": fmt.Sprint("d", round)}})
		var answers [3]apitest.Answer
		var wg sync.WaitGroup
		for i, r := range []apitest.Request{
			{Method: "POST", Path: "/drafts/publish", Key: b.Owner, Body: all},
			{Method: "PUT", Path: "/products/" + green, Key: b.Owner, Body: m{"item": m{"name": "Live"}}},
			{Method: "POST", Path: "/products", Key: b.Owner, Body: m{"item": m{"name": "Other", "seo": m{"slug": fmt.Sprint("d", round)}}}},
		} {
			wg.Add(1)
			go func() {
				defer wg.Done()
				answers[i] = b.Send(r)
			}()
		}
		wg.Wait()
		published := answers[0].Status == 200
		if !published && (answers[0].Status != 409 || apitest.Code(answers[0].JSON) != "DRAFT_CONFLICT") || answers[1].Status != 200 {
			t.Fatalf("publish %d %s, edit %d", answers[0].Status, answers[0].Body, answers[1].Status)
		}
		if taken := answers[2].Status == 200; taken && published || !taken && apitest.Code(answers[2].JSON) != "SLUG_TAKEN" {
			t.Errorf("publish %d, the other writer of the slug %d %s", answers[0].Status, answers[2].Status, answers[2].Body)
		}
		got := b.Result("GET", "/products/"+green, b.Owner, nil)
		want := map[bool][]string{true: {"draft"}, false: {""}}[published]
		if !slices.Contains(want, got["description"].(string)) || got["name"] != "Live" {
			t.Errorf("published %v: %v", published, got)
		}
		if !published {
			b.OK("POST", "/drafts/discard", b.Dev, all)
		}
	}
}

func TestTwoConcurrentPublishesPublishOnce(t *testing.T) {
	b := open(t)
	b.add(b.Dev, "products", m{"name": "One"})
	totals := make(chan any, 4)
	for range 4 {
		go func() {
			answer := b.Send(apitest.Request{Method: "POST", Path: "/drafts/publish", Key: b.Owner, Body: all})
			result, _ := answer.JSON["result"].(m)
			totals <- result["total"]
		}()
	}
	seen := map[any]int{}
	for range 4 {
		seen[await.Next(t, totals)]++
	}
	if seen[1.0] != 1 || seen[0.0] != 3 {
		t.Errorf("totals %v", seen)
	}
}

// Variants, attributes and listings are published with their product.
func TestAProductIsPublishedWithItsVariantsAndAttributes(t *testing.T) {
	b := open(t)
	green := id(b.green)
	b.OK("PUT", "/products/"+green+"/variants", b.Owner, m{"items": l{m{"sku": "A", "title": "a"}, m{"sku": "B", "title": "b"}}})
	live := b.Result("GET", "/products/"+green, b.Owner, nil)["variants"].(l)
	swap := l{m{"id": live[0].(m)["id"], "sku": "B"}, m{"id": live[1].(m)["id"], "sku": "A"}, m{"sku": "C", "title": "c"}}
	b.OK("PUT", "/products/"+green+"/variants", b.Dev, m{"items": swap})
	b.put(b.Dev, "products", green, m{"categories": l{b.tea["id"]}})
	if n := len(b.Result("GET", "/products/"+green, b.Owner, nil)["variants"].(l)); n != 2 {
		t.Errorf("%d live variants", n)
	}
	item := b.pending()["product "+green]
	names := fmt.Sprint(item["fields"])
	for _, field := range []string{"variants", "categories"} {
		if item["name"] != "Green" || !slices.ContainsFunc(item["fields"].(l), func(f any) bool { return f.(m)["field"] == field }) {
			t.Errorf("no %s in %s", field, names)
		}
	}
	b.OK("POST", "/drafts/publish", b.Owner, one("product", green))
	got := b.Result("GET", "/products/"+green, b.Owner, nil)
	var skus []string
	for _, v := range got["variants"].(l) {
		skus = append(skus, v.(m)["sku"].(string))
	}
	if fmt.Sprint(skus) != "[B A C]" || fmt.Sprint(got["categories"]) != fmt.Sprint(l{b.tea["id"]}) {
		t.Errorf("%v %v", skus, got["categories"])
	}
}
