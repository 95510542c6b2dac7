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
			"Review", ldName{"Person", orElse(r.Author, v.T.Remark.Somebody)}, r.Written.UTC().Format(time.DateOnly), r.Text,
			ldRating{"Rating", json.Number(strconv.Itoa(r.Rating)), 0},
		})
	}
	// A product without a price has no offer: one at 0 would read as free.
	if p.Priced() {
		offer := ldOffer{"Offer", json.Number(shop.Amount(p.Price, v.Shop.Digits)), v.Shop.Currency, schemaOrg + "/InStock", out.URL}
		if p.Stock.SoldOut() {
			offer.Availability = schemaOrg + "/OutOfStock"
		}
		out.Offers = &offer
	}
	return out
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
