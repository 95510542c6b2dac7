package payment

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/pay"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/sales"
)

// Refusals of starting a payment.
var (
	errCancelled   = shop.Refuse(shop.FailedPrecondition, "ORDER_CANCELLED").When("the order is cancelled, so it cannot be paid")
	errUnreachable = shop.Refuse(shop.Unavailable, "PAYMENT_PROVIDER_UNAVAILABLE").When("the provider did not respond clearly; repeat the call, no payment is started twice")
	errDeclined    = shop.Refuse(shop.FailedPrecondition, "PAYMENT_PROVIDER_REFUSED").When("the provider refused this payment")
)

type startRequest struct {
	ID shop.OrderID `path:"id" json:"-"`
	api.OrderLink
	Method    string `json:"method" required:"always" len:"64" refuse:"INVALID_REQUEST"`
	ReturnURL string `json:"return_url" len:"1024" refuse:"INVALID_REQUEST"`
}

type startedView struct {
	Payment     shop.PaymentID `json:"payment_id"`
	Status      string         `json:"status"`
	RedirectURL string         `json:"redirect_url"`
}

// start starts the payment of an order of the caller, or returns the payment that is open or
// paid.
func (ps *Payments) start(ctx context.Context, c *api.Call, in startRequest) (out api.Result[startedView], err error) {
	o, err := ps.order(ctx, c, in)
	if err != nil {
		return out, err
	}
	company := o.Company
	info, err := companydb.Info(ctx, ps.Store.Shop(company))
	if err != nil {
		return out, err
	}
	if o.Status == shop.OrderCancelled {
		return out, errCancelled
	}
	if err := ps.active(ctx, company, in.Method); err != nil {
		return out, err
	}
	if !pay.Charges(in.Method, o.Currency, info.PriceDigits) { // the shop has changed its currency since
		return out, errNoProvider.With(in.Method + " does not support " + o.Currency)
	}
	back := ps.returnURL(info, o.ID, in.ReturnURL)
	p, err := ps.till.Begin(ctx, o, in.Method, shop.MinorUnits(o.GrandTotal, o.Currency, info.PriceDigits), back)
	switch {
	case errors.Is(err, pay.ErrUnknown):
		return out, errUnreachable
	case errors.Is(err, pay.ErrRefused):
		return out, errDeclined
	}
	if p.Ref != "" && p.RedirectURL == "" { // the provider has reserved the money: there is nothing to do for the buyer
		p.RedirectURL = back
	}
	return api.Wrap(startedView{p.ID, p.Status, p.RedirectURL}), err
}

// order returns an order placed by the caller, or opened by the link of a letter.
func (ps *Payments) order(ctx context.Context, c *api.Call, in startRequest) (sales.Order, error) {
	if o, found, err := c.OrderOfLink(ctx, in.ID, in.OrderLink); err != nil || found {
		return o, err
	}
	company, err := sales.OrderCompany(ctx, ps.Store, c.Person, in.ID, c.Storefront)
	if err != nil {
		return sales.Order{}, err
	}
	if own, err := c.BuyerShop(company); err != nil || own != company {
		return sales.Order{}, sales.ErrOrderDenied
	}
	return sales.GetOrder(ctx, ps.Store.Shop(company), in.ID)
}

// returnURL returns the URL to which the buyer of an order is redirected: the requested page if it
// is a URL or path of the shop, otherwise the page of the order. URLs of other sites are rejected.
func (ps *Payments) returnURL(info companydb.Company, order shop.OrderID, requested string) string {
	home := ps.URLs.Storefront(info)
	path, own := strings.CutPrefix(requested, home)
	if own && path == "" {
		path = "/"
	}
	u, err := url.Parse(path)
	if err != nil || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || u.Host != "" || u.Scheme != "" ||
		strings.ContainsFunc(path, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '\\' }) {
		return home + "/orders/" + order.String()
	}
	return home + path
}

type noticePath struct {
	Method  string         `path:"method" json:"-"`
	Company shop.CompanyID `path:"company_id" json:"-"`
}

// errMoved sends callers of the addresses of a shop that has moved to those that it has now.
var errMoved = shop.Refuse(shop.FailedPrecondition, "SHOP_MOVED").When("the shop is at another server, at the address in Location").WithStatus(307)

// elsewhere returns errMoved if the shop has moved to another installation; path is the address there.
func (ps *Payments) elsewhere(ctx context.Context, company shop.CompanyID, path func(shop.CompanyID) string) error {
	moved, gone, err := companydb.HasMoved(ctx, ps.Store, company)
	if err == nil && gone {
		err = errMoved.Elsewhere(moved.AdminURL + path(moved.ID))
	}
	return err
}

// notice handles a notification of a provider. Forged ones are refused; those about unknown
// objects are accepted and ignored.
func (ps *Payments) notice(ctx context.Context, c *api.Call, in noticePath) (none api.None, err error) {
	if err := ps.elsewhere(ctx, in.Company, func(at shop.CompanyID) string { return "/v1/payments/" + in.Method + "/" + at.String() }); err != nil {
		return none, err
	}
	provider, err := ps.provider(ctx, in.Company, in.Method)
	if err != nil {
		return none, shop.ErrNotFound
	}
	from, size := c.Body()
	if size > pay.MaxNotification {
		return none, shop.ErrBodyTooLarge
	}
	body, err := io.ReadAll(io.LimitReader(from, pay.MaxNotification+1))
	switch {
	case err != nil:
		return none, shop.ErrInvalidRequest.With("the body ended early")
	case len(body) > pay.MaxNotification:
		return none, shop.ErrBodyTooLarge
	}
	notice, err := provider.Notify(c.Header, body, ps.Now())
	if err != nil {
		return none, shop.ErrInvalidRequest.With("not a valid notification of " + in.Method)
	}
	return none, ps.till.Heard(ctx, in.Company, in.Method, notice, body)
}

// Run queries providers about open payments until the context ends; a worker runs it.
func (ps *Payments) Run(ctx context.Context, log *slog.Logger) {
	failing := false
	for {
		more, err := ps.Reconcile(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			log.Warn("querying payments failed; it is retried later", "error", secret.Mask(err.Error()))
		}
		failing = err != nil
		if more && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pollInterval):
		}
	}
}

// Reconcile queries providers about payments that are due, and reports whether there may be more.
func (ps *Payments) Reconcile(ctx context.Context) (more bool, err error) {
	return ps.till.Reconcile(ctx)
}

// pollInterval is the interval at which a worker looks for due payments.
const pollInterval = 2 * time.Second
