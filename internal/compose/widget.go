package compose

import (
	"errors"
	"slices"

	"github.com/google/uuid"

	"vitrine/compile"
	"vitrine/compile/widget"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/render"
)

// maxPictures bounds how many files of sections' items a page looks up.
const maxPictures = 60

// widget draws a platform widget with what it shows, nil when the kind is none
// or shows nothing (document 3, 2.2).
func (l *layer) widget(s section) *node {
	kind, ok := widget.Lookup(s.Payload.Kind)
	if !ok || !kind.Drawn || kind.Container {
		return nil
	}
	w := &render.Widget{Kind: kind.Name, Props: kind.Read(s.Payload.Props)}
	for _, item := range kind.ReadItems(s.Items) {
		w.Items = append(w.Items, render.Item{
			Values: item, Image: l.picture(item.Text("image_id"), item.Text("title")), Film: l.film(item.Text("video_id")),
		})
		if alt := item.Text("alt"); alt != "" {
			w.Items[len(w.Items)-1].Image.Told = alt
		}
	}
	n := &node{block: render.Block{Kind: render.BlockWidget, Widget: w}}
	switch kind.Name {
	case "productCard":
		w.Products = l.products([]int64{w.Props.Int("productId")})
	case "cards":
		l.cards(w)
	case "articleListing":
		l.articleListing(w)
	case "articleRubrics":
		w.Rubrics = l.rubrics()
	case "articleHeader":
		return l.onTop(n)
	case "form":
		if w.Form = l.form(shop.FormID(w.Props.Int("formId"))); w.Form == nil {
			return nil
		}
	case "siteHeader":
		w.Logo = l.picture(w.Props.Text("logoId"), "")
	case "columns":
		for _, cell := range propsOf(s.Payload.Props).Cells {
			n.cells = append(n.cells, l.blocksOf(cell))
		}
		n.cells = n.cells[:min(len(n.cells), int(w.Props.Int("count")))]
	}
	return n
}

// cards fills a widget of cards: products, the newest articles, or what its
// items hold.
func (l *layer) cards(w *render.Widget) {
	switch w.Props.Text("source") {
	case "products":
		w.Items, w.Products = nil, l.products(w.Props.IDs("productRefs"))
	case "articles":
		w.Items, w.Articles = nil, l.newest(int(max(1, min(w.Props.Int("articlesLimit"), 24))))
	}
}

// products are the visible ones among some, in the given order.
func (l *layer) products(ids []int64) (cards []render.ProductCard) {
	f := store.ProductFilter{PublishedOnly: true, Number: 1, Limit: 48}
	for _, id := range ids[:min(len(ids), f.Limit)] {
		if id > 0 {
			f.IDs = append(f.IDs, shop.ProductID(id))
		}
	}
	if len(f.IDs) == 0 {
		return nil
	}
	for _, id := range f.IDs {
		l.page.uses(shop.Key{Kind: shop.KeyProduct, ID: int64(id)})
	}
	cards = l.productCards(f)
	slices.SortStableFunc(cards, func(a, b render.ProductCard) int { return slices.Index(f.IDs, a.ID) - slices.Index(f.IDs, b.ID) })
	return cards
}

// rubrics are the live rubrics below the page's own, or those of the shop.
func (l *layer) rubrics() []render.CategoryCard {
	cards, err := l.page.sections([]shop.CategoryID{l.rubric()}, compile.TypeNews)
	if err != nil {
		l.err = err
	}
	return cards
}

// rubric is the rubric that the page stands in, 0 where it stands in none.
func (l *layer) rubric() shop.CategoryID {
	if c, ok := l.page.site.Category(l.category); ok && c.Type == compile.TypeNews {
		return l.category
	}
	return 0
}

// form is a form of the shop; one that is gone draws nothing. Forms belong to
// what KeyDesign stands for, as blocks do.
func (l *layer) form(id shop.FormID) *render.Form {
	f, err := l.page.r.Form(l.page.ctx, id)
	if errors.Is(err, store.ErrFormNotFound) {
		return nil
	}
	var form render.Form
	if err == nil {
		form, err = Form(f)
	}
	if err != nil {
		l.err = err
	}
	return &form
}

// picture is a picture of the shop by its id; none without one.
func (l *layer) picture(id, alt string) (image render.Image) {
	if row := l.file(id); row.Path != "" {
		return imageOf(row, alt)
	}
	return image
}

// film is the address of a film of the shop, empty without one.
func (l *layer) film(id string) string {
	if row := l.file(id); row.Path != "" && row.Type == "video" {
		return shop.FileURL(row.Path)
	}
	return ""
}

// file is a file of the shop by its id, as far as a page looks files up.
func (l *layer) file(id string) (row store.File) {
	file, err := uuid.Parse(id)
	if err != nil || l.pictures >= maxPictures {
		return row
	}
	l.pictures++
	row, err = l.page.r.File(l.page.ctx, file)
	if err != nil && !errors.Is(err, store.ErrFileNotFound) {
		l.err = err
	}
	return row
}

// wrap is the box that the wrapper axes of a section ask for. Own markup has
// one only when it is boxed.
func wrap(s section) *render.Wrap {
	in, kind := s.Payload.Props, s.Payload.Kind
	if k, ok := widget.Lookup(kind); !ok || k.Container || k.Legacy != "" || kind == "html" && !propsOf(in).HTML.Boxed {
		return nil
	}
	w := &render.Wrap{
		Axes: widget.ReadWrapper(in, ""), Tablet: widget.ReadWrapper(in, "tablet"), Mobile: widget.ReadWrapper(in, "mobile"),
		NoFill: kind == "productListing", Bleeds: kind == "slideshow" || kind == "cta" || kind == "html",
	}
	if kind == "reels" && w.Axes != nil && w.Axes.Text("overflow") != "clip" {
		delete(w.Axes, "overflow") // the widget's own
	}
	if len(w.Axes)+len(w.Tablet)+len(w.Mobile) == 0 {
		return nil
	}
	return w
}
