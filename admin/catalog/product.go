package catalog

import (
	"time"

	"github.com/google/uuid"

	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
	companydb "vitrine/internal/store/company"
)

// Refusals of products (document 1, sections 2.2 and 7).
var (
	errProductName    = shop.Refuse(shop.InvalidArgument, "PRODUCT_NAME_REQUIRED").When("name is missing or empty")
	errProductPrice   = shop.Refuse(shop.InvalidArgument, "PRODUCT_PRICE_INVALID").When("a price is negative, too high or not a whole number")
	errProductKind    = shop.Refuse(shop.InvalidArgument, "PRODUCT_KIND_UNKNOWN").When("kind is not standard, combo or multi")
	errTaxClass       = shop.Refuse(shop.InvalidArgument, "PRODUCT_TAX_CLASS_UNKNOWN").When("tax_class is not standard, reduced or zero")
	errProductFile    = shop.Refuse(shop.NotFound, "PRODUCT_FILE_NOT_FOUND").When("a picture is not a live picture of the shop")
	errCurrency       = shop.Refuse(shop.InvalidArgument, "CURRENCY_IS_STORE_LEVEL").When("price.currency differs from the currency of the shop")
	errProductSKU     = shop.Refuse(shop.InvalidArgument, "PRODUCT_SKU_TOO_LONG").When("sku is too long")
	errProductCountry = shop.Refuse(shop.InvalidArgument, "PRODUCT_COUNTRY_INVALID").When("country_of_origin is not a country code of ISO 3166-1 alpha-2")
)

const (
	kindCombo   = "combo"
	maxPrice    = 2_000_000_000
	maxSKU      = 255 // characters
	maxSections = 100 // additional sections of one product, beside its primary one
)

var productKinds = []string{"standard", kindCombo, "multi"}

// productKind is how a product is sold.
type productKind string

// Values lists the kinds.
func (productKind) Values() []string { return productKinds }

// priceView is a price in whole currency units (document 1, 2.2).
type priceView struct {
	Price         int64  `json:"price"`
	OldPrice      int64  `json:"old_price"`
	Currency      string `json:"currency"`
	PromotionName string `json:"promotion_name"`
}

type productView struct {
	ID                shop.ProductID    `json:"id"`
	CompanyID         shop.CompanyID    `json:"company_id"`
	Name              string            `json:"name"`
	Slug              string            `json:"slug"`
	Description       string            `json:"description"`
	Price             priceView         `json:"price"`
	CategoryID        shop.CategoryID   `json:"category_id"`
	Categories        []shop.CategoryID `json:"categories"`
	SKU               string            `json:"sku"`
	WeightG           *int              `json:"weight_g" doc:"in grams; null: unknown"`
	Tags              []string          `json:"tags"`
	SEO               catalog.SEO       `json:"seo"`
	Gallery           []fileView        `json:"gallery"`
	GalleryIDs        []shop.GalleryID  `json:"gallery_ids"`
	Preview           *fileView         `json:"preview"`
	PreviewAuto       bool              `json:"preview_auto" doc:"true: preview is the first image of the first gallery"`
	PreviewID         *uuid.UUID        `json:"preview_id"`
	IsPublished       bool              `json:"is_published"`
	PublishedAt       *time.Time        `json:"published_at" doc:"when a published product appears; null: immediately"`
	IsShared          bool              `json:"is_shared"`
	IsDeleted         bool              `json:"is_deleted"`
	CatalogHidden     triState          `json:"catalog_hidden"`
	CommentsEnabled   triState          `json:"comments_enabled"`
	QuestionsEnabled  triState          `json:"questions_enabled"`
	StockBy           shop.StockBy      `json:"stock_by"`
	StockQuantity     *int              `json:"stock_quantity" doc:"null: not tracked; by variant the sum of the tracked variants"`
	Configurable      *bool             `json:"configurable"` // null: the shop's setting client_prices applies
	StockLowThreshold *int              `json:"stock_low_threshold"`
	InStock           bool              `json:"in_stock"`
	Kind              productKind       `json:"kind"`
	TaxClass          shop.TaxClass     `json:"tax_class"`
	Parts             []comboPart       `json:"combo_items"`
	Discount          *comboDiscount    `json:"combo_discount"` // null: none
	Attributes        []attributeValue  `json:"attributes"`
	Rating            float64           `json:"rating"`
	RatingCount       int               `json:"rating_count"`
	CreatedAt         time.Time         `json:"created_at"`
	UpdatedAt         time.Time         `json:"updated_at"`
	shop.Facts
}

// productCard is a product with its variants, which lists leave out, and its galleries. The
// active variant is the one that the caller requested by sku or id, else the first available
// one; null without variants (document 1, 4.2). Galleries used only by variants come after
// those of gallery_ids.
type productCard struct {
	productView
	Galleries       []galleryView      `json:"galleries"`
	Variants        []variantView      `json:"variants"`
	ActiveVariantID *catalog.VariantID `json:"active_variant_id"`
}

// choose activates the set with a sku or an id and returns its gallery, 0 for none.
func (c *productCard) choose(wanted string) (gallery shop.GalleryID) {
	for _, v := range c.Variants {
		if !v.IsActive {
			continue
		}
		if c.ActiveVariantID == nil {
			c.ActiveVariantID, gallery = &v.ID, v.GalleryID
		}
		if wanted != "" && (v.SKU == wanted || v.ID.String() == wanted) {
			c.ActiveVariantID = &v.ID
			return v.GalleryID
		}
	}
	return gallery
}

// viewProduct converts a product; without a live preview of its own its first picture is the
// preview.
func viewProduct(company companydb.Company, p catalog.Product) productView {
	v := productView{
		ID: p.ID, CompanyID: company.ID, Name: p.Name, Slug: p.SEO.Slug, Description: p.Description,
		Price:      priceView{Price: p.Price, OldPrice: p.OldPrice, Currency: company.Currency},
		CategoryID: p.Category, Categories: p.Extra, SKU: p.SKU, WeightG: p.WeightG, Facts: p.Facts, Tags: p.Tags, SEO: p.SEO, Gallery: []fileView{}, PreviewID: p.PreviewID,
		IsPublished: p.IsPublished, PublishedAt: shop.UTC(p.PublishedAt), IsShared: p.IsShared, IsDeleted: p.DeletedAt != nil, CatalogHidden: triState(p.CatalogHidden),
		CommentsEnabled: triState(p.CommentsEnabled), QuestionsEnabled: triState(p.QuestionsEnabled), StockBy: p.StockBy, StockQuantity: p.StockQuantity,
		Configurable: p.Configurable, StockLowThreshold: p.StockLowThreshold, InStock: p.InStock(), Kind: productKind(p.Kind), TaxClass: p.TaxClass,
		Parts: viewParts(p.Set), Attributes: []attributeValue{},
		Rating: p.Rating, RatingCount: p.RatingCount, CreatedAt: p.CreatedAt.UTC(), UpdatedAt: p.UpdatedAt.UTC(),
	}
	if len(p.Set) > 0 { // the stock of a combo follows from its items
		v.StockQuantity, v.StockLowThreshold = nil, nil
	}
	if p.SetPercent != 0 {
		v.Discount = &comboDiscount{float64(p.SetPercent) / 100}
	}
	for _, f := range p.Gallery {
		v.Gallery = append(v.Gallery, fileView{ID: f.ID, URL: shop.FileURL(f.Path)})
	}
	if v.Preview = viewFile(p.PreviewID, p.PreviewPath); v.Preview == nil && len(v.Gallery) > 0 {
		v.Preview = &v.Gallery[0]
	}
	return v
}
