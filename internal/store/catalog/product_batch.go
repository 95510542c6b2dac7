package catalog

import (
	"cmp"
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

// PicturesAmong returns those of the ids that are stored pictures of the shop and not
// deleted.
func PicturesAmong(ctx context.Context, r store.Reader, ids []uuid.UUID) (map[uuid.UUID]bool, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT id FROM media_file WHERE company_id = $1 AND id = ANY($2) AND status = 'stored' AND file_type = 'image' AND `+media.InLibrary, r.Company, ids)
	if err != nil {
		return nil, err
	}
	stored := map[uuid.UUID]bool{}
	var id uuid.UUID
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		stored[id] = true
		return nil
	})
	return stored, err
}

// NewProduct is a product to be added; Explicit means that the caller asked for its slug.
// Once added the product has its id and slug.
type NewProduct struct {
	*Product
	Explicit bool
	Variants []Variant // its sets, in their order
}

// InsertProducts adds products as if each was added in a separate transaction: failed holds
// for each one why it was not added. An error of the whole call means that none was.
//
// Which slugs and skus are free is read for all of them at once, decided in their order,
// and written by one statement. The unique indexes decide finally: when a concurrent
// transaction took one meanwhile, the plan is made again with more suffixes, and as a last
// resort the products are added one by one.
func InsertProducts(ctx context.Context, tx *store.Tx, list []NewProduct, limit int64) (failed []error, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	requested := make([]string, len(list))
	for i, p := range list {
		requested[i] = p.SEO.Slug
	}
	for lookUp := 1; lookUp < 10_000; lookUp *= 8 {
		for i, p := range list {
			p.ID, p.SEO.Slug = 0, requested[i]
		}
		planned, failed, err := plan(ctx, tx, list, limit, lookUp)
		if errors.Is(err, errUndecided) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err = insertPlanned(ctx, tx, planned); err == nil {
			for _, p := range planned {
				tx.EditedProducts(p.ID)
			}
			return failed, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
		if _, err := tx.DB.Exec(ctx, `ROLLBACK TO SAVEPOINT unplanned`); err != nil {
			return nil, err
		}
	}
	for i, p := range list {
		p.ID, p.SEO.Slug = 0, requested[i]
	}
	return insertOneByOne(ctx, tx, list, limit)
}

// plan decides which products can be added, within the limit and under which slugs, and why
// the others cannot.
func plan(ctx context.Context, tx *store.Tx, list []NewProduct, limit int64, lookUp int) (planned []NewProduct, failed []error, err error) {
	taken, err := lookUpTaken(ctx, tx, list, lookUp)
	if err != nil {
		return nil, nil, err
	}
	recordListingsOf(tx, taken.listed)
	capacity := int64(len(list))
	if limit > 0 {
		count, err := CountForLimit(ctx, tx)
		if err != nil {
			return nil, nil, err
		}
		capacity = limit - count
	}
	failed = make([]error, len(list))
	for i, p := range list {
		if capacity <= 0 {
			failed[i] = ProductLimitExceeded(limit)
			continue
		}
		if failed[i] = taken.assign(p); errors.Is(failed[i], errUndecided) {
			return nil, nil, errUndecided
		}
		if failed[i] == nil {
			p.ID = taken.ids[i]
			planned = append(planned, p)
			capacity--
		}
	}
	return planned, failed, nil
}

func insertOneByOne(ctx context.Context, tx *store.Tx, list []NewProduct, limit int64) ([]error, error) {
	failed := make([]error, len(list))
	for i, p := range list {
		failed[i] = tx.Savepoint(ctx, func() error { return insertAlone(ctx, tx, p, limit) })
		if failed[i] != nil {
			p.ID = 0
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if store.IsUnavailable(failed[i]) {
			return nil, failed[i]
		}
	}
	return failed, nil
}

func insertAlone(ctx context.Context, tx *store.Tx, p NewProduct, limit int64) error {
	if err := CheckProductLimit(ctx, tx, limit); err != nil {
		return err
	}
	var ids []shop.ProductID
	if err := tx.DB.QueryRow(ctx, reserveIDs, 1).Scan(&ids); err != nil {
		return err
	}
	p.ID = ids[0]
	err := withFreeSlug(ctx, tx, p.SEO.Slug, p.Explicit, "product_slug", func(slug string) error {
		p.SEO.Slug = slug
		return insertPlanned(ctx, tx, []NewProduct{p})
	})
	if err == nil {
		tx.EditedProducts(p.ID)
	}
	if store.UniqueViolation(err, "product_sku") {
		return ErrSKUTaken.At("sku")
	}
	if store.UniqueViolation(err, "variant_set_sku") {
		return ErrVariantSKUTaken.At("variants")
	}
	return err
}

// newColumns are the columns that insertPlanned writes.
var newColumns = append(
	[]string{"company_id", "id", "seo", "gallery", "stock_by", "stock_quantity", "created_by", "updated_by"},
	names(productColumns)...)

// insertPlanned writes products whose slugs and skus were found free, under ids reserved
// for them. COPY with all these columns costs the server as much as a plain INSERT of the
// few that have a value.
func insertPlanned(ctx context.Context, tx *store.Tx, list []NewProduct) error {
	if len(list) == 0 {
		return nil
	}
	_, err := tx.PG.CopyFrom(ctx, pgx.Identifier{"product"}, newColumns, pgx.CopyFromSlice(len(list), func(i int) ([]any, error) {
		p := *list[i].Product
		p.Tags, p.TaxClass = append([]string{}, p.Tags...), cmp.Or(p.TaxClass, shop.TaxStandard)
		return append(
			[]any{tx.Company, p.ID, p.SEO, p.GalleryIDs(), cmp.Or(p.StockBy, shop.StockByProduct), p.StockQuantity, p.UpdatedBy, p.UpdatedBy},
			values(&p, productColumns)...), nil
	}))
	if err != nil {
		return err
	}
	return insertProductParts(ctx, tx, list)
}

// insertProductParts writes the rows that depend on new products, for all of them at once.
func insertProductParts(ctx context.Context, tx *store.Tx, list []NewProduct) error {
	var extraOf []shop.ProductID
	var extra []shop.CategoryID
	values := map[shop.ProductID][]ProductAttribute{}
	galleries := map[int64][]shop.GalleryID{}
	tx.Changed(shop.Key{Kind: shop.KeyProducts})
	if err := insertVariants(ctx, tx, list); err != nil {
		return err
	}
	for _, p := range list {
		tx.Changed(shop.Key{Kind: shop.KeyProduct, ID: int64(p.ID)})
		for _, section := range p.Extra {
			extraOf, extra = append(extraOf, p.ID), append(extra, section)
		}
		if len(p.Attributes) > 0 {
			values[p.ID] = p.Attributes
		}
		if len(p.Galleries) > 0 {
			galleries[int64(p.ID)] = p.Galleries
		}
	}
	if len(extra) > 0 {
		if _, err := tx.DB.Exec(ctx, `
			INSERT INTO product_extra_category (company_id, product_id, category_id) SELECT $1, * FROM unnest($2::integer[], $3::integer[])
			ON CONFLICT DO NOTHING`, tx.Company, extraOf, extra); err != nil {
			return err
		}
	}
	if err := SetProductAttributes(ctx, tx, values); err != nil {
		return err
	}
	return media.LinkGalleries(ctx, tx, store.EntityProduct, galleries)
}

// claims holds the slugs and skus that are taken, including those given to products of the
// same call, and an id for each product.
type claims struct {
	ids         []shop.ProductID
	listed      []shop.CategoryID // the sections of the products with all their ancestors
	slugs, skus map[string]bool
	lookUp      int // number of suffixes of a generated slug that were looked up
}

const reserveIDs = `
	SELECT array_agg(nextval(s.name)::integer)
	FROM (SELECT pg_get_serial_sequence('public.product', 'id')::regclass AS name OFFSET 0) s, generate_series(1, $1)`

// errUndecided is returned when all looked-up suffixes are taken.
var errUndecided = errors.New("more suffixes are needed")

// lookUpTaken looks up which slugs and skus are free, while no other transaction adds products.
// All of it is one round trip, including the savepoint to which a failed plan is rolled
// back.
func lookUpTaken(ctx context.Context, tx *store.Tx, list []NewProduct, lookUp int) (c claims, err error) {
	c = claims{slugs: map[string]bool{}, skus: map[string]bool{}, lookUp: lookUp}
	slugs, skus := candidates(list, lookUp)
	var sections []shop.CategoryID
	for _, p := range list {
		sections = append(append(sections, p.Category), p.Extra...)
	}
	var b pgx.Batch
	b.Queue(store.ProductCreationLock, tx.Company)
	b.Queue(`SAVEPOINT unplanned`)
	b.Queue(reserveIDs, len(list)).QueryRow(func(row pgx.Row) error { return row.Scan(&c.ids) })
	b.Queue(ancestorsQuery, tx.Company, sections).Query(func(rows pgx.Rows) (err error) {
		c.listed, err = pgx.CollectRows(rows, pgx.RowTo[shop.CategoryID])
		return err
	})
	// LIMIT forces one lookup in the unique index per value, whatever statistics the
	// planner has of a table that this very call is filling.
	b.Queue(`
		SELECT u.slug, '' FROM unnest($2::text[]) AS u(slug), LATERAL (
			SELECT 1 FROM product WHERE company_id = $1 AND slug = u.slug AND slug <> '' AND deleted_at IS NULL LIMIT 1) AS p
		UNION ALL SELECT '', u.sku FROM unnest($3::text[]) AS u(sku), LATERAL (
			SELECT 1 FROM product WHERE company_id = $1 AND sku = u.sku AND sku <> '' AND deleted_at IS NULL LIMIT 1) AS p
		UNION ALL SELECT '', u.sku FROM unnest($3::text[]) AS u(sku), LATERAL (
			SELECT 1 FROM variant_set WHERE company_id = $1 AND sku = u.sku AND sku <> '' AND NOT product_deleted LIMIT 1) AS v`,
		tx.Company, slugs, skus).Query(func(rows pgx.Rows) error {
		var slug, sku string
		_, err := pgx.ForEachRow(rows, []any{&slug, &sku}, func() error {
			c.slugs[slug], c.skus[sku] = true, true
			return nil
		})
		return err
	})
	return c, tx.DB.SendBatch(ctx, &b).Close()
}

// candidates returns the slugs that products could be given, with lookUp suffixes for generated
// ones, and the skus that they ask for.
func candidates(list []NewProduct, lookUp int) (slugs, skus []string) {
	suffixed := map[string]bool{}
	for _, p := range list {
		for _, sku := range p.skus() {
			skus = append(skus, sku.sku)
		}
		slugs = append(slugs, p.SEO.Slug)
		if p.Explicit || suffixed[p.SEO.Slug] {
			continue
		}
		suffixed[p.SEO.Slug] = true
		for n := 2; n <= lookUp; n++ {
			slugs = append(slugs, shop.WithSuffix(p.SEO.Slug, n))
		}
	}
	return slugs, skus
}

// assign gives a product its slug, or returns why it cannot be added.
func (c claims) assign(p NewProduct) error {
	slug := p.SEO.Slug
	for n := 1; c.slugs[slug]; {
		if p.Explicit {
			return shop.ErrSlugTaken.At("seo.slug").With(slug)
		}
		if n++; n > c.lookUp {
			return errUndecided
		}
		slug = shop.WithSuffix(p.SEO.Slug, n)
	}
	for _, one := range p.skus() {
		if c.skus[one.sku] {
			return one.taken()
		}
	}
	p.SEO.Slug = slug
	c.slugs[slug] = true
	for _, one := range p.skus() {
		c.skus[one.sku] = true
	}
	return nil
}

// ownSKU is a sku of a new product; set is the number of its variant set, -1 for the product.
type ownSKU struct {
	sku string
	set int
}

func (s ownSKU) taken() error {
	if s.set < 0 {
		return ErrSKUTaken.At("sku")
	}
	return shop.At(shop.AtEntry(ErrVariantSKUTaken.At("sku").With("sku of a variant: "+s.sku), "", s.set), "variants")
}

func (p NewProduct) skus() (list []ownSKU) {
	if p.SKU != "" {
		list = append(list, ownSKU{p.SKU, -1})
	}
	for n, v := range p.Variants {
		if v.SKU != "" {
			list = append(list, ownSKU{v.SKU, n})
		}
	}
	return list
}

var variantColumns = []string{
	"company_id", "product_id", "sku", "title", "price", "image_id", "gallery_id", "options", "swatch", "is_active", "sort_order",
	"gtin", "old_price", "weight_g", "stock_quantity", "stock_low_threshold",
}

// insertVariants adds the sets of new products.
func insertVariants(ctx context.Context, tx *store.Tx, list []NewProduct) error {
	var rows [][]any
	var counted []shop.ProductID
	for _, p := range list {
		for n, v := range p.Variants {
			rows = append(rows, []any{
				tx.Company, p.ID, v.SKU, v.Title, v.Price, v.ImageID, v.GalleryID, v.Options, v.Swatch, v.IsActive, n,
				v.GTIN, v.OldPrice, v.WeightG, v.Stock, v.StockLow,
			})
		}
		if len(p.Variants) > 0 && p.StockBy == shop.StockByVariant {
			counted = append(counted, p.ID)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	_, err := tx.PG.CopyFrom(ctx, pgx.Identifier{"variant_set"}, variantColumns, pgx.CopyFromRows(rows))
	if err != nil || len(counted) == 0 || tx.Draft() {
		return err
	}
	return SettleVariantStock(ctx, tx.DB, tx.Company, counted)
}
