package people

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// ErrEmailTaken refuses a second person with the same email.
var ErrEmailTaken = shop.Refuse(shop.AlreadyExists, "EMAIL_TAKEN").When("another person has registered with this email")

// NoPassword replaces the hash for people who cannot sign in with a password: no password
// has this hash.
const NoPassword = "-"

// Person is somebody who can sign in.
type Person struct {
	ID           shop.UserID
	Email        string
	Name         string
	PasswordHash string
	Proven       bool // the address was verified by a code from a letter
	Phone        string
	NextEmail    string // new address that waits for its code; empty: none
	Language     string // of the cabinet; empty: as the browser says
	UpdatedAt    time.Time
}

// Guest reports whether the person has no address yet.
func (p *Person) Guest() bool { return p.Email == "" }

// CreatePerson adds a person; emails are unique, ignoring case.
func CreatePerson(ctx context.Context, s *store.Store, email, name, passwordHash string) (shop.UserID, error) {
	return createPerson(ctx, s.Pool, email, name, passwordHash)
}

// AddPerson adds a person within the transaction.
func AddPerson(ctx context.Context, tx *store.Tx, email, name, passwordHash string) (shop.UserID, error) {
	return createPerson(ctx, tx.DB, email, name, passwordHash)
}

func createPerson(ctx context.Context, q store.Querier, email, name, passwordHash string) (id shop.UserID, err error) {
	err = q.QueryRow(ctx, `INSERT INTO person (email, name, password_hash) VALUES ($1, $2, $3) RETURNING id`,
		email, name, passwordHash).Scan(&id)
	if store.UniqueViolation(err, "person_email") {
		return 0, ErrEmailTaken
	}
	return id, err
}

// CreateGuest adds a person without an address, who is about to fill a cart.
func CreateGuest(ctx context.Context, s *store.Store) (id shop.UserID, err error) {
	err = s.Pool.QueryRow(ctx, `INSERT INTO person (email, name, password_hash) VALUES ('', '', $1) RETURNING id`, NoPassword).Scan(&id)
	return id, err
}

// RegisterGuest turns a guest into an account with an address. It returns ErrEmailTaken when
// the address is taken, and false when the person is no longer a guest. The guest's
// customers in shops get the address.
func RegisterGuest(ctx context.Context, s *store.Store, guest shop.UserID, email, name, passwordHash string) (became bool, err error) {
	err = pgx.BeginFunc(ctx, s.People(), func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			UPDATE person SET email = $2, name = $3, password_hash = $4 WHERE id = $1 AND email = ''`, guest, email, name, passwordHash)
		if became = err == nil && tag.RowsAffected() > 0; !became {
			return err
		}
		_, err = tx.Exec(ctx, `
			SELECT customer_named(company_id, $1, lower($2))
			FROM (SELECT company_id FROM customer WHERE person_id = $1 AND email = '' ORDER BY company_id) c`, guest, email)
		if err == nil {
			_, err = tx.Exec(ctx, saveOrderAddress(), guest)
		}
		return err
	})
	if store.UniqueViolation(err, "person_email") {
		return false, ErrEmailTaken
	}
	return became && err == nil, err
}

// PersonByEmail finds a person; found is false when there is none.
func PersonByEmail(ctx context.Context, s *store.Store, email string) (p Person, found bool, err error) {
	return personByEmail(ctx, s.Pool, email, "")
}

// LockPersonByEmail finds a person and locks the row until the end of the transaction.
func LockPersonByEmail(ctx context.Context, tx *store.Tx, email string) (p Person, found bool, err error) {
	return personByEmail(ctx, tx.DB, email, " FOR NO KEY UPDATE")
}

func personByEmail(ctx context.Context, q store.Querier, email, lock string) (p Person, found bool, err error) {
	p, err = scanPerson(q.QueryRow(ctx, `SELECT `+personColumns+` FROM person WHERE lower(email) = lower($1) AND email <> ''`+lock, email))
	if store.NoRow(err) {
		return p, false, nil
	}
	return p, err == nil, err
}

const personColumns = `id, email, name, password_hash, proven_at IS NOT NULL, phone, next_email, language, updated_at`

func scanPerson(row pgx.Row) (p Person, err error) {
	err = row.Scan(&p.ID, &p.Email, &p.Name, &p.PasswordHash, &p.Proven, &p.Phone, &p.NextEmail, &p.Language, &p.UpdatedAt)
	p.UpdatedAt = p.UpdatedAt.UTC()
	return p, err
}

// GetPerson reads one person.
func GetPerson(ctx context.Context, s *store.Store, id shop.UserID) (p Person, err error) {
	p, err = scanPerson(s.Pool.QueryRow(ctx, `SELECT `+personColumns+` FROM person WHERE id = $1`, id))
	if store.NoRow(err) {
		err = shop.ErrNotFound
	}
	return p, err
}

// MarkProven records when a person verified their address; the first time counts.
func MarkProven(ctx context.Context, tx *store.Tx, person shop.UserID, now time.Time) error {
	return markProven(ctx, tx.DB, person, now)
}

func markProven(ctx context.Context, q store.Querier, person shop.UserID, now time.Time) error {
	_, err := q.Exec(ctx, `UPDATE person SET proven_at = $2 WHERE id = $1 AND proven_at IS NULL`, person, now)
	return err
}

// TakeOver gives an account with an unverified address to the owner of the address: it sets
// another password and ends all sessions of the account's creator.
func TakeOver(ctx context.Context, tx *store.Tx, person shop.UserID, passwordHash string) error {
	return TakeOverAccount(ctx, tx.DB, person, passwordHash)
}

// TakeOverAccount is TakeOver on any connection. A second factor of an account whose address
// was not verified goes, because its creator has it.
func TakeOverAccount(ctx context.Context, q store.Querier, person shop.UserID, passwordHash string) error {
	if _, err := q.Exec(ctx, `UPDATE person SET password_hash = $2, next_email = '' WHERE id = $1`, person, passwordHash); err != nil {
		return err
	}
	if _, err := q.Exec(ctx, `
		DELETE FROM totp t USING person p WHERE p.id = $1 AND p.proven_at IS NULL AND t.person_id = p.id`, person); err != nil {
		return err
	}
	if _, err := q.Exec(ctx, `
		DELETE FROM passkey k USING person p WHERE p.id = $1 AND p.proven_at IS NULL AND k.person_id = p.id`, person); err != nil {
		return err
	}
	if _, err := q.Exec(ctx, endLinks, person); err != nil {
		return err
	}
	_, err := q.Exec(ctx, `DELETE FROM session WHERE person_id = $1`, person)
	return err
}
