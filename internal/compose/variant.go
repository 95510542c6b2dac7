package compose

import (
	"slices"

	"vitrine/internal/load"
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
	at := load.PlacedOf(&row)
	own := p.shelf.Unit(at, row.Price)
	product.Price, product.Promotion = own.Price, own.Promotion
	if own.Was > 0 {
		product.OldPrice = own.Was
	}
	tags := p.shelf.Units(at, pricesOf(sets)...)
	picked, places := options(sets)
	product.Options = picked
	for i, v := range sets {
		choice := render.Variant{ID: int64(v.ID), Name: v.Named(), Price: tags[i].Price, OldPrice: tags[i].Was}
		if tags[i].Was == 0 && *v.Price == row.Price {
			choice.OldPrice = row.OldPrice
		}
		if places != nil {
			choice.At = places[i]
		}
		if v.ImagePath != "" {
			choice.Image = render.Image{Path: shop.FileURL(v.ImagePath), Alt: choice.Name}
		}
		product.Variants = append(product.Variants, choice)
	}
	typed := row.Price
	if row.Price == 0 && len(product.Variants) > 0 {
		product.Price, product.OldPrice, product.Promotion = tags[0].Price, tags[0].Was, tags[0].Promotion
		typed = *sets[0].Price
	}
	if named != "" {
		chosen := slices.IndexFunc(sets, func(v store.Variant) bool { return v.SKU == named || v.ID.String() == named })
		if chosen < 0 {
			return shop.ErrNotFound
		}
		product.Chosen = chosen
		if v := product.Variants[chosen]; v.Price != product.Price {
			product.Price, product.OldPrice, product.Promotion = v.Price, v.OldPrice, tags[chosen].Promotion
			typed = *sets[chosen].Price
		}
	}
	for _, level := range p.shelf.Levels(at, typed) {
		product.Levels = append(product.Levels, render.PriceLevel(level))
	}
	return p.sliders(product, row, sets)
}
