package compose

import (
	"vitrine/compile"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
	"vitrine/render"
)

// productCards returns the cards of the products that match a filter.
func (p *page) productCards(f catalog.ProductFilter) ([]render.ProductCard, error) {
	rows, err := catalog.Products(p.ctx, p.r, f)
	if err != nil {
		return nil, err
	}
	return p.cards(rows)
}

// newestProducts returns the cards of the shop's newest products.
func (p *page) newestProducts(n int) ([]render.ProductCard, error) {
	return p.productCards(catalog.ProductFilter{PublishedOnly: true, Listed: true, Sort: "created_at", Descending: true, Number: 1, Limit: n})
}

func (p *page) cards(rows []catalog.Product) ([]render.ProductCard, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	p.uses(shop.Key{Kind: shop.KeyOffers})
	ids := make([]shop.ProductID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	var variants map[shop.ProductID][]catalog.Variant
	err := p.together(
		func() error { return p.addCovers(rows) },
		func() error { return p.priceSets(rows) },
		func() (err error) { variants, err = catalog.VariantsOf(p.ctx, p.r, ids); return err },
	)
	if err != nil {
		return nil, err
	}
	cards := make([]render.ProductCard, len(rows))
	for i, row := range rows {
		own := shop.Choice{Price: row.Price, Old: row.OldPrice}
		span := p.pricer.Span(load.PlacementOf(&row), own, load.ChoicesOf(catalog.ActiveVariants(row, variants[row.ID])))
		cards[i] = p.card(row)
		cards[i].Price, cards[i].OldPrice, cards[i].PriceTo, cards[i].Promotion = span.Low, span.Old, span.High, span.Promotion
	}
	return cards, nil
}

// card returns a card with the product's own price, without discounts.
func (p *page) card(row catalog.Product) render.ProductCard {
	c := render.ProductCard{
		ID: row.ID, Name: row.Name, Path: p.site.URL(compile.PageRef{Entity: compile.EntityProduct, ID: int64(row.ID)}),
		Price: row.Price, OldPrice: row.OldPrice,
	}
	if len(row.Gallery) > 0 {
		c.Image = imageOf(row.Gallery[0], row.Name)
	}
	if accepts(row.CommentsEnabled, p.site.Shop().Comments) {
		c.Rating = render.Rating{Stars: row.Rating, Count: row.RatingCount}
	}
	switch {
	case row.StockBy == shop.StockByVariant: // how many are left is a matter of the variant
		c.Stock.Tracked = !row.InStock()
	case row.StockQuantity != nil:
		c.Stock = render.Stock{Tracked: true, Left: *row.StockQuantity, Low: row.StockLow()}
	}
	return c
}

// priceSets sets the prices of product sets. Pages with sets also depend on their parts.
func (p *page) priceSets(rows []catalog.Product) error {
	for _, row := range rows {
		for _, part := range row.Set {
			p.uses(shop.Key{Kind: shop.KeyProduct, ID: int64(part.Product)})
		}
	}
	return load.PriceSets(p.ctx, p.r, rows)
}
