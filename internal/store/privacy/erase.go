package privacy

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/form"
	"vitrine/internal/store/people"
	"vitrine/internal/store/remark"
)

// ErrErasureBusy is returned when a customer kept placing orders during the erasure.
var ErrErasureBusy = shop.Refuse(shop.Aborted, "CUSTOMER_BUSY").When("the customer kept placing orders during the erasure; call again").RetryAfter(1)

// errChanged is returned when the rows to be erased changed meanwhile: the caller retries.
var errChanged = errors.New("store: the rows to be erased changed meanwhile")

// erasureTries is how often an erasure is tried.
const erasureTries = 20

// personalTrace holds everything in one shop that leads to a person: who they are, and which orders
// are theirs.
type personalTrace struct {
	customers []shop.CustomerID
	emails    []string // in lower case
	persons   []shop.UserID
	orders    []shop.OrderID
}

func (t personalTrace) same(o personalTrace) bool {
	return slices.Equal(t.customers, o.customers) && slices.Equal(t.emails, o.emails) && slices.Equal(t.persons, o.persons) && slices.Equal(t.orders, o.orders)
}

// EraseCustomer erases a customer's data from the shop in one transaction (blanks), and
// returns when. Erasing twice changes nothing. It returns ErrCustomerNotFound if there
// never was such a customer, and ErrErasureBusy.
//
// The account stays: it belongs to the person, and so does their data in other shops. Staff
// of the shop stay staff; only their data as buyers is erased. A concurrent order either
// commits before and is erased, or commits after and creates a new customer.
func EraseCustomer(ctx context.Context, s *store.Store, company shop.CompanyID, id shop.CustomerID) (at time.Time, err error) {
	for range erasureTries {
		err = s.Write(ctx, company, func(tx *store.Tx) (err error) {
			at, err = eraseCustomer(ctx, tx, id)
			return err
		})
		if !errors.Is(err, errChanged) {
			return at, err
		}
	}
	return at, ErrErasureBusy
}

// traceOf returns everything that leads to a customer; nothing, and when, for an erased one.
func traceOf(ctx context.Context, r store.Reader, id shop.CustomerID) (t personalTrace, erased *time.Time, err error) {
	var email string
	err = r.DB.QueryRow(ctx, `SELECT email, erased_at FROM customer WHERE company_id = $1 AND id = $2`, r.Company, id).Scan(&email, &erased)
	switch {
	case store.NoRow(err):
		return t, nil, people.ErrCustomerNotFound
	case err != nil || erased != nil:
		return t, erased, err
	}
	if t.customers = []shop.CustomerID{id}; email != "" {
		t.emails = []string{email}
	}
	return t, nil, extendTrace(ctx, r, &t)
}

func eraseCustomer(ctx context.Context, tx *store.Tx, id shop.CustomerID) (at time.Time, err error) {
	read := func() (t personalTrace, err error) {
		t, _, err = traceOf(ctx, tx.Reader, id)
		return t, err
	}
	t, erased, err := traceOf(ctx, tx.Reader, id)
	switch {
	case err != nil:
		return at, err
	case erased != nil:
		return *erased, nil
	}
	if err := lockCartsOf(ctx, tx, t); err != nil {
		return at, err
	}
	if err := lockTrace(ctx, tx, t, read); err != nil {
		return at, err
	}
	if err := erase(ctx, tx, t); err != nil {
		return at, err
	}
	err = tx.DB.QueryRow(ctx, `SELECT erased_at FROM customer WHERE company_id = $1 AND id = $2`, tx.Company, id).Scan(&at)
	return at, err
}

// extendTrace adds the people behind customers and addresses, and their orders. An address leads
// to its account; a customer also to the guests whose orders are theirs, but to no other
// account: staff order for customers too.
func extendTrace(ctx context.Context, r store.Reader, t *personalTrace) error {
	err := r.DB.QueryRow(ctx, `
		SELECT ARRAY(
			SELECT unnest($4::integer[]) UNION SELECT id FROM person WHERE email <> '' AND lower(email) = ANY($3)
			UNION SELECT w.id FROM (
				SELECT o.person_id FROM shop_order o WHERE o.company_id = $1 AND o.customer_id = ANY($2)
				UNION SELECT c.person_id FROM customer c WHERE c.company_id = $1 AND c.id = ANY($2) AND c.person_id <> 0) w(id)
			LEFT JOIN person p ON p.id = w.id WHERE coalesce(p.email, '') = ''
			ORDER BY 1)`, r.Company, t.customers, t.emails, t.persons).Scan(&t.persons)
	if err != nil {
		return err
	}
	return r.DB.QueryRow(ctx, `
		SELECT ARRAY(SELECT id FROM shop_order WHERE company_id = $1 AND customer_id = ANY($2)
			UNION SELECT id FROM shop_order WHERE company_id = $1 AND person_id = ANY($3) ORDER BY 1)`,
		r.Company, t.customers, t.persons).Scan(&t.orders)
}

// lockCartsOf locks out checkouts of people, and of carts at whose checkout their addresses were
// entered: each begins with locking the cart.
func lockCartsOf(ctx context.Context, tx *store.Tx, t personalTrace) error {
	_, err := tx.DB.Exec(ctx, `
		SELECT FROM cart WHERE company_id = $1 AND (person_id = ANY($2) OR reminder_email <> '' AND lower(reminder_email) = ANY($3))
		ORDER BY person_id FOR UPDATE`, tx.Company, t.persons, t.emails)
	return err
}

// lockTrace locks the rows to be erased, in the order of all locks: orders, then customers. Once
// they are locked nothing can be added. If rows were added before, it returns errChanged.
func lockTrace(ctx context.Context, tx *store.Tx, t personalTrace, read func() (personalTrace, error)) error {
	b := &pgx.Batch{}
	b.Queue(`SELECT FROM shop_order WHERE company_id = $1 AND id = ANY($2) ORDER BY id FOR NO KEY UPDATE`, tx.Company, t.orders)
	b.Queue(`SELECT FROM customer WHERE company_id = $1 AND id = ANY($2) ORDER BY id FOR UPDATE`, tx.Company, t.customers)
	if err := tx.DB.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	now, err := read()
	if err == nil && !now.same(t) {
		err = errChanged
	}
	return err
}

// eraseStatements are the statements that erase a person from one shop, one table at a time; the
// orders @orders are locked. The agreed facts stay: sums, lines, the promotions that
// counted, and the place of delivery as far as a city of other orders and the beginning of
// a postcode tell. Holdings lists what each column holds.
var eraseStatements = [...]string{
	// Any stored response of the shop may contain personal data. Without it a repeated
	// request is told that the response is gone.
	`UPDATE idempotency_key SET answer = NULL WHERE company_id = @company AND answer IS NOT NULL`,
	`DELETE FROM letter WHERE company_id = @company AND (order_id = ANY(@orders) OR person_id = ANY(@persons)
		OR lower(recipient) = ANY(@emails) AND right(name, 6) = '_buyer')`,
	`DELETE FROM letter_bounce WHERE company_id = @company AND recipient = ANY(@emails)`,
	`DELETE FROM payment_notice n USING payment p WHERE p.company_id = @company AND p.order_id = ANY(@orders)
		AND n.company_id = p.company_id AND n.method = p.method AND n.ref = p.provider_ref AND n.ref <> ''`,
	`UPDATE sandbox_payment s SET return_url = '' FROM payment p WHERE p.company_id = @company AND p.order_id = ANY(@orders)
		AND s.company_id = @company AND s.payment_id = p.id`,
	`UPDATE payment SET return_url = '', redirect_url = '' WHERE company_id = @company AND order_id = ANY(@orders)`,
	`UPDATE order_paper SET copy = copy || '{"buyer": {"name": "", "phone": "", "email": "", "vat_number": ""}, "address": null, "comment": ""}'
		WHERE company_id = @company AND order_id = ANY(@orders)`,
	`UPDATE shipment SET number = '', url = '' WHERE company_id = @company AND order_id = ANY(@orders)`,
	`UPDATE order_message SET text = '', file_ids = '{}' WHERE company_id = @company AND order_id = ANY(@orders)`,
	`UPDATE order_line SET data = choice_left(data), key = key_left(key)
		WHERE company_id = @company AND order_id = ANY(@orders)`,
	`DELETE FROM remark WHERE company_id = @company AND person_id = ANY(@persons) AND kind = 'question'`,
	`UPDATE remark SET person_id = NULL, author = '', text = '', pros = '', cons = '', answer = '', file_ids = '{}', updated_at = now()
		WHERE company_id = @company AND person_id = ANY(@persons)`, // the rating stays
	`WITH gone AS (DELETE FROM remark_vote WHERE company_id = @company AND person_id = ANY(@persons) RETURNING remark_id)
		UPDATE remark r SET helpful = helpful - g.n FROM (SELECT remark_id, count(*) AS n FROM gone GROUP BY 1) g
		WHERE r.company_id = @company AND r.id = g.remark_id`,
	lockWebhooks,
	`WITH told AS (
		UPDATE event SET body = body || '{"user_id": 0, "code": "", "erased": true}'
		WHERE company_id = @company AND name = 'key.issued' AND body ->> 'user_id' = ANY(@persons::integer[]::text[]) RETURNING id)` + endDeliveries,
	`WITH told AS (
		UPDATE event SET body = body || '{"number": "", "erased": true}'
		WHERE company_id = @company AND name = 'order.shipped' AND body ->> 'order_id' = ANY(@orders::bigint[]::text[]) RETURNING id)` + endDeliveries,
	`DELETE FROM personal_code WHERE company_id = @company AND person_id = ANY(@persons)`,
	`INSERT INTO reminder_refusal (company_id, recipient) SELECT DISTINCT @company::integer, address_hash(e) FROM unnest(@emails::text[]) e ON CONFLICT DO NOTHING`,
	`UPDATE cart_reminder r SET recipient = '', code = '', ended_at = coalesce(ended_at, now()) WHERE r.company_id = @company AND (
		r.recipient IN (SELECT address_hash(e) FROM unnest(@emails::text[]) e)
		OR r.cart_id IN (SELECT id FROM cart WHERE company_id = @company AND person_id = ANY(@persons)))`,
	`DELETE FROM assist_session WHERE company_id = @company AND (person_id = ANY(@persons) OR buyer_id = ANY(@persons) OR order_id = ANY(@orders)
		OR lower(input #>> '{contact,email}') = ANY(@emails))`,
	`DELETE FROM cart WHERE company_id = @company AND (person_id = ANY(@persons) OR reminder_email <> '' AND lower(reminder_email) = ANY(@emails))`,
	`DELETE FROM wishlist_item WHERE company_id = @company AND person_id = ANY(@persons)`,
	`DELETE FROM person_address WHERE company_id = @company AND person_id = ANY(@persons)`,
	`DELETE FROM assistant_link WHERE company_id = @company AND person_id = ANY(@persons)`,
	// A city to which nobody else ordered would reveal the person.
	`WITH others AS (
		SELECT DISTINCT lower(address_left(address) ->> 'city') AS city FROM (
			SELECT address FROM shop_order WHERE company_id = @company AND address IS NOT NULL AND NOT id = ANY(@orders)
			ORDER BY created_at DESC, id DESC LIMIT 1000) o)
	UPDATE shop_order SET contact_name = '', contact_phone = '', contact_email = '', contact_vat_number = '', comment = '', note = '', tags = '{}', assistant = assistant - 'attribution' - 'consent', customer_id = NULL, updated_at = now(),
		address = CASE WHEN lower(address_left(address) ->> 'city') IN (SELECT city FROM others WHERE city IS NOT NULL) THEN address_left(address) END
		WHERE company_id = @company AND id = ANY(@orders)`,
	`DELETE FROM customer_member WHERE company_id = @company AND customer_id = ANY(@customers)`,
	`DELETE FROM move_in_change WHERE company_id = @company AND kind = 'customer' AND object_id = ANY(@customers)`,
	`DELETE FROM move_in_origin WHERE company_id = @company AND kind = 'customer' AND object_id = ANY(@customers)`,
	`UPDATE customer SET person_id = 0, email = '', name = '', phone = '', note = '', erased_at = now()
		WHERE company_id = @company AND id = ANY(@customers) AND erased_at IS NULL`,
}

// erase runs blanks on the locked rows. Bytes that are no longer referenced are deleted
// after the commit; pages that showed the person's texts are rendered again.
func erase(ctx context.Context, tx *store.Tx, t personalTrace) error {
	if err := recordRemarkChanges(ctx, tx, t.persons); err != nil {
		return err
	}
	b := &pgx.Batch{}
	for _, sql := range eraseStatements {
		b.Queue(sql, pgx.NamedArgs{
			"company": tx.Company, "customers": t.customers, "emails": t.emails, "persons": t.persons, "orders": t.orders,
		})
	}
	if err := tx.DB.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	if err := remark.DeletePhotos(ctx, tx, `person_id = ANY($2)`, t.persons); err != nil {
		return err
	}
	return EraseLeads(ctx, tx, slices.Clone(t.emails)...)
}

// lockWebhooks locks webhooks before their deliveries, in the order in which the sender
// locks them.
const lockWebhooks = `SELECT FROM webhook WHERE company_id = @company ORDER BY id FOR NO KEY UPDATE`

// endDeliveries ends the deliveries of the events in told. A delivery in flight carries
// the data from before, and its end is still recorded.
const endDeliveries = `
	UPDATE webhook_delivery d SET state = 'dead', due_at = NULL, dead_at = now(), reason = 'the person it told of was erased'
	FROM told WHERE d.company_id = @company AND d.event_id = told.id AND d.state IN ('queued', 'retrying')`

// EraseLeads erases people with one of the addresses from what was sent with forms: leads
// that contain the address are deleted with their files, the letters about them and their
// data in the journal of events.
func EraseLeads(ctx context.Context, tx *store.Tx, emails ...string) error {
	for i := range emails {
		emails[i] = strings.ToLower(strings.TrimSpace(emails[i]))
	}
	rows, err := tx.DB.Query(ctx, `
		SELECT id FROM form_lead WHERE company_id = $1 AND (email = ANY($2) OR lead_mentions(answers, $2)) ORDER BY id FOR UPDATE`, tx.Company, slices.DeleteFunc(emails, func(e string) bool { return e == "" }))
	if err != nil {
		return err
	}
	leads, err := pgx.CollectRows(rows, pgx.RowTo[shop.LeadID])
	if err != nil || len(leads) == 0 {
		return err
	}
	b, args := &pgx.Batch{}, pgx.NamedArgs{"company": tx.Company, "leads": leads}
	b.Queue(`DELETE FROM letter WHERE company_id = @company AND name = 'lead_seller' AND object = ANY(@leads::bigint[]::text[])`, args)
	b.Queue(lockWebhooks, args)
	b.Queue(`WITH told AS (
		UPDATE event SET body = body - 'page_url' || '{"values": {}, "utm": {}, "erased": true}'
		WHERE company_id = @company AND name = 'lead.created' AND body ->> 'lead_id' = ANY(@leads::bigint[]::text[]) RETURNING id)`+endDeliveries, args)
	if err := tx.DB.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	return form.DeleteLeads(ctx, tx, `id = ANY($2)`, ``, leads)
}

// recordRemarkChanges records a change of the products whose pages show a person's remarks and, if
// there were photos, that their resized pictures are outdated.
func recordRemarkChanges(ctx context.Context, tx *store.Tx, persons []shop.UserID) error {
	rows, err := tx.DB.Query(ctx, `
		SELECT product_id, bool_or(file_ids <> '{}') FROM remark WHERE company_id = $1 AND person_id = ANY($2) AND status = 'approved'
		GROUP BY product_id ORDER BY product_id`, tx.Company, persons)
	if err != nil {
		return err
	}
	var product shop.ProductID
	var pictures bool
	_, err = pgx.ForEachRow(rows, []any{&product, &pictures}, func() error {
		tx.Changed(shop.Key{Kind: shop.KeyProduct, ID: int64(product)})
		if pictures {
			tx.Changed(shop.Key{Kind: shop.KeyDesign})
		}
		return nil
	})
	return err
}
