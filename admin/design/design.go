// Package design serves the content from which the pages of a shop are drawn, apart from the
// catalogue: content blocks, the blocks of a page, the groups bound to the slots of resources,
// and the resulting chrome (document 3, 2.1 and 4.1).
//
// A block consists of sections of widgets, stored as they were sent. A group is a block with a
// group_type; its widgets are other blocks. A slot of a resource that has no group bound inherits
// the group of the nearest resource above it; compile/design defines the order. A page without a
// title and description that begins to show an html document gets those of the document's live
// release.
//
// Blocks, their places and bindings have a draft. This package neither draws nor validates
// widgets: compile/widget knows their kinds, render draws them. The folders of layouts are in
// admin/release.
package design

import (
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	designdb "vitrine/internal/store/design"
)

// Config holds the dependencies of Design.
type Config struct {
	Store *store.Store
	URLs  api.URLs         // of the shops named in responses
	Now   func() time.Time // clock for the 30 days in which deleted blocks can be restored
}

// Design serves the endpoints of this package.
type Design struct {
	store *store.Store
	urls  api.URLs
	now   func() time.Time
}

// New returns a Design. It has no state besides its dependencies.
func New(cfg Config) *Design { return &Design{store: cfg.Store, urls: cfg.URLs, now: cfg.Now} }

// The scopes of the design (document 3, section 5).
var (
	reads  = []shop.Scope{"catalog:read"}
	writes = []shop.Scope{"catalog:write"}
)

// Errors that the writes of each resource may return, for the endpoint table.
var (
	blockErrors   = api.Refuses(errBlockName, errBlockGroup, errBlockSections, errSectionType, errBlockTooLarge)
	attachErrors  = api.Refuses(errTooManyBlocks, designdb.ErrBlockNotFound, designdb.ErrDuplicateBlock)
	bindingErrors = api.Refuses(
		errBindingType, errBindingID, catalog.ErrArticleNotFound, catalog.ErrCategoryNotFound, catalog.ErrProductNotFound)
)

// Endpoints lists the endpoints of this package.
func (d *Design) Endpoints() []api.Endpoint {
	return []api.Endpoint{
		{Method: "GET", Path: "/content-blocks", Scopes: reads, Class: api.Read, Do: api.Handle(d.blocks), Summary: "All content blocks of the shop"},
		{Method: "POST", Path: "/content-blocks", Scopes: writes, Class: api.Write, Errors: blockErrors, Do: api.Handle(d.createBlock), Summary: "Create a content block, or a group with a group_type"},
		{Method: "GET", Path: "/content-blocks/{id}", Scopes: reads, Class: api.Read, Errors: api.Refuses(designdb.ErrBlockNotFound), Do: api.Handle(d.block), Summary: "One content block"},
		{Method: "PUT", Path: "/content-blocks/{id}", Edits: "/content-blocks/{id}", Scopes: writes, Class: api.Write, Errors: blockErrors.And(designdb.ErrBlockNotFound, store.ErrRestoreExpired), Do: api.Handle(d.updateBlock), Summary: "Replace the sections of a content block, or restore a deleted one"},
		{Method: "DELETE", Path: "/content-blocks/{id}", Scopes: writes, Class: api.Write, Errors: api.Refuses(designdb.ErrBlockNotFound), Undo: "It can be restored within 30 days: PUT /content-blocks/{id} with is_deleted false.", Do: api.Handle(d.deleteBlock), Summary: "Soft-delete a content block; pages draw nothing in its place, and it can be restored for 30 days"},
		{Method: "PUT", Path: "/categories/{id}/content-blocks", Edits: "/categories/{id}", Scopes: writes, Class: api.Write, Errors: attachErrors.And(catalog.ErrCategoryNotFound), Do: api.Handle(d.attachToCategory), Summary: "Replace the blocks of a section's page"},
		{Method: "PUT", Path: "/articles/{id}/content-blocks", Edits: "/articles/{id}", Scopes: writes, Class: api.Write, Errors: attachErrors.And(catalog.ErrArticleNotFound), Do: api.Handle(d.attachToArticle), Summary: "Replace the blocks of an article's page"},
		{Method: "GET", Path: "/design/bindings/{type}/{id}", Scopes: reads, Class: api.Read, Errors: bindingErrors, Do: api.Handle(d.binding), Summary: "The slots of a resource and where each comes from"},
		{Method: "PUT", Path: "/design/bindings/{type}/{id}", Edits: "/design/bindings/{type}/{id}", Scopes: writes, Class: api.Write, Errors: bindingErrors.And(errBindingSlot, errNotGroup, designdb.ErrBlockNotFound), Do: api.Handle(d.bind), Summary: "Replace the slots of a resource; an empty object unbinds it"},
		{Method: "GET", Path: "/v1/storefronts/resolve", Auth: api.Public, Class: api.Read, Errors: api.Refuses(api.ErrNoCompany, store.ErrShopNotFound), Do: api.Handle(d.resolveStorefront), Summary: "A shop by its slug or domain, with the header, footer and layout that its pages have"},
	}
}
