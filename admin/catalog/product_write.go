package catalog

import (
	"context"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	companydb "vitrine/internal/store/company"
)

type productRequest struct {
	Item wholeItem `json:"item" required:"always"`
}

func (c *Catalog) createProduct(ctx context.Context, call *api.Call, in productRequest) (api.Result[productCard], error) {
	var view productCard
	if err := in.Item.admitStock(call); err != nil {
		return api.Wrap(view), err
	}
	company, err := companydb.Info(ctx, c.store.Shop(call.Company))
	if err != nil {
		return api.Wrap(view), err
	}
	var ignored []string
	err = c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		if in.Item.Variants != nil {
			if err := tx.LockProductCreation(ctx); err != nil { // before what the product refers to, as in an edit
				return err
			}
		}
		l, err := linksOf(ctx, tx, company.Currency, call.RequireLive(), in.Item.ProductItem)
		if err != nil {
			return err
		}
		n, err := in.Item.insertable(call.Person, l)
		if err != nil {
			return err
		}
		if err := catalog.InsertProduct(ctx, tx, n.Product, n.Explicit, company.Limits[store.LimitProducts]); err != nil {
			return err
		}
		if ignored, err = in.Item.saveParts(ctx, tx, *n.Product, call.Person); err != nil {
			return err
		}
		view, err = readCard(ctx, tx.Reader, company, n.ID)
		return err
	})
	markIgnoredParts(call, ignored)
	return api.Wrap(view), err
}

type updateProduct struct {
	ID shop.ProductID `path:"id" json:"-"`
	api.Basis
	Item wholeItem `json:"item"`
}

func (c *Catalog) updateProduct(ctx context.Context, call *api.Call, in updateProduct) (api.Result[productCard], error) {
	var view productCard
	if err := in.Item.admitStock(call); err != nil {
		return api.Wrap(view), err
	}
	company, err := companydb.Info(ctx, c.store.Shop(call.Company))
	if err != nil {
		return api.Wrap(view), err
	}
	var ignored []string
	err = c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		if in.Item.locksCreation() || in.Item.Variants != nil {
			if err := tx.LockProductCreation(ctx); err != nil {
				return err
			}
		}
		old, err := catalog.LockProduct(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := tx.CheckBasis(old.UpdatedAt); err != nil {
			return err
		}
		l, err := linksOf(ctx, tx, company.Currency, call.RequireLive(), in.Item.ProductItem)
		if err != nil {
			return err
		}
		row, err := c.editProduct(ctx, tx, company, old, in.Item.ProductItem, call.Person, l)
		if err != nil {
			return err
		}
		if ignored, err = in.Item.saveParts(ctx, tx, row, call.Person); err != nil {
			return err
		}
		if len(row.Set) > 0 {
			call.MarkIgnored("item.stock_quantity", in.Item.StockQuantity != nil)
			call.MarkIgnored("item.stock_low_threshold", in.Item.StockLowThreshold.Count != nil)
		}
		view, err = readCard(ctx, tx.Reader, company, in.ID)
		return err
	})
	markIgnoredParts(call, ignored)
	return api.Wrap(view), err
}

// editProduct applies an item to a locked product. A deleted product is restored if the item
// requests it.
func (c *Catalog) editProduct(
	ctx context.Context, tx *store.Tx, company companydb.Company, old catalog.Product, item ProductItem, person shop.UserID,
	l links,
) (row catalog.Product, err error) {
	row = old
	if row.DeletedAt, err = store.DeletedAfterEdit(old.DeletedAt, item.IsDeleted, c.now(), catalog.ErrProductNotFound); err != nil {
		return row, err
	}
	if old.DeletedAt != nil {
		if err := catalog.CheckProductLimit(ctx, tx, company.Limits[store.LimitProducts]); err != nil {
			return row, err
		}
	}
	if err := item.edit(&row, person, l); err != nil {
		return row, err
	}
	return row, catalog.UpdateProduct(ctx, tx, old, row)
}

type productID struct {
	ID shop.ProductID `path:"id" json:"-"`
}

func (c *Catalog) deleteProduct(ctx context.Context, call *api.Call, in productID) (api.None, error) {
	return api.None{}, c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		old, err := lockLiving(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		gone, now := old, c.now()
		gone.DeletedAt, gone.UpdatedBy = &now, call.Person
		return catalog.UpdateProduct(ctx, tx, old, gone)
	})
}

// lockLiving locks and returns a product that is not deleted.
func lockLiving(ctx context.Context, tx *store.Tx, id shop.ProductID) (catalog.Product, error) {
	p, err := catalog.LockProduct(ctx, tx, id)
	if err == nil && p.DeletedAt != nil {
		err = catalog.ErrProductNotFound
	}
	return p, err
}
