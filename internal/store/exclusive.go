package store

import (
	"context"
	"errors"
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
