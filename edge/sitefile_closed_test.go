package edge

import (
	"testing"

	"vitrine/compile"
	"vitrine/internal/await"
	"vitrine/internal/shop"
)

// When a build fails, a good copy from before something was closed is served neither
// from memory nor from the Source. A copy from after the closing is.
func TestACopyFromBeforeAClosingIsNotServedAfterAFailedBuild(t *testing.T) {
	w := newWorld(t)
	w.src.files.saved = make(chan FileBuild, 100)
	w.putFile(1, 0, "list.txt", fragile)
	w.get("/list.txt")
	await.Next(t, w.src.files.saved)
	shut := func() {
		list := []compile.Policy{{ID: 1, Kind: shop.ByPassword, Products: []shop.ProductID{12}}}
		w.change(7, compile.Delta{Policies: list}, func(*fixtureShop) {}, shop.Key{Kind: shop.KeyAccess})
	}
	w.rename(11, "Bad")
	w.clock.Add(20)
	w.expect("the good copy", w.get("/list.txt"), 200)
	await.Next(t, w.src.files.saved)
	shut()
	w.clock.Add(20)
	w.expect("it was closed since", w.get("/list.txt"), 500)
	w.rename(11, "Boot")
	w.clock.Add(20)
	w.expect("healed", w.get("/list.txt"), 200)
	w.rename(11, "Bad")
	w.clock.Add(20)
	w.expect("a copy from after", w.get("/list.txt"), 200)
}
