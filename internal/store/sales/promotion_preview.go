package sales

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// PastOrder holds the data of a past order needed to compute what a promotion would have
// taken off.
type PastOrder struct {
	Person        shop.UserID
	At            time.Time
	ItemsTotal    int64
	DiscountTotal int64
	First         bool                   // the person had no earlier order that was not cancelled
	Groups        []shop.CustomerGroupID // present groups of the person, if requested
	Lines         []PastLine
}

// PastLine is a line of a past order, without gifts.
type PastLine struct {
	Product  shop.ProductID    `json:"product_id"`
	Category shop.CategoryID   `json:"category_id"` // present section of the product
	Extra    []shop.CategoryID `json:"extra"`
	Quantity int64             `json:"quantity"`
	Unit     int64             `json:"unit_price"`
	Base     int64             `json:"base_unit_price"`
	Set      bool              `json:"is_set"`
	Data     json.RawMessage   `json:"data"`
}

// PastOrders calls each with the orders since a moment that are not cancelled, oldest
// first; groups requests the groups of their buyers too.
func PastOrders(ctx context.Context, r store.Reader, since time.Time, groups bool, each func(*PastOrder) error) error {
	rows, err := r.DB.Query(ctx, `
		SELECT o.person_id, o.created_at, o.items_total, o.discount_total,
			NOT EXISTS (SELECT FROM shop_order b WHERE b.company_id = $1 AND b.person_id = o.person_id AND b.id < o.id AND b.status <> 'cancelled'),
			CASE WHEN $3 THEN `+people.GroupsOfPerson("o.person_id")+` END,
			coalesce((SELECT json_agg(json_build_object('product_id', l.product_id, 'category_id', coalesce(p.category_id, 0),
				'extra', ARRAY(SELECT e.category_id FROM product_extra_category e WHERE e.company_id = $1 AND e.product_id = l.product_id),
				'quantity', l.quantity, 'unit_price', l.unit_price, 'base_unit_price', l.base_unit_price,
				'is_set', l.combo_items <> '[]', 'data', l.data) ORDER BY l.id)
				FROM order_line l LEFT JOIN product p ON p.company_id = $1 AND p.id = l.product_id
				WHERE l.company_id = $1 AND l.order_id = o.id AND NOT l.is_gift), '[]')
		FROM shop_order o WHERE o.company_id = $1 AND o.created_at >= $2 AND o.status <> 'cancelled' ORDER BY o.created_at, o.id`, r.Company, since, groups)
	if err != nil {
		return err
	}
	var o PastOrder
	_, err = pgx.ForEachRow(rows, []any{&o.Person, &o.At, &o.ItemsTotal, &o.DiscountTotal, &o.First, &o.Groups, &o.Lines}, func() error {
		err := each(&o)
		o.Lines, o.Groups = nil, nil
		return err
	})
	return err
}
