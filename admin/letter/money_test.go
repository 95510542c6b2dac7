package letter_test

import (
	"strconv"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

// payTwice pays an order by hand while a card payment is open. That payment then succeeds, and
// its provider refuses the refund.
func (d *fixture) payTwice(order string) {
	d.t.Helper()
	ctx := d.t.Context()
	n, err := strconv.ParseInt(order, 10, 64)
	if err != nil {
		d.t.Fatal(err)
	}
	id, card := shop.OrderID(n), sales.Payment{}
	err = d.Store.Write(ctx, d.Shop.ID, func(tx *store.Tx) (err error) {
		card, err = sales.OpenPayment(ctx, tx, sales.Payment{Order: id, Method: "stripe", AmountMinor: 2800, Currency: "EUR"}, nil)
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	d.OK("POST", "/orders/"+order+"/payment/confirm", d.owner, m{})
	err = d.Store.Write(ctx, d.Shop.ID, func(tx *store.Tx) error {
		o, err := sales.LockOrder(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := sales.MarkPaid(ctx, tx, o, card, d.Clock.Now()); err != nil {
			return err
		}
		if card, err = sales.LockPayment(ctx, tx, card.ID); err != nil {
			return err
		}
		if err := sales.RequestRefund(ctx, tx, card, d.OwnerID, d.Clock.Now()); err != nil {
			return err
		}
		return sales.RefuseRefund(ctx, tx, o, card, "the charge is <202> disputed")
	})
	if err != nil {
		d.t.Fatal(err)
	}
}
