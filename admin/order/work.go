package order

import (
	"context"
	"slices"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

type noteRequest struct {
	orderPath
	api.Basis
	Text string `json:"text" len:"4000"`
}

// note sets the note of an order, which only the shop's members see.
func (os *Orders) note(ctx context.Context, c *api.Call, in noteRequest) (out api.Result[orderView], err error) {
	return os.annotate(ctx, c, in.ID, func(tx *store.Tx, o *sales.Order) error {
		return sales.SetOrderNote(ctx, tx, o, strings.TrimSpace(in.Text))
	})
}

type tagsRequest struct {
	orderPath
	api.Basis
	Tags []string `json:"tags" required:"always" max:"64" len:"64"`
}

// tag sets the tags of an order, which only the shop's members see.
func (os *Orders) tag(ctx context.Context, c *api.Call, in tagsRequest) (out api.Result[orderView], err error) {
	tags := []string{}
	for _, tag := range in.Tags {
		if tag = strings.TrimSpace(shop.OneLine(tag)); tag != "" && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	return os.annotate(ctx, c, in.ID, func(tx *store.Tx, o *sales.Order) error { return sales.SetOrderTags(ctx, tx, o, tags) })
}

func (os *Orders) annotate(ctx context.Context, c *api.Call, id shop.OrderID, fn func(tx *store.Tx, o *sales.Order) error) (out api.Result[orderView], err error) {
	o, err := os.owned(ctx, c, id)
	if err != nil {
		return out, err
	}
	err = os.Store.Write(ctx, o.Company, func(tx *store.Tx) error {
		if o, err = sales.LockOrder(ctx, tx, id); err != nil {
			return err
		}
		if err := tx.CheckBasis(o.UpdatedAt); err != nil {
			return err
		}
		return fn(tx, &o)
	})
	if err != nil {
		return out, err
	}
	return os.wrap(ctx, o, seller)
}

// countsView is how many orders have each status.
type countsView struct {
	ByStatus   map[shop.OrderStatus]int    `json:"by_status"`
	ByPayment  map[string]int              `json:"by_payment"`
	ByShipment map[shop.ShipmentStatus]int `json:"by_shipment"`
}

type countsRequest struct {
	Sources  []sales.OrderSource `query:"filter.source" json:"-" max:"10" doc:"storefront, manual or assistant; repeat the parameter for more than one"`
	Platform shop.Int64          `query:"filter.platform" json:"-" doc:"the id of an assistant of GET /v1/shop/assistants"`
}

func (os *Orders) counts(ctx context.Context, c *api.Call, in countsRequest) (out api.Result[countsView], err error) {
	if !sells(c) {
		return out, sales.ErrOrderDenied
	}
	f := sales.OrderFilter{Sources: in.Sources, Platform: int64(in.Platform)}
	if err := checkFilter(&f, 0, os.Now()); err != nil {
		return out, err
	}
	list, err := sales.CountOrders(ctx, os.Store.Shop(c.Company), f)
	out.Result = countsView{map[shop.OrderStatus]int{}, map[string]int{}, map[shop.ShipmentStatus]int{}}
	for _, s := range shop.OrderStatuses {
		out.Result.ByStatus[s] = 0
	}
	for _, s := range sales.PaymentStatuses {
		out.Result.ByPayment[s] = 0
	}
	for _, s := range shop.ShipmentStatuses {
		out.Result.ByShipment[s] = 0
	}
	for _, n := range list {
		out.Result.ByStatus[n.Status] += n.Orders
		out.Result.ByPayment[n.Payment] += n.Orders
		out.Result.ByShipment[n.Shipment] += n.Orders
	}
	return out, err
}

// sells reports whether the caller reads the orders of a shop as its seller.
func sells(c *api.Call) bool {
	return c.Company != 0 && c.Role.Known() && c.Has(readsOrders) && !c.Buyer
}

type moveManyRequest struct {
	IDs      []shop.OrderID   `json:"ids" required:"always" max:"500"`
	Status   shop.OrderStatus `json:"status" required:"always"`
	Expected shop.OrderStatus `json:"expected_status"`
	DryRun   bool             `json:"dry_run" doc:"write nothing, and answer in changes what each entry would change, as if it was the only one"`
}

// movedView is the result for one order of many; the error is empty if its status was changed.
type movedView struct {
	ID     shop.OrderID     `json:"id"`
	Status shop.OrderStatus `json:"status" blank:"refused" doc:"empty if the order was not changed"`
	Error  string           `json:"error"`
	shop.Fault
	Changes []api.Change `json:"changes,omitzero" doc:"in a dry run: what the edit would change"`
}

type movedManyView struct {
	Results []movedView `json:"results"`
	Failed  int         `json:"failed"`
}

// moveMany changes the status of orders, each in its own transaction and by the rules of move, so
// an order that fails stops no other. One that is listed twice is changed once.
func (os *Orders) moveMany(ctx context.Context, c *api.Call, in moveManyRequest) (out movedManyView, err error) {
	to := Status{To: in.Status, Expected: in.Expected}
	switch {
	case c.Company == 0 || !c.Role.Known() || !c.Has(writesOrders) || c.Buyer:
		return out, sales.ErrOrderDenied
	case len(in.IDs) == 0:
		return out, shop.ErrInvalidRequest.At("ids").With("must not be empty")
	}
	if err := to.check(); err != nil {
		return out, err
	}
	out.Results = []movedView{}
	seen := map[shop.OrderID]bool{}
	var lost *shop.Refusal // of the remaining orders: the database is gone, or the time of the call is over
	for _, id := range in.IDs {
		if seen[id] {
			continue
		}
		seen[id] = true
		moved, refused := movedView{ID: id}, lost
		if lost == nil {
			o, changes, err := os.moveOne(ctx, c, id, to, in.DryRun)
			ended := err != nil && (ctx.Err() != nil || store.IsUnavailable(err))
			if ended && len(out.Results) == out.Failed {
				return out, err
			}
			if moved.Status, moved.Changes = o.Status, changes; err != nil {
				moved.Status, refused = "", partRefusal(c, err)
			}
			if ended {
				lost = refused
			}
		}
		if refused != nil {
			moved.Error, moved.Fault = refused.Error(), refused.Fault()
			out.Failed++
		}
		out.Results = append(out.Results, moved)
	}
	return out, nil
}

// moveOne changes the status of one order. A dry run returns what it would change instead, for each
// order in a transaction of its own: one for all would hold the rows that checkouts wait for.
func (os *Orders) moveOne(ctx context.Context, c *api.Call, id shop.OrderID, to Status, dry bool) (o sales.Order, changes []api.Change, err error) {
	if !dry {
		o, err = Move(ctx, os.Store, c.Company, id, c.Person, to)
		return o, nil, err
	}
	was, o, err := to.rehearse(ctx, os.Store, c.Company, id, c.Person)
	if err != nil {
		return o, nil, err
	}
	type view struct {
		Status shop.OrderStatus `json:"status"`
	}
	changes, err = api.ChangesOf(view{was}, view{o.Status})
	return o, changes, err
}

// partRefusal returns the refusal of one order of many. Any other error is logged, because the call
// is answered with the results of the others.
func partRefusal(c *api.Call, err error) *shop.Refusal {
	if refusal, ok := shop.AsRefusal(err); ok {
		return refusal
	}
	return api.Fault(err).With(c.LogPartialFailure(err))
}
