package catalog

import (
	"context"
	"slices"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	companydb "vitrine/internal/store/company"
)

// editBatch is a bulk edit in one of two forms: one item for many products, or one item with an
// id per product.
type editBatch struct {
	IDs   []shop.ProductID `json:"ids" max:"100"`
	Item  ProductItem      `json:"item"`
	Items []batchItem      `json:"items" max:"100"`
}

type editedBatch struct {
	Results []batchResult `json:"results"`
	Updated int           `json:"updated"`
	Failed  int           `json:"failed"`
}

// items returns the edits in their order, for both forms.
func (in editBatch) items() ([]batchItem, error) {
	if len(in.IDs) > 0 && len(in.Items) > 0 {
		return nil, shop.ErrInvalidRequest.At("ids").With("send either ids with item, or items")
	}
	items := in.Items
	for _, id := range in.IDs {
		items = append(items, batchItem{ID: id, ProductItem: in.Item})
	}
	return items, checkBatch(len(items))
}

// editProducts applies the valid edits of a batch. It locks products in the order of their ids,
// so that two batches cannot deadlock.
func (c *Catalog) editProducts(ctx context.Context, call *api.Call, in editBatch) (editedBatch, error) {
	items, err := in.items()
	if err != nil {
		return editedBatch{}, err
	}
	company, err := companydb.Info(ctx, c.store.Shop(call.Company))
	if err != nil {
		return editedBatch{}, err
	}
	var out editedBatch
	err = c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		out, err = c.editItems(ctx, tx, company, call.Person, call.RequireLive(), items)
		return err
	})
	logFailures(call, out.Results)
	return out, err
}

func (c *Catalog) editItems(
	ctx context.Context, tx *store.Tx, company companydb.Company, person shop.UserID, live error, items []batchItem,
) (out editedBatch, err error) {
	var ids []shop.ProductID
	for _, item := range items {
		ids = append(ids, item.ID)
	}
	slices.Sort(ids)
	rows, err := catalog.LockProducts(ctx, tx, slices.Compact(ids))
	if err != nil {
		return out, err
	}
	l, err := linksOfBatch(ctx, tx, company.Currency, live, items)
	if err != nil {
		return out, err
	}
	out.Results = make([]batchResult, len(items))
	for i, item := range items {
		r := &out.Results[i]
		r.Index = i
		if r.Slug, err = c.editOne(ctx, tx, company, rows, item, person, l); err != nil {
			if ctx.Err() != nil {
				return out, err
			}
			r.fail(err)
			out.Failed++
			continue
		}
		r.ID = item.ID
		out.Updated++
	}
	return out, nil
}

// editOne edits a locked product under a savepoint and returns its slug. It stores the result
// in rows, for a later edit of the same product.
func (c *Catalog) editOne(
	ctx context.Context, tx *store.Tx, company companydb.Company, rows map[shop.ProductID]catalog.Product, item batchItem,
	person shop.UserID, l links,
) (slug string, err error) {
	old, known := rows[item.ID]
	if item.fault != nil {
		return "", item.fault
	}
	if !known {
		return "", catalog.ErrProductNotFound
	}
	var row catalog.Product
	err = tx.Savepoint(ctx, func() error {
		row, err = c.editProduct(ctx, tx, company, old, item.ProductItem, person, l)
		return err
	})
	if err == nil {
		row.Attributes, row.Galleries = nil, nil // already written; nil keeps them
		rows[item.ID] = row
	}
	return row.SEO.Slug, err
}
