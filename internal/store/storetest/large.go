package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// LargeOptions is how many options an attribute of Large has: o1 to o12.
const LargeOptions = 12

// fillTimeout bounds the time to fill a shop: 200,000 products take minutes on a busy machine.
const fillTimeout = 10 * time.Minute

// Large gives a shop a tree of 40 sections and the given number of published products, each
// with one option of each of eight attributes. It is the data set of tests and benchmarks
// of large shops: the same rows each time, spread evenly by hashes, written directly to the
// tables and then analysed.
func Large(t testing.TB, url string, company, products int) {
	t.Helper()
	fill(t, url, largeRows, `SELECT $1::integer AS company_id, $2::integer AS products`, company, products)
}

// Trade gives a shop of Large brands, tags and stock of its products, and customers with orders, one
// a minute.
func Trade(t testing.TB, url string, company, customers, orders int) {
	t.Helper()
	fill(t, url, tradeRows, `SELECT $1::integer AS company_id, $2::integer AS customers, $3::integer AS orders`, company, customers, orders)
}

// Deep gives a shop of Large more sections, each of the first nine with ten below it and so on, and
// 500 variants to ten of its products.
func Deep(t testing.TB, url string, company, sections int) {
	t.Helper()
	fill(t, url, deepRows, `SELECT $1::integer AS company_id, $2::integer AS sections`, company, sections)
}

// fill runs statements that read the numbers of one row, the table filled, and analyses the tables.
func fill(t testing.TB, url, rows, filled string, numbers ...any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), fillTimeout)
	defer cancel()
	err := writeAndAnalyze(ctx, url, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `CREATE TEMPORARY TABLE filled ON COMMIT DROP AS `+filled, numbers...); err != nil {
			return err
		}
		// Without the triggers of foreign keys: the rows are consistent.
		_, err := tx.Exec(ctx, `SET LOCAL session_replication_role = replica; `+rows)
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

// tradeRows inserts the rows of Trade.
const tradeRows = `
	UPDATE product p SET brand = 'Brand ' || id % 50, tags = ARRAY['tag-' || id % 20], stock_quantity = id % 40, stock_low_threshold = 2
	FROM filled f WHERE p.company_id = f.company_id;
	INSERT INTO customer (company_id, email, name, phone, orders)
	SELECT company_id, 'person-' || n || '@people.test', 'Person ' || md5(n::text), '+7 916 ' || 1000000 + n, orders / customers
	FROM filled, generate_series(1, customers) n;
	INSERT INTO shop_order (company_id, number, person_id, status, payment_status, shipment_status, items_total, discount_total, currency,
		grand_total, contact_name, contact_phone, contact_email, created_at, day)
	SELECT company_id, 1000 + n, 1, (ARRAY['new', 'processing', 'completed', 'completed', 'cancelled'])[1 + n % 5], (ARRAY['none', 'paid'])[1 + n % 2],
		'none', 60, 0, 'EUR', 60, 'Person ' || md5((n % customers)::text), '+7 916 ' || 1000000 + n % customers,
		'person-' || n % customers || '@people.test', at, at::date
	FROM (SELECT company_id, customers, n, timestamptz '2026-01-01' + n * interval '1 minute' AS at FROM filled, generate_series(1, orders) n) o`

// deepRows inserts the rows of Deep.
const deepRows = `
	INSERT INTO category (company_id, type, name, slug, sort_order, is_published)
	SELECT company_id, 'product', 'Branch ' || n, 'branch-' || n, 100 + n, true FROM filled, generate_series(1, sections) AS n;
	UPDATE category c SET parent_id = up.id FROM category up, filled f
	WHERE c.company_id = f.company_id AND up.company_id = f.company_id AND c.slug LIKE 'branch-%'
	AND up.slug = 'branch-' || (c.sort_order - 100) / 10;
	INSERT INTO variant_set (company_id, product_id, sku, price, options, sort_order)
	SELECT p.company_id, p.id, p.sku || '-' || n, p.price + n, jsonb_build_object('Size', 'Size ' || n / 20, 'Colour', 'Colour ' || n % 20), n
	FROM filled JOIN product p USING (company_id), generate_series(0, 499) AS n WHERE p.sku ~ '^SKU-[1-9]000$'`
