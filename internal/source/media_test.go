package source_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"vitrine/compile"
	"vitrine/compile/design"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	designdb "vitrine/internal/store/design"
	formdb "vitrine/internal/store/form"
	"vitrine/internal/store/media"
	"vitrine/render"
)

// rows returns the sliders of a product as the names of their files.
func rows(p render.Product) string {
	var out []string
	for _, s := range p.Sliders {
		var names []string
		for _, m := range s.Items {
			name := strings.TrimSuffix(strings.TrimPrefix(m.Image.Path+m.File+m.HTML, "/files/content/"), ".webp")
			names = append(names, string(m.Kind[:1])+name)
		}
		out = append(out, strings.Join(names, " "))
	}
	return strings.Join(out, " | ")
}

// TestAVariantShowsItsOwnGallery first, and the address selects the variant by sku or id,
// with its price.
func TestAVariantShowsItsOwnGallery(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	tea := h.category("tea", 0, "product")
	cup := h.product("cup", tea)
	own, one, red := h.picture("own"), h.picture("one"), h.picture("red")
	linked, gallery := h.album("linked", one), h.album("red", red, own)
	h.link(store.EntityProduct, int64(cup), linked)
	price := int64(77)
	h.write(func(ctx context.Context, tx *store.Tx) error {
		p, err := catalog.LockProduct(ctx, tx, cup)
		if err != nil {
			return err
		}
		row := p
		row.Gallery = []media.File{own}
		if err := catalog.UpdateProduct(ctx, tx, p, row); err != nil {
			return err
		}
		none := map[string]string{}
		return catalog.SetVariants(
			ctx, tx, cup,
			[]catalog.Variant{
				{SKU: "PLAIN", IsActive: true, Options: none},
				{SKU: "RED", Price: &price, GalleryID: gallery, IsActive: true, Options: none},
			},
		)
	})
	visit := func(variant string) (render.Product, []shop.Key, error) {
		site, _ := h.site()
		c, err := h.source.Content(
			t.Context(), site,
			render.PageRequest{Page: compile.PageRef{Entity: compile.EntityProduct, ID: int64(cup)}, Number: 1, Variant: variant},
		)
		if err != nil {
			return render.Product{}, nil, err
		}
		return c.Page.(*render.ProductPage).Product, c.Keys, nil
	}
	p, keys, err := visit("")
	if err != nil {
		t.Fatal(err)
	}
	if got := rows(p); got != "iown hx ione | hx ired iown" || p.Variants[0].Slider != 0 || p.Variants[1].Slider != 1 || p.Chosen != 0 {
		t.Errorf("%s, %+v", got, p.Variants)
	}
	for _, g := range []shop.GalleryID{linked, gallery} {
		if !strings.Contains(fmt.Sprint(keys), fmt.Sprint(shop.Key{Kind: shop.KeyGallery, ID: int64(g)})) {
			t.Errorf("the page does not depend on gallery %v: %v", g, keys)
		}
	}
	for _, name := range []string{"RED", fmt.Sprint(p.Variants[1].ID)} {
		if p, _, err := visit(name); err != nil || p.Chosen != 1 || p.Price != 77 {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	for _, name := range []string{"red", "0", "-1", "нет"} {
		if _, _, err := visit(name); !errors.Is(err, shop.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLegacyKindsAreStillRead: kits, zones and headings left over from older editors
// (document 3, section 9).
func TestLegacyKindsAreStillRead(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	page := h.category("about", 0, "page")
	text := func(words string) shop.BlockID { return h.block("", "text", fmt.Sprintf(`{"text":%q}`, words)) }
	top, bottom, other := text("top"), text("bottom"), text("other")
	attach := func(ids ...shop.BlockID) {
		h.write(func(ctx context.Context, tx *store.Tx) error {
			var set []designdb.Attachment
			for i, id := range ids {
				set = append(set, designdb.Attachment{BlockID: id, SortOrder: i})
			}
			return designdb.AttachBlocks(ctx, tx, store.EntityCategory, int64(page), set)
		})
	}
	kit := h.block("chrome", "chromeKit", fmt.Sprintf(`{"kit":{"top":[%d],"bottom":[%d]}}`, top, bottom))
	attach(kit, h.heading(`{"type":"text","title":"Old","level":3,"payload":{"v":2,"kind":"heading"}}`))
	l := h.layout(compile.EntityCategory, int64(page))
	if outline(l.Header) != "texttop" || outline(l.Footer) != "textbottom" || len(l.Body) != 1 || l.Body[0].Widget.Words.Text != "Old" ||
		l.Body[0].Widget.Words.Tag != "h3" {
		t.Errorf("attached: %s, %s, %+v", outline(l.Header), outline(l.Footer), l.Body)
	}
	zone := h.block("chrome", "zone", fmt.Sprintf(`{"refs":[%d,%d]}`, other, top))
	h.bind(design.Shop, 0, map[string]shop.BlockID{"header": zone, "footer": kit})
	attach(other)
	if l := h.layout(compile.EntityCategory, int64(page)); outline(l.Header) != "group(textother texttop)" ||
		outline(l.Footer) != "group(textbottom)" ||
		outline(l.Body) != "textother" {
		t.Errorf("bound: %s, %s, %s", outline(l.Header), outline(l.Footer), outline(l.Body))
	}
	attach(kit)
	if l := h.layout(compile.EntityCategory, int64(page)); outline(l.Header) != "texttop" {
		t.Errorf("the page's own kit must precede the shop's slot: %s", outline(l.Header))
	}
	h.bind(design.Category, int64(page), map[string]shop.BlockID{"header": zone})
	if l := h.layout(compile.EntityCategory, int64(page)); outline(l.Header) != "group(textother texttop)" ||
		outline(l.Footer) != "textbottom" {
		t.Errorf("the page's own slot must precede its kit: %s, %s", outline(l.Header), outline(l.Footer))
	}
}

// heading adds a block with one section given verbatim.
func (h *testShop) heading(section string) shop.BlockID {
	h.Helper()
	b := &designdb.Block{Name: "old", Sections: shop.Objects("[" + section + "]")}
	h.write(func(ctx context.Context, tx *store.Tx) error { return designdb.InsertBlock(ctx, tx, b) })
	return b.ID
}

// TestAFormIsRenderedByItsWidget, is rendered again when it changes, and renders nothing
// when it is deleted.
func TestAFormIsRenderedByItsWidget(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	page := h.category("about", 0, "page")
	var form formdb.Form
	save := func(name string) {
		h.write(func(ctx context.Context, tx *store.Tx) (err error) {
			form.Name, form.Fields = name, json.RawMessage(`[{"name":"mail","type":"email","required":true}]`)
			form, err = formdb.Save(ctx, tx, form)
			return err
		})
	}
	save("Ask")
	block := h.section("form", fmt.Sprintf(`{"form":{"formId":"%d"}}`, form.ID), `[]`)
	h.write(func(ctx context.Context, tx *store.Tx) error {
		return designdb.AttachBlocks(ctx, tx, store.EntityCategory, int64(page), []designdb.Attachment{{BlockID: block.ID}})
	})
	body := h.layout(compile.EntityCategory, int64(page)).Body
	if len(body) != 1 || body[0].Widget.Form.Name != "Ask" || body[0].Widget.Form.Fields[0].Type != "email" {
		t.Fatalf("%+v", body)
	}
	site, version := h.site()
	save("Ask us")
	delta, err := h.source.Delta(t.Context(), site.Shop().ID, version)
	if err != nil || !strings.Contains(fmt.Sprint(delta.Keys), fmt.Sprint(shop.Key{Kind: shop.KeyDesign})) {
		t.Errorf("a changed form changes %v, %v", delta.Keys, err)
	}
	h.write(func(ctx context.Context, tx *store.Tx) error { return formdb.Delete(ctx, tx, form.ID) })
	if body := h.layout(compile.EntityCategory, int64(page)).Body; body[0].Kind != render.BlockNone {
		t.Errorf("a deleted form renders %+v", body)
	}
}

// TestACardShowsThePricesOfItsVariants: variants that cannot be bought do not count.
func TestACardShowsThePricesOfItsVariants(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	tea := h.category("tea", 0, "product")
	cup := h.product("cup", tea)
	none := map[string]string{}
	price := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		sets     []catalog.Variant
		low, top int64
		old      int64
	}{
		{nil, 1290, 0, 0},
		{[]catalog.Variant{{SKU: "A", Price: price(30), IsActive: true, Options: none}}, 30, 0, 0},
		{[]catalog.Variant{{SKU: "A", Price: price(30), IsActive: true, Options: none}, {SKU: "B", Price: price(20), IsActive: true, Options: none}, {SKU: "C", IsActive: true, Options: none}}, 20, 1290, 0},
		{[]catalog.Variant{{SKU: "A", Price: price(30), IsActive: true, Options: none}, {SKU: "D", Price: price(5), Options: none}, {SKU: "E", Price: price(0), IsActive: true, Options: none}}, 30, 0, 0},
		{[]catalog.Variant{{SKU: "A", Price: price(30), OldPrice: price(90), IsActive: true, Options: none}, {SKU: "B", Price: price(20), OldPrice: price(25), IsActive: true, Options: none}}, 20, 30, 25},
	} {
		h.write(func(ctx context.Context, tx *store.Tx) error { return catalog.SetVariants(ctx, tx, cup, c.sets) })
		site, _ := h.site()
		page, err := h.page(site, compile.EntityCategory, int64(tea), 1)
		if err != nil {
			t.Fatal(err)
		}
		if card := page.Page.(*render.Listing).Products[0]; card.Price != c.low || card.PriceTo != c.top || card.OldPrice != c.old {
			t.Errorf("%+v: %d to %d, before %d", c, card.Price, card.PriceTo, card.OldPrice)
		}
		narrow := render.PageRequest{Page: compile.PageRef{Entity: compile.EntityCategory, ID: int64(tea)}, Number: 1, Narrow: render.ReadNarrowing("reduced=1")}
		reduced, err := h.source.Content(context.Background(), site, narrow)
		if err != nil {
			t.Fatal(err)
		}
		if found := len(reduced.Page.(*render.Listing).Products); (found == 1) != (c.old > 0) {
			t.Errorf("%+v: %d reduced products", c, found)
		}
	}
}
