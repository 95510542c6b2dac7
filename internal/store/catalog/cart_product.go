package catalog

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

// CartProduct holds the data of a product that a cart and an order need.
type CartProduct struct {
	ID        shop.ProductID
	Category  shop.CategoryID
	Extra     []shop.CategoryID // sections in addition to its own
	Kind      string
	Name      string
	Slug      string
	SKU       string
	Price     int64
	OldPrice  int64
	Image     string // below /files/, as shown on a card; empty: none
	WeightG   *int   // nil: unknown
	Published bool
	StockBy   shop.StockBy
	Stock     *int // nil: not tracked; by variant the sum of its sets
	Set       []SetComponent
	TaxClass  shop.TaxClass
	Percent   int64 // the discount of a set, in basis points
	// Configurable: a client may set the price, according to the product or else the shop's
	// setting client_prices.
	Configurable bool
	Variants     []Variant // all of them, without galleries and options
}

// SetComponent is a product inside a set.
type SetComponent struct {
	Product  shop.ProductID `json:"product_id"`
	Variant  VariantID      `json:"variant_id,omitempty"`
	Quantity int64          `json:"quantity"`
}

// ErrComboInvalid refuses an invalid set.
var ErrComboInvalid = shop.Refuse(shop.InvalidArgument, "COMBO_INVALID").
	When("a combo has 1 to 20 products of the shop, none of them a combo, each with a quantity")

// ErrStockOfSet is returned when a set is given its own stock number: its stock follows
// from its items.
var ErrStockOfSet = shop.Refuse(shop.FailedPrecondition, "STOCK_OF_SET").
	When("a combo has no stock number; set the stock of its items")

// checkBecomesSet refuses to turn a product that is in a set into a set.
func checkBecomesSet(ctx context.Context, tx *store.Tx, old, p Product) error {
	if len(p.Set) == 0 || len(old.Set) > 0 {
		return nil
	}
	holders, err := SetsWith(ctx, tx.Reader, []shop.ProductID{p.ID})
	if err == nil && len(holders) > 0 {
		err = ErrComboInvalid.With("the product is in combo " + holders[0].String())
	}
	return err
}

// SetsWith returns the sets, not deleted, that contain one of some products.
func SetsWith(ctx context.Context, r store.Reader, ids []shop.ProductID) ([]shop.ProductID, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT s.id FROM product s WHERE s.company_id = $1 AND s.combo_items <> '[]' AND s.deleted_at IS NULL
			AND EXISTS (SELECT FROM jsonb_array_elements(s.combo_items) c WHERE (c->>'product_id')::integer = ANY($2))
		ORDER BY s.id`, r.Company, ids)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[shop.ProductID])
}

// CartProducts reads products that are not deleted, published or not, with the components of sets
// and the data of variants that a cart needs, in one statement. Products hidden from the
// reader are left out.
func CartProducts(ctx context.Context, r store.Reader, ids []shop.ProductID) (map[shop.ProductID]*CartProduct, error) {
	rows, err := r.DB.Query(ctx, `
		WITH named AS (SELECT unnest($2::integer[]) AS id),
		meant AS (
			SELECT id FROM named
			UNION
			SELECT (c->>'product_id')::integer FROM named JOIN product s ON s.company_id = $1 AND s.id = named.id AND s.deleted_at IS NULL,
				jsonb_array_elements(s.combo_items) c)
		SELECT p.id, p.category_id,
			ARRAY(SELECT e.category_id FROM product_extra_category e WHERE e.company_id = $1 AND e.product_id = p.id), p.kind, p.name, p.slug, p.sku, p.price, p.old_price, p.weight_g, coalesce(own.path, f.path, cover.path, ''), p.is_published, p.tax_class, p.stock_by, p.stock_quantity,
			p.combo_items, p.combo_percent,
			coalesce(p.configurable, (SELECT (c.settings ->> 'client_prices')::boolean FROM company c WHERE c.id = $1), false), coalesce((
				SELECT json_agg(json_build_object('ID', v.id, 'SKU', v.sku, 'Title', v.title, 'Options', v.options, 'Price', v.price, 'OldPrice', v.old_price, 'WeightG', v.weight_g, 'IsActive', v.is_active, 'Stock', v.stock_quantity,
					'ImagePath', (SELECT f.path FROM media_file f WHERE f.company_id = $1 AND f.id = v.image_id AND f.deleted_at IS NULL))
					ORDER BY v.sort_order, v.id)
				FROM variant_set v WHERE v.company_id = $1 AND v.product_id = p.id), '[]')
		FROM meant JOIN product p ON p.company_id = $1 AND p.id = meant.id AND p.deleted_at IS NULL
		LEFT JOIN media_file f ON f.company_id = $1 AND f.id = p.preview_id AND f.deleted_at IS NULL
		LEFT JOIN LATERAL (
			SELECT o.path FROM unnest(p.gallery) WITH ORDINALITY AS i(id, n)
			JOIN media_file o ON o.company_id = $1 AND o.id = i.id AND o.deleted_at IS NULL ORDER BY i.n LIMIT 1) AS own ON true
		LEFT JOIN LATERAL (
			SELECT c.path FROM (
				SELECT g.id, g.canvas_id FROM gallery_link l JOIN gallery g ON g.company_id = $1 AND g.id = l.gallery_id AND g.deleted_at IS NULL
				WHERE l.company_id = $1 AND l.owner = $3 AND l.owner_id = p.id ORDER BY l.sort_order, l.gallery_id LIMIT 1) AS g,
			LATERAL (
				SELECT o.path FROM `+media.GalleryItems+` i JOIN media_file o ON o.company_id = $1 AND o.id = i.file_id AND o.deleted_at IS NULL AND o.status = 'stored'
				WHERE i.kind = 'image' ORDER BY i.sort_order, i.item_key LIMIT 1) AS c
			WHERE own.path IS NULL AND f.path IS NULL) AS cover ON true`, r.Company, ids, store.EntityProduct)
	if err != nil {
		return nil, err
	}
	goods := map[shop.ProductID]*CartProduct{}
	for rows.Next() {
		g := &CartProduct{}
		if err := rows.Scan(&g.ID, &g.Category, &g.Extra, &g.Kind, &g.Name, &g.Slug, &g.SKU, &g.Price, &g.OldPrice, &g.WeightG, &g.Image, &g.Published, &g.TaxClass, &g.StockBy, &g.Stock,
			&g.Set, &g.Percent, &g.Configurable, &g.Variants); err != nil {
			rows.Close()
			return nil, err
		}
		if !r.Hidden.Product(g.ID, g.Category) {
			goods[g.ID] = g
		}
	}
	return goods, rows.Err()
}

// Variant returns the active variant with this id, or nil.
func (g *CartProduct) Variant(id VariantID) *Variant {
	for i := range g.Variants {
		if v := &g.Variants[i]; v.ID == id && v.IsActive {
			return v
		}
	}
	return nil
}

// Weight returns what a unit of a product, which is no combo, or of a variant of it weighs, in
// grams; 0 where it is unknown.
func (g *CartProduct) Weight(id VariantID) int {
	weight := g.WeightG
	if v := g.Variant(id); v != nil && v.WeightG != nil {
		weight = v.WeightG
	}
	if weight == nil {
		return 0
	}
	return *weight
}

// Left returns how many units of a product, which is no combo, or of a variant of it are in
// stock; nil: not tracked. Of a product counted by variant, a variant that cannot be bought
// and no variant have none.
func (g *CartProduct) Left(id VariantID) *int {
	if g.StockBy != shop.StockByVariant {
		return g.Stock
	}
	if v := g.Variant(id); v != nil {
		return v.Stock
	}
	return new(int)
}

// InStock reports whether a product, which is no combo, can be bought in any variant.
func (g *CartProduct) InStock() bool {
	if g.StockBy != shop.StockByVariant {
		return g.Stock == nil || *g.Stock > 0
	}
	return slices.ContainsFunc(g.Variants, func(v Variant) bool { return v.IsActive && (v.Stock == nil || *v.Stock > 0) })
}

// NeedsVariant reports whether a cart line with this variant has to name another one, because
// the product is counted by variant.
func (g *CartProduct) NeedsVariant(id VariantID) bool {
	return g.StockBy == shop.StockByVariant && g.Variant(id) == nil
}

// ProductCompany returns the shop of a product, 0 when there is no such product. Shops that came from
// other installations may have products with the same id: then the caller must name the shop.
func ProductCompany(ctx context.Context, s *store.Store, id shop.ProductID) (company shop.CompanyID, err error) {
	return s.OnlyShop(ctx, `SELECT company_id FROM product WHERE id = $1 AND `+store.LiveShop("company_id")+` LIMIT 2`, id)
}
