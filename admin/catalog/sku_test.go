package catalog_test

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// variants replaces the sets of a product by sets with these skus.
func (b bench) variants(key string, of m, skus ...any) (status int, answer m) {
	b.t.Helper()
	items := l{}
	for _, sku := range skus {
		items = append(items, m{"sku": sku})
	}
	return b.Call("PUT", at("products", of)+"/variants", key, m{"items": items})
}

func TestASKUBelongsToOneProductOrVariant(t *testing.T) {
	b := open(t)
	cup := b.add("products", m{"name": "Cup", "sku": "CUP"})
	tea := b.add("products", m{"name": "Tea", "sku": "TEA"})
	if status, _ := b.variants(b.Owner, cup, "CUP-1", "CUP-2", "", ""); status != 200 {
		t.Fatal(status)
	}
	taken := func(what string, status int) {
		t.Helper()
		if status != 409 {
			t.Errorf("%s: %d", what, status)
		}
	}
	status, _ := b.variants(b.Owner, tea, "CUP")
	taken("the sku of another product", status)
	status, _ = b.variants(b.Owner, tea, "TEA")
	taken("the sku of its product", status)
	status, _ = b.variants(b.Owner, tea, "CUP-1")
	taken("the sku of another variant", status)
	status, _ = b.Call("POST", "/products", b.Owner, item(m{"name": "x", "sku": "CUP-1"}))
	taken("a product takes it on create", status)
	status, _ = b.Call("PUT", at("products", tea), b.Owner, item(m{"sku": "CUP-2"}))
	taken("on edit", status)
	batch := b.OK("POST", "/products/batch", b.Owner, m{"items": l{m{"name": "x", "sku": "CUP-1"}, m{"name": "y", "sku": "Y"}}})
	wantRows(t, "in a batch", outcomes(batch), "already_exists", "")
	if status, _ := b.Call("POST", "/products", b.Stranger, item(m{"name": "x", "sku": "CUP-1"})); status != 200 {
		t.Errorf("another shop: %d", status)
	}
	b.OK("DELETE", at("products", cup), b.Owner, nil)
	b.put("products", tea, m{"sku": "CUP-1"})
	b.refused("PUT", at("products", cup), m{"is_deleted": false}, 409, "already_exists")
	b.put("products", tea, m{"sku": "TEA"})
	if status, _ := b.variants(b.Owner, tea, "CUP"); status != 200 {
		t.Errorf("the sku of a deleted product: %d", status)
	}
	b.refused("PUT", at("products", cup), m{"is_deleted": false}, 409, "already_exists")
	show(t, "with another", b.put("products", cup, m{"is_deleted": false, "sku": "CUP3"}), "CUP3", "sku")
}

// If products and variants claim a sku concurrently, in every possible way, only one gets it.
func TestOnlyOneOfSixWritesGetsASKU(t *testing.T) {
	b := open(t)
	var own []m
	for n := range 4 {
		own = append(own, b.add("products", m{"name": fmt.Sprint("Tea ", n)}))
	}
	const rounds = 15
	for round := range rounds {
		sku, won := fmt.Sprint("S-", round), 0
		var mu sync.Mutex
		var all sync.WaitGroup
		try := func(call func() bool) {
			all.Go(func() {
				if call() {
					mu.Lock()
					won++
					mu.Unlock()
				}
			})
		}
		try(func() bool { status, _ := b.variants(b.Owner, own[0], sku); return b.fine(status) })
		try(func() bool { status, _ := b.variants(b.Owner, own[1], "", sku); return b.fine(status) })
		try(func() bool {
			status, _ := b.Call("PUT", at("products", own[2]), b.Owner, item(m{"sku": sku}))
			return b.fine(status)
		})
		try(func() bool {
			status, _ := b.Call("POST", "/products", b.Owner, item(m{"name": "x", "sku": sku}))
			return b.fine(status)
		})
		try(func() bool {
			return outcomes(b.OK("PATCH", "/products/batch", b.Owner, m{"ids": l{own[3]["id"]}, "item": m{"sku": sku}}))[0] == ""
		})
		try(func() bool {
			return b.imported("sku,name,variants\n,Y,\"[{\"\"sku\"\":\"\"" + sku + "\"\"}]\"\n")[0] == "created"
		})
		all.Wait()
		if won != 1 {
			t.Errorf("round %d: %d of 6 have the sku", round, won)
		}
		b.Clock.Advance(time.Minute)
	}
}

// fine reports success; a refusal must be that the sku is taken.
func (b bench) fine(status int) bool {
	if status != 200 && status != 409 {
		b.t.Errorf("status %d", status)
	}
	return status == 200
}

func TestPublishingADraftRequiresAFreeSKU(t *testing.T) {
	b := open(t)
	cup, tea := b.add("products", m{"name": "Cup"}), b.add("products", m{"name": "Tea"})
	if status, _ := b.variants(b.Dev, cup, "X"); status != 200 {
		t.Fatal(status)
	}
	status, _ := b.Call("PUT", at("products", tea), b.Dev, item(m{"sku": "X"}))
	if status != 409 {
		t.Errorf("twice in a draft: %d", status)
	}
	b.put("products", tea, m{"sku": "X"})
	b.Refused("POST", "/drafts/publish", b.Owner, m{"all": true}, 409, "DRAFT_CONFLICT")
	b.put("products", tea, m{"sku": ""})
	b.OK("POST", "/drafts/publish", b.Owner, m{"all": true})
	wantRows(t, "published", names(b.Result("GET", at("products", cup), b.Owner, nil)["variants"], "sku"), "X")
}
