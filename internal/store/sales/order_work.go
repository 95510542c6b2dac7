package sales

import (
	"context"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// PaymentStatuses are the statuses that the payment of an order can have in their usual
// sequence; the first one is that of an order without a payment.
var PaymentStatuses = []string{"none", "pending", "failed", "paid", "refunding", "refunded"}

// Waits is what an order waits for.
type Waits string

// What orders wait for. A completed order waits for nothing.
const (
	WaitsForPayment  Waits = "payment"
	WaitsForShipment Waits = "shipment"
	WaitsForRefund   Waits = "refund"
)

// Values lists what an order can wait for as texts.
func (Waits) Values() []string {
	return shop.Texts([]Waits{WaitsForPayment, WaitsForShipment, WaitsForRefund})
}

// Condition is the SQL condition on shop_order for the orders that wait for it; empty for other values.
func (w Waits) Condition() string {
	switch w {
	case WaitsForPayment:
		return `status IN ('new', 'processing') AND payment_status IN ('none', 'pending', 'failed')`
	case WaitsForShipment:
		return `shipment_status IN ('none', 'partial') AND (status = 'processing' OR status = 'new' AND payment_status = 'paid')`
	case WaitsForRefund:
		return `status = 'cancelled' AND payment_status = 'paid'`
	}
	return ""
}

// SetOrderNote sets what the shop's members note about a locked order.
func SetOrderNote(ctx context.Context, tx *store.Tx, o *Order, note string) error {
	return tx.DB.QueryRow(ctx, `
		UPDATE shop_order SET note = $3, updated_at = now() WHERE company_id = $1 AND id = $2 RETURNING note, updated_at`,
		tx.Company, o.ID, note).Scan(&o.Note, &o.UpdatedAt)
}

// SetOrderTags sets the tags that the shop's members gave a locked order.
func SetOrderTags(ctx context.Context, tx *store.Tx, o *Order, tags []string) error {
	return tx.DB.QueryRow(ctx, `
		UPDATE shop_order SET tags = $3, updated_at = now() WHERE company_id = $1 AND id = $2 RETURNING tags, updated_at`,
		tx.Company, o.ID, tags).Scan(&o.Tags, &o.UpdatedAt)
}

// OrderCount is how many orders of a shop have these statuses.
type OrderCount struct {
	Status   shop.OrderStatus
	Payment  string
	Shipment shop.ShipmentStatus
	Orders   int
}

// CountOrders counts the shop's matching orders by their statuses.
func CountOrders(ctx context.Context, r store.Reader, f OrderFilter) ([]OrderCount, error) {
	f.Company = r.Company
	where, args := f.where()
	rows, err := r.DB.Query(ctx, `SELECT status, payment_status, shipment_status, count(*) FROM shop_order o WHERE `+where+` GROUP BY 1, 2, 3`, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[OrderCount])
}
