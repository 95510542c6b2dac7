package catalog

import (
	"context"
	"io"

	"vitrine/admin/api"
	"vitrine/internal/cells"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

type exportRequest struct {
	Category shop.CategoryID `query:"filter.category_id" json:"-" doc:"only this section, without those below it"`
	Subtree  bool            `query:"filter.include_subtree" json:"-" doc:"with filter.category_id: also the sections below it"`
}

// exportProducts returns the products that are not deleted, oldest first.
func (c *Catalog) exportProducts(ctx context.Context, call *api.Call, in exportRequest) (api.Raw, error) {
	const narrower = "export section by section with filter.category_id"
	return api.Export(ctx, call, c.store, "products.csv", narrower, func(ctx context.Context, r store.Reader, to io.Writer) error {
		s, err := readSheet(ctx, r)
		if err != nil {
			return err
		}
		return cells.Write(to, s.columns(), func(last entry) ([]entry, error) {
			products, err := catalog.ProductsAfter(ctx, r, in.Category, in.Subtree, last.product.ID, cells.ExportPage)
			if err != nil {
				return nil, err
			}
			return entriesOf(ctx, r, products)
		})
	})
}
