package compile

import (
	"fmt"
	"testing"

	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// fullSize is a shop at every limit: 50,000 products, 500 categories and 20,000 rules, of which
// 200 are masks with nine stars and 1,000 are prefixes.
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
	add := func(kind redirect.Kind, from, to string) {
		in.Rules = append(in.Rules, rule(len(in.Rules), kind, from, to))
	}
	for i := range 18_800 {
		add(redirect.Exact, fmt.Sprintf("/old/catalogue/item-%d.php", i), fmt.Sprintf("/section-%d", i%500))
	}
	for i := range 100 {
		add(redirect.Pattern, fmt.Sprintf("/*/*/*/*/*/*/*/*/*-%d", i), "/section-1/$1/$9")
		add(redirect.Pattern, fmt.Sprintf("/blog/*/*/*/*/*/*/*/*/post-%d-*", i), "/section-1/$1/$9")
	}
	for i := range 1000 {
		add(redirect.Prefix, fmt.Sprintf("/goods/old-section-%d/*", i), fmt.Sprintf("/section-%d", i%500))
	}
	return in
}

func rule(i int, kind redirect.Kind, from, to string) redirect.Rule {
	return redirect.Rule{ID: shop.RuleID(i + 1), Kind: kind, From: from, To: to, Code: 301, Enabled: true, SortOrder: i}
}

var resolved = []struct{ name, target, want string }{
	{"page", "/section-1/section-21/product-number-521", "product 522"},
	{"category", "/section-1/section-21", "category 22"},
	{"rule", "/old/catalogue/item-18799.php?utm_source=mail", "308 /section-299?utm_source=mail rule 18800"},
	{"mask", "/blog/2/3/4/5/6/7/8/9/post-99-hello", "308 /section-1/2/hello rule 19000"},
	{"prefix", "/goods/old-section-999/a/b", "308 /section-499/a/b rule 20000"},
	{"miss in all masks", "/1/2/3/4/5/6/7/8/9-none", "404"},
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

// BenchmarkResolve prints, besides times, the cost of each kind of answer in lookups in one flat
// map of all addresses, the minimum for any design.
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

// written lists one-rule edits of the full-size shop: each changes the target of the last rule of
// its kind.
var written = []struct {
	name string
	from string
	to   string
}{
	{"exact", "/old/catalogue/item-18799.php", "/old/catalogue/item-0.php"},
	{"mask", "/blog/*/*/*/*/*/*/*/*/post-99-*", "/goods/$1"},
	{"prefix", "/goods/old-section-999/*", "/"},
}

// BenchmarkOneWrite edits one rule in a shop at the limits: it builds the new set and runs the
// whole loop check.
func BenchmarkOneWrite(b *testing.B) {
	before := New(fullSize())
	for _, c := range written {
		after := append([]redirect.Rule(nil), before.Rules()...)
		for i := range after {
			if after[i].From == c.from {
				after[i].To = c.to
			}
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if err := before.With(Delta{Rules: after}).CheckLoops(before); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkImport checks 1,000 rules imported at once into a shop at the limits: harmless ones,
// and 1,000 that form one chain, where it reports the rules that have to be removed.
func BenchmarkImport(b *testing.B) {
	before := New(fullSize())
	for name, target := range map[string]func(i int) string{
		"harmless": func(i int) string { return fmt.Sprintf("/new/%d/x", i) },
		"chain":    func(i int) string { return fmt.Sprintf("/new/%d", i+1) },
	} {
		after := append([]redirect.Rule(nil), before.Rules()[1000:]...)
		for i := range 1000 {
			after = append(after, rule(20_000+i, redirect.Exact, fmt.Sprintf("/new/%d", i), target(i)))
		}
		b.Run(name, func(b *testing.B) {
			found := 0
			for b.Loop() {
				found = len(before.With(Delta{Rules: after}).FindLoops(before, 1000))
			}
			b.ReportMetric(float64(found), "faults")
		})
	}
}

// BenchmarkOverPages checks a rule that covers the pages of a section, and one that covers
// everything below it too.
func BenchmarkOverPages(b *testing.B) {
	before := New(fullSize())
	for _, from := range []string{"/section-1/*", "/section-1/**"} {
		after := append([]redirect.Rule(nil), before.Rules()...)
		over := rule(len(after), redirect.Pattern, from, "/section-2")
		over.OverrideLive = true
		after = append(after, over)
		b.Run(from, func(b *testing.B) {
			for b.Loop() {
				if err := before.With(Delta{Rules: after}).CheckLoops(before); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRulesThatLeadAnywhere checks sets at the limits in which nearly
// every rule may answer where another one leads.
func BenchmarkRulesThatLeadAnywhere(b *testing.B) {
	for _, c := range []struct {
		name  string
		rules int
		line  string
	}{
		{"prefixes", 20_000, "/old-%d/* /"}, {"masks", 200, "/old-%d/*/** /$1/$2"}, {"doubling", 200, "/a%d*/** /$2$2/$1"},
	} {
		var lines []string
		for i := range c.rules {
			lines = append(lines, fmt.Sprintf(c.line, i))
		}
		s := rulesOnly(lines...)
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if err := s.CheckLoops(nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
