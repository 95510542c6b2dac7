// Package account manages the address book and the wishlist that a person keeps in a shop
// (CONTRACT-COMMERCE, "Buyers"). Both are kept per shop, for guests too; the identity of the
// person belongs to package access.
package account

import (
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/people"
	"vitrine/internal/store/sales"
)

// Config holds the dependencies of accounts.
type Config struct {
	Store *store.Store
	Now   func() time.Time
}

// Accounts implements the endpoints of this package.
type Accounts struct{ Config }

// New returns Accounts.
func New(cfg Config) *Accounts { return &Accounts{cfg} }

// Endpoints returns the endpoint table of this package.
func (as *Accounts) Endpoints() []api.Endpoint {
	book := api.Refuses(api.ErrDenied, store.ErrShopNotFound)
	list := book.And(catalog.ErrProductNotFound, sales.ErrWishlistFull)
	return []api.Endpoint{
		{Method: "GET", Path: "/v1/account/addresses", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Errors: book, Do: api.Handle(as.addresses),
			Summary: "The person's addresses in a shop, the default one first"},
		{Method: "POST", Path: "/v1/account/addresses", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: book.And(errAddressEmpty, people.ErrAddressLimit), Do: api.Handle(as.addAddress),
			Summary: "Add an address; the first one becomes the default"},
		{Method: "GET", Path: "/v1/account/addresses/{id}", Own: true, Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Errors: book.And(people.ErrAddressNotFound), Do: api.Handle(as.address),
			Summary: "One address of the person"},
		{Method: "PUT", Path: "/v1/account/addresses/{id}", Edits: "/v1/account/addresses/{id}", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: book.And(errAddressEmpty, people.ErrAddressNotFound), Do: api.Handle(as.changeAddress),
			Summary: "Change an address; omitted fields stay"},
		{Method: "DELETE", Path: "/v1/account/addresses/{id}", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: book.And(people.ErrAddressNotFound), Do: api.Handle(as.dropAddress),
			Summary: "Delete an address"},
		{Method: "GET", Path: "/v1/account/wishlist", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Errors: book, Do: api.Handle(as.wishlist),
			Summary: "The wishlist of the person, newest first"},
		{Method: "PUT", Path: "/v1/account/wishlist/{product_id}", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: list, Do: api.Handle(as.wish),
			Summary: "Add a product to the wishlist"},
		{Method: "DELETE", Path: "/v1/account/wishlist/{product_id}", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: book, Do: api.Handle(as.unwish),
			Summary: "Remove a product from the wishlist"},
		{Method: "POST", Path: "/v1/account/wishlist/merge", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: list, Do: api.Handle(as.mergeWishes),
			Summary: "Add products that a browser collected without a session to the wishlist; unknown products are skipped"},
	}
}

// ofShop names the shop in the query; on a shop's host it is that shop.
type ofShop struct {
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"the shop"`
}

// company returns the shop that a call is about.
func company(c *api.Call, named shop.CompanyID) (shop.CompanyID, error) {
	id, err := c.BuyerShop(named)
	if err == nil && id == 0 {
		err = store.ErrShopNotFound.At("company_id").With("name the shop")
	}
	return id, err
}
