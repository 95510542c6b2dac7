package render

import (
	"cmp"
	"encoding/json"
	"strconv"
	"time"

	"vitrine/compile/richtext"
	"vitrine/internal/shop"
)

// The schema.org types that pages carry. encoding/json escapes <, > and &, so a value cannot
// leave its script element.
type (
	// ldProduct is a Product, or a ProductGroup of variants.
	ldProduct struct {
		Context     string    `json:"@context,omitempty"`
		Type        string    `json:"@type"`
		Name        string    `json:"name"`
		Description string    `json:"description,omitempty"`
		SKU         string    `json:"sku,omitempty"`
		GTIN        string    `json:"gtin,omitempty"`
		Brand       *ldName   `json:"brand,omitempty"`
		Country     *ldName   `json:"countryOfOrigin,omitempty"`
		Weight      *ldWeight `json:"weight,omitempty"`
		Image       []string  `json:"image,omitempty"`
		URL         string    `json:"url,omitempty"`
		Offers      *ldOffer  `json:"offers,omitempty"`

		Group    string      `json:"productGroupID,omitempty"`
		InGroup  string      `json:"inProductGroupWithID,omitempty"`
		Variants []ldProduct `json:"hasVariant,omitempty"`

		Rating  *ldRating  `json:"aggregateRating,omitempty"`
		Reviews []ldReview `json:"review,omitempty"`
	}
	ldWeight struct {
		Type  string `json:"@type"`
		Value int64  `json:"value"`
		Unit  string `json:"unitCode"`
	}
	ldRating struct {
		Type  string      `json:"@type"`
		Value json.Number `json:"ratingValue"`
		Count int         `json:"reviewCount,omitempty"`
	}
	ldReview struct {
		Type   string   `json:"@type"`
		Author ldName   `json:"author"`
		Date   string   `json:"datePublished"`
		Body   string   `json:"reviewBody,omitempty"`
		Rating ldRating `json:"reviewRating"`
	}
	ldOffer struct {
		Type         string      `json:"@type"`
		Price        json.Number `json:"price"`
		Currency     string      `json:"priceCurrency"`
		Availability string      `json:"availability"`
		URL          string      `json:"url,omitempty"`
	}
	ldCrumbs struct {
		Context string    `json:"@context"`
		Type    string    `json:"@type"`
		Items   []ldCrumb `json:"itemListElement"`
	}
	ldCrumb struct {
		Type     string `json:"@type"`
		Position int    `json:"position"`
		Name     string `json:"name"`
		Item     string `json:"item,omitempty"`
	}
	ldArticle struct {
		Context     string   `json:"@context"`
		Type        string   `json:"@type"`
		Headline    string   `json:"headline"`
		Description string   `json:"description,omitempty"`
		Image       []string `json:"image,omitempty"`
		Published   string   `json:"datePublished,omitempty"`
		Modified    string   `json:"dateModified,omitempty"`
		Author      *ldName  `json:"author,omitempty"`
		Publisher   *ldName  `json:"publisher,omitempty"`
		URL         string   `json:"url,omitempty"`
	}
	ldName struct {
		Type string `json:"@type"`
		Name string `json:"name"`
	}
)

const schemaOrg = "https://schema.org"

// linkedData prints the page's structured data. Pages that search engines do not index have
// none.
func (w *writer) linkedData() {
	v := w.view
	if v.hidden() {
		return
	}
	switch p := v.Page.(type) {
	case *Home:
		w.script(v.ldShop())
		w.script(v.ldWebsite())
	case *ProductPage:
		w.script(v.ldProduct(p))
	case *ArticlePage:
		w.script(v.ldArticle(&p.Article))
	}
	if len(v.Crumbs) > 0 {
		w.script(v.ldCrumbs())
	}
}

func (w *writer) script(data any) {
	text, err := json.Marshal(data)
	if err != nil {
		w.err = err
		return
	}
	w.raw(`<script type="application/ld+json">`)
	w.raw(string(text))
	w.raw("</script>\n")
}

// ldProduct describes the product, or the variant named in the address, or several variants
// as a group. Each has the address, name and price that the feeds give it.
func (v *view) ldProduct(page *ProductPage) ldProduct {
	p := &page.Product
	out := ldProduct{
		Context: schemaOrg, Type: "Product", Name: p.Name, Description: richtext.Plain(p.Description), SKU: p.SKU,
		URL: v.CanonicalURL(), GTIN: p.GTIN, Weight: grams(p.WeightG),
	}
	if p.Brand != "" {
		out.Brand = &ldName{"Brand", p.Brand}
	}
	if p.CountryOfOrigin != "" {
		out.Country = &ldName{"Country", p.CountryOfOrigin}
	}
	for _, i := range v.Gallery() {
		out.Image = append(out.Image, v.absolute(i.Resized(1600)))
	}
	if p.Rating.Count > 0 { // zero where the product no longer accepts reviews
		out.Rating = &ldRating{"AggregateRating", json.Number(p.Rating.Number()), p.Rating.Count}
	}
	for _, r := range page.Remarks.Reviews {
		out.Reviews = append(out.Reviews, ldReview{
			"Review", ldName{"Person", cmp.Or(r.Author, v.T.Remark.Somebody)}, v.Day(r.Written), r.Text,
			ldRating{"Rating", json.Number(strconv.Itoa(r.Rating)), 0},
		})
	}
	var sold []Variant
	for _, variant := range p.Variants {
		if variant.Priced() {
			sold = append(sold, variant)
		}
	}
	switch {
	case p.Named, len(sold) == 1:
		one := p.Variants[p.Chosen]
		variant := v.ldVariant(p, one)
		out.Name, out.SKU, out.GTIN, out.Weight, out.URL = variant.Name, variant.SKU, variant.GTIN, variant.Weight, variant.URL
		out.Offers, out.InGroup = variant.Offers, p.ID.String()
	case len(sold) > 1:
		out.Type, out.SKU, out.GTIN, out.Weight, out.Group = "ProductGroup", "", "", nil, p.ID.String()
		for _, one := range sold {
			out.Variants = append(out.Variants, v.ldVariant(p, one))
		}
	case p.Priced():
		out.Offers = v.ldOffer(p.Stock, p.Price, out.URL)
	}
	return out
}

// ldVariant describes a variant as a product. A barcode identifies one item, so the variant
// does not inherit the product's.
func (v *view) ldVariant(p *Product, of Variant) ldProduct {
	out := ldProduct{Type: "Product", Name: p.Name, SKU: cmp.Or(of.SKU, p.SKU), GTIN: of.GTIN, Weight: grams(of.WeightG)}
	if of.Name != "" {
		out.Name += ", " + of.Name
	}
	if of.Image.Path != "" {
		out.Image = []string{v.absolute(of.Image.Resized(1600))}
	}
	if out.URL = v.CanonicalURL(); out.URL != "" {
		out.URL += "?variant=" + strconv.FormatInt(of.ID, 10)
	}
	if of.Priced() { // an offer at price 0 would be read as free
		stock := p.Stock
		if p.ByVariant {
			stock = of.Stock
		}
		out.Offers = v.ldOffer(stock, of.Price, out.URL)
	}
	return out
}

// grams describes a weight; nil: it is unknown.
func grams(weight int64) *ldWeight {
	if weight == 0 {
		return nil
	}
	return &ldWeight{"QuantitativeValue", weight, "GRM"}
}

func (v *view) ldOffer(s Stock, price int64, url string) *ldOffer {
	offer := &ldOffer{"Offer", json.Number(shop.Amount(price, v.Shop.Digits)), v.Shop.Currency, schemaOrg + "/InStock", url}
	if s.SoldOut() {
		offer.Availability = schemaOrg + "/OutOfStock"
	}
	return offer
}

func (v *view) ldArticle(a *Article) ldArticle {
	out := ldArticle{
		Context: schemaOrg, Type: "Article", Headline: a.Title, Description: richtext.Plain(a.Announce), URL: v.CanonicalURL(),
		Publisher: &ldName{"Organization", v.Shop.Name},
	}
	if a.Cover.Path != "" {
		out.Image = []string{v.absolute(a.Cover.Resized(1600))}
	}
	if !a.Published.IsZero() {
		out.Published = a.Published.UTC().Format(time.RFC3339)
	}
	if !a.Modified.IsZero() {
		out.Modified = a.Modified.UTC().Format(time.RFC3339)
	}
	if a.Author.Name != "" {
		out.Author = &ldName{"Person", a.Author.Name}
	}
	return out
}

func (v *view) ldCrumbs() ldCrumbs {
	items := []ldCrumb{{"ListItem", 1, v.T.HomeCrumb, v.Shop.Origin + "/"}}
	for i, c := range v.Crumbs {
		item := ldCrumb{Type: "ListItem", Position: i + 2, Name: c.Name}
		if c.Path != "" {
			item.Item = v.absolute(c.Path)
		}
		items = append(items, item)
	}
	return ldCrumbs{schemaOrg, "BreadcrumbList", items}
}
