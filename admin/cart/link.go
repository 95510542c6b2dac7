package cart

import (
	"context"

	"vitrine/admin/api"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

type linkRequest struct {
	Key string `json:"key" len:"200" refuse:"CART_LINK_INVALID"`
}

// open adds the lines of the cart of a link to the visitor's cart. The key names the merge, so that a
// second click adds nothing.
func (cs *Carts) open(ctx context.Context, c *api.Call, in linkRequest) (api.None, error) {
	cart, ok := api.ReadCartKey(api.CheckLinks(ctx, cs.Store, cs.Sealer, c.Storefront), in.Key, cs.Now())
	if !ok {
		return api.None{}, sales.ErrCartLink
	}
	return api.None{}, cs.Store.Write(ctx, c.Storefront, func(tx *store.Tx) error {
		if err := sales.LockCart(ctx, tx, c.Person); err != nil {
			return err
		}
		return sales.OpenCart(ctx, tx, cart, in.Key, c.Person)
	})
}

// refuseReminders ends the reminders of the shop to the address of a link.
func (cs *Carts) refuseReminders(ctx context.Context, c *api.Call, in linkRequest) (api.None, error) {
	recipient, ok := api.ReadRefusalKey(api.CheckLinks(ctx, cs.Store, cs.Sealer, c.Storefront), in.Key)
	if !ok {
		return api.None{}, sales.ErrCartLink
	}
	return api.None{}, cs.Store.Write(ctx, c.Storefront, func(tx *store.Tx) error { return sales.RefuseReminders(ctx, tx, recipient) })
}
