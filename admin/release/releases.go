// Package release manages the websites that a shop uploads: html documents, the folders of
// layouts and those of sections, with their releases (document 3, 2.3, 2.4, 4.1 and 4.2).
//
// All three have releases in the same way (holder.go). A release passes through the endpoints in
// this order:
//
//	POST …/releases             the manifest: which files are new, which the shop has
//	PUT  /uploads/{token}       the bytes, each checked against its hash
//	POST …/releases/{rid}/publish
//	                            inspects and validates, then makes the release live
//
// A ZIP does the first two at once. The inspection happens before the transaction, because
// manifests never change; the transaction only changes the live release, so a failure of any kind
// leaves it unchanged.
//
// Deletions of releases have no draft; everything else does. compile/release and compile/inspect
// define the limits and the findings of a release; admin/design decides which pages show a
// document; the edge serves the files.
package release

import (
	"time"

	"vitrine/admin/api"
	"vitrine/admin/intake"
	"vitrine/compile/release"
	"vitrine/internal/blob"
	"vitrine/internal/limiter"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/design"
	"vitrine/internal/store/media"
	releasedb "vitrine/internal/store/release"
)

// Config holds the dependencies of Releases.
type Config struct {
	Store  *store.Store
	Blobs  blob.Store
	Intake *intake.Intake   // stores incoming bytes
	URLs   api.URLs         // of the shops and uploads in responses
	Hosts  shop.Storefronts // the addresses of shops
	Fetch  Fetch            // downloads archives by URL
	Now    func() time.Time // clock for the expiry of upload URLs
}

// Releases serves the endpoints of this package.
type Releases struct {
	store  *store.Store
	blobs  blob.Store
	intake *intake.Intake
	urls   api.URLs
	hosts  shop.Storefronts
	now    func() time.Time

	web     Fetch
	fetches *limiter.PerShop
}

// New returns Releases. Besides its dependencies it has only limits of concurrent downloads.
func New(cfg Config) *Releases {
	return &Releases{store: cfg.Store, blobs: cfg.Blobs, intake: cfg.Intake, urls: cfg.URLs, hosts: cfg.Hosts, now: cfg.Now, web: cfg.Fetch, fetches: limiter.New(maxFetches)}
}

// The scopes of these endpoints (document 3, sections 2.3 and 5).
var (
	reads   = []shop.Scope{"catalog:read"}
	writes  = []shop.Scope{"catalog:write"}
	scripts = []shop.Scope{"catalog:read", "catalog:write", "storage:write"}
)

// Errors that the writes of each resource may return, for the endpoint table.
var (
	documentErrors = api.Refuses(errDocumentName, errDocumentText, errDocumentLevel, release.ErrUseRelease)
	releaseErrors  = api.Refuses(releasedb.ErrDocumentNotFound, releasedb.ErrReleaseNotFound)
)

// Endpoints lists the endpoints of this package.
func (rs *Releases) Endpoints() (table []api.Endpoint) {
	table = append(table, rs.documentEndpoints()...)
	table = append(table, rs.releaseEndpoints(rs.documentHolder())...)
	table = append(table, rs.layoutEndpoints()...)
	table = append(table, rs.releaseEndpoints(rs.layoutHolder())...)
	table = append(table, rs.folderEndpoints()...)
	return table
}

func (rs *Releases) documentEndpoints() []api.Endpoint {
	role := release.ErrScriptRole.With("only owners and admins manage html documents of level 3")
	return []api.Endpoint{
		{Method: "GET", Path: "/html-documents", Scopes: reads, Class: api.Read, Do: api.Handle(rs.documents), Summary: "All html documents of the shop, newest first"},
		{Method: "POST", Path: "/html-documents", Scopes: scripts, Manage: role, Class: api.Write, Errors: documentErrors, Do: api.Handle(rs.createDocument), Summary: "Create an html document; its content is changed by releases"},
		{Method: "GET", Path: "/html-documents/{id}", Scopes: reads, Class: api.Read, Errors: api.Refuses(releasedb.ErrDocumentNotFound), Do: api.Handle(rs.document), Summary: "One html document with the URL of its live source"},
		{Method: "PUT", Path: "/html-documents/{id}", Edits: "/html-documents/{id}", Scopes: writes, Manage: role, Class: api.Write, Errors: documentErrors.And(releasedb.ErrDocumentNotFound), Do: api.Handle(rs.updateDocument), Summary: "Change name and description of an html document"},
		{Method: "DELETE", Path: "/html-documents/{id}", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Class: api.Write, Errors: api.Refuses(releasedb.ErrDocumentNotFound), Do: api.Handle(rs.deleteDocument), Summary: "Delete an html document with its releases"},
		{Method: "POST", Path: "/html-documents/{id}/rollback", Scopes: writes, Manage: role, Class: api.Write, Errors: releaseErrors.And(release.ErrNotLive, release.ErrFilesPending), Do: api.Handle(rs.rollback), Summary: "Roll an html document back to a release that was live before"},
		{Method: "PUT", Path: "/uploads/{token}", Auth: api.Link, Class: api.Storage, Consumes: []string{"application/octet-stream"}, Errors: api.Refuses(errUploadUnknown, errUploadMismatch, media.ErrStorageLimit), Do: api.Handle(rs.upload), Summary: "Upload the bytes of one announced file; the URL is the authorization"},
	}
}

func (rs *Releases) layoutEndpoints() []api.Endpoint {
	role := release.ErrScriptRole.With("only owners and admins manage layout folders")
	errs := api.Refuses(design.ErrBlockNotFound, releasedb.ErrReleaseNotFound)
	return []api.Endpoint{
		{Method: "GET", Path: "/themes/{id}/site", Scopes: reads, Class: api.Read, Errors: api.Refuses(design.ErrBlockNotFound), Do: api.Handle(rs.layoutSite), Summary: "The folder of a layout: its files, their base path and the icons generated from its picture"},
		{Method: "POST", Path: "/themes/{id}/site/rollback", Scopes: writes, Manage: role, Class: api.Write, Errors: errs.And(release.ErrNotLive, release.ErrFilesPending), Do: api.Handle(rs.rollbackLayout), Summary: "Roll a layout's folder back to a release that was live before"},
	}
}
