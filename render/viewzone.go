package render

import "vitrine/internal/shop"

// ZoneText is what a guarded zone says.
func (v *view) ZoneText() zoneWords {
	if p, ok := v.Page.(*ZonePage); ok {
		return v.T.zone(p.Zone)
	}
	return zoneWords{}
}

// List names the list that the browser keeps and the script fills in, empty
// where a zone has none.
func (v *view) List() string {
	if p, ok := v.Page.(*ZonePage); ok && (p.Zone == shop.ZoneCart || p.Zone == shop.ZoneWishlist) {
		return string(p.Zone)
	}
	return ""
}

// Sign, SignAfter, Group, Point and Digits tell the script how to print sums as PriceText
// does.
func (v *view) Sign() string    { return signOf(v.Shop.Currency).text }
func (v *view) SignAfter() bool { return signOf(v.Shop.Currency).after }
func (v *view) Group() string   { return signOf(v.Shop.Currency).group }
func (v *view) Point() string   { return signOf(v.Shop.Currency).point() }
func (v *view) Digits() int     { return v.Shop.Digits }

// Gallery is the product's pictures, its card's picture where it has no other.
func (v *view) Gallery() []Image {
	p, ok := v.Page.(*ProductPage)
	switch {
	case !ok:
		return nil
	case len(p.Product.Gallery) == 0 && p.Product.Image.Path != "":
		return []Image{p.Product.Image}
	}
	return p.Product.Gallery
}

// Cover is the picture of the product as large as a page shows it.
func (v *view) Cover() string {
	if p, ok := v.Page.(*ProductPage); ok && p.Product.cover().Path != "" {
		return p.Product.cover().Resized(1024)
	}
	return ""
}

// Thumb is the small picture of the product that its cart line shows.
func (v *view) Thumb() string {
	if p, ok := v.Page.(*ProductPage); ok && p.Product.cover().Path != "" {
		return p.Product.cover().Resized(320)
	}
	return ""
}
