package catalog

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of the stock.
var (
	// ErrOutOfStock lists the ids of the products that are short.
	ErrOutOfStock     = shop.Refuse(shop.FailedPrecondition, "out_of_stock").When("the stock of a product is less than requested; the detail has the ids")
	ErrStockChanged   = shop.Refuse(shop.Aborted, "STOCK_CHANGED").When("the stock differs from expected_quantity")
	ErrStockByVariant = shop.Refuse(shop.InvalidArgument, "STOCK_BY_VARIANT").
				When("the product is counted by variant and the call names none, or it is counted as a whole and the call names one")
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

// Values lists the reasons as texts.
func (MovementReason) Values() []string {
	return shop.Texts([]MovementReason{MovedByOrder, MovedByCancel, MovedByReorder, MovedManually})
}

// Movement is one entry in the stock ledger of a product.
type Movement struct {
	ID        shop.MovementID
	Delta     int64
	Balance   int64
	Reason    MovementReason
	Comment   *string
	Order     *shop.OrderID // nil: manual
	CreatedAt time.Time
	Variants  []VariantMovement
}

// VariantMovement is the part of a movement that concerns one variant set.
type VariantMovement struct {
	Variant VariantID `json:"variant_id"`
	Delta   int64     `json:"delta"`
	Balance *int64    `json:"balance_after"` // nil: the product was counted as a whole
}

// StockItem identifies units in stock: those of a product and, if a variant is given, of this
// set. The variant counts only for products counted by variant.
type StockItem struct {
	Product shop.ProductID
	Variant VariantID
}

// StockMove is the effect of one operation on an order on the stock: units by item, negative
// ones leave it.
type StockMove struct {
	Order  shop.OrderID
	Reason MovementReason
	Actor  shop.UserID
	Units  map[StockItem]int64
	Gifts  map[StockItem]int64 // how many of the leaving units are gifts, which are dropped when the stock is short
}

// MoveStock moves units of what is tracked, with one ledger entry for each product, as the
// last statements of a transaction: products are the most contended rows, locked in the
// order of their ids, and one round trip later the transaction ends; an item that falls to
// its threshold costs another one, for the letter to the seller. The units of an order move
// only once. It returns ErrOutOfStock with the ids of all products that are short. If only
// the gifts of a product are short, these are not moved, and the product is in kept.
//
// A cancel has the round of the reorders before it, a reorder that of the cancels but one
// (document 2, 2.3). Where tracking began or ended in between, these counts do not
// alternate, so the round is at least one more than the last of the same reason: callers
// hold the order and know by its status that this is no repeat.
func MoveStock(ctx context.Context, tx *store.Tx, m StockMove) (kept []shop.ProductID, err error) {
	items := slices.SortedFunc(maps.Keys(m.Units), compareItems)
	items = slices.DeleteFunc(items, func(item StockItem) bool { return m.Units[item] == 0 })
	if len(items) == 0 {
		return nil, nil
	}
	products, variants := make([]shop.ProductID, len(items)), make([]VariantID, len(items))
	deltas, spares := make([]int64, len(items)), make([]int64, len(items))
	for i, item := range items {
		products[i], variants[i], deltas[i], spares[i] = item.Product, item.Variant, m.Units[item], m.Gifts[item]
	}
	b := &pgx.Batch{}
	b.Queue(`
		SELECT FROM product WHERE company_id = $1 AND id = ANY($2) AND (stock_quantity IS NOT NULL OR stock_by = 'variant')
		ORDER BY id FOR UPDATE`, tx.Company, products)
	var moved []movedStock
	b.Queue(moveStock, tx.Company, products, variants, deltas, spares, m.Order, m.Reason, m.Actor).Query(func(rows pgx.Rows) (err error) {
		moved, err = pgx.CollectRows(rows, pgx.RowToStructByPos[movedStock])
		return err
	})
	if err := tx.DB.SendBatch(ctx, b).Close(); err != nil {
		return nil, err
	}
	var short []shop.ProductID
	low := &pgx.Batch{}
	for _, p := range moved {
		switch {
		case p.Left < 0:
			short = append(short, p.Product)
		case p.GiftsKept:
			kept = append(kept, p.Product)
		}
		if p.Movement == nil {
			continue
		}
		if p.BadgeChanged {
			tx.Changed(shop.Key{Kind: shop.KeyProduct, ID: int64(p.Product)}, shop.Key{Kind: shop.KeyStock})
		}
		if p.Left <= p.Low && p.Before > p.Low {
			tx.QueueLetters(low, lowStockLetter(*p.Movement, StockItem{p.Product, p.Variant}, p.Left))
		}
	}
	if len(short) > 0 {
		return nil, ErrOutOfStock.With(shop.JoinIDs(slices.Compact(short)))
	}
	return slices.Compact(kept), tx.DB.SendBatch(ctx, low).Close()
}

func compareItems(a, b StockItem) int {
	return cmp.Or(cmp.Compare(a.Product, b.Product), cmp.Compare(a.Variant, b.Variant))
}

// movedStock is what is counted of a product, a variant or the product as a whole, and how
// it was moved. Left is negative if it is short, and then nothing of the product was moved.
type movedStock struct {
	Product           shop.ProductID
	Variant           VariantID
	Movement          *shop.MovementID // nil: not moved
	Before, Left, Low int64            // Low: the quantity at which the stock counts as low
	GiftsKept         bool
	BadgeChanged      bool
}

// lowStockLetter tells the seller that an item fell to its threshold.
func lowStockLetter(m shop.MovementID, item StockItem, left int64) store.NewLetter {
	object := m.String()
	if item.Variant != 0 {
		object += "/" + item.Variant.String()
	}
	return store.NewLetter{
		Name: "low_stock" + store.ToSeller, Object: object,
		Facts: store.LetterData{Product: item.Product, Variant: item.Variant, Left: left},
	}
}

// moveStock writes the ledger entries and then the stock of the products with an entry, and
// returns what it counted as movedStock. An item is counted by its variant or by the product,
// whose variants are counted together; the entry tells the units of each variant in both
// cases, for when they come back. A new order for a variant that the product does not have
// is short. Returned units beyond the greatest number of a product are dropped.
//
// The badge shows visitors how many are left at or below the threshold, whether there are
// any, and whether there are enough for a combo. created_at is taken while the products are
// locked, not when the transaction began, because the ledger is read in its order.
const moveStock = `
	WITH asked AS (
		SELECT p.id AS product, a.variant, CASE WHEN p.stock_by = 'variant' THEN a.variant ELSE 0 END AS counter, a.delta, a.spare,
			coalesce(p.stock_quantity, 0) AS total,
			CASE WHEN p.stock_by = 'product' THEN p.stock_quantity ELSE coalesce(v.stock_quantity, 0) END AS stock,
			greatest(coalesce(CASE WHEN p.stock_by = 'product' THEN p.stock_low_threshold ELSE v.stock_low_threshold END, 0), 0) AS low
		FROM unnest($2::integer[], $3::bigint[], $4::bigint[], $5::bigint[]) a(product, variant, delta, spare)
		JOIN product p ON p.company_id = $1 AND p.id = a.product
		LEFT JOIN variant_set v ON p.stock_by = 'variant' AND v.company_id = $1 AND v.product_id = p.id AND v.id = a.variant
		WHERE CASE WHEN p.stock_by = 'product' THEN p.stock_quantity IS NOT NULL
			ELSE v.stock_quantity IS NOT NULL OR v.id IS NULL AND $7::text = 'order' END),
	short AS (SELECT *, stock + sum(delta) OVER (PARTITION BY product, counter) < 0 AS is_short FROM asked),
	wanted AS (SELECT *, CASE WHEN is_short THEN delta + spare ELSE delta END AS want FROM short),
	moving AS (
		SELECT *, CASE WHEN want < 0 THEN want ELSE
			greatest(least(want, 2147483647 - total - sum(want) OVER (PARTITION BY product ORDER BY variant) + want), 0) END AS move
		FROM wanted),
	moves AS (SELECT *, stock + sum(move) OVER (PARTITION BY product, counter) AS "left" FROM moving),
	fitting AS (SELECT * FROM moves WHERE "left" >= 0 AND move <> 0),
	written AS (
		INSERT INTO stock_movement (company_id, product_id, order_id, delta, balance_after, reason, round, actor_id, created_at, variants)
		SELECT $1, f.product, $6::bigint, sum(f.move), f.total + sum(f.move), $7::text,
			CASE WHEN $7::text IN ('cancel', 'reorder') THEN (
				SELECT greatest(CASE $7::text WHEN 'cancel' THEN count(*) FILTER (WHERE m.reason = 'reorder')
					ELSE count(*) FILTER (WHERE m.reason = 'cancel') - 1 END, max(m.round) FILTER (WHERE m.reason = $7::text) + 1, 0)
				FROM stock_movement m WHERE m.company_id = $1 AND m.order_id = $6 AND m.product_id = f.product)
			ELSE 0 END, $8, (SELECT clock_timestamp()),
			coalesce(jsonb_agg(jsonb_build_object('variant_id', f.variant::text, 'delta', f.move, 'balance_after', CASE WHEN f.counter <> 0 THEN f.left END)
				ORDER BY f.variant) FILTER (WHERE f.variant <> 0), '[]')
		FROM fitting f GROUP BY f.product, f.total
		ON CONFLICT (company_id, order_id, product_id, reason, round) WHERE order_id IS NOT NULL DO NOTHING
		RETURNING id, product_id, delta),
	variants AS (
		UPDATE variant_set v SET stock_quantity = f.left FROM fitting f JOIN written w ON w.product_id = f.product
		WHERE v.company_id = $1 AND v.product_id = f.product AND v.id = f.counter),
	products AS (UPDATE product p SET stock_quantity = p.stock_quantity + w.delta FROM written w WHERE p.company_id = $1 AND p.id = w.product_id)
	SELECT DISTINCT ON (m.product, m.counter) m.product, m.counter, w.id, m.stock, m.left, m.low, m.is_short AND m.left >= 0,
		least(m.stock, m.left) <= m.low OR EXISTS (
			SELECT FROM product s, jsonb_array_elements(s.combo_items) c WHERE s.company_id = $1 AND s.combo_items <> '[]' AND s.deleted_at IS NULL
				AND (c->>'product_id')::integer = m.product AND (c->>'quantity')::bigint > least(m.stock, m.left))
	FROM moves m LEFT JOIN written w ON w.product_id = m.product ORDER BY m.product, m.counter`

// StockEdit is a manual change by a seller. Quantity and Threshold point at nil to clear
// the value, and are nil themselves to keep it.
type StockEdit struct {
	Quantity  **int
	Threshold **int
	Expected  *int // the quantity that the seller saw; nil: any
	Comment   string
	Actor     shop.UserID
}

// NewStockEdit returns the edit that sets the numbers of a request: an absent one is kept, a negative
// one clears (document 2, 4.3).
func NewStockEdit(quantity, threshold *int64) (e StockEdit, err error) {
	for _, sent := range []struct {
		name string
		to   ***int
		from *int64
	}{{"quantity", &e.Quantity, quantity}, {"low_threshold", &e.Threshold, threshold}} {
		switch {
		case sent.from == nil:
			continue
		case *sent.from > math.MaxInt32:
			return e, shop.ErrInvalidRequest.At(sent.name).With("a whole number up to 2147483647")
		}
		var value *int
		if n := int(*sent.from); n >= 0 {
			value = &n
		}
		*sent.to = &value
	}
	return e, nil
}

// Stock holds the stock fields of a product or of a variant set.
type Stock struct {
	Quantity  *int
	Threshold *int
}

// SetStock sets the stock of a product or, if it is counted by variant, of one of its sets;
// stock has no draft. It writes a ledger entry when the number changes while tracking is on
// (document 2, 4.3).
func SetStock(ctx context.Context, tx *store.Tx, item StockItem, e StockEdit) (s Stock, err error) {
	total, err := lockStock(ctx, tx, item, &s)
	switch {
	case err != nil:
		return s, err
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
	total += int64(valueOf(s.Quantity)) - int64(valueOf(before.Quantity))
	if total > math.MaxInt32 {
		return s, shop.ErrInvalidRequest.At("quantity").With("the variants of a product may have at most 2147483647 units together")
	}
	if err := writeStock(ctx, tx, item, s); err != nil {
		return s, err
	}
	if before.Quantity != nil && s.Quantity != nil && *before.Quantity != *s.Quantity {
		delta := int64(*s.Quantity - *before.Quantity)
		parts := []VariantMovement{}
		if item.Variant != 0 {
			parts = append(parts, VariantMovement{item.Variant, delta, new(int64(*s.Quantity))})
		}
		var movement shop.MovementID
		if err := tx.DB.QueryRow(ctx, `
			INSERT INTO stock_movement (company_id, product_id, delta, balance_after, reason, comment, actor_id, created_at, variants)
			VALUES ($1, $2, $3, $4, 'manual', nullif($5, ''), $6, clock_timestamp(), $7) RETURNING id`,
			tx.Company, item.Product, delta, total, e.Comment, e.Actor, parts).Scan(&movement); err != nil {
			return s, err
		}
		if low := max(valueOf(s.Threshold), 0); *s.Quantity <= low && *before.Quantity > low {
			if err := tx.RecordLetters(ctx, lowStockLetter(movement, item, int64(*s.Quantity))); err != nil {
				return s, err
			}
		}
	}
	tx.Changed(shop.Key{Kind: shop.KeyProduct, ID: int64(item.Product)}, shop.Key{Kind: shop.KeyStock})
	return s, nil
}

// LockStock locks a product and returns the stock of an item.
func LockStock(ctx context.Context, tx *store.Tx, item StockItem) (s Stock, err error) {
	_, err = lockStock(ctx, tx, item, &s)
	return s, err
}

// lockStock locks a product, reads the stock of the item into s, and returns how many units
// the product has in all.
func lockStock(ctx context.Context, tx *store.Tx, item StockItem, s *Stock) (total int64, err error) {
	var isSet bool
	var by shop.StockBy
	err = tx.DB.QueryRow(ctx, `
		SELECT stock_quantity, stock_low_threshold, combo_items <> '[]', stock_by FROM product
		WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL FOR UPDATE`,
		tx.Company, item.Product).Scan(&s.Quantity, &s.Threshold, &isSet, &by)
	switch {
	case store.NoRow(err):
		return 0, ErrProductNotFound
	case err != nil:
		return 0, err
	case isSet:
		return 0, ErrStockOfSet
	case (by == shop.StockByVariant) != (item.Variant != 0):
		return 0, ErrStockByVariant.At("variant_id")
	}
	total = int64(valueOf(s.Quantity))
	if item.Variant == 0 {
		return total, nil
	}
	err = tx.DB.QueryRow(ctx, `SELECT stock_quantity, stock_low_threshold FROM variant_set WHERE company_id = $1 AND product_id = $2 AND id = $3`,
		tx.Company, item.Product, item.Variant).Scan(&s.Quantity, &s.Threshold)
	if store.NoRow(err) {
		err = ErrVariantNotFound.At("variant_id").With(item.Variant.String())
	}
	return total, err
}

// writeStock writes the stock of an item of a locked product.
func writeStock(ctx context.Context, tx *store.Tx, item StockItem, s Stock) error {
	if item.Variant == 0 {
		_, err := tx.DB.Exec(ctx, `
			UPDATE product SET stock_quantity = $3, stock_low_threshold = $4 WHERE company_id = $1 AND id = $2`,
			tx.Company, item.Product, s.Quantity, s.Threshold)
		return err
	}
	if _, err := tx.DB.Exec(ctx, `
		UPDATE variant_set SET stock_quantity = $4, stock_low_threshold = $5 WHERE company_id = $1 AND product_id = $2 AND id = $3`,
		tx.Company, item.Product, item.Variant, s.Quantity, s.Threshold); err != nil {
		return err
	}
	return SettleVariantStock(ctx, tx.DB, tx.Company, []shop.ProductID{item.Product})
}

// SettleVariantStock makes the stock of locked products and of their variant sets agree, after the
// sets have changed: a product that is counted by variant has as many units as its tracked
// sets, and the sets of the others have no number. Nil ids mean all products of the shop.
func SettleVariantStock(ctx context.Context, db store.Querier, company shop.CompanyID, ids []shop.ProductID) error {
	_, err := db.Exec(ctx, `
		WITH cleared AS (
			UPDATE variant_set v SET stock_quantity = NULL FROM product p
			WHERE v.company_id = $1 AND v.stock_quantity IS NOT NULL AND ($2::integer[] IS NULL OR v.product_id = ANY($2))
				AND p.company_id = $1 AND p.id = v.product_id AND p.stock_by = 'product')
		UPDATE product p SET stock_quantity = (
			SELECT CASE WHEN count(v.stock_quantity) > 0 THEN least(sum(v.stock_quantity), 2147483647) END
			FROM variant_set v WHERE v.company_id = $1 AND v.product_id = p.id)
		WHERE p.company_id = $1 AND p.stock_by = 'variant' AND ($2::integer[] IS NULL OR p.id = ANY($2))`, company, ids)
	return err
}

// setStockBy changes how a locked live product is counted, without a ledger entry. As a whole
// it keeps the sum of its sets; by variant, no set is tracked at first.
func setStockBy(ctx context.Context, tx *store.Tx, id shop.ProductID, by shop.StockBy) error {
	if _, err := tx.DB.Exec(ctx, `
		UPDATE product SET stock_by = $3, stock_quantity = CASE WHEN $3 = 'product' THEN stock_quantity END
		WHERE company_id = $1 AND id = $2 AND stock_by <> $3`, tx.Company, id, by); err != nil {
		return err
	}
	if _, err := tx.DB.Exec(ctx, `UPDATE variant_set SET stock_quantity = NULL WHERE company_id = $1 AND product_id = $2`, tx.Company, id); err != nil {
		return err
	}
	tx.Changed(shop.Key{Kind: shop.KeyStock})
	return nil
}

func valueOf(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// Movements returns the stock ledger of a product, newest first; it is empty for products
// of other shops.
func Movements(ctx context.Context, r store.Reader, id shop.ProductID, limit int) ([]Movement, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT id, delta, balance_after, reason, comment, order_id, created_at, variants FROM stock_movement
		WHERE company_id = $1 AND product_id = $2 ORDER BY created_at DESC, id DESC LIMIT $3`, r.Company, id, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Movement])
}

// LowStock is a product, or one of its variant sets, whose stock is low.
type LowStock struct {
	Product   shop.ProductID
	Variant   VariantID // 0: the product is counted as a whole
	Name      string
	Title     string // of the set
	Quantity  int
	Threshold *int
}

// lowProducts and lowVariants are the tracked products and variant sets at or below their threshold,
// drafts included (document 2, 4.3), in the words of the indexes product_low and variant_set_low.
const (
	lowProducts = `
		FROM product WHERE company_id = $1 AND deleted_at IS NULL AND combo_items = '[]' AND stock_by = 'product'
			AND stock_quantity <= coalesce(stock_low_threshold, 0)`
	lowVariants = `
		FROM variant_set v JOIN product p ON p.company_id = $1 AND p.id = v.product_id
		WHERE v.company_id = $1 AND v.stock_quantity <= coalesce(v.stock_low_threshold, 0)
			AND p.deleted_at IS NULL AND p.combo_items = '[]' AND p.stock_by = 'variant'`
)

// CountLowStock counts what GetLowStock lists.
func CountLowStock(ctx context.Context, r store.Reader) (n int, err error) {
	err = r.DB.QueryRow(ctx, `SELECT (SELECT count(*)`+lowProducts+`) + (SELECT count(*)`+lowVariants+`)`, r.Company).Scan(&n)
	return n, err
}

// GetLowStock lists what is low, the scarcest first.
func GetLowStock(ctx context.Context, r store.Reader, limit int) ([]LowStock, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT id, 0::bigint, name, '{}'::jsonb, '', stock_quantity, stock_low_threshold`+lowProducts+`
		UNION ALL
		SELECT p.id, v.id, p.name, v.options, v.title, v.stock_quantity, v.stock_low_threshold`+lowVariants+`
		ORDER BY 6, 3, 1, 2 LIMIT $2`, r.Company, limit)
	if err != nil {
		return nil, err
	}
	var list []LowStock
	var low LowStock
	var v Variant
	_, err = pgx.ForEachRow(rows, []any{&low.Product, &low.Variant, &low.Name, &v.Options, &v.Title, &low.Quantity, &low.Threshold}, func() error {
		low.Title = v.DisplayTitle()
		list = append(list, low)
		low, v = LowStock{}, Variant{}
		return nil
	})
	return list, err
}

// OutstandingUnits returns the units of an order that are out of stock: those that left and
// did not come back. Products that were not tracked when units would have left have none.
// ordered are the units of the order's lines: units whose movement names no variant, because
// it is from before movements did, are those of the variants of the lines.
func OutstandingUnits(ctx context.Context, r store.Reader, id shop.OrderID, ordered map[StockItem]int64) (map[StockItem]int64, error) {
	rows, err := r.DB.Query(ctx, `
		WITH named AS (
			SELECT m.product_id, m.delta, (v->>'variant_id')::bigint AS variant, (v->>'delta')::bigint AS part, m.id
			FROM stock_movement m LEFT JOIN jsonb_array_elements(m.variants) v ON true WHERE m.company_id = $1 AND m.order_id = $2)
		SELECT product_id, variant, -sum(part) FROM named WHERE variant IS NOT NULL GROUP BY 1, 2
		UNION ALL
		SELECT product_id, 0, sum(part - delta) FROM (
			SELECT product_id, delta, coalesce(sum(part), 0) AS part FROM named GROUP BY product_id, id, delta) m
		GROUP BY 1`, r.Company, id)
	if err != nil {
		return nil, err
	}
	units := map[StockItem]int64{}
	var item StockItem
	var n int64
	if _, err = pgx.ForEachRow(rows, []any{&item.Product, &item.Variant, &n}, func() error {
		units[item] = n
		return nil
	}); err != nil {
		return nil, err
	}
	for _, item := range slices.SortedFunc(maps.Keys(ordered), compareItems) {
		unnamed := StockItem{Product: item.Product}
		if n := min(units[unnamed], ordered[item]); item.Variant != 0 && n > 0 {
			units[item] += n
			units[unnamed] -= n
		}
	}
	return units, nil
}
