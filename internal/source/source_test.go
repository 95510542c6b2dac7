package source_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/compile"
	"vitrine/internal/blob"
	"vitrine/internal/shop"
	"vitrine/internal/source"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	companydb "vitrine/internal/store/company"
	designdb "vitrine/internal/store/design"
	peopledb "vitrine/internal/store/people"
	"vitrine/internal/store/redirect"
	releasedb "vitrine/internal/store/release"
	"vitrine/internal/store/storetest"
	"vitrine/render"
)

// testShop is a shop in a separate database.
type testShop struct {
	testing.TB
	url     string
	store   *store.Store
	source  *source.Source
	company shop.CompanyID
}

func newTestShop(t testing.TB) *testShop {
	t.Helper()
	url := storetest.URL(t, store.Migrate)
	s, err := store.Open(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	owner, err := peopledb.CreatePerson(context.Background(), s, "owner@example.test", "", "x")
	if err != nil {
		t.Fatal(err)
	}
	id, err := companydb.CreateCompany(context.Background(), s, "tea", "Tea", "EUR", owner, nil)
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := blob.OpenDir(storetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	hosts, err := shop.ParseStorefronts("http://{shop}.localhost:8080")
	if err != nil {
		t.Fatal(err)
	}
	return &testShop{TB: t, url: url, store: s, source: source.New(s, blobs, hosts), company: id}
}

func (h *testShop) write(fn func(ctx context.Context, tx *store.Tx) error) {
	h.Helper()
	ctx := context.Background()
	if err := h.store.Write(ctx, h.company, func(tx *store.Tx) error { return fn(ctx, tx) }); err != nil {
		h.Fatal(err)
	}
}

func (h *testShop) category(slug string, parent shop.CategoryID, kind string) shop.CategoryID {
	h.Helper()
	c := &catalog.Category{
		Type: kind, Name: slug, Parent: parent, SEO: catalog.SEO{Slug: slug}, Sidebar: json.RawMessage(`[]`), IsPublished: true,
		IsShowMenu: true,
	}
	h.write(func(ctx context.Context, tx *store.Tx) error { return catalog.InsertCategory(ctx, tx, c, true) })
	return c.ID
}

func (h *testShop) product(slug string, category shop.CategoryID) shop.ProductID {
	h.Helper()
	p := &catalog.Product{
		Kind: "standard", Name: "The " + slug, Category: category, SEO: catalog.SEO{Slug: slug}, Price: 1290, IsPublished: true,
		Tags: []string{},
	}
	h.write(func(ctx context.Context, tx *store.Tx) error { return catalog.InsertProduct(ctx, tx, p, true, 0) })
	return p.ID
}

func (h *testShop) site() (*compile.Site, int64) {
	h.Helper()
	in, version, err := h.source.Load(context.Background(), h.company)
	if err != nil {
		h.Fatal(err)
	}
	return compile.New(in), version
}

func (h *testShop) page(site *compile.Site, entity compile.Entity, id int64, number int) (render.Content, error) {
	return h.source.Content(context.Background(), site, render.PageRequest{Page: compile.PageRef{Entity: entity, ID: id}, Number: number})
}

func TestHostsResolveToTheirShop(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	h.write(func(ctx context.Context, tx *store.Tx) error {
		return companydb.SetDomain(ctx, tx, "tea.example.test", time.Now())
	})
	for host, want := range map[string]shop.CompanyID{"tea.localhost": h.company, "tea.example.test": h.company, "no.localhost": 0, "localhost": 0, "example.test": 0, "": 0} {
		if got, err := h.source.Host(t.Context(), host); got != want || err != nil {
			t.Errorf("%s: %d, %v", host, got, err)
		}
	}
}

// A domain that is named but not verified resolves to no shop, whatever requests arrive for
// it.
func TestAnUnverifiedDomainResolvesToNoShop(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	h.write(func(ctx context.Context, tx *store.Tx) error {
		return companydb.ConnectDomain(ctx, tx, "tea.example.test", time.Now(), time.Time{})
	})
	before, _ := h.site()
	for _, host := range []string{"tea.localhost", "tea.example.test"} {
		got, err := h.source.Host(t.Context(), host)
		if want := map[string]shop.CompanyID{"tea.localhost": h.company}[host]; got != want || err != nil {
			t.Errorf("%s is of shop %d (%v)", host, got, err)
		}
		if after, _ := h.site(); after.Shop().Origin != before.Shop().Origin {
			t.Errorf("after a request for %s the shop is at %s", host, after.Shop().Origin)
		}
	}
}

// An edge that has loaded a shop which another process deletes is told that the shop does
// not exist.
func TestADeletedShopHasNoDelta(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	_, version := h.site()
	if _, err := companydb.DeleteCompany(t.Context(), h.store, h.company); err != nil {
		t.Fatal(err)
	}
	if _, err := h.source.Delta(t.Context(), h.company, version); !errors.Is(err, shop.ErrNotFound) {
		t.Errorf("%v", err)
	}
}

func TestADeltaReadsOnlyTheRowsOfItsKeys(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	tea := h.category("tea", 0, "product")
	first := h.product("sencha", tea)
	site, version := h.site()
	second := h.product("gyokuro", tea)
	h.write(func(ctx context.Context, tx *store.Tx) error {
		rule := &redirect.Rule{Kind: "exact", From: "/a", DupKey: "a", To: "/b", Code: 301, Enabled: true}
		_, err := redirect.ChangeRules(ctx, tx, redirect.RulesChange{Kind: redirect.RulesCreate, Rules: []redirect.RuleChange{{New: rule}}})
		return err
	})
	d, err := h.source.Delta(t.Context(), h.company, version)
	if err != nil || d.Reload || d.Version != version+2 {
		t.Fatalf("%+v, %v", d, err)
	}
	if len(d.Products) != 1 || d.Products[0].ID != second || len(d.Rules) != 1 || d.Categories != nil || d.Journal != nil || d.Shop != nil {
		t.Errorf("read other rows than the changed ones: %+v", d.Delta)
	}
	next := site.With(d.Delta)
	for id, want := range map[shop.ProductID]string{first: "/tea/sencha", second: "/tea/gyokuro"} {
		if got := next.URL(compile.PageRef{Entity: compile.EntityProduct, ID: int64(id)}); got != want {
			t.Errorf("product %d has the path %q", id, got)
		}
	}
	if d, err := h.source.Delta(t.Context(), h.company, d.Version); err != nil || len(d.Keys) != 0 {
		t.Errorf("without changes: %+v, %v", d, err)
	}
	if _, _, err := h.source.Load(t.Context(), 999); !errors.Is(err, shop.ErrNotFound) {
		t.Errorf("a missing shop: %v", err)
	}
}

func TestListingsPaginateAndReturnTheirKeys(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	tea := h.category("tea", 0, "product")
	green := h.category("green", tea, "product")
	for i := range 25 {
		h.product(fmt.Sprintf("tea-%d", i), green)
	}
	site, _ := h.site()
	c, err := h.page(site, compile.EntityCategory, int64(tea), 1)
	if err != nil {
		t.Fatal(err)
	}
	l := c.Page.(*render.Listing)
	if l.Total != 25 || len(l.Products) != 24 || l.Paging.Pages != 2 || len(l.Sections) != 1 || l.Products[0].Path != "/tea/green/tea-0" {
		t.Errorf("total %d, %d shown, %d pages, sections %v", l.Total, len(l.Products), l.Paging.Pages, l.Sections)
	}
	if !slices.Contains(c.Keys, shop.Key{Kind: shop.KeyCategory, ID: int64(tea)}) || !slices.Contains(c.Keys, shop.Key{Kind: shop.KeyDesign}) {
		t.Errorf("keys %v", c.Keys)
	}
	if c, err = h.page(site, compile.EntityCategory, int64(tea), 2); err != nil || len(c.Page.(*render.Listing).Products) != 1 {
		t.Errorf("page 2: %v", err)
	}
	if _, err := h.page(site, compile.EntityCategory, int64(tea), 3); !errors.Is(err, shop.ErrNotFound) {
		t.Errorf("page 3: %v", err)
	}
	if _, err := h.page(site, compile.EntityProduct, 99999, 1); !errors.Is(err, shop.ErrNotFound) {
		t.Errorf("an unknown product: %v", err)
	}
}

func TestDesignPutsGroupsAndDocumentsOnThePage(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	page := h.category("landing", 0, "page")
	doc := &releasedb.Document{Kind: "html", Name: "d", Level: 3}
	idle := &releasedb.Document{Kind: "html", Name: "never published", Level: 3}
	h.write(func(ctx context.Context, tx *store.Tx) error {
		if err := errors.Join(releasedb.InsertDocument(ctx, tx, doc), releasedb.InsertDocument(ctx, tx, idle)); err != nil {
			return err
		}
		rel := &releasedb.Release{Document: doc.ID}
		if err := releasedb.InsertRelease(ctx, tx, rel, nil); err != nil {
			return err
		}
		rel.Report = json.RawMessage(`{}`)
		return releasedb.Activate(ctx, tx, doc.ID, *rel)
	})
	block := func(sections string) (id shop.BlockID) {
		b := &designdb.Block{Name: "b", Sections: shop.Objects(sections)}
		h.write(func(ctx context.Context, tx *store.Tx) error { return designdb.InsertBlock(ctx, tx, b) })
		return b.ID
	}
	html := block(fmt.Sprintf(`[{"type":"text","payload":{"v":2,"kind":"html","props":{"html":{"documentId":"%d","boxed":true}}}}]`, doc.ID))
	dead := block(fmt.Sprintf(`[{"type":"text","payload":{"kind":"html","props":{"html":{"documentId":%d}}}}]`, idle.ID))
	text := block(`[{"type":"text","payload":{"v":2,"kind":"text","props":{"text":"<b>hi</b>"}}},{"type":"text","payload":"nonsense"}]`)
	group := block(fmt.Sprintf(`[{"type":"text","payload":{"v":2,"kind":"group","props":{"widgets":["%d",%d,%d]}}}]`, html, dead, text))
	top := block(`[{"type":"text","payload":{"kind":"zone","props":{"hideSiteFooter":true,"refs":[]}}}]`)
	self := block(`[]`)
	h.write(func(ctx context.Context, tx *store.Tx) error {
		b := designdb.Block{
			ID: self, Name: "b",
			Sections: shop.Objects(fmt.Sprintf(`[{"type":"text","payload":{"kind":"group","props":{"widgets":[%d,%d]}}}]`, self, self)),
		}
		if err := designdb.UpdateBlock(ctx, tx, &b); err != nil {
			return err
		}
		if err := designdb.Bind(ctx, tx, "shop", 0, map[string]shop.BlockID{"header": group, "footer": self}); err != nil {
			return err
		}
		return designdb.AttachBlocks(ctx, tx, store.EntityCategory, int64(page), []designdb.Attachment{{BlockID: top}, {BlockID: html, SortOrder: 1}})
	})
	site, _ := h.site()
	c, err := h.page(site, compile.EntityCategory, int64(page), 1)
	if err != nil {
		t.Fatal(err)
	}
	layout := render.FrameOf(c.Page).Layout
	if !layout.HideFooter || layout.HideHeader || len(layout.Header) != 1 || len(layout.Header[0].Group) != 3 {
		t.Errorf("layout %+v", layout)
	}
	if len(layout.Footer) != 1 || len(layout.Footer[0].Group) != 0 {
		t.Errorf("a group that contains itself: %+v", layout.Footer)
	}
	members := layout.Header[0].Group
	if members[0].Kind != render.BlockHTML || members[1].Kind != render.BlockNone || members[2].Text != "<b>hi</b>" {
		t.Errorf("members %+v", members)
	}
	if len(c.Mounts) != 2 || c.Mounts[0].Into != &members[0] || c.Mounts[0].Document != doc.ID || !c.Mounts[0].Into.Boxed {
		t.Errorf("mounts %+v", c.Mounts)
	}
	if !slices.Contains(c.Keys, shop.Key{Kind: shop.KeyDocument, ID: int64(idle.ID)}) {
		t.Errorf("the page must depend on a document that may be published later: %v", c.Keys)
	}
}

// fillProducts fills a shop with products by COPY.
func (h *testShop) fillProducts(n int) {
	h.Helper()
	ctx := context.Background()
	section := h.category("goods", 0, "product")
	conn, err := pgx.Connect(ctx, h.url)
	if err != nil {
		h.Fatal(err)
	}
	defer conn.Close(ctx)
	_, err = conn.CopyFrom(ctx, pgx.Identifier{"product"}, []string{"company_id", "category_id", "name", "slug", "price", "is_published"},
		pgx.CopyFromSlice(n, func(i int) ([]any, error) {
			return []any{int32(h.company), int32(section), fmt.Sprintf("Product %d", i), fmt.Sprintf("product-%d", i), int64(i % 900), true}, nil
		}))
	if err != nil {
		h.Fatal(err)
	}
	if _, err := conn.Exec(ctx, `ANALYZE product`); err != nil {
		h.Fatal(err)
	}
}

// The first visit to a shop after a start: rows are read and compiled. Compare with reading
// the same rows alone.
func BenchmarkColdShop(b *testing.B) {
	for _, n := range []int{100, 50_000} {
		h := newTestShop(b)
		h.fillProducts(n)
		b.Run(fmt.Sprintf("products=%d", n), func(b *testing.B) {
			for b.Loop() {
				in, _, err := h.source.Load(context.Background(), h.company)
				if err != nil {
					b.Fatal(err)
				}
				compile.New(in)
			}
		})
	}
}

// One product edited in a shop of 50,000: what the edge reads again before the writer is
// answered.
func BenchmarkOneProductEdited(b *testing.B) {
	h := newTestShop(b)
	h.fillProducts(50_000)
	site, version := h.site()
	var rows int
	for b.Loop() {
		b.StopTimer()
		h.write(func(ctx context.Context, tx *store.Tx) error {
			old, err := catalog.ProductBySlug(ctx, tx.Reader, "product-777")
			if err != nil {
				return err
			}
			edited := old
			edited.Price++
			return catalog.UpdateProduct(ctx, tx, old, edited)
		})
		b.StartTimer()
		d, err := h.source.Delta(context.Background(), h.company, version)
		if err != nil {
			b.Fatal(err)
		}
		site, version, rows = site.With(d.Delta), d.Version, len(d.Products)+len(d.Categories)+len(d.Articles)
	}
	b.ReportMetric(float64(rows), "rows/op")
}
