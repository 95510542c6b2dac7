package store_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	peopledb "vitrine/internal/store/people"
	"vitrine/internal/store/privacy"
	salesdb "vitrine/internal/store/sales"
)

// canary is a word that all personal data of the test contains, in some case.
const canary = "kanarienvogel"

// canaryStatements are statements that put the canary into every column with data of a person whose
// address is verified, and of their order (@person, @order).
var canaryStatements = []string{
	`UPDATE person SET name = 'Ms Kanarienvogel', phone = '1 kanarienvogel', next_email = 'new@kanarienvogel.test', password_hash = 'kanarienvogel', language = 'kanarienvogel' WHERE id = @person`,
	`INSERT INTO session (token_hash, person_id, network, agent, expires_at) VALUES ('kanarienvogel', @person, 'kanarienvogel', 'kanarienvogel', now() + interval '1 day')`,
	`INSERT INTO totp (person_id, sealed) VALUES (@person, 'kanarienvogel')`,
	`INSERT INTO recovery_code (person_id, hash) VALUES (@person, 'kanarienvogel')`,
	`INSERT INTO passkey (person_id, credential_id, public_key, sign_count, backup_eligible, name, created_at) VALUES (@person, 'kanarienvogel', 'kanarienvogel', 0, false, 'kanarienvogel', now())`,
	`INSERT INTO passkey_challenge (hash, person_id, data, expires_at) VALUES ('kanarienvogel', @person, '"kanarienvogel"', now())`,
	`INSERT INTO person_view (person_id, page, value) VALUES (@person, 'kanarienvogel', '"kanarienvogel"')`,
	`INSERT INTO password_reset VALUES (@person, 'kanarienvogel', now() + interval '1 day')`,
	`INSERT INTO address_code (email, hash, expires_at) VALUES ('ann@kanarienvogel.test', 'kanarienvogel', now())`,
	`INSERT INTO platform_letter (kind, recipient, subject, text, created_at, expires_at) VALUES ('code', 'Ann@Kanarienvogel.test', 'For kanarienvogel', 'kanarienvogel', now(), now())`,
	`INSERT INTO invitation (company_id, email, role, invited_by, hash, created_at, expires_at) VALUES (@other, 'Ann@Kanarienvogel.test', 'editor', 1, 'kanarienvogel', now(), now())`,
	`INSERT INTO api_key (company_id, person_id, name, contour, scopes, hash) VALUES (@other, @person, 'kanarienvogel', 'prod', '{}', 'kanarienvogel')`,
	`INSERT INTO oauth_client (name, redirect_uris) VALUES ('Agent', '{https://agent.test/}')`,
	`INSERT INTO oauth_code (hash, client_id, company_id, person_id, redirect_uri, challenge, resource, contour, scopes, expires_at)
		SELECT 'kanarienvogel', id, @other, @person, 'https://agent.test/', '', '', 'dev', '{}', now() FROM oauth_client`,
	`INSERT INTO oauth_token (hash, company_id, key_id, kind, resource, expires_at) SELECT 'kanarienvogel', company_id, id, 'access', '', now() FROM api_key WHERE person_id = @person`,
	`INSERT INTO assistant_client (company_id, profile, name, redirect_uris, signs, created_at) VALUES (@company, 'https://agent.test/', 'Agent', '{}', false, now())`,
	`INSERT INTO assistant_link (company_id, client_id, person_id, scopes, redirect_uri, challenge, code_hash, code_expires_at, created_at, expires_at)
		SELECT company_id, id, @person, '{}', '', '', 'kanarienvogel', now(), now(), now() FROM assistant_client`,
	`INSERT INTO assistant_token (company_id, hash, link_id, kind, created_at, expires_at) SELECT company_id, 'kanarienvogel', id, 'access', now(), now() FROM assistant_link`,
	`INSERT INTO person_address (company_id, person_id, name, phone, country, region, city, street, postcode, comment, is_default) VALUES (@company, @person,
		'kanarienvogel', 'kanarienvogel', 'kanarienvogel', 'kanarienvogel', 'kanarienvogel', 'kanarienvogel', 'kanarienvogel', 'kanarienvogel', true)`,
	`UPDATE customer SET note = 'kanarienvogel' WHERE company_id = @company AND email = 'ann@kanarienvogel.test'`,
	`UPDATE shop_order SET address = '{"city": "Kanarienvogel", "postcode": "1234", "street": "kanarienvogel \u0000"}', comment = 'kanarienvogel',
		note = 'kanarienvogel', tags = '{kanarienvogel}' WHERE id = @order`,
	`INSERT INTO order_line (company_id, order_id, product_id, key, name, quantity, unit_price, data) VALUES
		(@company, @order, @product, 'to kanarienvogel', 'Cup', 1, 5, '{"variant_id": "7", "text": "kanarienvogel"}'),
		(@company, @order, @product, 'v7', 'Cup', 1, 5, '{"text": "kanarienvogel \u0000"}')`,
	`INSERT INTO order_paper (company_id, order_id, kind, number, issued_at, copy) VALUES (@company, @order, 'invoice', '2026-1', now(), '{"buyer": {"name": "Kanarienvogel"}, "address": {"street": "kanarienvogel"}, "comment": "kanarienvogel"}')`,
	`INSERT INTO shipment (company_id, order_id, carrier, number, url, shipped_at) VALUES (@company, @order, 'dhl', 'kanarienvogel', 'https://kanarienvogel.test/', now())`,
	`INSERT INTO order_message (company_id, order_id, by_buyer, person_id, text) VALUES (@company, @order, true, @person, 'kanarienvogel'), (@company, @order, false, 1, 'Dear kanarienvogel')`,
	`INSERT INTO payment (company_id, order_id, method, provider, status, amount_minor, currency, provider_ref, return_url, redirect_url)
		VALUES (@company, @order, 'sandbox', 'sandbox', 'pending', 1, 'EUR', 'ref', 'https://x/kanarienvogel', 'https://x/kanarienvogel')`,
	`INSERT INTO payment_notice (company_id, method, ref, body) VALUES (@company, 'sandbox', 'ref', 'kanarienvogel')`,
	`INSERT INTO sandbox_payment (company_id, ref, key, payment_id, title, amount_minor, currency, return_url)
		SELECT company_id, 'r', 'k', id, 'Order', 1, 'EUR', 'https://x/kanarienvogel' FROM payment WHERE order_id = @order`,
	`INSERT INTO cart (company_id, person_id, promo_code, contact_email, contact_phone, typed, reminder_email) VALUES (@company, @person, 'KANARIENVOGEL', 'kanarienvogel', 'kanarienvogel', '{"comment": "kanarienvogel"}', 'kanarienvogel')`,
	`INSERT INTO cart_reminder (company_id, cart_id, recipient, code) SELECT company_id, id, 'kanarienvogel', 'kanarienvogel' FROM cart WHERE company_id = @company AND person_id = @person`,
	`INSERT INTO cart_line (company_id, person_id, product_id, key, quantity, data) VALUES (@company, @person, @product, 'kanarienvogel', 1, '{"text": "kanarienvogel"}')`,
	`INSERT INTO cart_merge (company_id, person_id, merge_id) VALUES (@company, @person, 'kanarienvogel')`,
	`INSERT INTO assist_platform (company_id, protocol, name) VALUES (@company, 'ucp', 'https://agent.test/ucp')`,
	`INSERT INTO assist_session (company_id, id, kind, platform_id, person_id, signed, input, created_at, updated_at, expires_at)
		SELECT @company, 'kanarienvogel', 'purchase', id, @person, false, '{"contact": {"email": "kanarienvogel"}}', now(), now(), now() FROM assist_platform`,
	`UPDATE shop_order SET assistant = '{"platform": "https://agent.test/ucp", "attribution": {"source": "kanarienvogel"}, "consent": {"note": "kanarienvogel"}}' WHERE id = @order`,
	`INSERT INTO wishlist_item (company_id, person_id, product_id) VALUES (@company, @person, @product)`,
	`INSERT INTO promotion (company_id, name, kind) VALUES (@company, 'Thanks', 'personal_coupon')`,
	`INSERT INTO personal_code (company_id, code, promotion_id, person_id) SELECT @company, 'KANARIENVOGEL', id, @person FROM promotion`,
	`INSERT INTO remark (company_id, kind, product_id, person_id, author, rating, text, pros, cons, answer, status) VALUES (@company, 'review', @product, @person,
		'kanarienvogel', 4, 'kanarienvogel', 'kanarienvogel', 'kanarienvogel', 'Dear kanarienvogel', 'approved')`,
	`INSERT INTO remark (company_id, kind, product_id, person_id, author, text) VALUES (@company, 'question', @product, @person, 'kanarienvogel', 'kanarienvogel')`,
	`INSERT INTO remark_vote (company_id, remark_id, person_id) SELECT @company, min(id), @person FROM remark`,
	`INSERT INTO form (company_id, name, fields) VALUES (@company, 'Ask', '[{"name": "mail", "type": "email"}]')`,
	`INSERT INTO form_lead (company_id, form_id, answers, page_url, utm, email, note, consents, print, token)
		SELECT @company, id, '{"mail": " Ann@Kanarienvogel.test", "text": "kanarienvogel"}', '/kanarienvogel', '{"source": "kanarienvogel"}',
			'ann@kanarienvogel.test', 'kanarienvogel', '["kanarienvogel"]', 'kanarienvogel', 'kanarienvogel' FROM form`,
	`INSERT INTO form_lead (company_id, form_id, answers, page_url, utm, status) SELECT @company, id, '{"text": "Write to (ann@kanarienvogel.test)."}', '', '{}', 'spam' FROM form`,
	`INSERT INTO form_file (company_id, id, form_id, lead_id, field, name, mime, size, sha256)
		SELECT company_id, gen_random_uuid(), form_id, id, 'file', 'kanarienvogel.pdf', 'application/pdf', 1, repeat('c', 64) FROM form_lead WHERE email <> ''`,
	`INSERT INTO letter (company_id, name, object, order_id, person_id, recipient, subject, text, html, facts, error) VALUES
		(@company, 'order_made_buyer', 'x', @order, @person, 'Ann@Kanarienvogel.test', 'kanarienvogel', 'kanarienvogel', 'kanarienvogel', '{"x": "kanarienvogel"}', 'no kanarienvogel'),
		(@company, 'order_made_seller', 'x', @order, NULL, 'owner@shops.test', 'kanarienvogel', 'kanarienvogel', 'kanarienvogel', '{}', ''),
		(@company, 'personal_coupon_buyer', '2', NULL, NULL, 'ann@kanarienvogel.TEST', 'kanarienvogel', 'x', 'x', '{}', '')`,
	`INSERT INTO letter (company_id, name, object, recipient, text) SELECT @company, 'lead_seller', id::text, 'owner@shops.test', 'kanarienvogel' FROM form_lead WHERE email <> ''`,
	`INSERT INTO letter_bounce (company_id, recipient, reason, at) VALUES (@company, 'ann@kanarienvogel.test', 'no kanarienvogel here', now())`,
	`INSERT INTO webhook (company_id, url, host, events) VALUES (@company, 'https://h/', 'h', '{lead.created,key.issued}')`,
	`INSERT INTO event (company_id, name, body) SELECT @company, 'lead.created', jsonb_build_object('lead_id', id::text, 'form_id', '1', 'values', answers, 'utm', utm, 'page_url', page_url) FROM form_lead WHERE email <> ''`,
	`INSERT INTO event (company_id, name, body) VALUES (@company, 'order.shipped', jsonb_build_object('order_id', @order::bigint::text, 'number', 'kanarienvogel'))`,
	`INSERT INTO event (company_id, name, body) VALUES (@company, 'key.issued', jsonb_build_object('user_id', @person::integer, 'code', 'KANARIENVOGEL'))`,
	`INSERT INTO media_file (company_id, id, upload_id, upload_hash, section, file_type, original_name, alt, status, path, sha256, original_sha256, person_id)
		VALUES (@company, gen_random_uuid(), gen_random_uuid(), '', 'reviews', 'image', 'kanarienvogel.jpg', 'kanarienvogel', 'stored', 'kanarienvogel.jpg',
			repeat('a', 64), repeat('b', 64), @person)`,
	`INSERT INTO blob (company_id, sha256, size) VALUES (@company, repeat('a', 64), 1), (@company, repeat('b', 64), 1)`,
	`INSERT INTO idempotency_key (company_id, credential, key, fingerprint, attempt, lease_until, expires_at, status, answer)
		VALUES (@company, 'person 1', 'k', '', gen_random_uuid(), now(), now() + interval '1 day', 200, 'kanarienvogel')`,
	`INSERT INTO move_in (company_id, id, person_id, system, files, created_at) VALUES (@company, 1, 1, 'shopify', '{customers.csv}', now())`,
	`INSERT INTO move_in_origin (company_id, system, kind, key, object_id, fields) SELECT company_id, 'shopify', 'customer', 'a hash', id, '{}' FROM customer WHERE company_id = @company`,
	`INSERT INTO move_in_change (company_id, move_in_id, kind, key, object_id, before, fields)
		SELECT company_id, 1, 'customer', 'a hash', id, '{"name": "Ms Kanarienvogel"}', '{}' FROM customer WHERE company_id = @company`,
}

// withoutCanary are columns about people that cannot contain their words: numbers, hashes and
// values set by the program.
var withoutCanary = strings.Fields(`payment_notice.method payment_notice.ref letter.name letter.object letter.state order_message.file_ids remark.file_ids
	media_file.colour media_file.sha256 media_file.original_sha256 media_file.prepared form_file.sha256 blob.sha256 blob_reservation.sha256
	move_in_origin.system move_in_origin.kind move_in_origin.key move_in_origin.fields move_in_change.kind move_in_change.key move_in_change.fields`)

// findCanary finds the canary in every row of every table, bytes included.
func (l *orderShop) findCanary() (found []string) {
	l.t.Helper()
	for _, table := range queryTexts(l.t, l.conn, `SELECT table_schema || '.' || table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema IN ('public', 'draft') ORDER BY 1`) {
		for _, row := range queryTexts(l.t, l.conn, `SELECT t::text FROM `+table+` t`) {
			if lower := strings.ToLower(row); strings.Contains(lower, canary) || strings.Contains(lower, hex.EncodeToString([]byte(canary))) {
				found = append(found, table+": "+row)
			}
		}
	}
	return found
}

// plantCanary writes the canary into all personal data in the shop, and returns the person and
// the order.
func (l *orderShop) plantCanary(email string) (person shop.UserID, order shop.OrderID) {
	l.t.Helper()
	person = l.person(email, true)
	other := newShop(l.t, l.Store, "other")
	order = l.orders(person, email, 10)
	l.exec(`UPDATE shop_order SET contact_name = 'Kanarienvogel', contact_phone = 'kanarienvogel', contact_vat_number = 'KANARIENVOGEL' WHERE id = $1`, order)
	l.exec(`UPDATE customer SET name = 'Kanarienvogel', phone = 'kanarienvogel'`)
	var product shop.ProductID
	must(l.t, l.conn.QueryRow(l.t.Context(), `INSERT INTO product (company_id, name, slug, kind) VALUES ($1, 'Cup', 'cup', 'standard') RETURNING id`, l.company).Scan(&product))
	for _, sql := range canaryStatements {
		for name, value := range map[string]any{"@company": l.company, "@other": other, "@person": person, "@order": order, "@product": product} {
			sql = strings.ReplaceAll(sql, name, fmt.Sprint(value))
		}
		l.exec(sql)
	}
	return person, order
}

// The canary is in every column that holds personal data. After the shop erased the
// customer, it is found only in the account; after the account was removed, nowhere.
func TestEraseRemovesAllDataOfACustomer(t *testing.T) {
	t.Parallel()
	l := openOrderShop(t)
	person, order := l.plantCanary("ann@kanarienvogel.test")
	for _, h := range privacy.PersonalColumns {
		if !slices.Contains([]privacy.Erasure{privacy.EraseColumns, privacy.EraseRow, privacy.EraseWithAccount}, h.Erased) {
			continue
		}
		for column := range strings.FieldsSeq(h.Columns) {
			if name := h.Table + "." + column; strings.HasSuffix(column, "_id") || strings.HasSuffix(column, "_by") || slices.Contains(withoutCanary, name) {
				continue
			}
			if got := queryTexts(t, l.conn, fmt.Sprintf(`SELECT x::text FROM (SELECT lower(CASE WHEN pg_typeof(%[2]s) = 'bytea'::regtype THEN encode(%[2]s::text::bytea, 'escape') ELSE %[2]s::text END) AS x FROM %[1]s) t
				WHERE strpos(x, '%[3]s') > 0 OR strpos(x, '%[4]s') > 0`, h.Table, column, canary, hex.EncodeToString([]byte(canary)))); len(got) == 0 {
				t.Errorf("%s.%s: the canary was not planted there", h.Table, column)
			}
		}
	}
	var id shop.CustomerID
	must(t, l.conn.QueryRow(t.Context(), `SELECT id FROM customer WHERE company_id = $1 AND email <> ''`, l.company).Scan(&id))
	at, err := privacy.EraseCustomer(t.Context(), l.Store, l.company, id)
	must(t, err)
	account := strings.Fields("public.person: public.session: public.totp: public.recovery_code: public.person_view: public.passkey: public.passkey_challenge: public.password_reset: public.address_code: public.platform_letter: public.invitation: public.api_key: public.oauth_code: public.oauth_token:")
	for _, row := range l.findCanary() {
		if !slices.Contains(account, strings.Fields(row)[0]) {
			t.Errorf("the shop still holds %s", row)
		}
	}
	if found := queryTexts(t, l.conn, `SELECT state || ' ' || reason FROM webhook_delivery`); !slices.Equal(found, []string{
		"dead the person it told of was erased", "dead the person it told of was erased"}) {
		t.Errorf("deliveries: %q", found)
	}
	if found := queryTexts(t, l.conn, fmt.Sprintf(`SELECT items_total || ' ' || coalesce(address::text, '') || ' ' || (SELECT string_agg(key || coalesce(data::text, ''), ' ' ORDER BY key) FROM order_line WHERE order_id = o.id)
		|| ' ' || (SELECT rating FROM remark) FROM shop_order o WHERE id = %d`, order)); len(found) != 1 || found[0] != `10  default{"variant_id" : "7"} v7 4` {
		t.Errorf("the order keeps %q", found)
	}
	// Erasing twice is harmless, and so is a customer who never existed.
	if again, err := privacy.EraseCustomer(t.Context(), l.Store, l.company, id); err != nil || !again.Equal(at) {
		t.Errorf("%v %v", again, err)
	}
	if _, err := privacy.EraseCustomer(t.Context(), l.Store, l.company, id+1000); err == nil {
		t.Error("a customer who never existed was erased")
	}
	must(t, privacy.RemovePerson(t.Context(), l.Store, person))
	if found := l.findCanary(); len(found) > 0 {
		t.Errorf("not erased: %s", strings.Join(found, "\n"))
	}
}

// Removing the account alone erases the person in all shops.
func TestRemovingAnAccountErasesAllItsData(t *testing.T) {
	t.Parallel()
	l := openOrderShop(t)
	person, _ := l.plantCanary("ann@kanarienvogel.test")
	must(t, privacy.RemovePerson(t.Context(), l.Store, person))
	if found := l.findCanary(); len(found) > 0 {
		t.Errorf("not erased: %s", strings.Join(found, "\n"))
	}
}

// Removing an account with an unverified address does not erase data of the address's real
// owner.
func TestAnUnverifiedAddressErasesNothingOfItsOwner(t *testing.T) {
	t.Parallel()
	l := openOrderShop(t)
	l.orders(l.person("", false), "ann@people.test", 10)
	squatter := l.person("ann@people.test", false)
	l.orders(squatter, "ann@people.test", 1)
	must(t, privacy.RemovePerson(t.Context(), l.Store, squatter))
	if got := queryTexts(t, l.conn, `SELECT email || ' ' || orders || ' ' || spent FROM customer WHERE erased_at IS NULL`); !slices.Equal(got, []string{"ann@people.test 1 10"}) {
		t.Errorf("%q", got)
	}
}

// An erased order keeps its city if others ordered to it too.
func TestErasedOrdersKeepSharedCities(t *testing.T) {
	t.Parallel()
	l := openOrderShop(t)
	ann := l.orders(l.person("", false), "ann@people.test", 10)
	bob := l.orders(l.person("", false), "bob@people.test", 10)
	l.exec(`UPDATE shop_order SET address = '{"city": "Lisboa", "postcode": "1200-109", "street": "Rua 1"}' WHERE id = $1`, ann)
	l.exec(`UPDATE shop_order SET address = '{"city": "lisboa", "postcode": "1", "street": "Rua 2"}' WHERE id = $1`, bob)
	_, err := privacy.EraseCustomer(t.Context(), l.Store, l.company, 1)
	must(t, err)
	if got := queryTexts(t, l.conn, `SELECT coalesce(address::text, '') FROM shop_order ORDER BY id`); len(got) != 2 || got[0] != `{"city":"Lisboa","postcode":"120"}` || !strings.Contains(got[1], "Rua 2") {
		t.Errorf("%q", got)
	}
}

// A checkout concurrent with erasures either commits before and is erased, or after and
// belongs to a new customer; no order is half erased. The counters stay right.
func TestErasingDuringCheckouts(t *testing.T) {
	t.Parallel()
	l := openOrderShop(t)
	ctx := context.Background()
	buyers := make([]shop.UserID, 4)
	for i := range buyers {
		buyers[i] = l.person("", false)
	}
	l.orders(buyers[0], "ann@people.test", 1)
	var all sync.WaitGroup
	failed := make(chan error, 1000)
	for _, buyer := range buyers {
		all.Go(func() {
			for range 25 {
				o := &salesdb.Order{Person: buyer, ItemsTotal: 1, GrandTotal: 1, Currency: "EUR", Lines: []salesdb.OrderLine{},
					Contact: salesdb.Contact{Name: "Ann", Phone: "1", Email: "ann@people.test"}}
				failed <- l.Write(ctx, l.company, func(tx *store.Tx) error {
					if err := salesdb.PlaceOrder(ctx, tx, o); err != nil {
						return err
					}
					return salesdb.SetOrderStatus(ctx, tx, o, shop.OrderProcessing, 0)
				})
				failed <- l.Write(ctx, l.company, func(tx *store.Tx) error {
					locked, err := salesdb.LockOrder(ctx, tx, o.ID)
					if err != nil {
						return err
					}
					return salesdb.SetOrderStatus(ctx, tx, &locked, shop.OrderCompleted, 0)
				})
			}
		})
	}
	for range 20 {
		list, _, err := peopledb.Customers(ctx, l.Shop(l.company), peopledb.CustomerFilter{}, peopledb.CustomerSort{}, 10, 0)
		must(t, err)
		for _, c := range list {
			_, err := privacy.EraseCustomer(ctx, l.Store, l.company, c.ID)
			for errors.Is(err, privacy.ErrErasureBusy) { // a buyer who never stops ordering can outrun it; the caller is told to call again
				_, err = privacy.EraseCustomer(ctx, l.Store, l.company, c.ID)
			}
			must(t, err)
		}
	}
	all.Wait()
	close(failed)
	for err := range failed {
		must(t, err)
	}
	half := queryTexts(t, l.conn, `SELECT id || ' ' || contact_name || ' ' || contact_email || ' ' || coalesce(customer_id::text, '-') FROM shop_order
		WHERE (contact_name = '') <> (customer_id IS NULL) OR (contact_name = '') <> (contact_email = '')
			OR customer_id IN (SELECT id FROM customer WHERE erased_at IS NOT NULL)`)
	if wrong := append(half, queryTexts(t, l.conn, recount)...); len(wrong) > 0 {
		t.Errorf("%v", wrong)
	}
	if n := queryTexts(t, l.conn, `SELECT count(*)::text FROM shop_order`); n[0] != "101" {
		t.Errorf("%v orders", n)
	}
}
