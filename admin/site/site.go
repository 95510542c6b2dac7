// Package site is what the storefront is made of beside the catalogue: content
// blocks and what they are bound to, html documents with their releases and
// redirect rules (document 3, 2.1, 2.3, 2.6, 4.1, 4.3).
//
// Html documents, the folders of layouts and those of site sections have releases
// in the same way (holder.go). A release goes through the endpoints in this order:
//
//	POST …/releases             the manifest: what is new, what the shop has
//	PUT  /uploads/{token}       the bytes, each held to its hash
//	POST …/releases/{rid}/publish
//	                            compile and validate, then move the pointer
//
// A ZIP does the first two at once. Compiling happens before the transaction,
// since manifests never change; the transaction only moves the pointer, so a
// failure of any kind leaves the live release where it is.
//
// A redirect mutation is one transaction: the set is locked, what others have
// changed of it and of the shop since the last one is read, the new set is
// compiled and walked for loops in memory, and what has become different is
// written as one version. A dry run does the same on a snapshot, and tells on
// the addresses that visitors asked for lately what would change.
//
// Redirects, category moves and deletions of releases have no draft;
// everything else does.
package site

import (
	"reflect"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/intake"
	"vitrine/compile/redirect"
	"vitrine/compile/release"
	"vitrine/internal/blob"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Site answers the endpoints of this package.
type Site struct {
	store  *store.Store
	blobs  blob.Store
	intake *intake.Intake
	urls   api.URLs
	hosts  shop.Storefronts
	sites  *load.Sites
	now    func() time.Time

	compiled compiledSets
}

// New takes the bytes of releases and what they come in by, the addresses that answers name, the shops
// that the writers of one process keep compiled and the catalogues that its feeds
// are made of, and the clock by which upload addresses expire.
func New(
	s *store.Store, blobs blob.Store, in *intake.Intake, urls api.URLs, hosts shop.Storefronts, sites *load.Sites, now func() time.Time,
) *Site {
	return &Site{store: s, blobs: blobs, intake: in, urls: urls, hosts: hosts, sites: sites, now: now}
}

// The scopes of this slice (document 3, sections 2.3 and 5).
var (
	reads      = []shop.Scope{"catalog:read"}
	writes     = []shop.Scope{"catalog:write"}
	scripts    = []shop.Scope{"catalog:read", "catalog:write", "storage:write"}
	ruleReads  = []shop.Scope{"redirects:read"}
	ruleWrites = []shop.Scope{"redirects:write"}
)

// Endpoints is the table of this slice.
func (s *Site) Endpoints() (table []api.Endpoint) {
	table = append(table, s.designEndpoints()...)
	table = append(table, s.documentEndpoints()...)
	table = append(table, s.releaseEndpoints(s.documentHolder())...)
	table = append(table, s.themeEndpoints()...)
	table = append(table, s.releaseEndpoints(s.themeHolder())...)
	table = append(table, s.folderEndpoints()...)
	table = append(table, s.redirectEndpoints()...)
	return table
}

func (s *Site) designEndpoints() []api.Endpoint {
	return []api.Endpoint{
		{Method: "GET", Path: "/content-blocks", Scopes: reads, Class: api.Read, Do: api.Handle(s.blocks), Summary: "All content blocks of the shop"},
		{Method: "POST", Path: "/content-blocks", Scopes: writes, Class: api.Write, Errors: blockErrors, Do: api.Handle(s.createBlock), Summary: "Create a content block, or a group with a group_type"},
		{Method: "PUT", Path: "/content-blocks/{id}", Scopes: writes, Class: api.Write, Errors: blockErrors.And(store.ErrBlockNotFound, store.ErrRestoreOver), Do: api.Handle(s.updateBlock), Summary: "Replace the sections of a content block, or bring a deleted one back"},
		{Method: "DELETE", Path: "/content-blocks/{id}", Scopes: writes, Class: api.Write, Errors: api.Refuses(store.ErrBlockNotFound), Do: api.Handle(s.deleteBlock), Summary: "Delete a content block softly; pages draw nothing in its place, and it can be restored for 30 days"},
		{Method: "PUT", Path: "/categories/{id}/content-blocks", Scopes: writes, Class: api.Write, Errors: attachErrors.And(store.ErrCategoryNotFound), Do: api.Handle(s.attachToCategory), Summary: "Replace the blocks of a section's page"},
		{Method: "PUT", Path: "/articles/{id}/content-blocks", Scopes: writes, Class: api.Write, Errors: attachErrors.And(store.ErrArticleNotFound), Do: api.Handle(s.attachToArticle), Summary: "Replace the blocks of an article's page"},
		{Method: "GET", Path: "/design/bindings/{type}/{id}", Scopes: reads, Class: api.Read, Errors: bindingErrors, Do: api.Handle(s.binding), Summary: "The slots of a resource and where each comes from"},
		{Method: "PUT", Path: "/design/bindings/{type}/{id}", Scopes: writes, Class: api.Write, Errors: bindingErrors.And(errBindingSlot, errNotGroup, store.ErrBlockNotFound), Do: api.Handle(s.bind), Summary: "Replace the slots of a resource; an empty object unbinds it"},
	}
}

func (s *Site) documentEndpoints() []api.Endpoint {
	role := release.ErrScriptRole.With("html documents of level 3 are for owners and admins")
	return []api.Endpoint{
		{Method: "GET", Path: "/html-documents", Scopes: reads, Class: api.Read, Do: api.Handle(s.documents), Summary: "All html documents of the shop, newest first"},
		{Method: "POST", Path: "/html-documents", Scopes: scripts, Manage: role, Class: api.Write, Errors: documentErrors, Do: api.Handle(s.createDocument), Summary: "Create an html document; its content comes by releases"},
		{Method: "GET", Path: "/html-documents/{id}", Scopes: reads, Class: api.Read, Errors: api.Refuses(store.ErrDocumentNotFound), Do: api.Handle(s.document), Summary: "One html document and where its live source is"},
		{Method: "PUT", Path: "/html-documents/{id}", Scopes: writes, Manage: role, Class: api.Write, Errors: documentErrors.And(store.ErrDocumentNotFound), Do: api.Handle(s.updateDocument), Summary: "Change name and description of an html document"},
		{Method: "DELETE", Path: "/html-documents/{id}", Scopes: writes, Manage: role, Live: true, Class: api.Write, Errors: api.Refuses(store.ErrDocumentNotFound), Do: api.Handle(s.deleteDocument), Summary: "Delete an html document with its releases"},
		{Method: "POST", Path: "/html-documents/{id}/rollback", Scopes: writes, Manage: role, Class: api.Write, Errors: releaseErrors.And(release.ErrNotLive, release.ErrFilesPending), Do: api.Handle(s.rollback), Summary: "Make a release live again that was live before"},
		{Method: "PUT", Path: "/uploads/{token}", Auth: api.Link, Class: api.Storage, Consumes: []string{"application/octet-stream"}, Errors: api.Refuses(errUploadUnknown, errUploadMismatch, store.ErrStorageLimit), Do: api.Handle(s.upload), Summary: "Upload the bytes of one announced file; the address authorizes"},
	}
}

func (s *Site) themeEndpoints() []api.Endpoint {
	role := release.ErrScriptRole.With("layout folders are for owners and admins")
	errs := api.Refuses(store.ErrBlockNotFound, store.ErrReleaseNotFound)
	return []api.Endpoint{
		{Method: "GET", Path: "/v1/storefronts/resolve", Auth: api.Public, Class: api.Read, Errors: api.Refuses(api.ErrNoCompany, store.ErrShopNotFound), Do: api.Handle(s.resolveStorefront), Summary: "A shop by its slug or domain, with the header, footer and layout that its pages have"},
		{Method: "GET", Path: "/themes/{id}/site", Scopes: reads, Class: api.Read, Errors: api.Refuses(store.ErrBlockNotFound), Do: api.Handle(s.themeSite), Summary: "The folder of a layout: its files, where they are served and the icons made of its picture"},
		{Method: "POST", Path: "/themes/{id}/site/rollback", Scopes: writes, Manage: role, Class: api.Write, Errors: errs.And(release.ErrNotLive, release.ErrFilesPending), Do: api.Handle(s.rollbackTheme), Summary: "Make a release of a layout's folder live again that was live before"},
	}
}

func (s *Site) redirectEndpoints() []api.Endpoint {
	role := errRulesForbidden.With("redirect rules are for owners and admins")
	compiled := api.Handle(s.ruleSet)
	compiled.Out = reflect.TypeFor[api.Result[compiledSet]]()
	return []api.Endpoint{
		{Method: "GET", Path: "/storefront-redirects", Scopes: ruleReads, Manage: role, Class: api.Read, Do: api.Handle(s.rules), Summary: "The redirect set in matching order, with its limits"},
		{Method: "POST", Path: "/storefront-redirects", Scopes: ruleWrites, Manage: role, Live: true, Class: api.Write, Errors: ruleErrors, Do: api.Handle(s.createRule), Summary: "Create a redirect rule; enabled defaults to false"},
		{Method: "PUT", Path: "/storefront-redirects/{id}", Scopes: ruleWrites, Manage: role, Live: true, Class: api.Write, Errors: ruleErrors.And(store.ErrRuleNotFound), Do: api.Handle(s.updateRule), Summary: "Replace a redirect rule whole"},
		{Method: "DELETE", Path: "/storefront-redirects", Scopes: ruleWrites, Manage: role, Live: true, Class: api.Write, Errors: walkErrors.And(store.ErrRuleNotFound), Do: api.Handle(s.deleteRules), Summary: "Delete redirect rules, all or none"},
		{Method: "PUT", Path: "/storefront-redirects/order", Scopes: ruleWrites, Manage: role, Live: true, Class: api.Write, Errors: walkErrors.And(store.ErrRuleNotFound), Do: api.Handle(s.orderRules), Summary: "Put all redirect rules in a new order"},
		{Method: "GET", Path: "/storefront-redirects/check", Scopes: ruleReads, Manage: role, Class: api.Read, Do: api.Handle(s.checkAddress), Summary: "What an address of the shop answers, step by step"},
		{Method: "POST", Path: "/storefront-redirects/import", Scopes: ruleWrites, Manage: role, Live: true, Class: api.Write, MaxBody: 8 << 20, Errors: api.Refuses(redirect.ErrImportTooLarge), Do: api.Handle(s.importRules), Summary: "Create and update redirect rules from CSV, line by line"},
		{Method: "GET", Path: "/storefront-redirects/export", Scopes: ruleReads, Manage: role, Class: api.Read, Produces: []string{"text/csv"}, Do: api.Handle(s.exportRules), Summary: "The redirect set as the CSV that the import reads"},
		{Method: "PUT", Path: "/storefront-redirects/settings", Scopes: ruleWrites, Manage: role, Live: true, Class: api.Write, Errors: walkErrors, Do: api.Handle(s.setFallback), Summary: "Switch the fallback to the nearest section"},
		{Method: "GET", Path: "/storefront-redirects/versions", Scopes: ruleReads, Manage: role, Class: api.Read, Do: api.Handle(s.rulesVersions), Summary: "Versions of the redirect set, newest first, with who made them"},
		{Method: "GET", Path: "/storefront-redirects/versions/{version}", Scopes: ruleReads, Manage: role, Class: api.Read, Errors: api.Refuses(store.ErrRuleVersionNotFound), Do: api.Handle(s.rulesVersion), Summary: "What one version of the redirect set added, removed and changed"},
		{Method: "POST", Path: "/storefront-redirects/rollback", Scopes: ruleWrites, Manage: role, Live: true, Class: api.Write, Errors: rollbackErrors, Do: api.Handle(s.rollbackRules), Summary: "Make the redirect set what it was at a version, as a new version"},
		{Method: "GET", Path: "/storefront-redirects/misses", Scopes: ruleReads, Manage: role, Class: api.Read, Do: api.Handle(s.misses), Summary: "A page of the log of addresses that answered 404, most visited first"},
		{Method: "POST", Path: "/storefront-redirects/misses/hide", Scopes: ruleWrites, Manage: role, Live: true, Class: api.Write, Do: api.Handle(s.hideMisses), Summary: "Hide addresses of the 404 log, or show them again"},
		{Method: "POST", Path: "/categories/move", Scopes: writes, Live: true, Class: api.Write, Errors: moveErrors, Do: api.Handle(s.moveCategory), Summary: "Move a section with all below it; old addresses keep working"},
		{Method: "GET", Path: "/storefront/redirects", Auth: api.Public, Class: api.Read, Cached: true, Errors: api.Refuses(api.ErrNoCompany, store.ErrShopNotFound), Do: compiled, Summary: "The enabled redirect rules of a shop as its storefront compares them"},
		{Method: "GET", Path: "/slug-redirects/resolve", Auth: api.Public, Class: api.Read, Errors: api.Refuses(api.ErrNoCompany, store.ErrShopNotFound, store.ErrRuleNotFound), Do: api.Handle(s.formerSlug), Summary: "What once had a slug, and the slug it has now"},
	}
}
