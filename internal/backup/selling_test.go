package backup

import (
	"bytes"
	"strings"
	"testing"

	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

// soldIn selects all sales of a shop, with ids replaced by what they refer to.
const soldIn = `SELECT jsonb_pretty(jsonb_build_object(
	'counters', (SELECT json_agg(to_jsonb(c) - 'company_id' ORDER BY c.kind, c.year) FROM paper_counter c WHERE c.company_id = $1),
	'orders', (SELECT json_agg((SELECT to_jsonb(q) FROM (SELECT o.number, o.source, o.status, o.status_changed_at, o.completed_once,
		o.items_total, o.discount_total, o.currency, o.grand_total, o.contact_name, o.contact_phone, o.contact_email, o.comment,
		o.payment_method, o.shipment_status, o.note, o.tags, o.buyer_seen_at, o.seller_seen_at, o.created_at, o.updated_at) q)
		|| jsonb_build_object('taken', (SELECT json_agg(coalesce(n.name, r.name) || (a->>'amount') ORDER BY n.id) FROM jsonb_array_elements(o.promotions) a
			LEFT JOIN promotion n ON n.company_id = $1 AND n.id = (a->>'promotion_id')::bigint AND a->>'kind' <> 'quantity'
			LEFT JOIN pricing_rule r ON r.company_id = $1 AND r.id = (a->>'promotion_id')::bigint AND a->>'kind' = 'quantity'),
		'buyer', p.email, 'phone', p.phone, 'pays', CASE o.payment_status WHEN 'pending' THEN 'failed' ELSE o.payment_status END, 'way', d.name, 'paid', o.delivery - 'id', 'to', o.address::text, 'by', b.email,
		'lines', (SELECT json_agg(to_jsonb(x) ORDER BY x.n) FROM (SELECT row_number() OVER (ORDER BY l.id) n, lp.slug, v.sku AS chosen, replace(l.key, 'v' || v.id, 'v of ' || v.sku) AS key,
			l.name, l.sku, l.quantity, l.unit_price, l.base_unit_price, l.agreed, l.is_gift, l.data::text, (SELECT json_agg(json_build_object('of', cp.slug, 'n',
			c->>'quantity', 'v', cv.sku)) FROM jsonb_array_elements(l.combo_items) c LEFT JOIN product cp ON cp.company_id = $1
			AND cp.id = (c->>'product_id')::int LEFT JOIN variant_set cv ON cv.company_id = $1 AND cv.id = (c->>'variant_id')::int) parts
			FROM order_line l LEFT JOIN product lp ON lp.company_id = $1 AND lp.id = l.product_id
			LEFT JOIN variant_set v ON v.company_id = $1 AND v.id = l.variant_id WHERE l.company_id = $1 AND l.order_id = o.id) x),
		'history', (SELECT json_agg(json_build_object('kind', h.kind, 'status', h.body->'to', 'at', h.created_at, 'actor', a.email, 'amount', y.amount_minor)
			ORDER BY h.id) FROM order_history h LEFT JOIN person a ON a.id = h.actor_id LEFT JOIN payment y ON y.company_id = $1
			AND y.id = (h.body->>'payment_id')::bigint WHERE h.company_id = $1 AND h.order_id = o.id AND h.body->>'why' IS DISTINCT FROM 'moved'),
		'papers', (SELECT json_agg(to_jsonb(d) - '{company_id,order_id}'::text[] ORDER BY d.kind) FROM order_paper d WHERE d.company_id = $1 AND d.order_id = o.id),
		'shipments', (SELECT json_agg(json_build_object('carrier', s.carrier, 'number', s.number, 'url', s.url, 'sent', s.shipped_at, 'arrived', s.delivered_at,
			'told', (SELECT count(*) FROM order_history h WHERE h.company_id = $1 AND h.order_id = o.id AND h.body->>'shipment_id' = s.id::text),
			'lines', (SELECT json_agg(y.name || x.quantity ORDER BY y.id) FROM shipment_line x JOIN order_line y ON y.company_id = $1 AND y.order_id = o.id AND y.id = x.line_id
				WHERE x.company_id = $1 AND x.order_id = o.id AND x.shipment_id = s.id))
			ORDER BY s.id) FROM shipment s WHERE s.company_id = $1 AND s.order_id = o.id),
		'messages', (SELECT json_agg(json_build_object('text', g.text, 'buyer', g.by_buyer, 'who', w.email, 'files', g.file_ids, 'at', g.created_at)
			ORDER BY g.id) FROM order_message g LEFT JOIN person w ON w.id = g.person_id WHERE g.company_id = $1 AND g.order_id = o.id),
		'payments', (SELECT json_agg(to_jsonb(y) - '{id,order_id,company_id,look_at,key,provider_ref,return_url,redirect_url}'::text[]
			|| jsonb_build_object('status', CASE y.status WHEN 'pending' THEN 'failed' ELSE y.status END) ORDER BY y.id) FROM payment y WHERE y.company_id = $1 AND y.order_id = o.id))
		ORDER BY o.number) FROM shop_order o LEFT JOIN person p ON p.id = o.person_id LEFT JOIN person b ON b.id = o.status_by
		LEFT JOIN delivery_option d ON d.company_id = $1 AND d.id = (o.delivery->>'id')::bigint WHERE o.company_id = $1),
	'refunds', (SELECT json_agg(to_jsonb(f) - '{payment_id,company_id,try_at,key}'::text[]
		|| jsonb_build_object('of', y.method, 'state', CASE f.state WHEN 'created' THEN 'failed' ELSE f.state END)) FROM payment_refund f
		JOIN payment y ON y.company_id = $1 AND y.id = f.payment_id WHERE f.company_id = $1),
	'words', (SELECT json_agg(to_jsonb(l) - 'company_id') FROM letter_template l WHERE l.company_id = $1),
	'stock', (SELECT json_agg(to_jsonb(m) - 'id' - 'company_id' - 'product_id' - 'order_id' - 'actor_id'
		|| jsonb_build_object('of', p.slug, 'order', o.number, 'by', a.email) ORDER BY m.id) FROM stock_movement m
		JOIN product p ON p.company_id = $1 AND p.id = m.product_id LEFT JOIN shop_order o ON o.company_id = $1 AND o.id = m.order_id
		LEFT JOIN person a ON a.id = m.actor_id WHERE m.company_id = $1),
	'ways', (SELECT json_agg(to_jsonb(d) - 'id' - 'company_id' ORDER BY d.id) FROM delivery_option d WHERE d.company_id = $1),
	'promotions', (SELECT json_agg(to_jsonb(n) - 'id' - 'company_id' - 'conditions' - 'value' || jsonb_build_object('of', q.slug, 'in', c.slug, 'gives', g.slug, 'v', v.sku,
		'codes', (SELECT json_agg(json_build_object('code', k.code, 'who', w.email, 'used', u.number, 'by', b.number)) FROM personal_code k
			JOIN person w ON w.id = k.person_id LEFT JOIN shop_order u ON u.company_id = $1 AND u.id = k.used_order_id
			LEFT JOIN shop_order b ON b.company_id = $1 AND b.id = k.order_id WHERE k.company_id = $1 AND k.promotion_id = n.id),
		'uses', (SELECT json_agg(json_build_object('order', u.number, 'who', w.email, 'amount', d.amount, 'back', d.given_back)) FROM redemption d
			JOIN person w ON w.id = d.person_id JOIN shop_order u ON u.company_id = $1 AND u.id = d.order_id WHERE d.company_id = $1 AND d.promotion_id = n.id))
		ORDER BY n.id) FROM promotion n LEFT JOIN product q ON q.company_id = $1 AND q.id = (n.conditions->'product_ids'->>0)::int
		LEFT JOIN category c ON c.company_id = $1 AND c.id = (n.conditions->'category_ids'->>0)::int
		LEFT JOIN product g ON g.company_id = $1 AND g.id = (n.value->>'product_id')::int
		LEFT JOIN variant_set v ON v.company_id = $1 AND v.id = (n.value->>'variant_id')::int WHERE n.company_id = $1),
	'rules', (SELECT json_agg(to_jsonb(r) - 'id' - 'company_id' - 'product_ids' - 'category_ids' || jsonb_build_object('of', q.slug, 'in', c.slug)) FROM pricing_rule r
		JOIN product q ON q.company_id = $1 AND q.id = r.product_ids[1] JOIN category c ON c.company_id = $1 AND c.id = r.category_ids[1] WHERE r.company_id = $1),
	'next', (SELECT last FROM order_counter WHERE company_id = $1),
	'wishes', (SELECT json_agg(p.slug || ' ' || w.email) FROM wishlist_item i JOIN product p ON p.company_id = $1 AND p.id = i.product_id
		JOIN person w ON w.id = i.person_id WHERE i.company_id = $1),
	'homes', (SELECT json_agg(to_jsonb(a) - 'id' - 'company_id' - 'person_id' || jsonb_build_object('who', w.email)) FROM person_address a
		JOIN person w ON w.id = a.person_id WHERE a.company_id = $1),
	'sets', (SELECT json_agg(p.slug || ' ' || (c->>'quantity') || ' ' || q.slug || ' ' || v.sku || v.swatch) FROM product p,
		jsonb_array_elements(p.combo_items) c JOIN product q ON q.company_id = $1 AND q.id = (c->>'product_id')::int
		JOIN variant_set v ON v.company_id = $1 AND v.id = (c->>'variant_id')::int WHERE p.company_id = $1),
	'settings', (SELECT json_build_object('s', settings #- '{cart_reminder,promotion_id}', 'digits', price_digits, 'hours', cancel_unpaid_after_hours, 'blocked', blocked,
			'reminds by', (SELECT n.name FROM promotion n WHERE n.company_id = $1 AND n.id = (settings #>> '{cart_reminder,promotion_id}')::bigint),
			'no reminders', (SELECT count(*) FROM reminder_refusal WHERE company_id = $1))
		FROM company WHERE id = $1)))`

// selling is the sample with orders of a member, a registered buyer, a guest and a buyer
// whose account was deleted. The JSON typed by buyers is invalid as jsonb.
func (h *home) selling() []byte {
	h.Helper()
	tea := h.sample("tea")
	for _, sql := range []string{
		`UPDATE company SET price_digits = 2, cancel_unpaid_after_hours = 48, blocked = true, settings = '{"language": "ru", "cart_reminder": {"after_hours": 24, "promotion_id": "2"}}' WHERE id = $1`,
		`INSERT INTO variant_set (company_id, product_id, sku, swatch) VALUES ($1, 1, 'S-200', '#00aa77')`,
		`INSERT INTO product (company_id, category_id, name, slug, kind, combo_items, combo_percent) VALUES ($1, 2, 'Set', 'set', 'combo',
			'[{"product_id": 1, "variant_id": 1, "quantity": 3}]', 500)`,
		`WITH p AS (INSERT INTO person (email, name, phone, password_hash) VALUES ('Ann@people.test', 'Ann', '1', 'password'), ('', '', '', '-') RETURNING id)
			INSERT INTO session (token_hash, person_id, company_id, expires_at) SELECT 'secret'::bytea, min(id), $1, now() FROM p`,
		`INSERT INTO delivery_option (company_id, name, kind, price, free_from, needs_address, rates, points) VALUES
			($1, 'Pickup', 'pickup', 0, NULL, false, '[]', '[{"id": "mill", "name": "Mill", "address": "Mill Lane 1", "hours": "9 to 5"}]'),
			($1, 'Courier', 'delivery', 5, 50, true, '[{"countries": ["DE"], "regions": ["bayern"], "postcodes": ["80"], "min_weight_g": 1, "price": 7, "days": 2}]', '[]')`,
		`INSERT INTO order_counter VALUES ($1, 1004)`,
		`INSERT INTO shop_order (company_id, number, person_id, status, status_by, items_total, discount_total, currency, delivery, grand_total,
			contact_name, contact_phone, address, comment) VALUES
			($1, 1001, 2, 'completed', 1, 14, 2, 'EUR', '{"id": "2", "name": "Courier", "price": 5}', 19, 'Ann', '1', '{"z": 1, "a": "\u0000"}', 'soon'),
			($1, 1002, 3, 'new', 0, 14, 0, 'EUR', NULL, 14, 'Guest', '2', NULL, ''),
			($1, 1003, 1, 'cancelled', 1, 14, 0, 'EUR', NULL, 14, 'Olga', '3', NULL, ''),
			($1, 1004, 99, 'new', 0, 14, 0, 'EUR', NULL, 14, '', '', NULL, '')`,
		`INSERT INTO order_line (company_id, order_id, product_id, variant_id, key, name, quantity, unit_price, data, combo_items) VALUES
			($1, 1, 1, 1, 'v1', 'Sencha', 1, 14, '{"b": 1e999999, "a": "\u0000", "a": 2}', '[]'),
			($1, 1, 2, 0, 'default', 'Set', 2, 0, NULL, '[{"product_id": 1, "variant_id": 1, "quantity": 3, "name": "Sencha"}]'),
			($1, 2, 77, 0, 'default', 'Gone', 1, 14, NULL, '[]')`,
		`UPDATE shop_order SET source = 'manual' WHERE company_id = $1 AND number = 1001`,
		`UPDATE order_line SET agreed = true WHERE company_id = $1 AND order_id = 1 AND key = 'v1'`,
		`INSERT INTO payment (company_id, order_id, method, provider, status, amount_minor, currency, paid_at) VALUES
			($1, 1, 'manual', 'manual', 'paid', 1900, 'EUR', now())`,
		`INSERT INTO payment (company_id, order_id, method, provider, status, amount_minor, currency, provider_ref, look_at) VALUES
			($1, 2, 'stripe', 'stripe', 'pending', 1400, 'EUR', 'cs_1', now())`,
		`UPDATE payment SET return_url = 'https://tea.example.test/o/1', redirect_url = 'https://pay.test/1' WHERE company_id = $1`,
		`INSERT INTO payment_refund (company_id, payment_id, amount_minor, try_at) VALUES ($1, 1, 1900, now())`,
		`INSERT INTO payment_method (company_id, method, title, is_active, sealed, public) VALUES
			($1, 'manual', 'Agreed', true, NULL, NULL), ($1, 'stripe', 'Card', true, 'secret', '{"publishable_key": "pk_test_1"}')`,
		`INSERT INTO letter_template (company_id, name, subject, text, html) VALUES ($1, 'order_made_buyer', 'Hi', 'Hi', '<p>Hi</p>')`,
		`INSERT INTO letter (company_id, name, object, recipient) VALUES ($1, 'order_made_buyer', '1', 'ann@example.test')`,
		`INSERT INTO order_history (company_id, order_id, kind, body, actor_id) VALUES ($1, 1, 'created', '{"status": "new"}', 2),
			($1, 1, 'payment', '{"payment_id": "1", "status": "paid"}', 1), ($1, 1, 'status', '{"from": "new", "to": "completed"}', 1)`,
		`INSERT INTO shipment (company_id, order_id, carrier, number, url, shipped_at, delivered_at) VALUES ($1, 1, 'dhl', 'JD1', '', '2026-05-01Z', '2026-05-03Z'),
			($1, 1, 'Bob', '2', 'https://bob.test/2', '2026-05-02Z', NULL)`,
		`INSERT INTO paper_counter (company_id, kind, year, last) VALUES ($1, 'invoice', 2026, 7)`,
		`INSERT INTO order_paper (company_id, order_id, kind, number, issued_at, copy) VALUES ($1, 1, 'invoice', 'T-2026-7', '2026-05-02Z', '{"total": 12, "buyer": {"name": "Ann"}}')`,
		`INSERT INTO shipment_line (company_id, order_id, shipment_id, line_id, quantity) VALUES ($1, 1, 1, 1, 1), ($1, 1, 1, 2, 1), ($1, 1, 2, 2, 1)`,
		`UPDATE shop_order SET shipment_status = 'shipped', note = 'rings twice', tags = '{gift,"of Ann"}' WHERE company_id = $1 AND number = 1001`,
		`INSERT INTO order_history (company_id, order_id, kind, body, actor_id) VALUES ($1, 1, 'shipment', '{"shipment_id": "1", "status": "delivered"}', 1)`,
		`INSERT INTO order_message (company_id, order_id, by_buyer, person_id, text, file_ids) VALUES ($1, 1, true, 2, 'When?', '{}'),
			($1, 1, false, 1, 'Now.', '{00000000-0000-0000-0000-00000000000a}')`,
		`INSERT INTO stock_movement (company_id, product_id, order_id, delta, balance_after, reason, actor_id, comment) VALUES
			($1, 1, 1, -7, 3, 'order', 2, NULL), ($1, 1, NULL, 5, 8, 'manual', 1, 'counted')`,
		`INSERT INTO promotion (company_id, name, kind, code, conditions, value, used, spent) VALUES
			($1, 'Gift', 'gift', '', '{"product_ids": [1], "category_ids": [2], "exclude_product_ids": [2]}', '{"product_id": 1, "variant_id": 1, "quantity": 1}', 0, 0),
			($1, 'Thanks', 'personal_coupon', '', '{}', '{"points": 1000}', 1, 2)`,
		`INSERT INTO pricing_rule (company_id, name, product_ids, category_ids, tiers) VALUES ($1, 'Many', '{1}', '{2}', '[{"from": 2, "points": 500}]')`,
		`INSERT INTO personal_code (company_id, code, promotion_id, person_id, used_order_id, order_id) VALUES ($1, 'T-1', 2, 2, 1, 2)`,
		`INSERT INTO redemption (company_id, order_id, promotion_id, person_id, code, amount) VALUES ($1, 1, 2, 2, 'T-1', 2)`,
		`UPDATE shop_order SET promotions = '[{"promotion_id": "2", "kind": "personal_coupon", "amount": 2}, {"promotion_id": "1", "kind": "quantity", "amount": 0}]'
			WHERE company_id = $1 AND number = 1001`,
		`INSERT INTO wishlist_item VALUES ($1, 2, 1)`,
		`INSERT INTO person_address (company_id, person_id, name, phone, country, region, city, street, postcode, comment, is_default)
			VALUES ($1, 2, 'Ann', '1', 'DE', '', 'Berlin', 'A 1', '1', '', true)`,
		`INSERT INTO cart (company_id, person_id) VALUES ($1, 2)`,
		`INSERT INTO reminder_refusal (company_id, recipient) VALUES ($1, address_hash('ann@people.test'))`,
	} {
		if strings.Contains(sql, "$1") {
			h.do(strings.ReplaceAll(sql, "$1", tea.ID.String()))
		}
	}
	return h.export(tea)
}

// crowd shifts the ids of an installation, so that unmapped ids are noticed.
func (h *home) crowd() *home {
	for _, table := range []string{"person", "product", "variant_set", "shop_order", "payment", "delivery_option", "promotion", "pricing_rule", "shipment", "order_line", "company"} {
		h.ask(`SELECT setval(pg_get_serial_sequence($1, 'id'), 1000)::text`, table)
	}
	return h
}

func TestSalesSurviveExportAndImport(t *testing.T) {
	t.Parallel()
	h, other := newHome(t), newHome(t).crowd()
	file := h.selling()
	before := h.ask(soldIn, shop.CompanyID(1))
	id, err := other.try(file, "")
	h.must(err)
	if after := other.ask(soldIn, id); after != before || !strings.Contains(before, `"chosen": "S-200"`) || !strings.Contains(before, `"used": 1001`) || !strings.Contains(before, "Many0") ||
		!strings.Contains(before, `"told": 1`) || !strings.Contains(before, `"pays": "paid"`) || !strings.Contains(before, "of Ann") || !strings.Contains(before, "Set1") || !strings.Contains(before, `"reminds by": "Thanks"`) {
		t.Errorf("%s\nbecame\n%s", before, after)
	}
	for what, sql := range map[string]string{
		"carts":              `SELECT count(*)::text FROM cart`,
		"sessions":           `SELECT count(*)::text FROM session`,
		"passwords":          `SELECT count(*)::text FROM person WHERE password_hash <> '-'`,
		"unowned orders":     `SELECT count(*)::text FROM shop_order WHERE person_id < 1000`,
		"buyers with a role": `SELECT (count(*) - 1)::text FROM member`,
	} {
		if n := other.ask(sql); n != "0" {
			t.Errorf("%s: %s", what, n)
		}
	}
	if n := other.ask(`SELECT count(*)::text FROM person WHERE email = ''`); n != "1" {
		t.Errorf("%s guests", n)
	}
	copied, err := h.try(file, "copy")
	h.must(err)
	if after := h.ask(soldIn, copied); after != before {
		t.Errorf("beside its original: %s", after)
	}
	if n := h.ask(`SELECT count(*)::text FROM person`); n != "3" {
		t.Errorf("people were duplicated: %s", n)
	}
}

// A payment pending at a provider goes to the shop that requested it, and a copy of the shop
// neither polls nor refunds payments of another shop.
func TestImportClosesPendingPayments(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.selling()
	h.do(`UPDATE payment SET status = 'refunding' WHERE method = 'manual'`)
	id, err := h.try(h.export(h.company("tea")), "copy")
	h.must(err)
	if got := h.ask(`SELECT string_agg(kind || (body - 'payment_id')::text, ',') FROM order_history WHERE company_id = $1 AND kind = 'refund'`, id); got != `refund{"why": "moved", "state": "failed"}` {
		t.Errorf("the order shows the refund in progress as %s", got)
	}
	if got := h.ask(`SELECT string_agg(p.method || ' ' || p.status || ' ' || p.provider_ref || p.return_url || p.redirect_url || (p.key = o.key) || (p.look_at IS NULL), ', ' ORDER BY p.id)
		FROM payment p JOIN payment o ON o.company_id = 1 AND o.method = p.method WHERE p.company_id = $1`, id); got != "manual paid falsetrue, stripe failed falsetrue" {
		t.Errorf("payments of the copy: %s", got)
	}
	if got := h.ask(`SELECT string_agg(o.number || h.kind || (h.body - 'payment_id')::text, ',') FROM order_history h
		JOIN shop_order o ON o.company_id = $1 AND o.id = h.order_id JOIN payment p ON p.company_id = $1 AND p.id = (h.body->>'payment_id')::bigint
		WHERE h.company_id = $1 AND p.status = 'failed'`, id); got != `1002payment{"why": "moved", "method": "stripe", "status": "failed"}` {
		t.Errorf("the order shows %s", got)
	}
	if got := h.ask(`SELECT count(*)::text FROM payment_method WHERE company_id = $1 AND (sealed IS NOT NULL OR public IS NOT NULL)`, id); got != "0" {
		t.Error("the copy has the account of the shop at a provider")
	}
	if got := h.ask(`SELECT string_agg(status || provider_ref, ',' ORDER BY id) FROM payment WHERE company_id = 1`); got != "refunding,pendingcs_1" {
		t.Errorf("the shop itself has %s", got)
	}
}

// An address that was merely registered, without proof, gives access to no orders.
func TestImportGivesNoOrdersToUnverifiedAccounts(t *testing.T) {
	t.Parallel()
	h, other := newHome(t), newHome(t)
	file := h.selling()
	for _, email := range []string{"someone@people.test", "ann@people.test"} { // with the id of the original
		_, err := people.CreatePerson(t.Context(), other.store, email, "", "squatted")
		other.must(err)
	}
	_, err := other.try(file, "")
	other.must(err)
	const owner = `SELECT count(*)::text FROM shop_order o JOIN person p ON p.id = o.person_id WHERE p.email = 'ann@people.test'`
	if n := other.ask(owner); n != "0" {
		t.Errorf("the unverified account sees %s orders", n)
	}
	other.do(`UPDATE person SET proven_at = now()`)
	_, err = other.try(file, "again")
	other.must(err)
	if n := other.ask(owner); n != "1" {
		t.Errorf("the verified account has %s orders", n)
	}
}

func TestBackupContainsNoSecretsOfBuyers(t *testing.T) {
	t.Parallel()
	forge(t, newHome(t).selling(), func(entries map[string][]byte, _ *manifest) {
		for name, body := range entries {
			if bytes.Contains(body, []byte("password")) || bytes.Contains(body, []byte("736563726574")) || strings.Contains(name, "session") {
				t.Errorf("%s: %s", name, body)
			}
		}
	})
}
