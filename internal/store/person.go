package store

import (
	"context"
	"time"

	"vitrine/internal/shop"
)

// Refusals of people.
var (
	ErrEmailTaken   = shop.Refuse(shop.AlreadyExists, "EMAIL_TAKEN")
	ErrMemberExists = shop.Refuse(shop.AlreadyExists, "MEMBER_EXISTS")
)

// Person is somebody who can sign in.
type Person struct {
	ID           shop.UserID
	Email        string
	Name         string
	PasswordHash string
}

// CreatePerson adds a person; the email is unique whatever its case.
func (s *Store) CreatePerson(ctx context.Context, email, name, passwordHash string) (id shop.UserID, err error) {
	err = s.pool.QueryRow(ctx, `INSERT INTO person (email, name, password_hash) VALUES ($1, $2, $3) RETURNING id`,
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
	err = s.pool.QueryRow(ctx, `SELECT id, email, name FROM person WHERE id = $1`, id).Scan(&p.ID, &p.Email, &p.Name)
	if noRow(err) {
		err = shop.ErrNotFound
	}
	return p, err
}

// MainCompany is the shop a person acts for: the first one joined, an owned one
// before others. Zero without any.
func (s *Store) MainCompany(ctx context.Context, person shop.UserID) (id shop.CompanyID, role shop.Role, err error) {
	err = s.pool.QueryRow(ctx, `
		SELECT company_id, role FROM member WHERE person_id = $1
		ORDER BY (role = 'owner') DESC, created_at, company_id LIMIT 1`, person).Scan(&id, &role)
	if noRow(err) {
		return 0, "", nil
	}
	return id, role, err
}

// Member is a person in a shop.
type Member struct {
	Person shop.UserID `json:"user_id"`
	Email  string      `json:"email"`
	Name   string      `json:"name"`
	Role   shop.Role   `json:"role"`
}

// Members lists the shop's people, owners first.
func (r Reader) Members(ctx context.Context) (list []Member, err error) {
	rows, err := r.q.Query(ctx, `
		SELECT p.id, p.email, p.name, m.role FROM member m JOIN person p ON p.id = m.person_id
		WHERE m.company_id = $1 ORDER BY m.role = 'editor', m.role = 'admin', p.id`, r.Company)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var m Member
		if err := rows.Scan(&m.Person, &m.Email, &m.Name, &m.Role); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, rows.Err()
}

// MemberWithRole finds the earliest member with a role; zero without one.
func (r Reader) MemberWithRole(ctx context.Context, role shop.Role) (id shop.UserID, err error) {
	err = r.q.QueryRow(ctx, `
		SELECT person_id FROM member WHERE company_id = $1 AND role = $2 ORDER BY created_at, person_id LIMIT 1`,
		r.Company, role).Scan(&id)
	if noRow(err) {
		return 0, nil
	}
	return id, err
}

// MemberName is the name of a member of the shop; ok is false for anybody else.
func (r Reader) MemberName(ctx context.Context, person shop.UserID) (name string, ok bool, err error) {
	err = r.q.QueryRow(ctx, `
		SELECT p.name FROM member m JOIN person p ON p.id = m.person_id WHERE m.company_id = $1 AND m.person_id = $2`, r.Company, person).Scan(&name)
	if noRow(err) {
		return "", false, nil
	}
	return name, err == nil, err
}

// AddMember gives a person a role in the shop.
func (tx *Tx) AddMember(ctx context.Context, person shop.UserID, role shop.Role) error {
	_, err := tx.q.Exec(ctx, `INSERT INTO member (company_id, person_id, role) VALUES ($1, $2, $3)`, tx.Company, person, role)
	if uniqueViolation(err, "member_pkey") {
		return ErrMemberExists
	}
	return err
}

// CreateSession stores the hash of a session token.
func (s *Store) CreateSession(ctx context.Context, tokenHash []byte, person shop.UserID, expires time.Time) error {
	_, err := s.pool.Exec(ctx, `INSERT INTO session (token_hash, person_id, expires_at) VALUES ($1, $2, $3)`, tokenHash, person, expires)
	return err
}

// SessionPerson is who a session belongs to; zero when it is unknown or over.
func (s *Store) SessionPerson(ctx context.Context, tokenHash []byte, now time.Time) (id shop.UserID, err error) {
	err = s.pool.QueryRow(ctx, `SELECT person_id FROM session WHERE token_hash = $1 AND expires_at > $2`, tokenHash, now).Scan(&id)
	if noRow(err) {
		return 0, nil
	}
	return id, err
}

// EndSession forgets a session.
func (s *Store) EndSession(ctx context.Context, tokenHash []byte) error {
	_, err := s.pool.Exec(ctx, `DELETE FROM session WHERE token_hash = $1`, tokenHash)
	return err
}
