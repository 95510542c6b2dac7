package source

import (
	"cmp"

	"vitrine/internal/store"
	"vitrine/render"
)

// choices are the variants of a product that can be bought. One without a price
// of its own costs what the product costs, one without a title is named by its
// sku.
func (p *page) choices(row store.Product) (out []store.Variant, err error) {
	sets, err := p.r.Variants(p.ctx, row.ID)
	for _, v := range sets {
		if !v.IsActive || v.StockQuantity != nil && *v.StockQuantity <= 0 {
			continue
		}
		v.Title = cmp.Or(v.Title, v.SKU)
		if v.Price == nil {
			v.Price = &row.Price
		}
		out = append(out, v)
	}
	return out, err
}

// choose gives the platform's product page the choices. A product that has no
// price itself has that of the first.
func (p *page) choose(product *render.Product, row store.Product) error {
	sets, err := p.choices(row)
	for _, v := range sets {
		choice := render.Variant{ID: int64(v.ID), Name: v.Title, Price: *v.Price}
		if v.ImagePath != "" {
			choice.Image = render.Image{Path: "/files/" + v.ImagePath, Alt: v.Title}
		}
		product.Variants = append(product.Variants, choice)
	}
	if product.Price == 0 && len(product.Variants) > 0 {
		product.Price = product.Variants[0].Price
	}
	return err
}
