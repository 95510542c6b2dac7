package policy

import (
	"context"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	policydb "vitrine/internal/store/policy"
)

type policyView struct {
	ID        shop.PolicyID          `json:"id"`
	Name      string                 `json:"name"`
	Kind      shop.PolicyKind        `json:"kind"`
	Groups    []shop.CustomerGroupID `json:"group_ids"`
	Resources []resourceView         `json:"resources"`
	Title     string                 `json:"title"`
	Text      string                 `json:"text"`
	Passwords []grantView            `json:"passwords"`
	CreatedAt time.Time              `json:"created_at"`
	UpdatedAt time.Time              `json:"updated_at"`
}

// resourceView is a resource as shown to its shop.
type resourceView struct {
	resource
	Name string `json:"name"`
}

func view(p policydb.Policy) policyView {
	v := policyView{
		ID: p.ID, Name: p.Name, Kind: p.Kind, Groups: append([]shop.CustomerGroupID{}, p.Groups...), Resources: []resourceView{},
		Title: p.Title, Text: p.Text, Passwords: []grantView{}, CreatedAt: p.CreatedAt.UTC(), UpdatedAt: p.UpdatedAt.UTC(),
	}
	for _, r := range p.Resources {
		v.Resources = append(v.Resources, resourceView{resource{resourceType(r.Type), shop.Int64(r.ID)}, r.Name})
	}
	for _, g := range p.Grants {
		v.Passwords = append(v.Passwords, viewGrant(g))
	}
	return v
}

const pageSize = 20

func (ps *Policies) list(ctx context.Context, c *api.Call, in api.Paging) (out api.Result[api.Page[policyView]], err error) {
	number, limit, err := in.Page(pageSize)
	if err != nil {
		return out, err
	}
	list, total, err := policydb.List(ctx, ps.Store.Shop(c.Company), limit, (number-1)*limit)
	out = api.NewPage(list, view, total, number)
	return out, err
}

type pathRequest struct {
	ID shop.PolicyID `path:"id" json:"-"`
}

func (ps *Policies) read(ctx context.Context, c *api.Call, in pathRequest) (api.Result[policyView], error) {
	p, err := policydb.Get(ctx, ps.Store.Shop(c.Company), in.ID)
	return api.Wrap(view(p)), err
}

type createRequest struct{ item }

func (ps *Policies) create(ctx context.Context, c *api.Call, in createRequest) (api.Result[policyView], error) {
	return ps.save(ctx, c, func(*store.Tx) (policydb.Policy, error) { return policydb.Policy{}, nil }, in.item)
}

type changeRequest struct {
	pathRequest
	api.Basis
	item
}

func (ps *Policies) change(ctx context.Context, c *api.Call, in changeRequest) (api.Result[policyView], error) {
	return ps.save(ctx, c, func(tx *store.Tx) (policydb.Policy, error) { return policydb.Lock(ctx, tx, in.ID) }, in.item)
}

// save applies the sent fields to a policy. The rules for all policies together are checked
// against the resulting state.
func (ps *Policies) save(
	ctx context.Context, c *api.Call, of func(*store.Tx) (policydb.Policy, error), in item,
) (out api.Result[policyView], err error) {
	err = ps.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		if err := tx.LockPolicies(ctx); err != nil {
			return err
		}
		p, err := of(tx)
		if err != nil {
			return err
		}
		if err := tx.CheckBasis(p.UpdatedAt); err != nil {
			return err
		}
		if err := in.apply(&p); err != nil {
			return err
		}
		if err := checkExists(ctx, tx.Reader, p); err != nil {
			return err
		}
		if p, err = policydb.Save(ctx, tx, p); err != nil {
			return err
		}
		out = api.Wrap(view(p))
		return ps.checkAll(ctx, tx.Reader)
	})
	return out, err
}

func (ps *Policies) remove(ctx context.Context, c *api.Call, in pathRequest) (none api.None, err error) {
	return none, ps.Store.Write(ctx, c.Company, func(tx *store.Tx) error { return policydb.Delete(ctx, tx, in.ID) })
}
