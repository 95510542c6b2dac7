package store_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/storetest"
)

// connect opens a connection that the test closes at its end.
func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return conn
}

func queryTexts(t *testing.T, conn *pgx.Conn, sql string, args ...any) (list []string) {
	t.Helper()
	rows, err := conn.Query(t.Context(), sql, args...)
	if err == nil {
		list, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Writes of the draft contour go to a draft, or to the few tables that both contours share;
// every other write fails, also to tables added later.
func TestTheDraftContourCannotWriteLiveTables(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t, store.Migrate)
	conn := connect(t, url)
	if _, err := conn.Exec(t.Context(), `CREATE TABLE latecomer (company_id integer)`); err != nil {
		t.Fatal(err)
	}
	if err := store.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	shared := queryTexts(
		t, conn,
		`SELECT relname FROM pg_class WHERE relkind = 'r' AND obj_description(oid, 'pg_class') = 'both contours write it'`,
	)
	drafted := queryTexts(t, conn, `SELECT viewname FROM pg_views WHERE schemaname = 'dev'`)
	tables := queryTexts(t, conn, `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)
	if len(shared) < 7 || len(tables) < 30 || len(drafted) < 13 || !slices.Contains(tables, "latecomer") {
		t.Fatalf("tables %v, drafts %v", tables, drafted)
	}
	for _, set := range []struct {
		path  string
		draft bool
	}{{"dev, public", true}, {"public", false}} {
		if _, err := conn.Exec(t.Context(), `SELECT set_config('search_path', $1, false)`, set.path); err != nil {
			t.Fatal(err)
		}
		for _, name := range tables {
			for _, sql := range []string{`DELETE FROM public.` + name + ` WHERE false`,
				`INSERT INTO public.` + name + ` OVERRIDING SYSTEM VALUE SELECT * FROM public.` + name + ` WHERE false`} {
				_, err := conn.Exec(t.Context(), sql)
				refused := err != nil && strings.Contains(err.Error(), "the draft contour may not write to table "+name)
				if refused != (set.draft && !slices.Contains(shared, name)) {
					t.Errorf("%s, %s: %v", set.path, sql, err)
				}
			}
		}
	}
	for _, name := range shared {
		if slices.Contains(drafted, name) || !slices.Contains(tables, name) {
			t.Errorf("%s is shared by both contours: it has a draft, or does not exist", name)
		}
	}
}

// A migration that alters a drafted table calls draft_shadow again: the drafted rows are
// kept and get the new column.
func TestADraftSurvivesAMigrationOfItsTable(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t, store.Migrate)
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	id := newShop(t, s, "tea")
	p := catalog.Product{Kind: "standard", Name: "Green", SEO: catalog.SEO{Slug: "green"}, Tags: []string{}}
	write(t, s, id, func(ctx context.Context, tx *store.Tx) error { return catalog.InsertProduct(ctx, tx, &p, true, 0) })
	draft := store.InDraft(t.Context(), id)
	fresh := catalog.Product{Kind: "standard", Name: "Mint", SEO: catalog.SEO{Slug: "mint"}, Tags: []string{}}
	if err := s.Write(draft, id, func(tx *store.Tx) error {
		old, err := catalog.LockProduct(draft, tx, p.ID)
		if err != nil {
			return err
		}
		next := old
		next.Name = "Black"
		if err := catalog.UpdateProduct(draft, tx, old, next); err != nil {
			return err
		}
		return catalog.InsertProduct(draft, tx, &fresh, true, 0)
	}); err != nil {
		t.Fatal(err)
	}
	s.Close() // a migration runs without an open store

	conn := connect(t, url)
	for _, sql := range []string{
		`ALTER TABLE product ADD COLUMN origin text NOT NULL DEFAULT 'here', ADD COLUMN weight integer`,
		`SELECT draft_shadow('product', '{stock_quantity,stock_low_threshold,rating,rating_count,ad_mode}')`,
		`UPDATE product SET weight = 5, description = 'leaves'`,
		`SET search_path = dev, public`,
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	const show = `SELECT concat_ws(' ', name, description, origin, coalesce(weight::text, '-')) FROM product ORDER BY id`
	if got := queryTexts(t, conn, show); !slices.Equal(got, []string{"Black  here -", "Mint  here -"}) {
		t.Errorf("the draft is %q", got)
	}
	for _, sql := range []string{
		`UPDATE product SET origin = 'there' WHERE name = 'Mint'`,
		`SET search_path = public`,
		`UPDATE draft.product SET draft_picked = true`,
		`SELECT draft.publish_product(company_id) FROM product LIMIT 1`,
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	if got := queryTexts(t, conn, show); !slices.Equal(got, []string{"Black leaves here 5", "Mint  there -"}) {
		t.Errorf("published %q", got)
	}
	if got := queryTexts(t, conn, `SELECT name FROM draft.product`); len(got) != 0 {
		t.Errorf("still in the draft: %q", got)
	}
}
