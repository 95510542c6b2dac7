package sales

import (
	"context"

	"vitrine/internal/store"
)

// toBoth returns a letter about an order to its buyer and one to the seller.
func toBoth(o *Order, l store.NewLetter) []store.NewLetter {
	l.Order, l.Person = &o.ID, o.Person
	buyers, sellers := l, l
	buyers.Name, buyers.To = l.Name+store.ToBuyer, o.Contact.Email
	sellers.Name = l.Name + store.ToSeller
	return []store.NewLetter{buyers, sellers}
}

// RequestPayment queues a letter to the buyer with the link that opens an order to pay it.
func RequestPayment(ctx context.Context, tx *store.Tx, o Order) error {
	return tx.RecordLetters(ctx, store.NewLetter{
		Name: "order_payment" + store.ToBuyer, Object: o.ID.String(), Order: &o.ID, Person: o.Person, To: o.Contact.Email,
	})
}
