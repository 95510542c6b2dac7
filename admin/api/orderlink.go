package api

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// The letters of an order link to its page with a key, so that who ordered as a guest
// needs neither the browser of then nor an account. The key opens this order alone: to
// read it, to pay it and to write about it, until 90 days after its last change.

// orderLinkLife is how long a link works after the last change of its order.
const orderLinkLife = 90 * 24 * time.Hour

// OrderKey is the key in the link of an order.
func OrderKey(s *secret.Sealer, company shop.CompanyID, order shop.OrderID) string {
	return s.Mark(fmt.Sprintf("order %d %d", company, order))
}

// OrderLink is the part of a request by which such a link comes.
type OrderLink struct {
	Key string `query:"key" json:"-" doc:"from the link of a letter: stands in for the session of the buyer"`
}

// Linked is the order that a link opens; found is false where it opens none.
func (c *Call) Linked(ctx context.Context, id shop.OrderID, link OrderLink) (o store.Order, found bool, err error) {
	if link.Key == "" {
		return o, false, nil
	}
	shops, err := c.server.Store.ShopsWithOrder(ctx, id)
	if err != nil {
		return o, false, err
	}
	for _, company := range shops {
		if c.Storefront != 0 && c.Storefront != company || !secret.Equal([]byte(link.Key), []byte(OrderKey(c.server.Sealer, company, id))) {
			continue
		}
		o, err := c.server.Store.Shop(company).Order(ctx, id)
		if errors.Is(err, store.ErrOrderNotFound) {
			continue
		}
		return o, err == nil && c.server.Now().Sub(o.UpdatedAt) <= orderLinkLife, err
	}
	return o, false, nil
}
