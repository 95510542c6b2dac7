package draft_test

import (
	"strings"
	"testing"
	"time"

	"vitrine/internal/shop"
)

// A draft with thousands of changes is listed completely, in pages of at most a hundred, in a
// stable order, with the total on each page.
func TestALongDraftIsPaged(t *testing.T) {
	b := open(t)
	const batches = 3
	for i := range batches {
		items := make(l, 100)
		for n := range items {
			items[n] = m{"name": "Tea", "sku": strings.Repeat("x", i+1) + "-" + shop.Int64(n).String()}
		}
		b.Clock.Advance(time.Minute)
		if answer := b.OK("POST", "/products/batch", b.Dev, m{"items": items}); answer["created"] != 100.0 {
			t.Fatal(answer)
		}
	}
	seen := map[string]bool{}
	for number := 1; number <= 4; number++ {
		answer := b.OK("GET", "/drafts?page.number="+shop.Int64(number).String()+"&page.limit=100", b.Dev, nil)
		if answer["total"] != 100.0*batches {
			t.Errorf("page %d: total %v", number, answer["total"])
		}
		for _, it := range answer["result"].(l) {
			seen[it.(m)["id"].(string)] = true
		}
	}
	if len(seen) != 100*batches {
		t.Errorf("%d of %d seen", len(seen), 100*batches)
	}
	if n := len(b.OK("GET", "/drafts", b.Dev, nil)["result"].(l)); n != 50 {
		t.Errorf("%d items without paging", n)
	}
	b.Refused("GET", "/drafts?page.number=1&page.limit=101", b.Dev, nil, 400, "INVALID_REQUEST")
	b.Refused("GET", "/drafts?page.number=1", b.Dev, nil, 400, "INVALID_REQUEST")
	if total := b.Result("POST", "/drafts/publish", b.Owner, all)["total"]; total != 100.0*batches {
		t.Errorf("published %v", total)
	}
}

// Each change names who made it last.
func TestADraftSaysWhoChangedIt(t *testing.T) {
	b := open(t)
	b.put(b.Dev, "products", id(b.green), m{"name": "Sencha"})
	b.OK("PUT", "/design/bindings/shop/0", b.Dev, m{"slots": m{"header": b.header}})
	for _, of := range []string{"product " + id(b.green), "binding shop:0"} {
		if by, _ := b.pending()[of]["changed_by"].(m); by["user_id"] != 1.0 {
			t.Errorf("%s: changed by %v", of, by)
		}
	}
}
