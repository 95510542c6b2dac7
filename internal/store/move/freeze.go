package move

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// heldWait is how long a freeze waits for a transaction that writes to the shop and does not ask
// (store.Beginner), such as one of an earlier release. Everybody else is refused meanwhile.
const heldWait = "1s"

// noteEvery is how often a freeze stores how long it has lasted, for a call that does not see its end.
const noteEvery = 100 * time.Millisecond

// freeze is the time in which no write of the shop is committed.
type freeze struct {
	began, noted time.Time // zero: none
	before       int64     // milliseconds of those before
}

// total is how many milliseconds this freeze and those before have lasted.
func (f *freeze) total() int64 { return f.before + time.Since(f.began).Milliseconds() }

// frozen runs work in a freeze, which ends with the transaction.
func (m *mover) frozen(ctx context.Context, work func(pgx.Tx) error) error {
	if err := m.beginFreeze(ctx); err != nil {
		return err
	}
	tx, err := m.lock.Begin(ctx)
	if err == nil {
		if err = m.refuseWrites(ctx, tx); err == nil {
			err = work(tx)
		}
		err = errors.Join(err, unlessClosed(tx.Rollback(context.WithoutCancel(ctx))))
	}
	return errors.Join(err, m.endFreeze(context.WithoutCancel(ctx), err == nil))
}

func unlessClosed(err error) error {
	if errors.Is(err, pgx.ErrTxClosed) {
		return nil
	}
	return err
}

// refuseWrites waits for the commits that were allowed. Those that come now are refused.
func (m *mover) refuseWrites(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `SELECT set_config('lock_timeout', $1, true)`, heldWait)
	if err == nil {
		_, err = tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('moving:' || $1::integer::text, 0)), pg_advisory_xact_lock(hashtextextended('moving:people', 0))`, m.company.from)
	}
	if code(err) == "55P03" {
		return ErrHeld
	}
	return err
}

func (m *mover) beginFreeze(ctx context.Context) error {
	m.report.Freezes++
	m.freeze.before = m.report.FrozenMS
	_, err := m.write.Exec(ctx, `UPDATE shop_move SET freezes = $2 WHERE company_id = $1`, m.company.to, m.report.Freezes)
	m.freeze.began = time.Now()
	m.freeze.noted = m.freeze.began
	return err
}

// noteFreeze stores how long writes have been refused, if they are.
func (m *mover) noteFreeze(ctx context.Context) error {
	if m.freeze.began.IsZero() || time.Since(m.freeze.noted) < noteEvery {
		return nil
	}
	m.freeze.noted = time.Now()
	m.report.FrozenMS = m.freeze.total()
	_, err := m.write.Exec(ctx, `UPDATE shop_move SET frozen_ms = $2 WHERE company_id = $1`, m.company.to, m.report.FrozenMS)
	return err
}

// endFreeze stores it for a freeze after which the shop sells on.
func (m *mover) endFreeze(ctx context.Context, gone bool) error {
	m.freeze.noted = time.Time{}
	if gone {
		m.report.FrozenMS = m.freeze.total()
		return nil
	}
	err := m.noteFreeze(ctx)
	m.freeze.began = time.Time{}
	return err
}
