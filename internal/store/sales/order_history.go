package sales

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

// OrderEvent is one entry in the history of an order.
type OrderEvent struct {
	Kind      string // created, status, payment, payment.mismatch, refund, shipment
	Body      json.RawMessage
	Actor     shop.UserID // 0: the program
	CreatedAt time.Time
}

// OrderHistory returns who did what with an order, oldest first.
func OrderHistory(ctx context.Context, r store.Reader, id shop.OrderID) ([]OrderEvent, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT kind, body, actor_id, created_at FROM order_history WHERE company_id = $1 AND order_id = $2 ORDER BY id`, r.Company, id)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[OrderEvent])
}

// queueHistory adds an entry to the history of an order.
func queueHistory(b *pgx.Batch, tx *store.Tx, id shop.OrderID, kind string, body any, actor shop.UserID) {
	b.Queue(`INSERT INTO order_history (company_id, order_id, kind, body, actor_id) VALUES ($1, $2, $3, $4, $5)`, tx.Company, id, kind, body, actor)
}

// queuePaymentHistory adds an entry about a payment to the history of its order, and sets when
// the order was updated.
func queuePaymentHistory(b *pgx.Batch, tx *store.Tx, id shop.OrderID, kind string, body any, actor shop.UserID) {
	b.Queue(`UPDATE shop_order SET updated_at = now() WHERE company_id = $1 AND id = $2`, tx.Company, id)
	queueHistory(b, tx, id, kind, body, actor)
}

// recordPaymentHistory is queuePaymentHistory without a batch.
func recordPaymentHistory(ctx context.Context, tx *store.Tx, id shop.OrderID, kind string, body any, actor shop.UserID) error {
	b := &pgx.Batch{}
	queuePaymentHistory(b, tx, id, kind, body, actor)
	return tx.DB.SendBatch(ctx, b).Close()
}

// Message is one message between the buyer of an order and its seller.
type Message struct {
	ID        shop.MessageID
	ByBuyer   bool
	Person    shop.UserID
	Text      string
	Files     []uuid.UUID
	CreatedAt time.Time
}

// Messages returns the messages of an order after an id, oldest first.
func Messages(ctx context.Context, r store.Reader, id shop.OrderID, after shop.MessageID, limit int) ([]Message, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT id, by_buyer, person_id, text, file_ids, created_at FROM order_message
		WHERE company_id = $1 AND order_id = $2 AND id > $3 ORDER BY id LIMIT $4`, r.Company, id, after, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Message])
}

// AddMessage writes a message of an order, with the letter to the other side. It marks all
// earlier messages as seen by the writer.
func AddMessage(ctx context.Context, tx *store.Tx, o *Order, m *Message) error {
	id := o.ID
	rows, err := tx.DB.Query(ctx, `
		SELECT id FROM media_file WHERE company_id = $1 AND id = ANY($2) AND status = 'stored' AND deleted_at IS NULL AND (person_id IS NULL OR person_id = $3)`,
		tx.Company, m.Files, m.Person)
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err == nil {
		err = media.RefuseMissing(m.Files, found)
	}
	if err != nil {
		return err
	}
	err = tx.DB.QueryRow(ctx, `
		INSERT INTO order_message (company_id, order_id, by_buyer, person_id, text, file_ids) VALUES ($1, $2, $3, $4, $5, coalesce($6::uuid[], '{}'))
		RETURNING id, created_at`, tx.Company, id, m.ByBuyer, m.Person, m.Text, m.Files).Scan(&m.ID, &m.CreatedAt)
	if err != nil {
		return err
	}
	l := store.NewLetter{Name: "message" + store.ToBuyer, Object: m.ID.String(), Order: &id, Person: o.Person, To: o.Contact.Email, Facts: store.LetterData{Message: m.ID}, Most: store.MessagesAnHour}
	if m.ByBuyer {
		l.Name, l.To = "message"+store.ToSeller, ""
	}
	if err := tx.RecordLetters(ctx, l); err != nil {
		return err
	}
	return MarkMessagesSeen(ctx, tx, id, m.ByBuyer)
}

// MarkMessagesSeen records that one side of an order has seen its messages.
func MarkMessagesSeen(ctx context.Context, tx *store.Tx, id shop.OrderID, buyer bool) error {
	column := "seller_seen_at"
	if buyer {
		column = "buyer_seen_at"
	}
	_, err := tx.DB.Exec(ctx, `UPDATE shop_order SET `+column+` = now() WHERE company_id = $1 AND id = $2`, tx.Company, id)
	return err
}

// Unread counts, by order, the messages of the other side that this side has not seen.
func Unread(ctx context.Context, r store.Reader, ids []shop.OrderID, buyer bool) (map[shop.OrderID]int, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT o.id, count(*) FROM shop_order o JOIN order_message m ON m.company_id = o.company_id AND m.order_id = o.id
		WHERE o.company_id = $1 AND o.id = ANY($2) AND m.by_buyer <> $3
			AND m.created_at > CASE WHEN $3 THEN o.buyer_seen_at ELSE o.seller_seen_at END GROUP BY o.id`, r.Company, ids, buyer)
	if err != nil {
		return nil, err
	}
	unread := map[shop.OrderID]int{}
	var id shop.OrderID
	var n int
	_, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error {
		unread[id] = n
		return nil
	})
	return unread, err
}
