package store

import (
	"context"

	"vitrine/internal/shop"
)

// ErrEmailTaken refuses a second person with one email.
var ErrEmailTaken = shop.Refuse(shop.AlreadyExists, "EMAIL_TAKEN").When("somebody has registered with this email")

// Person is somebody who can sign in.
type Person struct {
	ID           shop.UserID
	Email        string
	Name         string
	PasswordHash string
}

// CreatePerson adds a person; the email is unique whatever its case.
func (s *Store) CreatePerson(ctx context.Context, email, name, passwordHash string) (shop.UserID, error) {
	return createPerson(ctx, s.pool, email, name, passwordHash)
}

// CreatePerson adds a person together with what the transaction gives them.
func (tx *Tx) CreatePerson(ctx context.Context, email, name, passwordHash string) (shop.UserID, error) {
	return createPerson(ctx, tx.q, email, name, passwordHash)
}

func createPerson(ctx context.Context, q querier, email, name, passwordHash string) (id shop.UserID, err error) {
	err = q.QueryRow(ctx, `INSERT INTO person (email, name, password_hash) VALUES ($1, $2, $3) RETURNING id`,
		email, name, passwordHash).Scan(&id)
	if uniqueViolation(err, "person_email") {
		return 0, ErrEmailTaken
	}
	return id, err
}

// PersonByEmail finds a person; found is false when there is none.
func (s *Store) PersonByEmail(ctx context.Context, email string) (p Person, found bool, err error) {
	err = s.pool.QueryRow(ctx, `SELECT id, email, name, password_hash FROM person WHERE lower(email) = lower($1)`, email).
		Scan(&p.ID, &p.Email, &p.Name, &p.PasswordHash)
	if noRow(err) {
		return p, false, nil
	}
	return p, err == nil, err
}

// Person reads one person.
func (s *Store) Person(ctx context.Context, id shop.UserID) (p Person, err error) {
	err = s.pool.QueryRow(ctx, `SELECT id, email, name, password_hash FROM person WHERE id = $1`, id).
		Scan(&p.ID, &p.Email, &p.Name, &p.PasswordHash)
	if noRow(err) {
		err = shop.ErrNotFound
	}
	return p, err
}
