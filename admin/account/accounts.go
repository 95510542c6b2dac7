// Package account is what a person keeps in a shop beside carts and orders: the
// address book and the wishlist (CONTRACT-COMMERCE, "Buyers"). Both are kept per
// shop, of guests too; who the person is belongs to package access.
package account

import (
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Config is what accounts stand on.
type Config struct {
	Store *store.Store
	Now   func() time.Time
}

// Accounts answers the endpoints of this package.
type Accounts struct{ Config }

// New makes the slice.
func New(cfg Config) *Accounts { return &Accounts{cfg} }

// Endpoints is the table of this slice.
func (as *Accounts) Endpoints() []api.Endpoint {
	book := api.Refuses(api.ErrDenied, store.ErrShopNotFound)
	list := book.And(store.ErrProductNotFound, store.ErrWishlistFull)
	return []api.Endpoint{
		{Method: "GET", Path: "/v1/account/addresses", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Errors: book, Do: api.Handle(as.addresses),
			Summary: "The person's addresses in a shop, the usual one first"},
		{Method: "POST", Path: "/v1/account/addresses", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: book.And(errAddressEmpty, store.ErrAddressLimit), Do: api.Handle(as.addAddress),
			Summary: "Add an address; the first one is the usual one"},
		{Method: "PUT", Path: "/v1/account/addresses/{id}", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: book.And(errAddressEmpty, store.ErrAddressNotFound), Do: api.Handle(as.changeAddress),
			Summary: "Change an address; what is not sent stays"},
		{Method: "DELETE", Path: "/v1/account/addresses/{id}", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: book.And(store.ErrAddressNotFound), Do: api.Handle(as.dropAddress),
			Summary: "Forget an address"},
		{Method: "GET", Path: "/v1/account/wishlist", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Errors: book, Do: api.Handle(as.wishlist),
			Summary: "The products that the person keeps in mind, newest first"},
		{Method: "PUT", Path: "/v1/account/wishlist/{product_id}", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: list, Do: api.Handle(as.wish),
			Summary: "Keep a product in mind"},
		{Method: "DELETE", Path: "/v1/account/wishlist/{product_id}", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: book, Do: api.Handle(as.unwish),
			Summary: "Forget a product"},
		{Method: "POST", Path: "/v1/account/wishlist/merge", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: list, Do: api.Handle(as.mergeWishes),
			Summary: "Keep in mind what a browser collected without a session; unknown products are skipped"},
	}
}

// ofShop names the shop in an address; on its host that is the host's.
type ofShop struct {
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"the shop"`
}

// company is the shop that a call means.
func company(c *api.Call, named shop.CompanyID) (shop.CompanyID, error) {
	id, err := c.BuyerShop(named)
	if err == nil && id == 0 {
		err = store.ErrShopNotFound.At("company_id").With("name the shop")
	}
	return id, err
}
