package letter

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/form"
	"vitrine/internal/store/sales"
)

// Refusals of letters.
var (
	ErrNotFound             = shop.Refuse(shop.NotFound, "LETTER_NOT_FOUND").When("the shop has no letter with this id or name")
	ErrLetterResentTooOften = shop.Refuse(shop.FailedPrecondition, "LETTER_SENT_OFTEN").When("the letter was resent 10 times already")
)

// Names are the letters that shops send (CONTRACT-COMMERCE, "Letters").
var Names = []string{
	"order_made_buyer", "order_made_seller", "order_payment_buyer", "order_paid_buyer", "order_paid_seller", "paid_again_seller", "refund_refused_seller",
	"order_status_buyer", "order_status_seller", "order_shipped_buyer",
	"message_buyer", "message_seller", "personal_coupon_buyer", store.CartLetter, "lead_seller", store.LeadsLetter, "low_stock_seller",
	"review_seller", "question_seller", "question_buyer",
}

// ShopLetter is a letter of a shop in its queue.
type ShopLetter struct {
	ID        shop.LetterID
	Name      string
	Object    string
	Round     int
	Order     *shop.OrderID
	To        string
	Facts     store.LetterData
	Subject   *string // nil: not rendered yet
	Text      *string
	HTML      *string
	State     string // queued, sent, failed
	Error     string
	Tries     int
	CreatedAt time.Time
	SentAt    *time.Time
}

const maxRounds = 10 // of a letter resent manually

const letterColumns = `id, name, object, round, order_id, recipient, facts, subject, text, html, state, error, tries, created_at, sent_at`

// List returns one page of the letters of the shop, newest first, and their total.
// Empty filters don't restrict.
func List(ctx context.Context, r store.Reader, state, name string, limit, offset int) (list []ShopLetter, total int, err error) {
	const where = ` FROM letter WHERE company_id = $1 AND ($2 = '' OR state = $2) AND ($3 = '' OR name = $3)`
	if err = r.DB.QueryRow(ctx, `SELECT count(*)`+where, r.Company, state, name).Scan(&total); err != nil {
		return nil, 0, err
	}
	rows, err := r.DB.Query(ctx, `SELECT `+letterColumns+where+` ORDER BY id DESC LIMIT $4 OFFSET $5`, r.Company, state, name, limit, offset)
	if err != nil {
		return nil, 0, err
	}
	list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[ShopLetter])
	return list, total, err
}

// Get reads one letter of the shop.
func Get(ctx context.Context, r store.Reader, id shop.LetterID) (ShopLetter, error) {
	rows, err := r.DB.Query(ctx, `SELECT `+letterColumns+` FROM letter WHERE company_id = $1 AND id = $2`, r.Company, id)
	if err != nil {
		return ShopLetter{}, err
	}
	l, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[ShopLetter])
	if store.NoRow(err) {
		err = ErrNotFound
	}
	return l, err
}

// Newest returns the newest letter of a name, for previews; found is false where the
// shop has none.
func Newest(ctx context.Context, r store.Reader, name string) (l ShopLetter, found bool, err error) {
	list, _, err := List(ctx, r, "", name, 1, 0)
	if err != nil || len(list) == 0 {
		return l, false, err
	}
	return list[0], true, nil
}

// SetWords stores the rendered text of a letter, unless it is rendered already. The text stays
// the same from then on.
func SetWords(ctx context.Context, s *store.Store, company shop.CompanyID, l ShopLetter, subject, text, html string) (ShopLetter, error) {
	err := s.Pool.QueryRow(ctx, `
		UPDATE letter SET subject = coalesce(subject, $3), text = coalesce(text, $4), html = coalesce(html, $5) WHERE company_id = $1 AND id = $2
		RETURNING subject, text, html`, company, l.ID, subject, text, html).Scan(&l.Subject, &l.Text, &l.HTML)
	if store.NoRow(err) {
		err = ErrNotFound
	}
	return l, err
}

// SendAgain queues a letter again with its rendered text, and clears the bounce of its
// address.
func SendAgain(ctx context.Context, tx *store.Tx, id shop.LetterID) (again shop.LetterID, err error) {
	tx.LettersQueued = true
	err = tx.DB.QueryRow(ctx, `
		WITH open AS (
			DELETE FROM letter_bounce b USING letter l WHERE l.company_id = $1 AND l.id = $2 AND b.company_id = $1 AND b.recipient = lower(l.recipient))
		INSERT INTO letter (company_id, name, object, round, order_id, person_id, recipient, facts, subject, text, html)
		SELECT l.company_id, l.name, l.object, (SELECT max(round) + 1 FROM letter o WHERE o.company_id = $1 AND o.name = l.name AND o.object = l.object),
			l.order_id, l.person_id, l.recipient, l.facts, l.subject, l.text, l.html
		FROM letter l WHERE l.company_id = $1 AND l.id = $2
			AND (SELECT max(round) FROM letter o WHERE o.company_id = $1 AND o.name = l.name AND o.object = l.object) < $3
		RETURNING id`, tx.Company, id, maxRounds).Scan(&again)
	if store.NoRow(err) {
		err = ErrLetterResentTooOften
	}
	return again, err
}

// Template is a shop's template of a letter.
type Template struct {
	Name    string
	Subject string
	Text    string
	HTML    string
	Error   string // why a letter fell back to the platform's template

	UpdatedAt time.Time
}

// GetTemplate reads the shop's template of a name; found is false where the shop uses
// the platform's.
func GetTemplate(ctx context.Context, r store.Reader, name string) (t Template, found bool, err error) {
	rows, err := r.DB.Query(ctx, `SELECT name, subject, text, html, error, updated_at FROM letter_template WHERE company_id = $1 AND name = $2`, r.Company, name)
	if err != nil {
		return t, false, err
	}
	t, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Template])
	if store.NoRow(err) {
		return t, false, nil
	}
	return t, err == nil, err
}

// Templates reads the shop's templates by name, without their bodies.
func Templates(ctx context.Context, r store.Reader) (map[string]Template, error) {
	rows, err := r.DB.Query(ctx, `SELECT name, subject, '', '', error, updated_at FROM letter_template WHERE company_id = $1`, r.Company)
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Template])
	of := make(map[string]Template, len(list))
	for _, t := range list {
		of[t.Name] = t
	}
	return of, err
}

// SaveTemplate sets the template of a letter.
func SaveTemplate(ctx context.Context, tx *store.Tx, t *Template) error {
	return tx.DB.QueryRow(ctx, `
		INSERT INTO letter_template (company_id, name, subject, text, html) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (company_id, name) DO UPDATE SET subject = excluded.subject, text = excluded.text, html = excluded.html, error = '', updated_at = now()
		RETURNING updated_at`, tx.Company, t.Name, t.Subject, t.Text, t.HTML).Scan(&t.UpdatedAt)
}

// DropTemplate returns to the template of the platform.
func DropTemplate(ctx context.Context, tx *store.Tx, name string) error {
	_, err := tx.DB.Exec(ctx, `DELETE FROM letter_template WHERE company_id = $1 AND name = $2`, tx.Company, name)
	return err
}

// FailTemplate records that a shop's template could not be used, and informs the
// owner the first time.
func FailTemplate(ctx context.Context, tx *store.Tx, name, why string, letter store.PlatformLetter) error {
	tag, err := tx.DB.Exec(ctx, `
		UPDATE letter_template SET error = $3 WHERE company_id = $1 AND name = $2 AND error = ''`, tx.Company, name, why)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	return tx.LetterToOwner(ctx, letter)
}

// Domain is the key that signs letters from a shop's own domain.
type Domain struct {
	Domain     string
	Selector   string
	Sealed     []byte
	Public     string
	VerifiedAt *time.Time
}

// GetDomain reads that of the shop; found is false where it has none.
func GetDomain(ctx context.Context, r store.Reader) (d Domain, found bool, err error) {
	rows, err := r.DB.Query(ctx, `SELECT domain, selector, sealed, public, verified_at FROM letter_domain WHERE company_id = $1`, r.Company)
	if err != nil {
		return d, false, err
	}
	d, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Domain])
	if store.NoRow(err) {
		return d, false, nil
	}
	return d, err == nil, err
}

// SaveDomain stores the key.
func SaveDomain(ctx context.Context, tx *store.Tx, d Domain) error {
	_, err := tx.DB.Exec(ctx, `
		INSERT INTO letter_domain (company_id, domain, selector, sealed, public, verified_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (company_id) DO UPDATE SET domain = excluded.domain, selector = excluded.selector, sealed = excluded.sealed,
			public = excluded.public, verified_at = excluded.verified_at`, tx.Company, d.Domain, d.Selector, d.Sealed, d.Public, d.VerifiedAt)
	return err
}

// CouponLetter is a personal coupon as its letter shows it.
type CouponLetter struct {
	Code      string
	Name      string
	Value     json.RawMessage
	ExpiresAt *time.Time
}

// Coupon reads a personal coupon by its code.
func Coupon(ctx context.Context, r store.Reader, code string) (c CouponLetter, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT c.code, p.name, p.value, c.expires_at FROM personal_code c JOIN promotion p ON p.company_id = $1 AND p.id = c.promotion_id
		WHERE c.company_id = $1 AND c.code = $2`, r.Company, code).Scan(&c.Code, &c.Name, (*[]byte)(&c.Value), &c.ExpiresAt)
	return c, letterSubject(err)
}

// LeadLetter is a lead with its form, for the letter about it.
type LeadLetter struct {
	form.Lead
	Name   string
	Fields json.RawMessage
}

// LeadForLetter reads a lead with its form, which may be deleted.
func LeadForLetter(ctx context.Context, r store.Reader, id shop.LeadID) (l LeadLetter, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT l.id, l.answers, l.page_url, l.created_at, f.name, f.fields
		FROM form_lead l JOIN form f ON f.company_id = $1 AND f.id = l.form_id WHERE l.company_id = $1 AND l.id = $2`, r.Company, id).
		Scan(&l.ID, (*[]byte)(&l.Answers), &l.PageURL, &l.CreatedAt, &l.Name, (*[]byte)(&l.Fields))
	return l, letterSubject(err)
}

// CountLeadsOfLetter counts the leads of a combined letter: those from its first one on that have
// no letter, up to the first of the next combined letter.
func CountLeadsOfLetter(ctx context.Context, r store.Reader, letter shop.LetterID, first shop.LeadID) (n int64, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT count(*) FROM form_lead l WHERE l.company_id = $1 AND l.id >= $3 AND l.status <> 'spam' AND NOT l.test
			AND l.id < coalesce((SELECT min((facts->>'lead_id')::bigint) FROM letter
				WHERE company_id = $1 AND name = $4 AND id > $2 AND (facts->>'lead_id')::bigint > $3), 9223372036854775807)
			AND NOT EXISTS (SELECT FROM letter e WHERE e.company_id = $1 AND e.name = 'lead_seller' AND e.object = l.id::text)`,
		r.Company, letter, first, store.LeadsLetter).Scan(&n)
	return n, err
}

// OrderMessage reads one message of an order.
func OrderMessage(ctx context.Context, r store.Reader, id shop.MessageID) (m sales.Message, err error) {
	rows, err := r.DB.Query(ctx, `
		SELECT id, by_buyer, person_id, text, file_ids, created_at FROM order_message WHERE company_id = $1 AND id = $2`, r.Company, id)
	if err != nil {
		return m, err
	}
	m, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[sales.Message])
	return m, letterSubject(err)
}

// letterSubject returns ErrLetterNotFound if the subject of a letter was removed.
func letterSubject(err error) error {
	if store.NoRow(err) {
		return ErrNotFound
	}
	return err
}
