package catalog_test

import (
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
)

// moving are the ways to put a section below another.
var moving = map[string]func(what, below m) apitest.Request{
	"move": func(what, below m) apitest.Request {
		return call("POST", "/categories/move", m{"from_id": what["id"], "to_id": below["id"], "type": "inside"})
	},
	"put": func(what, below m) apitest.Request { return edit("categories", what, m{"parent_id": below["id"]}) },
	"bulk": func(what, below m) apitest.Request {
		return edit("categories", what, m{"parent_id": below["id"], "name": "Moved", "is_published": true})
	},
}

// A goes below B while B goes below A: each check alone would let its move pass.
func TestSectionsCannotBePutBelowEachOther(t *testing.T) {
	r := raceOf(t)
	a, b, c := r.section("product", "A"), r.section("product", "B"), r.section("product", "C")
	rounds := 0
	for first, one := range moving {
		for second, other := range moving {
			for range 3 {
				answers := r.run(one(a, b), other(b, c), one(c, a), other(b, a), one(a, c), other(c, b))
				if won(answers) == len(answers) {
					t.Errorf("%s and %s: all moves passed", first, second)
				}
				r.checkTree()
				for _, x := range []m{a, b, c} {
					r.put("categories", x, m{"parent_id": 0})
				}
				rounds++
			}
		}
	}
	r.note("moves of three sections in circles")
	t.Logf("%d rounds, no circle", rounds)
}

// checkTree follows every section up to the root.
func (r *race) checkTree() {
	r.t.Helper()
	tree, err := r.Store.Shop(r.Shop.ID).CategoryAddresses(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	parent := map[shop.CategoryID]shop.CategoryID{0: 0}
	for _, c := range tree {
		parent[c.ID] = c.Parent
	}
	for id := range parent {
		at, known := id, true
		for range tree {
			if at, known = parent[at]; !known {
				r.t.Errorf("section %d stands below one that is gone", id)
			}
		}
		if at != 0 {
			r.t.Errorf("section %d stands in a circle: %v", id, parent)
		}
	}
}

// Whoever comes first, a section that lives stands below one that lives.
func TestNothingIsLeftBelowADeletedSection(t *testing.T) {
	r := raceOf(t)
	for range 8 {
		top, other := r.section("product", "Top"), r.section("product", "Other")
		child := r.add("categories", m{"name": "Child", "parent_id": top["id"]})
		r.run(call("DELETE", at("categories", top), nil), moving["move"](other, child), moving["put"](other, top),
			call("POST", "/categories", item(m{"name": "New", "parent_id": child["id"]})), edit("categories", child, m{"name": "Named"}))
		r.checkTree()
		answers := r.run(edit("categories", top, m{"is_deleted": false}), call("DELETE", at("categories", child), nil),
			edit("categories", child, m{"is_deleted": false}), call("DELETE", at("categories", top), nil))
		if len(answers) > 0 {
			r.checkTree()
		}
	}
	r.note("deletions against moves and creations")
}
