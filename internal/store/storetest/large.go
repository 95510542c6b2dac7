package storetest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// LargeOptions is how many options an attribute of Large has: o1 to o12.
const LargeOptions = 12

// Large gives a shop a tree of 40 sections and the given number of published products, each
// with one option of each of eight attributes. It is the data set of tests and benchmarks
// of large shops: the same rows each time, spread evenly by hashes, written directly to the
// tables and then analysed.
func Large(t testing.TB, url string, company, products int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), stepTimeout)
	defer cancel()
	err := writeAndAnalyze(ctx, url, func(tx pgx.Tx) error {
		_, err := tx.Exec(
			ctx, `CREATE TEMPORARY TABLE filled ON COMMIT DROP AS SELECT $1::integer AS company_id, $2::integer AS products`,
			company, products,
		)
		if err != nil {
			return err
		}
		// Without the triggers of foreign keys: the rows are consistent.
		_, err = tx.Exec(ctx, `SET LOCAL session_replication_role = replica; `+largeRows)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// largeRows inserts the rows of Large into all tables.
const largeRows = `
	INSERT INTO category (company_id, type, name, slug, sort_order, is_published)
	SELECT company_id, 'product', 'Section ' || n, 'section-' || n, n, true FROM filled, generate_series(1, 40) AS n;
	UPDATE category c SET parent_id = up.id FROM category up, filled f
	WHERE c.company_id = f.company_id AND up.company_id = f.company_id AND c.slug LIKE 'section-%' AND c.sort_order > 4
	AND up.slug = 'section-' || (c.sort_order % 4 + 1);

	INSERT INTO attribute (company_id, name, sort_order)
	SELECT company_id, 'Attribute ' || n, n FROM filled, generate_series(1, 8) AS n;
	INSERT INTO attribute_option (company_id, attribute_id, value, label, sort_order)
	SELECT a.company_id, a.id, 'o' || n, 'Option ' || n, n FROM filled JOIN attribute a USING (company_id), generate_series(1, 12) AS n;

	INSERT INTO product (company_id, category_id, name, slug, sku, price, description, is_published, rating, created_at, updated_at)
	SELECT f.company_id, c.id, nouns.list[1 + n % 20] || ' ' || kinds.list[1 + n / 20 % 25] || ' ' || n, 'product-' || n, 'SKU-' || n,
		abs(hashint4(n)) % 100000, repeat('A thing for the house. ', 10), true, abs(hashint4(n + 1)) % 50 / 10.0,
		timestamptz '2026-01-01' + n * interval '1 minute', timestamptz '2026-03-01' + abs(hashint4(n + 2)) % 100000 * interval '1 minute'
	FROM filled f, generate_series(1, f.products) AS n,
		(SELECT '{Teapot,Cup,Saucer,Kettle,Spoon,Blanket,Candle,Lamp,Vase,Bowl,Plate,Napkin,Curtain,Mirror,Basket,Cushion,Teaspoon,Carafe,Jar,Tray}'::text[]) AS nouns(list),
		(SELECT '{porcelain,glass,linen,copper,oak,cotton,woollen,silver,bamboo,stone,walnut,ceramic,enamel,felt,silk,brass,birch,marble,rattan,steel,velvet,clay,paper,cork,ash}'::text[]) AS kinds(list),
		category c
	WHERE c.company_id = f.company_id AND c.slug = 'section-' || (5 + abs(hashint4(n + 3)) % 36)
	ORDER BY n, f.company_id;
	INSERT INTO product_extra_category (company_id, category_id, product_id)
	SELECT p.company_id, c.id, p.id FROM filled JOIN product p USING (company_id), category c
	WHERE c.company_id = p.company_id AND c.slug = 'section-' || (1 + p.id % 4) AND p.id % 10 = 0;
	INSERT INTO product_attribute (company_id, attribute_id, product_id, option_id)
	SELECT p.company_id, o.attribute_id, p.id, o.id
	FROM filled JOIN product p USING (company_id), attribute_option o
	WHERE o.company_id = p.company_id AND o.sort_order = 1 + abs(hashint8(p.id::bigint * 64 + o.attribute_id % 64)) % 12`
