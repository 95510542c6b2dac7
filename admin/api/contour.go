package api

import (
	"context"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// inContour puts the contour of the caller into the context that the handler
// works in, so that handlers are the same for both. Whoever sees of a shop only
// what everybody sees, sees the live one: a public row without its scopes shows
// no drafts (document 1, section 5).
func (c *Call) inContour(ctx context.Context) context.Context {
	if c.Contour != shop.Dev || c.endpoint.Contour != CallersContour || c.endpoint.Auth == Link ||
		c.endpoint.Auth == Public && c.Visitor(c.Company) {
		return ctx
	}
	return store.InDraft(ctx, c.Company)
}
