package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// ErrLastOwner keeps every shop an owner.
var ErrLastOwner = shop.Refuse(shop.FailedPrecondition, "LAST_OWNER").When("the shop would be left without an owner")

// WantEmail notes the address that a person wants to have.
func (s *Store) WantEmail(ctx context.Context, person shop.UserID, email string) error {
	_, err := s.pool.Exec(ctx, `UPDATE person SET next_email = $2 WHERE id = $1`, person, email)
	return err
}

// blanks take a person out of what stays with shops. $1 is the person. What was
// agreed stays as it is: the lines, with what was to be written on them.
var blanks = [...]string{
	`UPDATE shop_order SET contact_name = '', contact_phone = '', contact_email = '', address = NULL, comment = '', updated_at = now() WHERE person_id = $1`,
	`DELETE FROM letter WHERE person_id = $1`,
	`DELETE FROM payment_notice n USING shop_order o JOIN payment p ON p.company_id = o.company_id AND p.order_id = o.id
		WHERE o.person_id = $1 AND n.company_id = p.company_id AND n.method = p.method AND n.ref = p.provider_ref AND n.ref <> ''`,
	`DELETE FROM letter_bounce b USING person p WHERE p.id = $1 AND p.email <> '' AND b.recipient = lower(p.email)`,
	`DELETE FROM platform_letter l USING person p WHERE p.id = $1 AND p.email <> '' AND lower(l.recipient) IN (lower(p.email), lower(p.next_email))`,
	`UPDATE order_message SET text = '', file_ids = '{}' WHERE person_id = $1`,
	`DELETE FROM remark WHERE person_id = $1 AND kind = 'question'`,
	`UPDATE remark SET person_id = NULL, author = '', text = '', pros = '', cons = '', file_ids = '{}' WHERE person_id = $1`, // the stars stay
	`DELETE FROM address_code c USING person p WHERE p.id = $1 AND p.email <> '' AND c.email IN (lower(p.email), lower(p.next_email))`,
	`DELETE FROM person WHERE id = $1`,
}

// RemovePerson removes a person with all that is theirs alone: sessions, keys,
// carts, addresses, lists. Their orders stay with the contact blanked. It is
// ErrLastOwner for who alone owns a shop. The carts are held before the orders are
// blanked, so that no checkout comes in between. Pages that showed what the person said
// are made anew.
func (s *Store) RemovePerson(ctx context.Context, id shop.UserID) error {
	var shown, erased []*Tx
	var versions []int64
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `
			SELECT pg_advisory_xact_lock(hashtextextended('members:' || company_id::text, 0))
			FROM (SELECT company_id FROM member WHERE person_id = $1 ORDER BY company_id) AS m`, id); err != nil {
			return err
		}
		var alone bool
		var email string // that they have proven
		err := tx.QueryRow(ctx, `
			SELECT CASE WHEN proven_at IS NULL THEN '' ELSE email END, EXISTS (SELECT FROM member m WHERE m.person_id = p.id AND m.role = 'owner' AND NOT EXISTS (
				SELECT FROM member o WHERE o.company_id = m.company_id AND o.role = 'owner' AND o.person_id <> p.id))
			FROM person p WHERE p.id = $1 FOR UPDATE`, id).Scan(&email, &alone)
		switch {
		case noRow(err):
			return shop.ErrNotFound
		case err != nil:
			return err
		case alone:
			return ErrLastOwner.With("make somebody else an owner first")
		}
		var b pgx.Batch
		b.Queue(`SELECT FROM cart WHERE person_id = $1 ORDER BY company_id FOR UPDATE`, id)
		for _, sql := range blanks {
			b.Queue(sql, id)
		}
		said, err := remarked(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := tx.SendBatch(ctx, &b).Close(); err != nil {
			return err
		}
		if erased, err = eraseLeads(ctx, tx, email); err != nil {
			return err
		}
		shown, versions = nil, nil
		for _, one := range said {
			version, err := one.bump(ctx)
			if err != nil {
				return err
			}
			shown, versions = append(shown, one), append(versions, version)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, tx := range shown {
		s.committed(context.WithoutCancel(ctx), tx, versions[i])
	}
	for _, tx := range erased {
		s.committed(context.WithoutCancel(ctx), tx, 0)
	}
	return nil
}

// eraseLeads is EraseLeads in every shop that got a lead from an address.
func eraseLeads(ctx context.Context, in pgx.Tx, email string) (erased []*Tx, err error) {
	rows, err := in.Query(ctx, `SELECT DISTINCT company_id FROM form_lead WHERE email = lower($1) AND email <> '' ORDER BY 1`, email)
	if err != nil {
		return nil, err
	}
	shops, err := pgx.CollectRows(rows, pgx.RowTo[shop.CompanyID])
	for _, company := range shops {
		one := &Tx{Reader: Reader{q: in, Company: company}, tx: in}
		if err := one.EraseLeads(ctx, email); err != nil {
			return nil, err
		}
		erased = append(erased, one)
	}
	return erased, err
}

// remarked are the shops whose pages show what a person said, each with the products that
// change when that is gone.
func remarked(ctx context.Context, in pgx.Tx, id shop.UserID) (list []*Tx, err error) {
	rows, err := in.Query(ctx, `SELECT company_id, product_id FROM remark WHERE person_id = $1 AND status = 'approved' ORDER BY 1, 2`, id)
	if err != nil {
		return nil, err
	}
	var company shop.CompanyID
	var product shop.ProductID
	_, err = pgx.ForEachRow(rows, []any{&company, &product}, func() error {
		if len(list) == 0 || list[len(list)-1].Company != company {
			list = append(list, &Tx{Reader: Reader{q: in, Company: company}, tx: in})
		}
		list[len(list)-1].Changed(shop.Key{Kind: shop.KeyProduct, ID: int64(product)})
		return nil
	})
	return list, err
}

// personExport is all that is kept about a person, as one object: $1 is the person,
// $2 the one shop that is asked about, 0 for all of them.
const personExport = `
	SELECT json_build_object(
		'person', (SELECT json_build_object('id', id, 'email', email, 'name', name, 'phone', phone, 'next_email', next_email,
			'created_at', created_at, 'proven_at', proven_at) FROM person WHERE id = $1),
		'roles', coalesce((SELECT json_agg(json_build_object('company_id', company_id, 'role', role, 'created_at', created_at) ORDER BY company_id)
			FROM member WHERE person_id = $1 AND $2 IN (0, company_id)), '[]'),
		'keys', coalesce((SELECT json_agg(json_build_object('company_id', company_id, 'name', name, 'contour', contour, 'created_at', created_at,
			'expires_at', expires_at, 'revoked_at', revoked_at) ORDER BY id)
			FROM api_key WHERE person_id = $1 AND $2 = 0), '[]'),
		'addresses', coalesce((SELECT json_agg(to_jsonb(a) - 'person_id' ORDER BY company_id, id)
			FROM person_address a WHERE person_id = $1 AND $2 IN (0, company_id)), '[]'),
		'wishlist', coalesce((SELECT json_agg(json_build_object('company_id', company_id, 'product_id', product_id, 'created_at', created_at)
			ORDER BY created_at, product_id)
			FROM wishlist_item WHERE person_id = $1 AND $2 IN (0, company_id)), '[]'),
		'cart', coalesce((SELECT json_agg(json_build_object('company_id', company_id, 'product_id', product_id, 'key', key, 'quantity', quantity,
			'data', data) ORDER BY company_id, position)
			FROM cart_line WHERE person_id = $1 AND $2 IN (0, company_id)), '[]'),
		'coupons', coalesce((SELECT json_agg(json_build_object('company_id', company_id, 'code', code, 'expires_at', expires_at,
			'used_order_id', used_order_id, 'created_at', created_at) ORDER BY created_at, code)
			FROM personal_code WHERE person_id = $1 AND $2 IN (0, company_id)), '[]'),
		'remarks', coalesce((SELECT json_agg(json_build_object('company_id', company_id, 'product_id', product_id, 'kind', kind, 'author', author,
			'rating', rating, 'text', text, 'pros', pros, 'cons', cons, 'file_ids', file_ids, 'status', status, 'answer', answer, 'created_at', created_at)
			ORDER BY created_at, company_id, id)
			FROM remark WHERE person_id = $1 AND $2 IN (0, company_id)), '[]'),
		'leads', coalesce((SELECT json_agg(json_build_object('company_id', l.company_id, 'form_id', l.form_id, 'values', l.answers, 'page_url', l.page_url,
			'utm', l.utm, 'consents', l.consents, 'created_at', l.created_at,
			'files', (SELECT json_agg(json_build_object('field', f.field, 'name', f.name, 'size', f.size) ORDER BY f.id)
				FROM form_file f WHERE f.company_id = l.company_id AND f.lead_id = l.id)) ORDER BY l.created_at, l.company_id, l.id)
			FROM person p JOIN form_lead l ON l.email = lower(p.email) AND l.email <> ''
			WHERE p.id = $1 AND p.proven_at IS NOT NULL AND $2 IN (0, l.company_id)), '[]'),
		'letters', coalesce((SELECT json_agg(json_build_object('company_id', company_id, 'name', name, 'to', recipient, 'subject', subject, 'text', text,
			'created_at', created_at, 'sent_at', sent_at) ORDER BY created_at, company_id, id)
			FROM letter WHERE person_id = $1 AND $2 IN (0, company_id) AND right(name, 6) = '_buyer'), '[]'),
		'orders', coalesce((SELECT json_agg(json_build_object('id', o.id, 'company_id', o.company_id, 'number', o.number, 'status', o.status,
			'items_total', o.items_total, 'grand_total', o.grand_total, 'currency', o.currency, 'promotions', o.promotions, 'delivery', o.delivery,
			'contact', json_build_object('name', o.contact_name, 'phone', o.contact_phone, 'email', o.contact_email),
			'address', o.address, 'comment', o.comment, 'created_at', o.created_at,
			'lines', (SELECT json_agg(json_build_object('product_id', l.product_id, 'name', l.name, 'quantity', l.quantity,
				'unit_price', l.unit_price, 'data', l.data) ORDER BY l.id)
				FROM order_line l WHERE l.company_id = o.company_id AND l.order_id = o.id),
			'messages', coalesce((SELECT json_agg(json_build_object('by_buyer', m.by_buyer, 'text', m.text, 'created_at', m.created_at) ORDER BY m.id)
				FROM order_message m WHERE m.company_id = o.company_id AND m.order_id = o.id), '[]')) ORDER BY o.created_at, o.id)
			FROM shop_order o WHERE o.person_id = $1 AND $2 IN (0, o.company_id)), '[]'))`

// maxExported bounds what an export holds in memory: lines and messages of orders, leads.
const maxExported = 100_000

// ErrExportTooLarge answers who has more than an export holds.
var ErrExportTooLarge = shop.Refuse(shop.FailedPrecondition, "EXPORT_TOO_LARGE").When("there is more than one export holds; narrow it")

// ExportPerson is all that is kept about a person as one JSON object: in one shop,
// or in all of them when it is 0. It is ErrExportTooLarge for who has more lines and
// messages than fit, counted before any of them is read.
func (s *Store) ExportPerson(ctx context.Context, id shop.UserID, in shop.CompanyID) (all []byte, err error) {
	var n int
	err = s.pool.QueryRow(ctx, `
		SELECT coalesce(sum((SELECT count(*) FROM order_line l WHERE l.company_id = o.company_id AND l.order_id = o.id)
			+ (SELECT count(*) FROM letter t WHERE t.company_id = o.company_id AND t.order_id = o.id)
			+ (SELECT count(*) FROM order_message m WHERE m.company_id = o.company_id AND m.order_id = o.id)), 0)
			+ (SELECT count(*) FROM form_lead l JOIN person p ON p.id = $1 AND lower(p.email) = l.email WHERE l.email <> '' AND $2 IN (0, l.company_id))
		FROM shop_order o WHERE o.person_id = $1 AND $2 IN (0, o.company_id)`, id, in).Scan(&n)
	if err == nil && n > maxExported {
		err = ErrExportTooLarge.With("ask whoever runs the shop")
	}
	if err != nil {
		return nil, err
	}
	err = s.pool.QueryRow(ctx, personExport, id, in).Scan(&all)
	return all, err
}

// SweepGuests removes guests whom nobody can be any more: no session of theirs is
// left and none was opened since a moment. Their orders stay.
func (s *Store) SweepGuests(ctx context.Context, before time.Time) error {
	return s.sweep(ctx, `DELETE FROM person WHERE id = ANY(ARRAY(
		SELECT id FROM person p WHERE email = '' AND seen_at <= $1 AND NOT EXISTS (SELECT FROM session s WHERE s.person_id = p.id) LIMIT $2))`, before)
}
