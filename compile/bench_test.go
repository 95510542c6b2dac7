package compile

import (
	"fmt"
	"testing"

	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// fullSize is a shop at every ceiling: 50,000 products, 500 categories, 20,000
// rules of which 200 are masks.
func fullSize() Input {
	in := Input{Shop: Shop{Origin: "https://shop.test", Hosts: []string{"shop.test", "www.shop.test"}, MissFallback: true}}
	for i := range 500 {
		c := Category{
			ID: shop.CategoryID(i + 1), Slug: fmt.Sprintf("section-%d", i), Type: TypeProduct, Order: i, Published: true, ShowMenu: true,
		}
		if i >= 20 {
			c.Parent = shop.CategoryID(i/20 + 1)
		}
		in.Categories = append(in.Categories, c)
	}
	for i := range 50_000 {
		in.Products = append(in.Products, Product{
			ID: shop.ProductID(i + 1), Category: shop.CategoryID(i%500 + 1), Slug: fmt.Sprintf("product-number-%d", i), Published: true,
		})
	}
	for i := range 19_800 {
		in.Rules = append(in.Rules, rule(i, redirect.Exact, fmt.Sprintf("/old/catalogue/item-%d.php", i), fmt.Sprintf("/section-%d", i%500)))
	}
	for i := range 200 {
		in.Rules = append(in.Rules, rule(19_800+i, redirect.Pattern, fmt.Sprintf("/blog/*/post-%d-*", i), "/section-1/$1/$2"))
	}
	return in
}

func rule(i int, kind redirect.Kind, from, to string) redirect.Rule {
	return redirect.Rule{ID: shop.RuleID(i + 1), Kind: kind, From: from, To: to, Code: 301, Enabled: true, SortOrder: i}
}

var resolved = []struct{ name, target, want string }{
	{"page", "/section-1/section-21/product-number-521", "product 522"},
	{"category", "/section-1/section-21", "category 22"},
	{"rule", "/old/catalogue/item-19799.php?utm_source=mail", "308 /section-299?utm_source=mail rule 19800"},
	{"mask", "/blog/2021/post-199-hello", "308 /section-1/2021/hello rule 20000"},
	{"html", "/section-1/section-21.html?a=b", "308 /section-1/section-21?a=b html"},
	{"broken chain", "/x/product-number-521", "308 /section-1/section-21/product-number-521 canonical"},
	{"fallback", "/section-1/section-21/none", "308 /section-1/section-21 fallback"},
	{"miss", "/no/such/address-at-all", "404"},
	{"service", "/cart", "service"},
}

func TestResolveDoesNotAllocate(t *testing.T) {
	s, w := New(fullSize()), &Walk{}
	for _, c := range resolved {
		if got := s.Resolve(w, "shop.test", c.target).print(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
		s.Resolve(w, "shop.test", c.target)
		if n := testing.AllocsPerRun(100, func() { s.Resolve(w, "shop.test", c.target) }); n != 0 {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
}

// BenchmarkResolve prints, beside times, how many lookups in one flat map of
// all addresses each kind of answer costs: the least that any design pays.
func BenchmarkResolve(b *testing.B) {
	in := fullSize()
	s := New(in)
	flat := map[string]PageRef{}
	for ref, url := range s.Pages() {
		flat[url] = ref
	}
	for _, r := range in.Rules {
		flat[r.From] = PageRef{}
	}
	ceiling := 1.0
	b.Run("ceiling", func(b *testing.B) {
		found := 0
		for b.Loop() {
			if _, ok := flat[resolved[0].target]; ok {
				found++
			}
		}
		ceiling = float64(b.Elapsed()) / float64(max(found, 1))
	})
	for _, c := range resolved {
		b.Run(c.name, func(b *testing.B) {
			w := &Walk{}
			b.ReportAllocs()
			for b.Loop() {
				s.Resolve(w, "shop.test", c.target)
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/ceiling, "lookups/op")
		})
	}
}

func BenchmarkNew(b *testing.B) {
	in := fullSize()
	for b.Loop() {
		New(in)
	}
}

func BenchmarkWith(b *testing.B) {
	in := fullSize()
	s := New(in)
	one := in.Products[777]
	one.Slug = "renamed"
	for name, d := range map[string]Delta{
		"one product": {Products: []Product{one}}, "the tree": {Categories: in.Categories}, "the rules": {Rules: in.Rules},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.With(d)
			}
		})
	}
}

func BenchmarkCheckLoops(b *testing.B) {
	s := New(fullSize())
	for b.Loop() {
		if err := s.CheckLoops(s); err != nil {
			b.Fatal(err)
		}
	}
}
