package storetest

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store/migrations"
)

//go:embed crowd.sql
var crowdSQL string

// Mark is contained in every text of the shops of Crowd: if a test sees it, data of another
// shop has leaked. Slugs, skus and addresses have it in lower case.
const Mark = "Crowd"

// ForeignID is the id of one thing of every noun in each shop of Crowd, above the ids that a
// test creates.
const ForeignID = 99

const (
	crowdFirst    = 1001 // the id of the first shop: those of a test begin at 1
	crowdShops    = 1000
	crowdRows     = 10 // of every noun in each shop
	crowdProducts = 60
)

// ManyShops is URL for a database that already has 1,000 shops: each with 60 products with
// attributes and variants, and some of everything else. Their ids are the same small
// numbers in each shop, and the sequences begin at 1 as in an empty database: a query that
// forgets to filter by shop finds their rows, and a test that runs in both databases gets
// the same ids.
func ManyShops(t testing.TB, migrate Build) string {
	t.Helper()
	key, err := hashFiles(migrations.FS)
	if err != nil {
		t.Fatal(err)
	}
	return Clone(t, key+crowdSQL+crowdPeople+dropIndexes+createIndexes, func(ctx context.Context, url string) error {
		if err := migrate(ctx, url); err != nil {
			return err
		}
		return writeAndAnalyze(ctx, url, func(tx pgx.Tx) error {
			const last = crowdFirst + crowdShops - 1
			if _, err := tx.Exec(ctx, dropIndexes); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, crowdPeople, Mark, crowdFirst, last); err != nil {
				return err
			}
			if err := grow(ctx, tx, Mark, crowdFirst, last, 1, crowdRows, crowdProducts); err != nil {
				return err
			}
			if err := grow(ctx, tx, Mark, crowdFirst, last, ForeignID, ForeignID, ForeignID); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, createIndexes)
			return err
		})
	})
}

// dropIndexes drops all indexes that guarantee nothing, and createIndexes creates them again:
// filling whole tables and then building their indexes takes half the time of keeping the
// indexes up to date with each row.
const (
	dropIndexes = `
		CREATE TEMPORARY TABLE dropped_index ON COMMIT DROP AS
			SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
			FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
			WHERE NOT i.indisunique AND c.relnamespace IN ('public'::regnamespace, 'draft'::regnamespace);
		DO $$ DECLARE dropped record; BEGIN
			FOR dropped IN SELECT name FROM dropped_index LOOP EXECUTE 'DROP INDEX ' || dropped.name; END LOOP;
		END $$`
	createIndexes = `
		DO $$ DECLARE dropped record; BEGIN
			FOR dropped IN SELECT definition FROM dropped_index LOOP EXECUTE dropped.definition; END LOOP;
		END $$`
)

// crowdPeople creates the shops, an owner of each, and keys.
const crowdPeople = `
	WITH shops AS (
		INSERT INTO company (id, slug, name, currency, version) OVERRIDING SYSTEM VALUE
		SELECT s, lower($1) || '-' || s, $1 || ' shop ' || s, 'EUR', 20 FROM generate_series($2::integer, $3::integer) s RETURNING id
	), people AS (
		INSERT INTO person (id, email, name, password_hash) OVERRIDING SYSTEM VALUE
		SELECT 100000 + s, $1 || s || '@people.test', $1, '-' FROM generate_series($2::integer, $3::integer) s RETURNING id
	), members AS (
		INSERT INTO member (company_id, person_id, role) SELECT s.id, p.id, 'owner' FROM shops s JOIN people p ON p.id = 100000 + s.id
	), domains AS (
		INSERT INTO company_domain (company_id, domain, active_at) SELECT id, lower($1) || id || '.example.test', now() FROM shops
	), sessions AS (
		INSERT INTO session (token_hash, person_id, expires_at) SELECT sha256(('session' || id)::bytea), id, now() FROM people
	), moves AS (
		INSERT INTO shop_move (company_id, peer, peer_id, gone) SELECT id, gen_random_uuid(), id, false FROM shops WHERE id > 1100
	), changes AS (
		INSERT INTO company_change (company_id, version, kinds, ids) SELECT id, v, '{1}', '{0}' FROM shops, generate_series(1, 20) v
	)
	INSERT INTO api_key (company_id, id, person_id, name, contour, scopes, hash) OVERRIDING SYSTEM VALUE
	SELECT s.id, 1, p.id, $1, 'prod', '{}', sha256(('key' || s.id)::bytea) FROM shops s JOIN people p ON p.id = 100000 + s.id`

// AddRows adds rows of every noun to a shop, numbered from+1 to to. Their ids are their
// numbers.
func AddRows(t testing.TB, url string, company int32, mark string, from, to int) {
	t.Helper()
	ctx := context.Background()
	err := writeAndAnalyze(ctx, url, func(tx pgx.Tx) error { return grow(ctx, tx, mark, int(company), int(company), from+1, to, to) })
	if err != nil {
		t.Fatal(err)
	}
}

func grow(ctx context.Context, tx pgx.Tx, mark string, first, last, lo, hi, products int) error {
	// The rows are consistent, so the million foreign key checks are skipped.
	if _, err := tx.Exec(ctx, "SET LOCAL session_replication_role = replica; "+crowdSQL); err != nil {
		return fmt.Errorf("crowd.sql: %w", err)
	}
	_, err := tx.Exec(ctx, `SELECT pg_temp.fill($1, $2, $3, $4, $5, $6)`, mark, first, last, lo, hi, products)
	return err
}

// writeAndAnalyze runs do in a transaction and then analyses the tables for the planner.
func writeAndAnalyze(ctx context.Context, url string, do func(pgx.Tx) error) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	err = pgx.BeginFunc(ctx, conn, do)
	if err == nil {
		err = run(ctx, conn, "ANALYZE")
	}
	return errors.Join(err, conn.Close(ctx))
}

// CrowdState identifies the rows of the shops of Crowd: for each shop table the number of its
// rows and the sum of the transactions that wrote them. An insert, update or delete of one
// row changes the state of its table. empty lists the shop tables that Crowd leaves empty,
// whose plans prove nothing.
func CrowdState(t testing.TB, url string) (state map[string]string, empty []string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	state = map[string]string{}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `
			SELECT c.oid::regclass::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'company_id'
			WHERE c.relkind = 'r' AND c.relnamespace IN ('public'::regnamespace, 'draft'::regnamespace) ORDER BY 1`)
		if err != nil {
			return err
		}
		tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, table := range tables {
			var n int
			var writers string
			err := tx.QueryRow(ctx, `SELECT count(*), coalesce(sum(xmin::text::bigint), 0)::text FROM `+table+` WHERE company_id >= $1`, crowdFirst).
				Scan(&n, &writers)
			if err != nil {
				return err
			}
			if n == 0 {
				empty = append(empty, table)
			}
			state[table] = fmt.Sprintf("%d rows, written by %s", n, writers)
		}
		return nil
	})
	if err := errors.Join(err, conn.Close(ctx)); err != nil {
		t.Fatal(err)
	}
	return state, empty
}
