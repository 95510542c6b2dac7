// Package payment handles the payments of shops (CONTRACT-COMMERCE, "Payments"): the payment
// methods that a shop has set up, attempts to pay an order with a provider, and refunds.
//
// A notification of a provider is only a hint. Money counts when the provider, queried directly,
// reports that it received the right amount in the right currency for this payment. Attempts and
// refunds are stored before a provider is called.
package payment

import (
	"context"
	"fmt"
	"time"

	"vitrine/admin/api"
	"vitrine/compile/price"
	"vitrine/internal/pay"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/sales"
)

// Config holds the dependencies of Payments.
type Config struct {
	Store  *store.Store
	Sealer *secret.Sealer
	Do     pay.Do
	Now    func() time.Time
	URLs   api.URLs

	StripeURL   string // base URL of Stripe
	YooKassaURL string
}

// Payments serves the endpoints of this package.
type Payments struct {
	Config
	till *Till
}

// New returns Payments with the given dependencies.
func New(cfg Config) *Payments {
	ps := &Payments{Config: cfg}
	ps.till = &Till{Store: cfg.Store, Provider: ps.provider, Now: cfg.Now, About: ps.about}
	return ps
}

// Endpoints lists the endpoints of this package.
func (ps *Payments) Endpoints() []api.Endpoint {
	role := api.ErrRole.With("only owners and admins set up payments")
	return []api.Endpoint{
		{Method: "GET", Path: "/v1/shop/payment-methods", Auth: api.Public, Contour: api.LiveOnly, Class: api.Read, Errors: api.Refuses(api.ErrNoCompany, store.ErrShopNotFound), Do: api.Handle(ps.list),
			Summary: "The payment methods; inactive ones are shown only to members of the shop"},
		{Method: "GET", Path: "/v1/shop/payment-methods/{method}", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Read, Errors: api.Refuses(errMethod, store.ErrShopNotFound), Do: api.Handle(ps.method),
			Summary: "One payment method, whether the shop has set it or not"},
		{Method: "PUT", Path: "/v1/shop/payment-methods/{method}", Edits: "/v1/shop/payment-methods/{method}", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Fresh: api.FreshForSecrets, Class: api.Write, Errors: api.Refuses(errMethod, errNoSandbox), Do: api.Handle(ps.set),
			Summary: "Set up a payment method; its secrets are never returned"},
		{Method: "POST", Path: "/orders/{id}/payment", OrderLink: true, SeparateCommits: true, Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write,
			Errors: api.Refuses(sales.ErrOrderNotFound, sales.ErrOrderDenied, errCancelled, errNoProvider, errUnreachable, errDeclined), Do: api.Handle(ps.start),
			Summary: "Start the payment of an order; a repeated call returns the same payment"},
		{Method: "POST", Path: "/v1/payments/{method}/{company_id}", Auth: api.Link, Contour: api.LiveOnly, Class: api.Free, Consumes: []string{"application/json"}, Errors: api.Refuses(shop.ErrNotFound, errMoved, shop.ErrInvalidRequest, shop.ErrBodyTooLarge), Do: api.Handle(ps.notice),
			Summary: "Receive a provider's notification about a payment; it only triggers a query of the provider"},
		{Method: "GET", Path: sandboxPath, Auth: api.Link, Contour: api.LiveOnly, Class: api.Free, Produces: []string{"text/html"}, Errors: api.Refuses(shop.ErrNotFound, errMoved, store.ErrShopNotFound), Do: api.Handle(ps.showSandbox),
			Summary: "The page of the sandbox provider, which simulates payments; the URL is the authorization"},
		{Method: "POST", Path: sandboxPath, Auth: api.Link, Contour: api.LiveOnly, Class: api.Free, Status: 303, Consumes: []string{"application/x-www-form-urlencoded"}, Produces: []string{"text/plain"},
			Errors: api.Refuses(shop.ErrNotFound, errMoved, store.ErrShopNotFound, shop.ErrInvalidRequest, shop.ErrBodyTooLarge), Do: api.Handle(ps.actSandbox),
			Summary: "Complete a sandbox payment with an action (pay, refuse, late, twice, out_of_order, before) and redirect back"},
	}
}

// about returns the title of an order shown to the buyer by the provider, in any language, and
// the lines of its receipt: the goods, with the discounts of the whole order distributed in
// proportion, and the delivery.
func (ps *Payments) about(ctx context.Context, o sales.Order) (title string, lines []pay.Line, err error) {
	info, err := companydb.Info(ctx, ps.Store.Shop(o.Company))
	if err != nil {
		return "", nil, err
	}
	totals, goods := make([]int64, len(o.Lines)), int64(0)
	for i, l := range o.Lines {
		totals[i] = l.Unit * l.Quantity
		goods += totals[i]
	}
	minor := func(amount int64) int64 { return shop.MinorUnits(amount, o.Currency, info.PriceDigits) }
	for i, off := range price.Share(totals, max(goods-o.ItemsTotal, 0)) {
		if left := totals[i] - off; left > 0 {
			lines = append(lines, pay.Line{Name: o.Lines[i].Name, Quantity: o.Lines[i].Quantity, Amount: minor(left)})
		}
	}
	if d := o.Delivery; d != nil && d.Price > 0 {
		lines = append(lines, pay.Line{Name: d.Name, Quantity: 1, Amount: minor(d.Price)})
	}
	return fmt.Sprintf("%s #%d", info.Name, o.Number), lines, nil
}

// Refund refunds a payment of an order (Till.Refund).
func (ps *Payments) Refund(ctx context.Context, company shop.CompanyID, order shop.OrderID, payment shop.PaymentID, by shop.UserID) error {
	return ps.till.Refund(ctx, company, order, payment, by)
}
