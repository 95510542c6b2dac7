package sales

import (
	"context"
	"encoding/json"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// Buyer is what a shop knows of a buyer before an order: their profile, the checkout input
// saved with the cart, and their address book in the shop.
type Buyer struct {
	Email     string          `json:"email"` // empty: a guest
	Name      string          `json:"name"`
	Phone     string          `json:"phone"`
	Typed     json.RawMessage `json:"typed"`     // {}: nothing
	Addresses json.RawMessage `json:"addresses"` // a list, the default one first
	Agreed    bool            `json:"agreed"`    // to a reminder of the cart
}

// GetBuyer reads a buyer with one statement, because every visit of a checkout needs it.
func GetBuyer(ctx context.Context, r store.Reader, person shop.UserID) (b Buyer, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT p.email, p.name, p.phone, coalesce((SELECT typed FROM cart WHERE company_id = $1 AND person_id = $2), '{}'),
			coalesce((SELECT agreed FROM cart WHERE company_id = $1 AND person_id = $2), false),
			(SELECT coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'name', a.name, 'phone', a.phone, 'country', a.country, 'region', a.region,
				'city', a.city, 'street', a.street, 'postcode', a.postcode, 'comment', a.comment, 'is_default', a.is_default)
				ORDER BY a.is_default DESC, a.id), '[]') FROM person_address a WHERE a.company_id = $1 AND a.person_id = $2)
		FROM person p WHERE p.id = $2`, r.Company, person).Scan(&b.Email, &b.Name, &b.Phone, &b.Typed, &b.Agreed, &b.Addresses)
	if store.NoRow(err) {
		err = shop.ErrNotFound
	}
	return b, err
}

// ErrCustomerNotFound refuses to price a cart for a customer that the shop does not have.
var ErrCustomerNotFound = people.ErrCustomerNotFound

// CustomerContact returns the person behind a customer, 0 if there is none, and how orders of the
// customer are recognized.
func CustomerContact(ctx context.Context, r store.Reader, id shop.CustomerID) (person shop.UserID, contact Contact, err error) {
	c, err := people.GetCustomer(ctx, r, id)
	return c.Person, Contact{Name: c.Name, Phone: c.Phone, Email: c.Email}, err
}

// BuyerOf returns the person who makes a manual order: the customer of the shop who verified this
// address, otherwise a new guest. An account that did not buy in the shop is not found, so that a
// shop does not learn which addresses have one; it finds the order when it signs in.
func BuyerOf(ctx context.Context, tx *store.Tx, email string) (person shop.UserID, err error) {
	err = tx.DB.QueryRow(ctx, `
		SELECT p.id FROM customer c JOIN person p ON p.id = c.person_id AND p.proven_at IS NOT NULL AND lower(p.email) = c.email
		WHERE c.company_id = $1 AND c.email = lower($2) AND c.email <> '' AND c.erased_at IS NULL`, tx.Company, email).Scan(&person)
	if store.NoRow(err) {
		return people.AddPerson(ctx, tx, "", "", people.NoPassword)
	}
	return person, err
}
