package cart

import (
	"context"
	"sync"

	"vitrine/admin/api"
	"vitrine/internal/load"
	"vitrine/internal/lru"
	"vitrine/internal/shop"
	"vitrine/internal/store/sales"
)

// Inside returns the endpoints that only the edge of this process calls, to draw the pages
// where visitors buy. One of them returns all that a page shows, so that a page costs one call.
func (cs *Carts) Inside() []api.Endpoint {
	return []api.Endpoint{
		{Method: "GET", Path: "/inside/checkout", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Do: api.Handle(cs.checkout)},
	}
}

// checkoutView is what the page of a checkout shows.
type checkoutView struct {
	Cart  cartView     `json:"cart"`
	Offer checkoutWays `json:"offer"` // empty for an empty cart, which nobody can check out
	Buyer sales.Buyer  `json:"buyer"` // likewise
}

// checkoutWays are the ways in which a shop delivers and is paid.
type checkoutWays struct {
	Options []optionView `json:"delivery_options"`
	Methods []methodView `json:"payment_methods"`
}

type optionView struct {
	ID           shop.DeliveryID `json:"id"`
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	Price        int64           `json:"price"`
	FreeFrom     *int64          `json:"free_from"`
	NeedsAddress bool            `json:"needs_address"`
}

type methodView struct {
	Method       string `json:"method"`
	Title        string `json:"title"`
	Instructions string `json:"instructions"`
}

func (cs *Carts) checkout(ctx context.Context, c *api.Call, _ api.None) (out api.Result[checkoutView], err error) {
	r, cached, err := c.Shop(ctx, c.Storefront)
	if err != nil {
		return out, err
	}
	cart, err := sales.GetCart(ctx, r, c.Person)
	if err != nil {
		return out, err
	}
	priced, err := cs.priceIn(ctx, r, cached, cart, load.Pricing{Buyer: c.Person})
	out.Result.Cart = priced.Result
	if err != nil || len(priced.Result.Items) == 0 {
		return out, err
	}
	if out.Result.Offer, err = cs.ways.of(ctx, cs, cached); err != nil {
		return out, err
	}
	out.Result.Buyer, err = sales.GetBuyer(ctx, r, c.Person)
	return out, err
}

// maxWays bounds the cached checkoutWays, counted in options and methods of all shops.
const maxWays = 100_000

// cachedWays are the checkoutWays of shops in use. They are valid by the version of the shop.
type cachedWays struct {
	mu     sync.Mutex
	cached *lru.Weighted[shop.CompanyID, versionedWays]
}

type versionedWays struct {
	version int64
	checkoutWays
}

func newCachedWays() cachedWays {
	return cachedWays{cached: lru.New[shop.CompanyID, versionedWays](maxWays)}
}

// of returns the ways of a shop that was just read: they are read after its version, so they
// are no older.
func (w *cachedWays) of(ctx context.Context, cs *Carts, cached load.CachedShop) (checkoutWays, error) {
	company, version := cached.Company.ID, cached.Company.Version
	w.mu.Lock()
	found, ok := w.cached.Get(company)
	w.mu.Unlock()
	if ok && found.version == version {
		return found.checkoutWays, nil
	}
	ways, err := cs.readWays(ctx, company)
	if err != nil {
		return ways, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cached.Put(company, versionedWays{version, ways}, int64(1+len(ways.Options)+len(ways.Methods)))
	return ways, nil
}

func (cs *Carts) readWays(ctx context.Context, company shop.CompanyID) (ways checkoutWays, err error) {
	options, err := sales.DeliveryOptions(ctx, cs.Store.Shop(company))
	if err != nil {
		return ways, err
	}
	for _, d := range options {
		if d.IsActive {
			ways.Options = append(ways.Options, optionView{d.ID, d.Name, d.Description, d.Price, d.FreeFrom, d.NeedsAddress})
		}
	}
	methods, err := cs.Methods(ctx, company)
	for _, m := range methods {
		if m.IsActive {
			ways.Methods = append(ways.Methods, methodView{m.Method, m.Title, m.Instructions})
		}
	}
	return ways, err
}
