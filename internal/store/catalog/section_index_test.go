package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/await"
	"vitrine/internal/facet"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// doubled is a Pricer.
type doubled struct{}

func (doubled) Key() string                       { return "doubled" }
func (doubled) Span(o facet.Offer) (int64, int64) { return 2 * o.Price, 0 }
func large(t *testing.T, products int) *store.Store {
	t.Helper()
	url := storetest.URL(t, store.Migrate)
	s, err := store.Open(t.Context(), url, storetest.FewConnections)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if _, err := s.Pool.Exec(t.Context(), `INSERT INTO company (id, slug, name, currency) OVERRIDING SYSTEM VALUE VALUES (1, 'large', 'Large', 'EUR')`); err != nil {
		t.Fatal(err)
	}
	storetest.Large(t, url, 1, products)
	storetest.Trade(t, url, 1, 10, 10)
	return s
}

// A list of a section of a large shop is the same from an index of the section's products alone, in
// each order and with each filter.
func TestListOfASectionNeedsOnlyItsProducts(t *testing.T) {
	t.Parallel()
	s := large(t, 1500)
	from, to := int64(20_000), int64(120_000)
	counted := 0
	err := pgx.BeginTxFunc(t.Context(), s.For(1), store.Snapshot, func(tx pgx.Tx) error {
		r := store.Reader{DB: tx, Company: 1}
		whole, err := loadIndex(t.Context(), r)
		if err != nil {
			return err
		}
		version, err := shopVersion(t.Context(), r)
		if err != nil {
			return err
		}
		var sections []shop.CategoryID
		if err := tx.QueryRow(t.Context(), `SELECT array_agg(id) FROM category WHERE slug IN ('section-1', 'section-2', 'section-9', 'section-30')`).Scan(&sections); err != nil {
			return err
		}
		attributes, err := Attributes(t.Context(), r, nil)
		if err != nil {
			return err
		}
		with := func(index *facet.Index) currentIndex {
			return func(_ context.Context, _ store.Reader, f ProductFilter) (*facet.Index, int64, error) {
				if f.Prices != nil {
					index = index.Priced(nil, nil, f.Prices.Span)
				}
				return index, version, nil
			}
		}
		for _, section := range sections {
			for _, f := range []ProductFilter{
				{}, {Subtree: true}, {Subtree: true, Below: true}, {Subtree: true, PublishedOnly: true, Listed: true, InStock: true},
				{Subtree: true, Prices: doubled{}, MinPrice: &from, MaxPrice: &to, Sort: "price"},
				{Subtree: true, Stock: StockOut}, {Subtree: true, Sort: "name", Descending: true}, {Subtree: true, Sort: "updated_at"}, {Sort: "rating", Number: 2},
				{Subtree: true, Facets: []Facet{{Attribute: attributes[0].ID, Values: []string{"o1", "o2"}}}},
			} {
				f.Category, f.Limit, f.Number = section, 24, max(f.Number, 1)
				e := &shopIndex{many: 1000}
				part, err := e.part(t.Context(), r, f)
				if err != nil || part == nil {
					t.Fatalf("%+v: %v, %v", f, part, err)
				}
				got, err := readListing(t.Context(), r, with(part), f)
				if err != nil {
					return err
				}
				want, err := readListing(t.Context(), r, with(whole), f)
				if err != nil {
					return err
				}
				counted += want.Total
				if g, w := text(t, got), text(t, want); g != w {
					t.Errorf("%+v:\n%.600s\nwant\n%.600s", f, g, w)
				}
			}
		}
		return nil
	})
	if err != nil || counted == 0 {
		t.Fatal(counted, err)
	}
}

// text is a list as JSON, with the counts in one order.
func text(t *testing.T, l Listing) string {
	t.Helper()
	slices.SortFunc(l.Counts, func(a, b FacetCount) int {
		return cmp.Or(cmp.Compare(a.Attribute, b.Attribute), cmp.Compare(a.Option, b.Option))
	})
	b, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The first list of a section of a large shop does not wait for all products; they are loaded in the
// background. Other lists, and those of a small shop, wait.
func TestAllProductsAreLoadedBehindTheFirstSection(t *testing.T) {
	t.Parallel()
	s := large(t, 1200)
	indexes := store.Kept(s, func() *productIndexes { return newProductIndexes(s) })
	r := store.Reader{DB: s.Pool, Company: 1}
	list := func(f ProductFilter) Listing {
		t.Helper()
		f.Limit, f.Number = 24, 1
		l, err := ListProducts(t.Context(), s, r, f)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	loaded := func() bool {
		e := indexes.entry(1)
		e.mu.Lock()
		defer e.mu.Unlock()
		return e.index != nil
	}
	var section shop.CategoryID
	if err := s.Pool.QueryRow(t.Context(), `SELECT id FROM category WHERE slug = 'section-9'`).Scan(&section); err != nil {
		t.Fatal(err)
	}
	e := indexes.entry(1)
	e.many = 1000
	e.loading.Lock() // as if loading took long
	first := list(ProductFilter{Category: section})
	if first.Total == 0 || loaded() {
		t.Fatalf("%d products, loaded: %v", first.Total, loaded())
	}
	e.loading.Unlock()
	if !await.Until(loaded) {
		t.Fatal("the products were not loaded")
	}

	// While as many others are loaded as may be, the list is read on its own, and nothing is begun.
	if err := indexes.loads.Acquire(t.Context(), loadsAtOnce); err != nil {
		t.Fatal(err)
	}
	e.mu.Lock()
	e.index, e.version = nil, 0
	e.mu.Unlock()
	if l := list(ProductFilter{Category: section}); text(t, l) != text(t, first) || e.soon.Load() || loaded() {
		t.Errorf("%d products, loading: %v, loaded: %v", l.Total, e.soon.Load(), loaded())
	}
	indexes.loads.Release(loadsAtOnce)
	list(ProductFilter{Category: section})
	if !await.Until(loaded) {
		t.Fatal("the products were not loaded")
	}
	if again := list(ProductFilter{Category: section}); text(t, again) != text(t, first) {
		t.Error("the list differs when all products are loaded")
	}
	if all := list(ProductFilter{}); all.Total != 1200 {
		t.Errorf("%d products", all.Total)
	}
}
