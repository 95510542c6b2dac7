package oauth

import (
	"context"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// ErrGrantNotFound refuses the id of a grant that the person did not make.
var ErrGrantNotFound = shop.Refuse(shop.NotFound, "GRANT_NOT_FOUND").When("you made no grant with this id, or it has ended")

// Endpoints returns the endpoint table of this package.
func (o *OAuth) Endpoints() []api.Endpoint {
	return []api.Endpoint{
		{Method: "GET", Path: "/v1/account/grants", Contour: api.LiveOnly, Auth: api.SessionOnly, Class: api.Read, Errors: api.Refuses(api.ErrRole), Do: api.Handle(o.grants), Summary: "The programs that the person lets act for them, in all shops, newest first"},
		{Method: "DELETE", Path: "/v1/account/grants/{id}", Contour: api.LiveOnly, Auth: api.SessionOnly, Class: api.Write, Errors: api.Refuses(ErrGrantNotFound, api.ErrRole), Do: api.Handle(o.endGrant), Summary: "End a grant; all of its tokens become invalid at once"},
	}
}

// errBuyer refuses sessions of shops' hosts, whose scripts must not see what programs a person uses.
var errBuyer = api.ErrRole.With("grants are listed at the address of the admin API")

func (o *OAuth) grants(ctx context.Context, c *api.Call, _ api.None) (api.Result[[]people.Grant], error) {
	if c.Buyer {
		return api.Result[[]people.Grant]{}, errBuyer
	}
	list, err := people.Grants(ctx, o.Store, c.Person, o.Now())
	return api.Wrap(list), err
}

type grantPath struct {
	ID shop.KeyID `path:"id" json:"-"`
}

func (o *OAuth) endGrant(ctx context.Context, c *api.Call, in grantPath) (api.None, error) {
	if c.Buyer {
		return api.None{}, errBuyer
	}
	list, err := people.Grants(ctx, o.Store, c.Person, o.Now())
	if err != nil {
		return api.None{}, err
	}
	for _, g := range list {
		if g.ID != in.ID {
			continue
		}
		return api.None{}, o.Store.Write(ctx, g.Company, func(tx *store.Tx) error {
			_, err := people.RevokeKey(ctx, tx, c.Person, in.ID, o.Now())
			return err
		})
	}
	return api.None{}, ErrGrantNotFound
}
