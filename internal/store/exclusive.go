package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// RunExclusive runs work unless another process is doing work of that name, and reports whether it
// ran. The lock belongs to a separate transaction, which does nothing else: it ends with
// the process, however that ends, or some minutes after its machine fails. The transaction
// may be idle for as long as the work takes.
func (s *Store) RunExclusive(ctx context.Context, name string, work func(context.Context) error) (ran bool, err error) {
	tx, err := s.Pool.Begin(ctx)
	if err != nil {
		return false, err
	}
	_, err = tx.Exec(ctx, `SELECT set_config('idle_in_transaction_session_timeout', '0', true),
		set_config('tcp_keepalives_idle', '60', true), set_config('tcp_keepalives_interval', '20', true), set_config('tcp_keepalives_count', '3', true)`)
	if err == nil {
		err = tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock(hashtextextended('alone:' || $1::text, 0))`, name).Scan(&ran)
	}
	if err == nil && ran {
		err = work(ctx)
	}
	if rerr := tx.Rollback(context.WithoutCancel(ctx)); rerr != nil && ctx.Err() == nil {
		err = errors.Join(err, rerr)
	}
	return ran, err
}

// Backup is the exclusive work during which no object of the blob store is removed: the rows of a
// snapshot may still refer to it.
const Backup = "backup"

// RunBeside runs work unless another process is doing exclusive work of that name, which in turn does
// not begin before the work has ended. Several processes may do such work at once.
func (s *Store) RunBeside(ctx context.Context, name string, work func(context.Context) error) error {
	return pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		free, err := IsFree(ctx, tx, name)
		if err != nil || !free {
			return err
		}
		return work(ctx)
	})
}

// IsFree reports whether no process is doing exclusive work of a name. If so, none begins before the
// transaction has ended.
func IsFree(ctx context.Context, tx pgx.Tx, name string) (free bool, err error) {
	err = tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock_shared(hashtextextended('alone:' || $1::text, 0))`, name).Scan(&free)
	return free, err
}
