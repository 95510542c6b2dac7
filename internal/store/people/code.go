package people

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// maxCodeTries is how often one code may be tried.
const maxCodeTries = 5

// SendCode stores the hash of a code, replacing an earlier code of the address, and queues
// the letter that delivers it.
func SendCode(ctx context.Context, s *store.Store, l store.PlatformLetter, hash []byte) error {
	return s.LettersQueued(pgx.BeginFunc(ctx, s.People(), func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			INSERT INTO address_code (email, hash, expires_at) VALUES (lower($1), $2, $3)
			ON CONFLICT (email) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at, tries = 0`, l.To, hash, l.ExpiresAt)
		if err != nil {
			return err
		}
		return store.PostLetter(ctx, tx, l)
	}))
}

// TryCode counts an attempt at the code of an address and returns its hash; found is false
// when there is no code or its attempts are used up. The attempt counts before the
// comparison, so that concurrent attempts cannot exceed the limit.
func TryCode(ctx context.Context, s *store.Store, email string, now time.Time) (hash []byte, found bool, err error) {
	err = s.Pool.QueryRow(ctx, `
		UPDATE address_code SET tries = tries + 1 WHERE email = lower($1) AND expires_at > $2 AND tries < $3 RETURNING hash`,
		email, now, maxCodeTries).Scan(&hash)
	if store.NoRow(err) {
		return nil, false, nil
	}
	return hash, err == nil, err
}

// Proof is the request of somebody who has the code of an address.
type Proof struct {
	Email    string
	Hash     []byte      // of the code, which is used up
	SignedIn shop.UserID // the person signed in, 0 for none
	Password string      // hash of a new password; empty: no new password
	Now      time.Time
}

// ProveAddress records that an address was verified, and creates a person if none has it. An
// account whose address was not verified is taken over, unless its own session verifies it;
// without a new password nobody can then sign in with one. found is false when a concurrent
// request used the code first.
func ProveAddress(ctx context.Context, s *store.Store, in Proof) (p Person, found bool, err error) {
	err = pgx.BeginFunc(ctx, s.People(), func(pgTx pgx.Tx) error {
		tag, err := pgTx.Exec(ctx, `DELETE FROM address_code WHERE email = lower($1) AND hash = $2`, in.Email, in.Hash)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		found = true
		p, err = personForProof(ctx, pgTx, in)
		if err != nil {
			return err
		}
		p.Proven = true
		return markProven(ctx, pgTx, p.ID, in.Now)
	})
	return p, found, err
}

func personForProof(ctx context.Context, q store.Querier, in Proof) (Person, error) {
	password := in.Password
	if password == "" {
		password = NoPassword
	}
	p, found, err := personByEmail(ctx, q, in.Email, " FOR NO KEY UPDATE")
	switch {
	case err != nil:
		return p, err
	case !found && in.SignedIn != 0:
		if p, found, err = moveEmail(ctx, q, in); err != nil || found {
			return p, err
		}
		fallthrough
	case !found:
		p.Email = in.Email
		p.ID, err = createPerson(ctx, q, in.Email, "", password)
		return p, err
	case in.Password != "", !p.Proven && in.SignedIn != p.ID:
		if in.SignedIn == p.ID { // it is their own second factor, which stays
			if err := markProven(ctx, q, p.ID, in.Now); err != nil {
				return p, err
			}
		}
		return p, TakeOverAccount(ctx, q, p.ID, password)
	}
	return p, nil
}

// moveEmail gives the person of the session the new address that they asked for, when the
// code proves that address. A letter informs the old address.
func moveEmail(ctx context.Context, q store.Querier, in Proof) (p Person, moved bool, err error) {
	p, err = scanPerson(q.QueryRow(ctx, `
		SELECT `+personColumns+` FROM person WHERE id = $1 AND email <> '' AND lower(next_email) = lower($2) FOR NO KEY UPDATE`, in.SignedIn, in.Email))
	if store.NoRow(err) {
		return Person{}, false, nil
	}
	if err != nil {
		return p, false, err
	}
	old := p.Email
	if p.Email, p.NextEmail = in.Email, ""; in.Password != "" {
		p.PasswordHash = in.Password
	}
	_, err = q.Exec(ctx, `UPDATE person SET email = $2, next_email = '', password_hash = $3 WHERE id = $1`, p.ID, p.Email, p.PasswordHash)
	if store.UniqueViolation(err, "person_email") {
		return p, false, ErrEmailTaken
	}
	if err != nil {
		return p, false, err
	}
	if in.Password != "" {
		if _, err := q.Exec(ctx, `DELETE FROM session WHERE person_id = $1`, p.ID); err != nil {
			return p, false, err
		}
	}
	if p.Proven { // an unverified old address does not make the person its customer
		_, err := q.Exec(ctx, `
			SELECT customer_moves(company_id, id, lower($2))
			FROM (SELECT company_id, id FROM customer WHERE person_id = $1 AND email = lower($3) ORDER BY company_id) c`, p.ID, p.Email, old)
		if err != nil {
			return p, false, err
		}
	}
	l := store.PlatformLetter{
		Kind: store.LetterMoved, To: old, Subject: "Your address was changed", CreatedAt: in.Now.UTC(), ExpiresAt: in.Now.UTC().Add(movedLetterTTL),
		Text: "Your account has another address from now on: " + p.Email + ".\n\nIf that was not you, write to whoever runs the shop.\n",
	}
	if err = store.PostLetter(ctx, q, l); errors.Is(err, store.ErrTooManyLetters) {
		err = nil // a full queue of the old address must not block the change
	}
	return p, true, err
}

// movedLetterTTL is how long the letter about a changed address stays in the queue.
const movedLetterTTL = 7 * 24 * time.Hour

// UseCode uses up the code of an address; it reports false when a concurrent request used
// it first.
func UseCode(ctx context.Context, s *store.Store, email string, hash []byte) (bool, error) {
	tag, err := s.Pool.Exec(ctx, `DELETE FROM address_code WHERE email = lower($1) AND hash = $2`, email, hash)
	return tag.RowsAffected() > 0, err
}

// SweepCodes deletes expired codes.
func SweepCodes(ctx context.Context, s *store.Store, now time.Time) error {
	return s.SweepBatches(ctx, `DELETE FROM address_code WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM address_code WHERE expires_at <= $1 LIMIT $2))`, now)
}
