package store

import (
	"context"
	"crypto/rand"
)

// Secret returns the installation's secret of a name, 32 random bytes created by the first
// call.
func (s *Store) Secret(ctx context.Context, name string) (value []byte, err error) {
	generated := make([]byte, 32)
	if _, err := rand.Read(generated); err != nil {
		return nil, err
	}
	read := func() error {
		return s.Pool.QueryRow(ctx, `
			WITH made AS (INSERT INTO secret (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING RETURNING value)
			SELECT value FROM made UNION ALL SELECT value FROM secret WHERE name = $1 LIMIT 1`, name, generated).Scan(&value)
	}
	if err = read(); NoRow(err) { // another process created it after the statement began
		err = read()
	}
	return value, err
}
