package catalog

import (
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

// errGroup refuses groups that cannot be saved (document 1, 4.2).
var errGroup = shop.Refuse(shop.InvalidArgument, "PRODUCT_GROUP_INVALID").
	When("name is missing or too long, or the group has more than 200 products")

const (
	maxGroupName     = 255 // characters
	maxGroupProducts = 200
)

// groupView is a group of linked products; product_ids leaves out deleted products.
type groupView struct {
	ID         catalog.GroupID  `json:"id"`
	Name       string           `json:"name"`
	ProductIDs []shop.ProductID `json:"product_ids"`
	CreatedAt  time.Time        `json:"created_at"`
	UpdatedAt  time.Time        `json:"updated_at"`
}

func viewGroup(g catalog.ProductGroup) groupView {
	return groupView{ID: g.ID, Name: g.Name, ProductIDs: g.Products, CreatedAt: g.CreatedAt.UTC(), UpdatedAt: g.UpdatedAt.UTC()}
}

// groupItem is a group in a request: absent fields keep their values, product_ids replaces the
// whole list in the order sent.
type groupItem struct {
	Name       *string           `json:"name" required:"POST" len:"255" refuse:"PRODUCT_GROUP_INVALID"`
	ProductIDs *[]shop.ProductID `json:"product_ids" max:"200" refuse:"PRODUCT_GROUP_INVALID"`
}

func (i groupItem) apply(ctx context.Context, r store.Reader, g *catalog.ProductGroup) error {
	api.Set(&g.Name, i.Name)
	if g.Name = strings.TrimSpace(g.Name); g.Name == "" || utf8.RuneCountInString(g.Name) > maxGroupName {
		return errGroup.At("name").With("1 to 255 characters")
	}
	if i.ProductIDs == nil {
		return nil
	}
	g.Products = []shop.ProductID{}
	for _, id := range *i.ProductIDs {
		if !slices.Contains(g.Products, id) {
			g.Products = append(g.Products, id)
		}
		if len(g.Products) > maxGroupProducts {
			return errGroup.At("product_ids").With("at most 200")
		}
	}
	n, err := catalog.CountExistingProducts(ctx, r, g.Products)
	if err == nil && n != len(g.Products) {
		err = catalog.ErrProductNotFound.At("product_ids").With("not all of them are products of the shop")
	}
	return err
}

type groupsRequest struct {
	Product shop.ProductID `query:"product_id" json:"-" doc:"only groups that contain this product"`
	api.Paging
}

func (c *Catalog) groups(ctx context.Context, call *api.Call, in groupsRequest) (api.List[groupView], error) {
	out := api.List[groupView]{Result: []groupView{}}
	number, limit, err := in.Page(50)
	if err != nil {
		return out, err
	}
	list, total, err := catalog.ProductGroups(ctx, c.store.Shop(call.Company), in.Product, number, limit)
	for _, g := range list {
		out.Result = append(out.Result, viewGroup(g))
	}
	out.Total, out.CurrentPage = total, number
	return out, err
}

type groupID struct {
	ID catalog.GroupID `path:"id" json:"-"`
}

func (c *Catalog) group(ctx context.Context, call *api.Call, in groupID) (api.Result[groupView], error) {
	g, err := catalog.GetProductGroup(ctx, c.store.Shop(call.Company), in.ID)
	return api.Wrap(viewGroup(g)), err
}

type groupRequest struct {
	Item groupItem `json:"item" required:"always"`
}

func (c *Catalog) createGroup(ctx context.Context, call *api.Call, in groupRequest) (api.Result[groupView], error) {
	g := catalog.ProductGroup{Products: []shop.ProductID{}}
	err := c.store.Write(ctx, call.Company, func(tx *store.Tx) (err error) {
		if err := in.Item.apply(ctx, tx.Reader, &g); err != nil {
			return err
		}
		if err := catalog.InsertProductGroup(ctx, tx, &g); err != nil {
			return err
		}
		g, err = catalog.GetProductGroup(ctx, tx.Reader, g.ID)
		return err
	})
	return api.Wrap(viewGroup(g)), err
}

type updateGroup struct {
	ID catalog.GroupID `path:"id" json:"-"`
	api.Basis
	Item groupItem `json:"item"`
}

func (c *Catalog) updateGroup(ctx context.Context, call *api.Call, in updateGroup) (api.Result[groupView], error) {
	var g catalog.ProductGroup
	err := c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		old, err := catalog.LockProductGroup(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := tx.CheckBasis(old.UpdatedAt); err != nil {
			return err
		}
		g = old
		if err := in.Item.apply(ctx, tx.Reader, &g); err != nil {
			return err
		}
		if err := catalog.UpdateProductGroup(ctx, tx, old, g); err != nil {
			return err
		}
		g, err = catalog.GetProductGroup(ctx, tx.Reader, g.ID)
		return err
	})
	return api.Wrap(viewGroup(g)), err
}

func (c *Catalog) deleteGroup(ctx context.Context, call *api.Call, in groupID) (api.None, error) {
	return api.None{}, c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		g, err := catalog.LockProductGroup(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		return catalog.DeleteProductGroup(ctx, tx, g)
	})
}
