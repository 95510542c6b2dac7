package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// A backup knows no columns: what a shop has is read from the catalogue of the
// database, so that a table of a new migration is in it without being named.

// TenantTable is a table, or the draft of one, whose rows belong to shops.
type TenantTable struct {
	Name     string // with its schema when that is not public: draft.product
	Columns  []string
	Key      []string // of the primary key, without company_id
	Identity bool     // id is given out by a sequence
	Raw      []string // columns of JSON that is kept as it came: in a row they are texts
}

// Base is the live table of a draft one, and any other table itself.
func (t TenantTable) Base() string { return strings.TrimPrefix(t.Name, "draft.") }

func (t TenantTable) ident() string { return pgx.Identifier(strings.Split(t.Name, ".")).Sanitize() }

// TenantTables lists the tables that have a company_id, each after those that
// its foreign keys point at, drafts last.
func (s *Store) TenantTables(ctx context.Context) ([]TenantTable, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT CASE n.nspname WHEN 'public' THEN '' ELSE n.nspname || '.' END || c.relname,
			array_agg(a.attname::text ORDER BY a.attnum),
			coalesce((SELECT array_agg(k.attname::text ORDER BY k.attnum) FROM pg_index i JOIN pg_attribute k ON k.attrelid = c.oid
				AND k.attnum = ANY(i.indkey)
				WHERE i.indrelid = c.oid AND i.indisprimary AND k.attname <> 'company_id'), '{}'),
			bool_or(a.attname = 'id' AND a.attidentity <> ''),
			coalesce(array_agg(a.attname::text) FILTER (WHERE a.atttypid = 'json'::regtype), '{}'),
			coalesce((SELECT array_agg(DISTINCT r.relname::text) FROM pg_constraint f JOIN pg_class r ON r.oid = f.confrelid
				WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid), '{}')
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname IN ('public', 'draft')
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
		WHERE c.relkind = 'r' AND EXISTS (SELECT FROM pg_attribute o WHERE o.attrelid = c.oid AND o.attname = 'company_id' AND NOT o.attisdropped)
		GROUP BY n.nspname, c.oid, c.relname ORDER BY n.nspname DESC, c.relname`)
	if err != nil {
		return nil, err
	}
	var tables []TenantTable
	needs := map[string][]string{}
	for rows.Next() {
		var t TenantTable
		var parents []string
		if err := rows.Scan(&t.Name, &t.Columns, &t.Key, &t.Identity, &t.Raw, &parents); err != nil {
			rows.Close()
			return nil, err
		}
		t.Columns = slices.DeleteFunc(t.Columns, func(c string) bool { return c == "company_id" })
		needs[t.Name] = parents
		tables = append(tables, t)
	}
	return inOrder(tables, needs), rows.Err()
}

// inOrder puts tables behind those they need, keeping the order otherwise.
func inOrder(tables []TenantTable, needs map[string][]string) (sorted []TenantTable) {
	seen := map[string]bool{}
	var place func(t TenantTable)
	place = func(t TenantTable) {
		if seen[t.Name] {
			return
		}
		seen[t.Name] = true
		for _, parent := range needs[t.Name] {
			if i := slices.IndexFunc(tables, func(o TenantTable) bool { return o.Name == parent }); i >= 0 {
				place(tables[i])
			}
		}
		sorted = append(sorted, t)
	}
	for _, t := range tables {
		place(t)
	}
	return sorted
}

// TenantRows streams the shop's rows of a table as JSON objects without
// company_id, in the order of the key. Use it inside Snapshot.
func (r Reader) TenantRows(ctx context.Context, t TenantTable, each func(row []byte) error) error {
	order := make([]string, len(t.Key))
	for i, k := range t.Key {
		order[i] = pgx.Identifier{k}.Sanitize()
	}
	by := ""
	if len(order) > 0 {
		by = " ORDER BY " + strings.Join(order, ", ")
	}
	return r.jsonRows(ctx, `SELECT to_jsonb(t) FROM (SELECT `+t.list("%[1]s::text AS %[1]s", t.Columns)+` FROM `+t.ident()+` WHERE company_id = $1) t`+by, each)
}

// list is columns between commas, raw ones as the form says: JSON that is kept as
// it came may be what jsonb refuses.
func (t TenantTable) list(raw string, columns []string) string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = pgx.Identifier{c}.Sanitize()
		if slices.Contains(t.Raw, c) {
			out[i] = fmt.Sprintf(raw, out[i])
		}
	}
	return strings.Join(out, ", ")
}

// TenantShop is the shop's own row, without what the new home decides: id,
// version, and the hash of the PIN, which is a secret.
func (r Reader) TenantShop(ctx context.Context) (row []byte, err error) {
	err = r.q.QueryRow(ctx, `SELECT to_jsonb(c) - 'id' - 'version' - 'pin_hash' FROM company c WHERE id = $1`, r.Company).Scan(&row)
	return row, err
}

// TenantMembers streams the shop's people by email.
func (r Reader) TenantMembers(ctx context.Context, each func(row []byte) error) error {
	return r.jsonRows(ctx, `
		SELECT jsonb_build_object('id', p.id, 'email', p.email, 'name', p.name, 'role', m.role, 'created_at', m.created_at)
		FROM member m JOIN person p ON p.id = m.person_id WHERE m.company_id = $1 ORDER BY m.created_at, p.id`, each)
}

// TenantBuyers streams who bought in the shop or left an address there and is none
// of its people. Those who are not there any more have no email and no time.
func (r Reader) TenantBuyers(ctx context.Context, each func(row []byte) error) error {
	return r.jsonRows(ctx, `
		SELECT jsonb_build_object('id', b.id, 'email', p.email, 'name', p.name, 'phone', p.phone, 'created_at', p.created_at)
		FROM (SELECT person_id FROM shop_order WHERE company_id = $1 UNION SELECT person_id FROM person_address WHERE company_id = $1
			UNION SELECT person_id FROM wishlist_item WHERE company_id = $1
			UNION SELECT person_id FROM order_message WHERE company_id = $1 AND by_buyer) b(id)
		LEFT JOIN person p ON p.id = b.id
		WHERE NOT EXISTS (SELECT FROM member m WHERE m.company_id = $1 AND m.person_id = b.id) ORDER BY b.id`, each)
}

func (r Reader) jsonRows(ctx context.Context, sql string, each func(row []byte) error) error {
	rows, err := r.q.Query(ctx, sql, r.Company)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var row json.RawMessage
		if err := rows.Scan(&row); err != nil {
			return err
		}
		if err := each(row); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Restore writes the rows of a backup as a new shop, all of it or nothing.
type Restore struct {
	tx      pgx.Tx
	Company shop.CompanyID
}

// Restore runs fn in one transaction. What a write to a shop bounds is bounded
// here too: a tree that reaches too far is ErrCategoryTooDeep.
func (s *Store) Restore(ctx context.Context, fn func(*Restore) error) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		r := &Restore{tx: tx}
		if err := fn(r); err != nil {
			return err
		}
		return Reader{q: tx, Company: r.Company}.treeInReach(ctx)
	})
}

// Shop makes the shop from the row of TenantShop under a slug. It may be
// ErrShopSlugTaken.
func (r *Restore) Shop(ctx context.Context, columns []string, row []byte, slug string) error {
	list := quoted(columns)
	err := r.tx.QueryRow(ctx, `INSERT INTO company (`+list+`) SELECT `+list+` FROM jsonb_populate_record(NULL::company, $1::jsonb || jsonb_build_object('slug', $2::text))
		RETURNING id`, row, slug).Scan(&r.Company)
	if uniqueViolation(err, "company_slug_key") {
		return ErrShopSlugTaken.With(slug + ": choose another one with --slug")
	}
	return err
}

// NewIDs takes n fresh ids of a table with an identity.
func (r *Restore) NewIDs(ctx context.Context, t TenantTable, n int) (ids []int64, err error) {
	err = r.tx.QueryRow(ctx, `SELECT coalesce(array_agg(nextval(pg_get_serial_sequence($1, 'id'))), '{}') FROM generate_series(1, $2)`,
		t.ident(), n).Scan(&ids)
	return ids, err
}

// Insert adds rows of a table in the form of TenantRows; columns are those that
// the rows have. The domain of a shop is left out where it is taken.
func (r *Restore) Insert(ctx context.Context, t TenantTable, columns []string, rows []json.RawMessage) error {
	list, conflict := quoted(columns), ""
	if t.Name == "company_domain" {
		conflict = " ON CONFLICT DO NOTHING"
	}
	_, err := r.tx.Exec(ctx, `INSERT INTO `+t.ident()+` (company_id, `+list+`) OVERRIDING SYSTEM VALUE
		SELECT $1, `+t.list("(%s #>> '{}')::json", columns)+` FROM jsonb_populate_recordset(NULL::`+t.ident()+`, $2)`+conflict, r.Company, rows)
	if err != nil {
		return fmt.Errorf("rows of %s: %w", t.Name, err)
	}
	return nil
}

// CompleteBases gives the rows of a draft table the columns that a backup did not
// know yet: what the draft has there it did not touch, so that is its base too,
// and publishing leaves the live value. draft_shadow does the same for a column
// that a migration adds. Any other table has no base.
func (r *Restore) CompleteBases(ctx context.Context, t TenantTable) error {
	if t.Name == t.Base() {
		return nil
	}
	_, err := r.tx.Exec(ctx, `
		UPDATE `+t.ident()+` d SET draft_base = to_jsonb(d) - '{company_id,draft_gone,draft_base,draft_at,draft_picked}'::text[] || draft_base
		WHERE company_id = $1 AND draft_base IS NOT NULL`, r.Company)
	return err
}

// ReplaceBlobs lets the shop own blobs of these sizes in the place of old ones,
// which it keeps where something else of it has the same bytes. Plan limits do
// not count: the shop has what it had.
func (r *Restore) ReplaceBlobs(ctx context.Context, old []string, blobs map[string]int64) error {
	tx := &Tx{Reader: Reader{q: r.tx, Company: r.Company}, tx: r.tx}
	if err := tx.KeepBlobs(ctx, blobs); err != nil && !errors.Is(err, ErrStorageLimit) {
		return err
	}
	return tx.dropBlobs(ctx, old)
}

// Member gives the person with an email a role in the shop. Somebody who is not
// there yet is made without a password that works.
func (r *Restore) Member(ctx context.Context, email, name string, role shop.Role) (id shop.UserID, err error) {
	err = r.tx.QueryRow(ctx, `
		WITH made AS (INSERT INTO person (email, name, password_hash) VALUES ($1, $2, '-') ON CONFLICT (lower(email)) WHERE email <> '' DO NOTHING RETURNING id)
		SELECT id FROM made UNION ALL SELECT id FROM person WHERE email <> '' AND lower(email) = lower($1) LIMIT 1`, email, name).Scan(&id)
	if err != nil {
		return 0, err
	}
	if err = r.claim(ctx, id); err != nil {
		return 0, err
	}
	if _, err = r.tx.Exec(ctx, `INSERT INTO member (company_id, person_id, role) VALUES ($1, $2, $3)`, r.Company, id, role); err != nil {
		return 0, err
	}
	_, err = r.tx.Exec(ctx, `UPDATE person SET main_company_id = $2 WHERE id = $1 AND main_company_id IS NULL`, id, r.Company)
	return id, err
}

// Buyer is somebody who bought in the shop.
type Buyer struct {
	ID        int64      // where the backup was made
	Email     string     // empty: a guest
	Name      string     `json:"name"`
	Phone     string     `json:"phone"`
	CreatedAt *time.Time `json:"created_at"` // nil: was gone already
}

// Buyer finds the person that a buyer is here, or makes one who cannot sign in
// with a password. An address leads to orders with what stands in them, so whoever
// merely registered it gets none: the buyer is a guest then. Somebody who was made
// at the very same moment is the same person, on the same installation.
func (r *Restore) Buyer(ctx context.Context, b Buyer) (id shop.UserID, err error) {
	if b.CreatedAt == nil {
		err = r.tx.QueryRow(ctx, `SELECT nextval(pg_get_serial_sequence('person', 'id'))`).Scan(&id)
		return id, err
	}
	err = r.tx.QueryRow(ctx, `
		SELECT id FROM person WHERE id = $1 AND lower(email) = lower($2) AND created_at = $3
		UNION ALL SELECT id FROM person WHERE email <> '' AND lower(email) = lower($2) AND proven_at IS NOT NULL LIMIT 1`,
		b.ID, b.Email, b.CreatedAt).Scan(&id)
	if !noRow(err) {
		return id, err
	}
	err = r.tx.QueryRow(ctx, `
		INSERT INTO person (email, name, phone, password_hash, created_at)
		SELECT CASE WHEN EXISTS (SELECT FROM person WHERE email <> '' AND lower(email) = lower($1)) THEN '' ELSE $1 END, $2, $3, $4, $5
		RETURNING id`, b.Email, b.Name, b.Phone, NoPassword, b.CreatedAt).Scan(&id)
	return id, err
}

// claim keeps a role from who merely registered the address of somebody in the
// file: until the operator or a letter gives a password, nobody signs in with it.
func (r *Restore) claim(ctx context.Context, person shop.UserID) error {
	var anybody bool
	err := r.tx.QueryRow(ctx, `
		SELECT proven_at IS NULL AND NOT EXISTS (SELECT FROM member WHERE person_id = $1) FROM person WHERE id = $1`, person).Scan(&anybody)
	if err != nil || !anybody {
		return err
	}
	return takeOver(ctx, r.tx, person, NoPassword)
}

func quoted(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = pgx.Identifier{n}.Sanitize()
	}
	return strings.Join(out, ", ")
}
