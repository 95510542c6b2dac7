package privacy

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// ErrLastOwner prevents a shop from losing its last owner.
var ErrLastOwner = shop.Refuse(shop.FailedPrecondition, "LAST_OWNER").When("the shop would be left without an owner")

// personDeletes delete the data of a person that no single shop keeps, and their data in shops.
// $1 is the person. Data found by their address is deleted if they verified it.
var personDeletes = [...]string{
	`UPDATE order_message SET text = '', file_ids = '{}' WHERE person_id = $1`,
	`DELETE FROM letter l USING person p WHERE p.id = $1 AND p.proven_at IS NOT NULL AND lower(l.recipient) = lower(p.email)`,
	`DELETE FROM invitation i USING person p WHERE p.id = $1 AND p.proven_at IS NOT NULL AND lower(i.email) = lower(p.email)`,
	`DELETE FROM letter_bounce b USING person p WHERE p.id = $1 AND p.email <> '' AND b.recipient = lower(p.email)`,
	`DELETE FROM platform_letter l USING person p WHERE p.id = $1 AND p.email <> '' AND lower(l.recipient) IN (lower(p.email), lower(p.next_email))`,
	`DELETE FROM address_code c USING person p WHERE p.id = $1 AND p.email <> '' AND c.email IN (lower(p.email), lower(p.next_email))`,
	`DELETE FROM idempotency_key WHERE credential = convert_to('person ' || $1::integer, 'UTF8')`,
	`DELETE FROM person WHERE id = $1`,
}

// RemovePerson deletes a person with everything that is only theirs: sessions, keys, carts,
// addresses, lists. Their orders stay with the contact erased, as for a customer that a
// shop erases (blanks). It returns ErrLastOwner if they are the only owner of a shop that is not
// deleted. It
// locks the carts before it erases the orders, so that no checkout runs in between.
func RemovePerson(ctx context.Context, s *store.Store, id shop.UserID) error {
	for range erasureTries {
		err := people.WriteShops(ctx, s, func(tx pgx.Tx) ([]*store.Tx, error) { return removePerson(ctx, tx, id) })
		if !errors.Is(err, errChanged) {
			return err
		}
	}
	return ErrErasureBusy
}

func removePerson(ctx context.Context, tx pgx.Tx, id shop.UserID) ([]*store.Tx, error) {
	if _, err := tx.Exec(ctx, `
		SELECT pg_advisory_xact_lock(hashtextextended('members:' || company_id::text, 0))
		FROM (SELECT company_id FROM member WHERE person_id = $1 ORDER BY company_id) AS m`, id); err != nil {
		return nil, err
	}
	var alone, proven bool
	var email string
	err := tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM member m JOIN company c ON c.id = m.company_id AND c.deleted_at IS NULL
			WHERE m.person_id = p.id AND m.role = 'owner' AND NOT EXISTS (
			SELECT FROM member o WHERE o.company_id = m.company_id AND o.role = 'owner' AND o.person_id <> p.id)),
			lower(p.email), p.proven_at IS NOT NULL
		FROM person p WHERE p.id = $1 FOR UPDATE`, id).Scan(&alone, &email, &proven)
	switch {
	case store.NoRow(err):
		return nil, shop.ErrNotFound
	case err != nil:
		return nil, err
	case alone:
		return nil, ErrLastOwner.With("make somebody else an owner first")
	}
	var emails []string
	if proven && email != "" {
		emails = append(emails, email)
	}
	shops, err := shopsOf(ctx, tx, id, emails)
	if err != nil {
		return nil, err
	}
	for _, in := range shops { // all carts are locked before all orders
		if err := lockCartsOf(ctx, in, personalTrace{persons: []shop.UserID{id}, emails: emails}); err != nil {
			return nil, err
		}
	}
	for _, in := range shops {
		if err := erasePerson(ctx, in, id, emails); err != nil {
			return nil, err
		}
	}
	var b pgx.Batch
	for _, sql := range personDeletes {
		b.Queue(sql, id)
	}
	return shops, tx.SendBatch(ctx, &b).Close()
}

// shopsOf returns the shops that have data of a person, or of one of the addresses, in the
// order of ids.
func shopsOf(ctx context.Context, in pgx.Tx, id shop.UserID, emails []string) (shops []*store.Tx, err error) {
	rows, err := in.Query(ctx, `
		SELECT company_id FROM customer WHERE email <> '' AND email = ANY($2) UNION SELECT company_id FROM customer WHERE person_id <> 0 AND person_id = $1
		UNION SELECT company_id FROM shop_order WHERE person_id = $1 UNION SELECT company_id FROM cart WHERE person_id = $1
		UNION SELECT company_id FROM assist_session WHERE person_id = $1 UNION SELECT company_id FROM assist_session WHERE buyer_id IS NOT NULL AND buyer_id = $1
		UNION SELECT company_id FROM wishlist_item WHERE person_id = $1 UNION SELECT company_id FROM person_address WHERE person_id = $1
		UNION SELECT company_id FROM remark WHERE person_id IS NOT NULL AND person_id = $1 UNION SELECT company_id FROM remark_vote WHERE person_id = $1
		UNION SELECT company_id FROM letter WHERE person_id IS NOT NULL AND person_id = $1 UNION SELECT company_id FROM personal_code WHERE person_id = $1
		UNION SELECT company_id FROM assistant_link WHERE person_id = $1
		UNION SELECT company_id FROM media_file WHERE person_id = $1 UNION SELECT company_id FROM form_lead WHERE email <> '' AND email = ANY($2)
		ORDER BY 1`, id, emails)
	if err != nil {
		return nil, err
	}
	companies, err := pgx.CollectRows(rows, pgx.RowTo[shop.CompanyID])
	for _, company := range companies {
		shops = append(shops, &store.Tx{Reader: store.Reader{DB: in, Company: company}, PG: in})
	}
	return shops, err
}

// erasePerson is erase for a person who deletes their account. A customer counts as the
// person's if they verified its address, or if nobody else ordered as that customer:
// anybody can give any address.
func erasePerson(ctx context.Context, tx *store.Tx, id shop.UserID, emails []string) error {
	read := func() (t personalTrace, err error) {
		t.emails, t.persons = emails, []shop.UserID{id}
		err = tx.DB.QueryRow(ctx, `
			SELECT ARRAY(SELECT c.id FROM customer c WHERE c.company_id = $1 AND (c.email <> '' AND c.email = ANY($3) OR c.person_id = $2 AND NOT EXISTS (
				SELECT FROM shop_order o WHERE o.company_id = $1 AND o.customer_id = c.id AND o.person_id <> $2)) ORDER BY 1)`,
			tx.Company, id, emails).Scan(&t.customers)
		if err != nil {
			return t, err
		}
		return t, extendTrace(ctx, tx.Reader, &t)
	}
	t, err := read()
	if err == nil {
		err = lockCartsOf(ctx, tx, t)
	}
	if err == nil {
		err = lockTrace(ctx, tx, t, read)
	}
	if err != nil {
		return err
	}
	return erase(ctx, tx, t)
}

// exportQuery selects all data kept about a person, as one object: $1 is the person, $2
// the shop, 0 for all shops. It does not contain a shop's own notes about a customer: the
// shop provides those on request.
const exportQuery = `
	SELECT json_build_object(
		'person', (SELECT json_build_object('id', id, 'email', email, 'name', name, 'phone', phone, 'next_email', next_email,
			'language', language, 'created_at', created_at, 'proven_at', proven_at,
			'second_factor', EXISTS (SELECT FROM totp WHERE person_id = $1 AND confirmed_at IS NOT NULL)) FROM person WHERE id = $1),
		'sessions', coalesce((SELECT json_agg(json_build_object('company_id', company_id, 'created_at', created_at, 'last_used_at', last_used_at,
			'expires_at', expires_at, 'network', network, 'agent', agent) ORDER BY id)
			FROM session WHERE person_id = $1 AND $2 IN (0, company_id)), '[]'),
		'passkeys', coalesce((SELECT json_agg(json_build_object('name', name, 'created_at', created_at, 'last_used_at', last_used_at) ORDER BY id)
			FROM passkey WHERE person_id = $1 AND $2 = 0), '[]'),
		'views', coalesce((SELECT json_agg(json_build_object('page', page, 'value', value, 'updated_at', updated_at) ORDER BY page)
			FROM person_view WHERE person_id = $1 AND $2 = 0), '[]'),
		'roles', coalesce((SELECT json_agg(json_build_object('company_id', company_id, 'role', role, 'created_at', created_at) ORDER BY company_id)
			FROM member WHERE person_id = $1 AND $2 IN (0, company_id)), '[]'),
		'keys', coalesce((SELECT json_agg(json_build_object('company_id', company_id, 'name', name, 'contour', contour, 'created_at', created_at,
			'expires_at', expires_at, 'revoked_at', revoked_at) ORDER BY id)
			FROM api_key WHERE person_id = $1 AND $2 = 0), '[]'),
		'customers', coalesce((SELECT json_agg(json_build_object('company_id', c.company_id, 'email', c.email, 'name', c.name, 'phone', c.phone,
			'groups', (SELECT json_agg(g.name ORDER BY g.id) FROM customer_group g WHERE g.company_id = c.company_id AND (c.spent > g.spent_more_than
				OR c.last_order_at >= g.ordered_since OR EXISTS (SELECT FROM customer_member m
					WHERE m.company_id = c.company_id AND m.group_id = g.id AND m.customer_id = c.id))),
			'orders', c.orders, 'spent', c.spent, 'last_order_at', c.last_order_at, 'created_at', c.created_at) ORDER BY c.company_id)
			FROM person p JOIN customer c ON c.email <> '' AND c.email = lower(p.email) AND p.proven_at IS NOT NULL OR c.email = '' AND c.person_id = p.id
			WHERE p.id = $1 AND $2 IN (0, c.company_id)), '[]'),
		'addresses', coalesce((SELECT json_agg(to_jsonb(a) - 'person_id' ORDER BY company_id, id)
			FROM person_address a WHERE person_id = $1 AND $2 IN (0, company_id)), '[]'),
		'wishlist', coalesce((SELECT json_agg(json_build_object('company_id', company_id, 'product_id', product_id, 'created_at', created_at)
			ORDER BY created_at, product_id)
			FROM wishlist_item WHERE person_id = $1 AND $2 IN (0, company_id)), '[]'),
		'cart', coalesce((SELECT json_agg(json_build_object('company_id', company_id, 'product_id', product_id, 'key', key, 'quantity', quantity,
			'data', data) ORDER BY company_id, position)
			FROM cart_line WHERE person_id = $1 AND $2 IN (0, company_id)), '[]'),
		'checkout', coalesce((SELECT json_agg(json_build_object('company_id', company_id, 'typed', typed,
			'reminder_email', reminder_email, 'agreed', agreed) ORDER BY company_id)
			FROM cart WHERE person_id = $1 AND $2 IN (0, company_id) AND (typed <> '{}' OR reminder_email <> '')), '[]'),
		'assistants', coalesce((SELECT json_agg(json_build_object('company_id', s.company_id, 'protocol', p.protocol, 'platform', p.name, 'kind', s.kind,
			'input', s.input - 'face', 'created_at', s.created_at, 'expires_at', s.expires_at) ORDER BY s.created_at, s.id)
			FROM assist_session s JOIN assist_platform p ON p.company_id = s.company_id AND p.id = s.platform_id
			WHERE s.person_id = $1 AND $2 IN (0, s.company_id) OR s.buyer_id IS NOT NULL AND s.buyer_id = $1 AND $2 IN (0, s.company_id)), '[]'),
		'linked_assistants', coalesce((SELECT json_agg(json_build_object('company_id', l.company_id, 'name', c.name, 'profile', c.profile, 'scopes', l.scopes,
			'created_at', l.created_at, 'last_used_at', l.last_used_at, 'expires_at', l.expires_at) ORDER BY l.company_id, l.id)
			FROM assistant_link l JOIN assistant_client c ON c.company_id = l.company_id AND c.id = l.client_id
			WHERE l.person_id = $1 AND l.granted AND $2 IN (0, l.company_id)), '[]'),
		'coupons', coalesce((SELECT json_agg(json_build_object('company_id', company_id, 'code', code, 'expires_at', expires_at,
			'used_order_id', used_order_id, 'created_at', created_at) ORDER BY created_at, code)
			FROM personal_code WHERE person_id = $1 AND $2 IN (0, company_id)), '[]'),
		'remarks', coalesce((SELECT json_agg(json_build_object('company_id', company_id, 'product_id', product_id, 'kind', kind, 'author', author,
			'rating', rating, 'text', text, 'pros', pros, 'cons', cons, 'file_ids', file_ids, 'status', status, 'helpful', helpful, 'answer', answer, 'created_at', created_at)
			ORDER BY created_at, company_id, id)
			FROM remark WHERE person_id = $1 AND $2 IN (0, company_id)), '[]'),
		'photos', coalesce((SELECT json_agg(json_build_object('company_id', company_id, 'id', id, 'review_id', remark_id, 'path', '/files/' || path,
			'mime', mime, 'size', size, 'created_at', created_at) ORDER BY created_at, id)
			FROM media_file WHERE person_id = $1 AND $2 IN (0, company_id)), '[]'),
		'helpful', coalesce((SELECT json_agg(json_build_object('company_id', company_id, 'id', remark_id, 'created_at', created_at) ORDER BY created_at, remark_id)
			FROM remark_vote WHERE person_id = $1 AND $2 IN (0, company_id)), '[]'),
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
			'contact', json_build_object('name', o.contact_name, 'phone', o.contact_phone, 'email', o.contact_email, 'vat_number', o.contact_vat_number),
			'address', o.address, 'comment', o.comment, 'assistant', o.assistant, 'created_at', o.created_at,
			'lines', (SELECT json_agg(json_build_object('product_id', l.product_id, 'name', l.name, 'quantity', l.quantity,
				'unit_price', l.unit_price, 'data', l.data) ORDER BY l.id)
				FROM order_line l WHERE l.company_id = o.company_id AND l.order_id = o.id),
			'shipments', coalesce((SELECT json_agg(json_build_object('carrier', s.carrier, 'number', s.number, 'url', s.url,
				'shipped_at', s.shipped_at, 'delivered_at', s.delivered_at) ORDER BY s.id)
				FROM shipment s WHERE s.company_id = o.company_id AND s.order_id = o.id), '[]'),
			'messages', coalesce((SELECT json_agg(json_build_object('by_buyer', m.by_buyer, 'text', m.text, 'created_at', m.created_at) ORDER BY m.id)
				FROM order_message m WHERE m.company_id = o.company_id AND m.order_id = o.id), '[]')) ORDER BY o.created_at, o.id)
			FROM shop_order o WHERE o.person_id = $1 AND $2 IN (0, o.company_id)), '[]'))`

// maxExported bounds the memory of an export: lines and messages of orders, leads.
const maxExported = 100_000

// ErrExportTooLarge is returned when there is more data than an export can hold.
var ErrExportTooLarge = shop.Refuse(shop.FailedPrecondition, "EXPORT_TOO_LARGE").When("the export would be too large; use a narrower filter")

// ExportPerson returns all data kept about a person as one JSON object: in one shop, or in
// all of them when it is 0. It returns ErrExportTooLarge for too many lines and messages,
// counted before any of them is read.
func ExportPerson(ctx context.Context, s *store.Store, id shop.UserID, in shop.CompanyID) (all []byte, err error) {
	var n int
	err = s.Pool.QueryRow(ctx, `
		SELECT coalesce(sum((SELECT count(*) FROM order_line l WHERE l.company_id = o.company_id AND l.order_id = o.id)
			+ (SELECT count(*) FROM letter t WHERE t.company_id = o.company_id AND t.order_id = o.id)
			+ (SELECT count(*) FROM order_message m WHERE m.company_id = o.company_id AND m.order_id = o.id)), 0)
			+ (SELECT count(*) FROM form_lead l JOIN person p ON p.id = $1 AND lower(p.email) = l.email WHERE l.email <> '' AND $2 IN (0, l.company_id))
		FROM shop_order o WHERE o.person_id = $1 AND $2 IN (0, o.company_id)`, id, in).Scan(&n)
	if err == nil && n > maxExported {
		err = ErrExportTooLarge.With("ask the operator of the shop")
	}
	if err != nil {
		return nil, err
	}
	err = s.Pool.QueryRow(ctx, exportQuery, id, in).Scan(&all)
	return all, err
}

// SweepGuests deletes guests without a live session and with none opened since a moment.
// Their orders stay.
func SweepGuests(ctx context.Context, s *store.Store, before time.Time) error {
	return s.SweepBatches(ctx, `DELETE FROM person WHERE id = ANY(ARRAY(
		SELECT id FROM person p WHERE email = '' AND seen_at <= $1 AND NOT EXISTS (SELECT FROM session s WHERE s.person_id = p.id) LIMIT $2))`, before)
}
