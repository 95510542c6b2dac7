package compose

import (
	"slices"

	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/media"
	"vitrine/render"
)

// choices returns the selectable variants of a product.
func (p *page) choices(row catalog.Product) ([]catalog.Variant, error) {
	variants, err := catalog.Variants(p.ctx, p.r, row.ID)
	return catalog.ActiveVariants(row, variants), err
}

// appearance is what a product's page shows besides its row.
type appearance struct {
	variants []catalog.Variant
	linked   []shop.GalleryID
}

// linked returns the galleries that are linked to a product.
func (p *page) linked(id shop.ProductID) ([]shop.GalleryID, error) {
	all, err := media.LinkedGalleries(p.ctx, p.r, store.EntityProduct, []int64{int64(id)})
	return all[int64(id)], err
}

// choose adds the variants and their media to the platform's product page. The product gets the
// price of the selected variant: the one that the address names by SKU or id, else the first that
// can be bought, else the first that has a price. It returns shop.ErrNotFound for an address that names another.
func (p *page) choose(product *render.Product, row catalog.Product, look appearance, named string) error {
	variants := catalog.ActiveVariants(row, look.variants)
	at := load.PlacementOf(&row)
	own := p.pricer.Unit(at, row.Price)
	product.Price, product.Promotion = own.Price, own.Promotion
	if own.Was > 0 {
		product.OldPrice = own.Was
	}
	choices, tags := p.pricer.Choices(at, load.ChoicesOf(variants))
	picked, places := options(variants)
	product.Options, product.ByVariant = picked, row.StockBy == shop.StockByVariant && len(variants) > 0
	for i, v := range variants {
		choice := render.Variant{
			ID: int64(v.ID), Name: v.DisplayTitle(), SKU: v.SKU, GTIN: v.GTIN, WeightG: gramsOf(v.WeightG),
			Price: choices[i].Price, OldPrice: choices[i].Old, Promotion: tags[i].Promotion,
		}
		for _, level := range p.pricer.Levels(at, *v.Price) {
			choice.Levels = append(choice.Levels, render.PriceLevel(level))
		}
		if places != nil {
			choice.At = places[i]
		}
		if product.ByVariant {
			choice.Stock = stockOf(v)
		}
		if v.ImagePath != "" {
			choice.Image = render.Image{Path: shop.FileURL(v.ImagePath), Alt: choice.Name}
		}
		product.Variants = append(product.Variants, choice)
	}
	product.Chosen = slices.IndexFunc(product.Variants, func(v render.Variant) bool { return v.Priced() && !v.Stock.SoldOut() })
	if product.Chosen < 0 {
		product.Chosen = slices.IndexFunc(product.Variants, render.Variant.Priced)
	}
	if named != "" {
		product.Named = true
		product.Chosen = slices.IndexFunc(variants, func(v catalog.Variant) bool { return v.SKU == named || v.ID.String() == named })
		if product.Chosen < 0 {
			return shop.ErrNotFound
		}
	}
	if product.Chosen >= 0 {
		v := product.Variants[product.Chosen]
		product.Price, product.OldPrice, product.Promotion, product.WeightG = v.Price, v.OldPrice, v.Promotion, v.WeightG
	} else {
		product.Chosen = 0
		for _, level := range p.pricer.Levels(at, row.Price) {
			product.Levels = append(product.Levels, render.PriceLevel(level))
		}
	}
	return p.sliders(product, row, variants, look.linked)
}

// gramsOf returns a weight, 0 where it is unknown.
func gramsOf(weight *int) int64 {
	if weight == nil {
		return 0
	}
	return int64(*weight)
}

// stockOf returns the stock of a variant that is counted by itself.
func stockOf(v catalog.Variant) render.Stock {
	if v.Stock == nil {
		return render.Stock{}
	}
	low := 0
	if v.StockLow != nil {
		low = *v.StockLow
	}
	return render.Stock{Tracked: true, Left: *v.Stock, Low: *v.Stock <= low}
}
