package api

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store/sales"
)

// Letters about an order link to its page with a key, so that a guest buyer needs neither the
// original browser nor an account. The key opens this order alone: to read it, to pay it and to
// write about it, until 90 days after its last change.

// orderLinkLife is how long a link is valid after the last change of its order.
const orderLinkLife = 90 * 24 * time.Hour

// OrderKey returns the key in the link of an order.
func OrderKey(s *secret.Sealer, company shop.CompanyID, order shop.OrderID) string {
	return LinkMAC(s, company, orderKeyOf(order))
}

func orderKeyOf(order shop.OrderID) func(shop.CompanyID) string {
	return func(company shop.CompanyID) string { return fmt.Sprintf("order %d %d", company, order) }
}

// OrderLink is the request parameter with the key of such a link.
type OrderLink struct {
	Key string `query:"key" json:"-" doc:"the key from the link in a letter, instead of a session of the buyer"`
}

// OrderOfLink returns the order that a link opens; found is false if the link is invalid.
func (c *Call) OrderOfLink(ctx context.Context, id shop.OrderID, link OrderLink) (o sales.Order, found bool, err error) {
	if link.Key == "" {
		return o, false, nil
	}
	shops, err := sales.ShopsWithOrder(ctx, c.server.Store, id)
	if err != nil {
		return o, false, err
	}
	for _, company := range shops {
		if c.Storefront != 0 && c.Storefront != company || !CheckLinks(ctx, c.server.Store, c.server.Sealer, company)(link.Key, orderKeyOf(id)) {
			continue
		}
		o, err := sales.GetOrder(ctx, c.server.Store.Shop(company), id)
		if errors.Is(err, sales.ErrOrderNotFound) {
			continue
		}
		return o, err == nil && c.server.Now().Sub(o.UpdatedAt) <= orderLinkLife, err
	}
	return o, false, nil
}
