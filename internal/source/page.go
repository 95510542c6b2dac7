package source

import (
	"context"

	"vitrine/compile"
	"vitrine/compile/markup"
	"vitrine/internal/compose"
	"vitrine/internal/shop"
	formdb "vitrine/internal/store/form"
	"vitrine/render"
)

// Content implements edge.Source.
func (s *Source) Content(ctx context.Context, site *compile.Site, want render.PageRequest) (render.Content, error) {
	c, err := compose.Page(s.in(ctx, site.Shop().ID), s.store, site, want, s.now())
	return c, notFound(err)
}

// Bindings implements edge.Source.
func (s *Source) Bindings(ctx context.Context, site *compile.Site, want render.PageRequest, needs markup.Needs) (*markup.Data, []shop.Key, error) {
	id := site.Shop().ID
	data, keys, err := compose.Bindings(s.in(ctx, id), s.store.Shop(id), site, want, needs, s.now())
	return data, keys, notFound(err)
}

// Form implements edge.Source. Forms have no draft, so the context stays live.
func (s *Source) Form(ctx context.Context, company shop.CompanyID, id shop.FormID) (render.Form, error) {
	row, err := formdb.Get(ctx, s.store.Shop(company), id)
	if err != nil {
		return render.Form{}, notFound(err)
	}
	return compose.Form(row)
}
