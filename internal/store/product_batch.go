package store

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// PicturesAmong are those of the ids that are living, stored pictures of the shop.
func (r Reader) PicturesAmong(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]bool, error) {
	rows, err := r.q.Query(ctx, `
		SELECT id FROM media_file WHERE company_id = $1 AND id = ANY($2) AND status = 'stored' AND file_type = 'image' AND `+inLibrary, r.Company, ids)
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

// NewProduct is a product to be added; Explicit says that its slug was asked
// for. Once added the product has its id and slug.
type NewProduct struct {
	*Product
	Explicit bool
}

// InsertProducts adds products as if each was added in a transaction of its
// own: the answer says for each one why it was not. An error of the whole call
// means that none was.
//
// Which slugs and skus are free is read for all of them at once, decided in
// their order, and written by one statement. The unique indexes have the last
// word: when somebody else took one meanwhile, the plan is made anew, and at
// last the products are added one by one.
func (tx *Tx) InsertProducts(ctx context.Context, list []NewProduct, limit int64) (failed []error, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	wanted := make([]string, len(list))
	for i, p := range list {
		wanted[i] = p.SEO.Slug
	}
	for lookUp := 1; lookUp < 10_000; lookUp *= 8 {
		for i, p := range list {
			p.ID, p.SEO.Slug = 0, wanted[i]
		}
		planned, failed, err := tx.plan(ctx, list, limit, lookUp)
		if errors.Is(err, errUndecided) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err = tx.insertPlanned(ctx, planned); err == nil {
			for _, p := range planned {
				tx.edited(p.ID)
			}
			return failed, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
		if _, err := tx.q.Exec(ctx, `ROLLBACK TO SAVEPOINT unplanned`); err != nil {
			return nil, err
		}
	}
	for i, p := range list {
		p.ID, p.SEO.Slug = 0, wanted[i]
	}
	return tx.insertOneByOne(ctx, list, limit)
}

// plan decides which products can be added, within the limit and under which
// slugs, and says of the others why not.
func (tx *Tx) plan(ctx context.Context, list []NewProduct, limit int64, lookUp int) (planned []NewProduct, failed []error, err error) {
	taken, err := tx.taken(ctx, list, lookUp)
	if err != nil {
		return nil, nil, err
	}
	tx.listedIn(taken.listed)
	room := int64(len(list))
	if limit > 0 {
		count, err := tx.countProducts(ctx)
		if err != nil {
			return nil, nil, err
		}
		room = limit - count
	}
	failed = make([]error, len(list))
	for i, p := range list {
		if room <= 0 {
			failed[i] = overLimit(limit)
			continue
		}
		if failed[i] = taken.claim(p); errors.Is(failed[i], errUndecided) {
			return nil, nil, errUndecided
		}
		if failed[i] == nil {
			p.ID = taken.ids[i]
			planned = append(planned, p)
			room--
		}
	}
	return planned, failed, nil
}

func (tx *Tx) insertOneByOne(ctx context.Context, list []NewProduct, limit int64) ([]error, error) {
	failed := make([]error, len(list))
	for i, p := range list {
		failed[i] = tx.Savepoint(ctx, func() error { return tx.insertAlone(ctx, p, limit) })
		if failed[i] != nil {
			p.ID = 0
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if Outage(failed[i]) {
			return nil, failed[i]
		}
	}
	return failed, nil
}

func (tx *Tx) insertAlone(ctx context.Context, p NewProduct, limit int64) error {
	if err := tx.RoomForProduct(ctx, limit); err != nil {
		return err
	}
	var ids []shop.ProductID
	if err := tx.q.QueryRow(ctx, reserveIDs, 1).Scan(&ids); err != nil {
		return err
	}
	p.ID = ids[0]
	err := tx.freeSlug(ctx, p.SEO.Slug, p.Explicit, "product_slug", func(slug string) error {
		p.SEO.Slug = slug
		return tx.insertPlanned(ctx, []NewProduct{p})
	})
	if err == nil {
		tx.edited(p.ID)
	}
	if uniqueViolation(err, "product_sku") {
		return ErrSKUTaken.At("sku")
	}
	return err
}

// newColumns are what insertPlanned writes of a product.
var newColumns = append(
	[]string{"company_id", "id", "seo", "gallery", "stock_quantity", "created_by", "updated_by"},
	names(productColumns)...)

// insertPlanned writes products whose slugs and skus were found free, under ids
// that were reserved for them. COPY costs the server as much for these columns
// as a plain INSERT for the few of them that say anything.
func (tx *Tx) insertPlanned(ctx context.Context, list []NewProduct) error {
	if len(list) == 0 {
		return nil
	}
	_, err := tx.tx.CopyFrom(ctx, pgx.Identifier{"product"}, newColumns, pgx.CopyFromSlice(len(list), func(i int) ([]any, error) {
		p := *list[i].Product
		p.Tags = append([]string{}, p.Tags...)
		return append(
			[]any{tx.Company, p.ID, p.SEO, p.GalleryIDs(), p.StockQuantity, p.UpdatedBy, p.UpdatedBy},
			values(&p, productColumns)...), nil
	}))
	if err != nil {
		return err
	}
	return tx.productsAdded(ctx, list)
}

// productsAdded writes what hangs on new products, for all of them at once.
func (tx *Tx) productsAdded(ctx context.Context, list []NewProduct) error {
	var extraOf []shop.ProductID
	var extra []shop.CategoryID
	values := map[shop.ProductID][]ProductAttribute{}
	galleries := map[int64][]shop.GalleryID{}
	tx.Changed(shop.Key{Kind: shop.KeyProducts})
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
		if _, err := tx.q.Exec(ctx, `
			INSERT INTO product_extra_category (company_id, product_id, category_id) SELECT $1, * FROM unnest($2::integer[], $3::integer[])
			ON CONFLICT DO NOTHING`, tx.Company, extraOf, extra); err != nil {
			return err
		}
	}
	if err := tx.SetProductAttributes(ctx, values); err != nil {
		return err
	}
	return tx.LinkGalleries(ctx, EntityProduct, galleries)
}

// claims are the slugs and skus that are taken, and those that products of the
// same call were given, with an id for each product.
type claims struct {
	ids         []shop.ProductID
	listed      []shop.CategoryID // the sections of the products with all above them
	slugs, skus map[string]bool
	lookUp      int // suffixes of a generated slug that were looked up
}

const reserveIDs = `
	SELECT array_agg(nextval(s.name)::integer)
	FROM (SELECT pg_get_serial_sequence('public.product', 'id')::regclass AS name OFFSET 0) s, generate_series(1, $1)`

// errUndecided says that the looked-up suffixes did not reach.
var errUndecided = errors.New("more suffixes are needed")

// taken looks, while nobody else adds products, for what the products could be
// given. All of it is one round trip, and so is the savepoint to which a plan
// that did not hold is taken back.
func (tx *Tx) taken(ctx context.Context, list []NewProduct, lookUp int) (c claims, err error) {
	c = claims{slugs: map[string]bool{}, skus: map[string]bool{}, lookUp: lookUp}
	slugs, skus := wishes(list, lookUp)
	var sections []shop.CategoryID
	for _, p := range list {
		sections = append(append(sections, p.Category), p.Extra...)
	}
	var b pgx.Batch
	b.Queue(lockProductCreation, tx.Company)
	b.Queue(`SAVEPOINT unplanned`)
	b.Queue(reserveIDs, len(list)).QueryRow(func(row pgx.Row) error { return row.Scan(&c.ids) })
	b.Queue(chain, tx.Company, sections).Query(func(rows pgx.Rows) (err error) {
		c.listed, err = pgx.CollectRows(rows, pgx.RowTo[shop.CategoryID])
		return err
	})
	// LIMIT keeps each look a look into its unique index, whatever the planner
	// knows of a table that is filled by this very call.
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
	return c, tx.q.SendBatch(ctx, &b).Close()
}

// wishes are the slugs that products could be given, with so many suffixes of
// generated ones, and the skus that they ask for.
func wishes(list []NewProduct, lookUp int) (slugs, skus []string) {
	suffixed := map[string]bool{}
	for _, p := range list {
		if p.SKU != "" {
			skus = append(skus, p.SKU)
		}
		slugs = append(slugs, p.SEO.Slug)
		if p.Explicit || suffixed[p.SEO.Slug] {
			continue
		}
		suffixed[p.SEO.Slug] = true
		for n := 2; n <= lookUp; n++ {
			slugs = append(slugs, shop.Suffixed(p.SEO.Slug, n))
		}
	}
	return slugs, skus
}

// claim gives a product its slug, or says why it cannot be added.
func (c claims) claim(p NewProduct) error {
	slug := p.SEO.Slug
	for n := 1; c.slugs[slug]; {
		if p.Explicit {
			return shop.ErrSlugTaken.At("seo.slug").With(slug)
		}
		if n++; n > c.lookUp {
			return errUndecided
		}
		slug = shop.Suffixed(p.SEO.Slug, n)
	}
	if p.SKU != "" && c.skus[p.SKU] {
		return ErrSKUTaken.At("sku")
	}
	p.SEO.Slug = slug
	c.slugs[slug] = true
	if p.SKU != "" {
		c.skus[p.SKU] = true
	}
	return nil
}
