package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Installation is what all processes on one database have in common. A process that differs was
// configured by mistake: it must not work on this database.
type Installation struct {
	ID            uuid.UUID `json:"id"`
	Keys          []string  `json:"keys"` // fingerprints of the secret keys, the newest first; of at most maxKeys
	StorefrontURL string    `json:"storefront_url"`
	AdminURL      string    `json:"admin_url"`
	Marked        bool      `json:"-"` // the store of files has the id, too
}

// maxKeys is how many keys a record remembers. Only the newest one is compared; the others tell a
// new key from one that was replaced.
const maxKeys = 32

// Installation returns the record of the database; found is false before its first process has
// written it.
func (s *Store) Installation(ctx context.Context) (in Installation, found bool, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT id, keys, storefront_url, admin_url, marked FROM installation`).
		Scan(&in.ID, &in.Keys, &in.StorefrontURL, &in.AdminURL, &in.Marked)
	if NoRow(err) {
		return in, false, nil
	}
	return in, err == nil, err
}

// CreateInstallation writes the record, unless there is one.
func (s *Store) CreateInstallation(ctx context.Context, in Installation) error {
	_, err := s.Pool.Exec(ctx, `INSERT INTO installation (id, keys, storefront_url, admin_url) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
		in.ID, in.Keys, in.StorefrontURL, in.AdminURL)
	return err
}

// AddInstallationKey makes the fingerprint of a key that the record does not have the newest one.
func (s *Store) AddInstallationKey(ctx context.Context, key string) error {
	_, err := s.Pool.Exec(ctx, `UPDATE installation SET keys = (array_prepend($1::text, keys))[:$2] WHERE $1 <> ALL (keys)`, key, maxKeys)
	return err
}

// SetInstallationURLs takes new addresses over and returns the record as it was.
func (s *Store) SetInstallationURLs(ctx context.Context, storefront, admin string) (old Installation, err error) {
	err = pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `SELECT id, storefront_url, admin_url FROM installation FOR UPDATE`).Scan(&old.ID, &old.StorefrontURL, &old.AdminURL)
		if err == nil {
			_, err = tx.Exec(ctx, `UPDATE installation SET storefront_url = $1, admin_url = $2`, storefront, admin)
		}
		return err
	})
	return old, err
}

// InstallationMarked records that the store of files has the id.
func (s *Store) InstallationMarked(ctx context.Context) error {
	_, err := s.Pool.Exec(ctx, `UPDATE installation SET marked = true`)
	return err
}
