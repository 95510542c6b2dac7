package oauth

import (
	"context"
	"net/url"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/secret"
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

// grants is the ledger of members: what they granted is a key that the client has instead of them.
type grants struct{ *OAuth }

func (o grants) place(context.Context, *api.Call) (place, error) {
	if !o.Offered() {
		return place{}, shop.ErrNotFound
	}
	return place{issuer: o.URL, authorize: "/oauth/authorize", endpoints: o.URL, resources: []string{o.URL + "/mcp", o.URL}}, nil
}

func (o grants) describe(_ place, server, resource map[string]any) {
	for _, of := range []map[string]any{server, resource} {
		of["scopes_supported"] = scopeNames()
	}
	server["service_documentation"], resource["resource_documentation"] = o.URL+"/docs/agents", o.URL+"/docs/agents"
	resource["resource_name"] = "vitrine shop"
}

func (grants) scopes(asked []string) ([]shop.Scope, *fault) {
	if len(asked) == 0 {
		return shop.AgentScopes(), nil
	}
	known, unknown := shop.ParseScopes(strings.Join(asked, ","))
	if len(unknown) > 0 || len(known) == 0 || len(known) > shop.MaxScopes {
		return nil, fail("invalid_scope", "scope is a list of the scopes in /docs/scopes.json")
	}
	return known, nil
}

func (grants) admit(*api.Call, registration, *people.Client) *fault { return nil }

func (o grants) keep(ctx context.Context, _ place, client people.Client) (string, error) {
	return people.RegisterClient(ctx, o.Store, client)
}

func (o grants) client(ctx context.Context, _ place, id string) (people.Client, bool, error) {
	return people.ClientByID(ctx, o.Store, id)
}

// authenticate believes the client, which has no secret: PKCE ties its code to it.
func (grants) authenticate(_ context.Context, _ place, form url.Values) (people.Client, error) {
	return people.Client{ID: form.Get("client_id")}, nil
}

func (o grants) exchange(ctx context.Context, _ place, code []byte, proves func(people.Consent) bool) (out tokens, err error) {
	company, found, err := people.CodeCompany(ctx, o.Store, code)
	if err != nil || !found {
		return out, orGrant(err)
	}
	refused := error(nil)
	err = o.Store.Write(ctx, company, func(tx *store.Tx) error {
		if err := tx.LockMembers(ctx); err != nil {
			return err
		}
		now := o.Now()
		agreed, key, used, err := people.UseConsent(ctx, tx, code, now)
		switch {
		case err != nil:
			return err
		case !used && key != 0:
			refused = errGrant
			_, err = people.RevokeKey(ctx, tx, 0, key, now)
			return err
		case !used || !proves(agreed):
			refused = errGrant // and the code stays used
			return nil
		}
		out, refused, err = o.grant(ctx, tx, agreed, code)
		return err
	})
	if err != nil {
		return out, err
	}
	return out, refused
}

// grant stores the key of a consent with its first tokens. The role may have changed since the
// person agreed.
func (o grants) grant(ctx context.Context, tx *store.Tx, agreed people.Consent, code []byte) (out tokens, refused, err error) {
	client, found, err := people.ClientByID(ctx, o.Store, agreed.Client)
	if err != nil || !found {
		return out, errGrant, err
	}
	key := people.APIKey{
		Company: agreed.Company, Person: agreed.Person, Client: agreed.Client, Name: client.Name, Contour: agreed.Contour, Scopes: agreed.Scopes,
		CreatedAt: o.Now().UTC(),
	}
	key.ID, err = o.Grant(ctx, tx, key)
	if refusal, ok := shop.AsRefusal(err); ok && refusal.Status() < 500 {
		return out, fail("invalid_grant", refusal.Code+": "+refusal.Message()), nil
	}
	if err == nil {
		err = people.CodeBecame(ctx, tx, code, key.ID)
	}
	if err == nil {
		out, err = o.newTokens(ctx, tx, key, agreed.Resource)
	}
	return out, nil, err
}

func (o grants) newTokens(ctx context.Context, tx *store.Tx, key people.APIKey, resource string) (tokens, error) {
	now := o.Now()
	out, pair, err := newTokens(secret.Access, resource, key.Scopes, now)
	if err != nil {
		return out, err
	}
	return out, people.StoreTokens(ctx, tx, key.ID, pair, now)
}

func (o grants) refresh(ctx context.Context, _ place, token []byte, client string, agrees func(string, []shop.Scope) error) (out tokens, err error) {
	company, _, found, err := people.TokenCompany(ctx, o.Store, token)
	if err != nil || !found {
		return out, orGrant(err)
	}
	refused := error(nil)
	err = o.Store.Write(ctx, company, func(tx *store.Tx) error {
		if err := tx.LockMembers(ctx); err != nil {
			return err
		}
		now := o.Now()
		grant, used, replayed, err := people.UseRefresh(ctx, tx, token, client, now)
		switch {
		case err != nil:
			return err
		case replayed != 0:
			refused = errGrant
			_, err = people.RevokeKey(ctx, tx, 0, replayed, now)
			return err
		case !used:
			refused = errGrant
			return nil
		}
		if err := agrees(grant.Resource, grant.Key.Scopes); err != nil {
			return err
		}
		out, err = o.newTokens(ctx, tx, grant.Key, grant.Resource)
		return err
	})
	if err != nil {
		return out, err
	}
	return out, refused
}

// end does not ask which client it is: who has a token may end it.
func (o grants) end(ctx context.Context, _ place, token []byte, _ string) error {
	company, key, found, err := people.TokenCompany(ctx, o.Store, token)
	if err != nil || !found {
		return err
	}
	return o.Store.Write(ctx, company, func(tx *store.Tx) error {
		_, err := people.RevokeKey(ctx, tx, 0, key, o.Now())
		return err
	})
}
