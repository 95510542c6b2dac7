package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/image/webp"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/admin/company"
	"vitrine/admin/media"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/design"
	"vitrine/internal/store/people"
	"vitrine/internal/store/release"
)

// lab is an admin API whose photographs are all the same small picture.
type lab struct {
	*apitest.API
	read atomic.Int64  // pictures
	onto func(n int64) // called before each picture
}

func newLab(t *testing.T) *lab {
	t.Helper()
	read := func(file []byte) (media.Picture, error) {
		c, err := jpeg.DecodeConfig(bytes.NewReader(file))
		return media.Picture{Format: "jpeg", Width: c.Width, Height: c.Height}, err
	}
	master := func(_ context.Context, file []byte) ([]byte, media.Picture, error) {
		p, err := read(file)
		p.Format = "webp"
		return file, p, err
	}
	images := media.Images{Inspect: read, Master: master, Photo: master}
	return &lab{API: apitest.New(t, func(cfg *admin.Config) { cfg.Media = images }), onto: func(int64) {}}
}

// seed runs Seed with the small picture for every photograph.
func (l *lab) seed(ctx context.Context) (Result, error) {
	return seeding{api: l.Admin, store: l.Store, now: l.Clock.Now(), photograph: func(string) ([]byte, error) {
		l.onto(l.read.Add(1))
		var dot bytes.Buffer
		err := jpeg.Encode(&dot, image.NewGray(image.Rect(0, 0, 8, 8)), nil)
		return dot.Bytes(), err
	}}.run(ctx)
}

// inventory is the content of a shop. Shops with equal inventories are equally complete.
type inventory struct {
	Categories, Products, Articles, Rules, Files, Documents int
	Journal                                                 int
	Bare                                                    []string // articles and landing pages without text
	Roles                                                   []shop.Role
}

func (l *lab) inventory(t *testing.T, slug string) (inv inventory) {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	company, err := companydb.CompanyBySlug(ctx, l.Store, slug)
	must(err)
	r := l.Store.Shop(company.ID)
	usage, err := companydb.GetUsage(ctx, r)
	must(err)
	categories, err := catalog.Categories(ctx, r, false)
	must(err)
	documents, err := release.Documents(ctx, r, "html")
	must(err)
	journal, err := catalog.Journal(ctx, r)
	must(err)
	members, err := people.Members(ctx, r)
	must(err)
	inv = inventory{
		Categories: len(categories), Products: int(usage.Products), Rules: int(usage.Redirects), Files: int(usage.Files),
		Documents: len(documents), Journal: len(journal),
	}
	for _, m := range members {
		inv.Roles = append(inv.Roles, m.Role)
	}
	c, err := loadMain()
	if slug != "demo" {
		c, err = loadAtelier()
	}
	must(err)
	for _, a := range c.Articles {
		row, err := catalog.ArticleBySlug(ctx, r, a.Slug)
		must(err)
		inv.Articles++
		blocks, err := design.AttachedBlocks(ctx, r, store.EntityArticle, int64(row.ID))
		must(err)
		if text, err := json.Marshal(a.Text[0]); err != nil || len(blocks) != 2 || !bytes.Contains(blocks[1].Sections, text[1:20]) {
			inv.Bare = append(inv.Bare, a.Slug)
		}
	}
	for _, s := range c.Categories {
		row, err := catalog.CategoryBySlug(ctx, r, false, s.slug())
		must(err)
		if blocks, err := design.AttachedBlocks(ctx, r, store.EntityCategory, int64(row.ID)); err != nil || s.Landing != (len(blocks) == 1) {
			inv.Bare = append(inv.Bare, s.slug())
		}
	}
	return inv
}

// whole is the inventory according to the files.
func whole(t *testing.T, load func() (*content, error)) inventory {
	t.Helper()
	c, err := load()
	if err != nil {
		t.Fatal(err)
	}
	inv := inventory{
		Categories: len(c.Categories), Products: len(c.Products), Articles: len(c.Articles), Rules: len(c.Redirects), Files: len(c.photographs()),
		Roles: []shop.Role{shop.Owner, shop.Admin, shop.Editor},
	}
	for _, s := range c.Categories {
		if s.Landing {
			inv.Documents++
		}
	}
	for _, p := range c.Products {
		if p.Formerly != "" {
			inv.Journal++
		}
	}
	return inv
}

func (l *lab) isWhole(t *testing.T) {
	t.Helper()
	for slug, load := range map[string]func() (*content, error){"demo": loadMain, "atelier": loadAtelier} {
		if got, want := l.inventory(t, slug), whole(t, load); !reflect.DeepEqual(got, want) {
			t.Errorf("%s\nhas   %+v\nwant  %+v", slug, got, want)
		}
	}
}

func TestSeedingTwiceCreatesOneShop(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	first, err := l.seed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l.isWhole(t)
	before := l.read.Load()
	second, err := l.seed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l.isWhole(t)
	if l.read.Load() != before {
		t.Errorf("the second run read %d pictures", l.read.Load()-before)
	}
	if first.Key == second.Key {
		t.Error("the second run issued the same key")
	}
	for _, key := range []string{first.Key, second.Key} {
		if status, answer := l.Call("GET", "/v1/account/token", key, nil); status != 200 {
			t.Errorf("a key of the demo shop answers %d %v", status, answer)
		}
	}
	login := apitest.Map{"email": second.Email, "password": second.Password}
	if status, answer := l.Call("POST", "/v1/auth/login", "", login); status != 200 {
		t.Errorf("the owner's login answers %d %v", status, answer)
	}
}

func TestCompleteShopIsNotChanged(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	r, err := l.seed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, list := l.Call("GET", "/products?page.number=1&page.limit=1", r.Key, nil)
	id := list["result"].(map[string]any)["items"].([]any)[0].(map[string]any)["id"]
	if status, answer := l.Call("DELETE", fmt.Sprintf("/products/%v", id), r.Key, nil); status != 200 {
		t.Fatalf("%d %v", status, answer)
	}
	if _, err := l.seed(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := l.inventory(t, "demo").Products, whole(t, loadMain).Products-1; got != want {
		t.Errorf("%d products after the owner deleted one, expected %d", got, want)
	}
}

func TestOldKeysAreRevoked(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var keys []string
	for range keptKeys + 2 {
		r, err := l.seed(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, r.Key)
		l.Clock.Advance(time.Minute)
	}
	for i, key := range keys {
		want := 200
		if i < 2 {
			want = 401
		}
		if status, _ := l.Call("GET", "/v1/account/token", key, nil); status != want {
			t.Errorf("key %d of %d answers %d, expected %d", i+1, len(keys), status, want)
		}
	}
}

func TestInterruptedSeedingIsCompletedByTheNextRun(t *testing.T) {
	t.Parallel()
	pictures, sections := whole(t, loadMain).Files, whole(t, loadMain).Categories
	for name, kill := range map[string]struct{ picture, write int }{
		"before the first picture": {picture: 1},
		"among the pictures":       {picture: pictures / 2},
		"among the sections":       {write: sections / 2},
		"among the products":       {write: sections + 30},
		"among the articles":       {write: sections + 63 + 13},
		"among the redirects":      {write: sections + 63 + 14*2 + 8},
		"in the second shop":       {picture: pictures + 3},
		"near the end of both":     {write: 140},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			ctx, cancel := context.WithCancel(t.Context())
			l.onto = func(n int64) {
				if n == int64(kill.picture) {
					cancel()
				}
			}
			writes := 0
			l.Store.OnChange(func(context.Context, shop.CompanyID, int64) {
				if writes++; writes == kill.write {
					cancel()
				}
			})
			if _, err := l.seed(ctx); !errors.Is(err, context.Canceled) {
				t.Fatalf("the first run ended with %v after %d pictures and %d writes", err, l.read.Load(), writes)
			}
			l.onto = func(int64) {}
			if _, err := l.seed(t.Context()); err != nil {
				t.Fatal(err)
			}
			l.isWhole(t)
		})
	}
}

func TestOtherShopWithTheSlugIsNotChanged(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	_, _, err := l.Admin.Shops.Create(t.Context(), company.NewShop{Slug: "demo", Name: "Real", Currency: "USD"}, func() (shop.UserID, error) {
		return l.Admin.Access.EnsurePerson(t.Context(), "somebody@else.example", "another password")
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.seed(t.Context()); !errors.Is(err, errNotOurs) {
		t.Fatalf("seeding into another owner's shop ended with %v", err)
	}
	if l.read.Load() != 0 {
		t.Error("pictures were read for it")
	}
}

// Each photograph belongs to one entity of one shop, everything shown has one, and together
// they are small enough to be embedded in the program.
func TestPhotographs(t *testing.T) {
	t.Parallel()
	used := map[string]int{}
	for _, load := range []func() (*content, error){loadMain, loadAtelier} {
		c, err := load()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range c.photographs() {
			used[name]++
		}
		for _, p := range c.Products {
			if len(p.photographs()) == 0 {
				t.Errorf("%s has no photograph", p.SKU)
			}
		}
	}
	files, err := photographs.ReadDir("photographs")
	if err != nil {
		t.Fatal(err)
	}
	weight := 0
	for _, f := range files {
		body, err := photographs.ReadFile("photographs/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		weight += len(body)
		img, err := webp.DecodeConfig(bytes.NewReader(body))
		if err != nil || max(img.Width, img.Height) > 2560 || min(img.Width, img.Height) < 800 {
			t.Errorf("%s: %d x %d, %v", f.Name(), img.Width, img.Height, err)
		}
		if used[f.Name()] != 1 {
			t.Errorf("%s is the photograph of %d entities", f.Name(), used[f.Name()])
		}
	}
	if weight > 6<<20 || len(files) < 100 {
		t.Errorf("%d photographs of %d bytes", len(files), weight)
	}
}

func TestDemoShopUsesEveryFeature(t *testing.T) {
	t.Parallel()
	c, err := loadMain()
	if err != nil {
		t.Fatal(err)
	}
	count := func(what string, least int, holds func(product) bool) {
		t.Helper()
		n := 0
		for _, p := range c.Products {
			if holds(p) {
				n++
			}
		}
		if n < least {
			t.Errorf("%s: %d, expected %d at least", what, n, least)
		}
	}
	count("products", 60, func(product) bool { return true })
	count("free", 1, func(p product) bool { return p.Price == 0 })
	count("over a thousand", 1, func(p product) bool { return p.Price > 1000 })
	count("sold out", 4, func(p product) bool { return p.Stock != nil && *p.Stock == 0 && on(p.Published) })
	count("low", 4, func(p product) bool { return p.Stock != nil && *p.Stock > 0 && *p.Stock <= p.Low })
	count("the last one", 2, func(p product) bool { return p.Stock != nil && *p.Stock == 1 })
	count("reduced", 6, func(p product) bool { return p.Old > p.Price })
	count("unpublished", 2, func(p product) bool { return !on(p.Published) })
	count("with four pictures", 3, func(p product) bool { return len(p.photographs()) == 4 })
	count("with a long name", 1, func(p product) bool { return len(p.Name) > 90 })
	count("in two sections", 2, func(p product) bool { return len(p.Also) > 0 })

	depth := map[string]int{"": 0}
	deepest := 0
	for _, s := range c.Categories {
		depth[s.slug()] = depth[s.Parent] + 1
		deepest = max(deepest, depth[s.slug()])
	}
	if deepest != 4 {
		t.Errorf("the deepest section is on level %d, expected 4", deepest)
	}
	if !slices.ContainsFunc(c.Articles, func(a article) bool { return a.Days == nil }) ||
		!slices.ContainsFunc(c.Articles, func(a article) bool { return a.Days != nil && *a.Days > 0 }) {
		t.Error("no article without a date, or none dated in the future")
	}
}
