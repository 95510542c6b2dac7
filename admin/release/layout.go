package release

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/design"
	releasedb "vitrine/internal/store/release"
)

type layoutPath struct {
	ID shop.BlockID `path:"id" json:"-"`
}

type folderFile struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	MIME   string `json:"mime"`
	SHA256 string `json:"sha256"`
}

type iconView struct {
	Size int    `json:"size"` // pixels, square
	Path string `json:"path"` // on the storefront
}

// layoutSite is the folder of a layout. Before its first publish only the limits are set.
type layoutSite struct {
	DocumentID      shop.DocumentID `json:"document_id"`
	ActiveReleaseID shop.ReleaseID  `json:"active_release_id"`
	Base            string          `json:"base"`        // path at which the files are served; ends with a slash
	ScopeClass      string          `json:"scope_class"` // class of the page's body that the selectors body, html and :root stand for
	Files           []folderFile    `json:"files"`
	IconsGenerated  []iconView      `json:"icons_generated"` // from the folder's icon or favicon picture
	Limits          releaseLimits   `json:"limits"`
}

func (rs *Releases) layoutSite(ctx context.Context, c *api.Call, in layoutPath) (api.Result[layoutSite], error) {
	r := rs.store.Shop(c.Company)
	d, err := folderOfLayout(ctx, r, in.ID)
	if err != nil {
		return api.Result[layoutSite]{}, err
	}
	view, err := viewLayoutSite(ctx, r, d)
	return api.Wrap(view), err
}

func viewLayoutSite(ctx context.Context, r store.Reader, d releasedb.Document) (layoutSite, error) {
	view := layoutSite{Files: []folderFile{}, IconsGenerated: []iconView{}, Limits: viewLimits(shop.LayoutFolder)}
	if d.Active == 0 {
		return view, nil
	}
	view.DocumentID, view.ActiveReleaseID = d.ID, d.Active
	view.Base, view.ScopeClass = shop.ReleaseRoot(d.ID, d.Active), shop.ScopeClass(d.ID)
	files, err := releasedb.ReleaseFiles(ctx, r, d.Active)
	for _, f := range files {
		if !generated(f.Path) {
			view.Files = append(view.Files, folderFile{f.Path, f.Size, f.MIME, f.SHA256})
			continue
		}
		digits := strings.TrimSuffix(f.Path[strings.LastIndexByte(f.Path, '-')+1:], ".png")
		if size, err := strconv.Atoi(digits); err == nil {
			view.IconsGenerated = append(view.IconsGenerated, iconView{size, view.Base + f.Path})
		}
	}
	return view, err
}

// folderOfLayout returns the folder of a layout; its id is 0 before the first release.
func folderOfLayout(ctx context.Context, r store.Reader, id shop.BlockID) (releasedb.Document, error) {
	if _, err := design.Layout(ctx, r, id); err != nil {
		return releasedb.Document{}, err
	}
	return ownedDocument(ctx, r, shop.LayoutFolder, int64(id))
}

// makeFolderOfLayout creates the folder of a layout for its first release. The folder of a live
// layout is created in the live shop at once, empty, so that the draft and the live shop share
// one; only its active release has a draft.
func (rs *Releases) makeFolderOfLayout(ctx context.Context, c *api.Call, id shop.BlockID) (releasedb.Document, error) {
	r := rs.store.Shop(c.Company)
	d, err := folderOfLayout(ctx, r, id)
	if err != nil || d.ID != 0 {
		return d, err
	}
	where := store.Live(ctx)
	if _, err := design.Layout(where, r, id); errors.Is(err, design.ErrLayoutNotFound) {
		where = ctx // the layout exists only in the draft
	} else if err != nil {
		return d, err
	}
	err = rs.store.Write(where, c.Company, func(tx *store.Tx) (err error) {
		d, err = makeFolder(where, tx, id, c.Person)
		return err
	})
	return d, err
}

// makeFolder creates the folder of a layout, unless a concurrent call has created it.
func makeFolder(ctx context.Context, tx *store.Tx, id shop.BlockID, person shop.UserID) (releasedb.Document, error) {
	if err := tx.LockDesign(ctx); err != nil {
		return releasedb.Document{}, err
	}
	group, err := design.Layout(ctx, tx.Reader, id)
	if err != nil {
		return releasedb.Document{}, err
	}
	d, err := releasedb.DocumentOf(ctx, tx.Reader, shop.LayoutFolder, int64(id))
	if !errors.Is(err, releasedb.ErrDocumentNotFound) {
		return d, err
	}
	d = releasedb.Document{Kind: shop.LayoutFolder, Owner: int64(id), Name: group.Name, Level: scriptLevel, CreatedBy: person}
	tx.Changed(shop.Key{Kind: shop.KeyDesign}) // pages depend on it
	return d, releasedb.InsertDocument(ctx, tx, &d)
}

type rollbackLayout struct {
	ID      shop.BlockID   `path:"id" json:"-"`
	Release shop.ReleaseID `json:"release_id" required:"always"`
}

func (rs *Releases) rollbackLayout(ctx context.Context, c *api.Call, in rollbackLayout) (api.Result[layoutSite], error) {
	d, err := folderOfLayout(ctx, rs.store.Shop(c.Company), in.ID)
	if err == nil && d.ID == 0 {
		err = releasedb.ErrReleaseNotFound
	}
	if err == nil {
		d, err = rs.rollBack(ctx, c, d, in.Release)
	}
	if err != nil {
		return api.Result[layoutSite]{}, err
	}
	view, err := viewLayoutSite(ctx, rs.store.Shop(c.Company), d)
	return api.Wrap(view), err
}
