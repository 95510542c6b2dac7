// Package site is the websites that a shop uploads: html documents, the folders of
// layouts and those of sections, with their releases (document 3, 2.3, 2.4, 4.1, 4.2).
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
// Deletions of releases have no draft; everything else does.
package site

import (
	"time"

	"vitrine/admin/api"
	"vitrine/admin/intake"
	"vitrine/compile/release"
	"vitrine/internal/blob"
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
	now    func() time.Time
}

// New takes the bytes of releases and what they come in by, the addresses that
// answers name, and the clock by which upload addresses expire.
func New(
	s *store.Store, blobs blob.Store, in *intake.Intake, urls api.URLs, hosts shop.Storefronts, now func() time.Time,
) *Site {
	return &Site{store: s, blobs: blobs, intake: in, urls: urls, hosts: hosts, now: now}
}

// The scopes of this slice (document 3, sections 2.3 and 5).
var (
	reads   = []shop.Scope{"catalog:read"}
	writes  = []shop.Scope{"catalog:write"}
	scripts = []shop.Scope{"catalog:read", "catalog:write", "storage:write"}
)

// Endpoints is the table of this slice.
func (s *Site) Endpoints() (table []api.Endpoint) {
	table = append(table, s.documentEndpoints()...)
	table = append(table, s.releaseEndpoints(s.documentHolder())...)
	table = append(table, s.themeEndpoints()...)
	table = append(table, s.releaseEndpoints(s.themeHolder())...)
	table = append(table, s.folderEndpoints()...)
	return table
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
		{Method: "GET", Path: "/themes/{id}/site", Scopes: reads, Class: api.Read, Errors: api.Refuses(store.ErrBlockNotFound), Do: api.Handle(s.themeSite), Summary: "The folder of a layout: its files, where they are served and the icons made of its picture"},
		{Method: "POST", Path: "/themes/{id}/site/rollback", Scopes: writes, Manage: role, Class: api.Write, Errors: errs.And(release.ErrNotLive, release.ErrFilesPending), Do: api.Handle(s.rollbackTheme), Summary: "Make a release of a layout's folder live again that was live before"},
	}
}
