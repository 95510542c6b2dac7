// Package sitefile is the files that a shop writes for programs: product feeds,
// robots rules, proofs of ownership (document 3, 2.5 and 4.4).
//
// A site file has a name, a section whose address it stands below, and a body in
// the language of compile/feed. It is checked when it is saved, rendered on the
// live catalogue when it is previewed, and built by the edges that serve it,
// which write down how it went. A preview is a few items of a range and bounded
// in time and bytes; what is wrong with a body is part of its answer, while a
// save refuses it.
//
// Site files have no draft. This package neither serves them nor builds them for
// visitors, and folders of uploaded websites are admin/release.
package sitefile

import (
	"time"

	"vitrine/admin/api"
	"vitrine/internal/catalogue"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sitefile"
)

// Config is what site files stand on.
type Config struct {
	Store *store.Store
	Hosts shop.Storefronts // the addresses of shops
	Now   func() time.Time // that previews show

	// Catalogues are those that previews are rendered on.
	Catalogues *catalogue.Catalogues
}

// SiteFiles answers the endpoints of this package.
type SiteFiles struct {
	store      *store.Store
	hosts      shop.Storefronts
	catalogues *catalogue.Catalogues
	now        func() time.Time
}

// New makes the slice; it keeps nothing of its own.
func New(cfg Config) *SiteFiles {
	return &SiteFiles{store: cfg.Store, hosts: cfg.Hosts, catalogues: cfg.Catalogues, now: cfg.Now}
}

// The scopes of site files.
var (
	reads  = []shop.Scope{"site-files:read"}
	writes = []shop.Scope{"site-files:write"}
)

// saveErrors is what a create or a change may refuse.
var saveErrors = api.Refuses(
	errFileName, errFileReserved, errFileTemplate, errFileBodySize, sitefile.ErrCategory, sitefile.ErrPathTaken)

// notText are the refusals of what is no text, by the field.
var notText = map[string]*shop.Refusal{"name": errFileName, "path": errFileName, "": errFileBodyText}

// Endpoints is the table of this slice.
func (s *SiteFiles) Endpoints() []api.Endpoint {
	role := errFilesForbidden.With("site files are for owners and admins")
	return []api.Endpoint{
		{Method: "GET", Path: "/site-files", Contour: api.LiveOnly, Scopes: reads, Manage: role, Class: api.Read, Do: api.Handle(s.siteFiles), Summary: "Site files without their bodies, by section, then name"},
		{Method: "GET", Path: "/site-files/templates", Contour: api.LiveOnly, Scopes: reads, Manage: role, Class: api.Read, Do: api.Handle(s.siteFileTemplates), Summary: "Templates to start from: feeds for Yandex and Google, an empty file"},
		{Method: "GET", Path: "/site-files/{id}", Contour: api.LiveOnly, Scopes: reads, Manage: role, Class: api.Read, Errors: api.Refuses(sitefile.ErrNotFound), Do: api.Handle(s.siteFile), Summary: "One site file with its body and how its latest build went"},
		{Method: "POST", Path: "/site-files/preview", Contour: api.LiveOnly, Scopes: reads, Manage: role, Class: api.Read, Strict: true, NotText: notText, Errors: api.Refuses(errFileName, errFileBodySize, errPreviewLimited), Do: api.Handle(s.previewSiteFile), Summary: "Render a body on the live catalogue without saving it; what is wrong with it is part of the answer"},
		{Method: "POST", Path: "/site-files", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Strict: true, NotText: notText, Class: api.Write, Errors: saveErrors.And(sitefile.ErrLimit), Do: api.Handle(s.createSiteFile), Summary: "Create a site file; is_published defaults to false"},
		{Method: "PATCH", Path: "/site-files/{id}", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Strict: true, NotText: notText, Class: api.Write, Errors: saveErrors.And(sitefile.ErrNotFound, sitefile.ErrNotCurrent), Do: api.Handle(s.updateSiteFile), Summary: "Change, rename or move a site file"},
		{Method: "DELETE", Path: "/site-files/{id}", Scopes: writes, Manage: role, Contour: api.RefusesDraft, Class: api.Write, Errors: api.Refuses(sitefile.ErrNotFound), Do: api.Handle(s.deleteSiteFile), Summary: "Delete a site file; its name is free again"},
	}
}
