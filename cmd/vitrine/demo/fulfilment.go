package demo

import (
	"context"
	"fmt"

	"vitrine/internal/shop"
	"vitrine/internal/store/sales"
)

// fulfilment is what a merchant has done about an order so far, besides its status.
type fulfilment struct {
	parcels int  // of the second, the first line is already delivered
	arrived bool // all of them
	invoice bool
	tags    []string
	note    string
}

// fulfilments are those of the last orders, by their number from 0.
var fulfilments = map[int]fulfilment{
	sold - 12: {parcels: 1, arrived: true, invoice: true},
	sold - 10: {parcels: 1, arrived: true, invoice: true},
	sold - 6:  {parcels: 2, invoice: true, tags: []string{"fragile"}, note: "The pot goes into the large box, the rest follows."},
	sold - 4:  {tags: []string{"gift"}, note: "Called on Friday: a birthday, no prices in the parcel."},
	sold - 1:  {tags: []string{"gift", "regular"}},
}

// fulfil ships, invoices and annotates an order. What an earlier start has done is not repeated.
func (t *seller) fulfil(ctx context.Context, n int, o sales.Order) error {
	f, ok := fulfilments[n]
	if !ok {
		return nil
	}
	at := params{"id": o.ID.String()}
	if f.invoice {
		if err := t.send(ctx, "POST", "/orders/{id}/invoice", at, nil); err != nil {
			return err
		}
	}
	if err := t.send(ctx, "PUT", "/orders/{id}/note", at, object{"text": f.note}); err != nil {
		return err
	}
	if err := t.send(ctx, "PUT", "/orders/{id}/tags", at, object{"tags": append([]string{}, f.tags...)}); err != nil {
		return err
	}
	return t.ship(ctx, f, o, at)
}

// ship sends the parcels of an order. With several, the first contains the first line and has
// arrived.
func (t *seller) ship(ctx context.Context, f fulfilment, o sales.Order, at params) error {
	type parcel struct {
		ID shop.ShipmentID `json:"id"`
	}
	there, err := ask[result[struct {
		Lines []struct {
			ID       shop.Int64 `json:"id"`
			Quantity int64      `json:"quantity"`
		} `json:"items"`
		Parcels []parcel `json:"shipments"`
	}]](ctx, t.client, "GET", "/orders/{id}", at, nil)
	if err != nil {
		return err
	}
	lines, parcels := there.Result.Lines, there.Result.Parcels
	for k := len(parcels); k < f.parcels; k++ {
		body := object{"carrier": "dhl", "number": fmt.Sprintf("00340434161%08d%d", o.Number, k+1), "shipped_at": t.now}
		if k < f.parcels-1 {
			body["lines"] = []object{{"line_id": lines[k].ID, "quantity": lines[k].Quantity}}
		}
		sent, err := ask[result[parcel]](ctx, t.client, "POST", "/orders/{id}/shipments", at, body)
		if err != nil {
			return err
		}
		parcels = append(parcels, sent.Result)
	}
	for k, p := range parcels {
		if f.arrived || k < f.parcels-1 {
			path := params{"id": at["id"], "shipment_id": p.ID.String()}
			if err := t.send(ctx, "PUT", "/orders/{id}/shipments/{shipment_id}", path, object{"delivered_at": t.now}); err != nil {
				return err
			}
		}
	}
	return nil
}
