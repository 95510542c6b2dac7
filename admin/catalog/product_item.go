package catalog

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/media"
)

// previewRef is the preview in the form that create accepts.
type previewRef struct {
	ID optionalID `json:"id"`
}

// priceItem is a price in a request; currency is empty or that of the shop.
type priceItem struct {
	Price    *int64 `json:"price"`
	OldPrice *int64 `json:"old_price"`
	Currency string `json:"currency"`
}

// ProductItem is a product in a request: absent fields keep their values (document 1, 2.2).
// Attributes replace all attributes of the product if they are sent.
type ProductItem struct {
	Name              *string           `json:"name" required:"POST"`
	Description       *string           `json:"description" len:"100000"`
	Price             *priceItem        `json:"price"`
	CategoryID        *shop.CategoryID  `json:"category_id"`
	Categories        []shop.CategoryID `json:"categories"`
	CategoriesReplace bool              `json:"categories_replace"`
	SKU               *string           `json:"sku" len:"255" refuse:"PRODUCT_SKU_TOO_LONG"`
	GTIN              *string           `json:"gtin" len:"14" refuse:"PRODUCT_GTIN_INVALID" doc:"8, 12, 13 or 14 digits, the last one is the check digit; empty for none"`
	WeightG           optionalWeight    `json:"weight_g" doc:"the weight of a unit in grams, 0 to 10000000; null: unknown"`
	Brand             *string           `json:"brand" len:"255" doc:"the manufacturer"`
	CountryOfOrigin   *string           `json:"country_of_origin" len:"2" refuse:"PRODUCT_COUNTRY_INVALID" doc:"the country where it was made, ISO 3166-1 alpha-2: PT; empty for none"`
	TaxClass          *shop.TaxClass    `json:"tax_class" doc:"which of the shop's tax rates applies"`
	Tags              *[]string         `json:"tags" max:"64" len:"64"`
	SEO               *seoItem          `json:"seo"`
	Gallery           *[]fileRef        `json:"gallery"`
	galleryLinks
	Preview           previewRef            `json:"preview"`    // only for create
	PreviewID         optionalID            `json:"preview_id"` // only for edit
	IsPublished       *bool                 `json:"is_published"`
	PublishedAt       api.OptionalTime      `json:"published_at" doc:"when a published product appears; null or empty: immediately"`
	IsShared          *bool                 `json:"is_shared"`
	IsDeleted         *bool                 `json:"is_deleted"`
	CatalogHidden     *triState             `json:"catalog_hidden"`
	CommentsEnabled   *triState             `json:"comments_enabled"`
	QuestionsEnabled  *triState             `json:"questions_enabled"`
	StockBy           *shop.StockBy         `json:"stock_by" doc:"whether the product is counted as a whole or by variant; has no draft"`
	StockQuantity     *int                  `json:"stock_quantity"` // ignored on edit (document 2)
	StockLowThreshold optionalCount         `json:"stock_low_threshold"`
	Configurable      optionalBool          `json:"configurable" doc:"whether a client may set the price of a line (data.price.total); null: the shop's setting client_prices applies"`
	Kind              *productKind          `json:"kind"`
	Parts             *[]comboPart          `json:"combo_items" max:"20" refuse:"COMBO_INVALID"`
	Discount          *comboDiscount        `json:"combo_discount"`
	Attributes        *[]attributeValueItem `json:"attributes" max:"100" refuse:"ATTRIBUTE_VALUE_INVALID"`
}

// locksCreation reports whether an edit needs the lock of product creation: it may claim a
// slug, a sku or a slot of the plan limit, or lock galleries, which must be locked after it.
func (i ProductItem) locksCreation() bool {
	return i.SKU != nil || i.SEO != nil || i.IsDeleted != nil || i.sent()
}

// newRow returns a new product before the sent fields are applied.
func (i ProductItem) newRow(person shop.UserID) (catalog.Product, error) {
	if n := i.StockQuantity; n != nil && (*n < 0 || *n > maxStock) {
		return catalog.Product{}, errProductStock.At("stock_quantity").With("must be 0 to 2147483647")
	}
	return catalog.Product{
		Kind: "standard", TaxClass: shop.TaxStandard, Tags: []string{}, StockBy: shop.StockByProduct, StockQuantity: i.StockQuantity, PreviewID: i.Preview.ID.ID, UpdatedBy: person,
		Set: []catalog.SetComponent{},
	}, nil
}

// insertable returns a new product with its slug, ready for the store.
func (i ProductItem) insertable(person shop.UserID, l links) (n catalog.NewProduct, err error) {
	row, err := i.newRow(person)
	if err != nil {
		return n, err
	}
	if err := i.apply(&row, l); err != nil {
		return n, err
	}
	if low := row.StockLowThreshold; len(row.Set) > 0 && (row.StockQuantity != nil || low != nil && *low > 0) {
		return n, catalog.ErrStockOfSet.At("stock_quantity")
	}
	if row.StockBy == shop.StockByVariant && row.StockQuantity != nil {
		return n, catalog.ErrStockByVariant.At("stock_quantity")
	}
	row.SEO.Slug, n.Explicit, err = slugFor(row.SEO.Slug, row.Name, "product")
	n.Product = &row
	return n, shop.At(err, "seo.slug")
}

// edit applies the sent fields to an existing row.
func (i ProductItem) edit(row *catalog.Product, person shop.UserID, l links) error {
	old := row.SEO.Slug
	row.UpdatedBy = person
	low := row.StockLowThreshold
	if i.PreviewID.Set {
		row.PreviewID = i.PreviewID.ID
	}
	err := i.apply(row, l)
	if len(row.Set) > 0 { // the stock of a combo follows from its items
		row.StockLowThreshold = low
	}
	if err != nil || row.SEO.Slug == "" || row.SEO.Slug == old {
		return err
	}
	slug, err := shop.ParseSlug(row.SEO.Slug)
	row.SEO.Slug = slug
	return shop.At(err, "seo.slug")
}

// apply sets the sent fields on a row and checks the result.
func (i ProductItem) apply(p *catalog.Product, l links) error {
	api.Set(&p.Name, i.Name)
	api.Set(&p.Description, i.Description)
	api.Set(&p.Category, i.CategoryID)
	api.Set(&p.SKU, i.SKU)
	api.Set(&p.GTIN, i.GTIN)
	api.Set(&p.Brand, i.Brand)
	api.Set(&p.CountryOfOrigin, i.CountryOfOrigin)
	api.Set(&p.Tags, i.Tags)
	api.Set(&p.IsPublished, i.IsPublished)
	api.Set(&p.IsShared, i.IsShared)
	api.Set(&p.CatalogHidden, (*string)(i.CatalogHidden))
	api.Set(&p.CommentsEnabled, (*string)(i.CommentsEnabled))
	api.Set(&p.QuestionsEnabled, (*string)(i.QuestionsEnabled))
	api.Set(&p.Kind, (*string)(i.Kind))
	api.Set(&p.TaxClass, i.TaxClass)
	if i.Configurable.Set {
		p.Configurable = i.Configurable.Value
	}
	if len(i.Categories) > 0 || i.CategoriesReplace {
		p.Extra = i.Categories
	}
	if i.SEO != nil {
		p.SEO = i.SEO.value() // replaced as a whole: an omitted slug clears the address (document 1, 2.2)
	}
	if i.PublishedAt.Set {
		p.PublishedAt = i.PublishedAt.At
	}
	if err := checkPublished(i.PublishedAt); err != nil {
		return err
	}
	if err := i.applyPrice(p, l.currency); err != nil {
		return err
	}
	if p.Name = strings.TrimSpace(p.Name); p.Name == "" {
		return errProductName.At("name")
	}
	if !slices.Contains(productKinds, p.Kind) {
		return errProductKind.At("kind").With("standard, combo or multi")
	}
	if !slices.Contains(shop.TaxClasses, p.TaxClass) {
		return errTaxClass.At("tax_class").With("standard, reduced or zero")
	}
	if utf8.RuneCountInString(p.SKU) > maxSKU {
		return errProductSKU.At("sku").With("at most 255 characters")
	}
	if p.GTIN = strings.TrimSpace(p.GTIN); i.GTIN != nil {
		if err := checkGTIN(p.GTIN); err != nil {
			return shop.At(err, "gtin")
		}
	}
	if err := i.WeightG.apply(&p.WeightG); err != nil {
		return shop.At(err, "weight_g")
	}
	p.Brand = strings.TrimSpace(p.Brand)
	if p.CountryOfOrigin = strings.ToUpper(strings.TrimSpace(p.CountryOfOrigin)); p.CountryOfOrigin != "" && !shop.IsCountry(p.CountryOfOrigin) {
		return errProductCountry.At("country_of_origin").With("must be two letters of ISO 3166-1, such as PT")
	}
	if err := i.StockLowThreshold.apply(&p.StockLowThreshold); err != nil {
		return shop.At(err, "stock_low_threshold")
	}
	if err := checkTriStates("catalog_hidden", p.CatalogHidden, "comments_enabled", p.CommentsEnabled, "questions_enabled", p.QuestionsEnabled); err != nil {
		return err
	}
	if err := i.applyCombo(p, l); err != nil {
		return err
	}
	if err := i.applyStockBy(p, l.live); err != nil {
		return shop.At(err, "stock_by")
	}
	return i.applyLinks(p, l)
}

func (i ProductItem) applyPrice(p *catalog.Product, currency string) error {
	if i.Price == nil {
		return nil
	}
	if i.Price.Currency != "" && i.Price.Currency != currency {
		return errCurrency.At("price.currency").With("prices of this shop are in " + currency)
	}
	api.Set(&p.Price, i.Price.Price)
	api.Set(&p.OldPrice, i.Price.OldPrice)
	if err := checkPrice(p.Price); err != nil {
		return shop.At(err, "price.price")
	}
	return shop.At(checkPrice(p.OldPrice), "price.old_price")
}

// applyLinks sets and checks the sent sections, files, galleries and attributes.
func (i ProductItem) applyLinks(p *catalog.Product, l links) error {
	if i.CategoryID != nil && p.Category != 0 {
		if err := l.sellable(p.Category); err != nil {
			return shop.At(err, "category_id")
		}
	}
	if len(i.Categories) > maxSections {
		return shop.ErrInvalidRequest.At("categories").With("at most 100 additional sections")
	}
	for n, id := range i.Categories {
		if err := l.sellable(id); err != nil {
			return shop.AtEntry(err, "categories", n)
		}
	}
	if i.Gallery != nil {
		p.Gallery = p.Gallery[:0:0]
		for _, f := range *i.Gallery {
			p.Gallery = append(p.Gallery, media.File{ID: f.ID})
		}
	}
	if err := l.stored(i.files(p.ID == 0)); err != nil {
		return err
	}
	if i.sent() {
		if err := i.linkable(l.galleries, maxGalleries); err != nil {
			return err
		}
		p.Galleries = append([]shop.GalleryID{}, i.GalleryIDs...)
	}
	if i.Attributes == nil {
		return nil
	}
	values, err := l.attributeValues(*i.Attributes)
	p.Attributes = values
	return shop.At(err, "attributes")
}

// files returns the pictures that the item names. Create and edit name the preview in different
// fields, and each ignores the other's field.
func (i ProductItem) files(create bool) []namedFile {
	list := []namedFile{{"preview_id", i.PreviewID.ID}}
	if create {
		list = []namedFile{{"preview.id", i.Preview.ID.ID}}
	}
	if i.SEO != nil {
		list = append(list, namedFile{"seo.og_image_id", i.SEO.OGImageID.ID})
	}
	if i.Gallery != nil {
		for n, f := range *i.Gallery {
			list = append(list, namedFile{"gallery[" + strconv.Itoa(n) + "].id", &f.ID})
		}
	}
	return list
}

// sections returns the sections that the item names.
func (i ProductItem) sections() []shop.CategoryID {
	if i.CategoryID == nil || *i.CategoryID == 0 {
		return i.Categories
	}
	return append([]shop.CategoryID{*i.CategoryID}, i.Categories...)
}
