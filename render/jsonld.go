package render

import (
	"encoding/json"
	"strconv"
	"time"

	"vitrine/compile/richtext"
	"vitrine/internal/shop"
)

// The shapes of schema.org that pages carry. encoding/json escapes <, > and &,
// so a value cannot leave its script element.
type (
	ldProduct struct {
		Context     string   `json:"@context"`
		Type        string   `json:"@type"`
		Name        string   `json:"name"`
		Description string   `json:"description,omitempty"`
		SKU         string   `json:"sku,omitempty"`
		GTIN        string   `json:"gtin,omitempty"`
		Brand       *ldName  `json:"brand,omitempty"`
		Image       []string `json:"image,omitempty"`
		URL         string   `json:"url,omitempty"`
		Offers      *ldOffer `json:"offers,omitempty"`

		Rating  *ldRating  `json:"aggregateRating,omitempty"`
		Reviews []ldReview `json:"review,omitempty"`
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
	// ldOffer is an Offer, or an AggregateOffer of variants that cost different sums.
	ldOffer struct {
		Type         string      `json:"@type"`
		Price        json.Number `json:"price,omitempty"`
		Low          json.Number `json:"lowPrice,omitempty"`
		High         json.Number `json:"highPrice,omitempty"`
		Count        int         `json:"offerCount,omitempty"`
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

// linkedData prints the page's structured data. Pages that search engines do
// not keep have none.
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

func (v *view) ldProduct(page *ProductPage) ldProduct {
	p := &page.Product
	out := ldProduct{
		Context: schemaOrg, Type: "Product", Name: p.Name, Description: richtext.Plain(p.Description), SKU: p.SKU,
		URL: v.CanonicalURL(), GTIN: p.GTIN,
	}
	if p.Brand != "" {
		out.Brand = &ldName{"Brand", p.Brand}
	}
	for _, i := range v.Gallery() {
		out.Image = append(out.Image, v.absolute(i.Resized(1600)))
	}
	if p.Rating.Count > 0 { // none where the product takes none any more
		out.Rating = &ldRating{"AggregateRating", json.Number(p.Rating.Number()), p.Rating.Count}
	}
	for _, r := range page.Remarks.Reviews {
		out.Reviews = append(out.Reviews, ldReview{
			"Review", ldName{"Person", orElse(r.Author, v.T.Remark.Somebody)}, v.Day(r.Written), r.Text,
			ldRating{"Rating", json.Number(strconv.Itoa(r.Rating)), 0},
		})
	}
	out.Offers = v.ldOffer(p)
	return out
}

// ldOffer is what a product is offered for: by its variants where it has several. A
// product without a price has no offer: one at 0 would read as free.
func (v *view) ldOffer(p *Product) *ldOffer {
	offer := &ldOffer{Type: "Offer", Currency: v.Shop.Currency, Availability: schemaOrg + "/InStock", URL: v.CanonicalURL()}
	if p.Stock.SoldOut() {
		offer.Availability = schemaOrg + "/OutOfStock"
	}
	sum := func(amount int64) json.Number { return json.Number(shop.Amount(amount, v.Shop.Digits)) }
	var low, high int64
	for _, variant := range p.Variants {
		if variant.Price <= 0 {
			continue
		}
		if offer.Count++; offer.Count == 1 || variant.Price < low {
			low = variant.Price
		}
		high = max(high, variant.Price)
	}
	switch {
	case offer.Count > 1:
		offer.Type, offer.Low, offer.High = "AggregateOffer", sum(low), sum(high)
	case p.Priced():
		offer.Count, offer.Price = 0, sum(p.Price)
	default:
		return nil
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
