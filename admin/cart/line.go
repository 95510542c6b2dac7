package cart

import (
	"context"
	"encoding/json"

	"vitrine/admin/api"
	"vitrine/compile/price"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/sales"
)

// Refusals of changes of a line.
var (
	errKey      = shop.ErrNotFound.With("the key of a line must have 1 to 64 characters without a slash")
	errLineGone = shop.Refuse(shop.NotFound, "CART_LINE_NOT_FOUND").When("the cart has no such line")
	errQuantity = shop.ErrInvalidRequest.At("quantity").With("must be a whole number of at least 1")
	errData     = shop.ErrInvalidRequest.At("data").With("must be an object of at most 16384 bytes")
)

// linePath names a line of the buyer's cart.
type linePath struct {
	Product   shop.ProductID `path:"product_id" json:"-"`
	Key       string         `path:"key" json:"-"`
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"the shop; default: the shop of the product"`
}

type addRequest struct {
	linePath
	Quantity *int64      `json:"quantity"` // default: 1
	Data     shop.Object `json:"data"`
}

type setRequest struct {
	linePath
	Quantity int64 `json:"quantity" required:"always"`
}

// add adds units of a product to the cart, up to 9999 per line.
func (cs *Carts) add(ctx context.Context, c *api.Call, in addRequest) (none api.None, err error) {
	line := sales.CartLine{Product: in.Product, Key: in.Key, Quantity: 1, Data: json.RawMessage(in.Data)}
	if in.Quantity != nil {
		line.Quantity = *in.Quantity
	}
	if line.Quantity < 1 {
		return none, errQuantity
	}
	if !price.ValidData(json.RawMessage(in.Data)) {
		return none, errData
	}
	company, err := cs.shopOf(ctx, c, in.linePath)
	if err != nil {
		return none, err
	}
	seen, err := c.Reader(ctx, company)
	if err != nil {
		return none, err
	}
	goods, err := catalog.CartProducts(ctx, seen, []shop.ProductID{in.Product})
	if err != nil {
		return none, err
	}
	good := goods[in.Product]
	if good == nil || !good.Published || !seen.Hidden.ListsSection(good.Category) {
		return none, load.ErrProduct
	}
	if err := load.CheckKeys(ctx, seen, []sales.CartLine{line}); err != nil {
		return none, shop.At(err, "data.variant_id")
	}
	variant := load.ChoiceOfLine(good, in.Key, json.RawMessage(in.Data)).Variant
	if left := load.Available(goods, good, variant); left != nil && *left == 0 && !good.NeedsVariant(variant) {
		return none, catalog.ErrOutOfStock.With(in.Product.String())
	}
	return none, cs.change(ctx, c, company, func(tx *store.Tx) error {
		written, err := sales.AddToCart(ctx, tx, c.Person, line)
		switch {
		case err != nil || written > 0:
			return err
		case good.NeedsVariant(variant):
			return load.ErrVariantRequired.With(in.Product.String())
		}
		return load.ErrProduct // it was deleted meanwhile
	})
}

func (cs *Carts) set(ctx context.Context, c *api.Call, in setRequest) (none api.None, err error) {
	if in.Quantity < 1 {
		return none, errQuantity
	}
	company, err := cs.shopOf(ctx, c, in.linePath)
	if err != nil {
		return none, err
	}
	return none, cs.change(ctx, c, company, func(tx *store.Tx) error {
		found, named, err := sales.SetCartQuantity(ctx, tx, c.Person, in.Product, in.Key, in.Quantity)
		switch {
		case err != nil:
			return err
		case !found:
			return errLineGone
		case !named:
			return load.ErrVariantRequired.With(in.Product.String())
		}
		return nil
	})
}

func (cs *Carts) remove(ctx context.Context, c *api.Call, in linePath) (none api.None, err error) {
	company, err := cs.shopOf(ctx, c, in)
	if err != nil {
		return none, err
	}
	return none, cs.change(ctx, c, company, func(tx *store.Tx) error { return sales.RemoveFromCart(ctx, tx, c.Person, in.Product, in.Key) })
}

// change changes the buyer's cart under its lock.
func (cs *Carts) change(ctx context.Context, c *api.Call, company shop.CompanyID, fn func(*store.Tx) error) error {
	return cs.Store.Write(ctx, company, func(tx *store.Tx) error {
		if err := sales.LockCart(ctx, tx, c.Person); err != nil {
			return err
		}
		return fn(tx)
	})
}

// shopOf returns the shop of a line: the storefront's, the named one, or that of the product.
func (cs *Carts) shopOf(ctx context.Context, c *api.Call, at linePath) (shop.CompanyID, error) {
	if !price.ValidKey(at.Key) {
		return 0, errKey
	}
	company, err := c.BuyerShop(at.CompanyID)
	if err != nil || company != 0 {
		return company, err
	}
	company, err = catalog.ProductCompany(ctx, cs.Store, at.Product)
	if err == nil && company == 0 {
		err = load.ErrProduct
	}
	return company, err
}
