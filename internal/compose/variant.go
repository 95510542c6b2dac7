package compose

import (
	"slices"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/render"
)

// choices are the variants of a product that can be chosen.
func (p *page) choices(row store.Product) ([]store.Variant, error) {
	sets, err := p.r.Variants(p.ctx, row.ID)
	return store.Offered(row, sets), err
}

// choose gives the platform's product page the choices, and the media of each. A
// product that has no price itself has that of the first, one whose address
// names a variant the price of that one: by its sku or id, else the address leads
// nowhere.
func (p *page) choose(product *render.Product, row store.Product, named string) error {
	sets, err := p.choices(row)
	if err != nil {
		return err
	}
	for _, v := range sets {
		choice := render.Variant{ID: int64(v.ID), Name: v.Title, Price: *v.Price}
		if v.ImagePath != "" {
			choice.Image = render.Image{Path: shop.FileURL(v.ImagePath), Alt: v.Title}
		}
		product.Variants = append(product.Variants, choice)
	}
	if product.Price == 0 && len(product.Variants) > 0 {
		product.Price = product.Variants[0].Price
	}
	if named != "" {
		at := slices.IndexFunc(sets, func(v store.Variant) bool { return v.SKU == named || v.ID.String() == named })
		if at < 0 {
			return shop.ErrNotFound
		}
		product.Chosen = at
		if price := product.Variants[at].Price; price != product.Price {
			product.Price, product.OldPrice = price, 0
		}
	}
	return p.sliders(product, row, sets)
}
