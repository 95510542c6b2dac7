package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"vitrine/internal/shop"
)

// Work is one call of the admin API as the database sees it. A context that carries it ties
// two kinds of rows to the writes of the call:
//
// - The audit entry goes into the transaction of the call's first Write.
// - With a claim on an Idempotency-Key, the first Write opens one transaction for the rest
// of the call. It and all later Writes are savepoints in it, all reads of the call see it,
// and Finish commits it together with the stored answer: afterwards either both exist or
// neither. A claim that is Apart keeps each Write in a separate transaction.
//
// A Work belongs to one call and is not safe for concurrent use.
type Work struct {
	store  *Store
	entry  *AuditEntry
	logged bool
	claim  *Claim
	tx     pgx.Tx // of the claim, from the first Write on
	draft  bool   // tx is of the draft contour
	done   []*Tx  // savepoints that succeeded
	basis  *Basis
}

type workKey struct{}

// Begin returns the work of one call and the context that carries it. entry and claim may
// be nil.
func (s *Store) Begin(ctx context.Context, entry *AuditEntry, claim *Claim) (context.Context, *Work) {
	w := &Work{store: s, entry: entry, claim: claim}
	return context.WithValue(ctx, workKey{}, w), w
}

// workOf returns the work that a context carries on this store; nil without one.
func (s *Store) workOf(ctx context.Context) *Work {
	if w, ok := ctx.Value(workKey{}).(*Work); ok && w.store == s {
		return w
	}
	return nil
}

// WriteAudit stores the audit entry of a call if no Write of it did.
func (w *Work) WriteAudit(ctx context.Context) error { return w.log(ctx, w.conn()) }

// Author is the author of a call's writes: a person, and the key that they used. Both are 0
// for the operator.
type Author struct {
	Person shop.UserID
	Key    shop.KeyID
}

func (w *Work) author() Author {
	if w.entry == nil {
		return Author{}
	}
	return Author{w.entry.Person, w.entry.Key}
}

// conn returns where the work's own rows are written: its transaction, if it has one.
func (w *Work) conn() Querier {
	if w.tx != nil {
		return w.tx
	}
	return w.store.Pool
}

// includes reports whether writes to a shop in a context belong to the claim's transaction.
// The transaction is of one contour: writes of the same call in the other contour are
// outside of it.
func (w *Work) includes(ctx context.Context, company shop.CompanyID) bool {
	return w != nil && w.claim != nil && !w.claim.SeparateCommit && (w.tx == nil || w.draft == InDraftOf(ctx, company))
}

// write is Store.Write inside the claim's transaction.
func (w *Work) write(ctx context.Context, company shop.CompanyID, fn func(*Tx) error) error {
	if w.tx == nil {
		var err error
		if w.tx, err = w.store.For(company).Begin(ctx); err != nil {
			return fmt.Errorf("begin: %w", err)
		}
		w.draft = InDraftOf(ctx, company)
	}
	outer := w.tx
	inner, err := outer.Begin(ctx)
	if err != nil {
		return fmt.Errorf("savepoint: %w", err)
	}
	w.tx = inner // reads of fn outside its Tx use the savepoint too
	defer func() { w.tx = outer }()
	tx := &Tx{Reader: w.store.reader(inner, company), PG: inner, draft: w.draft}
	if err := w.store.run(ctx, tx, fn); err != nil {
		if rerr := inner.Rollback(context.WithoutCancel(ctx)); rerr != nil && ctx.Err() == nil {
			return fmt.Errorf("%w (and the rollback failed: %v)", err, rerr)
		}
		return err
	}
	if err := inner.Commit(ctx); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	w.done = append(w.done, tx)
	return nil
}

// log stores the audit entry once. A Write that fails also fails the call, so an entry
// rolled back with its transaction is not needed.
func (w *Work) log(ctx context.Context, q Querier) error {
	if w == nil || w.entry == nil || w.logged {
		return nil
	}
	w.logged = true
	return insertAudit(ctx, q, *w.entry)
}

// AsOne runs fn and commits everything that it writes with its context in one transaction, or
// nothing if it returns an error. The writes are those of one shop, or of shops in one contour.
func (s *Store) AsOne(ctx context.Context, fn func(ctx context.Context) error) error {
	ctx, w := s.Begin(ctx, nil, &Claim{})
	if err := fn(ctx); err != nil {
		if rerr := w.rollback(context.WithoutCancel(ctx)); rerr != nil {
			return fmt.Errorf("%w (and the rollback failed: %v)", err, rerr)
		}
		return err
	}
	if w.tx == nil {
		return nil
	}
	w.done = merged(w.done)
	err := w.commit(ctx)
	if err != nil && w.tx != nil {
		_ = w.rollback(context.WithoutCancel(ctx))
	}
	return err
}

// merged returns the savepoints as one for each shop, so that the versions are bumped once.
func merged(list []*Tx) (out []*Tx) {
	of := map[shop.CompanyID]*Tx{}
	for _, tx := range list {
		all := of[tx.Company]
		if all == nil || all.draft != tx.draft {
			of[tx.Company] = tx
			out = append(out, tx)
			continue
		}
		all.ChangedLive(tx.changes...)
		all.edits, all.after = append(all.edits, tx.edits...), append(all.after, tx.after...)
		all.BytesFreed, all.LettersQueued, all.EventsRecorded = all.BytesFreed || tx.BytesFreed, all.LettersQueued || tx.LettersQueued, all.EventsRecorded || tx.EventsRecorded
	}
	return out
}

// commit commits the claim's transaction and calls the listeners. The versions are bumped
// last, as in every transaction.
func (w *Work) commit(ctx context.Context) error {
	versions := make([]int64, len(w.done))
	for i, tx := range w.done {
		tx.DB = w.tx
		var err error
		if versions[i], err = tx.Bump(ctx); err != nil {
			return err
		}
	}
	if err := commit(ctx, w.tx); err != nil {
		return err
	}
	w.tx = nil
	for i, tx := range w.done {
		w.store.Committed(context.WithoutCancel(ctx), tx, versions[i])
	}
	return nil
}

func (w *Work) rollback(ctx context.Context) error {
	if w.tx == nil {
		return nil
	}
	err := w.tx.Rollback(ctx)
	w.tx, w.done = nil, nil
	if errors.Is(err, pgx.ErrTxClosed) || IsUnavailable(err) {
		return nil // a broken connection ends its transaction
	}
	return err
}

// contextReader is the pool as a call reads it: through the transaction of its work, if it has
// one, so that the call sees its own writes.
type contextReader struct {
	store   *Store
	company shop.CompanyID
}

var _ Querier = contextReader{}

func (r contextReader) in(ctx context.Context) Querier {
	if w := r.store.workOf(ctx); w.includes(ctx, r.company) && w.tx != nil {
		return w.tx
	}
	if InDraftOf(ctx, r.company) {
		return draftReader{r.store.Pool}
	}
	return r.store.reads(ctx)
}

func (r contextReader) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return r.in(ctx).Query(ctx, sql, args...)
}

func (r contextReader) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return r.in(ctx).QueryRow(ctx, sql, args...)
}

func (r contextReader) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return r.in(ctx).Exec(ctx, sql, args...)
}

func (r contextReader) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return r.in(ctx).SendBatch(ctx, b)
}
