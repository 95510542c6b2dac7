// Package design is what the pages of a shop are drawn from beside the catalogue:
// content blocks, the blocks of a page, the groups that are bound to the slots of
// resources, and the chrome that follows from them (document 3, 2.1 and 4.1).
//
// A block is sections of widgets, stored as they were sent; a group is a block
// with a group_type whose widgets are other blocks. A slot of a resource that has
// no group of its own takes that of the nearest resource above it: which, is
// compile/design. A page that begins to show an html document takes the title and
// description of its live release where it has none.
//
// Blocks, their places and bindings have a draft. This package draws nothing and
// judges no widget: compile/widget knows the kinds, render draws them. The folders
// of layouts are admin/release.
package design

import (
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	designdb "vitrine/internal/store/design"
)

// Config is what the design stands on.
type Config struct {
	Store *store.Store
	URLs  api.URLs         // of the shops that answers name
	Now   func() time.Time // from which deleted blocks can be restored for 30 days
}

// Design answers the endpoints of this package.
type Design struct {
	store *store.Store
	urls  api.URLs
	now   func() time.Time
}

// New makes the slice; it keeps nothing of its own.
func New(cfg Config) *Design { return &Design{store: cfg.Store, urls: cfg.URLs, now: cfg.Now} }

// The scopes of the design (document 3, section 5).
var (
	reads  = []shop.Scope{"catalog:read"}
	writes = []shop.Scope{"catalog:write"}
)

// What the writes of a noun may refuse, for the rows of the table.
var (
	blockErrors   = api.Refuses(errBlockName, errBlockGroup, errBlockSections, errSectionType, errBlockTooLarge)
	attachErrors  = api.Refuses(errTooManyBlocks, designdb.ErrBlockNotFound, designdb.ErrDuplicateBlock)
	bindingErrors = api.Refuses(
		errBindingType, errBindingID, catalog.ErrArticleNotFound, catalog.ErrCategoryNotFound, catalog.ErrProductNotFound)
)

// Endpoints is the table of this slice.
func (d *Design) Endpoints() []api.Endpoint {
	return []api.Endpoint{
		{Method: "GET", Path: "/content-blocks", Scopes: reads, Class: api.Read, Do: api.Handle(d.blocks), Summary: "All content blocks of the shop"},
		{Method: "POST", Path: "/content-blocks", Scopes: writes, Class: api.Write, Errors: blockErrors, Do: api.Handle(d.createBlock), Summary: "Create a content block, or a group with a group_type"},
		{Method: "PUT", Path: "/content-blocks/{id}", Scopes: writes, Class: api.Write, Errors: blockErrors.And(designdb.ErrBlockNotFound, store.ErrRestoreOver), Do: api.Handle(d.updateBlock), Summary: "Replace the sections of a content block, or bring a deleted one back"},
		{Method: "DELETE", Path: "/content-blocks/{id}", Scopes: writes, Class: api.Write, Errors: api.Refuses(designdb.ErrBlockNotFound), Do: api.Handle(d.deleteBlock), Summary: "Delete a content block softly; pages draw nothing in its place, and it can be restored for 30 days"},
		{Method: "PUT", Path: "/categories/{id}/content-blocks", Scopes: writes, Class: api.Write, Errors: attachErrors.And(catalog.ErrCategoryNotFound), Do: api.Handle(d.attachToCategory), Summary: "Replace the blocks of a section's page"},
		{Method: "PUT", Path: "/articles/{id}/content-blocks", Scopes: writes, Class: api.Write, Errors: attachErrors.And(catalog.ErrArticleNotFound), Do: api.Handle(d.attachToArticle), Summary: "Replace the blocks of an article's page"},
		{Method: "GET", Path: "/design/bindings/{type}/{id}", Scopes: reads, Class: api.Read, Errors: bindingErrors, Do: api.Handle(d.binding), Summary: "The slots of a resource and where each comes from"},
		{Method: "PUT", Path: "/design/bindings/{type}/{id}", Scopes: writes, Class: api.Write, Errors: bindingErrors.And(errBindingSlot, errNotGroup, designdb.ErrBlockNotFound), Do: api.Handle(d.bind), Summary: "Replace the slots of a resource; an empty object unbinds it"},
		{Method: "GET", Path: "/v1/storefronts/resolve", Auth: api.Public, Class: api.Read, Errors: api.Refuses(api.ErrNoCompany, store.ErrShopNotFound), Do: api.Handle(d.resolveStorefront), Summary: "A shop by its slug or domain, with the header, footer and layout that its pages have"},
	}
}
