package catalog

import (
	"context"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/media"
)

// listedUses is the maximum number of listed uses of each kind; total counts all.
const listedUses = 1000

type galleryUsage struct {
	Products    []galleryUser        `json:"products"`
	Categories  []galleryUser        `json:"categories"`
	Articles    []galleryUser        `json:"articles"`
	VariantSets []galleryVariantUser `json:"variant_sets"`
	Total       int                  `json:"total"`
}

type galleryUser struct {
	ID   shop.ProductID `json:"id"` // a 32-bit id of a product, section or article
	Name string         `json:"name"`
}

type galleryVariantUser struct {
	ID        catalog.VariantID `json:"id"`
	SKU       string            `json:"sku"`
	Title     string            `json:"title"`
	ProductID shop.ProductID    `json:"product_id"`
}

// galleryUsage lists the uses of a gallery, at most a thousand of each kind.
func (c *Catalog) galleryUsage(ctx context.Context, call *api.Call, in galleryID) (out api.Result[galleryUsage], err error) {
	r := c.store.Shop(call.Company)
	if _, err := media.GetGallery(ctx, r, in.ID); err != nil {
		return out, err
	}
	u, err := media.GetGalleryUsage(ctx, r, in.ID, listedUses)
	out.Result = galleryUsage{
		Products: viewUsers(u.Products), Categories: viewUsers(u.Categories), Articles: viewUsers(u.Articles),
		VariantSets: []galleryVariantUser{}, Total: u.Total,
	}
	for _, v := range u.Variants {
		out.Result.VariantSets = append(out.Result.VariantSets, galleryVariantUser{catalog.VariantID(v.ID), v.SKU, v.Name, v.Product})
	}
	return out, err
}

func viewUsers(uses []media.GalleryUse) []galleryUser {
	users := make([]galleryUser, len(uses))
	for i, u := range uses {
		users[i] = galleryUser{shop.ProductID(u.ID), u.Name}
	}
	return users
}
