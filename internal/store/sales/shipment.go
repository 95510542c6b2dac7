package sales

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// ErrShipmentNotFound refuses an unknown shipment.
var ErrShipmentNotFound = shop.Refuse(shop.NotFound, "SHIPMENT_NOT_FOUND").When("the order has no shipment with this id")

// Shipment is a parcel of an order.
type Shipment struct {
	ID          shop.ShipmentID
	Order       shop.OrderID
	Carrier     string // a code of shop.Carrier, or any name
	Number      string // by which the carrier knows the parcel
	URL         string // where the shop says it can be tracked; empty: the page of the carrier
	ShippedAt   time.Time
	DeliveredAt *time.Time
	Lines       []ShippedLine
}

// Tracking returns the address of the page that shows where the parcel is; empty: there is none.
func (s Shipment) Tracking() string {
	if s.URL != "" {
		return s.URL
	}
	return shop.CarrierOf(s.Carrier).Tracking(s.Number)
}

// ShippedLine is how many units of an order line a shipment contains.
type ShippedLine struct {
	Line     int64 `json:"line_id"`
	Quantity int64 `json:"quantity"`
}

// Shipments returns the shipments of orders, oldest first.
func Shipments(ctx context.Context, r store.Reader, orders []shop.OrderID) (map[shop.OrderID][]Shipment, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT s.id, s.order_id, s.carrier, s.number, s.url, s.shipped_at, s.delivered_at,
			(SELECT json_agg(json_build_object('line_id', l.line_id, 'quantity', l.quantity) ORDER BY l.line_id) FROM shipment_line l
				WHERE l.company_id = s.company_id AND l.order_id = s.order_id AND l.shipment_id = s.id)
		FROM shipment s WHERE s.company_id = $1 AND s.order_id = ANY($2) ORDER BY s.order_id, s.id`, r.Company, orders)
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Shipment])
	byOrder := map[shop.OrderID][]Shipment{}
	for _, s := range list {
		byOrder[s.Order] = append(byOrder[s.Order], s)
	}
	return byOrder, err
}

// GetShipment returns one shipment of an order.
func GetShipment(ctx context.Context, r store.Reader, order shop.OrderID, id shop.ShipmentID) (Shipment, error) {
	all, err := Shipments(ctx, r, []shop.OrderID{order})
	if err != nil {
		return Shipment{}, err
	}
	for _, s := range all[order] {
		if s.ID == id {
			return s, nil
		}
	}
	return Shipment{}, ErrShipmentNotFound
}

// LeftToShip returns how many units of each line of an order are in none of its shipments.
func LeftToShip(o Order, shipments []Shipment) map[int64]int64 {
	left := map[int64]int64{}
	for _, l := range o.Lines {
		left[l.ID] = l.Quantity
	}
	for _, s := range shipments {
		for _, l := range s.Lines {
			left[l.Line] -= l.Quantity
		}
	}
	return left
}

// AddShipment writes a shipment of a locked order, with its letter to the buyer and order.shipped.
func AddShipment(ctx context.Context, tx *store.Tx, o *Order, s *Shipment, by shop.UserID) error {
	lines, err := json.Marshal(s.Lines)
	if err != nil {
		return err
	}
	err = tx.DB.QueryRow(ctx, `
		WITH s AS (
			INSERT INTO shipment (company_id, order_id, carrier, number, url, shipped_at) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id, shipped_at),
		l AS (
			INSERT INTO shipment_line (company_id, order_id, shipment_id, line_id, quantity)
			SELECT $1, $2, s.id, l.line_id, l.quantity FROM s, json_to_recordset($7) AS l(line_id bigint, quantity integer))
		SELECT id, shipped_at FROM s`, tx.Company, o.ID, s.Carrier, s.Number, s.URL, s.ShippedAt, lines).Scan(&s.ID, &s.ShippedAt)
	if err != nil {
		return err
	}
	s.Order = o.ID
	b := &pgx.Batch{}
	queueShipmentHistory(b, tx, *s, "shipped", by)
	tx.QueueLetters(b, store.NewLetter{
		Name: "order_shipped" + store.ToBuyer, Object: s.ID.String(), Order: &o.ID, Person: o.Person, To: o.Contact.Email,
		Facts: store.LetterData{Shipment: s.ID}, Most: store.ShipmentsAnHour,
	})
	tx.QueueEvent(b, "order.shipped", map[string]any{
		"order_id": o.ID, "company_id": tx.Company, "shipment_id": s.ID, "carrier": s.Carrier, "number": s.Number,
	})
	return tx.DB.SendBatch(ctx, b).Close()
}

// SetShipmentDelivered records when a shipment of a locked order arrived; nil: it has not.
func SetShipmentDelivered(ctx context.Context, tx *store.Tx, s *Shipment, at *time.Time, by shop.UserID) error {
	err := tx.DB.QueryRow(ctx, `
		UPDATE shipment SET delivered_at = $4 WHERE company_id = $1 AND order_id = $2 AND id = $3 RETURNING delivered_at`,
		tx.Company, s.Order, s.ID, at).Scan(&s.DeliveredAt)
	if err != nil {
		return err
	}
	status := "delivered"
	if at == nil {
		status = "shipped"
	}
	b := &pgx.Batch{}
	queueShipmentHistory(b, tx, *s, status, by)
	return tx.DB.SendBatch(ctx, b).Close()
}

// DeleteShipment deletes a shipment of a locked order: its units are left to ship again.
func DeleteShipment(ctx context.Context, tx *store.Tx, s Shipment, by shop.UserID) error {
	b := &pgx.Batch{}
	b.Queue(`DELETE FROM shipment WHERE company_id = $1 AND order_id = $2 AND id = $3`, tx.Company, s.Order, s.ID)
	queueShipmentHistory(b, tx, s, "deleted", by)
	return tx.DB.SendBatch(ctx, b).Close()
}

// queueShipmentHistory sets the shipment status of an order after a change of a shipment, and adds
// the change to the history. The number of a parcel is left out: it leads to an address.
func queueShipmentHistory(b *pgx.Batch, tx *store.Tx, s Shipment, status string, by shop.UserID) {
	b.Queue(`
		UPDATE shop_order o SET updated_at = now(), shipment_status = CASE
			WHEN NOT EXISTS (SELECT FROM shipment s WHERE s.company_id = o.company_id AND s.order_id = o.id) THEN 'none'
			WHEN EXISTS (SELECT FROM order_line l WHERE l.company_id = o.company_id AND l.order_id = o.id AND l.quantity > (
				SELECT coalesce(sum(x.quantity), 0) FROM shipment_line x
				WHERE x.company_id = l.company_id AND x.order_id = l.order_id AND x.line_id = l.id)) THEN 'partial'
			WHEN EXISTS (SELECT FROM shipment s WHERE s.company_id = o.company_id AND s.order_id = o.id AND s.delivered_at IS NULL) THEN 'shipped'
			ELSE 'delivered' END
		WHERE o.company_id = $1 AND o.id = $2`, tx.Company, s.Order)
	queueHistory(b, tx, s.Order, "shipment", map[string]any{"shipment_id": s.ID, "status": status, "carrier": s.Carrier}, by)
	tx.QueueOrderChange(b, s.Order, "shipment_"+status)
}
