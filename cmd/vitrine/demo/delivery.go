package demo

import (
	"context"

	"vitrine/internal/shop"
)

// way is a way of delivery as the API answers it.
type way struct {
	ID   shop.DeliveryID `json:"id"`
	Name string          `json:"name"`
}

// ways makes the ways of delivery, of which buyers choose by their place: the
// courier, the pick-up, and one that is switched off.
func (d *desk) ways(ctx context.Context) ([]way, error) {
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
			continue // an earlier start came this far
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
