package backup

import (
	"context"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// TenantMembers streams the shop's members, sorted by email.
func TenantMembers(ctx context.Context, r store.Reader, each func(row []byte) error) error {
	return streamJSON(ctx, r, `
		SELECT jsonb_build_object('id', p.id, 'email', p.email, 'name', p.name, 'role', m.role, 'created_at', m.created_at, 'updated_at', m.updated_at)
		FROM member m JOIN person p ON p.id = m.person_id WHERE m.company_id = $1 ORDER BY m.created_at, p.id`, each)
}

// TenantBuyers streams people who bought, wrote or voted in the shop or have an address in
// it, and are not members of it. Deleted people have no email and no creation time. Neither
// have people erased from the shop: orders still refer to their account, but their identity
// belongs to the account.
func TenantBuyers(ctx context.Context, r store.Reader, each func(row []byte) error) error {
	return streamJSON(ctx, r, `
		SELECT jsonb_build_object('id', b.id, 'email', p.email, 'name', p.name, 'phone', p.phone, 'created_at', p.created_at)
		FROM (SELECT person_id FROM shop_order WHERE company_id = $1 UNION SELECT person_id FROM person_address WHERE company_id = $1
			UNION SELECT person_id FROM wishlist_item WHERE company_id = $1
			UNION SELECT person_id FROM customer WHERE company_id = $1 AND person_id <> 0
			UNION SELECT person_id FROM remark WHERE company_id = $1 AND person_id IS NOT NULL
			UNION SELECT person_id FROM remark_vote WHERE company_id = $1
			UNION SELECT person_id FROM media_file WHERE company_id = $1 AND person_id IS NOT NULL
			UNION SELECT person_id FROM order_message WHERE company_id = $1 AND by_buyer) b(id)
		LEFT JOIN person p ON p.id = b.id AND (
			EXISTS (SELECT FROM shop_order o WHERE o.company_id = $1 AND o.person_id = b.id AND o.customer_id IS NOT NULL)
			OR EXISTS (SELECT FROM customer c WHERE c.company_id = $1 AND c.person_id <> 0 AND c.person_id = b.id)
			OR EXISTS (SELECT FROM person_address a WHERE a.company_id = $1 AND a.person_id = b.id)
			OR EXISTS (SELECT FROM wishlist_item w WHERE w.company_id = $1 AND w.person_id = b.id)
			OR EXISTS (SELECT FROM remark k WHERE k.company_id = $1 AND k.person_id IS NOT NULL AND k.person_id = b.id)
			OR EXISTS (SELECT FROM remark_vote v WHERE v.company_id = $1 AND v.person_id = b.id)
			OR EXISTS (SELECT FROM media_file f WHERE f.company_id = $1 AND f.person_id = b.id))
		WHERE NOT EXISTS (SELECT FROM member m WHERE m.company_id = $1 AND m.person_id = b.id) ORDER BY b.id`, each)
}

// Member gives the person with an email a role in the shop. A missing person is created
// without a usable password.
func (r *Restore) Member(ctx context.Context, email, name string, role shop.Role, since, changed time.Time) (id shop.UserID, err error) {
	err = r.tx.QueryRow(ctx, `
		WITH made AS (INSERT INTO person (email, name, password_hash) VALUES ($1, $2, '-') ON CONFLICT (lower(email)) WHERE email <> '' DO NOTHING RETURNING id)
		SELECT id FROM made UNION ALL SELECT id FROM person WHERE email <> '' AND lower(email) = lower($1) LIMIT 1`, email, name).Scan(&id)
	if err != nil {
		return 0, err
	}
	if err = r.resetUnproven(ctx, id); err != nil {
		return 0, err
	}
	if _, err = r.tx.Exec(ctx, `INSERT INTO member (company_id, person_id, role, created_at, updated_at) VALUES ($1, $2, $3, $4, $5)`, r.Company, id, role, since, changed); err != nil {
		return 0, err
	}
	_, err = r.tx.Exec(ctx, `UPDATE person SET main_company_id = $2 WHERE id = $1 AND main_company_id IS NULL`, id, r.Company)
	return id, err
}

// Buyer is a person who bought in the shop.
type Buyer struct {
	ID        int64      // in the original installation
	Email     string     // empty: a guest
	Name      string     `json:"name"`
	Phone     string     `json:"phone"`
	CreatedAt *time.Time `json:"created_at"` // nil: already deleted
}

// Buyer finds the person for a buyer here, or creates one who cannot sign in with a
// password. Matching by address would give access to orders and their contents, so it
// requires a verified one: otherwise the buyer becomes a guest. A person created at exactly
// the same moment is the same person, on the same installation.
func (r *Restore) Buyer(ctx context.Context, b Buyer) (id shop.UserID, err error) {
	if b.CreatedAt == nil {
		err = r.tx.QueryRow(ctx, `SELECT nextval(pg_get_serial_sequence('person', 'id'))`).Scan(&id)
		return id, err
	}
	err = r.tx.QueryRow(ctx, `
		SELECT id FROM person WHERE id = $1 AND lower(email) = lower($2) AND created_at = $3
		UNION ALL SELECT id FROM person WHERE email <> '' AND lower(email) = lower($2) AND proven_at IS NOT NULL LIMIT 1`,
		b.ID, b.Email, b.CreatedAt).Scan(&id)
	if !store.NoRow(err) {
		return id, err
	}
	err = r.tx.QueryRow(ctx, `
		INSERT INTO person (email, name, phone, password_hash, created_at)
		SELECT CASE WHEN EXISTS (SELECT FROM person WHERE email <> '' AND lower(email) = lower($1)) THEN '' ELSE $1 END, $2, $3, $4, $5
		RETURNING id`, b.Email, b.Name, b.Phone, people.NoPassword, b.CreatedAt).Scan(&id)
	return id, err
}

// resetUnproven keeps a role from a person who only registered the address of a member in the
// backup: until the operator or a letter sets a password, nobody can sign in with it.
func (r *Restore) resetUnproven(ctx context.Context, person shop.UserID) error {
	var unproven bool
	err := r.tx.QueryRow(ctx, `
		SELECT proven_at IS NULL AND NOT EXISTS (SELECT FROM member WHERE person_id = $1) FROM person WHERE id = $1`, person).Scan(&unproven)
	if err != nil || !unproven {
		return err
	}
	return people.TakeOverAccount(ctx, r.tx, person, people.NoPassword)
}
