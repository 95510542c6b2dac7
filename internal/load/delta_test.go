package load_test

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"vitrine/compile"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/people"
	"vitrine/internal/store/policy"
	"vitrine/internal/store/storetest"
)

// testShop is a shop with one section.
type testShop struct {
	testing.TB
	store   *store.Store
	company shop.CompanyID
	hosts   shop.Storefronts
	section shop.CategoryID
}

func newTestShop(t testing.TB) *testShop {
	t.Helper()
	s, err := store.Open(t.Context(), storetest.URL(t, store.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	owner, err := people.CreatePerson(t.Context(), s, "owner@example.test", "", "x")
	if err != nil {
		t.Fatal(err)
	}
	h := &testShop{TB: t, store: s}
	if h.company, err = companydb.CreateCompany(t.Context(), s, "tea", "Tea", "EUR", owner, nil); err != nil {
		t.Fatal(err)
	}
	if h.hosts, err = shop.ParseStorefronts("http://{shop}.localhost:8080"); err != nil {
		t.Fatal(err)
	}
	c := &catalog.Category{Type: "product", Name: "Green", SEO: catalog.SEO{Slug: "green"}, Sidebar: json.RawMessage(`[]`), IsPublished: true}
	h.write(func(ctx context.Context, tx *store.Tx) error { return catalog.InsertCategory(ctx, tx, c, true) })
	h.section = c.ID
	return h
}

func (h *testShop) write(fn func(ctx context.Context, tx *store.Tx) error) {
	h.Helper()
	if err := h.store.Write(h.Context(), h.company, func(tx *store.Tx) error { return fn(h.Context(), tx) }); err != nil {
		h.Fatal(err)
	}
}

// load reads the whole shop.
func (h *testShop) load() compile.Input {
	h.Helper()
	r := h.store.Shop(h.company)
	company, err := companydb.Info(h.Context(), r)
	if err != nil {
		h.Fatal(err)
	}
	in, err := load.Input(h.Context(), r, company, h.hosts)
	if err != nil {
		h.Fatal(err)
	}
	return in
}

func (h *testShop) delta(keys ...shop.Key) compile.Delta {
	h.Helper()
	d, err := load.Delta(h.Context(), h.store.Shop(h.company), keys, h.hosts)
	if err != nil {
		h.Fatal(err)
	}
	return d
}

// A delta with KeyAccess has all policies of the shop as a full load has them, and nothing else.
// After the last policy is deleted the list is empty and not nil, which would leave the old ones.
func TestADeltaOfAccessHasAllPolicies(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	access := shop.Key{Kind: shop.KeyAccess}
	var locked, trade policy.Policy
	until := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, step := range []struct {
		name     string
		write    func(ctx context.Context, tx *store.Tx) error
		policies int
		grants   int
	}{
		{"no policy", nil, 0, 0},
		{"a policy", func(ctx context.Context, tx *store.Tx) (err error) {
			locked, err = policy.Save(ctx, tx, policy.Policy{Name: "Club", Kind: shop.ByPassword, Title: "Members", Groups: []shop.CustomerGroupID{},
				Resources: []policy.Resource{{Type: "category", ID: int32(h.section)}}})
			return err
		}, 1, 0},
		{"a password", func(ctx context.Context, tx *store.Tx) error {
			_, err := policy.AddGrant(ctx, tx, locked.ID, policy.Grant{Label: "press", ExpiresAt: &until}, []byte("hash"))
			return err
		}, 1, 1},
		{"a second policy", func(ctx context.Context, tx *store.Tx) (err error) {
			trade, err = policy.Save(ctx, tx, policy.Policy{Name: "Trade", Kind: shop.ByCustomers, Groups: []shop.CustomerGroupID{}})
			return err
		}, 2, 1},
		{"the first is deleted", func(ctx context.Context, tx *store.Tx) error { return policy.Delete(ctx, tx, locked.ID) }, 1, 0},
		{"the last is deleted", func(ctx context.Context, tx *store.Tx) error { return policy.Delete(ctx, tx, trade.ID) }, 0, 0},
	} {
		if step.write != nil {
			h.write(step.write)
		}
		d := h.delta(access)
		want := h.load().Policies
		if d.Policies == nil || !reflect.DeepEqual(d.Policies, want) || len(want) != step.policies {
			t.Errorf("%s: %+v, a full load has %+v", step.name, d.Policies, want)
		}
		grants := 0
		for _, p := range d.Policies {
			grants += len(p.Grants)
			for _, g := range p.Grants {
				if !g.Until.Equal(until) {
					t.Errorf("%s: a password until %v", step.name, g.Until)
				}
			}
		}
		if grants != step.grants {
			t.Errorf("%s: %d passwords, want %d", step.name, grants, step.grants)
		}
		if d.Policies = nil; !reflect.DeepEqual(d, compile.Delta{}) {
			t.Errorf("%s: the delta of access also has %+v", step.name, d)
		}
	}
}

// A closed section stays closed, and is opened, in the site that the delta is applied to.
func TestADeltaOfAccessClosesAndOpens(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	site := compile.New(h.load())
	for _, kind := range []shop.KeyKind{shop.KeyCategories, shop.KeyShop} {
		if d := h.delta(shop.Key{Kind: kind}); d.Policies != nil {
			t.Errorf("key %d reads policies", kind)
		}
	}
	var p policy.Policy
	h.write(func(ctx context.Context, tx *store.Tx) (err error) {
		p, err = policy.Save(ctx, tx, policy.Policy{Name: "Club", Kind: shop.ByCustomers, Groups: []shop.CustomerGroupID{},
			Resources: []policy.Resource{{Type: "category", ID: int32(h.section)}}})
		return err
	})
	if site = site.With(h.delta(shop.Key{Kind: shop.KeyAccess})); !site.HasClosed() {
		t.Error("the section is open")
	}
	h.write(func(ctx context.Context, tx *store.Tx) error { return policy.Delete(ctx, tx, p.ID) })
	if site = site.With(h.delta(shop.Key{Kind: shop.KeyAccess})); site.HasClosed() {
		t.Error("the section is still closed")
	}
}
