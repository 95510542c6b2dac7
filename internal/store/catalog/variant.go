package catalog

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// VariantID identifies a variant set.
type VariantID = shop.VariantID

// Refusals of variants.
var (
	ErrVariantNotFound = shop.Refuse(shop.NotFound, "VARIANT_NOT_FOUND").When("no variant set of the product has this id")
	ErrVariantSKUTaken = shop.Refuse(shop.AlreadyExists, "already_exists").When("another product or variant has this sku")
)

// Variant is one variant set of a product: a choice that can be bought separately (document 1,
// 4.2), from the stock of its product or, where that is counted by variant, from its own.
type Variant struct {
	ID        VariantID
	SKU       string
	Title     string
	GTIN      string
	Price     *int64     // in whole currency units; nil: the product's price
	OldPrice  *int64     // nil: the product's
	WeightG   *int       // nil: the product's
	ImageID   *uuid.UUID // shown on the chip and in the cart
	ImagePath string     // below /files/, read only
	GalleryID shop.GalleryID
	Options   map[string]string // such as colour: red
	Swatch    string            // its colour as #rrggbb; empty: none
	IsActive  bool
	Stock     *int // nil: not tracked, as always where the product is counted as a whole
	StockLow  *int // nil warns only at zero
}

// DisplayTitle returns the title of a set, or for a set without one the values of its options.
func (v Variant) DisplayTitle() string {
	if v.Title != "" {
		return v.Title
	}
	var values []string
	for _, name := range slices.Sorted(maps.Keys(v.Options)) {
		if value := v.Options[name]; value != "" {
			values = append(values, value)
		}
	}
	return strings.Join(values, ", ")
}

// Variants returns the sets of a product in their order.
func Variants(ctx context.Context, r store.Reader, product shop.ProductID) ([]Variant, error) {
	sets, err := VariantsOf(ctx, r, []shop.ProductID{product})
	return sets[product], err
}

// VariantsOf returns the sets of products, each in their order, in one query.
func VariantsOf(ctx context.Context, r store.Reader, products []shop.ProductID) (map[shop.ProductID][]Variant, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT v.product_id, v.id, v.sku, v.title, v.gtin, v.price, v.old_price, v.weight_g, v.image_id,
			coalesce((SELECT path FROM media_file f WHERE f.company_id = $1 AND f.id = v.image_id AND f.deleted_at IS NULL), ''),
			v.gallery_id, v.options, v.swatch, v.is_active, v.stock_quantity, v.stock_low_threshold
		FROM variant_set v WHERE v.company_id = $1 AND v.product_id = ANY($2) ORDER BY v.product_id, v.sort_order, v.id`, r.Company, products)
	if err != nil {
		return nil, err
	}
	sets := map[shop.ProductID][]Variant{}
	var product shop.ProductID
	var v Variant
	_, err = pgx.ForEachRow(rows, []any{
		&product, &v.ID, &v.SKU, &v.Title, &v.GTIN, &v.Price, &v.OldPrice, &v.WeightG, &v.ImageID, &v.ImagePath, &v.GalleryID, &v.Options, &v.Swatch, &v.IsActive,
		&v.Stock, &v.StockLow,
	}, func() error {
		sets[product] = append(sets[product], v)
		v = Variant{}
		return nil
	})
	return sets, err
}

// SetVariants replaces the sets of a locked product: those with an id are updated, except for
// their stock, those without are added, the others are deleted with their units.
func SetVariants(ctx context.Context, tx *store.Tx, product shop.ProductID, list []Variant) error {
	if err := checkVariantSKUs(ctx, tx, list); err != nil {
		return err
	}
	kept := []VariantID{}
	for _, v := range list {
		if v.ID != 0 {
			kept = append(kept, v.ID)
		}
	}
	// Kept sets first give up their skus, so that two of them can swap.
	if _, err := tx.DB.Exec(ctx, `DELETE FROM variant_set WHERE company_id = $1 AND product_id = $2 AND id <> ALL($3)`,
		tx.Company, product, kept); err != nil {
		return err
	}
	if _, err := tx.DB.Exec(ctx, `UPDATE variant_set SET sku = '' WHERE company_id = $1 AND product_id = $2`, tx.Company, product); err != nil {
		return err
	}
	for i, v := range list {
		if err := saveVariant(ctx, tx, product, v, i); err != nil {
			return err
		}
	}
	if err := tx.TouchParent(ctx, store.EntityProduct, int64(product)); err != nil {
		return err
	}
	tx.EditedProducts(product)
	tx.Changed(shop.Key{Kind: shop.KeyProduct, ID: int64(product)}, shop.Key{Kind: shop.KeyProducts})
	if tx.Draft() { // stock has no draft: publishing settles it
		return nil
	}
	return SettleVariantStock(ctx, tx.DB, tx.Company, []shop.ProductID{product})
}

func saveVariant(ctx context.Context, tx *store.Tx, product shop.ProductID, v Variant, order int) (err error) {
	if v.ID == 0 {
		_, err = tx.DB.Exec(ctx, `
			INSERT INTO variant_set (company_id, product_id, sku, title, price, image_id, gallery_id, options, swatch, is_active, sort_order,
				gtin, old_price, weight_g, stock_quantity, stock_low_threshold)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
			tx.Company, product, v.SKU, v.Title, v.Price, v.ImageID, v.GalleryID, v.Options, v.Swatch, v.IsActive, order,
			v.GTIN, v.OldPrice, v.WeightG, v.Stock, v.StockLow)
	} else {
		_, err = tx.DB.Exec(ctx, `
			UPDATE variant_set SET sku = $4, title = $5, price = $6, image_id = $7, gallery_id = $8, options = $9, swatch = $10, is_active = $11, sort_order = $12,
				gtin = $13, old_price = $14, weight_g = $15
			WHERE company_id = $1 AND product_id = $2 AND id = $3`,
			tx.Company, product, v.ID, v.SKU, v.Title, v.Price, v.ImageID, v.GalleryID, v.Options, v.Swatch, v.IsActive, order,
			v.GTIN, v.OldPrice, v.WeightG)
	}
	if store.UniqueViolation(err, "variant_set_sku") {
		return shop.AtEntry(ErrVariantSKUTaken.At("sku").With("sku of a variant: "+v.SKU), "", order)
	}
	return err
}

// updateVariantSKUs frees the skus of the variants of a deleted product, and takes them again
// when it is restored.
func updateVariantSKUs(ctx context.Context, tx *store.Tx, old, p Product) error {
	deleted := p.DeletedAt != nil
	if deleted == (old.DeletedAt != nil) {
		return nil
	}
	if !deleted {
		sets, err := Variants(ctx, tx.Reader, p.ID)
		if err != nil {
			return err
		}
		if err := checkVariantSKUs(ctx, tx, sets); err != nil {
			return err
		}
	}
	_, err := tx.DB.Exec(ctx, `UPDATE variant_set SET product_deleted = $3 WHERE company_id = $1 AND product_id = $2`, tx.Company, p.ID, deleted)
	if store.UniqueViolation(err, "variant_set_sku") {
		return ErrVariantSKUTaken.With("sku of a variant")
	}
	return err
}
