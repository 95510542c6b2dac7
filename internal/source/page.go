package source

import (
	"context"
	"errors"

	"vitrine/compile"
	"vitrine/compile/markup"
	"vitrine/internal/compose"
	"vitrine/internal/shop"
	formdb "vitrine/internal/store/form"
	"vitrine/render"
)

// Content implements edge.Source.
func (s *Source) Content(ctx context.Context, site *compile.Site, want render.PageRequest) (render.Content, error) {
	id := site.Shop().ID
	var c render.Content
	err := s.page(ctx, id, want, func(ctx context.Context) (err error) {
		c, err = compose.Page(ctx, s.store, site, want, s.now())
		return err
	})
	return c, notFound(err)
}

// page runs a read for a page: at the replica, unless it is the frame of a zone or drawn for one
// visitor.
func (s *Source) page(ctx context.Context, id shop.CompanyID, want render.PageRequest, read func(context.Context) error) error {
	ctx = s.in(ctx, id)
	if want.Kind == render.WantZone || want.Zone != "" || want.Opened != "" {
		return read(ctx)
	}
	missing := func(err error) bool { return errors.Is(notFound(err), shop.ErrNotFound) }
	return s.store.Anywhere(ctx, id, missing, read)
}

// Bindings implements edge.Source.
func (s *Source) Bindings(ctx context.Context, site *compile.Site, want render.PageRequest, needs markup.Needs) (*markup.Data, []shop.Key, error) {
	id := site.Shop().ID
	var data *markup.Data
	var keys []shop.Key
	err := s.page(ctx, id, want, func(ctx context.Context) (err error) {
		data, keys, err = compose.Bindings(ctx, s.store.Shop(id), site, want, needs, s.now())
		return err
	})
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
