package release

import (
	"context"
	"slices"
	"strings"

	"vitrine/admin/api"
	"vitrine/compile/release"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
	releasedb "vitrine/internal/store/release"
	"vitrine/internal/store/sweep"
)

type createRelease struct {
	holderPath
	release.Request
}

// uploadView is a file whose bytes the shop does not have. The URL authorizes the upload of
// exactly these bytes.
type uploadView struct {
	Path      string `json:"path"`
	SHA256    string `json:"sha256"`
	Size      int64  `json:"size"`
	UploadURL string `json:"upload_url"`
}

type releaseCreated struct {
	ReleaseID shop.ReleaseID `json:"release_id"`
	Upload    []uploadView   `json:"upload"`
	Reused    []string       `json:"reused"`    // paths whose bytes are stored, or are uploaded for another path
	Inherited []string       `json:"inherited"` // paths of the base that the request does not contain
}

func (h holderEndpoints) create(ctx context.Context, c *api.Call, in createRelease) (releaseCreated, error) {
	d, err := h.first(ctx, c, int64(in.ID))
	if err != nil {
		return releaseCreated{}, err
	}
	return h.announce(ctx, c, d, in.Request)
}

// announce creates a release whose missing files are to be uploaded.
func (rs *Releases) announce(ctx context.Context, c *api.Call, d releasedb.Document, req release.Request) (out releaseCreated, err error) {
	lost, err := rs.lostOf(ctx, rs.store.Shop(c.Company), req)
	if err != nil {
		return out, err
	}
	err = rs.store.Write(ctx, c.Company, func(tx *store.Tx) error {
		d, err := releasedb.LockDocument(ctx, tx, d.Kind, d.ID)
		if err != nil {
			return err
		}
		if err := sweep.LockBlobs(ctx, tx, hashesOf(req)); err != nil {
			return err
		}
		p, err := makePlan(ctx, tx.Reader, d, req, lost)
		if err != nil {
			return err
		}
		if err := p.checkStorage(ctx, tx.Reader); err != nil {
			return err
		}
		if err := media.CheckPendingUploads(ctx, tx, len(p.Upload)); err != nil {
			return err
		}
		if err := media.OwnBlobs(ctx, tx, p.reused()); err != nil {
			return err
		}
		row := releasedb.Release{Document: d.ID, Note: req.Note, CreatedBy: c.Person}
		rows, uploads, err := rs.rowsOf(p)
		if err != nil {
			return err
		}
		if err := releasedb.InsertRelease(ctx, tx, &row, rows); err != nil {
			return err
		}
		out = releaseCreated{ReleaseID: row.ID, Upload: uploads, Reused: orEmpty(p.Reused), Inherited: orEmpty(p.Inherited)}
		return nil
	})
	return out, err
}

// plan is the manifest of a new release, the requested blobs that the shop owns, with their
// sizes, and those of them whose bytes must be uploaded again.
type plan struct {
	release.Manifest
	owned map[string]int64
	lost  map[string]bool
}

// makePlan merges a request into its base. It reuses only blobs of the shop, since knowing a hash
// does not prove ownership of the bytes, and none whose bytes are lost.
func makePlan(ctx context.Context, r store.Reader, d releasedb.Document, req release.Request, lost map[string]bool) (p plan, err error) {
	p.lost = lost
	if d.Kind == shop.LayoutFolder {
		if err := notGenerated(req.Files); err != nil {
			return p, err
		}
	}
	base, err := baseOf(ctx, r, d, req.Base)
	if err != nil {
		return p, err
	}
	if p.owned, err = media.OwnedBlobs(ctx, r, hashesOf(req)); err != nil {
		return p, err
	}
	p.Manifest, err = release.Plan(req, base, func(sha string) bool { _, ok := p.owned[sha]; return ok && !lost[sha] }, limitsOf(d.Kind))
	if err != nil {
		return p, err
	}
	for _, f := range p.Files {
		if size, ok := p.owned[f.SHA256]; ok && size != f.Size {
			return p, release.ErrFile.With(f.Path+" has a different size in the storage").WithField("path", f.Path)
		}
	}
	return p, nil
}

func hashesOf(req release.Request) []string {
	hashes := make([]string, len(req.Files))
	for i, f := range req.Files {
		hashes[i] = strings.ToLower(f.SHA256)
	}
	return hashes
}

// baseOf returns the manifest that a request starts from.
func baseOf(ctx context.Context, r store.Reader, d releasedb.Document, text string) ([]release.File, error) {
	base, err := release.ParseBase(text)
	if err != nil {
		return nil, err
	}
	id := base.Release
	if base.Active {
		id = d.Active
	}
	if id == 0 {
		return nil, nil
	}
	if _, err := releasedb.GetRelease(ctx, r, d.ID, id); err != nil {
		return nil, err
	}
	files, err := manifestOf(ctx, r, id)
	if d.Kind == shop.LayoutFolder { // icons are generated for each release
		files = slices.DeleteFunc(files, func(f release.File) bool { return generated(f.Path) })
	}
	return files, err
}

// checkStorage refuses a release whose new bytes exceed the plan's storage_bytes, before anything
// is uploaded.
func (p plan) checkStorage(ctx context.Context, r store.Reader) error {
	used, limit, err := media.Storage(ctx, r)
	if err != nil {
		return err
	}
	pending, err := media.Pending(ctx, r)
	if err != nil {
		return err
	}
	added := release.Size(slices.DeleteFunc(slices.Clone(p.Upload), func(f release.File) bool { return p.lost[f.SHA256] }))
	if limit > 0 && added > 0 && used+pending+added > limit {
		return media.StorageFull(used+pending+added, limit)
	}
	return nil
}

// reused returns the shop's blobs that the request uses again, with their sizes. They must be
// kept explicitly, because what referred to them so far may be deleted concurrently. Files of the
// base cannot, because their document is locked.
func (p plan) reused() map[string]int64 {
	kept := map[string]int64{}
	for _, f := range p.Files {
		if size, ok := p.owned[f.SHA256]; ok {
			kept[f.SHA256] = size
		}
	}
	return kept
}

// rowsOf returns the rows of the manifest, with a secret upload URL for each missing file. Files
// with the same bytes share one upload.
func (rs *Releases) rowsOf(p plan) (rows []releasedb.NewReleaseFile, uploads []uploadView, err error) {
	hashes, awaited := map[string][]byte{}, map[string]bool{}
	uploads = []uploadView{}
	for _, f := range p.Upload {
		token, hash, err := secret.New(secret.Upload)
		if err != nil {
			return nil, nil, err
		}
		hashes[f.Path], awaited[f.SHA256] = hash, true
		uploads = append(uploads, uploadView{Path: f.Path, SHA256: f.SHA256, Size: f.Size, UploadURL: rs.urls.Admin + "/uploads/" + token})
	}
	for _, f := range p.Files {
		rows = append(rows, releasedb.NewReleaseFile{
			ReleaseFile: releasedb.ReleaseFile{Path: f.Path, SHA256: f.SHA256, Size: f.Size, MIME: f.MIME, Pending: awaited[f.SHA256]},
			UploadHash:  hashes[f.Path],
		})
	}
	return rows, uploads, nil
}

// orEmpty returns an empty list instead of nil, which JSON encodes as [].
func orEmpty(paths []string) []string {
	if paths == nil {
		return []string{}
	}
	return paths
}
