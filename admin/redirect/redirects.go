// Package redirect is where old addresses of a shop lead: its redirect rules with
// their versions, the log of addresses that answered 404, moves of sections, which
// pin the addresses that they change, and former slugs (document 3, 2.6, 4.3 and 7).
//
// A redirect mutation is one transaction: the set is locked, what others have
// changed of it and of the shop since the last one is read, the new set is
// compiled and walked for loops in memory, and what has become different is
// written as one version. A dry run does the same on a snapshot, and tells on
// the addresses that visitors asked for lately what would change. An import does
// it for many lines, and leaves out those that would close a circle.
//
// Redirects and moves of sections have no draft. What a rule may say and how
// addresses match is compile/redirect, whose order the storefront walks is
// compile; rules of other systems are translated by compile/redirect/foreign.
package redirect

import (
	"reflect"

	"vitrine/admin/api"
	"vitrine/compile"
	"vitrine/compile/loop"
	"vitrine/compile/movein/header"
	"vitrine/compile/redirect"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	redirectdb "vitrine/internal/store/redirect"
)

// Config is what redirects stand on.
type Config struct {
	Store *store.Store
	Hosts shop.Storefronts // the addresses of shops

	// Sites are the shops that the writers of one process keep compiled.
	Sites *load.Sites
}

// Redirects answers the endpoints of this package.
type Redirects struct {
	store    *store.Store
	hosts    shop.Storefronts
	sites    *load.Sites
	compiled compiledSets
	open     compiledSets // those of shops that close something, as strangers see them
}

// New begins without compiled sets: each is made when a storefront asks for it.
func New(cfg Config) *Redirects {
	return &Redirects{store: cfg.Store, hosts: cfg.Hosts, sites: cfg.Sites}
}

// The scopes of redirects; a move of a section changes the catalogue.
var (
	reads  = []shop.Scope{"redirects:read"}
	writes = []shop.Scope{"redirects:write"}
	moves  = []shop.Scope{"catalog:write"}
)

// What mutations may refuse, for the rows of the table.
var (
	// walkErrors is what following every rule to its end may find.
	walkErrors = api.Refuses(loop.ErrLoop, loop.ErrChainTooLong)
	ruleErrors = walkErrors.And(
		redirect.ErrInvalidSource, redirect.ErrInvalidQuery, redirect.ErrInvalidTarget, redirect.ErrExternalNotAllowed,
		compile.ErrReservedPath, redirectdb.ErrRuleDuplicate, errRuleLimit, errMaskLimit, errRuleCeiling, errMaskCeiling)
	// A rollback brings back rules that were in the set, so they are rules.
	rollbackErrors = walkErrors.And(
		redirectdb.ErrRuleVersionNotFound, compile.ErrReservedPath, errRuleLimit, errMaskLimit, errRuleCeiling, errMaskCeiling)
	moveErrors = ruleErrors.And(
		errMoveType, errPinScope, errRulesForbidden, catalog.ErrCategoryNotFound, catalog.ErrCategoryCycle,
		catalog.ErrCategoryTooDeep, shop.ErrSlugTaken,
	)
)

// Endpoints is the table of this slice.
func (rs *Redirects) Endpoints() []api.Endpoint {
	role := errRulesForbidden.With("redirect rules are for owners and admins")
	compiled := api.Handle(rs.ruleSet)
	compiled.Out = reflect.TypeFor[api.Result[compiledSet]]()
	return []api.Endpoint{
		{Method: "GET", Path: "/storefront-redirects", Contour: api.LiveOnly, Scopes: reads, Manage: role, Class: api.Read, Do: api.Handle(rs.rules), Summary: "The redirect set in matching order, with its limits"},
		{Method: "POST", Path: "/storefront-redirects", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Class: api.Write, Errors: ruleErrors, Do: api.Handle(rs.createRule), Summary: "Create a redirect rule; enabled defaults to false"},
		{Method: "PUT", Path: "/storefront-redirects/{id}", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Class: api.Write, Errors: ruleErrors.And(redirectdb.ErrRuleNotFound), Do: api.Handle(rs.updateRule), Summary: "Replace a redirect rule whole"},
		{Method: "DELETE", Path: "/storefront-redirects", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Class: api.Write, Errors: walkErrors.And(redirectdb.ErrRuleNotFound), Do: api.Handle(rs.deleteRules), Summary: "Delete redirect rules, all or none"},
		{Method: "PUT", Path: "/storefront-redirects/order", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Class: api.Write, Errors: walkErrors.And(redirectdb.ErrRuleNotFound), Do: api.Handle(rs.orderRules), Summary: "Put all redirect rules in a new order"},
		{Method: "GET", Path: "/storefront-redirects/check", Contour: api.LiveOnly, Scopes: reads, Manage: role, Class: api.Read, Do: api.Handle(rs.checkAddress), Summary: "What an address of the shop answers, step by step"},
		{Method: "POST", Path: "/storefront-redirects/import", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Class: api.Write, MaxBody: 8 << 20, Errors: api.Refuses(redirect.ErrImportTooLarge, header.ErrForeign), Do: api.Handle(rs.importRules), Summary: "Create and update redirect rules from CSV, line by line"},
		{Method: "GET", Path: "/storefront-redirects/export", Contour: api.LiveOnly, Scopes: reads, Manage: role, Class: api.Read, Produces: []string{"text/csv"}, Do: api.Handle(rs.exportRules), Summary: "The redirect set as the CSV that the import reads"},
		{Method: "PUT", Path: "/storefront-redirects/settings", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Class: api.Write, Errors: walkErrors, Do: api.Handle(rs.setFallback), Summary: "Switch the fallback to the nearest section"},
		{Method: "GET", Path: "/storefront-redirects/versions", Contour: api.LiveOnly, Scopes: reads, Manage: role, Class: api.Read, Do: api.Handle(rs.rulesVersions), Summary: "Versions of the redirect set, newest first, with who made them"},
		{Method: "GET", Path: "/storefront-redirects/versions/{version}", Contour: api.LiveOnly, Scopes: reads, Manage: role, Class: api.Read, Errors: api.Refuses(redirectdb.ErrRuleVersionNotFound), Do: api.Handle(rs.rulesVersion), Summary: "What one version of the redirect set added, removed and changed"},
		{Method: "POST", Path: "/storefront-redirects/rollback", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Class: api.Write, Errors: rollbackErrors, Do: api.Handle(rs.rollbackRules), Summary: "Make the redirect set what it was at a version, as a new version"},
		{Method: "GET", Path: "/storefront-redirects/misses", Contour: api.LiveOnly, Scopes: reads, Manage: role, Class: api.Read, Do: api.Handle(rs.misses), Summary: "A page of the log of addresses that answered 404, most visited first"},
		{Method: "POST", Path: "/storefront-redirects/misses/hide", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Class: api.Write, Do: api.Handle(rs.hideMisses), Summary: "Hide addresses of the 404 log, or show them again"},
		{Method: "POST", Path: "/categories/move", Scopes: moves, Contour: api.RefusesDraft, Class: api.Write, Errors: moveErrors, Do: api.Handle(rs.moveCategory), Summary: "Move a section with all below it; old addresses keep working"},
		{Method: "GET", Path: "/storefront/redirects", Contour: api.LiveOnly, Auth: api.Public, Class: api.Read, Cached: true, Errors: api.Refuses(api.ErrNoCompany, store.ErrShopNotFound), Do: compiled, Summary: "The enabled redirect rules of a shop as its storefront compares them"},
		{Method: "GET", Path: "/slug-redirects/resolve", Auth: api.Public, Class: api.Read, Errors: api.Refuses(api.ErrNoCompany, store.ErrShopNotFound, redirectdb.ErrRuleNotFound), Do: api.Handle(rs.resolveSlug), Summary: "What once had a slug, and the slug it has now"},
	}
}
