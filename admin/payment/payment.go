// Package payment is how shops take money (CONTRACT-COMMERCE, "Payments"): the
// methods that a shop has set, attempts to pay an order at their providers, and money
// that goes back.
//
// What a provider tells is a hint; money counts when the provider, asked, says that
// it has as much of the right currency for this very payment. Attempts and refunds are
// written before a provider is called.
package payment

import (
	"context"
	"fmt"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/pay"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Config is what payments stand on.
type Config struct {
	Store  *store.Store
	Sealer *secret.Sealer
	Do     pay.Do
	Now    func() time.Time
	URLs   api.URLs

	StripeURL   string // where Stripe is
	YooKassaURL string
}

// Payments answers the endpoints of this package.
type Payments struct {
	Config
	till *Till
}

// New makes the slice.
func New(cfg Config) *Payments {
	ps := &Payments{Config: cfg}
	ps.till = &Till{Store: cfg.Store, Provider: ps.provider, Now: cfg.Now, Title: ps.title}
	return ps
}

// Endpoints is the table of this slice.
func (ps *Payments) Endpoints() []api.Endpoint {
	role := api.ErrRole.With("payments are set up by owners and admins")
	return []api.Endpoint{
		{Method: "GET", Path: "/v1/shop/payment-methods", Auth: api.Public, Contour: api.LiveOnly, Class: api.Read, Errors: api.Refuses(api.ErrNoCompany, store.ErrShopNotFound), Do: api.Handle(ps.list),
			Summary: "The ways to pay; inactive ones for the shop's people alone"},
		{Method: "PUT", Path: "/v1/shop/payment-methods/{method}", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Write, Errors: api.Refuses(errMethod, errNoSandbox), Do: api.Handle(ps.set),
			Summary: "Set up a way to pay; its secrets are never answered"},
		{Method: "POST", Path: "/orders/{id}/payment", Outward: true, Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write,
			Errors: api.Refuses(store.ErrOrderNotFound, store.ErrOrderDenied, errCancelled, errNoProvider, errUnreachable, errDeclined), Do: api.Handle(ps.start),
			Summary: "Begin to pay an order; a second call answers the same payment"},
		{Method: "POST", Path: "/v1/payments/{method}/{company_id}", Auth: api.Link, Contour: api.LiveOnly, Class: api.Free, Consumes: []string{"application/json"}, Errors: api.Refuses(shop.ErrNotFound, shop.ErrInvalidRequest, shop.ErrBodyTooLarge), Do: api.Handle(ps.notice),
			Summary: "What a provider tells of a payment; a hint to look at it"},
		{Method: "GET", Path: sandboxPath, Auth: api.Link, Contour: api.LiveOnly, Class: api.Free, Produces: []string{"text/html"}, Errors: api.Refuses(shop.ErrNotFound), Do: api.Handle(ps.showSandbox),
			Summary: "The page of the provider that plays payments; the address authorizes"},
		{Method: "POST", Path: sandboxPath, Auth: api.Link, Contour: api.LiveOnly, Class: api.Free, Status: 303, Consumes: []string{"application/x-www-form-urlencoded"}, Produces: []string{"text/plain"},
			Errors: api.Refuses(shop.ErrNotFound, shop.ErrInvalidRequest, shop.ErrBodyTooLarge), Do: api.Handle(ps.actSandbox),
			Summary: "Let a payment of the sandbox end by its action (pay, refuse, late, twice, out_of_order, before), and lead back"},
	}
}

// title is what a buyer reads of an order at the provider, in any language.
func (ps *Payments) title(ctx context.Context, o store.Order) (string, error) {
	info, err := ps.Store.Shop(o.Company).Info(ctx)
	return fmt.Sprintf("%s #%d", info.Name, o.Number), err
}

// Refund marks the payment of an order as refunded in full, and sends the money back
// where a provider has it.
func (ps *Payments) Refund(ctx context.Context, company shop.CompanyID, order shop.OrderID, by shop.UserID) error {
	return ps.till.Refund(ctx, company, order, by)
}
