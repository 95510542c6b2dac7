package sales

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
)

// A cart that was left is reminded of once, by a letter that is queued in the transaction which
// records the reminder. The reminder ends with the first order by that cart, by a cart into which its
// link brought the lines, or by its address; until then neither the cart nor the address gets
// another one.

// maxOverdue is how long after its time a cart may still be reminded of, so that a shop that begins
// to remind writes nothing about old carts.
const maxOverdue = 7 * 24 * time.Hour

// cartsPerShop bounds the carts of one shop in one claim, so that those of another do not wait.
const cartsPerShop = 16

// LeftCart identifies a cart that was left.
type LeftCart struct {
	Company shop.CompanyID
	Person  shop.UserID
}

// ClaimLeftCarts leases carts that were not changed for the hours that their shops have set. Each is
// claimed once until it changes.
func ClaimLeftCarts(ctx context.Context, s *store.Store, now time.Time, lease time.Duration, most int) ([]LeftCart, error) {
	rows, err := s.Pool.Query(ctx, `
		UPDATE cart SET remind_at = $2 WHERE ctid = ANY(ARRAY(
			SELECT c.ctid FROM company s CROSS JOIN LATERAL (
				SELECT ctid FROM cart
				WHERE company_id = s.id AND remind_at < 'infinity' AND remind_at <= $1
					AND updated_at <= $1::timestamptz - make_interval(hours => (s.settings -> 'cart_reminder' ->> 'after_hours')::integer)
				ORDER BY updated_at, person_id LIMIT $4 FOR UPDATE SKIP LOCKED) c
			WHERE s.settings -> 'cart_reminder' ->> 'after_hours' IS NOT NULL AND NOT s.closed AND NOT s.blocked AND s.deleted_at IS NULL AND `+store.NotMoving("s.id")+` LIMIT $3))
		RETURNING company_id, person_id`, now, now.Add(lease), most, cartsPerShop)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[LeftCart])
}

// reminderAddress is the address for a reminder of cart c of person p: the one that was entered, else
// the verified one of the account.
const reminderAddress = `coalesce(nullif(c.reminder_email, ''), CASE WHEN p.proven_at IS NOT NULL THEN p.email END, '')`

// refusesReminders is the condition that an address gets no reminder: it refused them, was erased or
// does not exist.
func refusesReminders(address string) string {
	return `(EXISTS (SELECT FROM reminder_refusal n WHERE n.company_id = $1 AND n.recipient = address_hash(` + address + `))
		OR EXISTS (SELECT FROM letter_bounce b WHERE b.company_id = $1 AND b.recipient = lower(` + address + `)))`
}

// Remind records the reminder of a cart that was left and queues its letter, with a personal code
// where the shop gives one. It does nothing if the cart has changed, is empty, or its address gets
// no reminder.
func Remind(ctx context.Context, tx *store.Tx, person shop.UserID, now time.Time) error {
	var cart int64
	var email string
	var set company.CartReminder
	err := tx.DB.QueryRow(ctx, `
		SELECT c.id, a.email, s.settings -> 'cart_reminder'
		FROM cart c JOIN company s ON s.id = $1 AND NOT s.closed AND NOT s.blocked AND s.deleted_at IS NULL JOIN person p ON p.id = $2
		CROSS JOIN LATERAL (SELECT `+reminderAddress+` AS email) a
		WHERE c.company_id = $1 AND c.person_id = $2 AND s.settings -> 'cart_reminder' ->> 'after_hours' IS NOT NULL
			AND c.updated_at <= $3::timestamptz - make_interval(hours => (s.settings -> 'cart_reminder' ->> 'after_hours')::integer)
			AND c.updated_at > $3::timestamptz - make_interval(hours => (s.settings -> 'cart_reminder' ->> 'after_hours')::integer) - $4::interval
			AND (c.agreed OR NOT coalesce((s.settings -> 'cart_reminder' ->> 'ask_consent')::boolean, false))
			AND a.email <> '' AND NOT `+refusesReminders(`a.email`)+`
			AND NOT EXISTS (SELECT FROM shop_order o WHERE o.company_id = $1 AND o.contact_email <> ''
				AND email_key(o.contact_email) = email_key(a.email) AND o.created_at >= c.updated_at)
			AND EXISTS (SELECT FROM cart_line l JOIN product p ON p.company_id = $1 AND p.id = l.product_id AND p.deleted_at IS NULL AND p.is_published
				WHERE l.company_id = $1 AND l.person_id = $2)
		FOR UPDATE OF c`, tx.Company, person, now, maxOverdue).Scan(&cart, &email, &set)
	if err != nil && !store.NoRow(err) {
		return err
	}
	if store.NoRow(err) {
		return forgetCart(ctx, tx, person)
	}
	var id int64
	err = tx.DB.QueryRow(ctx, `
		INSERT INTO cart_reminder (company_id, cart_id, recipient) VALUES ($1, $2, address_hash($3))
		ON CONFLICT DO NOTHING RETURNING id`, tx.Company, cart, email).Scan(&id)
	if store.NoRow(err) {
		return forgetCart(ctx, tx, person)
	}
	if err != nil {
		return err
	}
	code, err := reminderCode(ctx, tx, set.Promotion, person, id, now)
	if err != nil {
		return err
	}
	if err := tx.RecordLetters(ctx, store.NewLetter{
		Name: store.CartLetter, Object: shop.Int64(id).String(), Person: person, To: email, Facts: store.LetterData{Reminder: id, Code: code},
	}); err != nil {
		return err
	}
	return forgetCart(ctx, tx, person)
}

// forgetCart ends the claim of a cart: no worker looks at it again until it changes.
func forgetCart(ctx context.Context, tx *store.Tx, person shop.UserID) error {
	_, err := tx.DB.Exec(ctx, `
		UPDATE cart SET remind_at = 'infinity' WHERE company_id = $1 AND person_id = $2 AND remind_at > '-infinity'`, tx.Company, person)
	return err
}

// reminderCode issues the code of a reminder; empty where the campaign does not run.
func reminderCode(ctx context.Context, tx *store.Tx, id shop.PromotionID, person shop.UserID, reminder int64, now time.Time) (string, error) {
	if id == 0 {
		return "", nil
	}
	p, err := GetPromotion(ctx, tx.Reader, id)
	switch {
	case errors.Is(err, ErrPromotionNotFound), err == nil && !p.gives(now):
		return "", nil
	case err != nil:
		return "", err
	}
	c, _, err := issueCode(ctx, tx, p, person, nil, true)
	if err != nil || c.Code == "" {
		return "", err
	}
	_, err = tx.DB.Exec(ctx, `UPDATE cart_reminder SET code = $3 WHERE company_id = $1 AND id = $2`, tx.Company, reminder, c.Code)
	return c.Code, err
}

// queueRecovered ends the reminders that an order of a buyer with an email answers: of their cart, of
// a cart whose link they opened, and of the address.
func queueRecovered(b *pgx.Batch, tx *store.Tx, o *Order) {
	b.Queue(`
		WITH answered AS (
			SELECT r.id FROM cart_reminder r WHERE r.company_id = $1 AND r.ended_at IS NULL AND (r.recipient = address_hash($4) OR r.cart_id IN (
				SELECT unnest(ARRAY[c.id, c.opened_cart]) FROM cart c WHERE c.company_id = $1 AND c.person_id = $2))
			ORDER BY r.id FOR UPDATE)
		UPDATE cart_reminder r SET order_id = $3, ended_at = now() FROM answered a WHERE r.company_id = $1 AND r.id = a.id`,
		tx.Company, o.Person, o.ID, o.Contact.Email)
}

// Reminder is a reminder whose letter is to be written or sent.
type Reminder struct {
	Cart      int64
	Person    shop.UserID
	Recipient []byte // hash of the address
}

// GetReminder reads a reminder whose letter may be sent to an address: the cart still exists, nobody
// has ordered meanwhile, and the address did not refuse reminders. Otherwise it returns
// ErrReminderEnded.
func GetReminder(ctx context.Context, r store.Reader, id int64, email string) (m Reminder, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT m.cart_id, c.person_id, m.recipient FROM cart_reminder m JOIN cart c ON c.company_id = $1 AND c.id = m.cart_id
		JOIN company s ON s.id = $1 AND NOT s.closed AND NOT s.blocked AND s.deleted_at IS NULL
		WHERE m.company_id = $1 AND m.id = $2 AND m.ended_at IS NULL AND NOT `+refusesReminders("$3"),
		r.Company, id, email).Scan(&m.Cart, &m.Person, &m.Recipient)
	if store.NoRow(err) {
		err = ErrReminderEnded
	}
	return m, err
}

// Refusals of reminders and their links.
var (
	ErrReminderEnded = shop.Refuse(shop.NotFound, "REMINDER_ENDED").When("the cart is gone, or its buyer has ordered or wants no reminders")
	ErrCartLink      = shop.Refuse(shop.NotFound, "CART_LINK_INVALID").When("the link of the cart has expired or is not of this shop")
)

// OpenCart adds the lines of a cart to that of a visitor who opened its link, once for each link, and
// gives them the code of its reminder if that belongs to a guest. Nothing else of the cart is
// shown. The caller holds LockCart of the visitor.
func OpenCart(ctx context.Context, tx *store.Tx, cart int64, link string, visitor shop.UserID) error {
	var owner shop.UserID
	err := tx.DB.QueryRow(ctx, `SELECT person_id FROM cart WHERE company_id = $1 AND id = $2`, tx.Company, cart).Scan(&owner)
	if store.NoRow(err) {
		return ErrCartLink
	}
	if err != nil || owner == visitor {
		return err
	}
	if first, err := RecordMerge(ctx, tx, visitor, link); err != nil || !first {
		return err
	}
	from, err := GetCart(ctx, tx.Reader, owner)
	if err != nil {
		return err
	}
	if _, err := AddToCart(ctx, tx, visitor, from.Lines...); err != nil {
		return err
	}
	b := &pgx.Batch{}
	b.Queue(`UPDATE cart SET opened_cart = $3 WHERE company_id = $1 AND person_id = $2`, tx.Company, visitor, cart)
	b.Queue(`
		UPDATE personal_code c SET person_id = $3 FROM cart_reminder m, person p
		WHERE m.company_id = $1 AND m.cart_id = $2 AND m.ended_at IS NULL AND m.code <> '' AND c.company_id = $1 AND c.code = m.code
			AND c.used_order_id IS NULL AND p.id = c.person_id AND p.email = ''`, tx.Company, cart, visitor)
	return tx.DB.SendBatch(ctx, b).Close()
}

// RefuseReminders records that an address, by its hash, gets no more reminders from the shop.
func RefuseReminders(ctx context.Context, tx *store.Tx, recipient []byte) error {
	_, err := tx.DB.Exec(ctx, `INSERT INTO reminder_refusal (company_id, recipient) VALUES ($1, $2) ON CONFLICT DO NOTHING`, tx.Company, recipient)
	return err
}

// SweepReminders ends reminders from before a moment whose carts were deleted, across shops; what is
// left of them is counted in statistics.
func SweepReminders(ctx context.Context, s *store.Store, before time.Time) error {
	return s.SweepBatches(ctx, `
		UPDATE cart_reminder r SET ended_at = now(), recipient = '', code = '' WHERE (company_id, id) IN (
			SELECT m.company_id, m.id FROM cart_reminder m WHERE m.ended_at IS NULL AND m.sent_at <= $1
				AND NOT EXISTS (SELECT FROM cart c WHERE c.company_id = m.company_id AND c.id = m.cart_id) LIMIT $2)`, before)
}

// ReminderResults are the results of reminders in a period.
type ReminderResults struct {
	Sent, Orders, Revenue int64
}

// Reminded returns the results of the days from to to, both included: the reminders of these days,
// and the orders of these days that answered one, without cancelled ones, with their revenue in a
// currency.
func Reminded(ctx context.Context, r store.Reader, from, to shop.Day, currency string) (s ReminderResults, err error) {
	err = r.DB.QueryRow(ctx, `
		WITH days AS (
			SELECT $2::date::timestamp AT TIME ZONE z.zone AS starts, ($3::date + 1)::timestamp AT TIME ZONE z.zone AS ends
			FROM (SELECT coalesce(nullif(settings ->> 'timezone', ''), 'UTC') AS zone FROM company WHERE id = $1) z),
		recovered AS (
			SELECT DISTINCT o.id, o.currency, o.items_total FROM cart_reminder m JOIN shop_order o ON o.company_id = $1 AND o.id = m.order_id
			WHERE m.company_id = $1 AND m.order_id IS NOT NULL AND o.day BETWEEN $2 AND $3 AND o.status <> 'cancelled')
		SELECT (SELECT count(*) FROM cart_reminder m, days d WHERE m.company_id = $1 AND m.sent_at >= d.starts AND m.sent_at < d.ends),
			(SELECT count(*) FROM recovered), (SELECT coalesce(sum(items_total), 0)::bigint FROM recovered WHERE currency = $4)`,
		r.Company, from.Date(), to.Date(), currency).Scan(&s.Sent, &s.Orders, &s.Revenue)
	return s, err
}

// LeftCartRow is a cart as its shop sees it.
type LeftCartRow struct {
	ID        int64
	Person    shop.UserID
	Cart      Cart
	Email     string // for a reminder; empty: none is known
	Agreed    bool
	UpdatedAt time.Time
	Reminded  *time.Time
	Order     *shop.OrderID // that answered the reminder
}

// LeftCarts returns the carts of a shop that have lines or whose reminder led to an order since their
// last change, newest first, and their total.
func LeftCarts(ctx context.Context, r store.Reader, limit, offset int) (list []LeftCartRow, total int, err error) {
	const from = `
		FROM cart c LEFT JOIN LATERAL (
			SELECT sent_at, order_id FROM cart_reminder m WHERE m.company_id = $1 AND m.cart_id = c.id AND (m.ended_at IS NULL OR m.ended_at >= c.updated_at)
			ORDER BY m.id DESC LIMIT 1) m ON true
		WHERE c.company_id = $1 AND (m.order_id IS NOT NULL OR EXISTS (SELECT FROM cart_line l WHERE l.company_id = $1 AND l.person_id = c.person_id))`
	if err = r.DB.QueryRow(ctx, `SELECT count(*)`+from, r.Company).Scan(&total); err != nil || total <= offset {
		return nil, total, err
	}
	rows, err := r.DB.Query(ctx, `
		SELECT c.id, c.person_id, c.promo_code, c.contact_email, c.contact_phone, `+reminderAddress+`, c.agreed, c.updated_at, m.sent_at, m.order_id,
			(SELECT coalesce(json_agg(json_build_object('Product', l.product_id, 'Key', l.key, 'Quantity', l.quantity, 'Data', l.data) ORDER BY l.position), '[]')
				FROM cart_line l WHERE l.company_id = $1 AND l.person_id = c.person_id)`+
		strings.Replace(from, "FROM cart c", "FROM cart c JOIN person p ON p.id = c.person_id", 1)+`
		ORDER BY c.updated_at DESC, c.id LIMIT $2 OFFSET $3`, r.Company, limit, offset)
	if err != nil {
		return nil, 0, err
	}
	list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (c LeftCartRow, err error) {
		err = row.Scan(&c.ID, &c.Person, &c.Cart.PromoCode, &c.Cart.Contact.Email, &c.Cart.Contact.Phone, &c.Email, &c.Agreed, &c.UpdatedAt,
			&c.Reminded, &c.Order, &c.Cart.Lines)
		return c, err
	})
	return list, total, err
}
