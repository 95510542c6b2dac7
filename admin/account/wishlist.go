package account

import (
	"context"
	"errors"

	"vitrine/admin/api"
	"vitrine/compile"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/sales"
)

type wishView struct {
	Product  shop.ProductID `json:"product_id"`
	Name     string         `json:"name"`
	URL      string         `json:"url"`
	Image    string         `json:"image"`
	Price    priceView      `json:"price"`
	InStock  bool           `json:"in_stock"`
	Variants bool           `json:"has_variants"`
}

type priceView struct {
	Price         int64  `json:"price"`
	OldPrice      int64  `json:"old_price"`
	Currency      string `json:"currency"`
	PromotionName string `json:"promotion_name"`
}

func (as *Accounts) wishlist(ctx context.Context, c *api.Call, in ofShop) (out api.Result[api.Page[wishView]], err error) {
	at, err := company(c, in.CompanyID)
	if err != nil {
		return out, err
	}
	r, cached, err := c.Shop(ctx, at)
	if err != nil {
		return out, err
	}
	ids, err := sales.Wishlist(ctx, r, c.Person)
	if err != nil {
		return out, err
	}
	goods, err := catalog.CartProducts(ctx, r, ids)
	if err != nil {
		return out, err
	}
	var combos []shop.ProductID
	for id, g := range goods {
		if len(g.Set) > 0 {
			combos = append(combos, id)
		}
	}
	sets, err := load.Sets(ctx, r, combos)
	if err != nil {
		return out, err
	}
	pricer := load.NewUnitPricer(cached.Site, as.Now())
	out.Result = api.Page[wishView]{Items: []wishView{}, CurrentPage: 1} // the whole list fits on one page
	for _, id := range ids {
		g := goods[id]
		if g == nil {
			continue // deleted meanwhile, or closed by a policy
		}
		v := wishView{
			Product: id, Name: g.Name, Price: priceView{Price: g.Price, OldPrice: g.OldPrice, Currency: cached.Company.Currency},
			InStock: g.InStock(), URL: cached.Site.URL(compile.PageRef{Entity: compile.EntityProduct, ID: int64(id)}),
		}
		if tag := pricer.Unit(load.PlacementOfGood(g), g.Price); tag.Was > 0 {
			v.Price.Price, v.Price.OldPrice, v.Price.PromotionName = tag.Price, tag.Was, tag.Promotion
		}
		if o, set := sets[id]; set {
			v.Price.Price, v.Price.OldPrice, v.InStock = o.Price, o.OldPrice, o.Available == nil || *o.Available > 0
		}
		for i := range g.Variants {
			v.Variants = v.Variants || g.Variants[i].IsActive
		}
		if g.Image != "" {
			v.Image = shop.FileURL(g.Image)
		}
		out.Result.Items = append(out.Result.Items, v)
	}
	out.Result.Total = len(out.Result.Items)
	return out, nil
}

type wishPath struct {
	Product shop.ProductID `path:"product_id" json:"-"`
	ofShop
}

// shopOf returns the shop that a buyer means: the host's, the named one, or the product's.
func (as *Accounts) shopOf(ctx context.Context, c *api.Call, in wishPath) (shop.CompanyID, error) {
	at, err := c.BuyerShop(in.CompanyID)
	if err != nil || at != 0 {
		return at, err
	}
	if at, err = catalog.ProductCompany(ctx, as.Store, in.Product); err == nil && at == 0 {
		err = catalog.ErrProductNotFound
	}
	return at, err
}

// wish adds a product to the wishlist. Adding it twice changes nothing.
func (as *Accounts) wish(ctx context.Context, c *api.Call, in wishPath) (none api.None, err error) {
	at, err := as.shopOf(ctx, c, in)
	if err != nil {
		return none, err
	}
	seen, err := c.Reader(ctx, at)
	if err != nil {
		return none, err
	}
	return none, as.Store.Write(ctx, at, func(tx *store.Tx) error {
		known, err := sales.AddToWishlist(ctx, tx.Hiding(seen), c.Person, []shop.ProductID{in.Product})
		if err == nil && known == 0 {
			err = catalog.ErrProductNotFound
		}
		return err
	})
}

func (as *Accounts) unwish(ctx context.Context, c *api.Call, in wishPath) (none api.None, err error) {
	at, err := as.shopOf(ctx, c, in)
	if errors.Is(err, catalog.ErrProductNotFound) { // an unknown product is in no wishlist
		return none, nil
	}
	if err != nil {
		return none, err
	}
	return none, as.Store.Write(ctx, at, func(tx *store.Tx) error { return sales.RemoveFromWishlist(ctx, tx, c.Person, in.Product) })
}

type mergeRequest struct {
	CompanyID shop.CompanyID   `json:"company_id"`
	Products  []shop.ProductID `json:"product_ids" max:"100"`
}

func (as *Accounts) mergeWishes(ctx context.Context, c *api.Call, in mergeRequest) (out api.Result[api.Page[wishView]], err error) {
	at, err := company(c, in.CompanyID)
	if err != nil {
		return out, err
	}
	seen, err := c.Reader(ctx, at)
	if err != nil {
		return out, err
	}
	err = as.Store.Write(ctx, at, func(tx *store.Tx) error {
		_, err := sales.AddToWishlist(ctx, tx.Hiding(seen), c.Person, in.Products)
		return err
	})
	if err != nil {
		return out, err
	}
	return as.wishlist(ctx, c, ofShop{at})
}
