package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

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

// Begin is called before anything else. A backup with customers says itself who they
// are: the triggers that make them of reviews, messages and leads stand back.
func (r *Restore) Begin(ctx context.Context, customers bool) error {
	if !customers {
		return nil
	}
	_, err := r.tx.Exec(ctx, `SELECT set_config('vitrine.restoring', 'on', true)`)
	return err
}

// SettlePayments closes the payments that wait for a provider: whoever still pays one
// pays it to the shop that the backup was made of. The others lose what the provider
// and that shop know them by, so that nothing here refunds or watches them there.
func (r *Restore) SettlePayments(ctx context.Context) error {
	_, err := r.tx.Exec(ctx, `
		WITH closed AS (
			UPDATE payment SET status = 'failed' WHERE company_id = $1 AND status = 'pending' RETURNING id, order_id, method)
		INSERT INTO order_history (company_id, order_id, kind, body, actor_id)
		SELECT $1, order_id, 'payment', jsonb_build_object('payment_id', id::text, 'status', 'failed', 'method', method, 'why', 'moved'), 0
		FROM closed ORDER BY id`, r.Company)
	if err == nil {
		_, err = r.tx.Exec(ctx, `
			UPDATE payment SET key = gen_random_uuid(), provider_ref = '', return_url = '', redirect_url = '', look_at = NULL, looks = 0
			WHERE company_id = $1`, r.Company)
	}
	if err == nil { // nobody here knows the provider that was asked
		_, err = r.tx.Exec(ctx, `
			WITH back AS (
				UPDATE payment p SET status = coalesce((SELECT was FROM payment_refund r WHERE r.company_id = $1 AND r.payment_id = p.id), 'paid')
				WHERE company_id = $1 AND status = 'refunding' RETURNING id, order_id)
			INSERT INTO order_history (company_id, order_id, kind, body, actor_id)
			SELECT $1, order_id, 'refund', jsonb_build_object('payment_id', id::text, 'state', 'failed', 'why', 'moved'), 0 FROM back ORDER BY id`, r.Company)
	}
	if err == nil {
		_, err = r.tx.Exec(ctx, `UPDATE payment_refund SET key = gen_random_uuid(), try_at = NULL,
			state = CASE state WHEN 'created' THEN 'failed' ELSE state END WHERE company_id = $1`, r.Company)
	}
	return err
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
// the rows have. A domain waits for its proof anew, and is left out where another shop
// names it.
func (r *Restore) Insert(ctx context.Context, t TenantTable, columns []string, rows []json.RawMessage) error {
	list, unless := quoted(columns), ""
	if t.Name == "company_domain" {
		columns, list = []string{"domain"}, "domain"
		unless = " i WHERE NOT EXISTS (SELECT FROM company_domain d WHERE d.domain = i.domain)"
	}
	_, err := r.tx.Exec(ctx, `INSERT INTO `+t.ident()+` (company_id, `+list+`) OVERRIDING SYSTEM VALUE
		SELECT $1, `+t.list("(%s #>> '{}')::json", columns)+` FROM jsonb_populate_recordset(NULL::`+t.ident()+`, $2)`+unless, r.Company, rows)
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

func quoted(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = pgx.Identifier{n}.Sanitize()
	}
	return strings.Join(out, ", ")
}
