package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// Refusals of products.
var (
	ErrProductNotFound = shop.Refuse(shop.NotFound, "PRODUCT_NOT_FOUND")
	ErrSKUTaken        = shop.Refuse(shop.AlreadyExists, "already_exists")
	ErrProductLimit    = shop.Refuse(shop.ResourceExhausted, "PRODUCT_LIMIT_REACHED").WithField("limit_code", LimitProducts)
)

// Product is the row of a product (document 1, 2.2).
type Product struct {
	ID                shop.ProductID
	Category          shop.CategoryID
	Extra             []shop.CategoryID
	Kind              string
	Name              string
	Description       string
	Price             int64 // whole currency units
	OldPrice          int64
	SKU               string
	Tags              []string
	SEO               SEO
	Gallery           []File // in order; on writes only the ids count
	PreviewID         *uuid.UUID
	PreviewPath       string // below /files/, read only
	IsPublished       bool
	IsShared          bool
	CatalogHidden     string
	CommentsEnabled   string
	QuestionsEnabled  string
	StockQuantity     *int
	StockLowThreshold int
	Rating            float64
	RatingCount       int
	CreatedBy         shop.UserID
	UpdatedBy         shop.UserID
	CreatedAt         time.Time
	UpdatedAt         time.Time
	DeletedAt         *time.Time
}

// GalleryIDs are the ids of the pictures.
func (p Product) GalleryIDs() []uuid.UUID {
	ids := make([]uuid.UUID, len(p.Gallery))
	for i, f := range p.Gallery {
		ids[i] = f.ID
	}
	return ids
}

const productColumns = `
	p.id, p.category_id, ARRAY(SELECT category_id FROM product_extra_category e WHERE e.company_id = $1 AND e.product_id = p.id ORDER BY 1),
	p.kind, p.name, p.description, p.price, p.old_price, p.sku, p.tags, p.seo, p.slug,
	coalesce((SELECT jsonb_agg(jsonb_build_object('ID', f.id, 'Path', f.path, 'Name', f.original_name, 'Width', f.width, 'Height', f.height) ORDER BY g.n)
		FROM unnest(p.gallery) WITH ORDINALITY AS g(id, n)
		JOIN media_file f ON f.company_id = $1 AND f.id = g.id AND f.deleted_at IS NULL), '[]'),
	p.preview_id, coalesce((SELECT path FROM media_file f WHERE f.company_id = $1 AND f.id = p.preview_id AND f.deleted_at IS NULL), ''), p.is_published, p.is_shared, p.catalog_hidden, p.comments_enabled, p.questions_enabled,
	p.stock_quantity, p.stock_low_threshold, p.rating, p.rating_count, p.created_by, p.updated_by, p.created_at, p.updated_at, p.deleted_at`

func scanProduct(row pgx.Row) (Product, error) {
	var p Product
	var seo, gallery []byte
	err := row.Scan(&p.ID, &p.Category, &p.Extra, &p.Kind, &p.Name, &p.Description, &p.Price, &p.OldPrice, &p.SKU, &p.Tags, &seo,
		&p.SEO.Slug, &gallery, &p.PreviewID, &p.PreviewPath, &p.IsPublished, &p.IsShared, &p.CatalogHidden, &p.CommentsEnabled, &p.QuestionsEnabled,
		&p.StockQuantity, &p.StockLowThreshold, &p.Rating, &p.RatingCount, &p.CreatedBy, &p.UpdatedBy, &p.CreatedAt, &p.UpdatedAt, &p.DeletedAt)
	if noRow(err) {
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

// Product reads one product, deleted ones too: an owner may restore them.
func (r Reader) Product(ctx context.Context, id shop.ProductID) (Product, error) {
	return scanProduct(r.q.QueryRow(ctx, `SELECT`+productColumns+` FROM product p WHERE p.company_id = $1 AND p.id = $2`, r.Company, id))
}

// ProductBySlug reads one living product.
func (r Reader) ProductBySlug(ctx context.Context, slug string) (Product, error) {
	return scanProduct(r.q.QueryRow(ctx, `SELECT`+productColumns+`
		FROM product p WHERE p.company_id = $1 AND p.slug = $2 AND p.slug <> '' AND p.deleted_at IS NULL`, r.Company, slug))
}

// ProductFilter narrows a list of living products. Zero values do not narrow.
type ProductFilter struct {
	Category      shop.CategoryID
	Subtree       bool // with Category: all sections below it too
	IDs           []shop.ProductID
	Query         string
	PublishedOnly bool
	Listed        bool // leaves out products hidden from the catalogue
	MinPrice      *int64
	MaxPrice      *int64
	Sort          string // a key of productSorts
	Descending    bool
	Number, Limit int
}

// productSorts are the orders a list can have.
var productSorts = map[string]string{"": "p.id", "id": "p.id", "name": "p.name", "price": "p.price", "created_at": "p.created_at", "updated_at": "p.updated_at"}

// ProductSortKnown reports whether sort.field names an order.
func ProductSortKnown(field string) bool { _, ok := productSorts[field]; return ok }

// Products is one page of a list and the total of all pages, in one query.
func (r Reader) Products(ctx context.Context, f ProductFilter) (list []Product, total int, err error) {
	order, direction := productSorts[f.Sort], "ASC"
	if f.Descending {
		direction = "DESC"
	}
	rows, err := r.q.Query(ctx, subtree+`
		SELECT count(*) OVER (),`+productColumns+` FROM product p
		WHERE p.company_id = $1 AND p.deleted_at IS NULL
		AND ($2 = 0 OR CASE WHEN $3 THEN p.category_id IN (SELECT id FROM tree) OR EXISTS (SELECT 1 FROM product_extra_category e
				WHERE e.company_id = $1 AND e.product_id = p.id AND e.category_id IN (SELECT id FROM tree))
			ELSE p.category_id = $2 OR EXISTS (SELECT 1 FROM product_extra_category e
				WHERE e.company_id = $1 AND e.product_id = p.id AND e.category_id = $2) END)
		AND ($4::integer[] IS NULL OR p.id = ANY($4))
		AND ($5 = '' OR p.name ILIKE '%' || replace(replace(replace($5, '\', '\\'), '%', '\%'), '_', '\_') || '%')
		AND (p.is_published OR NOT $6) AND (p.catalog_hidden <> 'true' OR NOT $7)
		AND ($8::bigint IS NULL OR p.price >= $8) AND ($9::bigint IS NULL OR p.price <= $9)
		ORDER BY `+order+` `+direction+`, p.id `+direction+` LIMIT $10 OFFSET $11`,
		r.Company, f.Category, f.Subtree, f.IDs, f.Query, f.PublishedOnly, f.Listed, f.MinPrice, f.MaxPrice, f.Limit, (f.Number-1)*f.Limit)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		p, err := scanProduct(prefixed{rows, &total})
		if err != nil {
			return nil, 0, err
		}
		list = append(list, p)
	}
	if err := rows.Err(); err != nil || len(list) > 0 || f.Number == 1 {
		return list, total, err
	}
	f.Number, f.Limit = 1, 1 // behind the last page no row carries the total
	_, total, err = r.Products(ctx, f)
	return nil, total, err
}

// prefixed scans one more column in front of a row.
type prefixed struct {
	row   pgx.Row
	first any
}

func (p prefixed) Scan(dest ...any) error { return p.row.Scan(append([]any{p.first}, dest...)...) }

// ProductAddress is what of a product decides addresses.
type ProductAddress struct {
	ID          shop.ProductID
	Category    shop.CategoryID
	Slug        string
	IsPublished bool
	IsDeleted   bool
}

// ProductAddresses streams every product of the shop to the compiler, deleted
// ones too; ids narrows it when not nil.
func (r Reader) ProductAddresses(ctx context.Context, ids []shop.ProductID) ([]ProductAddress, error) {
	rows, err := r.q.Query(ctx, `
		SELECT id, category_id, slug, is_published, deleted_at IS NOT NULL FROM product
		WHERE company_id = $1 AND ($2::integer[] IS NULL OR id = ANY($2))`, r.Company, ids)
	if err != nil {
		return nil, err
	}
	// Scanned into plain types: tens of thousands of rows come here, and the
	// driver reaches named types by reflection.
	var list []ProductAddress
	var id, category int32
	var p ProductAddress
	_, err = pgx.ForEachRow(rows, []any{&id, &category, &p.Slug, &p.IsPublished, &p.IsDeleted}, func() error {
		p.ID, p.Category = shop.ProductID(id), shop.CategoryID(category)
		list = append(list, p)
		return nil
	})
	return list, err
}

// RoomForProduct refuses with PRODUCT_LIMIT_REACHED when one more living product
// would be above the plan limit (0: none). It holds until the transaction ends.
func (tx *Tx) RoomForProduct(ctx context.Context, limit int64) error {
	if limit == 0 {
		return nil
	}
	if _, err := tx.q.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('products:' || $1::integer::text, 0))`, tx.Company); err != nil {
		return err
	}
	var count int64
	err := tx.q.QueryRow(ctx, `SELECT count(*) FROM product WHERE company_id = $1 AND deleted_at IS NULL`, tx.Company).Scan(&count)
	if err == nil && count >= limit {
		err = ErrProductLimit.With(fmt.Sprintf("the plan allows %d products", limit))
	}
	return err
}

// InsertProduct adds a product within the plan limit (0: none). explicit says
// that the slug was asked for.
func (tx *Tx) InsertProduct(ctx context.Context, p *Product, explicit bool, limit int64) error {
	if err := tx.RoomForProduct(ctx, limit); err != nil {
		return err
	}
	err := tx.freeSlug(ctx, p.SEO.Slug, explicit, "product_slug", func(slug string) error {
		p.SEO.Slug = slug
		return tx.q.QueryRow(ctx, `
			INSERT INTO product (company_id, category_id, kind, name, slug, description, price, old_price, sku, tags, seo, gallery, preview_id,
				is_published, is_shared, catalog_hidden, comments_enabled, questions_enabled, stock_quantity, stock_low_threshold,
				created_by, updated_by)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $21)
			RETURNING id`,
			tx.Company, p.Category, p.Kind, p.Name, slug, p.Description, p.Price, p.OldPrice, p.SKU, p.Tags, p.SEO, p.GalleryIDs(),
			p.PreviewID, p.IsPublished, p.IsShared, p.CatalogHidden, p.CommentsEnabled, p.QuestionsEnabled, p.StockQuantity,
			p.StockLowThreshold, p.UpdatedBy).Scan(&p.ID)
	})
	if uniqueViolation(err, "product_sku") {
		return ErrSKUTaken
	}
	if err != nil {
		return err
	}
	return tx.productSaved(ctx, Product{}, *p)
}

// UpdateProduct writes a whole row; old is what it was read as.
func (tx *Tx) UpdateProduct(ctx context.Context, old, p Product) error {
	_, err := tx.q.Exec(ctx, `
		UPDATE product SET category_id = $3, kind = $4, name = $5, slug = $6, description = $7, price = $8, old_price = $9, sku = $10,
			tags = $11, seo = $12, gallery = $13, preview_id = $14, is_published = $15, is_shared = $16, catalog_hidden = $17,
			comments_enabled = $18, questions_enabled = $19, stock_low_threshold = $20, updated_by = $21, deleted_at = $22, updated_at = now()
		WHERE company_id = $1 AND id = $2`,
		tx.Company, p.ID, p.Category, p.Kind, p.Name, p.SEO.Slug, p.Description, p.Price, p.OldPrice, p.SKU,
		p.Tags, p.SEO, p.GalleryIDs(), p.PreviewID, p.IsPublished, p.IsShared, p.CatalogHidden,
		p.CommentsEnabled, p.QuestionsEnabled, p.StockLowThreshold, p.UpdatedBy, p.DeletedAt)
	switch {
	case uniqueViolation(err, "product_slug"):
		return shop.ErrSlugTaken.With(p.SEO.Slug)
	case uniqueViolation(err, "product_sku"):
		return ErrSKUTaken
	case err != nil:
		return err
	}
	return tx.productSaved(ctx, old, p)
}

// productSaved writes what hangs on a product: extra sections, the journal, and
// the keys of every listing it stands in or stood in.
func (tx *Tx) productSaved(ctx context.Context, old, p Product) error {
	if _, err := tx.q.Exec(ctx, `DELETE FROM product_extra_category WHERE company_id = $1 AND product_id = $2`, tx.Company, p.ID); err != nil {
		return err
	}
	if len(p.Extra) > 0 {
		if _, err := tx.q.Exec(ctx, `
			INSERT INTO product_extra_category (company_id, category_id, product_id) SELECT $1, unnest($3::integer[]), $2
			ON CONFLICT DO NOTHING`, tx.Company, p.ID, p.Extra); err != nil {
			return err
		}
	}
	tx.Changed(shop.Key{Kind: shop.KeyProduct, ID: int64(p.ID)}, shop.Key{Kind: shop.KeyProducts})
	if err := tx.listed(ctx, append(append([]shop.CategoryID{old.Category, p.Category}, old.Extra...), p.Extra...)...); err != nil {
		return err
	}
	return tx.renamed(ctx, EntityProduct, int64(p.ID), old.SEO.Slug, p.SEO.Slug)
}

// LockProduct reads a product for a change of it.
func (tx *Tx) LockProduct(ctx context.Context, id shop.ProductID) (Product, error) {
	return scanProduct(tx.q.QueryRow(ctx, `SELECT`+productColumns+` FROM product p WHERE p.company_id = $1 AND p.id = $2 FOR UPDATE`, tx.Company, id))
}
