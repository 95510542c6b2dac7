package edge

import (
	"fmt"
	"runtime"
	"testing"

	"vitrine/compile"
	"vitrine/internal/shop"
)

// small adds shops with ten products and three sections.
func (w *world) small(from, n int) {
	for id := from; id < from+n; id++ {
		in := compile.Input{Shop: compile.Shop{
			ID: shop.CompanyID(id), Slug: fmt.Sprintf("s%d", id), Name: "Small", Currency: "EUR", Origin: fmt.Sprintf("http://s%d.localhost", id), Hosts: []string{fmt.Sprintf("s%d.localhost", id)},
		}}
		for c := 1; c <= 3; c++ {
			in.Categories = append(in.Categories, compile.Category{ID: shop.CategoryID(c), Slug: fmt.Sprintf("section-%d", c), Name: fmt.Sprintf("Section %d", c), Type: compile.TypeProduct, Published: true, ShowMenu: true})
		}
		for p := 1; p <= 10; p++ {
			in.Products = append(in.Products, compile.Product{ID: shop.ProductID(p), Category: 1, Slug: fmt.Sprintf("product-%d", p), Published: true})
		}
		w.src.shops[shop.CompanyID(id)] = &fixtureShop{in: in, version: 1}
	}
}

func (w *world) loadShop(id int) *tenant {
	t := w.edge.tenants.get(shop.CompanyID(id))
	if _, err := w.edge.current(w.t.Context(), t); err != nil {
		w.t.Fatal(err)
	}
	t.markUsed(w.edge.turn.Load())
	return t
}

func (w *world) isLoaded(id int) bool { return w.edge.tenants.peek(shop.CompanyID(id)) != nil }

// Above the limit the shops that were not visited for the longest time are freed, but none in use;
// the next visit loads them again.
func TestShopsAreEvictedLeastRecentlyUsedFirst(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.ShopBytes = 1 << 20 })
	w.small(1000, 500)
	busy := w.loadShop(1000)
	release, err := busy.acquireSlot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for id := 1001; id < 1500; id++ {
		w.loadShop(id)
		w.loadShop(1001) // visited all the time
		if now := w.edge.Stats(); now.ShopBytes > now.ShopLimit+now.ShopLimit/8 {
			t.Fatalf("%d bytes of %d", now.ShopBytes, now.ShopLimit)
		}
	}
	release()
	now := w.edge.Stats()
	if !w.isLoaded(1000) || !w.isLoaded(1001) || !w.isLoaded(1499) || w.isLoaded(1002) {
		t.Error("another shop than the least recently used one was evicted")
	}
	if now.Evicted == 0 || now.Shops != 500-int(now.Evicted) || now.Shops < 20 {
		t.Errorf("%d shops are loaded, %d were evicted", now.Shops, now.Evicted)
	}
	w.loadShop(1002)
	if !w.isLoaded(1002) {
		t.Error("an evicted shop does not come back")
	}
	for _, s := range w.edge.tenants.all() {
		w.edge.retireUnused(s)
	}
	if now := w.edge.Stats(); now.Shops != 0 || now.ShopBytes != 0 {
		t.Errorf("%d bytes of %d shops", now.ShopBytes, now.Shops)
	}
}

// heap returns the bytes of the heap that are in use.
func heap() int64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// The weight of shops is what the heap grows by, within a quarter, for many small shops and for a
// large one. A small idle shop takes at most 20 KB.
func TestTheWeightOfShopsIsTheirMemory(t *testing.T) {
	w := newWorld(t)
	compare := func(what string, load func()) (grown int64) {
		t.Helper()
		heapBefore, weighed := heap(), w.edge.Stats().ShopBytes
		load()
		grown, weighed = heap()-heapBefore, w.edge.Stats().ShopBytes-weighed
		t.Logf("%s: the heap grew by %d bytes, %d were weighed", what, grown, weighed)
		if weighed < grown*3/4 || weighed > grown*5/4 {
			t.Errorf("%s: the heap grew by %d bytes, but %d were weighed", what, grown, weighed)
		}
		return grown
	}
	const many = 2000
	each := compare("small shops", func() {
		w.small(1000, many)
		for id := 1000; id < 1000+many; id++ {
			w.loadShop(id)
			w.src.shops[shop.CompanyID(id)].in = compile.Input{}
		}
	}) / many
	if each > 20<<10 {
		t.Errorf("a small shop takes %d bytes", each)
	}
	id := 9000
	for name, edit := range map[string]func(*compile.Input){
		"products": func(in *compile.Input) {
			for p := 1; p <= 50_000; p++ {
				in.Products = append(in.Products, compile.Product{ID: shop.ProductID(p), Category: 1, Slug: fmt.Sprintf("a-product-with-a-name-%d", p), Published: true})
			}
		},
		"rules": func(in *compile.Input) {
			for r := 1; r <= 5000; r++ {
				in.Rules = append(in.Rules, rule(fmt.Sprintf("/an/old/address/%d", r), "/section-1"))
			}
		},
		"sections": func(in *compile.Input) {
			for c := 10; c <= 3000; c++ {
				in.Categories = append(in.Categories, compile.Category{ID: shop.CategoryID(c), Parent: 1, Slug: fmt.Sprintf("section-%d", c), Name: fmt.Sprintf("Section %d", c), Type: compile.TypeProduct, Published: true})
			}
		},
	} {
		id++
		compare(name, func() {
			w.small(id, 1)
			edit(&w.src.shops[shop.CompanyID(id)].in)
			w.loadShop(id)
			w.src.shops[shop.CompanyID(id)].in = compile.Input{} // it keeps nothing of its rows
		})
	}
}
