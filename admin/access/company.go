package access

import (
	"context"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

func (a *Access) companies(ctx context.Context, c *api.Call, _ api.None) (api.Result[[]store.Membership], error) {
	if c.Buyer {
		return api.Wrap([]store.Membership{}), nil // none of a storefront's business
	}
	list, err := a.store.Memberships(ctx, c.Person)
	return api.Wrap(list), err
}

type chooseRequest struct {
	Company shop.CompanyID `json:"company_id"`
}

// chooseCompany answers the list as it is then. A shop that the person is no
// member of and one that does not exist answer alike.
func (a *Access) chooseCompany(ctx context.Context, c *api.Call, in chooseRequest) (api.Result[[]store.Membership], error) {
	if c.Buyer {
		return api.Result[[]store.Membership]{}, api.ErrRole.With("choose it at the address of the admin API")
	}
	found, err := a.store.SetMainCompany(ctx, c.Person, in.Company)
	if err == nil && !found {
		err = ErrNotYourCompany.At("company_id").With("you are no member of this shop")
	}
	if err != nil {
		return api.Result[[]store.Membership]{}, err
	}
	return a.companies(ctx, c, api.None{})
}
