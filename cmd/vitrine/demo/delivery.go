package demo

import (
	"context"

	"vitrine/internal/shop"
)

// way is a delivery option in the API's format.
type way struct {
	ID   shop.DeliveryID `json:"id"`
	Name string          `json:"name"`
}

// ways creates the delivery options: a courier, pick-up, and a disabled one.
func (d *client) ways(ctx context.Context) ([]way, error) {
	const path = "/v1/shop/delivery-options"
	there, err := ask[result[[]way]](ctx, d, "GET", path, nil, nil)
	if err != nil {
		return nil, err
	}
	list := there.Result
	for i, w := range []object{
		{"name": "Courier", "description": "To the door in two working days.", "price": 6, "free_from": 90, "needs_address": true},
		{"name": "Pick-up in the shop", "description": "Wednesday to Saturday, 11 to 18 h."},
		{"name": "Parcel locker", "description": "Not before the locker is repaired.", "price": 4, "is_active": false},
	} {
		if i < len(list) {
			continue // created by an earlier start
		}
		w["sort_order"] = i
		made, err := ask[result[way]](ctx, d, "POST", path, nil, w)
		if err != nil {
			return nil, err
		}
		list = append(list, made.Result)
	}
	return list, nil
}
