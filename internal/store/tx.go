package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// Tx is a transaction on one shop. It reads like a Reader and is the only place
// where writes exist.
type Tx struct {
	Reader
	tx      pgx.Tx
	draft   bool // writes the draft of the shop
	changes []shop.Key
	seen    map[shop.Key]bool        // of changes
	edits   []shop.ProductID         // see edited
	chained map[shop.CategoryID]bool // see listedProduct
	after   []func(context.Context)
	freed   bool // the shop let go of bytes
	posted  bool // letters were queued
	told    bool // events were recorded
	author  author
}

// Write runs fn in a transaction on one shop. When fn recorded changes, the
// shop's version is bumped as the last statement (it serialises the shop's
// writers, so it is held for the commit alone), and after the commit the
// listener of OnChange is told before Write returns.
func (s *Store) Write(ctx context.Context, company shop.CompanyID, fn func(*Tx) error) error {
	if w := s.workOf(ctx); w.holds(ctx, company) {
		return w.write(ctx, company, fn)
	}
	pgTx, err := s.poolOf(ctx, company).Begin(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	tx := &Tx{Reader: Reader{q: pgTx, Company: company}, tx: pgTx, draft: drafting(ctx, company)}
	version := int64(0)
	if err = s.run(ctx, tx, fn); err == nil {
		version, err = tx.bump(ctx)
	}
	if err != nil {
		if rerr := pgTx.Rollback(context.WithoutCancel(ctx)); rerr != nil && ctx.Err() == nil {
			return fmt.Errorf("%w (and the rollback failed: %v)", err, rerr)
		}
		return err
	}
	if err := commit(ctx, pgTx); err != nil {
		return err
	}
	s.committed(context.WithoutCancel(ctx), tx, version)
	return nil
}

// Rehearse runs fn in a transaction that is rolled back: it finds out what a write
// would meet, and nobody else sees any of it.
func (s *Store) Rehearse(ctx context.Context, company shop.CompanyID, fn func(*Tx) error) error {
	pgTx, err := s.poolOf(ctx, company).Begin(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	err = fn(&Tx{Reader: Reader{q: pgTx, Company: company}, tx: pgTx, draft: drafting(ctx, company)})
	if rerr := pgTx.Rollback(context.WithoutCancel(ctx)); err == nil && ctx.Err() == nil {
		err = rerr
	}
	return err
}

// run does the work of a transaction and keeps the audit entry of the call that
// it belongs to.
func (s *Store) run(ctx context.Context, tx *Tx, fn func(*Tx) error) error {
	if tx.draft {
		if err := tx.LockDraft(ctx); err != nil {
			return err
		}
	}
	tx.author = s.workOf(ctx).author()
	if err := fn(tx); err != nil {
		return unlessNoShop(err)
	}
	if tx.draft {
		if err := tx.bumpDraft(ctx); err != nil {
			return err
		}
	}
	return s.workOf(ctx).log(ctx, tx.q)
}

// committed tells who waits for the end of a transaction.
func (s *Store) committed(ctx context.Context, tx *Tx, version int64) {
	if version > 0 && s.changed != nil {
		s.changed(ctx, tx.Company, version)
	}
	if tx.freed && s.freed != nil {
		s.freed(ctx, tx.Company)
	}
	if tx.posted {
		_ = s.posting(nil)
	}
	if tx.told && s.told != nil {
		s.told()
	}
	for _, f := range tx.after {
		f(ctx)
	}
}

// Snapshot reads one shop at one moment: all reads in fn see the same rows.
func (s *Store) Snapshot(ctx context.Context, company shop.CompanyID, fn func(Reader) error) error {
	if w := s.workOf(ctx); w.holds(ctx, company) && w.tx != nil {
		return fn(Reader{q: w.tx, Company: company}) // only there are its own writes
	}
	return pgx.BeginTxFunc(ctx, s.poolOf(ctx, company), snapshot, func(tx pgx.Tx) error {
		return fn(Reader{q: tx, Company: company})
	})
}

// Changed records what the transaction touched. A draft touches nothing that is
// live.
func (tx *Tx) Changed(keys ...shop.Key) {
	if !tx.draft {
		tx.changed(keys...)
	}
}

// changed records keys of what has no draft.
func (tx *Tx) changed(keys ...shop.Key) {
	for _, k := range keys {
		if !tx.seen[k] {
			if tx.seen == nil {
				tx.seen = map[shop.Key]bool{}
			}
			tx.seen[k] = true
			tx.changes = append(tx.changes, k)
		}
	}
}

// Changes is what the transaction has touched so far.
func (tx *Tx) Changes() []shop.Key { return slices.Clone(tx.changes) }

// AfterCommit runs f once the transaction is durable: effects outside the
// database belong here.
func (tx *Tx) AfterCommit(f func(context.Context)) { tx.after = append(tx.after, f) }

// Savepoint runs fn so that its failure leaves the transaction usable: a slug
// that turned out taken is tried again with a suffix.
func (tx *Tx) Savepoint(ctx context.Context, fn func() error) error {
	inner, err := tx.tx.Begin(ctx)
	if err != nil {
		return fmt.Errorf("savepoint: %w", err)
	}
	outer, edits := tx.q, len(tx.edits)
	tx.q = inner
	defer func() { tx.q = outer }()
	if err := fn(); err != nil {
		tx.edits = tx.edits[:edits] // what is undone was no edit
		if rerr := inner.Rollback(ctx); rerr != nil {
			return fmt.Errorf("%w (and the rollback failed: %v)", err, rerr)
		}
		return err
	}
	return inner.Commit(ctx)
}

// LockTree serialises the writers of one shop's category tree until the end of
// the transaction, so that a check of the tree holds when it is written.
func (tx *Tx) LockTree(ctx context.Context) error {
	_, err := tx.q.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('tree:' || $1::integer::text, 0))`, tx.Company)
	return err
}

// LockRules serialises the writers of one shop's redirect set and returns the
// set's version.
func (tx *Tx) LockRules(ctx context.Context) (version int64, err error) {
	if _, err := tx.q.Exec(ctx, lockRules, tx.Company); err != nil {
		return 0, err
	}
	err = tx.q.QueryRow(ctx, `SELECT rules_version FROM company WHERE id = $1`, tx.Company).Scan(&version)
	return version, err
}

const lockRules = `SELECT pg_advisory_xact_lock(hashtextextended('rules:' || $1::integer::text, 0))`
