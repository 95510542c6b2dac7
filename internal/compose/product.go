package compose

import (
	"vitrine/compile"
	"vitrine/compile/design"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/media"
	"vitrine/render"
)

// product composes the page of a product: first what is read by its id, then what depends on its
// row.
func (p *page) product(id shop.ProductID, want render.PageRequest) (render.Content, error) {
	p.uses(shop.Key{Kind: shop.KeyProduct, ID: int64(id)}, shop.Key{Kind: shop.KeyOffers})
	pp := &render.ProductPage{}
	c := render.Content{Page: pp}
	var groups []render.Siblings
	err := p.together(
		func() (err error) { groups, err = p.groups(id); return err },
		func() error { return p.productWithoutGroups(&c, pp, id, want) },
	)
	if err != nil {
		return render.Content{}, err
	}
	pp.Product.Groups = groups
	return c, nil
}

func (p *page) productWithoutGroups(c *render.Content, pp *render.ProductPage, id shop.ProductID, want render.PageRequest) error {
	var row catalog.Product
	var pictures []media.File
	var look appearance
	var attributes map[shop.ProductID][]catalog.AttributeValue
	err := p.together(
		func() (err error) {
			row, err = catalog.GetProduct(p.ctx, p.r, id)
			if err == nil && (row.DeletedAt != nil || !row.IsPublished && !p.site.Reveals(compile.PageRef{Entity: compile.EntityProduct, ID: int64(id)})) {
				err = catalog.ErrProductNotFound
			}
			return err
		},
		func() (err error) { pictures, err = p.pictures(id); return err },
		func() (err error) { look.variants, err = catalog.Variants(p.ctx, p.r, id); return err },
		func() (err error) { look.linked, err = p.linked(id); return err },
		func() (err error) {
			attributes, err = catalog.ProductAttributes(p.ctx, p.r, []shop.ProductID{id})
			return err
		},
		func() (err error) { pp.Terms, err = p.terms(); return err },
		func() error { return p.plan(design.Resource{Type: design.Product, ID: shop.Int64(id)}) },
	)
	if err != nil {
		return err
	}
	p.section = row.Category
	return p.together(
		func() error {
			parts, err := p.parts(&row)
			if err != nil {
				return err
			}
			pp.Product = p.productOf(row, pictures)
			pp.Product.Parts = parts
			for _, a := range attributes[id] {
				pp.Product.Attributes = append(pp.Product.Attributes, render.Attribute{Name: a.Name, Value: a.Display()})
			}
			return p.together(
				func() error { return p.choose(&pp.Product, row, look, want.Variant) },
				func() error { return p.remarks(pp, row, want.Remarks) },
			)
		},
		func() (err error) { pp.SEO, err = p.seoOf(row.SEO); return err },
		func() (err error) { pp.Related, err = p.related(row); return err },
		func() error { return p.design(c, p.placeOf(design.Product, int64(id), row.Category, 1)) },
	)
}

// related returns the cards of other products of a product's section.
func (p *page) related(row catalog.Product) (related []render.ProductCard, err error) {
	if row.Category == 0 {
		return nil, nil
	}
	p.uses(shop.Key{Kind: shop.KeyCategory, ID: int64(row.Category)})
	cards, err := p.productCards(catalog.ProductFilter{
		Category: row.Category, PublishedOnly: true, Listed: true, Number: 1, Limit: relatedSize + 1,
	})
	for _, card := range cards {
		if card.ID != row.ID && len(related) < relatedSize {
			related = append(related, card)
		}
	}
	return related, err
}

// productOf returns a product with the pictures of the gallery that it shows.
func (p *page) productOf(row catalog.Product, shown []media.File) render.Product {
	row.Gallery = withPictures(row.Gallery, shown)
	out := render.Product{ProductCard: p.card(row), SKU: row.SKU, Facts: row.Facts, WeightG: gramsOf(row.WeightG), Description: row.Description}
	for _, f := range row.Gallery {
		out.Gallery = append(out.Gallery, imageOf(f, row.Name))
	}
	return out
}

// parts lists the parts of a set, and sets the row's price and stock to those computed from them.
func (p *page) parts(row *catalog.Product) (list []render.Part, err error) {
	if len(row.Set) == 0 {
		return nil, nil
	}
	offers, err := load.Sets(p.ctx, p.r, []shop.ProductID{row.ID})
	if err != nil {
		return nil, err
	}
	o := offers[row.ID]
	row.Price, row.OldPrice, row.StockQuantity = o.Price, o.OldPrice, o.Available
	for _, c := range o.Parts {
		p.uses(shop.Key{Kind: shop.KeyProduct, ID: int64(c.Product)})
		list = append(list, render.Part{Name: c.Name, Quantity: c.Quantity, URL: p.site.URL(compile.PageRef{Entity: compile.EntityProduct, ID: int64(c.Product)})})
	}
	return list, nil
}
