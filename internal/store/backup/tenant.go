package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/company"
	"vitrine/internal/store/media"
)

// AllowLong lets each statement of a snapshot take as long as those of an operator: a table is one
// statement, which lasts until its last row is written elsewhere.
func AllowLong(ctx context.Context, r store.Reader) error {
	_, err := r.DB.Exec(ctx, `
		SELECT set_config('statement_timeout', $1::text, true) WHERE current_setting('statement_timeout')::interval BETWEEN '1 ms' AND $1::interval`,
		strconv.FormatInt(store.LongTimeout.Milliseconds(), 10)+"ms")
	return err
}

// TenantRows streams the shop's rows of a table as JSON objects without company_id, in the
// order of the key. Use it inside Snapshot.
func TenantRows(ctx context.Context, r store.Reader, t company.TenantTable, each func(row []byte) error) error {
	order := make([]string, len(t.Key))
	for i, k := range t.Key {
		order[i] = pgx.Identifier{k}.Sanitize()
	}
	orderBy := ""
	if len(order) > 0 {
		orderBy = " ORDER BY " + strings.Join(order, ", ")
	}
	return streamJSON(ctx, r, `SELECT to_jsonb(t) FROM (SELECT `+t.List("%[1]s::text AS %[1]s", t.Columns)+` FROM `+t.Ident()+` WHERE company_id = $1) t`+orderBy, each)
}

// TenantShop returns the shop's own row, without the fields that the target decides: id,
// version, and the hash of the PIN, which is a secret.
func TenantShop(ctx context.Context, r store.Reader) (row []byte, err error) {
	err = r.DB.QueryRow(ctx, `SELECT to_jsonb(c) - 'id' - 'version' - 'pin_hash' - 'deleted_at' - 'import_job' FROM company c WHERE id = $1`, r.Company).Scan(&row)
	return row, err
}

func streamJSON(ctx context.Context, r store.Reader, sql string, each func(row []byte) error) error {
	rows, err := r.DB.Query(ctx, sql, r.Company)
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

// Restore writes the rows of a backup as a new shop, all or nothing.
type Restore struct {
	tx      pgx.Tx
	Company shop.CompanyID
}

// RestoreShop runs fn in one transaction. Bounds of writes to a shop apply here too: a tree
// that exceeds them is ErrCategoryTooDeep.
func RestoreShop(ctx context.Context, s *store.Store, fn func(*Restore) error) error {
	return pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		r := &Restore{tx: tx}
		if err := fn(r); err != nil {
			return err
		}
		return catalog.CheckTreeExtent(ctx, store.Reader{DB: tx, Company: r.Company})
	})
}

// Begin is called first. A backup with customers contains them: the triggers that create
// customers from reviews, messages and leads are disabled.
func (r *Restore) Begin(ctx context.Context, customers bool) error {
	if !customers {
		return nil
	}
	_, err := r.tx.Exec(ctx, `SELECT set_config('vitrine.restoring', 'on', true)`)
	return err
}

// SettlePayments closes the payments that wait for a provider: a buyer who still pays one
// pays the original shop of the backup. The others lose their ids at the provider and the
// original shop, so that this shop neither refunds nor checks them there.
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
	if err == nil { // this shop has no credentials of the provider that was asked
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

// SettleStock makes the stock of products and of their variants agree: in backups from the time
// before products were counted by variant, both had a number.
func (r *Restore) SettleStock(ctx context.Context) error {
	return catalog.SettleVariantStock(ctx, r.tx, r.Company, nil)
}

// SettleReminders replaces the campaign in the settings by its new id.
func (r *Restore) SettleReminders(ctx context.Context, promotions map[int64]int64) error {
	var old *int64
	err := r.tx.QueryRow(ctx, `SELECT (settings -> 'cart_reminder' ->> 'promotion_id')::bigint FROM company WHERE id = $1`, r.Company).Scan(&old)
	if err != nil || old == nil {
		return err
	}
	_, err = r.tx.Exec(ctx, `
		UPDATE company SET settings = jsonb_set(settings, '{cart_reminder,promotion_id}', to_jsonb($2::bigint::text)) WHERE id = $1`, r.Company, promotions[*old])
	return err
}

// Shop creates the shop from the row of TenantShop under a slug. It may return
// shop.ErrSlugTaken.
func (r *Restore) Shop(ctx context.Context, columns []string, row []byte, slug string) error {
	list := company.Quoted(columns)
	err := r.tx.QueryRow(ctx, `INSERT INTO company (`+list+`) SELECT `+list+` FROM jsonb_populate_record(NULL::company, $1::jsonb || jsonb_build_object('slug', $2::text))
		RETURNING id`, row, slug).Scan(&r.Company)
	if store.UniqueViolation(err, "company_slug_key") {
		return shop.ErrSlugTaken.With(slug + ": choose another one with --slug")
	}
	return err
}

// NewIDs reserves n new ids of a table with an identity.
func (r *Restore) NewIDs(ctx context.Context, t company.TenantTable, n int) (ids []int64, err error) {
	err = r.tx.QueryRow(ctx, `SELECT coalesce(array_agg(nextval(pg_get_serial_sequence($1, 'id'))), '{}') FROM generate_series(1, $2)`,
		t.Ident(), n).Scan(&ids)
	return ids, err
}

// Insert adds rows of a table in the form of TenantRows; columns are those that the rows
// have. A domain must be verified again, and is left out where another shop names it.
func (r *Restore) Insert(ctx context.Context, t company.TenantTable, columns []string, rows []json.RawMessage) error {
	list, unless := company.Quoted(columns), ""
	if t.Name == "company_domain" {
		columns, list = []string{"domain"}, "domain"
		unless = " i WHERE NOT EXISTS (SELECT FROM company_domain d WHERE d.domain = i.domain)"
	}
	_, err := r.tx.Exec(ctx, `INSERT INTO `+t.Ident()+` (company_id, `+list+`) OVERRIDING SYSTEM VALUE
		SELECT $1, `+t.List("(%s #>> '{}')::json", columns)+` FROM jsonb_populate_recordset(NULL::`+t.Ident()+`, $2)`+unless, r.Company, rows)
	if err != nil {
		return fmt.Errorf("rows of %s: %w", t.Name, err)
	}
	return nil
}

// CompleteBases adds to the rows of a draft table the columns that the backup did not have
// yet. The draft did not change them, so their value is also the base, and publishing keeps
// the live value. draft_shadow does the same for a column that a migration adds. Any other
// table has no base.
func (r *Restore) CompleteBases(ctx context.Context, t company.TenantTable) error {
	if t.Name == t.Base() {
		return nil
	}
	_, err := r.tx.Exec(ctx, `
		UPDATE `+t.Ident()+` d SET draft_base = to_jsonb(d) - '{company_id,draft_gone,draft_base,draft_at,draft_picked}'::text[] || draft_base
		WHERE company_id = $1 AND draft_base IS NOT NULL`, r.Company)
	return err
}

// ReplaceBlobs makes the shop own blobs of these sizes instead of old ones; it keeps an old
// one that something else of the shop uses. Plan limits do not apply: the shop already had
// these bytes.
func (r *Restore) ReplaceBlobs(ctx context.Context, old []string, blobs map[string]int64) error {
	tx := &store.Tx{Reader: store.Reader{DB: r.tx, Company: r.Company}, PG: r.tx}
	if err := media.OwnBlobs(ctx, tx, blobs); err != nil && !errors.Is(err, media.ErrStorageLimit) {
		return err
	}
	return media.DisownBlobs(ctx, tx, old)
}
