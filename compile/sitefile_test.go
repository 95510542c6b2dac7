package compile

import (
	"testing"

	"vitrine/internal/shop"
)

func TestAddressesOfSiteFiles(t *testing.T) {
	tree := []Category{
		{ID: 1, Slug: "tea", Published: true}, {ID: 2, Parent: 1, Slug: "green"}, {ID: 3, Slug: "front", Home: true, Published: true},
		{ID: 4, Parent: 99, Slug: "adrift", Published: true},
	}
	site := New(Input{Shop: Shop{Hosts: []string{"shop.test"}}, Categories: tree, Files: []SiteFile{
		{ID: 1, Name: "a.txt", Published: true}, {ID: 2, Category: 2, Name: "B.xml", Published: true}, {ID: 3, Category: 3, Name: "c.txt", Published: true},
		{ID: 4, Category: 3, Name: "a.txt", Published: true}, {ID: 5, Category: 4, Name: "d.txt", Published: true}, {ID: 6, Category: 77, Name: "e.txt", Published: true},
		{ID: 7, Name: "f.txt"},
	}})
	for id, want := range map[shop.SiteFileID]string{1: "/a.txt", 2: "/tea/green/B.xml", 3: "/c.txt", 4: "", 5: "", 6: "", 7: ""} {
		_, url, ok := site.File(id)
		if url != want || ok != (want != "") {
			t.Errorf("file %d has the address %q, want %q", id, url, want)
		}
		var w Walk
		if d := site.Resolve(&w, "shop.test", want); want != "" && (d.Kind != File || d.File != id) {
			t.Errorf("%s leads to %+v", want, d)
		}
	}
	if site.Orphaned(0) || site.Orphaned(2) || !site.Orphaned(77) {
		t.Error("only a file whose section is gone is an orphan")
	}
	moved := site.With(Delta{Categories: []Category{{ID: 2, Slug: "jade", Published: true}}})
	if _, url, _ := moved.File(2); url != "/jade/B.xml" {
		t.Errorf("after a move: %q", url)
	}
	if _, _, ok := moved.File(3); ok {
		t.Error("the file of a deleted section is still there")
	}
	if url := site.ProductURL(9, 2, "sencha") + site.ProductURL(9, 1, "sencha") + site.ProductURL(9, 1, ""); url != "/product/9/tea/sencha/product/9" {
		t.Errorf("products: %s", url)
	}
}
