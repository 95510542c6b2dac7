package catalog

import (
	"testing"

	"vitrine/internal/shop"
	designdb "vitrine/internal/store/design"
)

// Reading the references of any block terminates: it has no more references than its size
// allows, and groups contain each block once.
func FuzzBlockReferences(f *testing.F) {
	for _, seed := range []string{
		``, `[]`, `[{}]`, `{"payload":1}`, `[{"payload":{"props":{"widgets":[1,"2"],"refs":["3"],"listing":{"modalTpl":4}}}}]`,
		`[{"payload":{"props":{"widgets":[1,1,1]}}},{"payload":{"props":[]}}]`, `[{"payload":{"props":{"listing":{"modalTpl":"x"}}}}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, sections []byte) {
		refs := refsOf(designdb.Block{Sections: sections})
		if n := len(refs.parts) + len(refs.modals); n > len(sections) {
			t.Fatalf("%d references in %d bytes", n, len(sections))
		}
		tree := blockTree{}
		for id := range shop.BlockID(5) {
			tree.add(designdb.Block{ID: id, GroupType: "chrome", Sections: sections})
		}
		for _, id := range tree.modals() {
			if id <= 0 {
				t.Fatalf("a modal is %d", id)
			}
		}
		for _, g := range tree.groups([]shop.BlockID{0, 1, 0, 9}) {
			seen := map[shop.BlockID]bool{g.ID: true}
			for _, b := range g.Blocks {
				if seen[b.ID] {
					t.Fatalf("block %d is twice in group %d", b.ID, g.ID)
				}
				seen[b.ID] = true
			}
		}
	})
}
