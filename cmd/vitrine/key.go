package main

import (
	"cmp"
	"context"
	"strings"
	"time"

	"vitrine/admin/access"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/people"
)

type keyIssueCmd struct {
	Shop     string       `required:"" help:"Slug of the shop."`
	Contour  shop.Contour `help:"prod or dev; by default prod, for an agent dev."`
	Scopes   string       `help:"all, or a list such as catalog:read,catalog:write; required unless the key is for an agent."`
	Role     shop.Role    `default:"owner" help:"Role of the person behind the key."`
	Name     string       `help:"By default \"command line\", for an agent \"agent\"."`
	ForAgent bool         `help:"A key for an agent: the draft contour, scopes to read and edit without personal data and without publishing, and what to paste into the agent's settings."`
}

// Run issues the key to the earliest member with the role. If the role has no member yet, it
// creates one that cannot sign in.
func (c *keyIssueCmd) Run(ctx context.Context, s *Settings) error {
	return operate(ctx, s, func(o *operator) (any, error) {
		company, err := companydb.CompanyBySlug(ctx, o.db.Store, c.Shop)
		if err != nil {
			return nil, err
		}
		if !c.Role.Known() {
			return nil, access.ErrRoleUnknown.With("owner, admin or editor")
		}
		request, err := c.request()
		if err != nil {
			return nil, err
		}
		person, err := o.personOf(ctx, company, c.Role)
		if err != nil {
			return nil, err
		}
		token, key, err := o.access.IssueKey(ctx, company.ID, person, request)
		answer := issuedKey{Key: token, Scopes: key.Scopes, Contour: key.Contour}
		if c.ForAgent {
			answer.Connect = connectionOf(company.Slug, s.adminURL(), token)
		}
		return answer, err
	})
}

// request returns the key that the flags ask for.
func (c *keyIssueCmd) request() (in access.KeyRequest, err error) {
	in = access.KeyRequest{Name: cmp.Or(c.Name, "command line"), Contour: cmp.Or(c.Contour, shop.Prod)}
	if c.ForAgent {
		in = access.KeyRequest{Name: cmp.Or(c.Name, "agent"), Contour: cmp.Or(c.Contour, shop.Dev), Scopes: shop.AgentScopes()}
	}
	switch {
	case c.Scopes == "" && !c.ForAgent:
		return in, access.ErrScopeUnknown.With("missing flags: --scopes=all or a list; --for-agent chooses them")
	case c.Scopes == "":
		return in, nil
	}
	scopes, unknown := shop.ParseScopes(c.Scopes)
	if len(unknown) > 0 {
		return in, access.ErrScopeUnknown.With(strings.Join(unknown, ", "))
	}
	if in.Scopes = scopes; c.Scopes == "all" && !c.Role.CanManage() {
		in.Scopes = withoutSensitive(scopes)
	}
	return in, nil
}

type issuedKey struct {
	Key     string       `json:"key"`
	Scopes  []shop.Scope `json:"scopes"`
	Contour shop.Contour `json:"contour"`
	Connect *connection  `json:"connect,omitempty"`
}

// connection is what programs with agents read from their settings.
type connection struct {
	Servers map[string]agentServer `json:"mcpServers"`
}

type agentServer struct {
	Type    string            `json:"type"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
}

func connectionOf(slug, adminURL, key string) *connection {
	return &connection{map[string]agentServer{
		"vitrine-" + slug: {Type: "http", URL: adminURL + "/mcp", Headers: map[string]string{"Authorization": "Bearer " + key}},
	}}
}

type keyListCmd struct {
	Shop string `required:"" help:"Slug of the shop."`
}

// Run prints the shop's live keys, without their secrets.
func (c *keyListCmd) Run(ctx context.Context, s *Settings) error {
	return operate(ctx, s, func(o *operator) (any, error) {
		company, err := companydb.CompanyBySlug(ctx, o.db.Store, c.Shop)
		if err != nil {
			return nil, err
		}
		keys, err := people.ActiveKeys(ctx, o.db.Shop(company.ID), time.Now())
		return map[string]any{"company_id": company.ID, "keys": keys}, err
	})
}

type keyRevokeCmd struct {
	Shop string     `required:"" help:"Slug of the shop."`
	ID   shop.KeyID `arg:"" help:"The id shown by key list."`
}

// Run revokes the key immediately.
func (c *keyRevokeCmd) Run(ctx context.Context, s *Settings) error {
	return operate(ctx, s, func(o *operator) (any, error) {
		found := false
		company, err := o.change(ctx, c.Shop, func(tx *store.Tx) (err error) {
			found, err = people.RevokeKey(ctx, tx, 0, c.ID, time.Now())
			return err
		})
		if err == nil && !found {
			err = access.ErrKeyNotFound
		}
		return map[string]any{"company_id": company.ID, "id": c.ID, "revoked": found}, err
	})
}
