package ucp

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"vitrine/admin/assist"
	"vitrine/compile"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
)

// Price is an amount in minor units of the currency.
type Price struct {
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}

// PriceRange is from the lowest to the highest price of variants.
type PriceRange struct {
	Min Price `json:"min"`
	Max Price `json:"max"`
}

// Description is a text without markup.
type Description struct {
	Plain string `json:"plain"`
}

// Category is a section with those above it.
type Category struct {
	Value    string `json:"value" doc:"the names from the top, such as Tea > Green"`
	Taxonomy string `json:"taxonomy"`
}

// Media is a picture.
type Media struct {
	Type string `json:"type"`
	URL  string `json:"url"`
	Alt  string `json:"alt_text,omitempty"`
}

// Rating is the average of reviews.
type Rating struct {
	Value float64 `json:"value"`
	Scale float64 `json:"scale_max"`
	Count int     `json:"count"`
}

// Option is a property in which variants differ.
type Option struct {
	Name   string        `json:"name"`
	Values []OptionValue `json:"values"`
}

// OptionValue is a value of an option. Whether it exists and is available depends on what else is
// selected, and is only answered for one product.
type OptionValue struct {
	Label     string `json:"label"`
	Available *bool  `json:"available,omitempty"`
	Exists    *bool  `json:"exists,omitempty"`
}

// Selected is a value of an option.
type Selected struct {
	Name  string `json:"name" required:"always"`
	Label string `json:"label" required:"always"`
}

// Barcode identifies a variant in trade.
type Barcode struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

// Availability is whether a variant can be bought.
type Availability struct {
	Available bool   `json:"available"`
	Status    string `json:"status" enum:"in_stock,out_of_stock"`
}

// Variant is what can be bought: its id is the id of an item in carts and checkouts.
type Variant struct {
	ID           string       `json:"id"`
	SKU          string       `json:"sku,omitempty"`
	Barcodes     []Barcode    `json:"barcodes,omitempty"`
	Title        string       `json:"title"`
	Description  Description  `json:"description"`
	URL          string       `json:"url"`
	Price        Price        `json:"price"`
	ListPrice    *Price       `json:"list_price,omitempty" doc:"before a discount"`
	Availability Availability `json:"availability"`
	Options      []Selected   `json:"options,omitempty"`
	Media        []Media      `json:"media,omitempty"`
	Inputs       []Input      `json:"inputs,omitempty" doc:"of a lookup: the ids that led here"`
}

// Input is an id of a lookup.
type Input struct {
	ID    string `json:"id"`
	Match string `json:"match" enum:"exact,featured"`
}

// Product is a product as platforms see it.
type Product struct {
	ID          string      `json:"id"`
	Handle      string      `json:"handle,omitempty"`
	Title       string      `json:"title"`
	Description Description `json:"description"`
	URL         string      `json:"url"`
	Categories  []Category  `json:"categories,omitempty"`
	PriceRange  PriceRange  `json:"price_range"`
	ListRange   *PriceRange `json:"list_price_range,omitempty" doc:"before discounts"`
	Media       []Media     `json:"media,omitempty"`
	Options     []Option    `json:"options,omitempty"`
	Variants    []Variant   `json:"variants"`
	Rating      *Rating     `json:"rating,omitempty"`
	Tags        []string    `json:"tags,omitempty"`
	Selected    []Selected  `json:"selected,omitempty" doc:"of one product: the options that the answer is relative to"`
}

// drawer makes products of rows, with prices as on the cards of the storefront.
type drawer struct {
	site   *compile.Site
	pricer load.UnitPricer
}

func (d drawer) price(amount int64) Price {
	s := d.site.Shop()
	return Price{shop.MinorUnits(amount, s.Currency, s.PriceDigits), s.Currency}
}

// draw makes a product. Its variants are those that can be chosen, the first that can be bought first.
func (d drawer) draw(row catalog.Product, sets []catalog.Variant) Product {
	s := d.site.Shop()
	id := row.ID.String()
	p := Product{
		ID: id, Handle: row.SEO.Slug, Title: row.Name, Description: described(row.Description, row.Name),
		URL: s.Origin + d.site.URL(compile.PageRef{Entity: compile.EntityProduct, ID: int64(row.ID)}), Categories: d.categories(row), Tags: row.Tags,
	}
	for _, f := range row.Gallery {
		p.Media = append(p.Media, Media{"image", s.Origin + shop.FileURL(f.Path), row.Name})
	}
	if comments := row.CommentsEnabled; row.RatingCount > 0 && (comments == "true" || comments != "false" && s.Comments) {
		p.Rating = &Rating{row.Rating, 5, row.RatingCount}
	}
	d.addVariants(&p, row, catalog.ActiveVariants(row, sets))
	p.span()
	return p
}

// described returns a description, which no product may lack.
func described(text, otherwise string) Description {
	if strings.TrimSpace(text) == "" {
		text = otherwise
	}
	return Description{text}
}

// categories returns the sections of a product that visitors see.
func (d drawer) categories(row catalog.Product) (list []Category) {
	for _, id := range append([]shop.CategoryID{row.Category}, row.Extra...) {
		if path := sectionPath(d.site, id); path != "" {
			list = append(list, Category{path, "merchant"})
		}
	}
	return list
}

// sectionPath returns the names of a section and those above it; "" if visitors do not see it.
func sectionPath(site *compile.Site, id shop.CategoryID) string {
	own, known := site.Category(id)
	if !known || own.Home || !site.Live(id) {
		return ""
	}
	var names []string
	for _, c := range append(site.Ancestors(id), own) {
		if !c.Home {
			names = append(names, c.Name)
		}
	}
	return strings.Join(names, " > ")
}

// addVariants adds what can be chosen, or the product itself.
func (d drawer) addVariants(p *Product, row catalog.Product, active []catalog.Variant) {
	at := load.PlacementOf(&row)
	if len(active) == 0 {
		v := Variant{ID: p.ID, SKU: row.SKU, Title: row.Name, Description: p.Description, URL: p.URL, Availability: availability(row.InStock())}
		v.Barcodes = barcodes(row.GTIN)
		tag := d.pricer.Unit(at, row.Price)
		v.Price, v.ListPrice = d.price(tag.Price), d.listPrice(tag.Price, max(tag.Was, row.OldPrice))
		p.Variants = []Variant{v}
		return
	}
	choices, tags := d.pricer.Choices(at, load.ChoicesOf(active))
	unpriced := slices.ContainsFunc(choices, func(c shop.Choice) bool { return c.Price > 0 })
	names := optionNames(active)
	p.Options = optionsOf(active, names)
	for i, set := range active {
		if unpriced && choices[i].Price == 0 && tags[i].Promotion == "" {
			continue // it has no price yet
		}
		v := Variant{
			ID: assist.ItemID(row.ID, set.ID), SKU: set.SKU, Barcodes: barcodes(set.GTIN), Title: row.Name, URL: p.URL + "?variant=" + set.ID.String(),
			Price: d.price(choices[i].Price), ListPrice: d.listPrice(choices[i].Price, choices[i].Old), Availability: availability(row.InStock()),
		}
		if set.Title != "" {
			v.Title += ", " + set.Title
		}
		v.Description = Description{v.Title}
		if row.StockBy == shop.StockByVariant {
			v.Availability = availability(set.Stock == nil || *set.Stock > 0)
		}
		if set.ImagePath != "" {
			v.Media = []Media{{"image", d.site.Shop().Origin + shop.FileURL(set.ImagePath), v.Title}}
		}
		for _, name := range names {
			v.Options = append(v.Options, Selected{name, set.Options[name]})
		}
		p.Variants = append(p.Variants, v)
	}
	p.featureFirstAvailable()
}

// featureFirstAvailable puts the variant that the page of the product selects before the others.
func (p *Product) featureFirstAvailable() {
	at := slices.IndexFunc(p.Variants, func(v Variant) bool { return v.Availability.Available })
	p.feature(at)
}

// feature puts a variant before the others.
func (p *Product) feature(at int) {
	if at > 0 {
		v := p.Variants[at]
		p.Variants = slices.Insert(slices.Delete(p.Variants, at, at+1), 0, v)
	}
}

func availability(in bool) Availability {
	if in {
		return Availability{true, "in_stock"}
	}
	return Availability{false, "out_of_stock"}
}

func barcodes(gtin string) []Barcode {
	if gtin == "" {
		return nil
	}
	return []Barcode{{"GTIN", gtin}}
}

// listPrice returns the price before a discount; nil if there is none.
func (d drawer) listPrice(now, before int64) *Price {
	if before <= now {
		return nil
	}
	p := d.price(before)
	return &p
}

// span sets the ranges of prices.
func (p *Product) span() {
	list, reduced := PriceRange{}, false
	for i, v := range p.Variants {
		before := v.Price
		if v.ListPrice != nil {
			before, reduced = *v.ListPrice, true
		}
		if i == 0 {
			p.PriceRange, list = PriceRange{v.Price, v.Price}, PriceRange{before, before}
		}
		p.PriceRange.extend(v.Price)
		list.extend(before)
	}
	if reduced {
		p.ListRange = &list
	}
}

func (r *PriceRange) extend(p Price) {
	if p.Amount < r.Min.Amount {
		r.Min = p
	}
	if p.Amount > r.Max.Amount {
		r.Max = p
	}
}

// optionNames returns the options that every variant has.
func optionNames(active []catalog.Variant) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(active[0].Options)) {
		if !slices.ContainsFunc(active, func(v catalog.Variant) bool { return v.Options[name] == "" }) {
			names = append(names, name)
		}
	}
	return names
}

// optionsOf returns the options with their values, in the order of the variants.
func optionsOf(active []catalog.Variant, names []string) (list []Option) {
	for _, name := range names {
		o := Option{Name: name}
		for _, v := range active {
			if label := v.Options[name]; !slices.ContainsFunc(o.Values, func(x OptionValue) bool { return x.Label == label }) {
				o.Values = append(o.Values, OptionValue{Label: label})
			}
		}
		list = append(list, o)
	}
	return list
}

// number reads a positive number in its only spelling.
func number(text string, bits int) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, bits)
	return n, err == nil && n > 0 && strconv.FormatInt(n, 10) == text
}
