package people

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of authenticator apps.
var (
	ErrTOTPActive   = shop.Refuse(shop.AlreadyExists, "TOTP_ACTIVE").When("the person already has an authenticator app; remove it first")
	ErrTOTPNotFound = shop.Refuse(shop.NotFound, "TOTP_NOT_FOUND").When("the person has no authenticator app, or none that waits for its first code")
)

// Factors are what a person has besides a password or an address.
type Factors struct {
	App           bool `json:"totp" doc:"an authenticator app, which is asked for whenever they sign in"`
	RecoveryCodes int  `json:"recovery_codes" doc:"how many are unused"`
	Passkeys      int  `json:"passkeys" doc:"how many; signing in with one takes the place of the password and the app"`
}

// FactorsOf reads the factors of a person.
func FactorsOf(ctx context.Context, s *store.Store, person shop.UserID) (f Factors, err error) {
	err = s.Pool.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM totp WHERE person_id = $1 AND confirmed_at IS NOT NULL),
			(SELECT count(*) FROM recovery_code WHERE person_id = $1), (SELECT count(*) FROM passkey WHERE person_id = $1)`, person).
		Scan(&f.App, &f.RecoveryCodes, &f.Passkeys)
	return f, err
}

// AddTOTP stores the sealed secret of an app that is not confirmed yet, replacing an earlier
// such one.
func AddTOTP(ctx context.Context, s *store.Store, person shop.UserID, sealed []byte) error {
	tag, err := s.Pool.Exec(ctx, `
		INSERT INTO totp (person_id, sealed) VALUES ($1, $2)
		ON CONFLICT (person_id) DO UPDATE SET sealed = excluded.sealed WHERE totp.confirmed_at IS NULL`, person, sealed)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrTOTPActive
	}
	return err
}

// TOTP returns the sealed secret of a person's app, confirmed or waiting for its first code.
func TOTP(ctx context.Context, s *store.Store, person shop.UserID, confirmed bool) (sealed []byte, err error) {
	err = s.Pool.QueryRow(ctx, `
		SELECT sealed FROM totp WHERE person_id = $1 AND (confirmed_at IS NOT NULL) = $2`, person, confirmed).Scan(&sealed)
	if store.NoRow(err) {
		err = ErrTOTPNotFound
	}
	return sealed, err
}

// ConfirmTOTP makes an app the second factor of a person: step is that of its first code, which
// is used up, and hashes are those of the recovery codes.
func ConfirmTOTP(ctx context.Context, s *store.Store, person shop.UserID, sealed []byte, step int64, hashes [][]byte, now time.Time) error {
	return pgx.BeginFunc(ctx, s.People(), func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			UPDATE totp SET confirmed_at = $4, used = ARRAY[$3::bigint] WHERE person_id = $1 AND sealed = $2 AND confirmed_at IS NULL`,
			person, sealed, step, now)
		if err == nil && tag.RowsAffected() == 0 {
			err = ErrTOTPNotFound
		}
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO recovery_code (person_id, hash) SELECT $1, unnest($2::bytea[])`, person, hashes)
		return err
	})
}

// UseStep uses up the code of a step of a person's app. ok is false when it was used before, also
// by a concurrent call of another process. Steps before oldest are forgotten, because their codes
// are not accepted any more.
func UseStep(ctx context.Context, s *store.Store, person shop.UserID, step, oldest int64) (ok bool, err error) {
	tag, err := s.Pool.Exec(ctx, `
		UPDATE totp SET used = ARRAY(SELECT u FROM unnest(used) u WHERE u >= $3) || $2::bigint
		WHERE person_id = $1 AND confirmed_at IS NOT NULL AND $2 <> ALL (used)`, person, step, oldest)
	return tag.RowsAffected() > 0, err
}

// UseRecoveryCode uses up a recovery code; ok is false when there is none.
func UseRecoveryCode(ctx context.Context, s *store.Store, person shop.UserID, hash []byte) (ok bool, err error) {
	tag, err := s.Pool.Exec(ctx, `DELETE FROM recovery_code WHERE person_id = $1 AND hash = $2`, person, hash)
	return tag.RowsAffected() > 0, err
}

// RemoveTOTP deletes the app of a person with its recovery codes.
func RemoveTOTP(ctx context.Context, s *store.Store, person shop.UserID) error {
	_, err := s.Pool.Exec(ctx, `DELETE FROM totp WHERE person_id = $1`, person)
	return err
}
