package store

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// Events and letters are rows of the transaction that causes them. A draft transaction has
// none.

// QueueEvent adds an event of the shop to a batch of the transaction.
func (tx *Tx) QueueEvent(b *pgx.Batch, name string, body any) {
	if tx.draft {
		return
	}
	tx.EventsRecorded = true
	b.Queue(`INSERT INTO event (company_id, name, body) VALUES ($1, $2, $3)`, tx.Company, name, body)
}

// RecordEvent stores an event of the shop.
func (tx *Tx) RecordEvent(ctx context.Context, name string, body any) error {
	b := &pgx.Batch{}
	tx.QueueEvent(b, name, body)
	return tx.DB.SendBatch(ctx, b).Close()
}

// OrderChange is the name of events that tell a platform of an order. They are sent to it alone; what
// follows says what has changed.
const OrderChange = "assistant.order_"

// QueueOrderChange tells the platform through which an order was made of a change. It does nothing for
// an order of another source, or if the platform has no address for it.
func (tx *Tx) QueueOrderChange(b *pgx.Batch, order shop.OrderID, change string) {
	if tx.draft {
		return
	}
	tx.EventsRecorded = true
	b.Queue(queueOrderChange, tx.Company, order, OrderChange+change)
}

// The webhook of a platform is made with its first order, and follows its address. Where that has to
// be done, the platform is locked and read again, so that orders made at once share one webhook.
const queueOrderChange = `
	WITH told AS (
		SELECT p.company_id, p.id, p.webhook_url AS url, p.webhook_id, p.webhook_to FROM shop_order o
		JOIN assist_platform p ON p.company_id = o.company_id AND p.id = (o.assistant ->> 'platform_id')::bigint
		WHERE o.company_id = $1 AND o.id = $2 AND o.assistant IS NOT NULL AND p.webhook_url <> '' AND NOT p.blocked),
	locked AS (
		SELECT p.company_id, p.id, t.url, p.webhook_id, p.webhook_to FROM assist_platform p JOIN told t ON t.company_id = p.company_id AND t.id = p.id
		WHERE t.webhook_to IS DISTINCT FROM t.url FOR NO KEY UPDATE OF p),
	made AS (
		INSERT INTO webhook (company_id, platform_id, url, host, events)
		SELECT company_id, id, url, lower(substring(url FROM '^[a-z]+://([^/?#]*)')), '{}' FROM locked WHERE webhook_id IS NULL RETURNING id),
	moved AS (
		UPDATE webhook w SET url = l.url, host = lower(substring(l.url FROM '^[a-z]+://([^/?#]*)')), updated_at = now(), room = 8, failures = 0, failing_since = NULL
		FROM locked l WHERE w.company_id = l.company_id AND w.id = l.webhook_id AND l.webhook_to IS DISTINCT FROM l.url),
	noted AS (
		UPDATE assist_platform p SET webhook_id = coalesce(l.webhook_id, (SELECT id FROM made)), webhook_to = l.url
		FROM locked l WHERE p.company_id = l.company_id AND p.id = l.id),
	event AS (
		INSERT INTO event (company_id, name, body)
		SELECT company_id, $3, jsonb_build_object('order_id', $2::bigint) FROM told RETURNING id)
	INSERT INTO webhook_delivery (company_id, webhook_id, event_id, bulk, secret)
	SELECT t.company_id, coalesce((SELECT id FROM made), (SELECT webhook_id FROM locked), t.webhook_id), event.id, false, 1 FROM told t, event`

// EditedProducts records edits of products: each becomes one product.updated event when the
// transaction commits (document 1, section 6). Every write to a product, its variants, its
// galleries or its group calls it; writes to stock do not. A draft transaction records
// nothing.
func (tx *Tx) EditedProducts(ids ...shop.ProductID) {
	if !tx.draft {
		tx.edits = append(tx.edits, ids...)
	}
}

// queueEdits adds the events of the edits to a batch.
func (tx *Tx) queueEdits(b *pgx.Batch) {
	if len(tx.edits) == 0 {
		return
	}
	tx.EventsRecorded = true
	b.Queue(`
		INSERT INTO event (company_id, name, body)
		SELECT $1, 'product.updated', jsonb_build_object('product_id', id, 'company_id', $1::integer)
		FROM (SELECT DISTINCT unnest($2::integer[]) AS id ORDER BY 1) AS edited`, tx.Company, tx.edits)
}

// ErrTooManyLetters is returned when the platform would write to one address too often.
var ErrTooManyLetters = shop.Refuse(shop.ResourceExhausted, "RATE_LIMITED").
	When("too many calls in this minute; wait for Retry-After seconds").
	With("this address got too many letters within an hour").RetryAfter(int(LetterWindow / time.Second))

// How many letters an address gets within an hour, regardless of who requests them.
const (
	maxLettersPerWindow = 5
	codesPerWindow      = 20 // with codes and links, for which each network has its own budget
	LetterWindow        = time.Hour
)

// LetterKind is the subject of a letter of the platform.
type LetterKind string

// The kinds of letters about accounts (CONTRACT-COMMERCE, "Letters").
const (
	LetterInvitation LetterKind = "invitation"
	LetterCode       LetterKind = "code"
	LetterReset      LetterKind = "reset"
	LetterMoved      LetterKind = "email_changed"

	LetterTemplateFailed LetterKind = "template_failed" // of a shop, to its owner
	LetterWebhookFailing LetterKind = "webhook_failing" // as above
)

// PlatformLetter is a letter of the platform about an account. It belongs to no shop, and no shop
// lists it: its text contains the code that proves an address.
type PlatformLetter struct {
	ID        shop.LetterID `json:"id"`
	Kind      LetterKind    `json:"kind"`
	To        string        `json:"to"`
	Subject   string        `json:"subject"`
	Text      string        `json:"text"`
	CreatedAt time.Time     `json:"created_at"`
	ExpiresAt time.Time     `json:"expires_at"` // end of delivery attempts

	// Trusted letters have no limit here: they were requested from a network from which the
	// person has signed in, so strangers cannot use up the person's budget.
	Trusted bool `json:"-" db:"-"`
}

// QueuePlatformLetter queues a letter in the transaction that causes it.
func (tx *Tx) QueuePlatformLetter(ctx context.Context, l PlatformLetter) error {
	tx.LettersQueued = true
	return PostLetter(ctx, tx.DB, l)
}

// PostLetter queues a letter of the platform; it is ErrTooManyLetters above the limit of an
// address. Inside a Tx use Post.
func PostLetter(ctx context.Context, q Querier, l PlatformLetter) error {
	limit := maxLettersPerWindow
	if l.Kind == LetterCode || l.Kind == LetterReset {
		limit = codesPerWindow
	}
	tag, err := q.Exec(ctx, `
		INSERT INTO platform_letter (kind, recipient, subject, text, created_at, expires_at)
		SELECT $1, $2, $3, $4, $5, $6
		WHERE $9 OR (SELECT count(*) FROM platform_letter WHERE lower(recipient) = lower($2) AND created_at > $7) < $8`,
		l.Kind, l.To, l.Subject, l.Text, l.CreatedAt, l.ExpiresAt, l.CreatedAt.Add(-LetterWindow), limit, l.Trusted)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrTooManyLetters
	}
	return err
}

// OnLetters sets the function that is called after a commit that queued letters.
func (s *Store) OnLetters(f func()) { s.onLetters = f }

// LettersQueued calls the OnLetters function unless the commit failed.
func (s *Store) LettersQueued(failed error) error {
	if failed == nil && s.onLetters != nil {
		s.onLetters()
	}
	return failed
}

// Suffixes of letter names that tell the recipient.
const (
	ToBuyer  = "_buyer"
	ToSeller = "_seller"
)

// LeadsLetter informs about the leads of an hour beyond the limit of one letter each. They
// are counted when it is sent.
const LeadsLetter = "leads_seller"

// CartLetter reminds a buyer of a cart that was left.
const CartLetter = "cart_left" + ToBuyer

// LetterData hold data that cannot be looked up when a letter is rendered.
type LetterData struct {
	From    shop.OrderStatus `json:"from,omitempty"` // of order_status
	Status  shop.OrderStatus `json:"to,omitempty"`
	Message shop.MessageID   `json:"message_id,omitempty"`
	Code    string           `json:"code,omitempty"` // of personal_coupon and cart_left
	Product shop.ProductID   `json:"product_id,omitempty"`
	Variant shop.VariantID   `json:"variant_id,omitempty"`
	Left    int64            `json:"left,omitempty"`
	Lead    shop.LeadID      `json:"lead_id,omitempty"` // of leads: the first lead
	Payment shop.PaymentID   `json:"payment_id,omitempty"`
	Why     string           `json:"why,omitempty"` // of refund_refused
	Remark  shop.RemarkID    `json:"remark_id,omitempty"`

	Shipment shop.ShipmentID `json:"shipment_id,omitempty"`
	Reminder int64           `json:"reminder_id,omitempty"` // of cart_left
}

// NewLetter is a letter to be queued.
type NewLetter struct {
	Name   string
	Object string
	Order  *shop.OrderID
	Person shop.UserID
	To     string      // empty: the shop's owner, for letters to the seller
	Actor  shop.UserID // gets no letter as the shop's owner
	Facts  LetterData
	Most   int // limit per name and hour, per order if it has one; 0: no limit
}

// Limits of letters within an hour, so that frequent events do not flood a mailbox.
const (
	MessagesAnHour = 10 // about one order, to one side
	LeadsAnHour    = 60 // of a shop
	StatusesAnHour = 20 // of one order

	ShipmentsAnHour = 20 // of one order
)

// QueueLetters adds letters of the shop to a batch of the transaction. Letters without an
// address are skipped, and none is queued twice.
func (tx *Tx) QueueLetters(b *pgx.Batch, letters ...NewLetter) {
	if tx.draft {
		return
	}
	tx.LettersQueued = true
	for _, l := range letters {
		counted := `name = $2`
		if l.Order != nil {
			counted += ` AND order_id = $4`
		}
		b.Queue(`
			INSERT INTO letter (company_id, name, object, order_id, person_id, recipient, facts)
			SELECT $1, $2, $3, $4, nullif($5, 0), recipient, $7
			FROM (SELECT CASE WHEN $8 THEN owner_email($1) ELSE $6 END AS recipient) a WHERE recipient <> ''
				AND NOT ($8 AND EXISTS (SELECT FROM person WHERE id = $9 AND email = recipient))
				AND ($10 = 0 OR (SELECT count(*) FROM (SELECT created_at FROM letter WHERE company_id = $1 AND `+counted+` ORDER BY id DESC LIMIT $10) newest
					WHERE created_at > now() - interval '1 hour') < $10)
			ON CONFLICT (company_id, name, object, round) DO NOTHING`,
			tx.Company, l.Name, l.Object, l.Order, l.Person, l.To, l.Facts, l.To == "" && strings.HasSuffix(l.Name, ToSeller), l.Actor, l.Most)
	}
}

// RecordLetters queues letters of the shop at once.
func (tx *Tx) RecordLetters(ctx context.Context, letters ...NewLetter) error {
	b := &pgx.Batch{}
	tx.QueueLetters(b, letters...)
	return tx.DB.SendBatch(ctx, b).Close()
}

// LetterToOwner queues a letter of the platform to the owner of the shop.
func (tx *Tx) LetterToOwner(ctx context.Context, letter PlatformLetter) error {
	err := tx.DB.QueryRow(ctx, `SELECT coalesce(owner_email($1), '')`, tx.Company).Scan(&letter.To)
	if err != nil || letter.To == "" {
		return err
	}
	tx.LettersQueued = true
	_, err = tx.DB.Exec(ctx, `
		INSERT INTO platform_letter (kind, recipient, subject, text, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		letter.Kind, letter.To, letter.Subject, letter.Text, letter.CreatedAt, letter.ExpiresAt)
	return err
}
