package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/company"
	"vitrine/internal/store/design"
	"vitrine/internal/store/media"
	peopledb "vitrine/internal/store/people"
	"vitrine/internal/store/redirect"
	"vitrine/internal/store/release"
	"vitrine/internal/store/storetest"
)

// open opens a fresh database with one shop in it.
func open(t *testing.T, settings ...store.ConnOption) (*store.Store, shop.CompanyID) {
	t.Helper()
	s, err := store.Open(t.Context(), storetest.URL(t, store.Migrate), settings...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, newShop(t, s, "first")
}

// planOnce makes each connection plan a statement only once, also those of triggers. A test
// that repeats a few statements thousands of times spends a quarter of its time on plans
// otherwise.
func planOnce(cfg *pgxpool.Config) {
	cfg.ConnConfig.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
}

func newShop(t *testing.T, s *store.Store, slug string) shop.CompanyID {
	t.Helper()
	owner, err := peopledb.CreatePerson(t.Context(), s, slug+"@example.test", "", "x")
	if err != nil {
		t.Fatal(err)
	}
	id, err := company.CreateCompany(t.Context(), s, slug, "A shop", "EUR", owner, nil)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func write(t *testing.T, s *store.Store, id shop.CompanyID, fn func(context.Context, *store.Tx) error) {
	t.Helper()
	if err := s.Write(t.Context(), id, func(tx *store.Tx) error { return fn(t.Context(), tx) }); err != nil {
		t.Fatal(err)
	}
}

func category(name string) *catalog.Category {
	return &catalog.Category{Type: "product", Name: name, SEO: catalog.SEO{Slug: name}, Sidebar: json.RawMessage(`[]`), IsPublished: true}
}

func TestCategoriesKeepOrderTreeAndHome(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	tea, green, cups := category("tea"), category("green"), category("cups")
	tea.IsHome = true
	write(t, s, id, func(ctx context.Context, tx *store.Tx) error {
		if err := catalog.InsertCategory(ctx, tx, tea, true); err != nil {
			return err
		}
		green.Parent = tea.ID
		cups.IsHome = true
		return errors.Join(catalog.InsertCategory(ctx, tx, green, true), catalog.InsertCategory(ctx, tx, cups, true))
	})
	list, err := catalog.Categories(t.Context(), s.Shop(id), false)
	if err != nil || len(list) != 3 {
		t.Fatalf("%d categories, %v", len(list), err)
	}
	for _, c := range list {
		if c.IsHome != (c.ID == cups.ID) {
			t.Errorf("%s: home %v; only the last section that requested it must be", c.Name, c.IsHome)
		}
		if c.ID == green.ID && (c.Root != tea.ID || c.Parent != tea.ID) {
			t.Errorf("green: root %d parent %d", c.Root, c.Parent)
		}
		if c.ID == cups.ID && c.Order != 1 {
			t.Errorf("a new section must be the last of its siblings, got order %d", c.Order)
		}
	}
	err = s.Write(t.Context(), id, func(tx *store.Tx) error {
		moved := *tea
		moved.Parent = green.ID
		return catalog.UpdateCategory(t.Context(), tx, *tea, moved)
	})
	if !errors.Is(err, catalog.ErrCategoryCycle) {
		t.Errorf("a category below itself: %v", err)
	}
	write(t, s, id, func(ctx context.Context, tx *store.Tx) error { return catalog.DeleteCategory(ctx, tx, tea.ID) })
	if list, _ := catalog.Categories(t.Context(), s.Shop(id), false); len(list) != 1 {
		t.Errorf("%d categories are left after the subtree was deleted", len(list))
	}
}

func TestConcurrentGeneratedSlugsAreUnique(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	var wg sync.WaitGroup
	slugs := make([]string, 30)
	for i := range slugs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			p := &catalog.Product{Kind: "standard", Name: "Чайник", SEO: catalog.SEO{Slug: "chaynik"}, Tags: []string{}}
			if err := s.Write(context.Background(), id, func(tx *store.Tx) error { return catalog.InsertProduct(context.Background(), tx, p, false, 0) }); err != nil {
				t.Error(err)
			}
			slugs[i] = p.SEO.Slug
		}()
	}
	wg.Wait()
	slices.Sort(slugs)
	if len(slices.Compact(slugs)) != 30 {
		t.Errorf("slugs: %v", slugs)
	}
	info, err := company.Info(t.Context(), s.Shop(id))
	if err != nil || info.Version != 31 {
		t.Errorf("version %d after 30 writes, want 31 (%v)", info.Version, err)
	}
}

func TestProductsRenameJournalChangesAndLimits(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	c := category("tea")
	p := &catalog.Product{
		Kind: "standard", Name: "Sencha", SEO: catalog.SEO{Slug: "sencha", MetaTitle: "T"}, SKU: "S1", Tags: []string{"a"},
		IsPublished: true, Price: 12,
	}
	write(t, s, id, func(ctx context.Context, tx *store.Tx) error {
		if err := catalog.InsertCategory(ctx, tx, c, true); err != nil {
			return err
		}
		p.Category = c.ID
		return catalog.InsertProduct(ctx, tx, p, true, 0)
	})
	_, since, _, err := s.Shop(id).Changes(t.Context(), 1)
	if err != nil || since != 2 {
		t.Fatalf("version %d, %v", since, err)
	}
	write(t, s, id, func(ctx context.Context, tx *store.Tx) error {
		old, err := catalog.LockProduct(ctx, tx, p.ID)
		if err != nil {
			return err
		}
		renamed := old
		renamed.SEO.Slug, renamed.Extra = "sencha-first", []shop.CategoryID{c.ID}
		return catalog.UpdateProduct(ctx, tx, old, renamed)
	})
	journal, err := catalog.Journal(t.Context(), s.Shop(id))
	if err != nil || len(journal) != 1 || journal[0].Slug != "sencha" || journal[0].ID != int64(p.ID) {
		t.Errorf("journal %v, %v", journal, err)
	}
	keys, version, whole, err := s.Shop(id).Changes(t.Context(), since)
	want := []shop.Key{
		{Kind: shop.KeyProduct, ID: int64(p.ID)}, {Kind: shop.KeyProducts}, {Kind: shop.KeyCategory, ID: int64(c.ID)},
		{Kind: shop.KeyJournal},
	}
	if err != nil || whole || version != 3 || !slices.Equal(keys, want) {
		t.Errorf("changes %v to %d, %v", keys, version, err)
	}
	err = s.Write(t.Context(), id, func(tx *store.Tx) error {
		return catalog.InsertProduct(
			t.Context(), tx, &catalog.Product{Kind: "standard", Name: "x", SEO: catalog.SEO{Slug: "x"}, SKU: "S1", Tags: []string{}},
			true, 0,
		)
	})
	if !errors.Is(err, catalog.ErrSKUTaken) {
		t.Errorf("a second sku S1: %v", err)
	}
	err = s.Write(t.Context(), id, func(tx *store.Tx) error {
		return catalog.InsertProduct(t.Context(), tx, &catalog.Product{Kind: "standard", Name: "x", SEO: catalog.SEO{Slug: "x"}, Tags: []string{}}, true, 1)
	})
	if !errors.Is(err, catalog.ErrProductLimit) {
		t.Errorf("beyond the plan: %v", err)
	}
	l, err := catalog.ListProducts(
		t.Context(), s, s.Shop(id),
		catalog.ProductFilter{Category: c.ID, Subtree: true, Query: "SEN", PublishedOnly: true, Number: 1, Limit: 10},
	)
	if err != nil || l.Total != 1 || l.Products[0].SEO.Slug != "sencha-first" || l.Products[0].SEO.MetaTitle != "T" ||
		len(l.Products[0].Extra) != 1 {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestRowsOfOtherShopsAreNotFound(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	other := newShop(t, s, "second")
	p := &catalog.Product{Kind: "standard", Name: "Sencha", SEO: catalog.SEO{Slug: "sencha"}, Tags: []string{}}
	b := &design.Block{Name: "b", Sections: shop.Objects(`[]`)}
	d := &release.Document{Kind: "html", Name: "d", Level: 3}
	write(t, s, id, func(ctx context.Context, tx *store.Tx) error {
		return errors.Join(catalog.InsertProduct(ctx, tx, p, true, 0), design.InsertBlock(ctx, tx, b), release.InsertDocument(ctx, tx, d))
	})
	r := s.Shop(other)
	if _, err := catalog.GetProduct(t.Context(), r, p.ID); !errors.Is(err, catalog.ErrProductNotFound) {
		t.Errorf("product: %v", err)
	}
	if _, err := release.GetDocument(t.Context(), r, "html", d.ID); !errors.Is(err, release.ErrDocumentNotFound) {
		t.Errorf("document: %v", err)
	}
	if list, err := design.BlocksByID(t.Context(), r, []shop.BlockID{b.ID}); err != nil || len(list) != 0 {
		t.Errorf("blocks: %v, %v", list, err)
	}
	err := s.Write(t.Context(), other, func(tx *store.Tx) error {
		return design.AttachBlocks(t.Context(), tx, store.EntityCategory, 1, []design.Attachment{{BlockID: b.ID}})
	})
	if !errors.Is(err, design.ErrBlockNotFound) {
		t.Errorf("attach: %v", err)
	}
}

func TestArticlesAreRankedAndPaged(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	rubric := category("news")
	rubric.Type = "news"
	at := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	write(t, s, id, func(ctx context.Context, tx *store.Tx) error {
		if err := catalog.InsertCategory(ctx, tx, rubric, true); err != nil {
			return err
		}
		for i := range 5 {
			a := &catalog.Article{
				Category: rubric.ID, Title: fmt.Sprintf("Tea %d", i), SEO: catalog.SEO{Slug: fmt.Sprintf("tea-%d", i)},
				IsPublished: true, Author: catalog.Author{Mode: "none"},
			}
			if i > 0 {
				day := at.AddDate(0, 0, i)
				a.PublishedAt = &day
			}
			if err := catalog.InsertArticle(ctx, tx, a, true); err != nil {
				return err
			}
		}
		return nil
	})
	list, total, err := catalog.Articles(t.Context(), s.Shop(id), catalog.ArticleFilter{Category: rubric.ID, PublishedOnly: true, Query: "tea", Number: 1, Limit: 5})
	if err != nil || total != 5 || list[0].SEO.Slug != "tea-4" || list[4].SEO.Slug != "tea-0" {
		t.Errorf("want the newest first and the undated last: %d, %v", total, err)
	}
}

func TestReleasesUploadsAndSEO(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	sha := func(c string) string { return fmt.Sprintf("%064s", c) }
	d := &release.Document{Kind: "html", Name: "d", Level: 3}
	page := category("landing")
	rel := &release.Release{}
	write(t, s, id, func(ctx context.Context, tx *store.Tx) error {
		if err := errors.Join(release.InsertDocument(ctx, tx, d), catalog.InsertCategory(ctx, tx, page, true)); err != nil {
			return err
		}
		b := &design.Block{
			Name:     "b",
			Sections: shop.Objects(fmt.Sprintf(`[{"type":"text","payload":{"v":2,"kind":"html","props":{"html":{"documentId":"%d"}}}}]`, d.ID)),
		}
		if err := design.InsertBlock(ctx, tx, b); err != nil {
			return err
		}
		if err := design.AttachBlocks(ctx, tx, store.EntityCategory, int64(page.ID), []design.Attachment{{BlockID: b.ID}}); err != nil {
			return err
		}
		rel.Document = d.ID
		return release.InsertRelease(ctx, tx, rel, []release.NewReleaseFile{
			{ReleaseFile: release.ReleaseFile{Path: "index.html", SHA256: sha("a"), Size: 3, MIME: "text/html"}, UploadHash: []byte("h")},
			{ReleaseFile: release.ReleaseFile{Path: "copy.html", SHA256: sha("a"), Size: 3, MIME: "text/html"}, UploadHash: []byte("h2")},
		})
	})
	f, found, err := release.PendingUpload(t.Context(), s, []byte("h"))
	if err != nil || !found || f.Company != id || f.Release != rel.ID {
		t.Fatalf("pending %+v %v %v", f, found, err)
	}
	var pages []release.DocumentPage
	write(t, s, id, func(ctx context.Context, tx *store.Tx) (err error) {
		if err := release.MarkReleaseFileUploaded(ctx, tx, f); err != nil {
			return err
		}
		if err := release.Activate(ctx, tx, d.ID, release.Release{ID: rel.ID, Report: json.RawMessage(`{}`), Title: "Hello"}); err != nil {
			return err
		}
		pages, err = release.FillSEO(ctx, tx, d.ID, "Hello", "", false)
		return err
	})
	if len(pages) != 1 || pages[0].ID != page.ID {
		t.Errorf("the page that mounts the document must get the title: %v", pages)
	}
	files, err := release.ReleaseFiles(t.Context(), s.Shop(id), rel.ID)
	if err != nil || len(files) != 2 || files[0].Pending || files[1].Pending {
		t.Errorf("one upload must serve both paths with the same bytes: %+v, %v", files, err)
	}
	active, err := release.ActiveReleases(t.Context(), s.Shop(id), []shop.DocumentID{d.ID})
	if err != nil || active[d.ID] != rel.ID {
		t.Errorf("active %v, %v", active, err)
	}
	if _, err := release.GetReleaseFile(t.Context(), s.Shop(id), d.ID+1, rel.ID, "index.html"); !errors.Is(err, release.ErrReleaseNotFound) {
		t.Errorf("a file through another document: %v", err)
	}
	usage, err := company.GetUsage(t.Context(), s.Shop(id))
	if err != nil || usage.Bytes != 3 {
		t.Errorf("usage %+v, %v", usage, err)
	}
}

func TestRulesHitsAndBoundedMisses(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	a := &redirect.Rule{Kind: "exact", From: "/a", DupKey: "exact /a", To: "/b", Code: 301, Enabled: true}
	b := &redirect.Rule{Kind: "exact", From: "/b", DupKey: "exact /b", To: "/c", Code: 302, SortOrder: 1}
	write(t, s, id, func(ctx context.Context, tx *store.Tx) error {
		if v, err := tx.LockRules(ctx); err != nil || v != 1 {
			return fmt.Errorf("version %d, %w", v, err)
		}
		_, err := redirect.ChangeRules(ctx, tx, redirect.RulesChange{Kind: redirect.RulesCreate, Rules: []redirect.RuleChange{{New: a}, {New: b}}})
		return err
	})
	err := s.Write(t.Context(), id, func(tx *store.Tx) error {
		again := &redirect.Rule{Kind: "exact", From: "/a", DupKey: "exact /a", To: "/x", Code: 301}
		_, err := redirect.ChangeRules(t.Context(), tx, redirect.RulesChange{Kind: redirect.RulesCreate, Rules: []redirect.RuleChange{{New: again}}})
		return err
	})
	if !errors.Is(err, redirect.ErrRuleDuplicate) {
		t.Errorf("duplicate: %v", err)
	}
	write(t, s, id, func(ctx context.Context, tx *store.Tx) error {
		last := *a
		last.SortOrder = 9
		_, err := redirect.ChangeRules(ctx, tx, redirect.RulesChange{Kind: redirect.RulesOrder, Rules: []redirect.RuleChange{{Old: a, New: &last}}})
		return err
	})
	now := time.Now().UTC().Truncate(time.Second)
	if err := redirect.AddHits(t.Context(), s, []redirect.RuleHit{{Company: id, Rule: a.ID, Hits: 3, Last: now}, {Company: id, Rule: 999, Hits: 1, Last: now}}); err != nil {
		t.Fatal(err)
	}
	rules, err := redirect.Rules(t.Context(), s.Shop(id))
	if err != nil || rules[0].ID != b.ID || rules[1].Hits != 3 || !rules[1].LastHitAt.Equal(now) {
		t.Errorf("rules %+v, %v", rules, err)
	}
	err = s.Write(t.Context(), id, func(tx *store.Tx) error {
		deleted := []redirect.RuleChange{{Old: a}, {Old: &redirect.Rule{ID: 999}}}
		_, err := redirect.ChangeRules(t.Context(), tx, redirect.RulesChange{Kind: redirect.RulesDelete, Rules: deleted})
		return err
	})
	if !errors.Is(err, redirect.ErrRuleNotFound) {
		t.Errorf("deleting an unknown rule: %v", err)
	}
	if rules, _ := redirect.Rules(t.Context(), s.Shop(id)); len(rules) != 2 {
		t.Errorf("a refused delete must delete nothing: %d rules left", len(rules))
	}
}

func TestFilesKeysAndPeople(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	f := media.File{ID: uuid.New(), UploadID: uuid.New(), Section: "content", Type: "image", Name: "a.jpg", Path: "content/a.jpg"}
	write(t, s, id, func(ctx context.Context, tx *store.Tx) error { return media.RequestFile(ctx, tx, &f, []byte("h")) })
	owner, got, err := media.FileUpload(t.Context(), s, f.UploadID, []byte("h"))
	if err != nil || owner != id || got.ID != f.ID {
		t.Fatalf("upload %+v, %v", got, err)
	}
	write(t, s, id, func(ctx context.Context, tx *store.Tx) error {
		f.SHA256 = fmt.Sprintf("%064s", "b")
		return media.StoreFile(ctx, tx, &f, map[string]int64{f.SHA256: 9})
	})
	write(t, s, id, func(ctx context.Context, tx *store.Tx) error {
		open, err := media.UploadArrived(ctx, tx, f.ID, fmt.Sprintf("%064s", "c"), 1)
		if open {
			t.Error("a PUT after the confirmation changed the file")
		}
		return err
	})
	if stored, err := catalog.PicturesAmong(t.Context(), s.Shop(id), []uuid.UUID{f.ID, uuid.New()}); err != nil || len(stored) != 1 || !stored[f.ID] {
		t.Errorf("stored %v, %v", stored, err)
	}
	person, err := peopledb.MemberWithRole(t.Context(), s.Shop(id), shop.Owner)
	if err != nil || person == 0 {
		t.Fatalf("owner %d, %v", person, err)
	}
	var key shop.KeyID
	write(t, s, id, func(ctx context.Context, tx *store.Tx) (err error) {
		key, err = peopledb.IssueKey(
			ctx, tx, peopledb.APIKey{Person: person, Name: "k", Contour: shop.Prod, Scopes: []shop.Scope{"catalog:read"}},
			[]byte("secret"),
		)
		return err
	})
	now := time.Now()
	if err := peopledb.TouchKeys(t.Context(), s, []peopledb.KeyUse{{Company: id, Key: key, At: now}}); err != nil {
		t.Fatal(err)
	}
	k, found, err := peopledb.KeyByHash(t.Context(), s, []byte("secret"), now)
	if err != nil || !found || k.Role != shop.Owner || k.LastUsedAt == nil || k.Company != id || len(k.Scopes) != 1 {
		t.Errorf("key %+v %v %v", k, found, err)
	}
	write(t, s, id, func(ctx context.Context, tx *store.Tx) error {
		found, err := peopledb.RevokeKey(ctx, tx, person, key, now)
		if !found {
			return errors.New("not found")
		}
		return err
	})
	if _, found, _ := peopledb.KeyByHash(t.Context(), s, []byte("secret"), now); found {
		t.Error("a revoked key is still accepted")
	}
	first, err := s.Secret(t.Context(), "edge")
	second, err2 := s.Secret(t.Context(), "edge")
	if err != nil || err2 != nil || len(first) != 32 || string(first) != string(second) {
		t.Errorf("secret %x %x %v %v", first, second, err, err2)
	}
}

func TestWriteNotifiesListenersBeforeItReturns(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	var versions []int64
	s.OnChange(func(_ context.Context, _ shop.CompanyID, version int64) { versions = append(versions, version) })
	write(t, s, id, func(ctx context.Context, tx *store.Tx) error { return company.SetClosed(ctx, tx, true, "h") })
	failed := errors.New("no")
	if err := s.Write(t.Context(), id, func(tx *store.Tx) error {
		tx.Changed(shop.Key{Kind: shop.KeyShop})
		return failed
	}); !errors.Is(err, failed) {
		t.Fatal(err)
	}
	if !slices.Equal(versions, []int64{2}) {
		t.Errorf("got versions %v, want only the committed one", versions)
	}
}
