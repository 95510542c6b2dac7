package store

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/semaphore"

	"vitrine/internal/shop"
)

// The contour of a call travels in its context, like its deadline. It is set once where the
// caller is known and reaches every Shop, Snapshot and Write below, so that handlers need
// not pass it on and cannot forget it. A handler that must work on the live shop uses Live.
//
// In the draft contour the same SQL runs in transactions whose search_path puts the views of
// schema dev before the tables they overlay (migration 0007). The path is set with the
// transaction and ends with it, so that a connection, also one behind a pooler, never carries
// it to somebody else.

type draftKey struct{}

// InDraft returns a context in which one shop is read and written in its draft. Other shops
// are live in it: a draft is shown only to the shop's own staff.
func InDraft(ctx context.Context, company shop.CompanyID) context.Context {
	return context.WithValue(ctx, draftKey{}, company)
}

// Live returns a context in which every shop is live.
func Live(ctx context.Context) context.Context { return InDraft(ctx, 0) }

// InDraftOf reports whether a context selects a shop's draft.
func InDraftOf(ctx context.Context, company shop.CompanyID) bool {
	id, ok := ctx.Value(draftKey{}).(shop.CompanyID)
	return ok && id != 0 && id == company
}

// draftPath is the search_path of the draft contour.
const draftPath = "dev, public"

// What puts a transaction into the draft contour: the end of the statement that begins it, or
// the first statement of a batch. A cached plan, made while the draft was empty, may scan the
// whole draft for each row once an import has filled it. So each statement is planned for the
// draft as it is. The triggers of the draft keep their cached plans.
const (
	beginDraft = `; SET LOCAL search_path = ` + draftPath + `; SET LOCAL plan_cache_mode = force_custom_plan`
	enterDraft = `SELECT set_config('search_path', '` + draftPath + `', true), set_config('plan_cache_mode', 'force_custom_plan', true)`
)

// Begun begins transactions for a shop in the contour of the context.
type Begun struct {
	store   *Store
	company shop.CompanyID
}

// For returns what begins transactions for a shop.
func (s *Store) For(company shop.CompanyID) Begun { return Begun{s, company} }

// Begin begins a transaction in READ COMMITTED, in one round trip.
func (b Begun) Begin(ctx context.Context) (pgx.Tx, error) { return b.BeginTx(ctx, pgx.TxOptions{}) }

// maxDrafts is how many transactions work in drafts at once. Writers of one draft wait for each
// other (LockDraft); they must not take the connections of everybody else meanwhile.
const maxDrafts = 6

// BeginTx begins a transaction: Snapshot, or one without options.
func (b Begun) BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error) {
	if !InDraftOf(ctx, b.company) {
		return b.begin(ctx, options, b.store.setup)
	}
	if err := b.store.drafts.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	tx, err := b.begin(ctx, options, b.store.setup+beginDraft)
	if err != nil {
		b.store.drafts.Release(1)
		return nil, err
	}
	return &draftTx{Tx: tx, drafts: b.store.drafts}, nil
}

// draftTx is a transaction that is counted until it ends.
type draftTx struct {
	pgx.Tx
	drafts *semaphore.Weighted
	ended  bool
}

func (tx *draftTx) end() {
	if !tx.ended {
		tx.ended = true
		tx.drafts.Release(1)
	}
}

func (tx *draftTx) Commit(ctx context.Context) error {
	defer tx.end()
	return tx.Tx.Commit(ctx)
}

func (tx *draftTx) Rollback(ctx context.Context) error {
	defer tx.end()
	return tx.Tx.Rollback(ctx)
}

// begin begins a transaction with what follows BEGIN.
func (b Begun) begin(ctx context.Context, options pgx.TxOptions, setup string) (pgx.Tx, error) {
	pool := b.store.Pool
	if options == Snapshot && !InDraftOf(ctx, b.company) {
		pool = b.store.reads(ctx)
	}
	switch {
	case options != Snapshot:
		options = pgx.TxOptions{BeginQuery: "BEGIN" + setup + writes + asking}
	case setup != "":
		options = pgx.TxOptions{BeginQuery: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" + setup}
	}
	return pool.BeginTx(ctx, options)
}

// draftReader reads the draft outside of a transaction of the caller. It sends the settings of
// the contour and the statements as one batch, which the server runs as a transaction.
type draftReader struct{ pool *pgxpool.Pool }

func (d draftReader) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	whole := &pgx.Batch{}
	whole.Queue(enterDraft)
	whole.QueuedQueries = append(whole.QueuedQueries, b.QueuedQueries...)
	results := d.pool.SendBatch(ctx, whole)
	_, _ = results.Exec() // an error ends the batch: the next result has it too
	return results
}

func (d draftReader) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	b := &pgx.Batch{}
	b.Queue(sql, args...)
	results := d.SendBatch(ctx, b)
	rows, err := results.Query()
	if err != nil {
		_ = results.Close() // the same error
		return rows, err
	}
	return batchRows{rows, results}, nil
}

func (d draftReader) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	rows, err := d.Query(ctx, sql, args...)
	return heldRow{rows, err}
}

func (d draftReader) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	rows, err := d.Query(ctx, sql, args...)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	rows.Close()
	return rows.CommandTag(), rows.Err()
}

// batchRows are the rows of the last statement of a batch. Their end is that of the batch.
type batchRows struct {
	pgx.Rows
	results pgx.BatchResults
}

func (r batchRows) Next() bool {
	if r.Rows.Next() {
		return true
	}
	r.Close()
	return false
}

func (r batchRows) Close() {
	r.Rows.Close()
	_ = r.results.Close() // an error of the rows is in Err
}

// Draft reports whether the transaction writes the draft. Visitors see nothing of it, so it
// writes no journal, no event and no new version.
func (tx *Tx) Draft() bool { return tx.draft }

// WriteLive runs write on the live shop within a draft's transaction, for values that
// have no draft and exist only there. Tables are named public.
func (tx *Tx) WriteLive(ctx context.Context, write func() error) error {
	if !tx.draft {
		return write()
	}
	if err := tx.setSearchPath(ctx, "public"); err != nil {
		return err
	}
	if err := write(); err != nil {
		return err
	}
	return tx.setSearchPath(ctx, draftPath)
}

func (tx *Tx) setSearchPath(ctx context.Context, path string) error {
	_, err := tx.DB.Exec(ctx, `SELECT set_config('search_path', $1, true)`, path)
	return err
}

// bumpDraft raises the version of the draft. Its writers are serialised (LockDraft), so
// updating the row blocks nobody.
func (tx *Tx) bumpDraft(ctx context.Context) error {
	_, err := tx.DB.Exec(ctx, `
		INSERT INTO draft_version (company_id, version) VALUES ($1, 1)
		ON CONFLICT (company_id) DO UPDATE SET version = draft_version.version + 1`, tx.Company)
	return err
}
