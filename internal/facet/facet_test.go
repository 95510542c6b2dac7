package facet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/shop"
)

// product is a product in the test's simple model.
type product struct {
	Product
	extra   []uint32
	options []uint32 // of attribute 1
	choices []Variant
	number  *float64 // of attribute 2
}

func randomProduct(t *rapid.T, id uint32) product {
	some := rapid.SliceOfDistinct(rapid.Uint32Range(1, 4), rapid.ID[uint32])
	out := product{
		Product: Product{
			ID: id, Price: rapid.Int64Range(0, 3).Draw(t, "price"), Section: rapid.Uint32Range(0, 3).Draw(t, "section"),
			Published: rapid.Bool().Draw(t, "published"), Listed: rapid.Bool().Draw(t, "listed"),
			Name: rapid.StringMatching(`[AbÄ ]{0,4}`).Draw(t, "name"), Created: rapid.Int64Range(0, 3).Draw(t, "created"), Rating: float64(rapid.IntRange(0, 3).Draw(t, "rating")),
			Kind: rapid.SampledFrom([]string{"standard", "combo"}).Draw(t, "kind"), Brand: rapid.SampledFrom([]string{"", "Ёлка", "x"}).Draw(t, "brand"),
			Tags: rapid.SliceOfN(rapid.SampledFrom([]string{"new", "New", "new in", "in"}), 0, 2).Draw(t, "tags"),
			Low:  rapid.Bool().Draw(t, "low"), Sold: rapid.Bool().Draw(t, "sold"), Reduced: rapid.Bool().Draw(t, "reduced"), Old: rapid.Int64Range(0, 3).Draw(t, "old"),
		},
		extra: some.Draw(t, "extra"), options: some.Draw(t, "options"),
	}
	own := rapid.Ptr(rapid.Int64Range(0, 3), true)
	out.choices = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Variant { return Variant{own.Draw(t, "price"), own.Draw(t, "old")} }), 0, 2).Draw(t, "choices")
	if rapid.Bool().Draw(t, "weighed") {
		n := float64(rapid.IntRange(0, 3).Draw(t, "number"))
		out.number = &n
	}
	return out
}

func add(b *Builder, list ...product) {
	for _, p := range list {
		b.Products([]Product{p.Product})
		for _, id := range p.extra {
			b.Section(id, []uint32{p.ID})
		}
		if len(p.choices) > 0 {
			b.Choices(p.ID, slices.Clone(p.choices))
		}
		for _, id := range p.options {
			b.Option(1, id, []uint32{p.ID})
		}
		if p.number != nil {
			b.Option(2, 0, []uint32{p.ID})
			b.Number(2, p.ID, *p.number)
		}
	}
}

// The filters that fits can ignore besides an attribute.
const (
	exceptPrice = 1000 + iota
	exceptStock
	exceptReduced
)

// matches applies a filter to one product; except ignores an attribute.
func (p product) matches(f Filter, except uint32) bool {
	in := func(list []uint32, ids ...uint32) bool {
		return list == nil || slices.ContainsFunc(ids, func(id uint32) bool { return slices.Contains(list, id) })
	}
	between := func(n float64, low, high *float64) bool {
		return (low == nil || n >= *low) && (high == nil || n <= *high)
	}
	ok := in(f.Sections, append(p.extra, p.Section)...) && in(f.Among, p.ID) && in(f.Named, p.ID) &&
		(p.Sold || !f.SoldOut) && (p.Low || !f.Low) && !slices.ContainsFunc(f.Labels, func(l Label) bool { return l != p.label(l) }) &&
		(f.Tag == "" || slices.Contains(p.Tags, f.Tag)) &&
		(p.Published || !f.Published) && (p.Listed || !f.Listed) &&
		(except == exceptPrice || between(float64(p.Price), number(f.MinPrice), number(f.MaxPrice))) &&
		(except == exceptStock || !f.InStock || !p.Sold) && (except == exceptReduced || !f.Reduced || p.Reduced)
	for _, facet := range f.Facets {
		switch facet.Attribute {
		case except:
		case 1:
			ok = ok && len(p.options) > 0 && in(facet.Options, p.options...)
		case 2:
			ok = ok && p.number != nil && between(*p.number, facet.Min, facet.Max)
		}
	}
	return ok
}

// label returns the label of a product of the kind that another one is.
func (p product) label(other Label) Label {
	if other.Kind != "" {
		return Label{Kind: p.Kind}
	}
	return Label{Brand: shop.Fold(p.Brand)}
}

func randomFilter(t *rapid.T) (f Filter) {
	some := rapid.OneOf(rapid.Just([]uint32(nil)), rapid.SliceOfDistinct(rapid.Uint32Range(1, 4), rapid.ID[uint32]))
	bound := rapid.Ptr(rapid.Int64Range(0, 3), true)
	f = Filter{
		Sections: some.Draw(t, "sections"), Published: rapid.Bool().Draw(t, "published only"), Listed: rapid.Bool().Draw(t, "listed only"),
		MinPrice: bound.Draw(t, "min price"), MaxPrice: bound.Draw(t, "max price"),
		InStock: rapid.Bool().Draw(t, "in stock"), Reduced: rapid.Bool().Draw(t, "reduced only"),
	}
	f.SoldOut, f.Low = rapid.IntRange(0, 4).Draw(t, "sold out") == 0, rapid.IntRange(0, 4).Draw(t, "low only") == 0
	f.Labels = rapid.SliceOfN(rapid.SampledFrom([]Label{{Kind: "standard"}, {Kind: "combo"}, {Brand: "елка"}, {Brand: "absent"}}), 0, 1).Draw(t, "labels")
	f.Tag = rapid.SampledFrom([]string{"", "", "new", "in", "absent"}).Draw(t, "tag")
	if rapid.Bool().Draw(t, "named") {
		f.Named = []uint32{2, 3, 5, 7, 11, 1 << 20}
	}
	if rapid.Bool().Draw(t, "by option") {
		f.Facets = append(f.Facets, Facet{Attribute: 1, Options: some.Draw(t, "chosen")})
	}
	if rapid.Bool().Draw(t, "by number") {
		f.Facets = append(f.Facets, Facet{Attribute: 2, Min: number(bound.Draw(t, "low")), Max: number(bound.Draw(t, "high"))})
	}
	return f
}

// check compares an index with the products one at a time.
func check(t *rapid.T, label string, x *Index, list []product, f Filter) {
	var want []uint32
	counts := map[string]int{}
	for _, p := range list {
		if p.matches(f, 0) {
			want = append(want, p.ID)
		}
		if p.matches(f, 1) {
			for _, id := range p.options {
				counts[fmt.Sprint("option ", id)]++
			}
		}
		if p.number != nil && p.matches(f, 2) {
			counts["numbers"]++
			counts[fmt.Sprint("number ", *p.number)] = 1
		}
	}
	slices.Sort(want)
	s := x.Select(f)
	checkFlags(t, label, s, list, f)
	checkOrder(t, label, s, list, f)
	checkNames(t, label, x, list)
	if got := s.IDs(); !slices.Equal(got, want) || s.Len() != len(want) {
		t.Fatalf("%s: %v, want %v", label, got, want)
	}
	offset := rapid.IntRange(0, len(want)+2).Draw(t, "offset")
	limit := rapid.IntRange(0, 5).Draw(t, "limit")
	for _, descending := range []bool{false, true} {
		part := want[min(offset, len(want)):min(offset+limit, len(want))]
		if got := s.Page(offset, limit, descending); !slices.Equal(got, part) {
			t.Fatalf("%s: page %d, %d: %v, want %v", label, offset, limit, got, part)
		}
		slices.Reverse(want)
	}
	s.Counts([]uint32{1, 2}, func(attribute uint32, c Count) {
		name := fmt.Sprint("option ", c.Option)
		if attribute == 2 {
			name = "numbers"
			for _, n := range []*float64{c.Min, c.Max} {
				if n == nil || counts[fmt.Sprint("number ", *n)] == 0 {
					t.Fatalf("%s: extent %v %v of %v", label, c.Min, c.Max, counts)
				}
			}
		}
		if counts[name] != c.Count {
			t.Fatalf("%s: %s %d, want %d", label, name, c.Count, counts[name])
		}
		delete(counts, name)
	})
	for name, n := range counts {
		if name[:6] != "number" || name == "numbers" {
			t.Fatalf("%s: %s %d is missing", label, name, n)
		}
	}
}

func TestAnIndexAndItsCopiesMatchTheProducts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.OneOf(rapid.Uint32Range(1, 12), rapid.Uint32Range(1<<20-5, 1<<20+5)), 0, 15, rapid.ID[uint32])
		var before, after []product
		for _, id := range ids.Draw(t, "ids") {
			before = append(before, randomProduct(t, id))
		}
		b := New()
		add(b, before...)
		old := b.Done()
		changed := ids.Draw(t, "changed")
		for _, p := range before {
			if !slices.Contains(changed, p.ID) {
				after = append(after, p)
			}
		}
		b = old.Without(changed)
		for _, id := range changed {
			if rapid.Bool().Draw(t, "keeps") {
				after = append(after, randomProduct(t, id))
				add(b, after[len(after)-1])
			}
		}
		next := b.Done()
		f := randomFilter(t)
		check(t, "before", old, before, f)
		check(t, "after", next, after, f)
		earlier := old.Priced(nil, nil, cheapest)
		check(t, "priced before", earlier, priced(before), f)
		check(t, "priced after", next.Priced(earlier, changed, cheapest), priced(after), f)
		check(t, "before, again", old, before, f)
		if next.Size() <= 0 {
			t.Fatal("an index takes no memory")
		}
	})
}

// checkFlags compares the counts and prices of a selection other than those of attributes.
func checkFlags(t *rapid.T, label string, s Selection, list []product, f Filter) {
	stocked, reduced := 0, 0
	var prices []int64
	for _, p := range list {
		if p.matches(f, exceptStock) && !p.Sold {
			stocked++
		}
		if p.matches(f, exceptReduced) && p.Reduced {
			reduced++
		}
		if p.matches(f, exceptPrice) {
			prices = append(prices, p.Price)
		}
	}
	if s.InStock() != stocked || s.Reduced() != reduced {
		t.Fatalf("%s: %d in stock, %d reduced, want %d, %d", label, s.InStock(), s.Reduced(), stocked, reduced)
	}
	low, high, found := s.Prices()
	if found != (len(prices) > 0) || found && (low != slices.Min(prices) || high != slices.Max(prices)) {
		t.Fatalf("%s: prices %d to %d, %t, of %v", label, low, high, found, prices)
	}
}

// checkOrder compares pages in each order with the sorted products.
func checkOrder(t *rapid.T, label string, s Selection, list []product, f Filter) {
	var matching []product
	for _, p := range list {
		if p.matches(f, 0) {
			matching = append(matching, p)
		}
	}
	offset, limit := rapid.IntRange(0, 4).Draw(t, "from"), rapid.IntRange(1, 5).Draw(t, "many")
	for by, compare := range map[Order]func(a, b product) int{
		ByPrice:   func(a, b product) int { return cmp.Compare(a.Price, b.Price) },
		ByCreated: func(a, b product) int { return cmp.Compare(a.Created, b.Created) },
		ByRating:  func(a, b product) int { return cmp.Compare(a.Rating, b.Rating) },
		ByName:    func(a, b product) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) },
	} {
		slices.SortFunc(matching, func(a, b product) int { return cmp.Or(compare(a, b), cmp.Compare(a.ID, b.ID)) })
		for _, descending := range []bool{false, true} {
			var want []uint32
			for _, p := range matching[min(offset, len(matching)):min(offset+limit, len(matching))] {
				want = append(want, p.ID)
			}
			if got := s.Sorted(by, offset, limit, descending); !slices.Equal(got, want) {
				t.Fatalf("%s: order %d from %d: %v, want %v", label, by, offset, got, want)
			}
			slices.Reverse(matching)
		}
	}
}

// checkNames compares a search for words with a test of each product.
func checkNames(t *rapid.T, label string, x *Index, list []product) {
	words := rapid.SliceOfN(rapid.StringMatching(`[aBä]{1,2}`), 0, 2).Draw(t, "words")
	want := []uint32{}
	for _, p := range list {
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(strings.ToLower(p.Name), strings.ToLower(w)) }) {
			want = append(want, p.ID)
		}
	}
	slices.Sort(want)
	if got := x.Named(words); !slices.Equal(got, want) {
		t.Fatalf("%s: %q are in %v, want %v", label, words, got, want)
	}
}

// cheapest prices a product by its cheapest variant and its number of sections.
func cheapest(o Offer) (price, before int64) {
	price, before = o.Price, o.Old
	for _, c := range o.Choices {
		if c.Price < price {
			price, before = c.Price, c.Old
		}
	}
	return price + int64(len(o.Extra)), before
}

// priced returns the products with the prices of cheapest.
func priced(list []product) []product {
	list = slices.Clone(list)
	for i := range list {
		p := &list[i]
		o := Offer{Price: p.Price, Old: p.Old, Extra: p.extra}
		for _, v := range p.choices {
			o.Choices = append(o.Choices, shop.ChoiceOf(p.Price, p.Old, v.Price, v.Old))
		}
		now, before := cheapest(o)
		p.Price, p.Reduced = now, before > now && now > 0
	}
	return list
}
