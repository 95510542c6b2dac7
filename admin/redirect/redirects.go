// Package redirect manages the redirects of a shop: its redirect rules with their versions, the
// log of addresses that responded with 404, moves of sections, which pin the changed URLs, and
// former slugs (document 3, 2.6, 4.3 and 7).
//
// A mutation of the rules is one transaction. It locks the set, reads what has changed in the set
// and the shop since the last mutation, compiles the new set in memory and checks it for loops,
// and writes the differences as one version. A dry run does the same on a snapshot, and reports
// how recently visited addresses would change. An import does it for many lines, and skips lines
// that would form a loop.
//
// Redirects and moves of sections have no draft. compile/redirect defines the form of rules and
// how addresses match; compile defines the order in which the storefront applies them;
// compile/redirect/foreign translates the rules of other systems.
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

// Config holds the dependencies of Redirects.
type Config struct {
	Store *store.Store
	Hosts shop.Storefronts // the addresses of shops

	// Sites are the compiled shops kept by a process.
	Sites *load.Sites
}

// Redirects serves the endpoints of this package.
type Redirects struct {
	store    *store.Store
	hosts    shop.Storefronts
	sites    *load.Sites
	compiled compiledSets
	open     compiledSets // of shops with closed resources, as visible without access
}

// New returns Redirects without compiled sets; each is compiled when a storefront requests it.
func New(cfg Config) *Redirects {
	return &Redirects{store: cfg.Store, hosts: cfg.Hosts, sites: cfg.Sites}
}

// The scopes of redirects; moving a section changes the catalogue.
var (
	reads  = []shop.Scope{"redirects:read"}
	writes = []shop.Scope{"redirects:write"}
	moves  = []shop.Scope{"catalog:write"}
)

// Errors of mutations, for the endpoint table.
var (
	// walkErrors are the errors found by following every rule to its end.
	walkErrors = api.Refuses(loop.ErrLoop, loop.ErrChainTooLong)
	ruleErrors = walkErrors.And(
		redirect.ErrInvalidSource, redirect.ErrInvalidQuery, redirect.ErrInvalidTarget, redirect.ErrExternalNotAllowed,
		compile.ErrReservedPath, redirectdb.ErrRuleDuplicate, errRuleLimit, errMaskLimit, errRuleCeiling, errMaskCeiling)
	// A rollback restores rules that were valid before, so rule errors are not needed.
	rollbackErrors = walkErrors.And(
		redirectdb.ErrRuleVersionNotFound, compile.ErrReservedPath, errRuleLimit, errMaskLimit, errRuleCeiling, errMaskCeiling)
	moveErrors = ruleErrors.And(
		errMoveType, errPinScope, errRulesForbidden, redirectdb.ErrRuleVersionNotFound, catalog.ErrCategoryNotFound, catalog.ErrCategoryCycle,
		catalog.ErrCategoryTooDeep, shop.ErrSlugTaken,
	)
)

// Endpoints lists the endpoints of this package.
func (rs *Redirects) Endpoints() []api.Endpoint {
	role := errRulesForbidden.With("only owners and admins manage redirect rules")
	compiled := api.Handle(rs.ruleSet)
	compiled.Out = reflect.TypeFor[api.Result[compiledSet]]()
	return []api.Endpoint{
		{Method: "GET", Path: "/storefront-redirects", Contour: api.LiveOnly, Scopes: reads, Manage: role, Class: api.Read, Do: api.Handle(rs.rules), Summary: "The redirect set in matching order, with its limits"},
		{Method: "POST", Path: "/storefront-redirects", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Class: api.Write, Errors: ruleErrors, Undo: "POST /storefront-redirects/rollback restores the set of an earlier version.", Do: api.Handle(rs.createRule), Summary: "Create a redirect rule; enabled defaults to false"},
		{Method: "GET", Path: "/storefront-redirects/{id}", Contour: api.LiveOnly, Scopes: reads, Manage: role, Class: api.Read, Errors: api.Refuses(redirectdb.ErrRuleNotFound), Do: api.Handle(rs.rule), Summary: "One redirect rule"},
		{Method: "PUT", Path: "/storefront-redirects/{id}", Edits: "/storefront-redirects/{id}", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Class: api.Write, Errors: ruleErrors.And(redirectdb.ErrRuleNotFound), Undo: "POST /storefront-redirects/rollback restores the set of an earlier version.", Do: api.Handle(rs.updateRule), Summary: "Replace a redirect rule completely"},
		{Method: "DELETE", Path: "/storefront-redirects", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Class: api.Write, Errors: walkErrors.And(redirectdb.ErrRuleNotFound), Undo: "POST /storefront-redirects/rollback restores the set of an earlier version.", Do: api.Handle(rs.deleteRules), Summary: "Delete redirect rules, all or none"},
		{Method: "PUT", Path: "/storefront-redirects/order", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Class: api.Write, Errors: walkErrors.And(redirectdb.ErrRuleNotFound), Undo: "POST /storefront-redirects/rollback restores the set of an earlier version.", Do: api.Handle(rs.orderRules), Summary: "Reorder all redirect rules"},
		{Method: "GET", Path: "/storefront-redirects/check", Contour: api.LiveOnly, Scopes: reads, Manage: role, Class: api.Read, Do: api.Handle(rs.checkAddress), Summary: "Trace the response to an address of the shop, step by step"},
		{Method: "POST", Path: "/storefront-redirects/import", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Class: api.Write, MaxBody: 8 << 20, Errors: api.Refuses(redirect.ErrImportTooLarge, header.ErrForeign), Do: api.Handle(rs.importRules), Summary: "Create and update redirect rules from CSV, line by line"},
		{Method: "GET", Path: "/storefront-redirects/export", Contour: api.LiveOnly, Scopes: reads, Manage: role, Class: api.Read, Produces: []string{"text/csv"}, Do: api.Handle(rs.exportRules), Summary: "The redirect set as CSV in the import format"},
		{Method: "GET", Path: "/storefront-redirects/settings", Contour: api.LiveOnly, Scopes: reads, Manage: role, Class: api.Read, Do: api.Handle(rs.settings), Summary: "Whether an unknown address falls back to the nearest section"},
		{Method: "PUT", Path: "/storefront-redirects/settings", Edits: "/storefront-redirects/settings", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Class: api.Write, Errors: walkErrors, Undo: "POST /storefront-redirects/rollback restores the set of an earlier version.", Do: api.Handle(rs.setFallback), Summary: "Switch the fallback to the nearest section"},
		{Method: "GET", Path: "/storefront-redirects/versions", Contour: api.LiveOnly, Scopes: reads, Manage: role, Class: api.Read, Do: api.Handle(rs.rulesVersions), Summary: "Versions of the redirect set with their authors, newest first"},
		{Method: "GET", Path: "/storefront-redirects/versions/{version}", Contour: api.LiveOnly, Scopes: reads, Manage: role, Class: api.Read, Errors: api.Refuses(redirectdb.ErrRuleVersionNotFound), Do: api.Handle(rs.rulesVersion), Summary: "The rules that one version of the redirect set added, removed and changed"},
		{Method: "POST", Path: "/storefront-redirects/rollback", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Class: api.Write, Errors: rollbackErrors, Undo: "POST /storefront-redirects/rollback restores the set of an earlier version.", Do: api.Handle(rs.rollbackRules), Summary: "Restore the redirect set of an earlier version, as a new version"},
		{Method: "GET", Path: "/storefront-redirects/misses", Contour: api.LiveOnly, Scopes: reads, Manage: role, Class: api.Read, Do: api.Handle(rs.misses), Summary: "A page of the log of addresses that returned 404, most visited first"},
		{Method: "POST", Path: "/storefront-redirects/misses/hide", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Class: api.Write, Do: api.Handle(rs.hideMisses), Summary: "Hide addresses of the 404 log, or show them again"},
		{Method: "POST", Path: "/categories/move", Scopes: moves, Contour: api.RefusesDraft, Class: api.Write, Errors: moveErrors, Do: api.Handle(rs.moveCategory), Summary: "Move a section with its subtree; old URLs keep working"},
		{Method: "GET", Path: "/storefront/redirects", Contour: api.LiveOnly, Auth: api.Public, Class: api.Read, Cached: true, Errors: api.Refuses(api.ErrNoCompany, store.ErrShopNotFound), Do: compiled, Summary: "The enabled redirect rules of a shop, compiled for its storefront"},
		{Method: "GET", Path: "/slug-redirects/resolve", Auth: api.Public, Class: api.Read, Errors: api.Refuses(api.ErrNoCompany, store.ErrShopNotFound, redirectdb.ErrRuleNotFound), Do: api.Handle(rs.resolveSlug), Summary: "The entity that once had a slug, and its current slug"},
	}
}
