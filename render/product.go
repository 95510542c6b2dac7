package render

import "vitrine/internal/shop"

// Stock is how many of a product there are. The zero value is "not tracked",
// which counts as in stock (document 2, stock fields).
type Stock struct {
	Tracked bool
	Left    int
	Low     bool // at or below the shop's low threshold
}

// SoldOut reports whether the stock is tracked and empty.
func (s Stock) SoldOut() bool { return s.Tracked && s.Left <= 0 }

// Few is how many there are of what is low.
func (s Stock) Few() int64 { return int64(s.Left) }

// ProductCard is a product in a grid.
type ProductCard struct {
	ID       shop.ProductID
	Name     string
	Path     string // shop path
	Image    Image  // empty Path: a drawn placeholder
	Price    int64  // whole currency units; 0: no price
	OldPrice int64  // 0, or not above Price: none
	PriceTo  int64  // of the dearest variant where they cost different sums, else 0
	Stock    Stock

	Promotion string // name of the discount that made it cost less; empty: none

	Rating Rating
}

// Priced reports whether the product has a price: nothing is one where a discount
// left it.
func (c ProductCard) Priced() bool { return c.Price > 0 || c.Promotion != "" }

// Buyable reports whether the product has a price and is in stock.
func (c ProductCard) Buyable() bool { return c.Priced() && !c.Stock.SoldOut() }

// Saving is the discount in whole percent, 0 when there is none.
func (c ProductCard) Saving() int64 {
	if !c.Priced() || c.OldPrice <= c.Price {
		return 0
	}
	return (c.OldPrice - c.Price) * 100 / c.OldPrice
}

// Product is a product on its own page.
type Product struct {
	ProductCard
	shop.Facts
	SKU         string
	Description string // plain text; an empty line starts a paragraph
	Gallery     []Image
	Attributes  []Attribute
	Parts       []Part       // what a set is made of
	Levels      []PriceLevel // what it costs from quantities on, where no variant has a price
	Variants    []Variant
	Chosen      int      // of Variants: what the address names, else the first that has a price
	Named       bool     // whether the address names it
	Options     []Option // what the variants are choices of; none: they are listed
	Groups      []Siblings
	Sliders     []Slider // at least as many as the variants name; empty: Gallery is the one
	Shown       []Media  // what buyers have photographed, behind all of these
}

// Variant is a choice of a product that can be bought by itself (document 1, 4.2).
type Variant struct {
	ID        int64
	Name      string
	SKU       string
	Price     int64  // whole currency units; 0: no price
	OldPrice  int64  // 0: none
	Promotion string // name of the discount that made it cost less; empty: none
	Levels    []PriceLevel
	Image     Image // the chip, and the picture of its cart line; may be empty
	At        []int // which value it has of each of the product's options

	Slider int // of the product's Sliders: what is shown while it is chosen
}

// Priced reports whether the variant has a price.
func (v Variant) Priced() bool { return v.Price > 0 || v.Promotion != "" }

// PriceLevel is what a unit costs from a quantity on.
type PriceLevel struct{ From, Price int64 }

// cover is the picture that stands for the product.
func (p *Product) cover() Image {
	if p.Image.Path == "" && len(p.Gallery) > 0 {
		return p.Gallery[0]
	}
	return p.Image
}

// Most is how many units can be put into a cart at once.
func (p *Product) Most() int {
	if p.Stock.Tracked && p.Stock.Left > 0 {
		return min(p.Stock.Left, maxUnits)
	}
	return maxUnits
}

const maxUnits = 9999

// Attribute is one row of a product's facts.
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
