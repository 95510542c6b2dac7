package catalog

import (
	"context"
	"slices"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

// Refusals of ad participation (document 3, 4.3).
var (
	errAdMode = shop.Refuse(shop.InvalidArgument, "AD_MODE_UNKNOWN").When("mode is not include or exclude")
	errAdRole = shop.Refuse(shop.PermissionDenied, "ROLE_REQUIRED").When("the person is not a member of the shop, or their role is too low").With("only an owner or administrator can change which products are in feeds")
)

// adMode is whether feeds list a product: "include" or "exclude".
type adMode struct {
	Mode adWord `json:"mode" required:"always"`
}

type adWord string

// Values lists the modes.
func (adWord) Values() []string { return catalog.AdModes }

func (c *Catalog) adParticipation(ctx context.Context, call *api.Call, in productID) (adMode, error) {
	row, err := catalog.GetProduct(ctx, c.store.Shop(call.Company), in.ID)
	if err == nil && row.DeletedAt != nil {
		err = catalog.ErrProductNotFound
	}
	return adMode{adWord(row.AdMode)}, err
}

type setAdMode struct {
	ID shop.ProductID `path:"id" json:"-"`
	api.Basis
	adMode
}

func (c *Catalog) setAdParticipation(ctx context.Context, call *api.Call, in setAdMode) (adMode, error) {
	if !slices.Contains(catalog.AdModes, string(in.Mode)) {
		return adMode{}, errAdMode.At("mode").With("must be include or exclude")
	}
	err := c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		product, err := lockLiving(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := tx.CheckBasis(product.UpdatedAt); err != nil {
			return err
		}
		return catalog.SetAdMode(ctx, tx, in.ID, string(in.Mode))
	})
	return in.adMode, err
}
