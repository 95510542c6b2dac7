package source_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	designdb "vitrine/internal/store/design"
	"vitrine/render"
)

// section adds a block with one section with items.
func (h *testShop) section(kind, props, items string) *designdb.Block {
	h.Helper()
	b := &designdb.Block{
		Name:     kind,
		Sections: shop.Objects(fmt.Sprintf(`[{"type":"text","items":%s,"payload":{"v":2,"kind":%q,"props":%s}}]`, items, kind, props)),
	}
	h.write(func(ctx context.Context, tx *store.Tx) error { return designdb.InsertBlock(ctx, tx, b) })
	return b
}

// TestWidgetsShowTheConfiguredData binds a template with every widget that reads the
// shop and checks the data that each of them was given.
func TestWidgetsShowTheConfiguredData(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	news := h.category("news", 0, "news")
	h.category("tea", news, "news")
	h.category("goods", 0, "product")
	page := h.category("about", 0, "page")
	h.article("old", news)
	h.article("new", news)
	first := h.product("first", 0)
	second := h.product("second", 0)
	text := h.block("", "text", `{"text":"cell"}`)
	ids := []string{}
	for _, b := range []*designdb.Block{
		h.section("articleRubrics", `{"articleRubrics":{"layout":"chips"}}`, `[]`),
		h.section("articleListing", `{"articles":{"source":"manual","limit":1}}`, `[{"title":"Picked","url":"/x"},{"title":"Over"}]`),
		h.section("articleListing", `{"articles":{"limit":1}}`, `[{"title":"Picked"}]`),
		h.section("productCard", fmt.Sprintf(`{"card":{"productId":%d}}`, second), `[]`),
		h.section("cards", fmt.Sprintf(`{"source":"products","productRefs":[%d,999,%d]}`, second, first), `[]`),
		h.section("cards", `{"source":"articles","articlesLimit":1}`, `[]`),
		h.section("faq", `{"blockRadius":4}`, `[{"question":"Why?","answer":"So."},7]`),
		h.section("columns", fmt.Sprintf(`{"count":1,"cells":[{"widgets":[%d]},{"widgets":[%d]}]}`, text, text), `[]`),
		h.section("form", `{"form":{"formId":1}}`, `[]`),
		h.section("unheard", `{}`, `[]`),
	} {
		ids = append(ids, b.ID.String())
	}
	group := h.block("category", "group", `{"widgets":`+string(asJSON(t, ids))+`}`)
	h.bind("category", int64(page), map[string]shop.BlockID{"body": group})
	body := h.layout(compile.EntityCategory, int64(page)).Body
	if len(body) != 1 || len(body[0].Group) != 9 || body[0].Group[8].Kind != render.BlockNone { // the form does not exist
		t.Fatalf("%+v", body)
	}
	rendered := body[0].Group
	for i, want := range []string{
		"articleRubrics news", "articleListing Picked", "articleListing The new", "productCard The second",
		"cards The second, The first", "cards The new", "faq Why?", "columns cell",
	} {
		if got := summary(rendered[i].Widget); got != want {
			t.Errorf("%d: %s, want %s", i, got, want)
		}
	}
	if rendered[6].Wrap == nil || rendered[6].Wrap.Axes.Int("blockRadius") != 4 || rendered[5].Wrap != nil {
		t.Errorf("boxes: %+v, %+v", rendered[6].Wrap, rendered[5].Wrap)
	}
}

// summary returns a summary of the data of a widget.
func summary(w *render.Widget) string {
	text, sep := w.Kind, " "
	add := func(name string) { text, sep = text+sep+name, ", " }
	for _, r := range w.Rubrics {
		add(r.Name)
	}
	for _, i := range w.Items {
		add(i.Text("title") + i.Text("question"))
	}
	for _, a := range w.Articles {
		add(a.Title)
	}
	for _, p := range w.Products {
		add(p.Name)
	}
	for _, cell := range w.Cells {
		for _, b := range cell {
			add(b.Text)
		}
	}
	return text
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The owner's description of an item's picture is used as its text; without one the title
// is.
func TestTheOwnersDescriptionOfAnItemsPictureIsUsed(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	page, file := h.category("about", 0, "page"), h.picture("leaves")
	items := fmt.Sprintf(`[{"title":"Oolong","image_id":%q,"alt":"Leaves in a bowl"},{"title":"Sencha","image_id":%q}]`, file.ID, file.ID)
	group := h.block("category", "group", fmt.Sprintf(`{"widgets":[%d]}`, h.section("cards", `{}`, items).ID))
	h.bind("category", int64(page), map[string]shop.BlockID{"body": group})
	got := h.layout(compile.EntityCategory, int64(page)).Body[0].Group[0].Widget.Items
	if got[0].Image.Told != "Leaves in a bowl" || got[1].Image.Told != "" || got[1].Image.Alt != "Sencha" {
		t.Errorf("%+v and %+v", got[0].Image, got[1].Image)
	}
}
