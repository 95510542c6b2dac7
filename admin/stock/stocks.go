// Package stock is how many units of a product lie on the shelf, and the ledger of
// what moved (document 2, 2.3 and 4.3). Sellers set the number here by hand; orders
// move it by themselves.
//
// Stock is a value of the live shop: it has no draft and no versions.
package stock

import (
	"context"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

// Config is what stocks stand on.
type Config struct{ Store *store.Store }

// Stocks answers the endpoints of this package.
type Stocks struct{ Config }

// New makes the slice.
func New(cfg Config) *Stocks { return &Stocks{cfg} }

// Endpoints is the table of this slice.
func (ss *Stocks) Endpoints() []api.Endpoint {
	edit := api.Refuses(catalog.ErrProductNotFound, catalog.ErrStockChanged, catalog.ErrStockOfSet, api.ErrRole)
	return []api.Endpoint{
		{Method: "PUT", Path: "/products/{id}/stock", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: edit, Do: api.Handle(ss.set),
			Summary: "Set the stock of a product: a number, a negative one to stop counting; a threshold that is not sent is cleared"},
		{Method: "GET", Path: "/products/{id}/stock/history", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Errors: api.Refuses(api.ErrRole), Do: api.Handle(ss.history),
			Summary: "The ledger of a product, newest first"},
		{Method: "GET", Path: "/products/low-stock", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Errors: api.Refuses(api.ErrRole), Do: api.Handle(ss.low),
			Summary: "Products that are counted and at their threshold or below, scarcest first"},
		{Method: "PUT", Path: "/products/batch/stock", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: api.Refuses(api.ErrRole), Do: api.Handle(ss.setMany),
			Summary: "Set the stock of up to 500 products; each succeeds or fails by itself, and what is not sent stays"},
	}
}

// own is the shop whose people may call; who has none is refused.
func own(c *api.Call) (shop.CompanyID, error) {
	if c.Company == 0 || !c.Role.Known() {
		return 0, api.ErrRole
	}
	return c.Company, nil
}

// What a list answers.
const (
	usualLines = 50
	mostLines  = 500
)

type listRequest struct {
	Limit int `query:"limit" json:"-" doc:"how many, 50 unless told, at most 500"`
}

func (l listRequest) lines() int {
	if l.Limit <= 0 {
		return usualLines
	}
	return min(l.Limit, mostLines)
}

type historyRequest struct {
	ID shop.ProductID `path:"id" json:"-"`
	listRequest
}

func (ss *Stocks) history(ctx context.Context, c *api.Call, in historyRequest) (out api.Result[[]movementView], err error) {
	company, err := own(c)
	if err != nil {
		return out, err
	}
	list, err := catalog.Movements(ctx, ss.Store.Shop(company), in.ID, in.lines())
	out.Result = []movementView{}
	for _, m := range list {
		out.Result = append(out.Result, movementView{m.ID, m.Delta, m.Balance, m.Reason, m.Comment, m.Order, m.CreatedAt.UTC()})
	}
	return out, err
}

func (ss *Stocks) low(ctx context.Context, c *api.Call, in listRequest) ([]lowView, error) {
	company, err := own(c)
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
