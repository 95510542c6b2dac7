package api

import (
	"context"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// inContour puts the caller's contour into the context of the handler, so that handlers are the
// same for both contours. Callers who see a shop only as visitors do read the live shop: a
// public endpoint called without its scopes shows no drafts (document 1, section 5).
func (c *Call) inContour(ctx context.Context) context.Context {
	if c.Contour != shop.Dev || c.endpoint.Contour != CallersContour || c.endpoint.Auth == Link ||
		c.endpoint.Auth == Public && c.Visitor(c.Company) {
		return ctx
	}
	return store.InDraft(ctx, c.Company)
}
