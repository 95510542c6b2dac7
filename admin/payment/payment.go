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
	"vitrine/compile/price"
	"vitrine/internal/pay"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/sales"
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
	ps.till = &Till{Store: cfg.Store, Provider: ps.provider, Now: cfg.Now, About: ps.about}
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
		{Method: "POST", Path: "/orders/{id}/payment", OrderLink: true, Outward: true, Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write,
			Errors: api.Refuses(sales.ErrOrderNotFound, sales.ErrOrderDenied, errCancelled, errNoProvider, errUnreachable, errDeclined), Do: api.Handle(ps.start),
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

// about is what a buyer reads of an order at the provider, in any language, and the lines
// of its receipt: the goods, off which the discounts of the whole order are taken in
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
	minor := func(amount int64) int64 { return shop.Minor(amount, o.Currency, info.PriceDigits) }
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

// Refund gives the money of a payment of an order back (Till.Refund).
func (ps *Payments) Refund(ctx context.Context, company shop.CompanyID, order shop.OrderID, payment shop.PaymentID, by shop.UserID) error {
	return ps.till.Refund(ctx, company, order, payment, by)
}
