package api

import (
	"context"

	"vitrine/internal/load"
	"vitrine/internal/origin"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/people"
)

// Things closed by access policies do not exist for a visitor who has not opened them
// (CONTRACT-COMMERCE, "Customers, closed resources, statistics"): calls of visitors read a shop
// through the Reader and the Shop of their Call, which filter them out; the same holds for
// things with a future publication date, for every visitor. The shop's people read everything.
// The gate of a shop, which also holds its PIN, reports whether it conceals anything, so shops
// that do not pay almost nothing.

// Reader returns a reader of a shop as visible to the caller.
func (c *Call) Reader(ctx context.Context, company shop.CompanyID) (store.Reader, error) {
	r := c.server.Store.Shop(company)
	cached, err := c.VisibleShop(ctx, company)
	if cached != nil {
		r = r.Hiding(cached.Site.Hidden())
	}
	return r, err
}

// Shop returns a compiled shop as visible to the caller, and a reader with the same view: for
// callers that need prices or addresses, such as carts.
func (c *Call) Shop(ctx context.Context, company shop.CompanyID) (store.Reader, load.CachedShop, error) {
	r := c.server.Store.Shop(company)
	if c.seen.fresh && c.seen.company == company {
		c.seen.fresh = false // a second call must read the current state
		return r.Hiding(c.seen.cached.Site.Hidden()), *c.seen.cached, nil
	}
	cached, err := c.server.Sites.Current(store.Live(ctx), r)
	if err == nil && cached.Site.HidesAny() && c.Visitor(company) {
		err = c.restrict(ctx, &cached)
		r = r.Hiding(cached.Site.Hidden())
	}
	return r, cached, err
}

// VisibleShop returns the compiled shop as visible to the caller, or nil if the caller sees
// everything, because the shop conceals nothing or is the caller's own.
func (c *Call) VisibleShop(ctx context.Context, company shop.CompanyID) (*load.CachedShop, error) {
	if !c.Visitor(company) {
		return nil, nil
	}
	gate, err := c.gate(ctx, company)
	if err != nil || !gate.Restricted {
		return nil, err
	}
	if c.seen.cached == nil {
		_, cached, err := c.Shop(ctx, company)
		if err != nil {
			return nil, err
		}
		c.seen.cached, c.seen.fresh = &cached, true
	}
	return c.seen.cached, nil
}

// shopView is what a call has read of a shop; each call is about one shop.
type shopView struct {
	company shop.CompanyID
	gate    *companydb.Gate
	cached  *load.CachedShop // as visible to the caller
	fresh   bool             // cached was read for this call and not used yet
}

// gate returns what keeps visitors out of a shop, read once per call. A shop that does not
// exist has none.
func (c *Call) gate(ctx context.Context, company shop.CompanyID) (companydb.Gate, error) {
	if c.seen.gate != nil && c.seen.company == company {
		return *c.seen.gate, nil
	}
	gate, err := companydb.GetGate(ctx, c.server.Store.Shop(company))
	if err == nil {
		c.seen = shopView{company: company, gate: &gate}
	}
	return gate, err
}

// restrict reduces a compiled shop to the view of the caller: what is open to everyone, what
// the visitor opened with passwords on the shop's host, and what the session's person may see
// as a customer. A key opens nothing.
func (c *Call) restrict(ctx context.Context, cached *load.CachedShop) error {
	company, opened := cached.Company.ID, shop.Unlocked("")
	if company == c.Storefront {
		opened = origin.Of(c.http).Opened
	}
	if c.Person != 0 && !c.ByKey() && (c.Storefront == 0 || c.Storefront == company) && cached.Site.HasIdentityPolicies() {
		known, groups, err := people.CustomerGroupsOf(store.Live(ctx), c.server.Store.Shop(company), c.Person)
		if err != nil {
			return err
		}
		opened = opened.With(cached.Site.OpenedBy(known, groups))
	}
	cached.Site = cached.Site.ViewFor(opened)
	return nil
}
