package catalog_test

import (
	"fmt"
	"strings"
	"testing"
)

// deep creates nested sections and returns them, the root first.
func (b bench) deep(root string, levels int) (all []m) {
	b.t.Helper()
	parent := any("0")
	for n := range levels {
		c := b.add("categories", m{"name": "Level", "parent_id": parent, "is_published": true, "seo": m{"slug": fmt.Sprintf("%s%d", root, n)}})
		all, parent = append(all, c), c["id"]
	}
	return all
}

// long returns a slug of n letters.
func long(n int, letter string) string { return strings.Repeat(letter, n) }

func TestSectionsNestTwelveDeep(t *testing.T) {
	b := open(t)
	chain := b.deep("a", 12)
	b.refused("POST", "/categories", m{"name": "Thirteenth", "parent_id": chain[11]["id"]}, 400, "CATEGORY_TOO_DEEP")
	other := b.deep("b", 6)
	b.put("categories", other[0], m{"parent_id": chain[5]["id"]}) // 6 + 6
	b.put("categories", other[0], m{"parent_id": "0"})
	b.refused("PUT", at("categories", other[0]), m{"parent_id": chain[6]["id"]}, 400, "CATEGORY_TOO_DEEP")
	b.refused("PUT", at("categories", chain[0]), m{"parent_id": other[0]["id"]}, 400, "CATEGORY_TOO_DEEP")
	show(t, "a refused move moves nothing", b.Result("GET", at("categories", chain[0]), b.Owner, nil), "0", "parent_id")

	// Deleted sections are restored only where they fit.
	below := b.add("categories", m{"name": "Below", "parent_id": other[5]["id"]})
	b.OK("DELETE", at("categories", below), b.Owner, nil)
	b.put("categories", other[0], m{"parent_id": chain[5]["id"]})
	b.refused("PUT", at("categories", below), m{"is_deleted": false}, 400, "CATEGORY_TOO_DEEP")
	b.put("categories", below, m{"is_deleted": false, "parent_id": "0"})
}

func TestThePathOfASectionIsLimited(t *testing.T) {
	b := open(t)
	parent := any("0")
	for _, letter := range []string{"a", "b", "c", "d", "e"} { // 5 * 201 = 1005 bytes
		parent = b.add("categories", m{"name": letter, "parent_id": parent, "seo": m{"slug": long(200, letter)}})["id"]
	}
	last := b.add("categories", m{"name": "f", "parent_id": parent, "seo": m{"slug": long(17, "f")}}) // 1023
	show(t, "1,024 bytes", b.put("categories", last, m{"seo": m{"slug": long(18, "f")}}), long(18, "f"), "seo", "slug")
	b.refused("PUT", at("categories", last), m{"seo": m{"slug": long(19, "f")}}, 400, "CATEGORY_TOO_DEEP")
	b.refused("POST", "/categories", m{"name": "g", "parent_id": parent, "seo": m{"slug": long(19, "g")}}, 400, "CATEGORY_TOO_DEEP")

	// A longer slug of an ancestor makes the paths below longer.
	top := b.add("categories", m{"name": "top", "parent_id": "0", "seo": m{"slug": "h"}})
	parent = top["id"]
	for _, letter := range []string{"i", "j", "k", "l"} {
		parent = b.add("categories", m{"name": letter, "parent_id": parent, "seo": m{"slug": long(200, letter)}})["id"]
	}
	b.add("categories", m{"name": "m", "parent_id": parent, "seo": m{"slug": long(200, "m")}}) // 2 + 5 * 201 = 1007
	b.put("categories", top, m{"seo": m{"slug": long(18, "h")}})
	b.refused("PUT", at("categories", top), m{"seo": m{"slug": long(19, "h")}}, 400, "CATEGORY_TOO_DEEP")
}
