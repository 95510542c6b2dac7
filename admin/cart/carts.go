// Package cart is what a buyer has put together in a shop and what it costs
// (document 2, 2.1 and 4.1).
//
// A cart is kept per shop and buyer, who may be a guest; it is priced anew each
// time that it is read, by compile/price, and holds nothing back: only a checkout
// takes units off the shelf. A quote is the same for goods that are in no cart.
//
// Turning a cart into an order is package order; what stands in a cart of another
// shop is none of this one's business.
package cart

import (
	"net/netip"
	"time"

	"vitrine/admin/api"
	"vitrine/compile/price"
	"vitrine/internal/budget"
	"vitrine/internal/limiter"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Tries in a minute, each process counting for itself.
const (
	quotesOfOne = 60 // by network (document 2, section 8)
	codesOfOne  = 30 // wrong ones, by network and by buyer (CONTRACT-COMMERCE, "Cart")
)

// Config is what carts stand on.
type Config struct {
	Store *store.Store
	Now   func() time.Time
}

// Carts answers the endpoints of this package.
type Carts struct {
	Config
	quotes  *budget.Budgets[netip.Prefix]
	guesses *budget.Budgets[netip.Prefix] // of codes, by network
	tries   *budget.Budgets[shop.UserID]  // by buyer
	pricing *limiter.PerShop
}

// guess is a code that was counted before anybody looked whether there is one like it, so
// that many at once do not get around the limit.
type guess struct{ network, buyer budget.Taken }

// guess counts a code of a caller, whichever call it came by, or answers how long the next
// one is away.
func (cs *Carts) guess(c *api.Call) (g guess, wait time.Duration) {
	if g.network, wait = cs.guesses.Take(c.Network()); wait > 0 || c.Person == 0 {
		return g, wait
	}
	if g.buyer, wait = cs.tries.Take(c.Person); wait > 0 {
		g.network.GiveBack()
	}
	return g, wait
}

// settle takes the guess back unless there was no such code.
func (g guess) settle(v priced, err error) {
	if err != nil || v.Result.PromoRejected != price.NotFound {
		g.network.GiveBack()
		g.buyer.GiveBack()
	}
}

// New begins with full budgets.
func New(cfg Config) *Carts {
	return &Carts{
		Config: cfg, quotes: budget.New[netip.Prefix](quotesOfOne, time.Minute, cfg.Now),
		guesses: budget.New[netip.Prefix](codesOfOne, time.Minute, cfg.Now), tries: budget.New[shop.UserID](codesOfOne, time.Minute, cfg.Now),
		pricing: limiter.New(limiter.HalfOfCPUs()),
	}
}

// Endpoints is the table of this slice.
func (cs *Carts) Endpoints() []api.Endpoint {
	own := api.Refuses(api.ErrDenied, store.ErrShopNotFound)
	line := own.And(errKey, errProduct, store.ErrOutOfStock, store.ErrCartFull, errLineGone, errQuantity, errData)
	return []api.Endpoint{
		{Method: "GET", Path: "/cart/items", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Errors: own, Do: api.Handle(cs.read),
			Summary: "The buyer's cart in a shop, priced now"},
		{Method: "POST", Path: "/cart/items/{product_id}/{key}", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: line, Do: api.Handle(cs.add),
			Summary: "Add units of a product; key tells choices of one product apart"},
		{Method: "PUT", Path: "/cart/items/{product_id}/{key}", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: line, Do: api.Handle(cs.set),
			Summary: "Set the quantity of a line"},
		{Method: "DELETE", Path: "/cart/items/{product_id}/{key}", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: line, Do: api.Handle(cs.remove),
			Summary: "Remove a line"},
		{Method: "POST", Path: "/cart/merge", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: own.And(store.ErrCartFull), Do: api.Handle(cs.merge),
			Summary: "Add what a browser collected without a session"},
		{Method: "POST", Path: "/cart/promo", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: own.And(errTooManyCodes), Do: api.Handle(cs.setCode),
			Summary: "Store a code on the cart"},
		{Method: "DELETE", Path: "/cart/promo", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: own, Do: api.Handle(cs.dropCode),
			Summary: "Take the code off the cart"},
		{Method: "GET", Path: "/cart/checkout", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Errors: own, Do: api.Handle(cs.typed),
			Summary: "What the buyer has typed at the checkout"},
		{Method: "PUT", Path: "/cart/checkout", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: own.And(errTyped), Do: api.Handle(cs.keepTyped),
			Summary: "Keep what the buyer has typed at the checkout, until the order is made"},
		{Method: "POST", Path: "/cart/quote", Auth: api.Public, Contour: api.LiveOnly, Class: api.Free, Errors: api.Refuses(api.ErrNoCompany, store.ErrShopNotFound, errTooManyQuotes, errTooManyItems), Do: api.Handle(cs.quote),
			Summary: "What goods would cost; needs no session and writes nothing"},
	}
}
