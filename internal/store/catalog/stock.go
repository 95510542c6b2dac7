package catalog

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of the stock.
var (
	// ErrOutOfStock lists the ids of the products that are short.
	ErrOutOfStock   = shop.Refuse(shop.FailedPrecondition, "out_of_stock").When("the stock of a product is less than requested; the detail has the ids")
	ErrStockChanged = shop.Refuse(shop.Aborted, "STOCK_CHANGED").When("the stock differs from expected_quantity")
)

// MovementReason is why units left the stock or came back (document 2, 2.3).
type MovementReason string

// The reasons in use.
const (
	MovedByOrder   MovementReason = "order"
	MovedByCancel  MovementReason = "cancel"
	MovedByReorder MovementReason = "reorder"
	MovedManually  MovementReason = "manual"
)

// Movement is one entry in the stock ledger of a product.
type Movement struct {
	ID        shop.MovementID
	Delta     int64
	Balance   int64
	Reason    MovementReason
	Comment   *string
	Order     *shop.OrderID // nil: manual
	CreatedAt time.Time
}

// StockMove is the effect of one operation on an order on the stock: units by product, negative
// ones leave it.
type StockMove struct {
	Order  shop.OrderID
	Reason MovementReason
	Actor  shop.UserID
	Units  map[shop.ProductID]int64
	Gifts  map[shop.ProductID]int64 // how many of the leaving units are gifts, which are dropped when the stock is short
}

// MoveStock moves units of tracked products, with one ledger entry for each, as the last
// statements of a transaction: products are the most contended rows, locked in the order of
// their ids, and one round trip later the transaction ends; a product that falls to its
// threshold costs another one, for the letter to the seller. The units of an order move
// only once. It returns ErrOutOfStock with the ids of all products that are short. If only
// the gifts of a product are short, these are not moved, and the product is in kept.
//
// A cancel has the round of the reorders before it, a reorder that of the cancels but one
// (document 2, 2.3). Where tracking began or ended in between, these counts do not
// alternate, so the round is at least one more than the last of the same reason: callers
// hold the order and know by its status that this is no repeat.
func MoveStock(ctx context.Context, tx *store.Tx, m StockMove) (kept []shop.ProductID, err error) {
	ids := slices.Sorted(maps.Keys(m.Units))
	ids = slices.DeleteFunc(ids, func(id shop.ProductID) bool { return m.Units[id] == 0 })
	if len(ids) == 0 {
		return nil, nil
	}
	deltas, spares := make([]int64, len(ids)), make([]int64, len(ids))
	for i, id := range ids {
		deltas[i], spares[i] = m.Units[id], m.Gifts[id]
	}
	b := &pgx.Batch{}
	var short []shop.ProductID
	b.Queue(`
		SELECT p.id, p.stock_quantity + d.delta < 0, p.stock_quantity + d.delta + d.spare < 0
		FROM product p JOIN unnest($2::integer[], $3::bigint[], $4::bigint[]) d(id, delta, spare) ON d.id = p.id
		WHERE p.company_id = $1 AND p.stock_quantity IS NOT NULL ORDER BY p.id FOR UPDATE OF p`, tx.Company, ids, deltas, spares).
		Query(func(rows pgx.Rows) error {
			var id shop.ProductID
			var giftsShort, goodsShort bool
			_, err := pgx.ForEachRow(rows, []any{&id, &giftsShort, &goodsShort}, func() error {
				switch {
				case goodsShort:
					short = append(short, id)
				case giftsShort:
					kept = append(kept, id)
				}
				return nil
			})
			return err
		})
	var moved []movedStock
	b.Queue(moveStock, tx.Company, ids, deltas, m.Order, m.Reason, m.Actor, spares).Query(func(rows pgx.Rows) (err error) {
		moved, err = pgx.CollectRows(rows, pgx.RowToStructByPos[movedStock])
		return err
	})
	if err := tx.DB.SendBatch(ctx, b).Close(); err != nil {
		return nil, err
	}
	if len(short) > 0 {
		return nil, ErrOutOfStock.With(shop.JoinIDs(short))
	}
	low := &pgx.Batch{}
	for _, p := range moved {
		if p.BadgeChanged {
			tx.Changed(shop.Key{Kind: shop.KeyProduct, ID: int64(p.Product)}, shop.Key{Kind: shop.KeyStock})
		}
		if p.Left <= p.Low && p.Before > p.Low {
			tx.QueueLetters(low, lowStockLetter(p.Movement, p.Product, p.Left))
		}
	}
	return kept, tx.DB.SendBatch(ctx, low).Close()
}

// movedStock is a product whose stock was moved.
type movedStock struct {
	Product           shop.ProductID
	Movement          shop.MovementID
	Before, Left, Low int64 // Low: the quantity at which the stock counts as low
	BadgeChanged      bool
}

// lowStockLetter tells the seller that a product fell to its threshold.
func lowStockLetter(m shop.MovementID, p shop.ProductID, left int64) store.NewLetter {
	return store.NewLetter{Name: "low_stock" + store.ToSeller, Object: m.String(), Facts: store.LetterData{Product: p, Left: left}}
}

// moveStock writes the ledger entries and then the stock of the products with an entry, and
// returns these as movedStock. The badge shows visitors how many are left at or below the
// threshold, whether there are any, and whether there are enough for a set. created_at is
// taken while the products are locked, not when the transaction began, because the ledger
// is read in its order.
const moveStock = `
	WITH written AS (
		INSERT INTO stock_movement (company_id, product_id, order_id, delta, balance_after, reason, round, actor_id, created_at)
		SELECT $1, p.id, $4::bigint, least(d.delta, 2147483647 - p.stock_quantity), least(p.stock_quantity + d.delta, 2147483647), $5::text,
			CASE WHEN $5::text IN ('cancel', 'reorder') THEN (
				SELECT greatest(CASE $5::text WHEN 'cancel' THEN count(*) FILTER (WHERE m.reason = 'reorder')
					ELSE count(*) FILTER (WHERE m.reason = 'cancel') - 1 END, max(m.round) FILTER (WHERE m.reason = $5::text) + 1, 0)
				FROM stock_movement m WHERE m.company_id = $1 AND m.order_id = $4 AND m.product_id = p.id)
			ELSE 0 END, $6, (SELECT clock_timestamp())
		FROM product p JOIN unnest($2::integer[], $3::bigint[], $7::bigint[]) a(id, asked, spare) ON a.id = p.id
		CROSS JOIN LATERAL (SELECT CASE WHEN p.stock_quantity + a.asked < 0 THEN a.asked + a.spare ELSE a.asked END AS delta) d
		WHERE p.company_id = $1 AND p.stock_quantity + d.delta >= 0 AND least(d.delta, 2147483647 - p.stock_quantity) <> 0
		ON CONFLICT (company_id, order_id, product_id, reason, round) WHERE order_id IS NOT NULL DO NOTHING
		RETURNING id, product_id, delta),
	moved AS (
		UPDATE product p SET stock_quantity = p.stock_quantity + w.delta FROM written w WHERE p.company_id = $1 AND p.id = w.product_id
		RETURNING p.id, w.id AS movement, p.stock_quantity AS "left", p.stock_quantity - w.delta AS before, greatest(coalesce(p.stock_low_threshold, 0), 0) AS low)
	SELECT id, movement, before, "left", low, least("left", before) <= low OR EXISTS (
		SELECT FROM product s, jsonb_array_elements(s.combo_items) c WHERE s.company_id = $1 AND s.combo_items <> '[]' AND s.deleted_at IS NULL
			AND (c->>'product_id')::integer = moved.id AND (c->>'quantity')::bigint > least("left", before)) FROM moved`

// StockEdit is a manual change by a seller. Quantity and Threshold point at nil to clear
// the value, and are nil themselves to keep it.
type StockEdit struct {
	Quantity  **int
	Threshold **int
	Expected  *int // the quantity that the seller saw; nil: any
	Comment   string
	Actor     shop.UserID
}

// Stock holds the stock fields of a product.
type Stock struct {
	Quantity  *int
	Threshold *int
}

// SetStock sets the stock of a product, which has no draft. It writes a ledger entry when
// the number changes while tracking is on (document 2, 4.3).
func SetStock(ctx context.Context, tx *store.Tx, id shop.ProductID, e StockEdit) (s Stock, err error) {
	var isSet bool
	err = tx.DB.QueryRow(ctx, `
		SELECT stock_quantity, stock_low_threshold, combo_items <> '[]' FROM product WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL FOR UPDATE`,
		tx.Company, id).Scan(&s.Quantity, &s.Threshold, &isSet)
	switch {
	case store.NoRow(err):
		return s, ErrProductNotFound
	case err != nil:
		return s, err
	case isSet:
		return s, ErrStockOfSet
	case e.Expected != nil && (s.Quantity == nil || *s.Quantity != *e.Expected):
		return s, ErrStockChanged
	}
	before := s
	if e.Quantity != nil {
		s.Quantity = *e.Quantity
	}
	if e.Threshold != nil {
		s.Threshold = *e.Threshold
	}
	if _, err := tx.DB.Exec(ctx, `
		UPDATE product SET stock_quantity = $3, stock_low_threshold = $4 WHERE company_id = $1 AND id = $2`,
		tx.Company, id, s.Quantity, s.Threshold); err != nil {
		return s, err
	}
	if before.Quantity != nil && s.Quantity != nil && *before.Quantity != *s.Quantity {
		var movement shop.MovementID
		if err := tx.DB.QueryRow(ctx, `
			INSERT INTO stock_movement (company_id, product_id, delta, balance_after, reason, comment, actor_id, created_at)
			VALUES ($1, $2, $3, $4, 'manual', nullif($5, ''), $6, clock_timestamp()) RETURNING id`,
			tx.Company, id, *s.Quantity-*before.Quantity, *s.Quantity, e.Comment, e.Actor).Scan(&movement); err != nil {
			return s, err
		}
		if low := threshold(s); *s.Quantity <= low && *before.Quantity > low {
			if err := tx.RecordLetters(ctx, lowStockLetter(movement, id, int64(*s.Quantity))); err != nil {
				return s, err
			}
		}
	}
	tx.Changed(shop.Key{Kind: shop.KeyProduct, ID: int64(id)}, shop.Key{Kind: shop.KeyStock})
	return s, nil
}

// threshold returns the quantity at which the stock counts as low.
func threshold(s Stock) int {
	if s.Threshold == nil {
		return 0
	}
	return max(*s.Threshold, 0)
}

// Movements returns the stock ledger of a product, newest first; it is empty for products
// of other shops.
func Movements(ctx context.Context, r store.Reader, id shop.ProductID, limit int) ([]Movement, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT id, delta, balance_after, reason, comment, order_id, created_at FROM stock_movement
		WHERE company_id = $1 AND product_id = $2 ORDER BY created_at DESC, id DESC LIMIT $3`, r.Company, id, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Movement])
}

// LowStock is a product whose stock is low.
type LowStock struct {
	Product   shop.ProductID
	Name      string
	Quantity  int
	Threshold *int
}

// GetLowStock lists tracked products at or below their threshold, drafts included (document 2,
// 4.3).
func GetLowStock(ctx context.Context, r store.Reader, limit int) ([]LowStock, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT id, name, stock_quantity, stock_low_threshold FROM product
		WHERE company_id = $1 AND deleted_at IS NULL AND combo_items = '[]' AND stock_quantity <= coalesce(stock_low_threshold, 0)
		ORDER BY stock_quantity, name, id LIMIT $2`, r.Company, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[LowStock])
}

// OutstandingUnits returns the units of an order that are out of stock, by product: those that
// left and did not come back. Products that were not tracked when units would have left
// have none.
func OutstandingUnits(ctx context.Context, r store.Reader, id shop.OrderID) (map[shop.ProductID]int64, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT product_id, -sum(delta) FROM stock_movement WHERE company_id = $1 AND order_id = $2 GROUP BY product_id`, r.Company, id)
	if err != nil {
		return nil, err
	}
	units := map[shop.ProductID]int64{}
	var product shop.ProductID
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&product, &n}, func() error {
		units[product] = n
		return nil
	})
	return units, err
}
