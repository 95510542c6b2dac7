package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// Basis is what an edit was made from: the object as it was when its updated_at was one of
// Versions (CONTRACT, "Hands and agents", Edits). The transaction that locks the object
// compares the two, so that of two edits made from the same version only one succeeds.
type Basis struct {
	Versions []time.Time
	checked  bool
}

// ErrEditConflict refuses an edit of an object that was changed after the caller read it.
var ErrEditConflict = shop.Refuse(shop.Aborted, "EDIT_CONFLICT").
	When("the object was changed after the version that expected_updated_at or If-Match names; current has it as it is now, and updated_by who changed it")

// ErrBasisUnchecked reports an endpoint that takes a basis and forgets to compare it.
var ErrBasisUnchecked = errors.New("the edit did not compare its basis")

// SetBasis makes the writes of the call depend on the version of the object that they edit.
func SetBasis(ctx context.Context, b *Basis) {
	if w, ok := ctx.Value(workKey{}).(*Work); ok {
		w.basis = b
	}
}

// CheckBasis refuses the edit of an object unless it was made from this version of it. The
// object's row is locked, so the version holds until the end of the transaction.
func (tx *Tx) CheckBasis(updatedAt time.Time) error { return tx.basis.Check(updatedAt) }

// Check is CheckBasis for an edit that only reports what it would do.
func (b *Basis) Check(updatedAt time.Time) error {
	if b == nil {
		return nil
	}
	b.checked = true
	for _, v := range b.Versions {
		if v.Equal(updatedAt) {
			return nil
		}
	}
	return ErrEditConflict
}

// Checked returns ErrBasisUnchecked if no transaction compared the basis.
func (b *Basis) Checked() error {
	if b == nil || b.checked {
		return nil
	}
	return ErrBasisUnchecked
}

// Editor is the person who made an edit.
type Editor struct {
	Person shop.UserID `json:"user_id"`
	Name   string      `json:"name"`
}

// EditorAt returns who wrote the shop's rows that have this updated_at; nil if no call of the
// API did, or longer ago than the audit log reaches. The entry of a call is written in its
// transaction, so both have the transaction's time.
func EditorAt(ctx context.Context, r Reader, updatedAt time.Time) (*Editor, error) {
	found, err := EditorsAt(ctx, r, []time.Time{updatedAt})
	return found[updatedAt.UnixMicro()], err
}

// EditorsAt is EditorAt for several times. The result is by their microseconds.
func EditorsAt(ctx context.Context, r Reader, times []time.Time) (map[int64]*Editor, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT DISTINCT ON (a.written_at) a.written_at, a.person_id, coalesce(p.name, '') FROM audit_log a LEFT JOIN person p ON p.id = a.person_id
		WHERE a.company_id = $1 AND a.written_at = ANY($2) ORDER BY a.written_at, a.id DESC`, r.Company, times)
	if err != nil {
		return nil, err
	}
	found := map[int64]*Editor{}
	var at time.Time
	var e Editor
	_, err = pgx.ForEachRow(rows, []any{&at, &e.Person, &e.Name}, func() error {
		editor := e
		found[at.UnixMicro()] = &editor
		return nil
	})
	return found, err
}

// EditorOf returns a person as the one who made an edit.
func (s *Store) EditorOf(ctx context.Context, person shop.UserID) (*Editor, error) {
	e := Editor{Person: person}
	err := s.Pool.QueryRow(ctx, `SELECT name FROM person WHERE id = $1`, person).Scan(&e.Name)
	return &e, err
}

// partsOf are the tables of objects with parts that are edited on their own.
var partsOf = map[int16]string{EntityCategory: "category", EntityProduct: "product", EntityArticle: "article"}

// TouchParent moves updated_at of an object of which a part was edited: its blocks, its variants.
func (tx *Tx) TouchParent(ctx context.Context, entity int16, id int64) error {
	_, err := tx.DB.Exec(ctx, `UPDATE `+partsOf[entity]+` SET updated_at = now(), updated_by = CASE WHEN $3 = 0 THEN updated_by ELSE $3 END
		WHERE company_id = $1 AND id = $2`, tx.Company, id, tx.Author.Person)
	return err
}

// TouchDraft moves updated_at of an object that has no row of its own, such as the slots of a
// resource: kind is its table, id the Ref of the draft. In the live shop it has no effect.
func (tx *Tx) TouchDraft(ctx context.Context, kind, id string) error {
	if !tx.draft {
		return nil
	}
	_, err := tx.DB.Exec(ctx, `
		INSERT INTO draft_edit (company_id, kind, id, at) VALUES ($1, $2, $3, now())
		ON CONFLICT (company_id, kind, id) DO UPDATE SET at = EXCLUDED.at`, tx.Company, kind, id)
	return err
}
