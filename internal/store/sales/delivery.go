package sales

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// ErrDeliveryNotFound is returned for delivery options that the shop does not offer.
var ErrDeliveryNotFound = shop.Refuse(shop.FailedPrecondition, "DELIVERY_NOT_FOUND").When("the shop has no such delivery option, or it is switched off")

// ErrDeliveryNotPossible is returned if goods cannot be delivered to where the buyer wants them.
var ErrDeliveryNotPossible = shop.Refuse(shop.FailedPrecondition, "DELIVERY_NOT_POSSIBLE").
	When("no rate of the delivery option, or of any active one, matches the destination, the sum and the weight of the goods")

// ErrDeliveryLimit is returned when a shop would have more options than a checkout can
// show.
var ErrDeliveryLimit = shop.Refuse(shop.FailedPrecondition, "DELIVERY_LIMIT").When("the shop has 100 delivery options already")

const maxDeliveryOptions = 100

// DeliveryOption is a way in which a shop delivers (CONTRACT-COMMERCE, "Cart").
type DeliveryOption struct {
	ID           shop.DeliveryID
	Name         string
	Description  string
	Kind         shop.DeliveryKind
	Price        int64  // without rates
	FreeFrom     *int64 // items_total from which it is free; nil: never
	Rates        []shop.DeliveryRate
	Points       []shop.DeliveryPoint // of a pickup
	IsActive     bool
	NeedsAddress bool
	SortOrder    int
	UpdatedAt    time.Time
}

// Cheapest returns the lowest price of the option, and whether others are above it.
func (d *DeliveryOption) Cheapest() (price int64, others bool) {
	if len(d.Rates) == 0 {
		return d.Price, false
	}
	byPrice := func(a, b shop.DeliveryRate) int { return cmp.Compare(a.Price, b.Price) }
	price = slices.MinFunc(d.Rates, byPrice).Price
	return price, slices.MaxFunc(d.Rates, byPrice).Price > price
}

// Point returns the point with an id, or the first one if no id is given; nil if there is none.
func (d *DeliveryOption) Point(id shop.PointID) *shop.DeliveryPoint {
	for i := range d.Points {
		if id == "" || d.Points[i].ID == id {
			return &d.Points[i]
		}
	}
	return nil
}

const deliveryColumns = `id, name, description, kind, price, free_from, rates, points, is_active, needs_address, sort_order, updated_at`

// DeliveryOptions lists the delivery options in their order.
func DeliveryOptions(ctx context.Context, r store.Reader) ([]DeliveryOption, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT `+deliveryColumns+` FROM delivery_option WHERE company_id = $1 AND deleted_at IS NULL ORDER BY sort_order, id`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[DeliveryOption])
}

// LockDelivery serialises changes of the delivery options.
func LockDelivery(ctx context.Context, tx *store.Tx) error {
	_, err := tx.DB.Exec(ctx, `SELECT FROM company WHERE id = $1 FOR NO KEY UPDATE`, tx.Company)
	return err
}

// AddDeliveryOption adds a delivery option unless the shop has the maximum. The caller
// holds LockDelivery.
func AddDeliveryOption(ctx context.Context, tx *store.Tx, d DeliveryOption) (DeliveryOption, error) {
	var n int
	err := tx.DB.QueryRow(ctx, `
		SELECT count(*) FROM delivery_option WHERE company_id = $1 AND deleted_at IS NULL`, tx.Company).Scan(&n)
	if err == nil && n >= maxDeliveryOptions {
		err = ErrDeliveryLimit
	}
	if err != nil {
		return d, err
	}
	d.ID = 0
	return SaveDeliveryOption(ctx, tx, d)
}

// GetDeliveryOption reads one delivery option.
func GetDeliveryOption(ctx context.Context, r store.Reader, id shop.DeliveryID) (d DeliveryOption, err error) {
	rows, err := r.DB.Query(ctx, `
		SELECT `+deliveryColumns+` FROM delivery_option WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL`, r.Company, id)
	if err != nil {
		return d, err
	}
	d, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[DeliveryOption])
	if store.NoRow(err) {
		err = ErrDeliveryNotFound
	}
	return d, err
}

// SaveDeliveryOption inserts a delivery option without an id and updates one that has an
// id.
func SaveDeliveryOption(ctx context.Context, tx *store.Tx, d DeliveryOption) (saved DeliveryOption, err error) {
	tx.Changed(shop.Key{Kind: shop.KeyShop}) // product pages name them
	args := []any{
		tx.Company, d.Name, d.Description, cmp.Or(d.Kind, shop.DeliveryToAddress), d.Price, d.FreeFrom, append([]shop.DeliveryRate{}, d.Rates...),
		append([]shop.DeliveryPoint{}, d.Points...), d.IsActive, d.NeedsAddress, d.SortOrder,
	}
	sql := `INSERT INTO delivery_option (company_id, name, description, kind, price, free_from, rates, points, is_active, needs_address, sort_order)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING ` + deliveryColumns
	if d.ID != 0 {
		sql = `UPDATE delivery_option SET name = $2, description = $3, kind = $4, price = $5, free_from = $6, rates = $7, points = $8,
			is_active = $9, needs_address = $10, sort_order = $11, updated_at = now()
			WHERE company_id = $1 AND id = $12 AND deleted_at IS NULL RETURNING ` + deliveryColumns
		args = append(args, d.ID)
	}
	rows, err := tx.DB.Query(ctx, sql, args...)
	if err != nil {
		return d, err
	}
	saved, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[DeliveryOption])
	if store.NoRow(err) {
		err = ErrDeliveryNotFound
	}
	return saved, err
}

// DeleteDeliveryOption removes a delivery option from the list; orders keep theirs.
func DeleteDeliveryOption(ctx context.Context, tx *store.Tx, id shop.DeliveryID) error {
	tx.Changed(shop.Key{Kind: shop.KeyShop})
	tag, err := tx.DB.Exec(ctx, `
		UPDATE delivery_option SET deleted_at = now(), updated_at = now() WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL`, tx.Company, id)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrDeliveryNotFound
	}
	return err
}
