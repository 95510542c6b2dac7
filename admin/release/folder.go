package release

import (
	"context"
	"errors"
	"math"

	"vitrine/admin/api"
	"vitrine/compile/release"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	releasedb "vitrine/internal/store/release"
)

var (
	errFolderRole = release.ErrScriptRole.With("only owners and admins manage site folders")
	folderWrites  = []shop.Scope{"catalog:write", "storage:write"}
)

// siteFolder returns the folder of a section; its id is 0 before the first release.
func siteFolder(ctx context.Context, r store.Reader, id int64) (releasedb.Document, error) {
	if id <= 0 || id > math.MaxInt32 {
		return releasedb.Document{}, releasedb.ErrFolderNotFound
	}
	if _, err := releasedb.SiteSection(ctx, r, shop.CategoryID(id)); err != nil {
		return releasedb.Document{}, err
	}
	return ownedDocument(ctx, r, shop.SiteFolder, id)
}

// ownedDocument returns the folder of an owner; its id is 0 if it was not created yet.
func ownedDocument(ctx context.Context, r store.Reader, kind shop.DocumentKind, owner int64) (releasedb.Document, error) {
	d, err := releasedb.DocumentOf(ctx, r, kind, owner)
	if errors.Is(err, releasedb.ErrDocumentNotFound) {
		return releasedb.Document{Kind: kind, Owner: owner}, nil
	}
	return d, err
}

// makeSiteFolder creates the folder of a section, empty. Like a layout's folder it is created in
// the live shop if the section is live.
func (rs *Releases) makeSiteFolder(ctx context.Context, c *api.Call, id int64) (releasedb.Document, error) {
	r := rs.store.Shop(c.Company)
	d, err := siteFolder(ctx, r, id)
	if err != nil || d.ID != 0 {
		return d, err
	}
	where := store.Live(ctx)
	if _, err := releasedb.SiteSection(where, r, shop.CategoryID(id)); errors.Is(err, releasedb.ErrFolderNotFound) {
		where = ctx // the section exists only in the draft
	} else if err != nil {
		return d, err
	}
	err = rs.store.Write(where, c.Company, func(tx *store.Tx) error {
		if err := tx.LockTree(where); err != nil { // prevents deletion of the section and a concurrent creation
			return err
		}
		name, err := releasedb.SiteSection(where, tx.Reader, shop.CategoryID(id))
		if err != nil {
			return err
		}
		if d, err = ownedDocument(where, tx.Reader, shop.SiteFolder, id); err != nil || d.ID != 0 {
			return err
		}
		d = releasedb.Document{Kind: shop.SiteFolder, Owner: id, Name: name, Level: scriptLevel, CreatedBy: c.Person}
		return releasedb.InsertDocument(where, tx, &d)
	})
	return d, err
}

type folderUsage struct {
	ActiveBytes   shop.Int64 `json:"active_bytes"`   // over the paths of the contour's release
	RetainedBytes shop.Int64 `json:"retained_bytes"` // over the distinct stored files of all retained releases
	RetainedFiles int64      `json:"retained_files"`
	ReleaseCount  int64      `json:"release_count"`
}

// folderView is a site folder (document 3, 2.4).
type folderView struct {
	SectionID       shop.CategoryID `json:"section_id"`
	DocumentID      shop.DocumentID `json:"document_id"`       // 0 before the first release
	ActiveReleaseID shop.ReleaseID  `json:"active_release_id"` // 0 before the first publish
	Contour         shop.Contour    `json:"contour"`
	Path            string          `json:"path"` // on the storefront, with a trailing slash; empty while the section has no URL
	Files           []folderFile    `json:"files"`
	Limits          releaseLimits   `json:"limits"`
	StorageUsage    folderUsage     `json:"storage_usage"`
}

func (rs *Releases) siteFolder(ctx context.Context, c *api.Call, in holderPath) (api.Result[folderView], error) {
	r := rs.store.Shop(c.Company)
	d, err := siteFolder(ctx, r, int64(in.ID))
	if err != nil {
		return api.Result[folderView]{}, err
	}
	view, err := rs.viewFolder(ctx, c, r, d)
	return api.Wrap(view), err
}

func (rs *Releases) viewFolder(ctx context.Context, c *api.Call, r store.Reader, d releasedb.Document) (folderView, error) {
	view := folderView{
		SectionID: shop.CategoryID(d.Owner), DocumentID: d.ID, ActiveReleaseID: d.Active, Contour: c.Contour, Files: []folderFile{},
		Limits: viewLimits(d.Kind),
	}
	used, err := releasedb.GetFolderUsage(ctx, r, d.ID, d.Active)
	if err != nil {
		return view, err
	}
	view.StorageUsage = folderUsage{shop.Int64(used.ActiveBytes), shop.Int64(used.RetainedBytes), used.RetainedFiles, used.Releases}
	if view.Path, err = rs.sectionPath(ctx, r, view.SectionID); err != nil || d.Active == 0 {
		return view, err
	}
	files, err := releasedb.ReleaseFiles(ctx, r, d.Active)
	for _, f := range files {
		view.Files = append(view.Files, folderFile{f.Path, f.Size, f.MIME, f.SHA256})
	}
	return view, err
}

// sectionPath returns the path at which a folder is served, or will be once its section is
// published.
func (rs *Releases) sectionPath(ctx context.Context, r store.Reader, id shop.CategoryID) (string, error) {
	site, err := load.Tree(ctx, r, rs.hosts)
	if err != nil {
		return "", err
	}
	path := site.Path(id)
	if path != "" && path != "/" {
		path += "/"
	}
	return path, nil
}

type rollbackFolder struct {
	holderPath
	Release shop.ReleaseID `json:"release_id" required:"always"`
}

func (rs *Releases) rollbackFolder(ctx context.Context, c *api.Call, in rollbackFolder) (api.Result[folderView], error) {
	r := rs.store.Shop(c.Company)
	d, err := (holderEndpoints{rs, rs.folderHolder()}).found(ctx, r, in.ID)
	if err == nil {
		d, err = rs.rollBack(ctx, c, d, in.Release)
	}
	if err != nil {
		return api.Result[folderView]{}, err
	}
	view, err := rs.viewFolder(ctx, c, r, d)
	return api.Wrap(view), err
}

func (rs *Releases) folderEndpoints() []api.Endpoint {
	gone := api.Refuses(releasedb.ErrFolderNotFound)
	table := []api.Endpoint{
		{Method: "GET", Path: "/site-folders/{id}", Scopes: reads, Manage: errFolderRole, Class: api.Read, Errors: gone, Do: api.Handle(rs.siteFolder), Summary: "The static website of a section: its live files, limits and storage"},
		{Method: "POST", Path: "/site-folders/{id}/rollback", Scopes: writes, Manage: errFolderRole, Class: api.Write, Errors: gone.And(releasedb.ErrReleaseNotFound, release.ErrNotLive, release.ErrFilesPending), Do: api.Handle(rs.rollbackFolder), Summary: "Roll a site folder back to a release that was live before"},
	}
	return append(table, rs.releaseEndpoints(rs.folderHolder())...)
}
