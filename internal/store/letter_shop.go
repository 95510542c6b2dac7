package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// Refusals of letters.
var (
	ErrLetterNotFound = shop.Refuse(shop.NotFound, "LETTER_NOT_FOUND").When("the shop has no letter with this id or name")
	ErrLetterOften    = shop.Refuse(shop.FailedPrecondition, "LETTER_SENT_OFTEN").When("the letter was resent 10 times already")
)

// Suffixes of letter names that tell the recipient.
const (
	ToBuyer  = "_buyer"
	ToSeller = "_seller"
)

// LetterNames are the letters that shops send (CONTRACT-COMMERCE, "Letters").
var LetterNames = []string{
	"order_made_buyer", "order_made_seller", "order_paid_buyer", "order_paid_seller", "paid_again_seller", "refund_refused_seller",
	"order_status_buyer", "order_status_seller",
	"message_buyer", "message_seller", "personal_coupon_buyer", "lead_seller", LeadsLetter, "low_stock_seller",
	"review_seller", "question_seller", "question_buyer",
}

// LeadsLetter informs about the leads of an hour beyond the limit of one letter each. They
// are counted when it is sent.
const LeadsLetter = "leads_seller"

// ShopLetter is a letter of a shop in its queue.
type ShopLetter struct {
	ID        shop.LetterID
	Name      string
	Object    string
	Round     int
	Order     *shop.OrderID
	To        string
	Facts     LetterFacts
	Subject   *string // nil: not rendered yet
	Text      *string
	HTML      *string
	State     string // queued, sent, failed
	Error     string
	Tries     int
	CreatedAt time.Time
	SentAt    *time.Time
}

// LetterFacts hold data that cannot be looked up when a letter is rendered.
type LetterFacts struct {
	From    shop.OrderStatus `json:"from,omitempty"` // of order_status
	Status  shop.OrderStatus `json:"to,omitempty"`
	Message shop.MessageID   `json:"message_id,omitempty"`
	Code    string           `json:"code,omitempty"` // of personal_coupon
	Product shop.ProductID   `json:"product_id,omitempty"`
	Left    int64            `json:"left,omitempty"`
	Lead    shop.LeadID      `json:"lead_id,omitempty"` // of leads: the first lead
	Payment shop.PaymentID   `json:"payment_id,omitempty"`
	Why     string           `json:"why,omitempty"` // of refund_refused
	Remark  shop.RemarkID    `json:"remark_id,omitempty"`
}

// draftLetter is a letter to be queued.
type draftLetter struct {
	Name   string        `json:"name"`
	Object string        `json:"object"`
	Order  *shop.OrderID `json:"-"`
	Person shop.UserID   `json:"person_id"`
	To     string        `json:"recipient"` // empty: the shop's owner
	Facts  LetterFacts   `json:"facts"`
	Most   int           `json:"-"` // limit per name and hour, per order if it has one; 0: no limit
}

// Limits of letters within an hour, so that frequent events do not flood a mailbox.
const (
	messagesAnHour = 10 // about one order, to one side
	leadsAnHour    = 60 // of a shop
	statusesAnHour = 20 // of one order
)

const maxRounds = 10 // of a letter resent manually

// queue adds letters to the shop's queue in the transaction that causes them. Letters
// without an address are skipped, and none is queued twice.
func (tx *Tx) queue(ctx context.Context, letters ...draftLetter) error {
	if tx.draft {
		return nil
	}
	tx.posted = true
	b := &pgx.Batch{}
	for _, l := range letters {
		b.Queue(`
			INSERT INTO letter (company_id, name, object, order_id, person_id, recipient, facts)
			SELECT $1, $2, $3, $4, nullif($5, 0), recipient, $7
			FROM (SELECT coalesce(nullif($6, ''), CASE WHEN $8 THEN owner_email($1) END) AS recipient) a WHERE recipient <> ''
				AND ($9 = 0 OR coalesce((SELECT created_at FROM letter WHERE company_id = $1 AND name = $2 AND ($4::bigint IS NULL OR order_id = $4)
					ORDER BY id DESC OFFSET greatest($9 - 1, 0) LIMIT 1) <= now() - interval '1 hour', true))
			ON CONFLICT (company_id, name, object, round) DO NOTHING`,
			tx.Company, l.Name, l.Object, l.Order, l.Person, l.To, l.Facts, l.To == "" && toSeller(l.Name), l.Most)
	}
	return tx.q.SendBatch(ctx, b).Close()
}

func toSeller(name string) bool {
	return len(name) > len(ToSeller) && name[len(name)-len(ToSeller):] == ToSeller
}

// both returns a letter about an order to its buyer and one to the seller.
func both(name, object string, o *Order, facts LetterFacts) []draftLetter {
	return []draftLetter{
		{Name: name + ToBuyer, Object: object, Order: &o.ID, Person: o.Person, To: o.Contact.Email, Facts: facts},
		{Name: name + ToSeller, Object: object, Order: &o.ID, Person: o.Person, Facts: facts},
	}
}

const letterColumns = `id, name, object, round, order_id, recipient, facts, subject, text, html, state, error, tries, created_at, sent_at`

// ShopLetters returns one page of the letters of the shop, newest first, and their total.
// Empty filters don't restrict.
func (r Reader) ShopLetters(ctx context.Context, state, name string, limit, offset int) (list []ShopLetter, total int, err error) {
	const where = ` FROM letter WHERE company_id = $1 AND ($2 = '' OR state = $2) AND ($3 = '' OR name = $3)`
	if err = r.q.QueryRow(ctx, `SELECT count(*)`+where, r.Company, state, name).Scan(&total); err != nil {
		return nil, 0, err
	}
	rows, err := r.q.Query(ctx, `SELECT `+letterColumns+where+` ORDER BY id DESC LIMIT $4 OFFSET $5`, r.Company, state, name, limit, offset)
	if err != nil {
		return nil, 0, err
	}
	list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[ShopLetter])
	return list, total, err
}

// ShopLetter reads one letter of the shop.
func (r Reader) ShopLetter(ctx context.Context, id shop.LetterID) (ShopLetter, error) {
	rows, err := r.q.Query(ctx, `SELECT `+letterColumns+` FROM letter WHERE company_id = $1 AND id = $2`, r.Company, id)
	if err != nil {
		return ShopLetter{}, err
	}
	l, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[ShopLetter])
	if noRow(err) {
		err = ErrLetterNotFound
	}
	return l, err
}

// NewestLetter returns the newest letter of a name, for previews; found is false where the
// shop has none.
func (r Reader) NewestLetter(ctx context.Context, name string) (l ShopLetter, found bool, err error) {
	list, _, err := r.ShopLetters(ctx, "", name, 1, 0)
	if err != nil || len(list) == 0 {
		return l, false, err
	}
	return list[0], true, nil
}

// Word stores the rendered text of a letter, unless it is rendered already. The text stays
// the same from then on.
func (s *Store) Word(ctx context.Context, company shop.CompanyID, l ShopLetter, subject, text, html string) (ShopLetter, error) {
	err := s.pool.QueryRow(ctx, `
		UPDATE letter SET subject = coalesce(subject, $3), text = coalesce(text, $4), html = coalesce(html, $5) WHERE company_id = $1 AND id = $2
		RETURNING subject, text, html`, company, l.ID, subject, text, html).Scan(&l.Subject, &l.Text, &l.HTML)
	if noRow(err) {
		err = ErrLetterNotFound
	}
	return l, err
}

// PostAgain queues a letter again with its rendered text, and clears the bounce of its
// address.
func (tx *Tx) PostAgain(ctx context.Context, id shop.LetterID) (again shop.LetterID, err error) {
	tx.posted = true
	err = tx.q.QueryRow(ctx, `
		WITH open AS (
			DELETE FROM letter_bounce b USING letter l WHERE l.company_id = $1 AND l.id = $2 AND b.company_id = $1 AND b.recipient = lower(l.recipient))
		INSERT INTO letter (company_id, name, object, round, order_id, person_id, recipient, facts, subject, text, html)
		SELECT l.company_id, l.name, l.object, (SELECT max(round) + 1 FROM letter o WHERE o.company_id = $1 AND o.name = l.name AND o.object = l.object),
			l.order_id, l.person_id, l.recipient, l.facts, l.subject, l.text, l.html
		FROM letter l WHERE l.company_id = $1 AND l.id = $2
			AND (SELECT max(round) FROM letter o WHERE o.company_id = $1 AND o.name = l.name AND o.object = l.object) < $3
		RETURNING id`, tx.Company, id, maxRounds).Scan(&again)
	if noRow(err) {
		err = ErrLetterOften
	}
	return again, err
}

// LetterTemplate is a shop's template of a letter.
type LetterTemplate struct {
	Name    string
	Subject string
	Text    string
	HTML    string
	Error   string // why a letter fell back to the platform's template
}

// LetterTemplate reads the shop's template of a name; found is false where the shop uses
// the platform's.
func (r Reader) LetterTemplate(ctx context.Context, name string) (t LetterTemplate, found bool, err error) {
	rows, err := r.q.Query(ctx, `SELECT name, subject, text, html, error FROM letter_template WHERE company_id = $1 AND name = $2`, r.Company, name)
	if err != nil {
		return t, false, err
	}
	t, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[LetterTemplate])
	if noRow(err) {
		return t, false, nil
	}
	return t, err == nil, err
}

// SaveLetterTemplate sets the template of a letter.
func (tx *Tx) SaveLetterTemplate(ctx context.Context, t LetterTemplate) error {
	_, err := tx.q.Exec(ctx, `
		INSERT INTO letter_template (company_id, name, subject, text, html) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (company_id, name) DO UPDATE SET subject = excluded.subject, text = excluded.text, html = excluded.html, error = '', updated_at = now()`,
		tx.Company, t.Name, t.Subject, t.Text, t.HTML)
	return err
}

// DropLetterTemplate returns to the template of the platform.
func (tx *Tx) DropLetterTemplate(ctx context.Context, name string) error {
	_, err := tx.q.Exec(ctx, `DELETE FROM letter_template WHERE company_id = $1 AND name = $2`, tx.Company, name)
	return err
}

// FailLetterTemplate records that a shop's template could not be used, and informs the
// owner the first time.
func (tx *Tx) FailLetterTemplate(ctx context.Context, name, why string, letter Letter) error {
	tag, err := tx.q.Exec(ctx, `
		UPDATE letter_template SET error = $3 WHERE company_id = $1 AND name = $2 AND error = ''`, tx.Company, name, why)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	return tx.tellOwner(ctx, letter)
}

// tellOwner queues a letter of the platform to the owner of the shop.
func (tx *Tx) tellOwner(ctx context.Context, letter Letter) error {
	err := tx.q.QueryRow(ctx, `SELECT coalesce(owner_email($1), '')`, tx.Company).Scan(&letter.To)
	if err != nil || letter.To == "" {
		return err
	}
	tx.posted = true
	_, err = tx.q.Exec(ctx, `
		INSERT INTO platform_letter (kind, recipient, subject, text, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		letter.Kind, letter.To, letter.Subject, letter.Text, letter.CreatedAt, letter.ExpiresAt)
	return err
}

// LetterDomain is the key that signs letters from a shop's own domain.
type LetterDomain struct {
	Domain     string
	Selector   string
	Sealed     []byte
	Public     string
	VerifiedAt *time.Time
}

// LetterDomain reads that of the shop; found is false where it has none.
func (r Reader) LetterDomain(ctx context.Context) (d LetterDomain, found bool, err error) {
	rows, err := r.q.Query(ctx, `SELECT domain, selector, sealed, public, verified_at FROM letter_domain WHERE company_id = $1`, r.Company)
	if err != nil {
		return d, false, err
	}
	d, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[LetterDomain])
	if noRow(err) {
		return d, false, nil
	}
	return d, err == nil, err
}

// SaveLetterDomain stores the key.
func (tx *Tx) SaveLetterDomain(ctx context.Context, d LetterDomain) error {
	_, err := tx.q.Exec(ctx, `
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
func (r Reader) Coupon(ctx context.Context, code string) (c CouponLetter, err error) {
	err = r.q.QueryRow(ctx, `
		SELECT c.code, p.name, p.value, c.expires_at FROM personal_code c JOIN promotion p ON p.company_id = $1 AND p.id = c.promotion_id
		WHERE c.company_id = $1 AND c.code = $2`, r.Company, code).Scan(&c.Code, &c.Name, (*[]byte)(&c.Value), &c.ExpiresAt)
	return c, orGone(err)
}

// LeadLetter is a lead with its form, for the letter about it.
type LeadLetter struct {
	Lead
	Name   string
	Fields json.RawMessage
}

// LeadOf reads a lead with its form, which may be deleted.
func (r Reader) LeadOf(ctx context.Context, id shop.LeadID) (l LeadLetter, err error) {
	err = r.q.QueryRow(ctx, `
		SELECT l.id, l.answers, l.page_url, l.created_at, f.name, f.fields
		FROM form_lead l JOIN form f ON f.company_id = $1 AND f.id = l.form_id WHERE l.company_id = $1 AND l.id = $2`, r.Company, id).
		Scan(&l.ID, (*[]byte)(&l.Answers), &l.PageURL, &l.CreatedAt, &l.Name, (*[]byte)(&l.Fields))
	return l, orGone(err)
}

// LeadsOf counts the leads of a combined letter: those from its first one on that have no
// letter, up to the first of the next combined letter.
func (r Reader) LeadsOf(ctx context.Context, letter shop.LetterID, first shop.LeadID) (n int64, err error) {
	err = r.q.QueryRow(ctx, `
		SELECT count(*) FROM form_lead l WHERE l.company_id = $1 AND l.id >= $3 AND l.status <> 'spam' AND NOT l.test
			AND l.id < coalesce((SELECT min((facts->>'lead_id')::bigint) FROM letter
				WHERE company_id = $1 AND name = $4 AND id > $2 AND (facts->>'lead_id')::bigint > $3), 9223372036854775807)
			AND NOT EXISTS (SELECT FROM letter e WHERE e.company_id = $1 AND e.name = 'lead_seller' AND e.object = l.id::text)`,
		r.Company, letter, first, LeadsLetter).Scan(&n)
	return n, err
}

// MessageOf reads one message of an order.
func (r Reader) MessageOf(ctx context.Context, id shop.MessageID) (m Message, err error) {
	rows, err := r.q.Query(ctx, `
		SELECT id, by_buyer, person_id, text, file_ids, created_at FROM order_message WHERE company_id = $1 AND id = $2`, r.Company, id)
	if err != nil {
		return m, err
	}
	m, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Message])
	return m, orGone(err)
}

// orGone returns ErrLetterNotFound if the subject of a letter was removed.
func orGone(err error) error {
	if noRow(err) {
		return ErrLetterNotFound
	}
	return err
}
