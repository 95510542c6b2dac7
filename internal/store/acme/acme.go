// Package acme stores what certificates are made with: the accounts at certificate authorities,
// keys, certificates and challenges, as values by key, and leases on them. Values are sealed by the
// caller. They belong to the installation, not to a shop.
package acme

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
)

// Put stores a value.
func Put(ctx context.Context, s *store.Store, key string, value []byte) error {
	_, err := s.Pool.Exec(ctx, `
		INSERT INTO acme_value (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = $2, stored_at = now()`, key, value)
	return err
}

// Get reads a value and the time when it was stored.
func Get(ctx context.Context, s *store.Store, key string) (value []byte, stored time.Time, found bool, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT value, stored_at FROM acme_value WHERE key = $1`, key).Scan(&value, &stored)
	if store.NoRow(err) {
		return nil, stored, false, nil
	}
	return value, stored, err == nil, err
}

// What is below a key begins with it and a slash, after which the digit 0 is the next character.

// Delete deletes the value of a key and those of the keys below it.
func Delete(ctx context.Context, s *store.Store, key string) error {
	_, err := s.Pool.Exec(ctx, `DELETE FROM acme_value WHERE key = $1 OR key > $1 || '/' AND key < $1 || '0'`, key)
	return err
}

// maxKeys bounds Keys.
const maxKeys = 10_000

// Keys returns the key, if it has a value, and the keys below it.
func Keys(ctx context.Context, s *store.Store, key string) ([]string, error) {
	rows, err := s.Pool.Query(ctx, `SELECT key FROM acme_value WHERE key = $1 OR key > $1 || '/' AND key < $1 || '0' ORDER BY key LIMIT $2`, key, maxKeys)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// Lease takes or prolongs the lease with a name, by the clock of the database. It returns false
// while another holder has it.
func Lease(ctx context.Context, s *store.Store, name, holder string, duration time.Duration) (bool, error) {
	tag, err := s.Pool.Exec(ctx, `
		INSERT INTO acme_lock AS l (name, holder, until) VALUES ($1, $2, now() + $3::interval)
		ON CONFLICT (name) DO UPDATE SET holder = $2, until = now() + $3::interval WHERE l.holder = $2 OR l.until <= now()`, name, holder, duration)
	return tag.RowsAffected() > 0, err
}

// EndLease gives a lease back.
func EndLease(ctx context.Context, s *store.Store, name, holder string) error {
	_, err := s.Pool.Exec(ctx, `DELETE FROM acme_lock WHERE name = $1 AND holder = $2`, name, holder)
	return err
}

// Sweep deletes certificates that were stored before a time, their keys, and leases that have ended.
// Domains and shops that are gone leave them.
func Sweep(ctx context.Context, s *store.Store, before time.Time) error {
	if _, err := s.Pool.Exec(ctx, `DELETE FROM acme_lock WHERE until <= now()`); err != nil {
		return err
	}
	return s.SweepBatches(ctx, `DELETE FROM acme_value WHERE key = ANY(ARRAY(
		SELECT key FROM acme_value WHERE key >= 'certificates/' AND key < 'certificates0' AND stored_at <= $1 LIMIT $2))`, before)
}
