// Package release is the websites that a shop uploads: html documents, the folders
// of layouts and those of sections, with their releases (document 3, 2.3, 2.4, 4.1
// and 4.2).
//
// The three have releases in the same way (holder.go). A release goes through the
// endpoints in this order:
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
// Deletions of releases have no draft; everything else does. What a release may
// hold and what is said of it are compile/release and compile/inspect; which pages
// show a document is admin/design. Serving is the edge.
package release

import (
	"time"

	"vitrine/admin/api"
	"vitrine/admin/intake"
	"vitrine/compile/release"
	"vitrine/internal/blob"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/design"
	"vitrine/internal/store/media"
	releasedb "vitrine/internal/store/release"
)

// Config is what releases stand on.
type Config struct {
	Store  *store.Store
	Blobs  blob.Store
	Intake *intake.Intake   // by which bytes come in
	URLs   api.URLs         // of the shops and uploads that answers name
	Hosts  shop.Storefronts // the addresses of shops
	Now    func() time.Time // by which addresses of uploads expire
}

// Releases answers the endpoints of this package.
type Releases struct {
	store  *store.Store
	blobs  blob.Store
	intake *intake.Intake
	urls   api.URLs
	hosts  shop.Storefronts
	now    func() time.Time
}

// New makes the slice; it keeps nothing of its own.
func New(cfg Config) *Releases {
	return &Releases{store: cfg.Store, blobs: cfg.Blobs, intake: cfg.Intake, urls: cfg.URLs, hosts: cfg.Hosts, now: cfg.Now}
}

// The scopes of this slice (document 3, sections 2.3 and 5).
var (
	reads   = []shop.Scope{"catalog:read"}
	writes  = []shop.Scope{"catalog:write"}
	scripts = []shop.Scope{"catalog:read", "catalog:write", "storage:write"}
)

// What the writes of a noun may refuse, for the rows of the table.
var (
	documentErrors = api.Refuses(errDocumentName, errDocumentText, errDocumentLevel, release.ErrUseRelease)
	releaseErrors  = api.Refuses(releasedb.ErrDocumentNotFound, releasedb.ErrReleaseNotFound)
)

// Endpoints is the table of this slice.
func (rs *Releases) Endpoints() (table []api.Endpoint) {
	table = append(table, rs.documentEndpoints()...)
	table = append(table, rs.releaseEndpoints(rs.documentHolder())...)
	table = append(table, rs.layoutEndpoints()...)
	table = append(table, rs.releaseEndpoints(rs.layoutHolder())...)
	table = append(table, rs.folderEndpoints()...)
	return table
}

func (rs *Releases) documentEndpoints() []api.Endpoint {
	role := release.ErrScriptRole.With("html documents of level 3 are for owners and admins")
	return []api.Endpoint{
		{Method: "GET", Path: "/html-documents", Scopes: reads, Class: api.Read, Do: api.Handle(rs.documents), Summary: "All html documents of the shop, newest first"},
		{Method: "POST", Path: "/html-documents", Scopes: scripts, Manage: role, Class: api.Write, Errors: documentErrors, Do: api.Handle(rs.createDocument), Summary: "Create an html document; its content comes by releases"},
		{Method: "GET", Path: "/html-documents/{id}", Scopes: reads, Class: api.Read, Errors: api.Refuses(releasedb.ErrDocumentNotFound), Do: api.Handle(rs.document), Summary: "One html document and where its live source is"},
		{Method: "PUT", Path: "/html-documents/{id}", Scopes: writes, Manage: role, Class: api.Write, Errors: documentErrors.And(releasedb.ErrDocumentNotFound), Do: api.Handle(rs.updateDocument), Summary: "Change name and description of an html document"},
		{Method: "DELETE", Path: "/html-documents/{id}", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Class: api.Write, Errors: api.Refuses(releasedb.ErrDocumentNotFound), Do: api.Handle(rs.deleteDocument), Summary: "Delete an html document with its releases"},
		{Method: "POST", Path: "/html-documents/{id}/rollback", Scopes: writes, Manage: role, Class: api.Write, Errors: releaseErrors.And(release.ErrNotLive, release.ErrFilesPending), Do: api.Handle(rs.rollback), Summary: "Make a release live again that was live before"},
		{Method: "PUT", Path: "/uploads/{token}", Auth: api.Link, Class: api.Storage, Consumes: []string{"application/octet-stream"}, Errors: api.Refuses(errUploadUnknown, errUploadMismatch, media.ErrStorageLimit), Do: api.Handle(rs.upload), Summary: "Upload the bytes of one announced file; the address authorizes"},
	}
}

func (rs *Releases) layoutEndpoints() []api.Endpoint {
	role := release.ErrScriptRole.With("layout folders are for owners and admins")
	errs := api.Refuses(design.ErrBlockNotFound, releasedb.ErrReleaseNotFound)
	return []api.Endpoint{
		{Method: "GET", Path: "/themes/{id}/site", Scopes: reads, Class: api.Read, Errors: api.Refuses(design.ErrBlockNotFound), Do: api.Handle(rs.layoutSite), Summary: "The folder of a layout: its files, where they are served and the icons made of its picture"},
		{Method: "POST", Path: "/themes/{id}/site/rollback", Scopes: writes, Manage: role, Class: api.Write, Errors: errs.And(release.ErrNotLive, release.ErrFilesPending), Do: api.Handle(rs.rollbackLayout), Summary: "Make a release of a layout's folder live again that was live before"},
	}
}
