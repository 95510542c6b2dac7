package source_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/uuid"

	"vitrine/compile"
	"vitrine/compile/markup"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/media"
	"vitrine/render"
)

// picture stores a picture under a name.
func (h *testShop) picture(name string) media.File {
	h.Helper()
	f := media.File{
		ID: uuid.New(), UploadID: uuid.New(), Section: "content", Type: "image", Name: name,
		Path: "content/" + name + ".webp", SHA256: "aa", Width: 640, Height: 480,
	}
	h.write(func(ctx context.Context, tx *store.Tx) error {
		if err := media.RequestFile(ctx, tx, &f, []byte(name)); err != nil {
			return err
		}
		return media.StoreFile(ctx, tx, &f, nil)
	})
	return f
}

// album adds a gallery with a text and pictures.
func (h *testShop) album(name string, files ...media.File) shop.GalleryID {
	h.Helper()
	g := &media.Gallery{Name: name, Items: []media.GalleryItem{{Key: "words", Kind: media.GalleryHTML, HTML: "x"}}}
	for _, f := range files {
		g.Items = append(g.Items, media.GalleryItem{Key: f.Name, Kind: "image", File: &f})
	}
	h.write(func(ctx context.Context, tx *store.Tx) error { return media.InsertGallery(ctx, tx, g) })
	return g.ID
}

func (h *testShop) link(entity int16, id int64, galleries ...shop.GalleryID) {
	h.Helper()
	h.write(func(ctx context.Context, tx *store.Tx) error {
		return media.LinkGalleries(ctx, tx, entity, map[int64][]shop.GalleryID{id: galleries})
	})
}

func paths(images []render.Image) (out []string) {
	for _, i := range images {
		out = append(out, i.Path)
	}
	return out
}

func TestAProductShowsThePicturesOfItsGallery(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	tea := h.category("tea", 0, "product")
	cup := h.product("cup", tea)
	one, two, red := h.picture("one"), h.picture("two"), h.picture("red")
	first, second, third := h.album("first", one, two), h.album("second", red), h.album("third")
	shown := func(name string, want []string, gallery shop.GalleryID) {
		t.Helper()
		site, _ := h.site()
		c, err := h.page(site, compile.EntityProduct, int64(cup), 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := paths(c.Page.(*render.ProductPage).Product.Gallery); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		if gallery != 0 && !slices.Contains(c.Keys, shop.Key{Kind: shop.KeyGallery, ID: int64(gallery)}) {
			t.Errorf("%s: the page does not depend on the gallery: %v", name, c.Keys)
		}
		data, keys, err := h.source.Bindings(
			t.Context(), site, render.PageRequest{Page: compile.PageRef{Entity: compile.EntityProduct, ID: int64(cup)}},
			markup.Needs{Product: true, Details: true},
		)
		if err != nil || len(data.Product.Gallery) != len(want) ||
			gallery != 0 && !slices.Contains(keys, shop.Key{Kind: shop.KeyGallery, ID: int64(gallery)}) {
			t.Errorf("%s: bound %v, %v, %v", name, data, keys, err)
		}
	}
	shown("none", nil, 0)
	h.link(store.EntityProduct, int64(cup), first, second)
	shown("the first that is linked", []string{"/files/content/one.webp", "/files/content/two.webp"}, first)
	h.write(func(ctx context.Context, tx *store.Tx) error {
		return catalog.SetVariants(
			ctx, tx, cup,
			[]catalog.Variant{
				{SKU: "OFF", GalleryID: first, Options: map[string]string{}},
				{SKU: "RED", GalleryID: second, IsActive: true, Options: map[string]string{}},
			},
		)
	})
	shown("that of the first active set", []string{"/files/content/red.webp"}, second)
	h.write(func(ctx context.Context, tx *store.Tx) error {
		p, err := catalog.LockProduct(ctx, tx, cup)
		if err != nil {
			return err
		}
		row := p
		row.Gallery = []media.File{two, red}
		return catalog.UpdateProduct(ctx, tx, p, row)
	})
	shown("its own first, each once", []string{"/files/content/two.webp", "/files/content/red.webp"}, second)
	h.write(func(ctx context.Context, tx *store.Tx) error { return catalog.SetVariants(ctx, tx, cup, nil) })
	h.link(store.EntityProduct, int64(cup), third)
	shown("a gallery without pictures", []string{"/files/content/two.webp", "/files/content/red.webp"}, third)
}

func TestCardsShowTheFirstPictureOfTheFirstGallery(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	tea := h.category("tea", 0, "product")
	green := h.category("green", tea, "product")
	cup, pot := h.product("cup", tea), h.product("pot", tea)
	g := h.album("g", h.picture("one"), h.picture("two"))
	h.link(store.EntityProduct, int64(cup), g)
	h.link(store.EntityCategory, int64(tea), g)
	h.link(store.EntityCategory, int64(green), g)
	site, _ := h.site()
	c, err := h.page(site, compile.EntityCategory, int64(tea), 1)
	if err != nil {
		t.Fatal(err)
	}
	page := c.Page.(*render.Listing)
	got := map[shop.ProductID]string{}
	for _, card := range page.Products {
		got[card.ID] = card.Image.Path
	}
	const one = "/files/content/one.webp"
	if got[cup] != one || got[pot] != "" || page.Category.Image.Path != one || page.Sections[0].Image.Path != one ||
		page.Sections[0].Image.Width != 640 {
		t.Errorf("cards %v, section %v, tile %v", got, page.Category.Image, page.Sections[0].Image)
	}
	if !slices.Contains(c.Keys, shop.Key{Kind: shop.KeyGallery, ID: int64(g)}) {
		t.Errorf("keys %v", c.Keys)
	}
}

func TestAnArticleShowsThePicturesOfItsGalleries(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	news := h.category("news", 0, "news")
	a := &catalog.Article{
		Category: news, Title: "Harvest", SEO: catalog.SEO{Slug: "harvest"}, IsPublished: true,
		Author: catalog.Author{Mode: "none"},
	}
	h.write(func(ctx context.Context, tx *store.Tx) error { return catalog.InsertArticle(ctx, tx, a, true) })
	one, two := h.picture("one"), h.picture("two")
	first, second := h.album("first", two), h.album("second", one, two)
	h.link(store.EntityArticle, int64(a.ID), first, second)
	site, _ := h.site()
	c, err := h.page(site, compile.EntityArticle, int64(a.ID), 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := paths(c.Page.(*render.ArticlePage).Article.Gallery); !slices.Equal(
		got, []string{"/files/content/two.webp", "/files/content/one.webp"},
	) {
		t.Errorf("%v", got)
	}
	for _, g := range []shop.GalleryID{first, second} {
		if !slices.Contains(c.Keys, shop.Key{Kind: shop.KeyGallery, ID: int64(g)}) {
			t.Errorf("the page does not depend on %v: %v", g, c.Keys)
		}
	}
}
