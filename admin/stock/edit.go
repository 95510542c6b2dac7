package stock

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

// stockView is the current stock of a product or variant.
type stockView struct {
	Quantity  *int `json:"quantity"`      // null: not tracked
	Threshold *int `json:"low_threshold"` // null: warn only at zero
	InStock   bool `json:"in_stock"`
}

func view(s catalog.Stock) stockView {
	return stockView{s.Quantity, s.Threshold, s.Quantity == nil || *s.Quantity > 0}
}

type movementView struct {
	ID        shop.MovementID        `json:"id"`
	Delta     int64                  `json:"delta"`
	Balance   int64                  `json:"balance_after"`
	Reason    catalog.MovementReason `json:"reason"`
	Comment   *string                `json:"comment"`
	Order     *shop.OrderID          `json:"order_id"` // null: changed by hand
	CreatedAt time.Time              `json:"created_at"`
	Variants  []variantMovementView  `json:"variants" doc:"what the movement was for each variant, if the product is counted by variant"`
}

type variantMovementView struct {
	Variant catalog.VariantID `json:"variant_id"`
	Delta   int64             `json:"delta"`
	Balance int64             `json:"balance_after"`
}

func viewMovement(m catalog.Movement) movementView {
	v := movementView{m.ID, m.Delta, m.Balance, m.Reason, m.Comment, m.Order, m.CreatedAt.UTC(), []variantMovementView{}}
	for _, part := range m.Variants {
		if part.Balance != nil {
			v.Variants = append(v.Variants, variantMovementView{part.Variant, part.Delta, *part.Balance})
		}
	}
	return v
}

type lowView struct {
	Product   shop.ProductID    `json:"product_id"`
	Variant   catalog.VariantID `json:"variant_id" doc:"0: the product is counted as a whole"`
	Name      string            `json:"name"`
	Title     string            `json:"variant_title"`
	Quantity  int               `json:"quantity"`
	Threshold *int              `json:"low_threshold"`
}

// fields is an edit of one product or variant as sent by the client.
type fields struct {
	Variant   catalog.VariantID `json:"variant_id" doc:"the variant set; required if the product is counted by variant"`
	Quantity  *int64            `json:"quantity"`      // negative: stop tracking
	Threshold *int64            `json:"low_threshold"` // negative: no threshold
	Expected  *int              `json:"expected_quantity" doc:"the number that the caller saw, of the variant if one is named"`
	Comment   string            `json:"comment" len:"body"`
}

// edit converts the fields. A negative number clears.
func (f fields) edit(by shop.UserID) (catalog.StockEdit, error) {
	e, err := catalog.NewStockEdit(f.Quantity, f.Threshold)
	e.Expected, e.Comment, e.Actor = f.Expected, strings.TrimSpace(f.Comment), by
	if err == nil && utf8.RuneCountInString(e.Comment) > 500 {
		err = shop.ErrInvalidRequest.At("comment").With("at most 500 characters")
	}
	return e, err
}

type setRequest struct {
	ID shop.ProductID `path:"id" json:"-"`
	fields
}

// set sets the stock of one product. Unlike in setMany, an absent threshold is cleared (document
// 2, 4.3).
func (ss *Stocks) set(ctx context.Context, c *api.Call, in setRequest) (out stockView, err error) {
	company, err := callerShop(c)
	if err != nil {
		return out, err
	}
	edit, err := in.edit(c.Person)
	if err != nil {
		return out, err
	}
	if edit.Threshold == nil {
		edit.Threshold = new(*int)
	}
	var now catalog.Stock
	err = ss.Store.Write(ctx, company, func(tx *store.Tx) error {
		now, err = catalog.SetStock(ctx, tx, catalog.StockItem{Product: in.ID, Variant: in.Variant}, edit)
		return err
	})
	return view(now), err
}

type itemRequest struct {
	Product shop.ProductID `json:"product_id"`
	fields
}

type manyRequest struct {
	Items  []itemRequest `json:"items" max:"500"`
	DryRun bool          `json:"dry_run" doc:"write nothing, and answer in changes what each entry would change"`
}

// itemView is the result for one product of many; the error is empty if its stock was set.
type itemView struct {
	Product shop.ProductID    `json:"product_id"`
	Variant catalog.VariantID `json:"variant_id"`
	stockView
	Error string `json:"error"`
	shop.Fault
	Changes []api.Change `json:"changes,omitzero" doc:"in a dry run: what the edit would change"`
}

type manyView struct {
	Results []itemView `json:"results"`
	Failed  int        `json:"failed"`
}

// setMany sets the stock of many products, locked in the order of their ids.
func (ss *Stocks) setMany(ctx context.Context, c *api.Call, in manyRequest) (out manyView, err error) {
	company, err := callerShop(c)
	if err != nil {
		return out, err
	}
	order := make([]int, len(in.Items))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(in.Items[a].Product, in.Items[b].Product) })
	out.Results = make([]itemView, len(in.Items))
	write := ss.Store.Write
	if in.DryRun {
		write = ss.Store.DryRun
	}
	err = write(ctx, company, func(tx *store.Tx) error {
		out.Failed = 0
		for _, i := range order {
			out.Results[i] = itemView{Product: in.Items[i].Product, Variant: in.Items[i].Variant}
			was, now, err := setOne(ctx, tx, in.Items[i], c.Person)
			refusal, refused := shop.AsRefusal(err)
			switch {
			case refused:
				out.Results[i].Error, out.Results[i].Fault = refusal.Error(), refusal.Fault()
				out.Failed++
			case err != nil:
				return err
			}
			if out.Results[i].stockView = view(now); in.DryRun && !refused {
				if out.Results[i].Changes, err = api.ChangesOf(view(was), view(now)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return out, err
}

// setOne sets the stock of one product, and returns what it was and is; a refused edit has written
// nothing.
func setOne(ctx context.Context, tx *store.Tx, in itemRequest, by shop.UserID) (was, now catalog.Stock, err error) {
	edit, err := in.edit(by)
	if err != nil {
		return was, now, err
	}
	item := catalog.StockItem{Product: in.Product, Variant: in.Variant}
	if was, err = catalog.LockStock(ctx, tx, item); err != nil {
		return was, now, err
	}
	now, err = catalog.SetStock(ctx, tx, item, edit)
	return was, now, err
}
