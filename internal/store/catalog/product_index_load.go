package catalog

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/facet"
	"vitrine/internal/store"
)

// loadIndex returns an index of all products of a shop. It reads one table after another, because
// they have many rows.
func loadIndex(ctx context.Context, r store.Reader) (*facet.Index, error) {
	b := facet.New()
	for _, read := range indexReads(ctx, "public", b, nil) {
		if err := read(r); err != nil {
			return nil, err
		}
	}
	return b.Done(), nil
}

// indexReads are the reads that add products to an index, in their order: all of a shop, or those
// of non-nil ids. schema is public or dev. Values of deleted products are loaded too, but nothing
// finds them.
func indexReads(ctx context.Context, schema string, b *facet.Builder, ids []uint32) (reads []func(store.Reader) error) {
	if ids != nil && len(ids) == 0 {
		return nil
	}
	for _, load := range []func(context.Context, indexRows, *facet.Builder) error{loadProducts, loadSections, loadChoices, loadOptions, loadNumbers, loadTexts} {
		reads = append(reads, func(r store.Reader) error { return load(ctx, indexRows{r, schema, ids}, b) })
	}
	return reads
}

// indexRows queries rows for an index.
type indexRows struct {
	r      store.Reader
	schema string
	ids    []uint32
}

// query runs SQL with {table} for the table in its schema, {schema} for the schema, and
// {these} for the condition that restricts the column id to the requested products.
func (q indexRows) query(ctx context.Context, sql, table, id string) (pgx.Rows, error) {
	args, these := []any{q.r.Company}, ``
	if q.ids != nil {
		args, these = append(args, q.ids), ` AND `+id+` = ANY($2::integer[])`
	}
	return q.r.DB.Query(ctx, strings.NewReplacer("{table}", q.schema+"."+table, "{schema}", q.schema, "{these}", these).Replace(sql), args...)
}

// productsAtOnce is how many products are held while an index of all is made.
const productsAtOnce = 1000

func loadProducts(ctx context.Context, q indexRows, b *facet.Builder) error {
	rows, err := q.query(ctx, setPrices+`
		SELECT p.id, p.category_id, CASE WHEN s.id IS NULL THEN p.price ELSE (s.whole * (10000 - p.combo_percent) + 5000) / 10000 END,
			coalesce(s.whole, p.old_price), s.id IS NOT NULL,
			p.is_published, p.catalog_hidden <> 'true', `+soldOut("{schema}.")+`,
			coalesce(`+fewLeft("{schema}.")+`, false), p.kind, p.brand, p.tags,
			(extract(epoch FROM p.created_at) * 1000000)::bigint, p.rating, p.name
		FROM {table} p LEFT JOIN sets s ON s.id = p.id
		WHERE p.company_id = $1 AND p.deleted_at IS NULL{these} ORDER BY p.id`, "product", "p.id")
	if err != nil {
		return err
	}
	var list []facet.Product
	var p facet.Product
	_, err = pgx.ForEachRow(rows, []any{&p.ID, &p.Section, &p.Price, &p.Old, &p.Set, &p.Published, &p.Listed, &p.Sold, &p.Low, &p.Kind, &p.Brand, &p.Tags, &p.Created, &p.Rating, &p.Name}, func() error {
		p.Words = p.Brand + " " + strings.Join(p.Tags, " ")
		p.Low = p.Low && !p.Sold
		p.Reduced = p.Old > p.Price && p.Price > 0
		if len(list) == productsAtOnce {
			b.Products(list)
			list = list[:0]
		}
		list, p.Tags = append(list, p), nil
		return nil
	})
	b.Products(list)
	return err
}

// setPrices selects the summed prices of the components of sets, as price.ComponentsTotal computes
// them.
const setPrices = `WITH sets AS MATERIALIZED (SELECT p.id, least(sum(coalesce(v.price, part.price, 0) * (c->>'quantity')::bigint), 100000000000)::bigint AS whole
	FROM {table} p CROSS JOIN jsonb_array_elements(p.combo_items) c
	LEFT JOIN {schema}.product part ON part.company_id = $1 AND part.id = (c->>'product_id')::integer AND part.deleted_at IS NULL
	LEFT JOIN {schema}.variant_set v ON v.company_id = $1 AND v.product_id = part.id AND v.id = (c->>'variant_id')::bigint AND v.is_active
	WHERE p.company_id = $1 AND p.combo_items <> '[]' AND p.deleted_at IS NULL{these} GROUP BY p.id)`

func loadChoices(ctx context.Context, q indexRows, b *facet.Builder) error {
	rows, err := q.query(ctx, `
		SELECT product_id, array_agg(price ORDER BY sort_order, id), array_agg(old_price ORDER BY sort_order, id)
		FROM {table} WHERE company_id = $1 AND is_active{these} GROUP BY product_id`,
		"variant_set", "product_id")
	if err != nil {
		return err
	}
	var product uint32
	var prices, old []*int64
	_, err = pgx.ForEachRow(rows, []any{&product, &prices, &old}, func() error {
		variants := make([]facet.Variant, len(prices))
		for i := range prices {
			variants[i] = facet.Variant{Price: prices[i], Old: old[i]}
		}
		b.Choices(product, variants)
		prices, old = nil, nil
		return nil
	})
	return err
}

func loadSections(ctx context.Context, q indexRows, b *facet.Builder) error {
	rows, err := q.query(ctx, `
		SELECT category_id, array_agg(product_id) FROM {table} WHERE company_id = $1{these} GROUP BY category_id`,
		"product_extra_category", "product_id")
	if err != nil {
		return err
	}
	var section uint32
	var products []uint32
	_, err = pgx.ForEachRow(rows, []any{&section, &products}, func() error {
		b.Section(section, products)
		return nil
	})
	return err
}

func loadOptions(ctx context.Context, q indexRows, b *facet.Builder) error {
	rows, err := q.query(ctx, `
		SELECT attribute_id, option_id, array_agg(product_id) FROM {table}
		WHERE company_id = $1{these} GROUP BY attribute_id, option_id`, "product_attribute", "product_id")
	if err != nil {
		return err
	}
	var attribute, option uint32
	var products []uint32
	_, err = pgx.ForEachRow(rows, []any{&attribute, &option, &products}, func() error {
		b.Option(attribute, option, products)
		return nil
	})
	return err
}

func loadNumbers(ctx context.Context, q indexRows, b *facet.Builder) error {
	rows, err := q.query(ctx, `
		SELECT attribute_id, product_id, number FROM {table}
		WHERE company_id = $1 AND number IS NOT NULL{these} ORDER BY attribute_id, product_id`, "product_attribute", "product_id")
	if err != nil {
		return err
	}
	var attribute, product uint32
	var n float64
	_, err = pgx.ForEachRow(rows, []any{&attribute, &product, &n}, func() error {
		b.Number(attribute, product, n)
		return nil
	})
	return err
}

func loadTexts(ctx context.Context, q indexRows, b *facet.Builder) error {
	rows, err := q.query(ctx, `
		SELECT product_id, string_agg(text, ' ' ORDER BY attribute_id) FROM {table} t
		WHERE company_id = $1 AND text <> ''{these}
			AND EXISTS (SELECT FROM attribute a WHERE a.company_id = $1 AND a.id = t.attribute_id AND a.deleted_at IS NULL)
		GROUP BY product_id`, "product_attribute", "product_id")
	if err != nil {
		return err
	}
	var product uint32
	var text string
	_, err = pgx.ForEachRow(rows, []any{&product, &text}, func() error {
		b.Text(product, text)
		return nil
	})
	return err
}
