package catalog

import (
	"context"
	"errors"
	"maps"
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

	DryRun bool `json:"dry_run" doc:"write nothing, and answer in changes what each entry would change"`
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
	write := c.store.Write
	if in.DryRun {
		write = c.store.DryRun
	}
	var out editedBatch
	err = write(ctx, call.Company, func(tx *store.Tx) error {
		b := bulkEdit{Catalog: c, tx: tx, company: company, person: call.Person}
		if in.DryRun {
			b.cards = map[shop.ProductID]productCard{}
			if tx.Draft() {
				if err := tx.LockDraft(ctx); err != nil { // a dry run does not take it by itself
					return err
				}
			}
		}
		out, err = b.run(ctx, call.RequireLive(), items)
		return err
	})
	logFailures(call, out.Results)
	return out, err
}

// bulkEdit edits many products in one transaction.
type bulkEdit struct {
	*Catalog
	tx      *store.Tx
	company companydb.Company
	person  shop.UserID
	rows    map[shop.ProductID]catalog.Product // locked, as edited so far
	cards   map[shop.ProductID]productCard     // in a dry run: the same as a read answers it
}

func (b *bulkEdit) run(ctx context.Context, live error, items []batchItem) (out editedBatch, err error) {
	var ids []shop.ProductID
	for _, item := range items {
		ids = append(ids, item.ID)
	}
	slices.Sort(ids)
	if b.rows, err = catalog.LockProducts(ctx, b.tx, slices.Compact(ids)); err != nil {
		return out, err
	}
	l, err := linksOfBatch(ctx, b.tx, b.company.Currency, live, items)
	if err != nil {
		return out, err
	}
	// Nearly always no item is refused: one savepoint for all takes a third of the statements.
	locked := maps.Clone(b.rows)
	err = b.tx.Savepoint(ctx, func() error {
		out, err = b.each(ctx, l, items, false)
		return err
	})
	if !errors.Is(err, errRefused) {
		return out, err
	}
	b.rows = locked
	clear(b.cards)
	return b.each(ctx, l, items, true)
}

// errRefused: an item of a batch was refused, so that each needs its own savepoint.
var errRefused = errors.New("an item was refused")

// each edits the products, each under its own savepoint. Without one it stops with errRefused at the
// first item that is refused.
func (b *bulkEdit) each(ctx context.Context, l links, items []batchItem, alone bool) (out editedBatch, err error) {
	out.Results = make([]batchResult, len(items))
	for i, item := range items {
		r := &out.Results[i]
		r.Index = i
		if err = b.edit(ctx, item, l, r, alone); err != nil {
			if ctx.Err() != nil {
				return out, err
			}
			if !alone {
				return out, errRefused
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

// edit edits a locked product, alone under a savepoint. It stores the result in rows, for a later edit
// of the same product.
func (b *bulkEdit) edit(ctx context.Context, item batchItem, l links, r *batchResult, alone bool) error {
	old, known := b.rows[item.ID]
	if item.fault != nil {
		return item.fault
	}
	if !known {
		return catalog.ErrProductNotFound
	}
	before, err := b.card(ctx, item.ID)
	if err != nil {
		return err
	}
	var row catalog.Product
	write := func() error {
		if row, err = b.editProduct(ctx, b.tx, b.company, old, item.ProductItem, b.person, l); err != nil || item.Variants == nil {
			return err
		}
		_, err = saveVariants(ctx, b.tx, row.ID, row.StockBy, "variants", *item.Variants)
		return err
	}
	if alone {
		err = b.tx.Savepoint(ctx, write)
	} else {
		err = write()
	}
	if err != nil {
		return err
	}
	row.Attributes, row.Galleries = nil, nil // already written; nil keeps them
	b.rows[item.ID], r.Slug = row, row.SEO.Slug
	if b.cards == nil {
		return nil
	}
	delete(b.cards, item.ID)
	after, err := b.card(ctx, item.ID)
	if err != nil {
		return err
	}
	r.Changes, err = api.ChangesOf(before, after)
	return err
}

// card returns a product of a dry run as a read answers it now.
func (b *bulkEdit) card(ctx context.Context, id shop.ProductID) (card productCard, err error) {
	if b.cards == nil {
		return card, nil
	}
	card, known := b.cards[id]
	if !known {
		card, err = readCard(ctx, b.tx.Reader, b.company, id)
		b.cards[id] = card
	}
	return card, err
}
