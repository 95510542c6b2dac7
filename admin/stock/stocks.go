// Package stock manages how many units of a product are available, and the ledger of their
// movements (document 2, 2.3 and 4.3). Sellers set the quantity here by hand; orders change it
// automatically.
//
// Stock belongs to the live shop: it has no draft and no versions.
package stock

import (
	"context"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

// Config holds the dependencies of Stocks.
type Config struct{ Store *store.Store }

// Stocks serves the endpoints of this package.
type Stocks struct{ Config }

// New returns Stocks with the given dependencies.
func New(cfg Config) *Stocks { return &Stocks{cfg} }

// Endpoints lists the endpoints of this package.
func (ss *Stocks) Endpoints() []api.Endpoint {
	edit := api.Refuses(catalog.ErrProductNotFound, catalog.ErrVariantNotFound, catalog.ErrStockByVariant, catalog.ErrStockChanged, catalog.ErrStockOfSet, api.ErrRole)
	return []api.Endpoint{
		{Method: "PUT", Path: "/products/{id}/stock", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: edit, Do: api.Handle(ss.set),
			Summary: "Set the stock of a product, or of a variant if it is counted by variant; a negative quantity stops tracking, and an absent threshold is cleared"},
		{Method: "GET", Path: "/products/{id}/stock/history", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Errors: api.Refuses(api.ErrRole), Do: api.Handle(ss.history),
			Summary: "The stock movements of a product, newest first"},
		{Method: "GET", Path: "/products/low-stock", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Errors: api.Refuses(api.ErrRole), Do: api.Handle(ss.low),
			Summary: "Tracked products and variants at or below their threshold, scarcest first"},
		{Method: "PUT", Path: "/products/batch/stock", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: api.Refuses(api.ErrRole), Do: api.Handle(ss.setMany),
			Summary: "Set the stock of up to 500 products and variants; each succeeds or fails on its own, and fields that are not sent stay unchanged. dry_run writes nothing and answers what would change"},
	}
}

// callerShop returns the caller's shop, or api.ErrRole if the caller has no role in one.
func callerShop(c *api.Call) (shop.CompanyID, error) {
	if c.Company == 0 || !c.Role.Known() {
		return 0, api.ErrRole
	}
	return c.Company, nil
}

// Sizes of a list.
const (
	defaultLines = 50
	maxLines     = 500
)

type listRequest struct {
	Limit int `query:"limit" json:"-" doc:"the number of entries, 50 by default, at most 500"`
}

func (l listRequest) lines() int {
	if l.Limit <= 0 {
		return defaultLines
	}
	return min(l.Limit, maxLines)
}

type historyRequest struct {
	ID shop.ProductID `path:"id" json:"-"`
	listRequest
}

func (ss *Stocks) history(ctx context.Context, c *api.Call, in historyRequest) (out api.Result[[]movementView], err error) {
	company, err := callerShop(c)
	if err != nil {
		return out, err
	}
	list, err := catalog.Movements(ctx, ss.Store.Shop(company), in.ID, in.lines())
	out.Result = []movementView{}
	for _, m := range list {
		out.Result = append(out.Result, viewMovement(m))
	}
	return out, err
}

func (ss *Stocks) low(ctx context.Context, c *api.Call, in listRequest) ([]lowView, error) {
	company, err := callerShop(c)
	if err != nil {
		return nil, err
	}
	list, err := catalog.GetLowStock(ctx, ss.Store.Shop(company), in.lines())
	out := []lowView{}
	for _, l := range list {
		out = append(out, lowView(l))
	}
	return out, err
}
