package release

import (
	"context"

	"vitrine/admin/api"
	"vitrine/compile/release"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/design"
	"vitrine/internal/store/media"
	releasedb "vitrine/internal/store/release"
)

// holder describes a kind of entity that has releases: html documents, the folders of layouts and
// those of site sections. They differ in how an id leads to the document and in how publishing
// processes the files; everything else about releases is shared.
type holder struct {
	root string        // path with {id}; the endpoints of releases are below it
	noun string        // for summaries
	gone *shop.Refusal // returned for an unknown id
	role *shop.Refusal // returned to people who are neither owner nor admin

	change          []shop.Scope // required to create, validate, publish and delete releases
	readsRestricted bool         // reading also requires an owner or admin

	// find returns the document for the id in a path. Before the first release there may be none;
	// its id is then 0.
	find func(ctx context.Context, r store.Reader, id int64) (releasedb.Document, error)

	// first returns the document for a new release, and creates it for the first one.
	first func(ctx context.Context, c *api.Call, id int64) (releasedb.Document, error)
}

// limitsOf returns the limits of a release of a kind of document.
func limitsOf(kind shop.DocumentKind) release.Limits { return kindOf(kind).Limits() }

func (rs *Releases) documentHolder() holder {
	find := func(ctx context.Context, r store.Reader, id int64) (releasedb.Document, error) {
		return releasedb.GetDocument(ctx, r, shop.HTMLDocument, shop.DocumentID(id))
	}
	return holder{
		root: "/html-documents/{id}", noun: "an html document", gone: releasedb.ErrDocumentNotFound,
		role: release.ErrScriptRole.With("only owners and admins manage html documents of level 3"), change: scripts,
		find: find,
		first: func(ctx context.Context, c *api.Call, id int64) (releasedb.Document, error) {
			return find(ctx, rs.store.Shop(c.Company), id)
		},
	}
}

func (rs *Releases) layoutHolder() holder {
	return holder{
		root: "/themes/{id}/site", noun: "a layout's folder", gone: design.ErrBlockNotFound,
		role: release.ErrScriptRole.With("only owners and admins manage layout folders"), change: scripts,
		find: func(ctx context.Context, r store.Reader, id int64) (releasedb.Document, error) {
			return folderOfLayout(ctx, r, shop.BlockID(id))
		},
		first: func(ctx context.Context, c *api.Call, id int64) (releasedb.Document, error) {
			return rs.makeFolderOfLayout(ctx, c, shop.BlockID(id))
		},
	}
}

func (rs *Releases) folderHolder() holder {
	return holder{
		root: "/site-folders/{id}", noun: "a site folder", gone: releasedb.ErrFolderNotFound, role: errFolderRole, change: folderWrites, readsRestricted: true,
		find: siteFolder, first: rs.makeSiteFolder,
	}
}

// holderEndpoints serves the endpoints of the releases of one kind of holder.
type holderEndpoints struct {
	*Releases
	holder
}

// releaseEndpoints lists the endpoints of one kind of holder (document 3, 2.3, 4.1 and 4.2).
func (rs *Releases) releaseEndpoints(h holder) []api.Endpoint {
	r := holderEndpoints{rs, h}
	one := api.Refuses(h.gone, releasedb.ErrReleaseNotFound)
	manifest := one.And(
		release.ErrBase, release.ErrPath, release.ErrConflict, release.ErrFile, release.ErrTooLarge, release.ErrEmpty,
		release.ErrFilesPending, media.ErrStorageLimit)
	publish := one.And(release.ErrFilesPending, release.ErrInvalid, media.ErrStorageLimit)
	all, each := h.root+"/releases", h.root+"/releases/{rid}"
	var reader *shop.Refusal
	if h.readsRestricted {
		reader = h.role
	}
	return []api.Endpoint{
		{Method: "GET", Path: all, Scopes: reads, Manage: reader, Class: api.Read, Errors: api.Refuses(h.gone), Do: api.Handle(r.list), Summary: "The latest 50 releases of " + h.noun},
		{Method: "POST", Path: all, Scopes: h.change, Manage: h.role, Class: api.Storage, MaxBody: 4 << 20, Errors: manifest, Do: api.Handle(r.create), Summary: "Announce a release of " + h.noun + " and get upload URLs for the files that the shop does not have"},
		{Method: "POST", Path: all + "/zip", Scopes: h.change, Manage: h.role, Class: api.Storage, Consumes: []string{"application/zip", "multipart/form-data"}, Errors: manifest.And(release.ErrZip, release.ErrInvalid, shop.ErrInvalidRequest, errURL, errFetch), Do: api.Handle(r.zip), Summary: "Create a release of " + h.noun + " from a ZIP, and publish it with publish=1"},
		{Method: "GET", Path: each, Scopes: reads, Manage: reader, Class: api.Read, Errors: one, Do: api.Handle(r.show), Summary: "One release of " + h.noun + " with its files and report"},
		{Method: "GET", Path: each + "/file", Scopes: reads, Manage: reader, Class: api.Read, Produces: []string{"text/plain", octets}, Errors: one.And(errEditorSize), Do: api.Handle(r.file), Summary: "The bytes of one file of a release of " + h.noun + ", at most 2 MiB"},
		{Method: "GET", Path: each + "/diff", Scopes: reads, Manage: reader, Class: api.Read, Errors: one, Do: api.Handle(r.diff), Summary: "What changes from a release of " + h.noun + " to another one, by default the live one: its files, and the lines of index.html"},
		{Method: "DELETE", Path: each, Scopes: h.change, Manage: h.role, Contour: api.RefusesDraft, Class: api.Storage, Errors: one.And(release.ErrInUse), Do: api.Handle(r.remove), Summary: "Delete a release of " + h.noun + " that is not live"},
		{Method: "POST", Path: each + "/validate", Scopes: h.change, Manage: h.role, Class: api.Write, Errors: one.And(release.ErrFilesPending), Computes: true, Do: api.Handle(r.validate), Summary: "Report what publishing would find in a release of " + h.noun},
		{Method: "POST", Path: each + "/publish", Scopes: h.change, Manage: h.role, Class: api.Write, Errors: publish, Undo: "The rollback call beside it makes an earlier release live again.", Do: api.Handle(r.publishOne), Summary: "Validate a release of " + h.noun + " and make it live"},
	}
}

type holderPath struct {
	ID shop.Int64 `path:"id" json:"-"`
}

type releasePath struct {
	holderPath
	Release shop.ReleaseID `path:"rid" json:"-"`
}

// found returns the document for a path that names one of its releases.
func (h holderEndpoints) found(ctx context.Context, r store.Reader, id shop.Int64) (releasedb.Document, error) {
	d, err := h.find(ctx, r, int64(id))
	if err == nil && d.ID == 0 {
		err = releasedb.ErrReleaseNotFound
	}
	return d, err
}
