package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

// Refusals of products.
var (
	ErrProductNotFound = shop.Refuse(shop.NotFound, "PRODUCT_NOT_FOUND").When("no product that the caller may see has this id or slug")
	ErrSKUTaken        = shop.Refuse(shop.AlreadyExists, "already_exists").When("another product or variant has this sku")
	ErrProductLimit    = shop.Refuse(shop.ResourceExhausted, "PRODUCT_LIMIT_REACHED").When("the plan allows no more products").WithField("limit_code", store.LimitProducts)
)

// Product is the row of a product (document 1, 2.2).
type Product struct {
	shop.Facts
	ID                shop.ProductID
	Category          shop.CategoryID
	Extra             []shop.CategoryID
	Kind              string
	TaxClass          shop.TaxClass
	Name              string
	Description       string
	Price             int64 // in whole currency units
	OldPrice          int64
	SKU               string
	WeightG           *int // in grams; nil: unknown
	Tags              []string
	SEO               SEO
	Gallery           []media.File // in order; on writes only the ids count
	PreviewID         *uuid.UUID
	PreviewPath       string // below /files/, read only
	IsPublished       bool
	PublishedAt       *time.Time // a published product is shown from then on; nil: at once
	IsShared          bool
	CatalogHidden     string
	CommentsEnabled   string
	QuestionsEnabled  string
	StockBy           shop.StockBy
	StockQuantity     *int               // nil: not tracked; by variant the sum of its sets
	AnyVariant        bool               // counted by variant, and one of its sets can be bought; read only
	Configurable      *bool              // a client may set the price; nil: as client_prices of the shop decides
	StockLowThreshold *int               // nil warns only at zero
	Set               []SetComponent     // components of a combo
	SetPercent        int64              // discount of the combo, in basis points
	AdMode            string             // AdInclude or AdExclude
	Attributes        []ProductAttribute // write only, and written when not nil
	Galleries         []shop.GalleryID   // likewise: the linked galleries
	Rating            float64
	RatingCount       int
	CreatedBy         shop.UserID
	UpdatedBy         shop.UserID
	CreatedAt         time.Time
	UpdatedAt         time.Time
	DeletedAt         *time.Time
}

// Whether feeds list a product (document 3, 4.3).
const (
	AdInclude = "include"
	AdExclude = "exclude"
)

// AdModes lists them.
var AdModes = []string{AdInclude, AdExclude}

// InStock reports whether a product can be bought, in any variant (document 2, 2.3).
func (p Product) InStock() bool {
	if p.StockBy == shop.StockByVariant {
		return p.AnyVariant
	}
	return p.StockQuantity == nil || *p.StockQuantity > 0
}

// StockLow reports whether the stock is at or below the threshold. Counted by variant, each set
// has its own.
func (p Product) StockLow() bool {
	if p.StockBy == shop.StockByVariant {
		return false
	}
	threshold := 0
	if p.StockLowThreshold != nil {
		threshold = *p.StockLowThreshold
	}
	return p.StockQuantity != nil && *p.StockQuantity <= threshold
}

// GalleryIDs returns the ids of the pictures.
func (p Product) GalleryIDs() []uuid.UUID {
	ids := make([]uuid.UUID, len(p.Gallery))
	for i, f := range p.Gallery {
		ids[i] = f.ID
	}
	return ids
}

// productSelect are the columns of a product p that scanProduct reads.
var productSelect = selected("p", productColumns) + ", " + selected("p", productState) + `,
	ARRAY(SELECT category_id FROM product_extra_category e WHERE e.company_id = $1 AND e.product_id = p.id ORDER BY 1), p.seo,
	coalesce((SELECT jsonb_agg(jsonb_build_object('ID', f.id, 'Path', f.path, 'Name', f.original_name, 'Width', f.width, 'Height', f.height) ORDER BY g.n)
		FROM unnest(p.gallery) WITH ORDINALITY AS g(id, n)
		JOIN media_file f ON f.company_id = $1 AND f.id = g.id AND f.deleted_at IS NULL), '[]'),
	coalesce((SELECT path FROM media_file f WHERE f.company_id = $1 AND f.id = p.preview_id AND f.deleted_at IS NULL), ''),
	p.stock_by = 'variant' AND ` + anyVariant("")

func scanProduct(row pgx.Row) (Product, error) {
	var p Product
	var seo, gallery []byte
	err := row.Scan(append(append(addresses(&p, productColumns), addresses(&p, productState)...), &p.Extra, &seo, &gallery, &p.PreviewPath, &p.AnyVariant)...)
	if store.NoRow(err) {
		return p, ErrProductNotFound
	}
	if err != nil {
		return p, err
	}
	if err := p.SEO.read(seo); err != nil {
		return p, err
	}
	return p, json.Unmarshal(gallery, &p.Gallery)
}

// GetProduct reads one product, deleted ones included: an owner may restore them.
func GetProduct(ctx context.Context, r store.Reader, id shop.ProductID) (Product, error) {
	s := &store.Statement{Args: []any{r.Company}}
	s.Add(`SELECT `+productSelect+` FROM product p WHERE p.company_id = $1 AND p.id = ?`, id)
	HideProducts(r, s)
	return scanProduct(r.DB.QueryRow(ctx, s.String(), s.Args...))
}

// ProductBySlug reads one product that is not deleted.
func ProductBySlug(ctx context.Context, r store.Reader, slug string) (Product, error) {
	s := &store.Statement{Args: []any{r.Company}}
	s.Add(`SELECT `+productSelect+` FROM product p WHERE p.company_id = $1 AND p.slug = ? AND p.slug <> '' AND p.deleted_at IS NULL`, slug)
	HideProducts(r, s)
	return scanProduct(r.DB.QueryRow(ctx, s.String(), s.Args...))
}

// ProductsNamed returns the products that have each of some names as slug, or as item number of
// the product or one of its variants, in any case.
func ProductsNamed(ctx context.Context, r store.Reader, names []string) (map[string]shop.ProductID, error) {
	if len(names) == 0 {
		return nil, nil
	}
	s := &store.Statement{Args: []any{r.Company, names}}
	s.Add(`
		SELECT DISTINCT ON (n.name) n.name, p.id FROM unnest($2::text[]) n(name)
		CROSS JOIN LATERAL (
			SELECT id, 1 AS rank FROM product WHERE company_id = $1 AND slug = n.name AND slug <> '' AND deleted_at IS NULL
			UNION ALL SELECT id, 2 FROM product WHERE company_id = $1 AND lower(sku) = lower(n.name) AND sku <> '' AND deleted_at IS NULL
			UNION ALL SELECT product_id, 3 FROM variant_set WHERE company_id = $1 AND lower(sku) = lower(n.name) AND sku <> '' AND is_active) m
		JOIN product p ON p.company_id = $1 AND p.id = m.id AND p.deleted_at IS NULL AND p.is_published
		WHERE n.name <> ''`)
	HideProducts(r, s)
	s.Add(` ORDER BY n.name, m.rank, p.id`)
	rows, err := r.DB.Query(ctx, s.String(), s.Args...)
	if err != nil {
		return nil, err
	}
	found := map[string]shop.ProductID{}
	var name string
	var id shop.ProductID
	_, err = pgx.ForEachRow(rows, []any{&name, &id}, func() error {
		found[name] = id
		return nil
	})
	return found, err
}

// ProductAddress holds the fields of a product that determine addresses.
type ProductAddress struct {
	ID          shop.ProductID
	Category    shop.CategoryID
	Slug        string
	IsPublished bool
	IsDeleted   bool
	NoIndex     bool
	Modified    int64            // in seconds since 1970
	Parts       []shop.ProductID // components of a set
}

// ProductAddresses reads every product of the shop for the compiler, deleted ones included.
// Non-nil ids restrict the result.
func ProductAddresses(ctx context.Context, r store.Reader, ids []shop.ProductID) ([]ProductAddress, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT id, category_id, slug, is_published, deleted_at IS NOT NULL, `+noIndex+`, `+Modified+`, CASE WHEN combo_items <> '[]' THEN
			ARRAY(SELECT (c->>'product_id')::integer FROM jsonb_array_elements(combo_items) c) END FROM product
		WHERE company_id = $1 AND ($2::integer[] IS NULL OR id = ANY($2))`, r.Company, ids)
	if err != nil {
		return nil, err
	}
	// Scanned into plain types: there are tens of thousands of rows, and the driver uses
	// reflection for named types.
	var list []ProductAddress
	var id, category int32
	var parts []int32
	var p ProductAddress
	_, err = pgx.ForEachRow(rows, []any{&id, &category, &p.Slug, &p.IsPublished, &p.IsDeleted, &p.NoIndex, &p.Modified, &parts}, func() error {
		p.ID, p.Category, p.Parts = shop.ProductID(id), shop.CategoryID(category), nil
		for _, part := range parts {
			p.Parts = append(p.Parts, shop.ProductID(part))
		}
		list = append(list, p)
		return nil
	})
	return list, err
}

// CheckProductLimit returns PRODUCT_LIMIT_REACHED when one more product would exceed the plan
// limit (0: none). The count cannot change until the transaction ends.
func CheckProductLimit(ctx context.Context, tx *store.Tx, limit int64) error {
	if limit == 0 {
		return nil
	}
	count, err := CountForLimit(ctx, tx)
	if err == nil && count >= limit {
		err = ProductLimitExceeded(limit)
	}
	return err
}

// ProductLimitExceeded refuses products beyond the plan limit.
func ProductLimitExceeded(limit int64) error {
	return ErrProductLimit.With(fmt.Sprintf("the plan allows %d products", limit))
}

// CountForLimit counts the products that are not deleted, and keeps other transactions from
// adding any.
func CountForLimit(ctx context.Context, tx *store.Tx) (count int64, err error) {
	if err := tx.LockProductCreation(ctx); err != nil {
		return 0, err
	}
	err = tx.DB.QueryRow(ctx, `SELECT count(*) FROM product WHERE company_id = $1 AND deleted_at IS NULL`, tx.Company).Scan(&count)
	return count, err
}

// InsertProduct adds a product within the plan limit (0: none). explicit means that the
// caller asked for this slug.
func InsertProduct(ctx context.Context, tx *store.Tx, p *Product, explicit bool, limit int64) error {
	failed, err := InsertProducts(ctx, tx, []NewProduct{{Product: p, Explicit: explicit}}, limit)
	if err != nil {
		return err
	}
	return failed[0]
}

var updateProduct = `
	UPDATE product SET seo = $3, gallery = $4, updated_by = $5, deleted_at = $6, updated_at = now(), ` + assigned(productColumns, 7) + `
	WHERE company_id = $1 AND id = $2`

// UpdateProduct writes the whole row; old is the row as it was read.
func UpdateProduct(ctx context.Context, tx *store.Tx, old, p Product) error {
	if err := checkSKU(ctx, tx, old, p); err != nil {
		return err
	}
	if err := checkBecomesSet(ctx, tx, old, p); err != nil {
		return err
	}
	_, err := tx.DB.Exec(
		ctx, updateProduct,
		append([]any{tx.Company, p.ID, p.SEO, p.GalleryIDs(), p.UpdatedBy, p.DeletedAt}, values(&p, productColumns)...)...)
	switch {
	case store.UniqueViolation(err, "product_slug"):
		return shop.ErrSlugTaken.At("seo.slug").With(p.SEO.Slug)
	case store.UniqueViolation(err, "product_sku"):
		return ErrSKUTaken.At("sku")
	case err != nil:
		return err
	}
	if err := writeLiveThreshold(ctx, tx, old, p); err != nil {
		return err
	}
	if p.StockBy != old.StockBy {
		if err := setStockBy(ctx, tx, p.ID, p.StockBy); err != nil {
			return err
		}
	}
	if err := updateVariantSKUs(ctx, tx, old, p); err != nil {
		return err
	}
	return writeProductParts(ctx, tx, old, p)
}

// writeLiveThreshold writes the threshold of a live product at once: stock belongs to the live
// contour and has no draft (document 2, 2.3).
func writeLiveThreshold(ctx context.Context, tx *store.Tx, old, p Product) error {
	before, after := old.StockLowThreshold, p.StockLowThreshold
	if !tx.Draft() || before == after || before != nil && after != nil && *before == *after {
		return nil
	}
	return tx.WriteLive(ctx, func() error {
		tag, err := tx.DB.Exec(
			ctx, `UPDATE public.product SET stock_low_threshold = $3 WHERE company_id = $1 AND id = $2`, tx.Company, p.ID, after,
		)
		if err == nil && tag.RowsAffected() > 0 {
			tx.ChangedLive(shop.Key{Kind: shop.KeyProduct, ID: int64(p.ID)}, shop.Key{Kind: shop.KeyProducts})
		}
		return err
	})
}

// writeProductParts writes the rows that depend on a product: extra sections, the journal, and
// the keys of every listing that contains it now or did before.
func writeProductParts(ctx context.Context, tx *store.Tx, old, p Product) error {
	if err := setExtra(ctx, tx, old, p); err != nil {
		return err
	}
	if p.Attributes != nil {
		if err := SetProductAttributes(ctx, tx, map[shop.ProductID][]ProductAttribute{p.ID: p.Attributes}); err != nil {
			return err
		}
	}
	if p.Galleries != nil {
		if err := media.LinkGalleries(ctx, tx, store.EntityProduct, map[int64][]shop.GalleryID{int64(p.ID): p.Galleries}); err != nil {
			return err
		}
	}
	tx.EditedProducts(p.ID)
	tx.Changed(shop.Key{Kind: shop.KeyProduct, ID: int64(p.ID)}, shop.Key{Kind: shop.KeyProducts})
	if err := recordProductListings(ctx, tx, old, p); err != nil {
		return err
	}
	return recordRename(ctx, tx, store.EntityProduct, int64(p.ID), old.SEO.Slug, p.SEO.Slug)
}

// setExtra replaces the extra sections of a product, if they changed.
func setExtra(ctx context.Context, tx *store.Tx, old, p Product) error {
	if slices.Equal(old.Extra, p.Extra) {
		return nil
	}
	if _, err := tx.DB.Exec(ctx, `DELETE FROM product_extra_category WHERE company_id = $1 AND product_id = $2`, tx.Company, p.ID); err != nil ||
		len(p.Extra) == 0 {
		return err
	}
	_, err := tx.DB.Exec(ctx, `
		INSERT INTO product_extra_category (company_id, category_id, product_id) SELECT $1, unnest($3::integer[]), $2
		ON CONFLICT DO NOTHING`, tx.Company, p.ID, p.Extra)
	return err
}

// recordProductListings records the listings that contain a product now or did before. Many
// products of an import are in few sections, whose ancestors are read once: writing
// products moves no section.
func recordProductListings(ctx context.Context, tx *store.Tx, old, p Product) error {
	if tx.Draft() {
		return nil // no live listing changes
	}
	var unread []shop.CategoryID
	for _, id := range append(append([]shop.CategoryID{old.Category, p.Category}, old.Extra...), p.Extra...) {
		if !tx.ListedChains[id] {
			unread = append(unread, id)
		}
	}
	if len(unread) == 0 {
		return nil
	}
	if err := RecordListingChanges(ctx, tx, unread...); err != nil {
		return err
	}
	if tx.ListedChains == nil {
		tx.ListedChains = map[shop.CategoryID]bool{}
	}
	for _, id := range unread {
		tx.ListedChains[id] = true
	}
	return nil
}

// LockProduct reads and locks a product for update.
func LockProduct(ctx context.Context, tx *store.Tx, id shop.ProductID) (Product, error) {
	return scanProduct(
		tx.DB.QueryRow(ctx, `SELECT `+productSelect+` FROM product p WHERE p.company_id = $1 AND p.id = $2 FOR UPDATE`, tx.Company, id),
	)
}

// SetAdMode sets whether feeds list a product.
func SetAdMode(ctx context.Context, tx *store.Tx, id shop.ProductID, mode string) error {
	tx.EditedProducts(id)
	tx.Changed(shop.Key{Kind: shop.KeyProduct, ID: int64(id)}, shop.Key{Kind: shop.KeyProducts})
	_, err := tx.DB.Exec(ctx, `UPDATE product SET ad_mode = $3 WHERE company_id = $1 AND id = $2`, tx.Company, id, mode)
	if err != nil {
		return err
	}
	return tx.TouchParent(ctx, store.EntityProduct, int64(id))
}
