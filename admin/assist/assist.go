// Package assist lets programs buy for people (CONTRACT-COMMERCE, "Assistants"). It knows no protocol:
// its faces (ucp, acp) translate what a platform sends into an Input, and a State into what the
// platform is answered.
//
// A session is a cart or a checkout that a platform fills. Its lines are in the cart of a guest of its
// own. It is priced at each answer like the cart of any buyer, and becomes an order by the same
// function; nothing here computes a price, a tax or a stock. What keeps a session from becoming an
// order is a list of problems, and its status follows from what it holds (State.Status).
//
// Where only a page takes the money, or the buyer prefers one, a link opens the shop's checkout with
// everything filled in. From then on the cart belongs to the browser that opened it (handed off): the
// platform changes nothing any more and sees the order that the buyer makes.
package assist

import (
	"context"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/load"
	"vitrine/internal/pay"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/assist"
	"vitrine/internal/store/sales"
)

// How long sessions live (CONTRACT-COMMERCE, "Assistants").
const (
	checkoutLife = 6 * time.Hour
	cartLife     = 7 * 24 * time.Hour
)

// Config holds the dependencies of the package.
type Config struct {
	Store  *store.Store
	Sealer *secret.Sealer // signs the links that hand sessions over
	Pricer *load.Pricer
	URLs   api.URLs
	Now    func() time.Time

	// Place turns a cart into an order.
	Place func(ctx context.Context, c *api.Call, company shop.CompanyID, p Purchase) (sales.Order, error)

	// Guess counts codes that a session did not have before as attempts to find one. wait is how long
	// the platform has to wait, 0 if it may try; settle gives back those that exist.
	Guess func(ctx context.Context, c *api.Call, codes int) (wait time.Duration, settle func(ctx context.Context, wrong int) error, err error)

	// OpenSession opens a session of a guest in the browser that makes a call.
	OpenSession func(ctx context.Context, c *api.Call, guest shop.UserID) error

	Cards     Cards
	Namespace string // of the shops' own ways to pay, such as localhost.vitrine

	// CardHandler returns how a shop takes payments with tokens.
	CardHandler func(ctx context.Context, company shop.CompanyID) (pay.Handler, error)
}

// Purchase is an order to place.
type Purchase struct {
	Buyer         shop.UserID // who gets the order
	Cart          shop.UserID // whose cart it is
	Contact       sales.Contact
	Address       []byte // JSON; nil: none
	Comment       string
	Delivery      shop.DeliveryID
	Point         shop.PointID
	PaymentMethod string
	Goods, Total  int64 // what the buyer agreed to pay for the goods, and in all

	// Before runs at the beginning of the transaction that places the order, Also at its end.
	Before func(ctx context.Context, tx *store.Tx) error
	Also   func(ctx context.Context, tx *store.Tx, o *sales.Order) error
}

// Assist is the engine behind the faces.
type Assist struct {
	Config
	Keys *Keys
}

// New returns an Assist.
func New(cfg Config) *Assist { return &Assist{cfg, NewKeys(cfg.Store, cfg.Sealer, cfg.Now)} }

// Caller is a platform that makes a call of a shop.
type Caller struct {
	*api.Call
	Shop     shop.CompanyID
	Platform assist.Platform // with an id; see Assist.Identify
	Signed   bool            // its request has a valid signature
	Linked   shop.UserID     // the buyer who linked it, whose token the call has; 0: none

	// Seen is the shop as the face has read it for this call (Call.Shop); nil: it has not.
	Seen *load.CachedShop

	session assist.Session // that was read with the platform; without an id: none
	repeats bool           // an earlier call with its key has ended without an answer
}

// Identify makes the platform with a profile the caller. One without a row yet has the id 0, which no
// session has. The session with an id, which the call is about, is read with it.
func (a *Assist) Identify(ctx context.Context, c *Caller, profile, id string) (err error) {
	var found bool
	c.Platform, found, c.session, err = assist.OfProfile(ctx, a.Store.Shop(c.Shop), profile, id)
	if !found {
		c.Platform = assist.Platform{Protocol: assist.UCP, Name: profile}
	}
	return err
}
