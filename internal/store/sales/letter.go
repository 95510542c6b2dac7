package sales

import (
	"vitrine/internal/store"
)

// toBoth returns a letter about an order to its buyer and one to the seller.
func toBoth(name, object string, o *Order, facts store.LetterData) []store.NewLetter {
	return []store.NewLetter{
		{Name: name + store.ToBuyer, Object: object, Order: &o.ID, Person: o.Person, To: o.Contact.Email, Facts: facts},
		{Name: name + store.ToSeller, Object: object, Order: &o.ID, Person: o.Person, Facts: facts},
	}
}
