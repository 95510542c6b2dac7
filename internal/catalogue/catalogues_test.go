package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"vitrine/compile/feed"
	"vitrine/internal/catalogue"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/media"
	"vitrine/internal/store/people"
	"vitrine/internal/store/sitefile"
	"vitrine/internal/store/storetest"
)

type testShop struct {
	testing.TB
	store   *store.Store
	company shop.CompanyID
	hosts   shop.Storefronts
	now     time.Time
}

func newTestShop(t testing.TB) *testShop {
	t.Helper()
	s, err := store.Open(context.Background(), storetest.URL(t, store.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	owner, err := people.CreatePerson(context.Background(), s, "owner@example.test", "", "x")
	if err != nil {
		t.Fatal(err)
	}
	m := &testShop{TB: t, store: s, now: time.Unix(1_800_000_000, 0)}
	if m.company, err = companydb.CreateCompany(context.Background(), s, "tea", "Tea", "EUR", owner, nil); err != nil {
		t.Fatal(err)
	}
	if m.hosts, err = shop.ParseStorefronts("http://{shop}.shops.test"); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *testShop) catalogues() *catalogue.Catalogues {
	return catalogue.NewCatalogues(m.hosts, func() time.Time { return m.now })
}

func (m *testShop) write(f func(context.Context, *store.Tx) error) {
	m.Helper()
	if err := m.store.Write(context.Background(), m.company, func(tx *store.Tx) error { return f(context.Background(), tx) }); err != nil {
		m.Fatal(err)
	}
}

// everything returns a template that prints all that templates can read of a catalogue:
// every field of the reference.
func everything() string {
	byNoun := map[string]string{}
	for _, chapter := range feed.Reference() {
		for _, e := range chapter.Entries {
			if noun, _, field := strings.Cut(e.Name, "."); field {
				printed := " {{" + e.Signature + "}}"
				if e.Signature == ".Options" || e.Signature == ".Attributes" {
					printed = " {{range " + e.Signature + "}}{{.Name}}={{.Value}}{{.Unit}},{{end}}"
				}
				byNoun[noun] += printed
			}
		}
	}
	return byNoun["Shop"] + "{{range categories}}" + byNoun["Category"] + "\n{{end}}" +
		`{{range products "include_zero_price=true"}}` + byNoun["Product"] + " {{product_url .ID}}\n{{end}}" +
		"{{file_url 1}} {{file_url 2}} {{category_url 1}} {{category_url 2}} {{product_url 3}}"
}

func (m *testShop) print(c *catalogue.Catalogues) string {
	m.Helper()
	return m.text(c, everything())
}

// text renders a template with the shop's catalogue.
func (m *testShop) text(c *catalogue.Catalogues, body string) string {
	m.Helper()
	current, err := c.Current(context.Background(), m.store, m.company)
	if err != nil {
		m.Fatal(err)
	}
	template, problems := feed.Compile("x.txt", body)
	if problems != nil {
		m.Fatal(problems)
	}
	var out strings.Builder
	if _, problem := template.Render(&out, current.Catalogue, feed.Options{}); problem != nil {
		m.Fatal(problem)
	}
	return out.String()
}

// edit makes one random change of an owner.
func (m *testShop) edit(r *rand.Rand, step int) {
	id, section := shop.ProductID(1+r.IntN(20)), shop.CategoryID(r.IntN(6))
	m.write(func(ctx context.Context, tx *store.Tx) error {
		switch r.IntN(9) {
		case 0:
			return catalog.InsertCategory(ctx, tx, &catalog.Category{
				Name: fmt.Sprint("Section ", step), Type: "product", Parent: 0, IsPublished: r.IntN(3) > 0, Sidebar: []byte("[]"), SEO: catalog.SEO{Slug: fmt.Sprint("s", step)},
			}, true)
		case 1:
			old, err := catalog.LockCategory(ctx, tx, section)
			if err != nil || old.DeletedAt != nil {
				return nil // does not exist yet, or was deleted
			}
			edited := old
			edited.Name, edited.IsPublished = fmt.Sprint("Renamed ", step), r.IntN(3) > 0
			edited.IsHome = r.IntN(6) == 0
			return catalog.UpdateCategory(ctx, tx, old, edited)
		case 2:
			if r.IntN(4) > 0 {
				return nil
			}
			if err := catalog.DeleteCategory(ctx, tx, section); err != catalog.ErrCategoryNotFound {
				return err
			}
			return nil
		case 3:
			return catalog.SetAdMode(ctx, tx, id, []string{catalog.AdInclude, catalog.AdExclude}[r.IntN(2)])
		case 4:
			f := &sitefile.SiteFile{Name: fmt.Sprint("f", step, ".txt"), Category: 0, IsPublished: r.IntN(2) == 0}
			return sitefile.Insert(ctx, tx, f, 0, 0)
		}
		old, err := catalog.LockProduct(ctx, tx, id)
		if err == nil && r.IntN(4) == 0 {
			price := int64(r.IntN(20))
			return catalog.SetVariants(ctx, tx, id, []catalog.Variant{
				{Price: &price, IsActive: r.IntN(3) > 0, Options: map[string]string{}}, {IsActive: r.IntN(2) == 0, Options: map[string]string{}},
			})
		}
		if err != nil {
			p := &catalog.Product{
				Kind: "standard", Name: fmt.Sprint("Product ", step), Category: section, Price: int64(step), IsPublished: true,
				Tags: []string{}, SEO: catalog.SEO{Slug: fmt.Sprint("p", step)},
			}
			return catalog.InsertProduct(ctx, tx, p, true, 0)
		}
		edited := old
		edited.Name, edited.Price, edited.Category = fmt.Sprint("Edited ", step), int64(r.IntN(3)), section
		edited.IsPublished, edited.CatalogHidden = r.IntN(4) > 0, []string{"", "true", "false"}[r.IntN(3)]
		if edited.DeletedAt = nil; r.IntN(6) == 0 {
			edited.DeletedAt = &m.now
		}
		return catalog.UpdateProduct(ctx, tx, old, edited)
	})
}

// After any changes, a cached and updated catalogue equals one that is read from scratch.
func TestACachedCatalogueEqualsAFreshOne(t *testing.T) {
	t.Parallel()
	m := newTestShop(t)
	kept := m.catalogues()
	r := rand.New(rand.NewPCG(6, 20))
	for step := range 150 {
		m.edit(r, step)
		if r.IntN(3) > 0 {
			continue // several changes at once
		}
		if got, want := m.print(kept), m.print(m.catalogues()); got != want {
			t.Fatalf("after step %d:\n%s\nwant\n%s", step, got, want)
		}
	}
	m.write(func(ctx context.Context, tx *store.Tx) error {
		return companydb.SetDomain(ctx, tx, "tea.example.test", time.Now())
	})
	if got := m.print(kept); !strings.Contains(got, "http://tea.example.test/") || got != m.print(m.catalogues()) {
		t.Errorf("after the domain changed:\n%.300s", got)
	}
}

func TestOneChangeReadsOneProduct(t *testing.T) {
	t.Parallel()
	m := newTestShop(t)
	for i := range 10 {
		m.write(func(ctx context.Context, tx *store.Tx) error {
			p := &catalog.Product{Kind: "standard", Name: "P", Price: 5, IsPublished: true, Tags: []string{}, SEO: catalog.SEO{Slug: fmt.Sprint("p", i)}}
			return catalog.InsertProduct(ctx, tx, p, true, 0)
		})
	}
	kept := m.catalogues()
	before, err := kept.Current(t.Context(), m.store, m.company)
	if err != nil {
		t.Fatal(err)
	}
	same, err := kept.Current(t.Context(), m.store, m.company)
	if err != nil || same.Catalogue != before.Catalogue {
		t.Errorf("nothing changed but the catalogue was replaced (%v)", err)
	}
	m.write(func(ctx context.Context, tx *store.Tx) error { return catalog.SetAdMode(ctx, tx, 3, catalog.AdExclude) })
	after, err := kept.Current(t.Context(), m.store, m.company)
	if err != nil || after.Version != before.Version+1 || after.Len() != 9 || before.Len() != 10 {
		t.Errorf("version %d after %d, %d products after %d (%v)", after.Version, before.Version, after.Len(), before.Len(), err)
	}
}

// A feed follows changes of a gallery: its name, its pictures, the deletion of a picture.
func TestACachedCatalogueFollowsGalleries(t *testing.T) {
	t.Parallel()
	m := newTestShop(t)
	f := media.File{
		ID: uuid.New(), UploadID: uuid.New(), Section: "content", Type: "image", Name: "cup", Path: "content/cup.webp",
		SHA256: "aa",
	}
	g := &media.Gallery{Name: "Feed", Items: []media.GalleryItem{{Key: "cup", Kind: "image", File: &f}}}
	m.write(func(ctx context.Context, tx *store.Tx) error {
		p := &catalog.Product{Kind: "standard", Name: "P", Price: 5, IsPublished: true, Tags: []string{}, SEO: catalog.SEO{Slug: "p"}}
		err := errors.Join(
			media.RequestFile(ctx, tx, &f, []byte("x")), media.StoreFile(ctx, tx, &f, nil), media.InsertGallery(ctx, tx, g),
			catalog.InsertProduct(ctx, tx, p, true, 0),
		)
		if err != nil {
			return err
		}
		return media.LinkGalleries(ctx, tx, store.EntityProduct, map[int64][]shop.GalleryID{int64(p.ID): {g.ID}})
	})
	kept := m.catalogues()
	show := func(want string) {
		t.Helper()
		if got := m.text(kept, `{{range products}}{{range pictures . 5 "Feed"}}{{.}} {{end}}{{end}}`); got != want {
			t.Errorf("the feed shows %q, want %q", got, want)
		}
	}
	show("http://tea.shops.test/files/content/cup.webp ")
	g.Name = "Other"
	m.write(func(ctx context.Context, tx *store.Tx) error { return media.UpdateGallery(ctx, tx, *g) })
	show("")
	g.Name = "Feed"
	m.write(func(ctx context.Context, tx *store.Tx) error { return media.UpdateGallery(ctx, tx, *g) })
	show("http://tea.shops.test/files/content/cup.webp ")
	m.write(func(ctx context.Context, tx *store.Tx) error { return media.DeleteFile(ctx, tx, f, m.now) })
	show("")
}

func TestConcurrentReadersOfOneShop(t *testing.T) {
	t.Parallel()
	m := newTestShop(t)
	c := m.catalogues()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := c.Current(context.Background(), m.store, m.company); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if _, err := c.Current(t.Context(), m.store, 999_999); err == nil {
		t.Error("a missing shop has a catalogue")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Current(ended, m.store, m.company); err == nil {
		t.Error("a reader with an ended context got a catalogue")
	}
}

// A feed has the data of the shop's cards: for a product with variants the lowest price
// that can be chosen, and whether the product can be bought at all.
func TestAFeedHasThePricesAndStockOfCards(t *testing.T) {
	t.Parallel()
	m := newTestShop(t)
	c := m.catalogues()
	none := map[string]string{}
	price := func(n int64) *int64 { return &n }
	zero, one := 0, 1
	for _, x := range []struct {
		price, old int64
		stock      *int
		sets       []catalog.Variant
		want       string
	}{
		{11, 15, nil, nil, "11 15 true"},
		{11, 15, &one, []catalog.Variant{{Price: price(12), IsActive: true, Options: none}, {Price: price(7), IsActive: true, Options: none}}, "7 0 true"},
		{11, 15, &zero, []catalog.Variant{{Price: price(5), Options: none}, {IsActive: true, Options: none}}, "11 15 false"},
		{0, 0, nil, []catalog.Variant{{Price: price(9), IsActive: true, Options: none}, {Price: price(0), IsActive: true, Options: none}}, "9 0 true"},
	} {
		var p *catalog.Product
		m.write(func(ctx context.Context, tx *store.Tx) error {
			p = &catalog.Product{
				Kind: "standard", Name: "Cup", Price: x.price, OldPrice: x.old, StockQuantity: x.stock, IsPublished: true,
				Tags: []string{},
			}
			if err := catalog.InsertProduct(ctx, tx, p, false, 0); err != nil {
				return err
			}
			return catalog.SetVariants(ctx, tx, p.ID, x.sets)
		})
		body := fmt.Sprintf(`{{range products}}{{if eq .ID %d}}{{.Price}} {{.OldPrice}} {{.InStock}}{{end}}{{end}}`, p.ID)
		if got := m.text(c, body); got != x.want {
			t.Errorf("%+v: %s", x, got)
		}
	}
}

// A feed contains a description as it was sent, escaped as text (document 3): readers of
// the feed interpret it as the HTML that it is.
func TestAFeedHasDescriptionsAsTheyWereSent(t *testing.T) {
	t.Parallel()
	m := newTestShop(t)
	c := m.catalogues()
	for _, text := range []string{"<p>Thrown <b>by hand</b> &amp; fired</p>", "a < b\n\n5 <3"} {
		var p *catalog.Product
		m.write(func(ctx context.Context, tx *store.Tx) error {
			p = &catalog.Product{Kind: "standard", Name: "Cup", Description: text, Price: 9, IsPublished: true, Tags: []string{}}
			return catalog.InsertProduct(ctx, tx, p, false, 0)
		})
		if got := m.text(c, fmt.Sprintf(`{{range products}}{{if eq .ID %d}}{{.Description}}{{end}}{{end}}`, p.ID)); got != text {
			t.Errorf("%q: %q", text, got)
		}
	}
}
