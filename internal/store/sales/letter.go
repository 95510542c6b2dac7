package sales

import (
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
