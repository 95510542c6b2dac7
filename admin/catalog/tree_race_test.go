package catalog_test

import (
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
)

// moving are the ways to move a section below another.
var moving = map[string]func(what, below m) apitest.Request{
	"move": func(what, below m) apitest.Request {
		return call("POST", "/categories/move", m{"from_id": what["id"], "to_id": below["id"], "type": "inside"})
	},
	"put": func(what, below m) apitest.Request { return edit("categories", what, m{"parent_id": below["id"]}) },
	"bulk": func(what, below m) apitest.Request {
		return edit("categories", what, m{"parent_id": below["id"], "name": "Moved", "is_published": true})
	},
}

// If A moves below B while B moves below A, each check alone would accept its move.
func TestSectionsCannotBeMovedBelowEachOther(t *testing.T) {
	r := raceOf(t)
	a, b, c := r.section("product", "A"), r.section("product", "B"), r.section("product", "C")
	rounds := 0
	for first, one := range moving {
		for second, other := range moving {
			for range 3 {
				answers := r.run(one(a, b), other(b, c), one(c, a), other(b, a), one(a, c), other(c, b))
				if won(answers) == len(answers) {
					t.Errorf("%s and %s: all moves were accepted", first, second)
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
	t.Logf("%d rounds, no cycle", rounds)
}

// checkTree follows every section to its root.
func (r *race) checkTree() {
	r.t.Helper()
	tree, err := catalog.CategoryAddresses(r.t.Context(), r.Store.Shop(r.Shop.ID))
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
				r.t.Errorf("section %d is below a deleted one", id)
			}
		}
		if at != 0 {
			r.t.Errorf("section %d is in a cycle: %v", id, parent)
		}
	}
}

// Whichever call comes first, a live section has a live parent.
func TestNoLiveSectionIsBelowADeletedOne(t *testing.T) {
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
