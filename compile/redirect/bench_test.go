package redirect

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// ceilingRules is a set at the limits (document 3, section 8): 20,000 exact rules, 200 masks of
// nine stars, plus 1,000 prefixes. Half of the masks begin with a star and have the same shape,
// the worst case for the index.
func ceilingRules() []Rule {
	var rules []Rule
	add := func(kind Kind, from string) {
		rules = append(rules, Rule{Kind: kind, From: from, To: "/t", Code: 301, Enabled: true, SortOrder: len(rules)})
	}
	for i := range 20000 {
		add(Exact, fmt.Sprintf("/shop/category-%d/product-%d", i%100, i))
	}
	for i := range 100 {
		add(Pattern, fmt.Sprintf("/old-%d/*/*/*/*/*/*/*/*/*", i))
		add(Pattern, fmt.Sprintf("/*/*/*/*/*/*/*/*/*-%d", i))
	}
	for i := range 1000 {
		add(Prefix, fmt.Sprintf("/goods/section-%d/*", i))
	}
	return rules
}

// worstTargets are addresses of different cost.
var worstTargets = []struct{ name, target string }{
	{"exact", "/shop/category-99/product-19999"},
	{"exact_other_case_and_query", "/Shop//category-99/product-19999/?utm_source=x&gclid=y"},
	{"miss", "/no/such/page"},
	{"last_mask_by_literal", "/old-99/1/2/3/4/5/6/7/8/9"},
	{"last_mask_by_star", "/1/2/3/4/5/6/7/8/9-99"},
	{"miss_in_all_masks", "/1/2/3/4/5/6/7/8/9-x"},
	{"last_prefix", "/goods/section-999/a/b"},
	{"path_of_8_KB_in_4000_segments", strings.Repeat("/a", MaxPath/2)},
	{"path_of_8_KB_below_a_prefix", "/goods/section-5" + strings.Repeat("/a", 4000)},
}

func TestMatchDoesNotAllocate(t *testing.T) {
	s := NewSet(ceilingRules())
	s2 := NewSet(
		[]Rule{{Kind: Pattern, From: "/" + strings.Repeat("long", 20) + "*" + strings.Repeat("tail", 20), To: "/$1", Enabled: true, Code: 301}},
	)
	var a Address
	dst := make([]byte, 0, 64<<10)
	for _, c := range append(worstTargets, struct{ name, target string }{"long_star", "/" + strings.Repeat("long", 20) + "x" + strings.Repeat("tail", 20)}) {
		allocs := testing.AllocsPerRun(20, func() {
			if err := a.Parse(c.target); err != nil {
				t.Fatal(err)
			}
			for _, set := range []*Set{s, s2} {
				for p := Override; p <= Plain; p++ {
					if m, ok := set.Match(p, &a); ok {
						dst = m.AppendLocation(dst[:0], &a)
					}
				}
			}
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations", c.name, allocs)
		}
	}
}

// BenchmarkMatch also reports the cost of one match in lookups in a plain map of the same 20,000
// keys.
func BenchmarkMatch(b *testing.B) {
	rules := ceilingRules()
	s := NewSet(rules)
	ceiling := mapLookup(rules)
	for _, c := range worstTargets {
		b.Run(c.name, func(b *testing.B) {
			var a Address
			if err := a.Parse(c.target); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				s.Match(Plain, &a)
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(ceiling), "lookups/op")
		})
	}
}

// BenchmarkAnswer measures the whole answer: parsing the address, matching in all phases and
// writing the Location.
func BenchmarkAnswer(b *testing.B) {
	rules := ceilingRules()
	s := NewSet(rules)
	ceiling := mapLookup(rules)
	for _, c := range worstTargets {
		b.Run(c.name, func(b *testing.B) {
			var a Address
			var dst []byte
			b.ReportAllocs()
			for b.Loop() {
				if err := a.Parse(c.target); err != nil {
					b.Fatal(err)
				}
				for p := Override; p <= Plain; p++ {
					if m, ok := s.Match(p, &a); ok {
						dst = m.AppendLocation(dst[:0], &a)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(ceiling), "lookups/op")
		})
	}
}

// BenchmarkNewSet compiles the set and reports the memory per rule, without the rule's own text.
func BenchmarkNewSet(b *testing.B) {
	rules := ceilingRules()
	b.ReportAllocs()
	var s *Set
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for b.Loop() {
		s = NewSet(rules)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(s.Len()), "B/rule")
}

// mapLookup measures one lookup in a map of all exact keys.
func mapLookup(rules []Rule) time.Duration {
	keys := map[string]int{}
	var targets [][]byte
	for i, r := range rules {
		if r.Kind == Exact {
			keys[r.Key()] = i
			targets = append(targets, []byte(r.Key()))
		}
	}
	const rounds = 50
	start, sum := time.Now(), 0
	for range rounds {
		for _, key := range targets {
			sum += keys[string(key)]
		}
	}
	if sum == 0 {
		return 1
	}
	return time.Since(start) / time.Duration(rounds*len(targets))
}
