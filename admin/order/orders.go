// Package order manages the orders of buyers (document 2, 2.2, 3 and 4): Place turns a cart into
// an order, Move changes the status of an order, and both keep the stock exact.
//
// An order records an agreement. Its sums and lines are written once; only its status, its
// messages and its payments change. Buyers see their own orders, sellers those of their shop.
//
// The package does not handle money (admin/payment does). The store writes the letters about
// orders in the same transactions as their events.
package order

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/load"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/company"
	"vitrine/internal/store/media"
	"vitrine/internal/store/sales"
)

// Config holds the dependencies of Orders.
type Config struct {
	Store *store.Store
	Sites *load.Sites // compiled sites, for the URLs of products
	Now   func() time.Time

	Sealer *secret.Sealer // signs addresses of papers
	URLs   api.URLs

	// Takes reports whether a shop offers a payment method.
	Takes func(ctx context.Context, company shop.CompanyID, method string) (bool, error)

	// Refund refunds a payment of an order; without a payment id it chooses the usual one.
	Refund func(ctx context.Context, company shop.CompanyID, order shop.OrderID, payment shop.PaymentID, by shop.UserID) error
}

// Orders serves the endpoints of this package.
type Orders struct{ Config }

// New returns Orders with the given dependencies.
func New(cfg Config) *Orders { return &Orders{cfg} }

const (
	readsOrders  shop.Scope = "orders:read"
	writesOrders shop.Scope = "orders:write"
)

// Endpoints lists the endpoints of this package.
func (os *Orders) Endpoints() []api.Endpoint {
	reads, writes := []shop.Scope{readsOrders}, []shop.Scope{writesOrders}
	one := api.Refuses(sales.ErrOrderNotFound, sales.ErrOrderDenied)
	moves := one.And(ErrInvalidStatus, ErrStatusChanged, catalog.ErrOutOfStock, sales.ErrPromoCodeExhausted, sales.ErrCampaignBudgetSpent)
	confirm := api.Refuses(
		ErrContactRequired, shop.ErrContactInvalid, ErrCartEmpty, ErrShopUnavailable, ErrOrderTooLarge, ErrPriceChanged, ErrAddressRequired,
		sales.ErrDeliveryNotFound, sales.ErrDeliveryNotPossible, catalog.ErrOutOfStock, load.ErrVariantRequired, store.ErrShopNotFound, errAddress, api.ErrDenied,
		sales.ErrPromoCodeExhausted, sales.ErrCampaignBudgetSpent, ErrMethodInactive)
	papers := one.And(errPaper, sales.ErrPaperNotIssued)
	messages := api.Refuses(sales.ErrOrderNotFound, errMessage)
	return []api.Endpoint{
		{Method: "POST", Path: "/cart/confirm", Auth: api.Person, Contour: api.RefusesDraft, Scopes: writes, Class: api.Write, Errors: confirm, Do: api.Handle(os.confirm),
			Summary: "Turn the buyer's cart into an order"},
		{Method: "POST", Path: "/orders/manual", Auth: api.SessionOnly, Manage: api.ErrRole.With("only owners and admins enter orders"), Contour: api.RefusesDraft, Class: api.Write, Errors: confirm.And(load.ErrProduct), Do: api.Handle(os.manual),
			Summary: "Enter an order for a buyer, such as one made by phone, at the shop's prices or agreed ones"},
		{Method: "POST", Path: "/orders", Auth: api.Person, Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Errors: api.Refuses(sales.ErrOrderDenied, ErrInvalidStatus), Computes: true, Do: api.Handle(os.list),
			Summary: "List orders: those of a shop for its sellers, otherwise those that the caller placed"},
		{Method: "GET", Path: "/orders/export", Auth: api.Person, Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Produces: []string{"text/csv"}, Errors: api.Refuses(sales.ErrOrderDenied, api.ErrExportLarge, ErrInvalidStatus), Do: api.Handle(os.export),
			Summary: "The shop's orders as CSV, oldest first"},
		{Method: "GET", Path: "/orders/{id}", OrderLink: true, Auth: api.Person, Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Errors: one, Do: api.Handle(os.read),
			Summary: "One order with its lines"},
		{Method: "PUT", Path: "/orders/{id}/status", Edits: "/orders/{id}", Auth: api.Person, Contour: api.RefusesDraft, Scopes: writes, Class: api.Write, Errors: moves, Do: api.Handle(os.move),
			Summary: "Change the status of an order; cancelling returns its units to the stock, reopening takes them again"},
		{Method: "GET", Path: "/orders/counts", Auth: api.Person, Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Errors: api.Refuses(sales.ErrOrderDenied, ErrInvalidStatus), Do: api.Handle(os.counts),
			Summary: "How many orders of the shop have each status of the order, of its payment and of its shipment"},
		{Method: "PUT", Path: "/orders/batch/status", SeparateCommits: true, Auth: api.Person, Contour: api.RefusesDraft, Scopes: writes, Class: api.Write, Errors: api.Refuses(sales.ErrOrderDenied, ErrInvalidStatus), Do: api.Handle(os.moveMany),
			Summary: "Change the status of up to 500 orders; each succeeds or fails on its own"},
		{Method: "PUT", Path: "/orders/{id}/note", Edits: "/orders/{id}", Auth: api.Person, Contour: api.RefusesDraft, Scopes: writes, Class: api.Write, Errors: one, Do: api.Handle(os.note),
			Summary: "Set the note of an order, which only members of the shop see"},
		{Method: "PUT", Path: "/orders/{id}/tags", Edits: "/orders/{id}", Auth: api.Person, Contour: api.RefusesDraft, Scopes: writes, Class: api.Write, Errors: one, Do: api.Handle(os.tag),
			Summary: "Set the tags of an order, which only members of the shop see"},
		{Method: "POST", Path: "/orders/{id}/cancel", OrderLink: true, Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: one.And(ErrCancelTooLate), Do: api.Handle(os.cancel),
			Summary: "Cancel an order as its buyer, within the minutes that the shop allows; what was paid is refunded"},
		{Method: "POST", Path: "/orders/{id}/refund", Auth: api.Person, Contour: api.RefusesDraft, Scopes: writes, Class: api.Write, Errors: one.And(sales.ErrOrderNotPaid, sales.ErrPaymentNotFound, errFullOnly), Do: api.Handle(os.refund),
			Summary: "Refund a payment in full: the status is refunding until its provider has answered; payments without a provider are refunded at once; repeat the call to retry"},
		{Method: "GET", Path: "/orders/{id}/history", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Errors: one, Do: api.Handle(os.history),
			Summary: "The status changes of an order with actor and time, including payments, refunds and shipments"},
		{Method: "POST", Path: "/orders/{id}/payment/confirm", Auth: api.SessionOnly, Contour: api.RefusesDraft, Class: api.Write, Errors: one, Do: api.Handle(os.confirmPayment),
			Summary: "Confirm as the seller that an order was paid"},
		{Method: "GET", Path: "/orders/{id}/shipments", OrderLink: true, Auth: api.Person, Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Errors: one, Do: api.Handle(os.shipments),
			Summary: "The parcels of an order, oldest first"},
		{Method: "POST", Path: "/orders/{id}/shipments", Auth: api.Person, Contour: api.RefusesDraft, Scopes: writes, Class: api.Write, Errors: one.And(errShipment), Do: api.Handle(os.ship),
			Summary: "Record a parcel of an order, and write to the buyer with the address where it can be tracked"},
		{Method: "PUT", Path: "/orders/{id}/shipments/{shipment_id}", Edits: "/orders/{id}", Auth: api.Person, Contour: api.RefusesDraft, Scopes: writes, Class: api.Write, Errors: one.And(errShipment, sales.ErrShipmentNotFound), Do: api.Handle(os.deliver),
			Summary: "Record when a parcel arrived"},
		{Method: "DELETE", Path: "/orders/{id}/shipments/{shipment_id}", Auth: api.Person, Contour: api.RefusesDraft, Scopes: writes, Class: api.Write, Errors: one.And(sales.ErrShipmentNotFound), Do: api.Handle(os.deleteShipment),
			Summary: "Delete a parcel; its units are left to ship again"},
		{Method: "POST", Path: "/orders/{id}/invoice", Auth: api.Person, Contour: api.RefusesDraft, Scopes: writes, Class: api.Write, Errors: one, Do: api.Handle(os.issueInvoice),
			Summary: "Issue the invoice of an order with the next number of the year, once; it never changes afterwards"},
		{Method: "GET", Path: "/orders/{id}/papers/{kind}", OrderLink: true, Auth: api.Person, Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Produces: []string{"text/html"}, Errors: papers, Do: api.Handle(os.paper),
			Summary: "A packing slip, an issued invoice or a credit note as a page to print; buyers get the latter two"},
		{Method: "GET", Path: "/orders/papers/{kind}", Auth: api.Person, Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Produces: []string{"text/html"}, Errors: papers, Do: api.Handle(os.papers),
			Summary: "Papers of up to 100 orders as one page, each on a new sheet"},
		{Method: "POST", Path: "/orders/papers/link", Auth: api.Person, Contour: api.LiveOnly, Scopes: reads, Class: api.Write, Errors: papers, Computes: true, Do: api.Handle(os.linkPapers),
			Summary: "An address of papers that a browser opens without a key, for 5 minutes"},
		{Method: "GET", Path: "/v1/papers/{token}", Auth: api.Public, Contour: api.LiveOnly, Class: api.Free, Produces: []string{"text/html"}, Errors: papers.And(store.ErrShopNotFound), Do: api.Handle(os.openPapers),
			Summary: "Papers of an address from POST /orders/papers/link"},
		{Method: "GET", Path: "/orders/{id}/messages", OrderLink: true, Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Errors: messages, Do: api.Handle(os.messages),
			Summary: "The messages of buyer and seller about an order, oldest first"},
		{Method: "POST", Path: "/orders/{id}/messages", OrderLink: true, Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: messages.And(media.ErrFileNotFound), Do: api.Handle(os.write),
			Summary: "Send a message to the other side of an order"},
		{Method: "POST", Path: "/orders/{id}/messages/seen", OrderLink: true, Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: messages, Do: api.Handle(os.seen),
			Summary: "Mark all messages as read"},
	}
}

// side is the caller's relation to an order.
type side uint8

const (
	stranger side = iota
	buyer
	seller
)

// sideOf returns the caller's relation to an order. Members of the shop with the scope are its
// sellers; a session of a storefront is always a buyer.
func sideOf(c *api.Call, o sales.Order, need shop.Scope) side {
	switch {
	case c.Company == o.Company && c.Role.Known() && (need == "" || c.Has(need)):
		return seller
	case !c.ByKey() && c.Person == o.Person && (c.Storefront == 0 || c.Storefront == o.Company):
		return buyer
	}
	return stranger
}

type orderPath struct {
	ID shop.OrderID `path:"id" json:"-"`
}

// linkedPath is the path of an order that the link of a letter opens as well.
type linkedPath struct {
	orderPath
	api.OrderLink
}

// linked is order for a call that may use the link of a letter: its holder acts as the buyer.
func (os *Orders) linked(ctx context.Context, c *api.Call, in linkedPath, need shop.Scope) (sales.Order, side, error) {
	o, who, err := os.order(ctx, c, in.ID, need)
	if err == nil && who != stranger || err != nil && !errors.Is(err, sales.ErrOrderNotFound) && !errors.Is(err, sales.ErrOrderDenied) {
		return o, who, err
	}
	opened, found, failed := c.OrderOfLink(ctx, in.ID, in.OrderLink)
	switch {
	case failed != nil:
		return o, stranger, failed
	case found:
		return opened, buyer, nil
	case c.Anonymous():
		return o, stranger, sales.ErrOrderNotFound
	}
	return o, who, err
}

// order reads an order for the caller and returns the caller's side.
func (os *Orders) order(ctx context.Context, c *api.Call, id shop.OrderID, need shop.Scope) (sales.Order, side, error) {
	if c.Company != 0 { // members of the shop
		o, err := sales.GetOrder(ctx, os.Store.Shop(c.Company), id)
		if who := sideOf(c, o, need); err == nil && who != stranger {
			return o, who, nil
		}
		if err != nil && !errors.Is(err, sales.ErrOrderNotFound) {
			return o, stranger, err
		}
	}
	company, err := sales.OrderCompany(ctx, os.Store, c.Person, id, c.Storefront)
	if err != nil {
		return sales.Order{}, stranger, err
	}
	o, err := sales.GetOrder(ctx, os.Store.Shop(company), id)
	return o, sideOf(c, o, need), err
}

// owned reads an order of the caller's shop; only sellers may use it.
func (os *Orders) owned(ctx context.Context, c *api.Call, id shop.OrderID) (sales.Order, error) {
	o, who, err := os.order(ctx, c, id, writesOrders)
	if err == nil && who != seller {
		err = sales.ErrOrderDenied
	}
	return o, err
}

func (os *Orders) read(ctx context.Context, c *api.Call, in linkedPath) (out api.Result[orderView], err error) {
	o, who, err := os.linked(ctx, c, in, readsOrders)
	if err != nil {
		return out, err
	}
	if who == stranger {
		return out, sales.ErrOrderDenied
	}
	return os.wrap(ctx, o, who)
}

type statusRequest struct {
	orderPath
	api.Basis
	Status   shop.OrderStatus `json:"status" required:"always"`
	Expected shop.OrderStatus `json:"expected_status"`
}

func (os *Orders) move(ctx context.Context, c *api.Call, in statusRequest) (out api.Result[orderView], err error) {
	o, err := os.owned(ctx, c, in.ID)
	if err != nil {
		return out, err
	}
	o, err = Move(ctx, os.Store, o.Company, o.ID, c.Person, Status{To: in.Status, Expected: in.Expected})
	if err != nil {
		return out, err
	}
	return os.wrap(ctx, o, seller)
}

type refundRequest struct {
	orderPath
	Payment shop.PaymentID  `json:"payment_id" doc:"the payment to refund; by default the first one held by a provider, otherwise the one confirmed by hand"`
	Amount  json.RawMessage `json:"amount" doc:"refused: only full refunds are possible"`
}

// errFullOnly refuses a partial refund (document 2: the refund marker is one full amount).
var errFullOnly = shop.Refuse(shop.InvalidArgument, "REFUND_FULL_ONLY").When("the body contains an amount; only full refunds are possible")

func (os *Orders) refund(ctx context.Context, c *api.Call, in refundRequest) (out api.Result[orderView], err error) {
	if len(in.Amount) > 0 && string(in.Amount) != "null" {
		return out, errFullOnly.At("amount").With("omit it")
	}
	o, err := os.owned(ctx, c, in.ID)
	if err == nil {
		err = os.Refund(ctx, o.Company, o.ID, in.Payment, c.Person)
	}
	if err != nil {
		return out, err
	}
	if o, err = sales.GetOrder(ctx, os.Store.Shop(o.Company), o.ID); err != nil {
		return out, err
	}
	return os.wrap(ctx, o, seller)
}

func (os *Orders) confirmPayment(ctx context.Context, c *api.Call, in orderPath) (out api.Result[orderView], err error) {
	o, err := os.owned(ctx, c, in.ID)
	if err != nil {
		return out, err
	}
	err = os.Store.Write(ctx, o.Company, func(tx *store.Tx) error {
		if o, err = sales.LockOrder(ctx, tx, in.ID); err != nil {
			return err
		}
		info, err := company.Info(ctx, tx.Reader)
		if err != nil {
			return err
		}
		return sales.ConfirmPayment(ctx, tx, o, shop.MinorUnits(o.GrandTotal, o.Currency, info.PriceDigits), c.Person)
	})
	if err != nil {
		return out, err
	}
	return os.wrap(ctx, o, seller)
}

type historyView struct {
	Kind      string      `json:"kind"`
	Body      shop.Object `json:"body" doc:"by kind"`
	ActorID   shop.UserID `json:"actor_id"`
	CreatedAt time.Time   `json:"created_at"`
}

func (os *Orders) history(ctx context.Context, c *api.Call, in orderPath) (out api.Result[[]historyView], err error) {
	o, who, err := os.order(ctx, c, in.ID, readsOrders)
	if err != nil {
		return out, err
	}
	if who == stranger {
		return out, sales.ErrOrderDenied
	}
	list, err := sales.OrderHistory(ctx, os.Store.Shop(o.Company), o.ID)
	out.Result = []historyView{}
	for _, e := range list {
		out.Result = append(out.Result, historyView{e.Kind, shop.Object(e.Body), e.Actor, e.CreatedAt.UTC()})
	}
	return out, err
}
