package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// draftConn notes the connection of the draft contour that a store used.
type draftConn struct{ conn *pgx.Conn }

func (d *draftConn) TraceQueryStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	if conn.Config().RuntimeParams["search_path"] != "" {
		d.conn = conn
	}
	return ctx
}

func (*draftConn) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// A plan that is kept is one for a draft that no longer is: what a statement of
// a fresh draft reads by any index, one of a full draft reads by the right one.
func TestNoPlanForADraftIsKept(t *testing.T) {
	t.Parallel()
	var used draftConn
	s, err := store.Open(t.Context(), storetest.URL(t, store.Migrate), store.Traced(&used))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	id := newShop(t, s, "first")
	tea := category("tea")
	write(t, s, id, func(ctx context.Context, tx *store.Tx) error { return tx.InsertCategory(ctx, tea, true) })
	draft := store.InDraft(t.Context(), id)
	for n := range 12 { // the sixth run of a statement is the first that may keep its plan
		p := store.Product{Kind: "standard", Name: "Tea", SKU: fmt.Sprint(n), SEO: store.SEO{Slug: fmt.Sprint("tea-", n)}, Tags: []string{}, Category: tea.ID}
		if err := s.Write(draft, id, func(tx *store.Tx) error { return tx.InsertProduct(draft, &p, true, 0) }); err != nil {
			t.Fatal(err)
		}
	}
	var kept, made int
	err = used.conn.QueryRow(t.Context(), `SELECT sum(generic_plans), sum(custom_plans) FROM pg_prepared_statements WHERE parameter_types <> '{}'`).Scan(&kept, &made)
	if err != nil || kept != 0 || made < 12 {
		t.Errorf("%d runs by a plan that was kept, %d by one made for the run, %v", kept, made, err)
	}
}

// The trigger keeps its plans, also one that was made for an empty draft: what
// is unique must be looked up by its whole value then.
func TestAFreshDraftLooksForAValueByItsIndex(t *testing.T) {
	t.Parallel()
	conn := connect(t, storetest.URL(t, store.Migrate))
	for _, column := range []string{"sku", "slug"} {
		for _, sql := range []string{
			`SET enable_seqscan = off`, `SET plan_cache_mode = force_generic_plan`,
			`PREPARE look_` + column + `(int, text, int) AS SELECT FROM draft.product o WHERE o.company_id = $1 AND o.` + column + ` = $2
				AND deleted_at IS NULL AND ` + column + ` <> '' AND NOT o.draft_gone AND NOT (o.company_id = $1 AND o.id = $3)`,
		} {
			if _, err := conn.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
		plan := strings.Join(texts(t, conn, `EXPLAIN EXECUTE look_`+column+`(1, 'x', 1)`), "\n")
		if !strings.Contains(plan, "Index Cond: ((company_id = $1) AND ("+column+" = $2))") {
			t.Errorf("%s:\n%s", column, plan)
		}
	}
}

// No search reads a list of what was written since the last vacuum: each index of
// words takes it in at once.
func TestIndexesOfWordsTakeInWhatIsWritten(t *testing.T) {
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
