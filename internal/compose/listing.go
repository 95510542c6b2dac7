package compose

import (
	"slices"

	"vitrine/compile"
	"vitrine/compile/design"
	"vitrine/compile/widget"
	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
	"vitrine/render"
)

// productListing draws the products of a section, of the page's own section, or of the whole shop
// (document 3, 2.2).
func (l *layer) productListing(s section) *node {
	kind, _ := widget.Lookup("productListing")
	in := kind.Read(s.Payload.Props)
	f := catalog.ProductFilter{PublishedOnly: true, Listed: true, Sort: "created_at", Number: 1, Limit: int(in.Int("limit"))}
	if in.Text("source") == "shop" {
		f.Descending = true // the shop's newest products
	} else {
		f.Category, f.Subtree, f.Below = shop.CategoryID(in.Int("categoryId")), true, in.Text("source") == "children"
		if f.Category == 0 {
			f.Category = l.category
		}
	}
	l.page.uses(shop.Key{Kind: shop.KeyProducts})
	n := &node{block: render.Block{Kind: render.BlockProductListing, Products: render.ProductGrid{Props: in}}}
	grid := &n.block.Products
	if id := f.Category; id != 0 && id != l.page.section && in.Of("title").Text("text") != "" {
		grid.More.Path = l.page.site.Path(id) // a list of part of a section links to the whole section
	}
	if in.Bool("showFilter") && l.mayNarrow() {
		l.narrow(grid, f)
	} else {
		l.read(func() (err error) { grid.Products, err = l.page.productCards(f); return err })
	}
	return n
}

// read has something read before the page is complete.
func (l *layer) read(f func() error) { l.reads = append(l.reads, f) }

// mayNarrow reports whether a listing applies the filters of the address: the first listing of a
// section's page or the home page does, unless the platform draws the page's own listing.
func (l *layer) mayNarrow() bool {
	c, _ := l.page.site.Category(l.category)
	return l.at.Type == design.Category && c.Type != compile.TypeNews && l.slot == "" && !l.narrowed && (l.templating || !l.page.system)
}

// narrow fills a listing with the filters of the address applied. The listing of the page's own
// product section has pages; others link to their full list.
func (l *layer) narrow(grid *render.ProductGrid, f catalog.ProductFilter) {
	p := l.page
	own := f.Category != 0 && f.Category == l.category && p.system && l.templating
	if own {
		f.Number = l.number
	}
	l.narrowed, l.paged = true, l.paged || own
	path := p.site.URL(p.want.Page)
	l.read(func() error {
		found, cards, finder, err := p.listed(f, path)
		if err != nil {
			return err
		}
		grid.Products, grid.Finder = cards, finder
		switch {
		case own:
			grid.Paging = p.paged(p.want, found.Total, f.Limit)
			l.pages = max(grid.Paging.Pages, 1)
		case found.Total > len(cards) && f.Category == 0:
			grid.More.Path = render.ListAddress(render.SearchPath, p.want.Narrow)
		case found.Total > len(cards):
			if at := p.site.Path(f.Category); at != "" && at != path {
				grid.More.Path = render.ListAddress(at, p.want.Narrow)
			}
		}
		return nil
	})
}

// articleGrid draws articles, newest first: of a rubric, or of the page's own rubric and all
// below it (document 3, 2.2), or of the whole shop on other pages. One grid of a page shows later
// pages by the address, unless its paging is none: on a rubric its own grid, on the home page and
// text pages the first.
func (l *layer) articleGrid(s section) *node {
	kind, _ := widget.Lookup("articleGrid")
	in := kind.Read(s.Payload.Props)
	f := catalog.ArticleFilter{
		Category: shop.CategoryID(in.Int("categoryId")), Subtree: true, PublishedOnly: true, Number: 1, Limit: int(in.Int("limit")),
	}
	own := f.Category == 0
	if own {
		f.Category = l.rubric()
	}
	paged := !l.paged && in.Text("paging") != "none" && (own && f.Category != 0 && l.templating || l.mayPage())
	if paged {
		f.Number, l.paged = l.number, true
	}
	if in.Bool("searchVisible") {
		f.Query = l.page.search
	}
	l.page.uses(shop.Key{Kind: shop.KeyArticle})
	n := &node{block: render.Block{Kind: render.BlockArticleGrid, Articles: render.ArticleGrid{
		Columns: int(in.Int("columns")), Aspect: in.Text("coverAspect"), Props: in,
	}}}
	out := &n.block.Articles
	l.read(func() error {
		rows, total, err := catalog.Articles(l.page.ctx, l.page.r, f)
		if f.Query != "" {
			l.page.searched, l.page.found = true, l.page.found || total > 0
		}
		out.Articles = l.page.articleCards(rows)
		if paged {
			out.Paging = paging(f.Number, total, f.Limit)
			out.Paging.Search = f.Query
			l.pages = max(out.Paging.Pages, 1)
		}
		return err
	})
	if own && in.Bool("rubricsVisible") {
		l.readRubrics(&out.Rubrics)
	}
	return n
}

// mayPage reports whether the address pages through the first grid of the page, whichever rubric
// that shows.
func (l *layer) mayPage() bool {
	c, _ := l.page.site.Category(l.category)
	return l.at.Type == design.Category && l.slot == "" && (c.Type == compile.TypePage || c.Home || c.ID == 0)
}

// articleListing fills a narrow list: the shop's newest articles except the page's own, or the
// cards that the section contains (document 3, 2.2).
func (l *layer) articleListing(w *render.Widget) {
	if limit := int(w.Props.Int("limit")); w.Props.Text("source") == "manual" {
		w.Items = w.Items[:min(len(w.Items), limit)]
	} else {
		l.newest(w, limit)
	}
}

// newest fills a widget with the cards of the shop's newest articles except the page's own.
func (l *layer) newest(w *render.Widget, limit int) {
	w.Items = nil
	l.page.uses(shop.Key{Kind: shop.KeyArticle})
	l.read(func() error {
		rows, _, err := catalog.Articles(l.page.ctx, l.page.r, catalog.ArticleFilter{PublishedOnly: true, Number: 1, Limit: limit + 1})
		rows = slices.DeleteFunc(rows, func(a catalog.Article) bool {
			return l.at == design.Resource{Type: design.Article, ID: shop.Int64(a.ID)}
		})
		w.Articles = l.page.articleCards(rows[:min(len(rows), limit)])
		return err
	})
}
