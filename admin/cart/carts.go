// Package cart manages a buyer's cart in a shop and calculates its price (document 2, 2.1 and
// 4.1).
//
// A cart is kept per shop and buyer, who may be a guest. It is priced again on every read, by
// compile/price, and reserves nothing: only a checkout takes units from stock. A quote prices
// goods that are in no cart.
//
// Package order turns a cart into an order. The cart of one shop is invisible to the others.
package cart

import (
	"context"
	"errors"
	"net/netip"
	"strconv"
	"time"

	"vitrine/admin/api"
	"vitrine/compile/price"
	"vitrine/internal/budget"
	"vitrine/internal/load"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/sales"
)

// Limits per minute. Quotes are counted by each process, codes over all of them.
const (
	quotesOfOne = 60 // quotes per network (document 2, section 8)
	codesOfOne  = 30 // wrong codes per network and per buyer (CONTRACT-COMMERCE, "Cart")
)

// Config holds the dependencies of carts.
type Config struct {
	Store *store.Store
	Now   func() time.Time

	Sealer *secret.Sealer // signs the links of reminders

	Pricer *load.Pricer
}

// Carts implements the endpoints of this package.
type Carts struct {
	Config
	quotes *budget.Budgets[netip.Prefix]
}

// guess is a code counted before it is looked up, over all processes, so that concurrent guesses
// cannot exceed the limit.
type guess struct {
	at       time.Time
	attempts []store.Attempt
}

// guess counts a code of a caller, whichever endpoint it was sent to, or returns how long to
// wait for the next one.
func (cs *Carts) guess(ctx context.Context, c *api.Call) (g guess, wait time.Duration, err error) {
	g = guess{cs.Now(), []store.Attempt{{Kind: store.CodesOfNetwork, Key: c.Network().String(), Limit: codesOfOne, Window: time.Minute}}}
	if c.Person != 0 {
		g.attempts = append(g.attempts, store.Attempt{Kind: store.CodesOfBuyer, Key: strconv.Itoa(int(c.Person)), Limit: codesOfOne, Window: time.Minute})
	}
	_, wait, err = cs.Store.TakeAttempts(ctx, g.attempts...)
	return g, wait, err
}

// GuessCodes counts codes that a program tries for a buyer, like those that buyers type. wait is how
// long it has to wait, 0 if it may; settle gives back all but the wrong ones.
func (cs *Carts) GuessCodes(ctx context.Context, c *api.Call, codes int) (wait time.Duration, settle func(ctx context.Context, wrong int) error, err error) {
	var made []guess
	settle = func(ctx context.Context, wrong int) (err error) {
		for _, g := range made[min(wrong, len(made)):] {
			err = errors.Join(err, cs.Store.ReturnAttempts(context.WithoutCancel(ctx), cs.Now().Sub(g.at), g.attempts...))
		}
		return err
	}
	for range codes {
		g, wait, err := cs.guess(ctx, c)
		if err != nil || wait > 0 {
			return wait, settle, errors.Join(err, settle(ctx, 0))
		}
		made = append(made, g)
	}
	return 0, settle, nil
}

// settle gives the guess back unless the code does not exist.
func (cs *Carts) settle(ctx context.Context, g guess, v priced, err error) error {
	if len(g.attempts) == 0 || err == nil && v.Result.PromoRejected == price.NotFound {
		return err
	}
	back := cs.Store.ReturnAttempts(context.WithoutCancel(ctx), cs.Now().Sub(g.at), g.attempts...)
	if err == nil {
		err = back
	}
	return err
}

// New returns Carts with full budgets.
func New(cfg Config) *Carts {
	return &Carts{Config: cfg, quotes: budget.Shared[netip.Prefix]("quotes", quotesOfOne, time.Minute, cfg.Now, cfg.Store.CountAttempts)}
}

// Endpoints returns the endpoint table of this package.
func (cs *Carts) Endpoints() []api.Endpoint {
	own := api.Refuses(api.ErrDenied, store.ErrShopNotFound)
	line := own.And(errKey, load.ErrProduct, catalog.ErrOutOfStock, load.ErrVariantRequired, sales.ErrCartFull, errLineGone, errQuantity, errData)
	return []api.Endpoint{
		{Method: "GET", Path: "/cart/items", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Errors: own.And(shop.ErrContactInvalid), Do: api.Handle(cs.read),
			Summary: "The buyer's cart in a shop with current prices"},
		{Method: "POST", Path: "/cart/items/{product_id}/{key}", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: line, Do: api.Handle(cs.add),
			Summary: "Add units of a product; key distinguishes lines of one product"},
		{Method: "PUT", Path: "/cart/items/{product_id}/{key}", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: line, Do: api.Handle(cs.set),
			Summary: "Set the quantity of a line"},
		{Method: "DELETE", Path: "/cart/items/{product_id}/{key}", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: line, Do: api.Handle(cs.remove),
			Summary: "Remove a line"},
		{Method: "POST", Path: "/cart/merge", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: own.And(sales.ErrCartFull), Do: api.Handle(cs.merge),
			Summary: "Add lines that a browser collected without a session"},
		{Method: "POST", Path: "/cart/promo", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: own.And(errTooManyCodes), Do: api.Handle(cs.setCode),
			Summary: "Store a promotion code on the cart"},
		{Method: "DELETE", Path: "/cart/promo", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: own, Do: api.Handle(cs.dropCode),
			Summary: "Remove the promotion code from the cart"},
		{Method: "GET", Path: "/cart/checkout", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Errors: own, Do: api.Handle(cs.typed),
			Summary: "The buyer's saved checkout form"},
		{Method: "PUT", Path: "/cart/checkout", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: own.And(errTyped), Do: api.Handle(cs.keepTyped),
			Summary: "Save the buyer's checkout form until the order is placed"},
		{Method: "PUT", Path: "/cart/contact", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: own.And(shop.ErrContactInvalid), Do: api.Handle(cs.saveContact),
			Summary: "Save the address to which the shop may send one reminder of the buyer's cart"},
		{Method: "GET", Path: "/carts", Scopes: []shop.Scope{"orders:read"}, Contour: api.LiveOnly, Class: api.Read, Errors: api.Refuses(shop.ErrInvalidRequest), Do: api.Handle(cs.left),
			Summary: "The carts of the shop that were not ordered, and those recovered by a reminder, latest change first"},
		{Method: "POST", Path: "/cart/quote", Auth: api.Public, Contour: api.LiveOnly, Class: api.Free, Errors: api.Refuses(api.ErrNoCompany, store.ErrShopNotFound, errTooManyQuotes, errTooManyItems, shop.ErrContactInvalid, api.ErrDenied, sales.ErrCustomerNotFound), Computes: true, Do: api.Handle(cs.quote),
			Summary: "Calculate the price of goods; requires no session and writes nothing"},
	}
}
