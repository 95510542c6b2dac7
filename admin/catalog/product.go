package catalog

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of products (document 1, sections 2.2 and 7).
var (
	errProductName  = shop.Refuse(shop.InvalidArgument, "PRODUCT_NAME_REQUIRED")
	errProductPrice = shop.Refuse(shop.InvalidArgument, "PRODUCT_PRICE_INVALID")
	errProductKind  = shop.Refuse(shop.InvalidArgument, "PRODUCT_KIND_UNKNOWN")
	errProductFile  = shop.Refuse(shop.NotFound, "PRODUCT_FILE_NOT_FOUND")
	errCurrency     = shop.Refuse(shop.InvalidArgument, "CURRENCY_IS_STORE_LEVEL")
	errCategoryKind = shop.Refuse(shop.InvalidArgument, "CATEGORY_TYPE_MISMATCH")
	errProductStock = shop.Refuse(shop.InvalidArgument, "PRODUCT_STOCK_INVALID")
	errProductSKU   = shop.Refuse(shop.InvalidArgument, "PRODUCT_SKU_TOO_LONG")
)

const (
	maxPrice    = 2_000_000_000
	maxStock    = 2_000_000_000
	maxSKU      = 255 // characters
	maxSections = 100 // of one product, beside its primary one
)

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
	Tags              []string          `json:"tags"`
	SEO               store.SEO         `json:"seo"`
	Gallery           []fileView        `json:"gallery"`
	Preview           *fileView         `json:"preview"`
	PreviewID         *uuid.UUID        `json:"preview_id"`
	IsPublished       bool              `json:"is_published"`
	IsShared          bool              `json:"is_shared"`
	IsDeleted         bool              `json:"is_deleted"`
	CatalogHidden     string            `json:"catalog_hidden"`
	CommentsEnabled   string            `json:"comments_enabled"`
	QuestionsEnabled  string            `json:"questions_enabled"`
	StockQuantity     *int              `json:"stock_quantity"`
	StockLowThreshold int               `json:"stock_low_threshold"`
	InStock           bool              `json:"in_stock"`
	Kind              string            `json:"kind"`
	Rating            float64           `json:"rating"`
	RatingCount       int               `json:"rating_count"`
	CreatedAt         time.Time         `json:"created_at"`
	UpdatedAt         time.Time         `json:"updated_at"`
}

// viewProduct shows a product; one without a living preview of its own shows its
// first picture as preview.
func viewProduct(company store.Company, p store.Product) productView {
	v := productView{
		ID: p.ID, CompanyID: company.ID, Name: p.Name, Slug: p.SEO.Slug, Description: p.Description,
		Price:      priceView{Price: p.Price, OldPrice: p.OldPrice, Currency: company.Currency},
		CategoryID: p.Category, Categories: p.Extra, SKU: p.SKU, Tags: p.Tags, SEO: p.SEO, Gallery: []fileView{}, PreviewID: p.PreviewID,
		IsPublished: p.IsPublished, IsShared: p.IsShared, IsDeleted: p.DeletedAt != nil, CatalogHidden: p.CatalogHidden,
		CommentsEnabled: p.CommentsEnabled, QuestionsEnabled: p.QuestionsEnabled, StockQuantity: p.StockQuantity,
		StockLowThreshold: p.StockLowThreshold, InStock: p.StockQuantity == nil || *p.StockQuantity > 0, Kind: p.Kind,
		Rating: p.Rating, RatingCount: p.RatingCount, CreatedAt: p.CreatedAt.UTC(), UpdatedAt: p.UpdatedAt.UTC(),
	}
	for _, f := range p.Gallery {
		v.Gallery = append(v.Gallery, fileView{ID: f.ID, URL: "/files/" + f.Path})
	}
	if v.Preview = viewFile(p.PreviewID, p.PreviewPath); v.Preview == nil && len(v.Gallery) > 0 {
		v.Preview = &v.Gallery[0]
	}
	return v
}

// previewRef is the preview as create takes it.
type previewRef struct {
	ID optionalID `json:"id"`
}

// productItem is what may be sent of a product: absent fields stay.
type productItem struct {
	Name        *string `json:"name"`
	Description *string `json:"description"`
	Price       *struct {
		Price    *int64 `json:"price"`
		OldPrice *int64 `json:"old_price"`
		Currency string `json:"currency"`
	} `json:"price"`
	CategoryID        *shop.CategoryID  `json:"category_id"`
	Categories        []shop.CategoryID `json:"categories"`
	CategoriesReplace bool              `json:"categories_replace"`
	SKU               *string           `json:"sku"`
	Tags              *[]string         `json:"tags"`
	SEO               *seoItem          `json:"seo"`
	Gallery           *[]fileRef        `json:"gallery"`
	Preview           previewRef        `json:"preview"`    // create takes this form
	PreviewID         optionalID        `json:"preview_id"` // edit takes this one
	IsPublished       *bool             `json:"is_published"`
	IsShared          *bool             `json:"is_shared"`
	IsDeleted         *bool             `json:"is_deleted"`
	CatalogHidden     *string           `json:"catalog_hidden"`
	CommentsEnabled   *string           `json:"comments_enabled"`
	QuestionsEnabled  *string           `json:"questions_enabled"`
	StockQuantity     *int              `json:"stock_quantity"` // ignored on edit (document 2)
	StockLowThreshold *int              `json:"stock_low_threshold"`
	Kind              *string           `json:"kind"`
}

// apply writes the sent fields over a row and checks the result.
func (i productItem) apply(ctx context.Context, r store.Reader, p *store.Product, currency string) error {
	set(&p.Name, i.Name)
	set(&p.Description, i.Description)
	set(&p.Category, i.CategoryID)
	set(&p.SKU, i.SKU)
	set(&p.Tags, i.Tags)
	set(&p.IsPublished, i.IsPublished)
	set(&p.IsShared, i.IsShared)
	set(&p.CatalogHidden, i.CatalogHidden)
	set(&p.CommentsEnabled, i.CommentsEnabled)
	set(&p.QuestionsEnabled, i.QuestionsEnabled)
	set(&p.StockLowThreshold, i.StockLowThreshold)
	set(&p.Kind, i.Kind)
	if len(i.Categories) > 0 || i.CategoriesReplace {
		p.Extra = i.Categories
	}
	if i.SEO != nil {
		p.SEO = i.SEO.value() // whole: an omitted slug empties the address (document 1, 2.2)
	}
	if err := i.applyPrice(p, currency); err != nil {
		return err
	}
	if p.Name = strings.TrimSpace(p.Name); p.Name == "" {
		return errProductName
	}
	if p.Kind != "standard" && p.Kind != "combo" && p.Kind != "multi" {
		return errProductKind.With("standard, combo or multi")
	}
	if utf8.RuneCountInString(p.SKU) > maxSKU {
		return errProductSKU.With("at most 255 characters")
	}
	if p.StockLowThreshold < 0 || p.StockLowThreshold > maxStock {
		return errProductStock.With("stock_low_threshold is 0 to 2000000000")
	}
	if err := checkTriStates(p.CatalogHidden, p.CommentsEnabled, p.QuestionsEnabled); err != nil {
		return err
	}
	return i.applyLinks(ctx, r, p)
}

func (i productItem) applyPrice(p *store.Product, currency string) error {
	if i.Price == nil {
		return nil
	}
	if i.Price.Currency != "" && i.Price.Currency != currency {
		return errCurrency.With("prices of this shop are in " + currency)
	}
	set(&p.Price, i.Price.Price)
	set(&p.OldPrice, i.Price.OldPrice)
	if p.Price < 0 || p.Price > maxPrice || p.OldPrice < 0 || p.OldPrice > maxPrice {
		return errProductPrice.With("a price is 0 to 2000000000 whole units")
	}
	return nil
}

// applyLinks checks the sections and files that were sent.
func (i productItem) applyLinks(ctx context.Context, r store.Reader, p *store.Product) error {
	if i.CategoryID != nil && p.Category != 0 {
		if err := sellable(ctx, r, p.Category); err != nil {
			return err
		}
	}
	if len(i.Categories) > maxSections {
		return shop.ErrInvalidRequest.With("a product stands in at most 100 further sections")
	}
	for _, id := range i.Categories {
		if err := sellable(ctx, r, id); err != nil {
			return err
		}
	}
	var files []*uuid.UUID
	if i.PreviewID.Set || i.Preview.ID.Set {
		files = append(files, p.PreviewID)
	}
	if i.SEO != nil {
		files = append(files, p.SEO.OGImageID)
	}
	if i.Gallery != nil {
		p.Gallery = p.Gallery[:0:0]
		for _, f := range *i.Gallery {
			p.Gallery = append(p.Gallery, store.File{ID: f.ID})
			files = append(files, &f.ID)
		}
	}
	return requireFiles(ctx, r, errProductFile, files...)
}

// sellable checks that a section exists and may hold products: a site folder
// cannot (document 1, 2.3), and a news rubric holds articles.
func sellable(ctx context.Context, r store.Reader, id shop.CategoryID) error {
	category, err := r.Category(ctx, id)
	if err != nil {
		return err
	}
	if category.Type == "site" || category.Type == "news" {
		return errCategoryKind.With("a section of type " + category.Type + " holds no products")
	}
	return nil
}

type productRequest struct {
	Item productItem `json:"item"`
}

func (c *Catalog) createProduct(ctx context.Context, call *api.Call, in productRequest) (api.Result[productView], error) {
	var out api.Result[productView]
	company, err := c.store.Shop(call.Company).Info(ctx)
	if err != nil {
		return out, err
	}
	if n := in.Item.StockQuantity; n != nil && (*n < 0 || *n > maxStock) {
		return out, errProductStock.With("stock_quantity is 0 to 2000000000")
	}
	row := store.Product{
		Kind: "standard", Tags: []string{}, StockQuantity: in.Item.StockQuantity, PreviewID: in.Item.Preview.ID.ID, UpdatedBy: call.Person,
	}
	err = c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		if err := in.Item.apply(ctx, tx.Reader, &row, company.Currency); err != nil {
			return err
		}
		slug, explicit, err := slugFor(row.SEO.Slug, row.Name, "product")
		if err != nil {
			return err
		}
		row.SEO.Slug = slug
		if err := tx.InsertProduct(ctx, &row, explicit, company.Limits[store.LimitProducts]); err != nil {
			return err
		}
		row, err = tx.Product(ctx, row.ID)
		return err
	})
	return api.Wrap(viewProduct(company, row)), err
}

type updateProduct struct {
	ID   shop.ProductID `path:"id" json:"-"`
	Item productItem    `json:"item"`
}

func (c *Catalog) updateProduct(ctx context.Context, call *api.Call, in updateProduct) (api.Result[productView], error) {
	var out api.Result[productView]
	company, err := c.store.Shop(call.Company).Info(ctx)
	if err != nil {
		return out, err
	}
	var row store.Product
	err = c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		old, err := tx.LockProduct(ctx, in.ID)
		if err != nil {
			return err
		}
		row = old
		row.UpdatedBy = call.Person
		if in.Item.PreviewID.Set {
			row.PreviewID = in.Item.PreviewID.ID
		}
		if row.DeletedAt, err = c.restored(old.DeletedAt, in.Item.IsDeleted, store.ErrProductNotFound); err != nil {
			return err
		}
		if old.DeletedAt != nil {
			if err := tx.RoomForProduct(ctx, company.Limits[store.LimitProducts]); err != nil {
				return err
			}
		}
		if err := in.Item.apply(ctx, tx.Reader, &row, company.Currency); err != nil {
			return err
		}
		if row.SEO.Slug != "" && row.SEO.Slug != old.SEO.Slug {
			if row.SEO.Slug, err = shop.ParseSlug(row.SEO.Slug); err != nil {
				return err
			}
		}
		if err := tx.UpdateProduct(ctx, old, row); err != nil {
			return err
		}
		row, err = tx.Product(ctx, in.ID)
		return err
	})
	return api.Wrap(viewProduct(company, row)), err
}

type productID struct {
	ID shop.ProductID `path:"id" json:"-"`
}

func (c *Catalog) deleteProduct(ctx context.Context, call *api.Call, in productID) (api.None, error) {
	return api.None{}, c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		old, err := tx.LockProduct(ctx, in.ID)
		if err != nil {
			return err
		}
		if old.DeletedAt != nil {
			return store.ErrProductNotFound
		}
		gone, now := old, c.now()
		gone.DeletedAt, gone.UpdatedBy = &now, call.Person
		return tx.UpdateProduct(ctx, old, gone)
	})
}
