package letter_test

import (
	"strconv"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// paysTwice pays an order by hand while a payment by card is open, which is paid then, and
// whose provider does not give the money back.
func (d *desk) paysTwice(order string) {
	d.t.Helper()
	ctx := d.t.Context()
	n, err := strconv.ParseInt(order, 10, 64)
	if err != nil {
		d.t.Fatal(err)
	}
	id, card := shop.OrderID(n), store.Payment{}
	err = d.Store.Write(ctx, d.Shop.ID, func(tx *store.Tx) (err error) {
		card, err = tx.OpenPayment(ctx, store.Payment{Order: id, Method: "stripe", AmountMinor: 2800, Currency: "EUR"}, nil)
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	d.OK("POST", "/orders/"+order+"/payment/confirm", d.owner, m{})
	err = d.Store.Write(ctx, d.Shop.ID, func(tx *store.Tx) error {
		o, err := tx.LockOrder(ctx, id)
		if err != nil {
			return err
		}
		if err := tx.PayPayment(ctx, o, card, d.Clock.Now()); err != nil {
			return err
		}
		if card, err = tx.LockPayment(ctx, card.ID); err != nil {
			return err
		}
		if err := tx.AskRefund(ctx, card, d.OwnerID, d.Clock.Now()); err != nil {
			return err
		}
		return tx.RefuseRefund(ctx, o, card, "the charge is <202> disputed")
	})
	if err != nil {
		d.t.Fatal(err)
	}
}
