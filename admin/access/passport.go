package access

import (
	"context"
	"slices"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	companydb "vitrine/internal/store/company"
)

// Passport describes what a key may actually do (document 1, 2.1).
type Passport struct {
	Contour              shop.Contour      `json:"contour"`
	WritesToLive         bool              `json:"writes_to_live"`
	Store                passportStore     `json:"store"`
	Scopes               []shop.Scope      `json:"scopes"`
	Capabilities         map[string]bool   `json:"capabilities"`
	PublishAllowed       bool              `json:"publish_allowed"`
	Warnings             []string          `json:"warnings"`
	Guides               map[string]string `json:"guides"`
	LiveOperationsDenied []string          `json:"live_operations_denied"`
	Role                 shop.Role         `json:"role"`
}

type passportStore struct {
	ID            shop.CompanyID `json:"id"`
	Name          string         `json:"name"`
	Slug          string         `json:"slug"`
	Currency      string         `json:"currency"`
	PriceDigits   int            `json:"price_digits"` // decimal digits of prices
	Timezone      string         `json:"timezone" doc:"the zone in which the shop counts days, such as Europe/Berlin"`
	StorefrontURL string         `json:"storefront_url"`
}

// guides are the pages that every key holder should read.
var guides = map[string]string{
	"start": "/docs/quickstart", "index": "/docs/index.json", "scopes": "/docs/scopes.json",
	"openapi": "/partner/openapi.json",
}

func (a *Access) passport(ctx context.Context, c *api.Call, _ api.None) (api.Result[Passport], error) {
	company, err := companydb.Info(ctx, a.store.Shop(c.Company))
	if err != nil {
		return api.Result[Passport]{}, err
	}
	p := Passport{
		Contour: c.Contour, WritesToLive: c.Contour == shop.Prod, Scopes: c.Scopes, Role: c.Role,
		Store: passportStore{
			ID: company.ID, Name: company.Name, Slug: company.Slug, Currency: company.Currency, PriceDigits: company.PriceDigits, Timezone: company.Timezone,
			StorefrontURL: a.urls.Storefront(company),
		},
		Capabilities:         a.capabilities(c.Identity),
		PublishAllowed:       c.Has("publish:write") && c.Role.CanManage(),
		Warnings:             warnings(c.Identity, company.Closed),
		Guides:               map[string]string{},
		LiveOperationsDenied: []string{},
	}
	for name, path := range guides {
		p.Guides[name] = a.urls.Admin + path
	}
	if p.Scopes == nil {
		p.Scopes = []shop.Scope{}
	}
	for _, e := range a.table {
		if e.Contour == api.RefusesDraft && c.Contour == shop.Dev {
			p.LiveOperationsDenied = append(p.LiveOperationsDenied, e.Method+" "+e.Path)
		}
	}
	return api.Wrap(p), nil
}

// capabilities reports for every scope ("catalog:read" is catalog_read) whether the caller may
// call any endpoint with it, given scope, role and contour. Documents of level 3 need three
// scopes at once (document 3, 2.3).
func (a *Access) capabilities(who api.Identity) map[string]bool {
	can := map[string]bool{"html_level3_allowed": false}
	for _, s := range shop.Scopes {
		can[capability(s.Scope)] = false
	}
	for _, e := range a.table {
		if e.Admit(who) != nil {
			continue
		}
		for _, s := range e.Scopes {
			can[capability(s)] = can[capability(s)] || who.Has(s)
		}
		if slices.Contains(e.Scopes, "catalog:read") && slices.Contains(e.Scopes, "storage:write") && e.Manage != nil {
			can["html_level3_allowed"] = true
		}
	}
	return can
}

func capability(s shop.Scope) string {
	return strings.NewReplacer(":", "_", "-", "_").Replace(string(s))
}

// writes reports whether the caller may change anything in the shop: a read-only key needs no
// warning about what it writes to.
func writes(who api.Identity) bool {
	return slices.ContainsFunc(shop.Scopes, func(s shop.ScopeInfo) bool {
		return !strings.HasSuffix(string(s.Scope), ":read") && who.Has(s.Scope)
	})
}

// warnings returns sentences that integrations should show to the owner in full.
func warnings(who api.Identity, closed bool) []string {
	list := []string{}
	switch {
	case !writes(who):
		list = append(list, "This key only reads: nothing of the shop changes through it.")
	case who.Contour == shop.Prod:
		list = append(list, "This key writes to the live storefront: every edit is visible to visitors at once.")
	default:
		list = append(list, "This key writes to the draft: nothing is visible to visitors until a person publishes it.")
	}
	if closed {
		list = append(list, "The shop is closed behind a PIN: visitors see nothing of it until it is opened.")
	}
	return list
}
