package people

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of passkeys.
var (
	ErrPasskeyExists   = shop.Refuse(shop.AlreadyExists, "PASSKEY_EXISTS").When("the passkey has been added already")
	ErrPasskeyLimit    = shop.Refuse(shop.ResourceExhausted, "PASSKEY_LIMIT_REACHED").When("the person has 20 passkeys").WithField("limit_code", "passkeys_max")
	ErrPasskeyNotFound = shop.Refuse(shop.NotFound, "PASSKEY_NOT_FOUND").When("you have no passkey with this id")
)

// Bounds of one person.
const (
	MaxPasskeys   = 20
	maxChallenges = 10 // to add a passkey, unanswered
)

// Passkey is a passkey as its person sees it.
type Passkey struct {
	ID         shop.PasskeyID `json:"id"`
	Name       string         `json:"name"`
	CreatedAt  time.Time      `json:"created_at"`
	LastUsedAt *time.Time     `json:"last_used_at" doc:"null: not used yet"`
	UpdatedAt  time.Time      `json:"updated_at" doc:"when it was named"`
}

// Credential is the part of a passkey that checks signatures.
type Credential struct {
	Person         shop.UserID
	ID             []byte
	PublicKey      []byte
	SignCount      uint32
	BackupEligible bool
}

// Passkeys lists the passkeys of a person, the oldest first.
func Passkeys(ctx context.Context, s *store.Store, person shop.UserID) ([]Passkey, error) {
	rows, err := s.Pool.Query(ctx, `SELECT `+passkeyColumns+` FROM passkey WHERE person_id = $1 ORDER BY id`, person)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanPasskey)
}

// GetPasskey reads one passkey of a person.
func GetPasskey(ctx context.Context, s *store.Store, person shop.UserID, id shop.PasskeyID) (Passkey, error) {
	rows, err := s.Pool.Query(ctx, `SELECT `+passkeyColumns+` FROM passkey WHERE person_id = $1 AND id = $2`, person, id)
	if err != nil {
		return Passkey{}, err
	}
	k, err := pgx.CollectExactlyOneRow(rows, scanPasskey)
	if store.NoRow(err) {
		err = ErrPasskeyNotFound
	}
	return k, err
}

const passkeyColumns = `id, name, created_at, last_used_at, updated_at`

func scanPasskey(row pgx.CollectableRow) (Passkey, error) {
	k, err := pgx.RowToStructByPos[Passkey](row)
	k.CreatedAt, k.UpdatedAt = k.CreatedAt.UTC(), k.UpdatedAt.UTC()
	if k.LastUsedAt != nil {
		*k.LastUsedAt = k.LastUsedAt.UTC()
	}
	return k, err
}

// CredentialsOf lists the credentials of a person.
func CredentialsOf(ctx context.Context, s *store.Store, person shop.UserID) ([]Credential, error) {
	rows, err := s.Pool.Query(ctx, `
		SELECT person_id, credential_id, public_key, sign_count, backup_eligible FROM passkey WHERE person_id = $1 ORDER BY id`, person)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Credential])
}

// AddPasskey stores a passkey. The row of the person is locked, so that concurrent calls do not
// exceed MaxPasskeys.
func AddPasskey(ctx context.Context, s *store.Store, c Credential, name string, now time.Time) (id shop.PasskeyID, err error) {
	err = pgx.BeginFunc(ctx, s.People(), func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT FROM person WHERE id = $1 FOR NO KEY UPDATE`, c.Person); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, `
			INSERT INTO passkey (person_id, credential_id, public_key, sign_count, backup_eligible, name, created_at)
			SELECT $1, $2, $3, $4, $5, $6, $7 WHERE (SELECT count(*) FROM passkey WHERE person_id = $1) < $8 RETURNING id`,
			c.Person, c.ID, c.PublicKey, int64(c.SignCount), c.BackupEligible, name, now, MaxPasskeys).Scan(&id)
		if store.NoRow(err) {
			err = ErrPasskeyLimit
		}
		return err
	})
	if store.UniqueViolation(err, "passkey_credential") {
		err = ErrPasskeyExists
	}
	return id, err
}

// RenamePasskey gives a passkey another name, if basis accepts its present version.
func RenamePasskey(ctx context.Context, s *store.Store, person shop.UserID, id shop.PasskeyID, name string, basis func(updatedAt time.Time) error) error {
	return pgx.BeginFunc(ctx, s.People(), func(tx pgx.Tx) error {
		var updatedAt time.Time
		err := tx.QueryRow(ctx, `SELECT updated_at FROM passkey WHERE person_id = $1 AND id = $2 FOR UPDATE`, person, id).Scan(&updatedAt)
		if store.NoRow(err) {
			return ErrPasskeyNotFound
		}
		if err == nil {
			err = basis(updatedAt)
		}
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE passkey SET name = $3, updated_at = now() WHERE person_id = $1 AND id = $2`, person, id, name)
		return err
	})
}

// RemovePasskey deletes a passkey.
func RemovePasskey(ctx context.Context, s *store.Store, person shop.UserID, id shop.PasskeyID) error {
	tag, err := s.Pool.Exec(ctx, `DELETE FROM passkey WHERE person_id = $1 AND id = $2`, person, id)
	return foundPasskey(tag.RowsAffected(), err)
}

func foundPasskey(n int64, err error) error {
	if err == nil && n == 0 {
		err = ErrPasskeyNotFound
	}
	return err
}

// UsePasskey records a use of a passkey. ok is false when its device has already counted as far,
// so that the signature comes from a copy, or when it was removed meanwhile.
func UsePasskey(ctx context.Context, s *store.Store, c Credential, now time.Time) (ok bool, err error) {
	tag, err := s.Pool.Exec(ctx, `
		UPDATE passkey SET sign_count = $3, last_used_at = $4
		WHERE person_id = $1 AND credential_id = $2 AND (sign_count < $3 OR sign_count = 0 AND $3 = 0)`, c.Person, c.ID, int64(c.SignCount), now)
	return tag.RowsAffected() > 0, err
}

// AddChallenge stores a challenge with its data. person is 0 for a sign-in. Of one person the
// newest maxChallenges stay.
func AddChallenge(ctx context.Context, s *store.Store, hash []byte, person shop.UserID, data json.RawMessage, expires time.Time) error {
	return pgx.BeginFunc(ctx, s.People(), func(tx pgx.Tx) error {
		var b pgx.Batch
		b.Queue(`DELETE FROM passkey_challenge WHERE hash IN (
			SELECT hash FROM passkey_challenge WHERE person_id = $1 ORDER BY expires_at DESC, hash OFFSET $2)`, person, maxChallenges-1)
		b.Queue(`INSERT INTO passkey_challenge (hash, person_id, data, expires_at) VALUES ($1, nullif($2, 0), $3, $4)`, hash, person, data, expires)
		return tx.SendBatch(ctx, &b).Close()
	})
}

// UseChallenge uses up a challenge and returns its data; found is false when there is none for the
// person, or it has expired.
func UseChallenge(ctx context.Context, s *store.Store, hash []byte, person shop.UserID, now time.Time) (data json.RawMessage, found bool, err error) {
	err = s.Pool.QueryRow(ctx, `
		DELETE FROM passkey_challenge WHERE hash = $1 AND coalesce(person_id, 0) = $2 AND expires_at > $3 RETURNING data`, hash, person, now).Scan(&data)
	if store.NoRow(err) {
		return nil, false, nil
	}
	return data, err == nil, err
}

// SweepChallenges deletes expired challenges.
func SweepChallenges(ctx context.Context, s *store.Store, now time.Time) error {
	return s.SweepBatches(ctx, `DELETE FROM passkey_challenge WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM passkey_challenge WHERE expires_at <= $1 LIMIT $2))`, now)
}
