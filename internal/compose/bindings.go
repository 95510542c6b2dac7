package compose

import (
	"context"
	"time"

	"vitrine/compile"
	"vitrine/compile/markup"
	"vitrine/compile/richtext"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/render"
)

// Bindings reads the live data that the programs of html documents use (document 3, 4.6.8), and
// returns the keys it depends on.
func Bindings(
	ctx context.Context, r store.Reader, site *compile.Site, want render.PageRequest, needs markup.Needs, at time.Time,
) (*markup.Data, []shop.Key, error) {
	site = site.ViewFor(want.Opened)
	r = r.Hiding(site.Hidden())
	p := &page{ctx: ctx, r: r, site: site, pricer: load.NewUnitPricer(site, at)}
	data := &markup.Data{}
	if needs.Menu {
		data.Menu = menu(site.Menu())
	}
	if len(needs.Pages) > 0 {
		data.PageURL = func(id int64) string {
			return site.URL(compile.PageRef{Entity: compile.EntityCategory, ID: id})
		}
	}
	section, err := p.bindPage(data, want, needs)
	if err != nil {
		return nil, nil, err
	}
	if want.Page.Entity != compile.EntityCategory {
		section = 0 // a product has a section, but its page is not one
	}
	if needs.Products > 0 {
		if err := p.bindProducts(data, section, needs.Products); err != nil {
			return nil, nil, err
		}
	}
	return data, p.keys, nil
}

// bindPage adds the data of the page itself: its product, section and crumbs.
func (p *page) bindPage(data *markup.Data, want render.PageRequest, needs markup.Needs) (section shop.CategoryID, err error) {
	last := ""
	switch want.Page.Entity {
	case compile.EntityCategory:
		section = shop.CategoryID(want.Page.ID)
	case compile.EntityProduct:
		row, err := catalog.GetProduct(p.ctx, p.r, shop.ProductID(want.Page.ID))
		if err != nil {
			return 0, err
		}
		section, last = row.Category, row.Name
		if needs.Product {
			shown, err := p.pictures(row.ID)
			if err != nil {
				return 0, err
			}
			row.Gallery = withPictures(row.Gallery, shown)
			if _, err = p.parts(&row); err != nil {
				return 0, err
			}
			product := p.bound(row)
			attributes, err := catalog.ProductAttributes(p.ctx, p.r, []shop.ProductID{row.ID})
			if err != nil {
				return 0, err
			}
			for _, a := range attributes[row.ID] {
				product.Attributes = append(product.Attributes, markup.Attribute{Name: a.Name, Value: a.Display()})
			}
			if needs.Details {
				if product.Variants, err = p.variants(row); err != nil {
					return 0, err
				}
			}
			data.Product = &product
			p.uses(shop.Key{Kind: shop.KeyOffers})
		}
	case compile.EntityArticle:
		row, err := catalog.GetArticle(p.ctx, p.r, shop.ArticleID(want.Page.ID))
		if err != nil {
			return 0, err
		}
		section, last = row.Category, row.Title
	}
	if c, ok := p.site.Category(section); ok {
		data.Category = &markup.Category{ID: int64(c.ID), Name: c.Name, URL: p.site.Path(c.ID)}
		for _, a := range append(p.site.Ancestors(section), c) {
			data.Crumbs = append(data.Crumbs, markup.Link{Name: a.Name, URL: p.site.Path(a.ID)})
		}
	}
	if last != "" {
		data.Crumbs = append(data.Crumbs, markup.Link{Name: last, URL: p.site.URL(want.Page)})
	}
	return section, nil
}

// bindProducts lists the shop's visible products, oldest first; on the page of a product section,
// those of its subtree (CONTRACT, "Html documents").
func (p *page) bindProducts(data *markup.Data, section shop.CategoryID, n int) error {
	f := catalog.ProductFilter{PublishedOnly: true, Listed: true, Sort: "created_at", Number: 1, Limit: n}
	if c, ok := p.site.Category(section); ok && c.Type == compile.TypeProduct && !c.Home {
		f.Category, f.Subtree = section, true
	}
	rows, err := catalog.Products(p.ctx, p.r, f)
	if err != nil {
		return err
	}
	if err := p.priceSets(rows); err != nil {
		return err
	}
	err = p.addCovers(rows)
	for _, row := range rows {
		data.Products = append(data.Products, p.bound(row))
	}
	p.uses(shop.Key{Kind: shop.KeyProducts}, shop.Key{Kind: shop.KeyOffers})
	return err
}

func (p *page) bound(row catalog.Product) markup.Product {
	price := p.pricer.Unit(load.PlacementOf(&row), row.Price).Price
	out := markup.Product{
		ID: int64(row.ID), Name: row.Name, URL: p.site.URL(compile.PageRef{Entity: compile.EntityProduct, ID: int64(row.ID)}),
		PriceText: render.PriceText(price, p.site.Shop().Currency, p.site.Shop().PriceDigits, p.language()), Description: richtext.Plain(row.Description),
	}
	for i, f := range row.Gallery {
		path := shop.FileURL(f.Path)
		if i == 0 {
			out.Image = path
		}
		out.Gallery = append(out.Gallery, markup.Picture{URL: path})
	}
	return out
}

func (p *page) variants(row catalog.Product) (out []markup.Variant, err error) {
	variants, err := p.choices(row)
	choices, _ := p.pricer.Choices(load.PlacementOf(&row), load.ChoicesOf(variants))
	for i, v := range variants {
		bound := markup.Variant{
			ID: int64(v.ID), Name: v.Title, SKU: v.SKU, PriceText: render.PriceText(choices[i].Price, p.site.Shop().Currency, p.site.Shop().PriceDigits, p.language()),
		}
		if v.ImagePath != "" {
			bound.Image = shop.FileURL(v.ImagePath)
		}
		out = append(out, bound)
	}
	return out, err
}

func menu(items []compile.MenuItem) (out []markup.MenuItem) {
	for _, m := range items {
		out = append(out, markup.MenuItem{Name: m.Name, URL: m.URL, Children: menu(m.Children)})
	}
	return out
}

// language returns the language of the shop's pages.
func (p *page) language() string {
	return shop.Language(p.site.Shop().Language, p.site.Shop().Currency)
}
