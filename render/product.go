package render

import (
	"slices"

	"vitrine/internal/shop"
)

// Stock is the stock of a product. The zero value is "not tracked", which counts as in stock
// (document 2, stock fields).
type Stock struct {
	Tracked bool
	Left    int
	Low     bool // at or below the shop's low threshold
}

// SoldOut reports whether the stock is tracked and empty.
func (s Stock) SoldOut() bool { return s.Tracked && s.Left <= 0 }

// Few is the number of units left of a product that is low in stock.
func (s Stock) Few() int64 { return int64(s.Left) }

// ProductCard is a product in a grid.
type ProductCard struct {
	ID       shop.ProductID
	Name     string
	Path     string // shop path
	Image    Image  // empty Path: a drawn placeholder
	Price    int64  // in the smallest unit of the shop's prices; 0: no price
	OldPrice int64  // 0 or not above Price: none
	PriceTo  int64  // price of the dearest variant if prices differ, else 0
	Stock    Stock

	Promotion string // name of the discount that reduced the price; empty: none

	Rating Rating
}

// Priced reports whether the product has a price. A price of 0 counts if a discount reduced
// it to 0.
func (c ProductCard) Priced() bool { return c.Price > 0 || c.Promotion != "" }

// Buyable reports whether the product has a price and is in stock.
func (c ProductCard) Buyable() bool { return c.Priced() && !c.Stock.SoldOut() }

// Saving is the discount in whole percent, 0 if there is none.
func (c ProductCard) Saving() int64 { return saving(c.Priced(), c.Price, c.OldPrice) }

func saving(priced bool, price, old int64) int64 {
	if !priced || old <= price {
		return 0
	}
	return (old - price) * 100 / old
}

// Product is a product on its own page.
type Product struct {
	ProductCard
	shop.Facts
	SKU         string
	WeightG     int64  // of the selected variant or the product, in grams; 0: unknown
	Description string // plain text; an empty line starts a paragraph
	Gallery     []Image
	Attributes  []Attribute
	Parts       []Part       // the products of a set
	Levels      []PriceLevel // prices from certain quantities on, if no variant has a price
	Variants    []Variant
	Chosen      int      // index into Variants: the one named in the address, else the first with a price
	Named       bool     // the address names the variant
	ByVariant   bool     // each variant has its own stock
	Options     []Option // the properties the variants differ in; none: variants are listed
	Groups      []Siblings
	Sliders     []Slider // at least as many as the variants refer to; empty: Gallery is the only one
	Shown       []Media  // buyers' photos, after all of these
}

// Variant is a variation of a product that can be bought by itself (document 1, 4.2).
type Variant struct {
	ID        int64
	Name      string
	SKU       string
	GTIN      string
	WeightG   int64  // in grams; 0: unknown
	Price     int64  // in the smallest unit of the shop's prices; 0: no price
	OldPrice  int64  // 0: none
	Promotion string // name of the discount that reduced the price; empty: none
	Levels    []PriceLevel
	Image     Image // the chip, and the picture of its cart line; may be empty
	At        []int // the index of its value for each of the product's options
	Stock     Stock // of a product counted by variant

	Slider int // index into the product's Sliders, shown while the variant is selected
}

// Priced reports whether the variant has a price.
func (v Variant) Priced() bool { return v.Price > 0 || v.Promotion != "" }

// Saving is the discount in whole percent, 0 if there is none.
func (v Variant) Saving() int64 { return saving(v.Priced(), v.Price, v.OldPrice) }

// SomeSave reports whether a variant has a discount, which the page shows while it is selected.
func (p *Product) SomeSave() bool {
	return slices.ContainsFunc(p.Variants, func(v Variant) bool { return v.Saving() > 0 })
}

// Weighed reports whether the weight of the product or of a variant is known.
func (p *Product) Weighed() bool {
	return p.WeightG > 0 || slices.ContainsFunc(p.Variants, func(v Variant) bool { return v.WeightG > 0 })
}

// PriceLevel is the price of a unit from a quantity on.
type PriceLevel struct{ From, Price int64 }

// cover is the picture that represents the product.
func (p *Product) cover() Image {
	if p.Image.Path == "" && len(p.Gallery) > 0 {
		return p.Gallery[0]
	}
	return p.Image
}

// Most is the maximum number of units that can be put into a cart at once.
func (s Stock) Most() int {
	if s.Tracked && s.Left > 0 {
		return min(s.Left, maxUnits)
	}
	return maxUnits
}

// Offered is the stock of what the page offers at first: the selected variant or the product.
func (p *Product) Offered() Stock {
	if p.ByVariant && p.Chosen < len(p.Variants) {
		return p.Variants[p.Chosen].Stock
	}
	return p.Stock
}

const maxUnits = 9999

// Attribute is one row of a product's attribute table.
type Attribute struct {
	Name  string
	Value string
}

// CategoryCard is a section as a tile.
type CategoryCard struct {
	Name  string
	Path  string
	Image Image
	Count int // products inside; 0: not printed
}

// Category is a section on its own page.
type Category struct {
	Name        string
	Description string // plain text; an empty line starts a paragraph
	Image       Image
}
