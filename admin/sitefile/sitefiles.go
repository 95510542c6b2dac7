// Package sitefile manages the files that a shop writes for programs: product feeds, robots
// rules, proofs of ownership (document 3, 2.5 and 4.4).
//
// A site file has a name, a section below whose path it is served, and a body in the language of
// compile/feed. It is validated when it is saved and rendered on the live catalogue when it is
// previewed. The edges that serve it build it and record the result. A preview renders a few
// items of each range, with limits of time and bytes. Its response includes the errors of a body,
// while a save refuses an invalid body.
//
// Site files have no draft. This package neither serves them nor builds them for visitors;
// folders of uploaded websites are in admin/release.
package sitefile

import (
	"time"

	"vitrine/admin/api"
	"vitrine/internal/catalogue"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sitefile"
)

// Config holds the dependencies of SiteFiles.
type Config struct {
	Store *store.Store
	Hosts shop.Storefronts // the addresses of shops
	Now   func() time.Time // the time shown in previews

	// Catalogues are the catalogues on which previews are rendered.
	Catalogues *catalogue.Catalogues
}

// SiteFiles serves the endpoints of this package.
type SiteFiles struct {
	store      *store.Store
	hosts      shop.Storefronts
	catalogues *catalogue.Catalogues
	now        func() time.Time
}

// New returns SiteFiles. It has no state besides its dependencies.
func New(cfg Config) *SiteFiles {
	return &SiteFiles{store: cfg.Store, hosts: cfg.Hosts, catalogues: cfg.Catalogues, now: cfg.Now}
}

// The scopes of site files.
var (
	reads  = []shop.Scope{"site-files:read"}
	writes = []shop.Scope{"site-files:write"}
)

// saveErrors are the errors of creating or changing a file.
var saveErrors = api.Refuses(
	errFileName, errFileReserved, errFileTemplate, errFileBodySize, sitefile.ErrCategory, sitefile.ErrPathTaken)

// notText are the refusals of input that is not text, by field.
var notText = map[string]*shop.Refusal{"name": errFileName, "path": errFileName, "": errFileBodyText}

// Endpoints lists the endpoints of this package.
func (s *SiteFiles) Endpoints() []api.Endpoint {
	role := errFilesForbidden.With("only owners and admins manage site files")
	return []api.Endpoint{
		{Method: "GET", Path: "/site-files", Contour: api.LiveOnly, Scopes: reads, Manage: role, Class: api.Read, Do: api.Handle(s.siteFiles), Summary: "Site files without their bodies, by section, then name"},
		{Method: "GET", Path: "/site-files/templates", Contour: api.LiveOnly, Scopes: reads, Manage: role, Class: api.Read, Do: api.Handle(s.siteFileTemplates), Summary: "Templates to start from: feeds for Yandex and Google, an empty file"},
		{Method: "GET", Path: "/site-files/{id}", Contour: api.LiveOnly, Scopes: reads, Manage: role, Class: api.Read, Errors: api.Refuses(sitefile.ErrNotFound), Do: api.Handle(s.siteFile), Summary: "One site file with its body and the result of its latest build"},
		{Method: "POST", Path: "/site-files/preview", Contour: api.LiveOnly, Scopes: reads, Manage: role, Class: api.Read, Strict: true, NotText: notText, Errors: api.Refuses(errFileName, errFileBodySize, errPreviewLimited), Computes: true, Do: api.Handle(s.previewSiteFile), Summary: "Render a body on the live catalogue without saving it; the response includes its errors"},
		{Method: "POST", Path: "/site-files", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Strict: true, NotText: notText, Class: api.Write, Errors: saveErrors.And(sitefile.ErrLimit), Do: api.Handle(s.createSiteFile), Summary: "Create a site file; is_published defaults to false"},
		{Method: "PATCH", Path: "/site-files/{id}", Edits: "/site-files/{id}", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Strict: true, NotText: notText, Class: api.Write, Errors: saveErrors.And(sitefile.ErrNotFound, sitefile.ErrNotCurrent), Do: api.Handle(s.updateSiteFile), Summary: "Change, rename or move a site file"},
		{Method: "DELETE", Path: "/site-files/{id}", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Class: api.Write, Errors: api.Refuses(sitefile.ErrNotFound), Do: api.Handle(s.deleteSiteFile), Summary: "Delete a site file; its name becomes available again"},
	}
}
