package store_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/storetest"
)

// A cached plan fits a draft that no longer exists: any index serves a nearly empty draft,
// but a full draft needs the right one.
func TestDraftStatementsDoNotCachePlans(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), storetest.URL(t, store.Migrate), func(cfg *pgxpool.Config) { cfg.MaxConns = 1 })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	id := newShop(t, s, "first")
	tea := category("tea")
	write(t, s, id, func(ctx context.Context, tx *store.Tx) error { return catalog.InsertCategory(ctx, tx, tea, true) })
	draft := store.InDraft(t.Context(), id)
	for n := range 12 { // from its sixth run on a statement may cache its plan
		p := catalog.Product{
			Kind: "standard", Name: "Tea", SKU: fmt.Sprint(n), SEO: catalog.SEO{Slug: fmt.Sprint("tea-", n)}, Tags: []string{},
			Category: tea.ID,
		}
		if err := s.Write(draft, id, func(tx *store.Tx) error { return catalog.InsertProduct(draft, tx, &p, true, 0) }); err != nil {
			t.Fatal(err)
		}
	}
	var kept, made int
	err = s.Pool.QueryRow(t.Context(), `SELECT sum(generic_plans), sum(custom_plans) FROM pg_prepared_statements WHERE parameter_types <> '{}'`).
		Scan(&kept, &made)
	if err != nil || kept != 0 || made < 12 {
		t.Errorf("%d runs used a cached plan, %d a new one, %v", kept, made, err)
	}
}

// triggerLookup matches a trigger's lookup of a unique value: the query, its table and the
// columns of the value.
var triggerLookup = regexp.MustCompile(`EXISTS \((SELECT FROM draft\.(\w+) o WHERE (.*?) AND \(.*)\)\n`)

// Triggers cache their plans, also those made for an empty draft: even then a unique value
// must be looked up by all its columns, in every drafted table.
func TestDraftTriggersLookUpUniqueValuesByIndex(t *testing.T) {
	t.Parallel()
	conn := connect(t, storetest.URL(t, store.Migrate))
	unique := queryTexts(t, conn, `
		SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
		JOIN pg_views v ON v.schemaname = 'dev' AND v.viewname = c.relname
		WHERE c.relnamespace = 'public'::regnamespace AND i.indisunique AND NOT i.indisprimary`)
	triggers := queryTexts(t, conn, `
		SELECT prosrc FROM pg_proc WHERE pronamespace = 'draft'::regnamespace AND prorettype = 'trigger'::regtype`)
	lookups := triggerLookup.FindAllStringSubmatch(strings.Join(triggers, "\n"), -1)
	if len(lookups) != len(unique) || len(unique) == 0 {
		t.Fatalf("%d lookups in the draft for %v", len(lookups), unique)
	}
	if _, err := conn.Exec(t.Context(), `SET enable_seqscan = off`); err != nil {
		t.Fatal(err)
	}
	for _, lookup := range lookups {
		query, table, value := lookup[1], lookup[2], strings.Split(lookup[3], " AND ")
		of := regexp.MustCompile(`NEW\.(\w+)`).ReplaceAllString(query, "(SELECT n.$1 FROM public."+table+" n LIMIT 1)")
		plan := strings.Join(queryTexts(t, conn, `EXPLAIN `+of), "\n")
		_, condition, _ := strings.Cut(plan, "Index Cond: ")
		condition, _, _ = strings.Cut(condition, "\n")
		if strings.Count(condition, " = ") != len(value) {
			t.Errorf("%s is looked up by %s:\n%s", value, condition, plan)
		}
	}
}

// No search scans a list of rows pending since the last vacuum: every full-text index is
// updated at once.
func TestFullTextIndexesUpdateAtOnce(t *testing.T) {
	t.Parallel()
	conn := connect(t, storetest.URL(t, store.Migrate))
	rows, err := conn.Query(t.Context(), `
		SELECT c.oid::regclass::text FROM pg_class c JOIN pg_am a ON a.oid = c.relam
		WHERE a.amname = 'gin' AND NOT coalesce('fastupdate=off' = ANY(c.reloptions), false)`)
	if err != nil {
		t.Fatal(err)
	}
	slow, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(slow) > 0 {
		t.Errorf("%v, %v: create them WITH (fastupdate = off)", slow, err)
	}
}
