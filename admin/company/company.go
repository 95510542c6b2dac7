// Package company manages shops themselves: a person opens one, closes it with a PIN, gives it
// another slug or currency, deletes it and restores it (CONTRACT, "Hands and agents", Shops). The
// commands of the operator are the same functions.
//
// A deleted shop keeps its rows for 30 days. Meanwhile its hosts, its keys and its members' calls
// find no shop, except for the owner who restores it, and no worker acts for it. Only what
// payment providers report about its orders is still recorded. Afterwards the worker deletes it as
// `vitrine shop delete` does at once.
package company

import (
	"context"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/people"
)

// Config holds the dependencies of Shops.
type Config struct {
	Store *store.Store
	URLs  api.URLs
	Hosts shop.Storefronts
	Now   func() time.Time

	// SignupClosed leaves opening shops to the operator.
	SignupClosed bool

	Hash func(ctx context.Context, pin string) (string, error) // of a PIN; it bounds how many are computed at once

	// SetCurrency changes the currency of a shop and returns the payment methods that were
	// switched off because they cannot charge it.
	SetCurrency func(ctx context.Context, tx *store.Tx, currency string) (off []string, err error)
}

// Shops serves the endpoints of this package.
type Shops struct{ Config }

// New returns Shops with the given dependencies.
func New(cfg Config) *Shops { return &Shops{cfg} }

// Refusals of shops.
var (
	ErrSlugInvalid     = shop.Refuse(shop.InvalidArgument, "SHOP_SLUG_INVALID").When("the slug is not a valid host name, or it is reserved for the platform")
	ErrNameRequired    = shop.Refuse(shop.InvalidArgument, "NAME_REQUIRED").When("name is missing or empty")
	ErrCurrencyInvalid = shop.Refuse(shop.InvalidArgument, "CURRENCY_INVALID").When("currency is not a three-letter code")
	ErrPriceDigits     = shop.Refuse(shop.InvalidArgument, "PRICE_DIGITS_INVALID").When("the currency does not allow that many decimal digits in prices")
	ErrPINInvalid      = shop.Refuse(shop.InvalidArgument, "PIN_INVALID").When("the PIN does not have 4 to 12 digits, or a shop that is open is closed without one")
	ErrSignupClosed    = shop.Refuse(shop.PermissionDenied, "SIGNUP_CLOSED").When("only the operator opens shops on this platform")
	ErrSlugWrong       = shop.Refuse(shop.FailedPrecondition, "SLUG_WRONG").When("the slug that confirms a deletion is not that of the shop")

	errOwner = api.ErrRole.With("only the owner may do this")
	errBuyer = api.ErrRole.With("open shops with an account at the address of the admin API")
)

// Endpoints lists the endpoints of this package.
func (s *Shops) Endpoints() []api.Endpoint {
	return []api.Endpoint{
		{Method: "GET", Path: "/v1/orgs", Contour: api.LiveOnly, Auth: api.SessionOnly, Class: api.Read, Do: api.Handle(s.own),
			Summary: "The shops of the person, the main one first, and those of their own that they deleted and can restore"},
		{Method: "POST", Path: "/v1/orgs", OfPerson: true, Contour: api.LiveOnly, Auth: api.SessionOnly, Class: api.Write,
			Errors:  api.Refuses(ErrSignupClosed, api.ErrRole, ErrSlugInvalid, shop.ErrSlugTaken, ErrNameRequired, ErrCurrencyInvalid, ErrPriceDigits, shop.ErrRateLimited),
			Do:      api.Handle(s.open),
			Summary: "Open a shop of one's own; a person may own 20, and 20 a day may be opened from one network"},
		{Method: "GET", Path: "/v1/orgs/current", Contour: api.LiveOnly, Class: api.Read, Do: api.Handle(s.org), Summary: "The shop of the caller"},
		{Method: "GET", Path: "/tariff/usage", Class: api.Read, Do: api.Handle(s.usage), Summary: "The plan limits of the shop and how much of them is used"},
		{Method: "PUT", Path: "/v1/shop/state", Auth: api.SessionOnly, Manage: errOwner, Contour: api.LiveOnly, Class: api.Write, Errors: api.Refuses(ErrPINInvalid), Do: api.Handle(s.setState),
			Summary: "Close the shop to visitors without the PIN, or open it"},
		{Method: "PUT", Path: "/v1/shop/slug", Auth: api.SessionOnly, Manage: errOwner, Contour: api.LiveOnly, Fresh: api.FreshAlways, Class: api.Write, Errors: api.Refuses(ErrSlugInvalid, shop.ErrSlugTaken), Do: api.Handle(s.setSlug),
			Summary: "Give the shop another slug; the old address stops working at once and is free for others"},
		{Method: "PUT", Path: "/v1/shop/currency", Auth: api.SessionOnly, Manage: errOwner, Contour: api.LiveOnly, Class: api.Write, Errors: api.Refuses(ErrCurrencyInvalid, ErrPriceDigits), Do: api.Handle(s.setCurrency),
			Summary: "Change the currency of the shop: prices keep their numbers, orders their currency"},
		{Method: "DELETE", Path: "/v1/shop", Auth: api.SessionOnly, Manage: errOwner, Contour: api.LiveOnly, Fresh: api.FreshAlways, Class: api.Write, Errors: api.Refuses(ErrSlugWrong), Do: api.Handle(s.remove),
			Undo: "Its owner can restore it within 30 days: POST /v1/shop/restore with X-Vitrine-Shop.", Summary: "Delete the shop; for 30 days its owner can restore it"},
		{Method: "POST", Path: "/v1/shop/restore", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: api.Refuses(api.ErrRole, store.ErrRestoreExpired, store.ErrShopNotFound), Do: api.Handle(s.restore),
			Summary: "Restore the shop that its owner deleted in the last 30 days; X-Vitrine-Shop names it"},
	}
}

// write runs a change of the owner's shop. The role is read again under the lock of the members,
// so that nobody acts with a role that was just lowered.
func (s *Shops) write(ctx context.Context, c *api.Call, change func(*store.Tx) error) error {
	if c.Role != shop.Owner {
		return errOwner
	}
	return s.writeAs(ctx, c.Company, c.Person, change)
}

func (s *Shops) writeAs(ctx context.Context, company shop.CompanyID, person shop.UserID, change func(*store.Tx) error) error {
	return s.Store.Write(ctx, company, func(tx *store.Tx) error {
		if err := tx.LockMembers(ctx); err != nil {
			return err
		}
		role, err := people.RoleOf(ctx, tx.Reader, person)
		if err == nil && role != shop.Owner {
			err = errOwner
		}
		if err != nil {
			return err
		}
		return change(tx)
	})
}

type orgView struct {
	ID            shop.CompanyID `json:"id"`
	Slug          string         `json:"slug"`
	Name          string         `json:"name"`
	Currency      string         `json:"currency"`
	Domain        string         `json:"domain"`
	StorefrontURL string         `json:"storefront_url"`
	Closed        bool           `json:"closed"`
	CreatedAt     time.Time      `json:"created_at"`
}

func (s *Shops) org(ctx context.Context, c *api.Call, _ api.None) (api.Result[orgView], error) {
	v, err := s.view(ctx, c.Company)
	return api.Wrap(v), err
}

// view returns a shop as its members see it.
func (s *Shops) view(ctx context.Context, id shop.CompanyID) (orgView, error) {
	company, err := companydb.Info(ctx, s.Store.Shop(id))
	return orgView{
		ID: company.ID, Slug: company.Slug, Name: company.Name, Currency: company.Currency, Domain: company.Domain,
		StorefrontURL: s.URLs.Storefront(company), Closed: company.Closed, CreatedAt: company.CreatedAt.UTC(),
	}, err
}
