package source_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	designdb "vitrine/internal/store/design"
	"vitrine/render"
)

// block adds a block with one section.
func (h *testShop) block(groupType, kind, props string) shop.BlockID {
	h.Helper()
	b := &designdb.Block{
		Name: kind, GroupType: shop.GroupType(groupType),
		Sections: shop.Objects(fmt.Sprintf(`[{"type":"text","payload":{"v":2,"kind":%q,"props":%s}}]`, kind, props)),
	}
	h.write(func(ctx context.Context, tx *store.Tx) error { return designdb.InsertBlock(ctx, tx, b) })
	return b.ID
}

func (h *testShop) bind(kind shop.ResourceType, id int64, slots map[string]shop.BlockID) {
	h.Helper()
	h.write(func(ctx context.Context, tx *store.Tx) error { return designdb.Bind(ctx, tx, kind, id, slots) })
}

func (h *testShop) article(slug string, category shop.CategoryID) shop.ArticleID {
	h.Helper()
	a := &catalog.Article{Title: "The " + slug, Category: category, SEO: catalog.SEO{Slug: slug}, IsPublished: true}
	h.write(func(ctx context.Context, tx *store.Tx) error { return catalog.InsertArticle(ctx, tx, a, true) })
	return a.ID
}

// outline returns the kinds and texts of blocks.
func outline(blocks []render.Block) string {
	names := map[render.BlockKind]string{
		render.BlockGroup: "group", render.BlockColumns: "columns", render.BlockText: "text", render.BlockBreadcrumbs: "crumbs",
		render.BlockPageHeading: "heading", render.BlockArticleText: "own",
		render.BlockArticleGrid: "grid",
	}
	var out []string
	for _, b := range blocks {
		text := names[b.Kind] + b.Text
		if b.Widget != nil {
			text = map[string]string{"articleHeader": "header", "articleListing": "list"}[b.Widget.Kind]
		}
		if len(b.Group)+len(b.Aside) > 0 {
			text += "(" + outline(b.Group)
			if len(b.Aside) > 0 {
				text += " | " + outline(b.Aside)
			}
			text += ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

func (h *testShop) layout(entity compile.Entity, id int64) render.Layout {
	h.Helper()
	site, _ := h.site()
	c, err := h.page(site, entity, id, 1)
	if err != nil {
		h.Fatal(err)
	}
	return render.FrameOf(c.Page).Layout
}

func TestTheBlocksOfAnArticleFillItsTemplate(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	news := h.category("news", 0, "news")
	article, other := h.article("one", news), h.article("two", news)
	first, second, third := h.block("", "text", `{"text":"1"}`), h.block("", "text", `{"text":"2"}`), h.block("", "text", `{"text":"3"}`)
	top := func(flags string) shop.BlockID {
		return h.block("", "zone", fmt.Sprintf(`{"refs":[%d,"%d"]%s}`, third, first, flags))
	}
	attach := func(zone shop.BlockID) {
		h.write(func(ctx context.Context, tx *store.Tx) error {
			return designdb.AttachBlocks(
				ctx, tx, store.EntityArticle, int64(article),
				[]designdb.Attachment{{BlockID: zone}, {BlockID: first}, {BlockID: second}, {BlockID: third}},
			)
		})
	}
	attach(top(""))
	if l := h.layout(compile.EntityArticle, int64(article)); outline(l.Body) != "text3 text1 text2" || l.Template {
		t.Errorf("without a template: %s", outline(l.Body))
	}
	header, list := h.block("", "articleHeader", `{}`), h.block("", "articleListing", `{"articles":{"source":"news","limit":5}}`)
	crumbs := h.block("", "breadcrumbs", `{}`)
	columns := h.block(
		"article", "group",
		fmt.Sprintf(`{"widgets":[%[1]d,%[2]d,%[3]d],"grid":{"main":[%[1]d,%[2]d],"aside":[%[3]d]}}`, crumbs, header, list),
	)
	h.bind("system", 0, map[string]shop.BlockID{"body_article": columns})
	l := h.layout(compile.EntityArticle, int64(article))
	if got := outline(l.Body); got != "columns(crumbs header own(text3 text1 text2) | list)" || !l.Template {
		t.Errorf("in columns: %s", got)
	}
	if listed := l.Body[0].Aside[0].Widget.Articles; len(listed) != 1 || listed[0].ID != other {
		t.Errorf("the listing beside an article: %+v", listed)
	}
	attach(top(`,"hideSystemBlock":true`))
	if l := h.layout(compile.EntityArticle, int64(article)); outline(l.Body) != "columns(own(text3 text1 text2) | list)" || !l.HideSystem {
		t.Errorf("without the top layer: %s", outline(l.Body))
	}
	h.bind(
		"theme", int64(h.block("theme", "group", `{}`)),
		map[string]shop.BlockID{"body_article": h.block("article", "group", fmt.Sprintf(`{"widgets":[%d]}`, header))},
	)
	attach(top(""))
	if l := h.layout(compile.EntityArticle, int64(article)); outline(l.Body) != "group(header) own(text3 text1 text2)" {
		t.Errorf("by the layout: %s", outline(l.Body))
	}
}

func TestARubricIsPaginatedByTheGridOfItsTemplate(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	news := h.category("news", 0, "news")
	for i := range 5 {
		h.article(fmt.Sprint("a", i), news)
	}
	visit := func(number int) (*render.Rubric, error) {
		site, _ := h.site()
		c, err := h.page(site, compile.EntityCategory, int64(news), number)
		if err != nil {
			return nil, err
		}
		return c.Page.(*render.Rubric), nil
	}
	if r, err := visit(1); err != nil || len(r.Articles) != 5 || r.Layout.Template {
		t.Errorf("without a template: %+v, %v", r, err)
	}
	template := func(paging string) {
		grid := h.block("", "articleGrid", `{"articleGrid":{"limit":2,"columns":9,"coverAspect":"3/4"`+paging+`}}`)
		h.bind("system", 0, map[string]shop.BlockID{"body_news": h.block("news", "group", fmt.Sprintf(`{"widgets":[%d]}`, grid))})
	}
	template("")
	for number, want := range map[int]int{1: 2, 2: 2, 3: 1} {
		r, err := visit(number)
		if err != nil {
			t.Fatal(err)
		}
		grid := r.Layout.Body[0].Group[0].Articles
		if len(grid.Articles) != want || grid.Paging.Pages != 3 || grid.Columns != 6 || grid.Aspect != "3/4" || r.Paging.Current != number ||
			len(r.Articles) != 0 {
			t.Errorf("page %d: %d articles of %+v", number, len(grid.Articles), grid.Paging)
		}
	}
	if _, err := visit(4); !errors.Is(err, shop.ErrNotFound) {
		t.Errorf("page 4: %v", err)
	}
	template(`,"paging":"none"`)
	if r, err := visit(1); err != nil || r.Layout.Body[0].Group[0].Articles.Paging.Pages != 0 {
		t.Errorf("without pages: %v", err)
	}
	if _, err := visit(2); !errors.Is(err, shop.ErrNotFound) {
		t.Errorf("a second page of a grid without pages: %v", err)
	}
}

// A body bound to a section, a product or the sections above it replaces the page; one
// bound to the shop is shown in addition to the platform's content.
func TestOnlySpecificBodiesReplaceThePage(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	tea := h.category("tea", 0, "product")
	green := h.category("green", tea, "product")
	product := h.product("sencha", green)
	body := map[string]shop.BlockID{"body": h.block("product", "text", `{"text":"body"}`)}
	for _, c := range []struct {
		kind             shop.ResourceType
		id               int64
		product, section bool
	}{
		{"shop", 0, false, false}, {"category_children", int64(tea), true, false}, {"category", int64(green), false, true}, {"product", int64(product), true, false},
	} {
		h.bind(c.kind, c.id, body)
		if got := h.layout(compile.EntityProduct, int64(product)).Template; got != c.product {
			t.Errorf("%s: the product's page is replaced: %v", c.kind, got)
		}
		if got := h.layout(compile.EntityCategory, int64(green)).Template; got != c.section {
			t.Errorf("%s: the section's page is replaced: %v", c.kind, got)
		}
		h.bind(c.kind, c.id, nil)
	}
}

// TestAGridAnswersASearch where the search field is visible; the words apply to all of its
// pages.
func TestAGridAnswersASearch(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	news := h.category("news", 0, "news")
	for _, slug := range []string{"green", "green-too", "black"} {
		h.article(slug, news)
	}
	visit := func(search string, number int) render.ArticleGrid {
		site, _ := h.site()
		c, err := h.source.Content(
			t.Context(), site,
			render.PageRequest{Page: compile.PageRef{Entity: compile.EntityCategory, ID: int64(news)}, Number: number, Search: search},
		)
		if err != nil {
			t.Fatal(err)
		}
		return c.Page.(*render.Rubric).Layout.Body[0].Group[0].Articles
	}
	for visible, want := range map[bool]int{true: 2, false: 3} {
		grid := h.block("", "articleGrid", fmt.Sprintf(`{"articleGrid":{"limit":1,"searchVisible":%v}}`, visible))
		h.bind("system", 0, map[string]shop.BlockID{"body_news": h.block("news", "group", fmt.Sprintf(`{"widgets":[%d]}`, grid))})
		if got := visit("GREEN", 2); got.Paging.Pages != want || len(got.Articles) != 1 || (got.Paging.Search == "GREEN") != visible {
			t.Errorf("visible %v: %+v", visible, got.Paging)
		}
		if got := visit("50%", 1); len(got.Articles) != map[bool]int{true: 0, false: 1}[visible] {
			t.Errorf("visible %v: %d articles", visible, len(got.Articles))
		}
	}
}

// The first grid of articles on a text page has pages as well; a page without a grid has
// only a first page.
func TestAGridIsPaginatedOutsideARubric(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	news, about, plain := h.category("news", 0, "news"), h.category("about", 0, "page"), h.category("plain", 0, "page")
	for i := range 3 {
		h.article(fmt.Sprint("a", i), news)
	}
	grid := h.block("", "articleGrid", fmt.Sprintf(`{"articleGrid":{"limit":2,"categoryId":%d}}`, news))
	group := h.block("category", "group", fmt.Sprintf(`{"widgets":[%d,%d]}`, grid, grid))
	h.bind("category", int64(about), map[string]shop.BlockID{"body": group})
	site, _ := h.site()
	for number, want := range map[int]int{1: 2, 2: 1} {
		c, err := h.page(site, compile.EntityCategory, int64(about), number)
		if err != nil {
			t.Fatal(err)
		}
		grids := render.FrameOf(c.Page).Layout.Body[0].Group
		if len(grids[0].Articles.Articles) != want || grids[0].Articles.Paging.Pages != 2 || len(grids[1].Articles.Articles) != 2 || grids[1].Articles.Paging.Pages != 0 {
			t.Errorf("page %d: %+v and %+v", number, grids[0].Articles.Paging, grids[1].Articles.Paging)
		}
	}
	for page, number := range map[shop.CategoryID]int{about: 3, plain: 2} {
		if _, err := h.page(site, compile.EntityCategory, int64(page), number); !errors.Is(err, shop.ErrNotFound) {
			t.Errorf("page %d of %d: %v", number, page, err)
		}
	}
}

// A listing with the source children shows only products of the sections below, with and
// without the filter.
func TestAListingOfChildren(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	tea := h.category("tea", 0, "product")
	green := h.category("green", tea, "product")
	h.product("mixed", tea)
	h.product("sencha", green)
	for _, filter := range []bool{true, false} {
		for source, want := range map[string]int{"category": 2, "children": 1} {
			list := h.block("", "productListing", fmt.Sprintf(`{"listing":{"source":%q,"showFilter":%t}}`, source, filter))
			h.bind("category", int64(tea), map[string]shop.BlockID{"body": h.block("category", "group", fmt.Sprintf(`{"widgets":[%d]}`, list))})
			if got := h.layout(compile.EntityCategory, int64(tea)).Body[0].Group[0].Products.Products; len(got) != want {
				t.Errorf("%s, filter %v: %d products", source, filter, len(got))
			}
		}
	}
}

// A page is drawn with blocks that somebody is editing: those of the page, of a group, and the list of
// a group itself. Each block says where it is stored.
func TestAPageIsDrawnWithBlocksThatAreNotSaved(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	page := h.category("about", 0, "page")
	first, second := h.block("", "text", `{"text":"1"}`), h.block("", "text", `{"text":"2"}`)
	group := h.block("category", "group", fmt.Sprintf(`{"widgets":[%d]}`, first))
	h.bind("category", int64(page), map[string]shop.BlockID{"body": group})
	h.write(func(ctx context.Context, tx *store.Tx) error {
		return designdb.AttachBlocks(ctx, tx, store.EntityCategory, int64(page), []designdb.Attachment{{BlockID: second}})
	})
	site, _ := h.site()
	text := func(of string) string {
		return fmt.Sprintf(`{"type":"text","payload":{"v":2,"kind":"text","props":{"text":%q}}}`, of)
	}
	for unsaved, want := range map[string]string{
		"": "1.0 1, 2.0 2", `{}`: "1.0 1, 2.0 2",
		fmt.Sprintf(`{"%d":[%s,{"type":"text"},%s]}`, first, text("new"), text("more")):                                                           "1.0 new, 1.2 more, 2.0 2",
		fmt.Sprintf(`{"%d":[%s]}`, second, text("own")):                                                                                           "1.0 1, 2.0 own",
		fmt.Sprintf(`{"%d":[{"type":"text","payload":{"v":2,"kind":"group","props":{"widgets":[%d,%d]}}}],"%d":[]}`, group, second, first, first): "2.0 2, 2.0 2",
		fmt.Sprintf(`{"%d":{"not":"a list"},"999":[%s]}`, first, text("of no page")):                                                              "2.0 2",
	} {
		c, err := h.source.Content(context.Background(), site, render.PageRequest{Page: compile.PageRef{Entity: compile.EntityCategory, ID: int64(page)}, Number: 1, Unsaved: unsaved})
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		var read func([]render.Block)
		read = func(blocks []render.Block) {
			for _, b := range blocks {
				if b.Kind == render.BlockText {
					n := map[shop.BlockID]int{first: 1, second: 2}[b.Place.Block]
					said = append(said, fmt.Sprintf("%d.%d %s", n, b.Place.Section, b.Text))
				}
				read(b.Group)
			}
		}
		read(render.FrameOf(c.Page).Layout.Body)
		if got := strings.Join(said, ", "); got != want {
			t.Errorf("%s: %s, want %s", unsaved, got, want)
		}
	}
}
