package people

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of members.
var (
	ErrMemberExists   = shop.Refuse(shop.AlreadyExists, "MEMBER_EXISTS").When("the person is a member already")
	ErrMemberLimit    = shop.Refuse(shop.ResourceExhausted, "MEMBER_LIMIT_REACHED").When("the shop has 500 members already").WithField("limit_code", "members_max")
	ErrMemberNotFound = shop.Refuse(shop.NotFound, "MEMBER_NOT_FOUND").When("the shop has no member with this id")
)

// MaxMembers is how many members a shop may have.
const MaxMembers = 500

// earliest picks one of a person's shops: an owned one before others, then the first one
// joined.
const earliest = `(m.role = 'owner') DESC, m.created_at, m.company_id LIMIT 1`

// MainCompany returns the shop for which a person acts, and their role in it: the chosen
// one, or the earliest. Zero without any, and if the chosen one was deleted: nobody is to write to
// another shop because of that.
func MainCompany(ctx context.Context, s *store.Store, person shop.UserID) (id shop.CompanyID, role shop.Role, err error) {
	in, err := ActsInMain(ctx, s, person)
	if in.Deleted {
		return 0, "", err
	}
	return in.Company, in.Role, err
}

// Acting is a shop that a person acts in as a member; zero if they are not a member.
type Acting struct {
	Company     shop.CompanyID
	Role        shop.Role
	NeedsFactor bool // the shop requires a second factor of the role
	Deleted     bool // the owner deleted the shop and can restore it
}

const actingColumns = `c.id, m.role, coalesce(c.settings->'members_need_second_factor' ? m.role, false), c.deleted_at IS NOT NULL`

func scanActing(row pgx.Row) (a Acting, err error) {
	err = row.Scan(&a.Company, &a.Role, &a.NeedsFactor, &a.Deleted)
	if store.NoRow(err) {
		return Acting{}, nil
	}
	return a, err
}

// ActsIn returns a shop by its id or slug. Slugs begin with a letter, so no shop has the id of
// another one as its slug.
func ActsIn(ctx context.Context, s *store.Store, person shop.UserID, named string) (Acting, error) {
	return scanActing(s.Pool.QueryRow(ctx, `
		SELECT `+actingColumns+` FROM company c JOIN member m ON m.company_id = c.id AND m.person_id = $1
		WHERE c.slug = $2 OR c.id::text = $2`, person, named))
}

// ActsInMain returns a person's main shop (MainCompany).
func ActsInMain(ctx context.Context, s *store.Store, person shop.UserID) (Acting, error) {
	return scanActing(s.Pool.QueryRow(ctx, `
		SELECT `+actingColumns+` FROM member m JOIN company c ON c.id = m.company_id
		LEFT JOIN person p ON p.id = m.person_id AND p.main_company_id = m.company_id
		WHERE m.person_id = $1 ORDER BY p.id IS NULL, c.deleted_at IS NOT NULL, `+earliest, person))
}

// SetMainCompany makes one of a person's shops their main one. found is false when they are
// not a member of it.
func SetMainCompany(ctx context.Context, s *store.Store, person shop.UserID, company shop.CompanyID) (found bool, err error) {
	tag, err := s.Pool.Exec(ctx, `
		UPDATE person p SET main_company_id = m.company_id FROM member m JOIN company c ON c.id = m.company_id AND c.deleted_at IS NULL
		WHERE p.id = $1 AND m.person_id = p.id AND m.company_id = $2`, person, company)
	return tag.RowsAffected() > 0, err
}

// Membership is a shop of which a person is a member.
type Membership struct {
	Company shop.CompanyID `json:"id"`
	Slug    string         `json:"slug"`
	Name    string         `json:"name"`
	Role    shop.Role      `json:"role"`
	Main    bool           `json:"is_main"`
}

// Memberships lists the shops of a person, the main one first, without deleted ones.
func Memberships(ctx context.Context, s *store.Store, person shop.UserID) ([]Membership, error) {
	main, _, err := MainCompany(ctx, s, person)
	if err != nil {
		return nil, err
	}
	rows, err := s.Pool.Query(ctx, `
		SELECT c.id, c.slug, c.name, m.role, c.id = $2 FROM member m JOIN company c ON c.id = m.company_id AND c.deleted_at IS NULL
		WHERE m.person_id = $1 ORDER BY (c.id = $2) DESC, m.created_at, c.id`, person, main)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := []Membership{}
	for rows.Next() {
		var m Membership
		if err := rows.Scan(&m.Company, &m.Slug, &m.Name, &m.Role, &m.Main); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, rows.Err()
}

// OwnShop is a shop in the list of a person.
type OwnShop struct {
	Membership
	Currency  string     `json:"currency"`
	Closed    bool       `json:"closed"`
	DeletedAt *time.Time `json:"deleted_at" doc:"null: the shop is not deleted"`
	Domain    string     `json:"-"` // the active one
}

// OwnShops lists the shops of a person, the main one first, and last those that they own and
// deleted.
func OwnShops(ctx context.Context, s *store.Store, person shop.UserID) ([]OwnShop, error) {
	main, err := ActsInMain(ctx, s, person)
	if err != nil {
		return nil, err
	}
	rows, err := s.Pool.Query(ctx, `
		SELECT c.id, c.slug, c.name, m.role, c.id = $2, c.currency, c.closed, c.deleted_at,
			coalesce((SELECT min(domain) FROM company_domain d WHERE d.company_id = c.id AND d.active_at IS NOT NULL), '')
		FROM member m JOIN company c ON c.id = m.company_id
		WHERE m.person_id = $1 AND (c.deleted_at IS NULL OR m.role = 'owner')
		ORDER BY c.deleted_at IS NOT NULL, (c.id = $2) DESC, m.created_at, c.id`, person, main.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (o OwnShop, err error) {
		err = row.Scan(&o.Company, &o.Slug, &o.Name, &o.Role, &o.Main, &o.Currency, &o.Closed, &o.DeletedAt, &o.Domain)
		if o.DeletedAt != nil {
			at := o.DeletedAt.UTC()
			o.DeletedAt = &at
		}
		return o, err
	})
}

// Member is a person with a role in a shop.
type Member struct {
	Person shop.UserID `json:"user_id"`
	Email  string      `json:"email"`
	Name   string      `json:"name"`
	Role   shop.Role   `json:"role"`
	Proven bool        `json:"proven"` // the address was verified by a code from a letter
	Factor bool        `json:"second_factor" doc:"has an authenticator app or a passkey"`
	Since  time.Time   `json:"created_at"`

	UpdatedAt time.Time `json:"updated_at"`
}

// Members lists the shop's members, owners first.
func Members(ctx context.Context, r store.Reader) (list []Member, err error) {
	rows, err := r.DB.Query(ctx, `
		SELECT `+memberColumns+` ORDER BY m.role = 'editor', m.role = 'admin', p.id`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanMember)
}

const memberColumns = `p.id, p.email, p.name, m.role, p.proven_at IS NOT NULL,
		EXISTS (SELECT FROM totp t WHERE t.person_id = p.id AND t.confirmed_at IS NOT NULL) OR EXISTS (SELECT FROM passkey k WHERE k.person_id = p.id),
		m.created_at, m.updated_at
		FROM member m JOIN person p ON p.id = m.person_id WHERE m.company_id = $1`

func scanMember(row pgx.CollectableRow) (m Member, err error) {
	m, err = pgx.RowToStructByPos[Member](row)
	m.Since, m.UpdatedAt = m.Since.UTC(), m.UpdatedAt.UTC()
	return m, err
}

// GetMember reads one member of the shop.
func GetMember(ctx context.Context, r store.Reader, person shop.UserID) (m Member, err error) {
	rows, err := r.DB.Query(ctx, `SELECT `+memberColumns+` AND p.id = $2`, r.Company, person)
	if err != nil {
		return m, err
	}
	m, err = pgx.CollectExactlyOneRow(rows, scanMember)
	if store.NoRow(err) {
		err = ErrMemberNotFound
	}
	return m, err
}

// MemberWithRole returns the earliest member with a role; zero without one.
func MemberWithRole(ctx context.Context, r store.Reader, role shop.Role) (id shop.UserID, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT person_id FROM member WHERE company_id = $1 AND role = $2 ORDER BY created_at, person_id LIMIT 1`,
		r.Company, role).Scan(&id)
	if store.NoRow(err) {
		return 0, nil
	}
	return id, err
}

// RoleOf returns a person's role in the shop, empty without one.
func RoleOf(ctx context.Context, r store.Reader, person shop.UserID) (role shop.Role, err error) {
	err = r.DB.QueryRow(ctx, `SELECT role FROM member WHERE company_id = $1 AND person_id = $2`, r.Company, person).Scan(&role)
	if store.NoRow(err) {
		return "", nil
	}
	return role, err
}

// MemberByEmail reports whether a person with the address is a member.
func MemberByEmail(ctx context.Context, r store.Reader, email string) (found bool, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM member m JOIN person p ON p.id = m.person_id WHERE m.company_id = $1 AND lower(p.email) = lower($2))`,
		r.Company, email).Scan(&found)
	return found, err
}

// Owners counts the shop's owners.
func Owners(ctx context.Context, r store.Reader) (n int, err error) {
	err = r.DB.QueryRow(ctx, `SELECT count(*) FROM member WHERE company_id = $1 AND role = 'owner'`, r.Company).Scan(&n)
	return n, err
}

// AddMember gives a person a role in the shop. Callers that may run concurrently hold
// LockMembers.
func AddMember(ctx context.Context, tx *store.Tx, person shop.UserID, role shop.Role) error {
	tag, err := tx.DB.Exec(ctx, `
		INSERT INTO member (company_id, person_id, role) SELECT $1, $2, $3
		WHERE (SELECT count(*) FROM member WHERE company_id = $1) < $4`, tx.Company, person, role, MaxMembers)
	switch {
	case store.UniqueViolation(err, "member_pkey"):
		return ErrMemberExists
	case err != nil:
		return err
	case tag.RowsAffected() == 0:
		return ErrMemberLimit
	}
	_, err = tx.DB.Exec(ctx, `UPDATE person SET main_company_id = $2 WHERE id = $1 AND main_company_id IS NULL`, person, tx.Company)
	return err
}

// SetRole changes a member's role.
func SetRole(ctx context.Context, tx *store.Tx, person shop.UserID, role shop.Role) error {
	tag, err := tx.DB.Exec(ctx, `UPDATE member SET role = $3, updated_at = now() WHERE company_id = $1 AND person_id = $2`, tx.Company, person, role)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrMemberNotFound
	}
	return err
}

// RemoveMember removes a person from the shop. When it was their main one, the earliest of
// their other shops becomes it.
func RemoveMember(ctx context.Context, tx *store.Tx, person shop.UserID) error {
	tag, err := tx.DB.Exec(ctx, `DELETE FROM member WHERE company_id = $1 AND person_id = $2`, tx.Company, person)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrMemberNotFound
	}
	if err != nil {
		return err
	}
	_, err = tx.DB.Exec(ctx, `
		UPDATE person p SET main_company_id = (SELECT m.company_id FROM member m WHERE m.person_id = p.id ORDER BY `+earliest+`)
		WHERE p.id = $2 AND p.main_company_id = $1`, tx.Company, person)
	return err
}

// MemberName returns the name of a member of the shop; ok is false for anybody else.
func MemberName(ctx context.Context, r store.Reader, person shop.UserID) (name string, ok bool, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT p.name FROM member m JOIN person p ON p.id = m.person_id WHERE m.company_id = $1 AND m.person_id = $2`,
		r.Company, person).Scan(&name)
	if store.NoRow(err) {
		return "", false, nil
	}
	return name, err == nil, err
}
