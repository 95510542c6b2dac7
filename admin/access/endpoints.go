package access

import (
	"context"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Endpoints is the table of this slice.
func (a *Access) Endpoints() []api.Endpoint {
	return []api.Endpoint{
		{Method: "POST", Path: "/v1/auth/register", Auth: api.Link, Do: api.Handle(a.register), Summary: "Register a person and open a session"},
		{Method: "POST", Path: "/v1/auth/login", Auth: api.Link, Do: api.Handle(a.login), Summary: "Open a session"},
		{Method: "POST", Path: "/v1/auth/logout", Auth: api.Link, Do: api.Handle(a.logout), Summary: "End the session"},
		{Method: "GET", Path: "/v1/auth/me", Auth: api.SessionOnly, Class: api.Read, Do: api.Handle(a.me), Summary: "The person of the session"},
		{Method: "GET", Path: "/v1/account/token", Class: api.Read, Do: api.Handle(a.passport), Summary: "The passport of the key: contour, shop, scopes and what they allow"},
		{Method: "GET", Path: "/v1/account/tokens", Auth: api.SessionOnly, Class: api.Read, Do: api.Handle(a.keys), Summary: "The person's keys, without their secrets"},
		{Method: "POST", Path: "/v1/account/tokens", Auth: api.SessionOnly, Class: api.Write, Do: api.Handle(a.issue), Summary: "Issue a key; its secret is shown once"},
		{Method: "DELETE", Path: "/v1/account/tokens/{id}", Auth: api.SessionOnly, Class: api.Write, Do: api.Handle(a.revoke), Summary: "Revoke a key at once"},
		{Method: "GET", Path: "/v1/orgs/current", Class: api.Read, Do: api.Handle(a.org), Summary: "The shop of the caller"},
		{Method: "GET", Path: "/audit", Scopes: []shop.Scope{"access:read"}, Class: api.Read, Do: api.Handle(a.audit), Summary: "Who changed what with which key, newest first, for 90 days"},
		{Method: "GET", Path: "/tariff/usage", Class: api.Read, Do: api.Handle(a.usage), Summary: "Plan limits and what is used of them, for the whole shop"},
	}
}

// SetTable takes the whole table once all slices are known, so that the passport
// can say what a key gets through to.
func (a *Access) SetTable(all []api.Endpoint) { a.table = all }

func (a *Access) keys(ctx context.Context, c *api.Call, _ api.None) (api.Result[[]store.Key], error) {
	list, err := a.store.Shop(c.Company).Keys(ctx, c.Person)
	for i := range list {
		list[i].CreatedAt = list[i].CreatedAt.UTC()
		if used := list[i].LastUsedAt; used != nil {
			*used = used.UTC()
		}
	}
	return api.Wrap(list), err
}

type issued struct {
	Key       string       `json:"key"`
	ID        shop.KeyID   `json:"id"`
	Name      string       `json:"name"`
	Contour   shop.Contour `json:"contour"`
	Scopes    []shop.Scope `json:"scopes"`
	CreatedAt time.Time    `json:"created_at"`
}

func (a *Access) issue(ctx context.Context, c *api.Call, in KeyRequest) (api.Result[issued], error) {
	if !c.Role.Known() {
		return api.Result[issued]{}, api.ErrRole.With("you are no member of a shop")
	}
	secret, key, err := a.IssueKey(ctx, c.Company, c.Person, c.Role, in)
	return api.Wrap(issued{Key: secret, ID: key.ID, Name: key.Name, Contour: key.Contour, Scopes: key.Scopes, CreatedAt: key.CreatedAt}), err
}

type keyPath struct {
	ID shop.KeyID `path:"id" json:"-"`
}

func (a *Access) revoke(ctx context.Context, c *api.Call, in keyPath) (api.None, error) {
	return api.None{}, a.store.Write(ctx, c.Company, func(tx *store.Tx) error {
		found, err := tx.RevokeKey(ctx, c.Person, in.ID, a.now())
		if err == nil && !found {
			return ErrKeyNotFound
		}
		return err
	})
}

type orgView struct {
	ID            shop.CompanyID `json:"id"`
	Slug          string         `json:"slug"`
	Name          string         `json:"name"`
	Currency      string         `json:"currency"`
	Domain        string         `json:"domain"`
	StorefrontURL string         `json:"storefront_url"`
	Closed        bool           `json:"closed"`
	CreatedAt     time.Time      `json:"created_at"`
}

func (a *Access) org(ctx context.Context, c *api.Call, _ api.None) (api.Result[orgView], error) {
	company, err := a.store.Shop(c.Company).Info(ctx)
	return api.Wrap(orgView{
		ID: company.ID, Slug: company.Slug, Name: company.Name, Currency: company.Currency, Domain: company.Domain,
		StorefrontURL: a.urls.Storefront(company), Closed: company.Closed, CreatedAt: company.CreatedAt.UTC(),
	}), err
}

type usageLine struct {
	Used  shop.Int64 `json:"used"`
	Limit shop.Int64 `json:"limit"` // 0: the plan does not limit
}

func (a *Access) usage(ctx context.Context, c *api.Call, _ api.None) (api.Result[map[string]usageLine], error) {
	reader := a.store.Shop(c.Company)
	company, err := reader.Info(ctx)
	if err != nil {
		return api.Result[map[string]usageLine]{}, err
	}
	used, err := reader.Usage(ctx)
	if err != nil {
		return api.Result[map[string]usageLine]{}, err
	}
	line := func(code string, n int64) usageLine {
		return usageLine{Used: shop.Int64(n), Limit: shop.Int64(company.Limits[code])}
	}
	return api.Wrap(map[string]usageLine{
		store.LimitProducts:  line(store.LimitProducts, used.Products),
		store.LimitRedirects: line(store.LimitRedirects, used.Redirects),
		store.LimitMasks:     line(store.LimitMasks, used.Masks),
		store.LimitStorage:   line(store.LimitStorage, used.Bytes),
	}), nil
}
