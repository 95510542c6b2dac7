package access

import (
	"context"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

func (a *Access) companies(ctx context.Context, c *api.Call, _ api.None) (api.Result[[]people.Membership], error) {
	if c.Buyer {
		return api.Wrap([]people.Membership{}), nil // storefronts must not see memberships
	}
	list, err := people.Memberships(ctx, a.store, c.Person)
	return api.Wrap(list), err
}

type chooseRequest struct {
	Company shop.CompanyID `json:"company_id" required:"always"`
}

// chooseCompany sets the main shop and returns the updated list. A shop that the person is not
// a member of gets the same response as one that does not exist.
func (a *Access) chooseCompany(ctx context.Context, c *api.Call, in chooseRequest) (api.Result[[]people.Membership], error) {
	if c.Buyer {
		return api.Result[[]people.Membership]{}, api.ErrRole.With("choose the shop at the address of the admin API")
	}
	found, err := people.SetMainCompany(ctx, a.store, c.Person, in.Company)
	if err == nil && !found {
		err = ErrNotYourCompany.At("company_id").With("you are not a member of this shop")
	}
	if err != nil {
		return api.Result[[]people.Membership]{}, err
	}
	return a.companies(ctx, c, api.None{})
}
