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
	items := kind.ReadItems(s.Items)
	w.Items = make([]render.Item, len(items))
	for i, item := range items {
		shown := &w.Items[i]
		shown.Values = item
		l.file(item.Text("image_id"), func(f media.File) {
			shown.Image = imageOf(f, item.Text("title"))
			shown.Image.Told = item.Text("alt")
		})
		l.file(item.Text("video_id"), func(f media.File) {
			if f.Type == "video" {
				shown.Film = shop.FileURL(f.Path)
			}
		})
	}
	n := &node{block: render.Block{Kind: render.BlockWidget, Widget: w}}
	switch kind.Name {
	case "productCard":
		l.products(w, []int64{w.Props.Int("productId")})
	case "cards":
		l.cards(w)
	case "articleListing":
		l.articleListing(w)
	case "articleRubrics":
		l.readRubrics(&w.Rubrics)
	case "articleHeader":
		return l.onTop(n)
	case "form":
		l.form(n, shop.FormID(w.Props.Int("formId")))
	case "siteHeader":
		l.file(w.Props.Text("logoId"), func(f media.File) { w.Logo = imageOf(f, "") })
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
		w.Items = nil
		l.products(w, w.Props.IDs("productRefs"))
	case "articles":
		l.newest(w, int(max(1, min(w.Props.Int("articlesLimit"), 24))))
	}
}

// products fills a widget with the cards of the visible products among ids, in the given order.
func (l *layer) products(w *render.Widget, ids []int64) {
	f := catalog.ProductFilter{PublishedOnly: true, Number: 1, Limit: 48}
	for _, id := range ids[:min(len(ids), f.Limit)] {
		if id > 0 {
			f.IDs = append(f.IDs, shop.ProductID(id))
			l.page.uses(shop.Key{Kind: shop.KeyProduct, ID: id})
		}
	}
	if len(f.IDs) == 0 {
		return
	}
	l.read(func() (err error) {
		w.Products, err = l.page.productCards(f)
		slices.SortStableFunc(w.Products, func(a, b render.ProductCard) int { return slices.Index(f.IDs, a.ID) - slices.Index(f.IDs, b.ID) })
		return err
	})
}

// readRubrics reads the live rubrics below the page's rubric, or those of the shop.
func (l *layer) readRubrics(into *[]render.CategoryCard) {
	l.read(func() (err error) {
		*into, err = l.page.sections([]shop.CategoryID{l.rubric()}, compile.TypeNews)
		return err
	})
}

// rubric returns the rubric of the page, or 0.
func (l *layer) rubric() shop.CategoryID {
	if c, ok := l.page.site.Category(l.category); ok && c.Type == compile.TypeNews {
		return l.category
	}
	return 0
}

// form reads the form of a widget, which draws nothing if the form was deleted. Pages depend on
// forms through KeyDesign, like on blocks.
func (l *layer) form(n *node, id shop.FormID) {
	l.read(func() error {
		row, err := form.Get(l.page.ctx, l.page.r, id)
		if errors.Is(err, form.ErrNotFound) {
			n.block.Kind = render.BlockNone
			return nil
		}
		if err != nil {
			return err
		}
		drawn, err := Form(row)
		n.block.Widget.Form = &drawn
		return err
	})
}

// file reads a file of the shop by its id, up to maxPictures per page, and passes it to show.
func (l *layer) file(id string, show func(media.File)) {
	file, err := uuid.Parse(id)
	if err != nil || l.pictures >= maxPictures {
		return
	}
	l.pictures++
	l.read(func() error {
		row, err := media.GetFile(l.page.ctx, l.page.r, file)
		if errors.Is(err, media.ErrFileNotFound) {
			return nil
		}
		if row.Path != "" {
			show(row)
		}
		return err
	})
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
