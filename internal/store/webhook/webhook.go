package webhook

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of webhooks.
var (
	ErrNotFound         = shop.Refuse(shop.NotFound, "WEBHOOK_NOT_FOUND").When("the shop has no subscription with this id")
	ErrTooMany          = shop.Refuse(shop.FailedPrecondition, "TOO_MANY_WEBHOOKS").When("the shop has 50 subscriptions")
	ErrDeliveryNotFound = shop.Refuse(shop.NotFound, "WEBHOOK_DELIVERY_NOT_FOUND").When("the journal of the subscription has no delivery with this id")
)

const (
	maxWebhooks   = 50 // of a shop
	secretOverlap = 24 * time.Hour

	// MaxReplay is how many deliveries one replay queues.
	MaxReplay = 100_000
)

// Gone is the reason of dead deliveries whose subscription was deleted or disabled
// (document 2, section 3).
const Gone = "subscription is gone or disabled"

// Webhook is a subscription to events.
type Webhook struct {
	ID            shop.WebhookID
	URL           string
	Host          string
	Events        []string
	Active        bool
	Secret        int // the version that signs
	LastStatus    int // 0: never delivered, or no answer
	LastError     string
	LastDelivered *time.Time
	FailingSince  *time.Time
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

const webhookColumns = `id, url, host, events, is_active, secret, last_status, last_error, last_delivered_at, failing_since, created_at, updated_at`

// List returns the subscriptions of the shop to events, newest first.
func List(ctx context.Context, r store.Reader) ([]Webhook, error) {
	rows, err := r.DB.Query(ctx, `SELECT `+webhookColumns+` FROM webhook WHERE company_id = $1 AND deleted_at IS NULL AND platform_id IS NULL ORDER BY id DESC`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Webhook])
}

// Get reads one subscription.
func Get(ctx context.Context, r store.Reader, id shop.WebhookID) (Webhook, error) {
	return webhook(ctx, r, id, ` AND platform_id IS NULL`)
}

// Lock reads and locks a subscription.
func Lock(ctx context.Context, tx *store.Tx, id shop.WebhookID) (Webhook, error) {
	return webhook(ctx, tx.Reader, id, ` AND platform_id IS NULL FOR NO KEY UPDATE`)
}

// LockJournal reads and locks a subscription, or the row of a platform, for a change of its deliveries.
func LockJournal(ctx context.Context, tx *store.Tx, id shop.WebhookID) (Webhook, error) {
	return webhook(ctx, tx.Reader, id, ` FOR NO KEY UPDATE`)
}

func webhook(ctx context.Context, r store.Reader, id shop.WebhookID, and string) (w Webhook, err error) {
	rows, err := r.DB.Query(ctx, `SELECT `+webhookColumns+` FROM webhook WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL`+and, r.Company, id)
	if err != nil {
		return w, err
	}
	w, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Webhook])
	if store.NoRow(err) {
		err = ErrNotFound
	}
	return w, err
}

// Insert adds a subscription; seal encrypts its secret once its id is known.
func Insert(ctx context.Context, tx *store.Tx, w *Webhook, seal func(shop.WebhookID) []byte) error {
	var n int
	if _, err := tx.DB.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('webhooks:' || $1::integer::text, 0))`, tx.Company); err != nil {
		return err
	}
	if err := tx.DB.QueryRow(ctx, `SELECT count(*) FROM webhook WHERE company_id = $1 AND deleted_at IS NULL AND platform_id IS NULL`, tx.Company).Scan(&n); err != nil {
		return err
	}
	if n >= maxWebhooks {
		return ErrTooMany
	}
	err := tx.DB.QueryRow(ctx, `
		INSERT INTO webhook (company_id, url, host, events, is_active) VALUES ($1, $2, $3, $4, $5) RETURNING id, is_active, secret, created_at, updated_at`,
		tx.Company, w.URL, w.Host, w.Events, w.Active).Scan(&w.ID, &w.Active, &w.Secret, &w.CreatedAt, &w.UpdatedAt)
	if err != nil {
		return err
	}
	_, err = tx.DB.Exec(ctx, `
		INSERT INTO webhook_secret (company_id, webhook_id, version, sealed) VALUES ($1, $2, $3, $4)`, tx.Company, w.ID, w.Secret, seal(w.ID))
	return err
}

// Save updates a locked subscription. A non-nil sealed is its new secret; the
// previous one also signs for a day from now. Deliveries of an inactive subscription become
// dead.
func Save(ctx context.Context, tx *store.Tx, w *Webhook, sealed []byte, now time.Time) error {
	if sealed != nil {
		w.Secret++
		_, err := tx.DB.Exec(ctx, `
			WITH old AS (UPDATE webhook_secret SET until = $5 WHERE company_id = $1 AND webhook_id = $2 AND until IS NULL)
			INSERT INTO webhook_secret (company_id, webhook_id, version, sealed) VALUES ($1, $2, $3, $4)`,
			tx.Company, w.ID, w.Secret, sealed, now.Add(secretOverlap))
		if err != nil {
			return err
		}
	}
	// A new address does not inherit the failures of the previous one.
	err := tx.DB.QueryRow(ctx, `
		UPDATE webhook SET url = $3, host = $4, events = $5, is_active = $6, secret = $7, updated_at = now(),
			room = CASE WHEN url = $3 THEN room ELSE 8 END, failures = CASE WHEN url = $3 THEN failures ELSE 0 END,
			failing_since = CASE WHEN url = $3 THEN failing_since END, told_at = CASE WHEN url = $3 THEN told_at END
		WHERE company_id = $1 AND id = $2 RETURNING failing_since, updated_at`,
		tx.Company, w.ID, w.URL, w.Host, w.Events, w.Active, w.Secret).Scan(&w.FailingSince, &w.UpdatedAt)
	if err != nil || w.Active {
		return err
	}
	return endDeliveries(ctx, tx, w.ID, now)
}

// Delete deletes a subscription. Its journal stays for a while.
func Delete(ctx context.Context, tx *store.Tx, id shop.WebhookID, now time.Time) error {
	_, err := tx.DB.Exec(ctx, `UPDATE webhook SET deleted_at = $3, is_active = false WHERE company_id = $1 AND id = $2`, tx.Company, id, now)
	if err != nil {
		return err
	}
	return endDeliveries(ctx, tx, id, now)
}

// endDeliveries gives up deliveries that were not sent yet. Those in flight end on their
// own.
func endDeliveries(ctx context.Context, tx *store.Tx, id shop.WebhookID, now time.Time) error {
	_, err := tx.DB.Exec(ctx, `
		UPDATE webhook_delivery SET state = 'dead', dead_at = $3, due_at = NULL, reason = $4
		WHERE company_id = $1 AND webhook_id = $2 AND state IN ('queued', 'retrying') AND due_at IS NOT NULL`, tx.Company, id, now, Gone)
	return err
}

// Secrets returns the sealed secrets with which a subscription signs at a moment,
// newest first.
func Secrets(ctx context.Context, r store.Reader, id shop.WebhookID, now time.Time) ([][]byte, error) {
	rows, err := r.DB.Query(ctx, `SELECT sealed FROM webhook_secret WHERE company_id = $1 AND webhook_id = $2 AND `+signingSecret+` ORDER BY version DESC LIMIT 5`,
		r.Company, id, now)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[[]byte])
}

const signingSecret = `(until IS NULL OR until > $3)`

// RecordPing records the result of a test ping.
func RecordPing(ctx context.Context, tx *store.Tx, id shop.WebhookID, status int, why string) error {
	_, err := tx.DB.Exec(ctx, `UPDATE webhook SET last_status = $3, last_error = $4 WHERE company_id = $1 AND id = $2`, tx.Company, id, status, why)
	return err
}

// Delivery is an entry of the journal.
type Delivery struct {
	ID          shop.WebhookDeliveryID
	Event       string
	EventID     string
	Sequence    *int64
	State       string // queued, retrying, delivered, dead
	Log         []WebhookAttempt
	DueAt       *time.Time // of a retry
	Reason      string     // why it is dead
	ByHand      bool
	CreatedAt   time.Time
	DeliveredAt *time.Time
	DeadAt      *time.Time
}

// WebhookAttempt is the result of an attempt.
type WebhookAttempt struct {
	Number int       `json:"number"`
	At     time.Time `json:"at"` // when it was sent
	Status int       `json:"status"`
	Error  string    `json:"error"`
	TookMS int64     `json:"took_ms"`
}

const journalColumns = `d.id, coalesce(e.name, ''), coalesce(e.event_id::text, ''), d.sequence, d.state, d.log, CASE WHEN d.state = 'retrying' THEN d.due_at END,
	d.reason, d.by_hand, d.created_at, d.delivered_at, d.dead_at`

// Deliveries returns one page of the journal of a subscription, even of a deleted
// one, newest first, and the total of entries. An empty state doesn't restrict.
func Deliveries(ctx context.Context, r store.Reader, id shop.WebhookID, state string, limit, offset int) (list []Delivery, total int, err error) {
	exists := false
	err = r.DB.QueryRow(ctx, `SELECT EXISTS (SELECT FROM webhook WHERE company_id = $1 AND id = $2)`, r.Company, id).Scan(&exists)
	if err == nil && !exists {
		err = ErrNotFound
	}
	if err != nil {
		return nil, 0, err
	}
	where := ` FROM webhook_delivery d WHERE d.company_id = $1 AND d.webhook_id = $2`
	switch state { // in the SQL text, so that the partial indexes of these states apply
	case "queued", "retrying":
		where += ` AND d.due_at IS NOT NULL AND d.state = '` + state + `'`
	case "delivered", "dead":
		where += ` AND d.state = '` + state + `'`
	}
	if err = r.DB.QueryRow(ctx, `SELECT count(*)`+where, r.Company, id).Scan(&total); err != nil {
		return nil, 0, err
	}
	rows, err := r.DB.Query(ctx, `
		SELECT `+journalColumns+` FROM (SELECT d.*`+where+` ORDER BY d.id DESC LIMIT $3 OFFSET $4) d
		LEFT JOIN event e ON e.company_id = d.company_id AND e.id = d.event_id ORDER BY d.id DESC`, r.Company, id, limit, offset)
	if err != nil {
		return nil, 0, err
	}
	list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Delivery])
	return list, total, err
}

// Redeliver queues another attempt of a delivery, whatever its state, with the same event
// and sequence and the present secret. If one is queued already, it returns that.
func Redeliver(ctx context.Context, tx *store.Tx, w Webhook, id shop.WebhookDeliveryID) (again Delivery, err error) {
	tx.EventsRecorded = true
	rows, err := tx.DB.Query(ctx, `
		WITH old AS (SELECT * FROM webhook_delivery WHERE company_id = $1 AND webhook_id = $2 AND id = $3),
		waiting AS (
			SELECT d.* FROM webhook_delivery d JOIN old ON d.company_id = old.company_id AND d.event_id = old.event_id AND d.webhook_id = old.webhook_id
			WHERE d.by_hand AND d.state = 'queued' AND d.due_at IS NOT NULL ORDER BY d.id LIMIT 1),
		made AS (
			INSERT INTO webhook_delivery (company_id, webhook_id, event_id, bulk, secret, most, by_hand, sequence)
			SELECT company_id, webhook_id, event_id, false, $4, 1, true, sequence FROM old WHERE NOT EXISTS (SELECT FROM waiting) RETURNING *)
		SELECT `+journalColumns+` FROM (SELECT * FROM waiting UNION ALL SELECT * FROM made) d
		JOIN event e ON e.company_id = d.company_id AND e.id = d.event_id`, tx.Company, w.ID, id, w.Secret)
	if err != nil {
		return again, err
	}
	again, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Delivery])
	if store.NoRow(err) {
		err = ErrDeliveryNotFound
	}
	return again, err
}

// Replay queues the events since a moment whose deliveries are all dead, the oldest first,
// at most MaxReplay, and returns how many. They are queued after new events.
func Replay(ctx context.Context, tx *store.Tx, w Webhook, since time.Time) (n int64, err error) {
	tx.EventsRecorded = true
	tag, err := tx.DB.Exec(ctx, `
		INSERT INTO webhook_delivery (company_id, webhook_id, event_id, bulk, secret, sequence)
		SELECT $1, $2, d.event_id, true, $4, max(d.sequence) FROM webhook_delivery d
		JOIN event e ON e.company_id = d.company_id AND e.id = d.event_id
		WHERE d.company_id = $1 AND d.webhook_id = $2 AND d.state = 'dead' AND e.at >= $3
			AND NOT EXISTS (SELECT FROM webhook_delivery o WHERE o.company_id = $1 AND o.webhook_id = $2 AND o.event_id = d.event_id AND o.state <> 'dead')
		GROUP BY d.event_id ORDER BY d.event_id LIMIT $5`, tx.Company, w.ID, since, w.Secret, MaxReplay)
	return tag.RowsAffected(), err
}

// Event is something that happened in a shop and that webhooks may report.
type Event struct {
	Seq     int64 // set in lists of EventsAfter
	Name    string
	EventID string
	At      time.Time
	Body    json.RawMessage
}

const eventColumns = `coalesce(seq, 0), name, event_id::text, at, body`
