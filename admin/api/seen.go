package api

import (
	"context"

	"vitrine/internal/load"
	"vitrine/internal/origin"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// What access policies close is not there for a visitor who has not opened it
// (CONTRACT-COMMERCE, "Customers, closed resources, statistics"): his calls read a
// shop through the Reader and the Shop of their Call, which leave it out of whatever
// they read; likewise what is dated ahead, for everybody. The shop's people read all of
// it. A shop that conceals nothing is told from the row that says whether it stands
// behind a PIN, so it pays next to nothing.

// Reader reads a shop as the caller sees it.
func (c *Call) Reader(ctx context.Context, company shop.CompanyID) (store.Reader, error) {
	r := c.server.Store.Shop(company)
	held, err := c.Seen(ctx, company)
	if held != nil {
		r = r.Without(held.Site.Hidden())
	}
	return r, err
}

// Shop is a shop compiled as the caller sees it, and a reader that does: for what
// prices or names addresses, as carts do.
func (c *Call) Shop(ctx context.Context, company shop.CompanyID) (store.Reader, load.Held, error) {
	r := c.server.Store.Shop(company)
	if c.seen.fresh && c.seen.company == company {
		c.seen.fresh = false // who asks again wants it as it is then
		return r.Without(c.seen.held.Site.Hidden()), *c.seen.held, nil
	}
	held, err := c.server.Sites.Current(store.Live(ctx), r)
	if err == nil && held.Site.Conceals() && c.Visitor(company) {
		err = c.look(ctx, &held)
		r = r.Without(held.Site.Hidden())
	}
	return r, held, err
}

// Seen is the shop compiled as the caller sees it, nil where he sees all of it because
// the shop conceals nothing or is his.
func (c *Call) Seen(ctx context.Context, company shop.CompanyID) (*load.Held, error) {
	if !c.Visitor(company) {
		return nil, nil
	}
	gate, err := c.gate(ctx, company)
	if err != nil || !gate.Closes {
		return nil, err
	}
	if c.seen.held == nil {
		_, held, err := c.Shop(ctx, company)
		if err != nil {
			return nil, err
		}
		c.seen.held, c.seen.fresh = &held, true
	}
	return c.seen.held, nil
}

// sight is what a call has learnt of a shop: each call is about one.
type sight struct {
	company shop.CompanyID
	gate    *store.Gate
	held    *load.Held // as the caller sees it
	fresh   bool       // held was read for this call, and not used yet
}

// gate is what stands between visitors and a shop, read once a call. There is none in
// front of a shop that is not there.
func (c *Call) gate(ctx context.Context, company shop.CompanyID) (store.Gate, error) {
	if c.seen.gate != nil && c.seen.company == company {
		return *c.seen.gate, nil
	}
	gate, err := c.server.Store.Shop(company).Gate(ctx)
	if err == nil {
		c.seen = sight{company: company, gate: &gate}
	}
	return gate, err
}

// look makes of a compiled shop what the caller sees of it: what is open to everybody,
// what the visit through the shop's host has opened by passwords, and what the session
// opens by who it belongs to. A key opens nothing.
func (c *Call) look(ctx context.Context, held *load.Held) error {
	company, opened := held.Company.ID, shop.Opened("")
	if company == c.Storefront {
		opened = origin.Of(c.http).Opened
	}
	if c.Person != 0 && !c.ByKey() && (c.Storefront == 0 || c.Storefront == company) && held.Site.Asks() {
		known, groups, err := c.server.Store.Shop(company).CustomerGroupsOf(store.Live(ctx), c.Person)
		if err != nil {
			return err
		}
		opened = opened.With(held.Site.OpenTo(known, groups))
	}
	held.Site = held.Site.Seen(opened)
	return nil
}
