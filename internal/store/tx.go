package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// Tx is a transaction on one shop. It reads like a Reader and is the only type with writes.
type Tx struct {
	Reader
	PG             pgx.Tx // for nested transactions and COPY
	draft          bool   // the transaction writes the draft of the shop
	changes        []shop.Key
	changedKeys    map[shop.Key]bool        // set of changes
	edits          []shop.ProductID         // see EditedProducts
	ListedChains   map[shop.CategoryID]bool // sections whose lists are recorded as changed
	after          []func(context.Context)
	BytesFreed     bool // bytes of the shop were released
	LettersQueued  bool // letters were queued
	EventsRecorded bool // events were recorded
	Author         Author
	basis          *Basis // of the call; see CheckBasis
}

// Write runs fn in a transaction on one shop. When fn recorded changes, the shop's version
// is bumped by the last statement: its row serialises the shop's writers, so it is locked
// only for the commit. After the commit, and before Write returns, the OnChange function is
// called.
func (s *Store) Write(ctx context.Context, company shop.CompanyID, fn func(*Tx) error) error {
	if w := s.workOf(ctx); w.includes(ctx, company) {
		return w.write(ctx, company, fn)
	}
	pgTx, err := s.For(company).Begin(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	tx := &Tx{Reader: s.reader(pgTx, company), PG: pgTx, draft: InDraftOf(ctx, company)}
	version := int64(0)
	if err = s.run(ctx, tx, fn); err == nil {
		version, err = tx.Bump(ctx)
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
	s.Committed(context.WithoutCancel(ctx), tx, version)
	return nil
}

// DryRun runs fn in a transaction that is rolled back: it finds out what a write would
// do, and others see none of it.
func (s *Store) DryRun(ctx context.Context, company shop.CompanyID, fn func(*Tx) error) error {
	pgTx, err := s.For(company).Begin(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	err = fn(&Tx{Reader: s.reader(pgTx, company), PG: pgTx, draft: InDraftOf(ctx, company)})
	if rerr := pgTx.Rollback(context.WithoutCancel(ctx)); err == nil && ctx.Err() == nil {
		err = rerr
	}
	return err
}

// run does the work of a transaction and stores the audit entry of its call.
func (s *Store) run(ctx context.Context, tx *Tx, fn func(*Tx) error) error {
	if tx.draft {
		if err := tx.LockDraft(ctx); err != nil {
			return err
		}
	}
	if w := s.workOf(ctx); w != nil {
		tx.Author, tx.basis = w.author(), w.basis
	}
	if err := fn(tx); err != nil {
		return missingShop(err)
	}
	if tx.draft {
		if err := tx.bumpDraft(ctx); err != nil {
			return err
		}
	}
	return s.workOf(ctx).log(ctx, tx.DB)
}

// Committed calls the listeners after the end of a transaction. version is the stored one.
func (s *Store) Committed(ctx context.Context, tx *Tx, version int64) {
	if version > 0 {
		s.replica.touch(tx.Company)
	}
	if version > 0 && s.changed != nil {
		s.changed(ctx, tx.Company, s.version(version))
	}
	if tx.BytesFreed && s.onFreed != nil {
		s.onFreed(ctx, tx.Company)
	}
	if tx.LettersQueued {
		_ = s.LettersQueued(nil)
	}
	if tx.EventsRecorded && s.onEvents != nil {
		s.onEvents()
	}
	for _, f := range tx.after {
		f(ctx)
	}
}

// Snapshot reads one shop at one moment: all reads in fn see the same rows.
func (s *Store) Snapshot(ctx context.Context, company shop.CompanyID, fn func(Reader) error) error {
	if w := s.workOf(ctx); w.includes(ctx, company) && w.tx != nil {
		return fn(s.reader(w.tx, company)) // only this transaction sees its own writes
	}
	return pgx.BeginTxFunc(ctx, s.For(company), Snapshot, func(tx pgx.Tx) error {
		return fn(s.reader(tx, company))
	})
}

// Changed records the keys that the transaction changed. A draft transaction changes
// nothing live.
func (tx *Tx) Changed(keys ...shop.Key) {
	if !tx.draft {
		tx.ChangedLive(keys...)
	}
}

// ChangedLive records keys of rows that have no draft.
func (tx *Tx) ChangedLive(keys ...shop.Key) {
	for _, k := range keys {
		if !tx.changedKeys[k] {
			if tx.changedKeys == nil {
				tx.changedKeys = map[shop.Key]bool{}
			}
			tx.changedKeys[k] = true
			tx.changes = append(tx.changes, k)
		}
	}
}

// Changes returns the keys recorded so far.
func (tx *Tx) Changes() []shop.Key { return slices.Clone(tx.changes) }

// AfterCommit runs f once the transaction is durable, for effects outside the database.
func (tx *Tx) AfterCommit(f func(context.Context)) { tx.after = append(tx.after, f) }

// Savepoint runs fn so that its failure leaves the transaction usable, for example to try a
// taken slug again with a suffix.
func (tx *Tx) Savepoint(ctx context.Context, fn func() error) error {
	inner, err := tx.PG.Begin(ctx)
	if err != nil {
		return fmt.Errorf("savepoint: %w", err)
	}
	outer, edits := tx.DB, len(tx.edits)
	tx.DB = inner
	defer func() { tx.DB = outer }()
	if err := fn(); err != nil {
		tx.edits = tx.edits[:edits] // rolled-back edits are not recorded
		if rerr := inner.Rollback(ctx); rerr != nil {
			return fmt.Errorf("%w (and the rollback failed: %v)", err, rerr)
		}
		return err
	}
	return inner.Commit(ctx)
}

// Snapshot reads rows and the version as of one moment.
var Snapshot = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

// SeparateTx runs a separate transaction, even in a call that has its own.
func (s *Store) SeparateTx(ctx context.Context, company shop.CompanyID, fn func(*Tx) error) error {
	return pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		return fn(&Tx{Reader: s.reader(tx, company), PG: tx})
	})
}
