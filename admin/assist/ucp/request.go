package ucp

import (
	"context"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/budget"
	"vitrine/internal/load"
	"vitrine/internal/store"
)

const (
	maxBody = 256 << 10 // bytes
	// readTime limits operations that only read, like those of visitors.
	readTime = 5 * time.Second
)

// request is a call of an operation, by REST or MCP.
type request struct {
	ucp      *UCP
	call     *api.Call
	op       *operation
	shop     *load.CachedShop // as a visitor sees it
	reader   store.Reader     // likewise
	platform *Platform
	shared   []capability // that the shop and the platform have
	body     []byte       // JSON; nil: none
	ignored  string       // fields of the body that nothing read
}

// identified is what a call says about the platform that makes it.
type identified struct {
	profile string // its address
	err     error  // there is none
}

// perform carries out a call. What it returns is an answer; an outcome or a fault as error.
func (u *UCP) perform(ctx context.Context, c *api.Call, op *operation, by identified, body []byte) (any, error) {
	if err := c.CountForNetworkAs(op.Class); err != nil {
		return nil, err
	}
	r := &request{ucp: u, call: c, op: op, body: body}
	if err := u.identify(ctx, r, by); err != nil {
		return nil, err
	}
	leave, err := c.EnterShop(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	if r.shared = shared(r.offered(), r.platform.Capabilities); !has(r.shared, op.Needs) {
		return nil, fail("capabilities_incompatible", "the profile of the platform and this shop have no version of "+op.Needs+" in common")
	}
	return op.do(ctx, r)
}

// identify reads the profile of the platform and counts the call for it.
func (u *UCP) identify(ctx context.Context, r *request, by identified) (err error) {
	if by.err != nil {
		return by.err
	}
	if r.platform, err = u.profiles.Get(ctx, by.profile); err != nil {
		return err
	}
	if _, wait := u.calls[r.op.Class].Take(caller{r.call.Storefront, by.profile}); wait > 0 {
		return errLimited.after(budget.Seconds(wait), "too many calls of this platform")
	}
	return nil
}

// open reads the shop as a visitor sees it. A shop that nobody can enter has nothing for platforms either.
func (r *request) open(ctx context.Context) error {
	reader, cached, err := r.call.Shop(ctx, r.call.Storefront)
	if err != nil {
		return err
	}
	if !sells(&cached) {
		return errNoShop.with("there is nothing for assistants here")
	}
	r.reader, r.shop = reader, &cached
	return nil
}

// sells reports whether a shop is open to assistants.
func sells(cached *load.CachedShop) bool { return !cached.Company.Closed && !cached.Company.Blocked }

// offered returns the capabilities of the shop.
func (r *request) offered() []capability { return capabilities }

// meta returns the protocol's part of an answer.
func (r *request) meta() Meta {
	return Meta{Version: Version, Status: "success", Capabilities: within(r.shared, r.op.Needs)}
}
