package overview

import (
	"context"

	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

// Orders counts the orders that wait for something; completed ones do not.
type Orders struct {
	New      int `json:"new" doc:"with the status new"`
	Unpaid   int `json:"unpaid" doc:"new or processing, without a payment that went through"`
	ToShip   int `json:"to_ship" doc:"processing, or new and paid, with something left to ship"`
	ToRefund int `json:"to_refund" doc:"cancelled, but still paid"`
}

// CountOrders counts the shop's orders that wait. It reads the index of each status in its order,
// so that rows of a group are neighbours.
func CountOrders(ctx context.Context, r store.Reader) (o Orders, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT coalesce(sum(n) FILTER (WHERE status = 'new'), 0), coalesce(sum(n) FILTER (WHERE `+sales.WaitsForPayment.Condition()+`), 0),
			coalesce(sum(n) FILTER (WHERE `+sales.WaitsForShipment.Condition()+`), 0),
			(SELECT count(*) FROM shop_order WHERE company_id = $1 AND `+sales.WaitsForRefund.Condition()+`)
		FROM unnest(ARRAY['new', 'processing']) status, LATERAL (
			SELECT payment_status, shipment_status, count(*) AS n FROM shop_order
			WHERE company_id = $1 AND shop_order.status = status.status GROUP BY 1, 2) o`, r.Company).Scan(&o.New, &o.Unpaid, &o.ToShip, &o.ToRefund)
	return o, err
}

// The statements of the other counts.
const (
	countRemarks = `SELECT count(*) FROM remark WHERE company_id = $1 AND status = 'pending' AND kind = `
	countLeads   = `SELECT count(*) FROM form_lead WHERE company_id = $1 AND status = 'new' AND NOT test`
	countMisses  = `SELECT count(*) FROM redirect_miss WHERE company_id = $1 AND NOT hidden`
)

func count(ctx context.Context, r store.Reader, sql string) (n int, err error) {
	err = r.DB.QueryRow(ctx, sql, r.Company).Scan(&n)
	return n, err
}

// CountReviews and CountQuestions count those that wait for moderation.
func CountReviews(ctx context.Context, r store.Reader) (int, error) {
	return count(ctx, r, countRemarks+`'review'`)
}

// CountQuestions is described at CountReviews.
func CountQuestions(ctx context.Context, r store.Reader) (int, error) {
	return count(ctx, r, countRemarks+`'question'`)
}

// CountLeads counts the leads that nobody has seen, without tests.
func CountLeads(ctx context.Context, r store.Reader) (int, error) { return count(ctx, r, countLeads) }

// CountMisses counts the addresses of the 404 log that are not hidden.
func CountMisses(ctx context.Context, r store.Reader) (int, error) { return count(ctx, r, countMisses) }
