package catalog

import (
	"context"

	"vitrine/admin/api"
	"vitrine/admin/api/body"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	companydb "vitrine/internal/store/company"
)

const (
	maxBatch     = 100
	maxBatchBody = 8 << 20 // bytes: a hundred products with long descriptions
)

// batchItem is one product of a batch. If it cannot be decoded, only this item fails.
type batchItem struct {
	ID shop.ProductID `json:"id"` // only for bulk edits
	ProductItem
	Variants *[]variantItem `json:"variants" max:"500" refuse:"VARIANTS_TOO_MANY" doc:"replaces all variant sets; absent: they stay"`
	fault    error
}

// UnmarshalJSON stores the error of an invalid item for its result.
func (i *batchItem) UnmarshalJSON(b []byte) error {
	type fields batchItem
	var f fields
	if err := body.Decode(b, &f, productErrors); err != nil {
		refusal, ok := shop.AsRefusal(err)
		if !ok {
			refusal = shop.ErrInvalidRequest.With(err.Error())
		}
		i.fault = refusal
		return nil
	}
	*i = batchItem(f)
	return nil
}

// batchResult is the result of one item: an id above 0 and no error, or id 0 and the code of
// the refusal (document 1, 4.2).
type batchResult struct {
	Index   int            `json:"index"`
	ID      shop.ProductID `json:"id"`
	Slug    string         `json:"slug,omitempty"`
	Error   string         `json:"error,omitempty"`
	Message string         `json:"message,omitempty"`
	Place   string         `json:"place,omitempty" doc:"the refused field of the item, such as price.old_price"`
	Detail  string         `json:"detail,omitempty"`
	Changes []api.Change   `json:"changes,omitzero" doc:"in a dry run: what the edit would change"`
	cause   error          // the error behind INTERNAL
}

func (r *batchResult) fail(err error) {
	refusal, ok := shop.AsRefusal(err)
	if !ok {
		refusal, r.cause = api.Fault(err), err
	}
	r.Changes = nil
	r.ID, r.Slug, r.Error, r.Message = 0, "", refusal.Code, refusal.Message()
	r.Place, r.Detail = refusal.Place, refusal.Detail
	if r.Message == "" {
		r.Message = refusal.Code
	}
}

type createBatch struct {
	Items []batchItem `json:"items" required:"always" max:"100"`
}

type createdBatch struct {
	Results []batchResult `json:"results"`
	Created int           `json:"created"`
	Failed  int           `json:"failed"`
}

func checkBatch(n int) error {
	if n == 0 {
		return shop.ErrInvalidRequest.At("items").With("must not be empty")
	}
	if n > maxBatch {
		return shop.ErrInvalidRequest.At("items").With("at most 100 items")
	}
	return nil
}

// createProducts creates the valid products of a batch: a refused item does not affect the
// others.
func (c *Catalog) createProducts(ctx context.Context, call *api.Call, in createBatch) (createdBatch, error) {
	var out createdBatch
	if err := checkBatch(len(in.Items)); err != nil {
		return out, err
	}
	company, err := companydb.Info(ctx, c.store.Shop(call.Company))
	if err != nil {
		return out, err
	}
	err = c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		var err error
		out.Results, err = insertItems(ctx, tx, company, call.Person, call.RequireLive(), in.Items)
		return err
	})
	if err != nil {
		return createdBatch{}, err
	}
	logFailures(call, out.Results)
	for _, r := range out.Results {
		if r.Error == "" {
			out.Created++
		} else {
			out.Failed++
		}
	}
	return out, nil
}

// logFailures logs the causes of INTERNAL items and puts the request id of the log entry into
// their messages.
func logFailures(call *api.Call, results []batchResult) {
	for i := range results {
		if r := &results[i]; r.cause != nil {
			r.Message = call.LogPartialFailure(r.cause)
		}
	}
}

// insertItems inserts products within a transaction and returns the result of each.
func insertItems(
	ctx context.Context, tx *store.Tx, company companydb.Company, person shop.UserID, live error, items []batchItem,
) ([]batchResult, error) {
	l, err := linksOfBatch(ctx, tx, company.Currency, live, items)
	if err != nil {
		return nil, err
	}
	results := make([]batchResult, len(items))
	var rows []catalog.NewProduct
	var at []int // the item index of each row
	for i, item := range items {
		results[i].Index = i
		row, err := item.insertable(person, l)
		if item.fault != nil {
			err = item.fault
		}
		if err != nil {
			results[i].fail(err)
			continue
		}
		if row.Variants, err = item.newSets(ctx, tx, row.StockBy); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			results[i].fail(err)
			continue
		}
		rows, at = append(rows, row), append(at, i)
	}
	failed, err := catalog.InsertProducts(ctx, tx, rows, company.Limits[store.LimitProducts])
	for n, row := range rows {
		if err == nil && failed[n] != nil {
			results[at[n]].fail(failed[n])
			continue
		}
		results[at[n]].ID, results[at[n]].Slug = row.ID, row.SEO.Slug
	}
	return results, err
}

// newSets returns the variant sets of a new product.
func (i batchItem) newSets(ctx context.Context, tx *store.Tx, by shop.StockBy) ([]catalog.Variant, error) {
	if i.Variants == nil {
		return nil, nil
	}
	list, err := mergeVariants(*i.Variants, nil)
	if err == nil {
		_, err = setInitialStock(list, *i.Variants, by)
	}
	if err == nil {
		err = checkVariantLinks(ctx, tx, list)
	}
	return list, shop.At(err, "variants")
}

func linksOfBatch(ctx context.Context, tx *store.Tx, currency string, live error, items []batchItem) (links, error) {
	plain := make([]ProductItem, len(items))
	for i := range items {
		plain[i] = items[i].ProductItem
	}
	return linksOf(ctx, tx, currency, live, plain...)
}
