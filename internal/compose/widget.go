package compose

import (
	"errors"
	"slices"

	"github.com/google/uuid"

	"vitrine/compile"
	"vitrine/compile/widget"
	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/form"
	"vitrine/internal/store/media"
	"vitrine/render"
)

// maxPictures limits how many files for the items of sections a page reads.
const maxPictures = 60

// widget draws a platform widget with its content. It returns nil for unknown kinds and empty
// widgets (document 3, 2.2).
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

// cards fills a widget of cards: with products, the newest articles, or its own items.
func (l *layer) cards(w *render.Widget) {
	switch w.Props.Text("source") {
	case "products":
		w.Items, w.Products = nil, l.products(w.Props.IDs("productRefs"))
	case "articles":
		w.Items, w.Articles = nil, l.newest(int(max(1, min(w.Props.Int("articlesLimit"), 24))))
	}
}

// products returns the cards of the visible products among ids, in the given order.
func (l *layer) products(ids []int64) (cards []render.ProductCard) {
	f := catalog.ProductFilter{PublishedOnly: true, Number: 1, Limit: 48}
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

// rubrics returns the live rubrics below the page's rubric, or those of the shop.
func (l *layer) rubrics() []render.CategoryCard {
	cards, err := l.page.sections([]shop.CategoryID{l.rubric()}, compile.TypeNews)
	if err != nil {
		l.err = err
	}
	return cards
}

// rubric returns the rubric of the page, or 0.
func (l *layer) rubric() shop.CategoryID {
	if c, ok := l.page.site.Category(l.category); ok && c.Type == compile.TypeNews {
		return l.category
	}
	return 0
}

// form reads a form of the shop, nil if it was deleted. Pages depend on forms through KeyDesign,
// like on blocks.
func (l *layer) form(id shop.FormID) *render.Form {
	f, err := form.Get(l.page.ctx, l.page.r, id)
	if errors.Is(err, form.ErrNotFound) {
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

// picture returns a picture of the shop by its id, empty if there is none.
func (l *layer) picture(id, alt string) (image render.Image) {
	if row := l.file(id); row.Path != "" {
		return imageOf(row, alt)
	}
	return image
}

// film returns the address of a video of the shop, empty if there is none.
func (l *layer) film(id string) string {
	if row := l.file(id); row.Path != "" && row.Type == "video" {
		return shop.FileURL(row.Path)
	}
	return ""
}

// file reads a file of the shop by its id, up to maxPictures per page.
func (l *layer) file(id string) (row media.File) {
	file, err := uuid.Parse(id)
	if err != nil || l.pictures >= maxPictures {
		return row
	}
	l.pictures++
	row, err = media.GetFile(l.page.ctx, l.page.r, file)
	if err != nil && !errors.Is(err, media.ErrFileNotFound) {
		l.err = err
	}
	return row
}

// wrap returns the box for the wrapper axes of a section. Custom markup has one only if it is
// boxed.
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
		delete(w.Axes, "overflow") // the widget sets its own
	}
	if len(w.Axes)+len(w.Tablet)+len(w.Mobile) == 0 {
		return nil
	}
	return w
}
