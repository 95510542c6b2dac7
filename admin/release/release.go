package release

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/compile/release"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/draft"
	releasedb "vitrine/internal/store/release"
)

const listedReleases = 50

// releaseView is a release in lists.
type releaseView struct {
	ID          shop.ReleaseID  `json:"id"`
	DocumentID  shop.DocumentID `json:"document_id"`
	Active      bool            `json:"active"`
	WasLive     bool            `json:"was_live"`
	Note        string          `json:"note"`
	PreviewBase string          `json:"preview_base"` // empty for site folders, which have no preview
	CreatedBy   shop.UserID     `json:"created_by"`
	CreatedAt   time.Time       `json:"created_at"`
	PublishedAt *time.Time      `json:"published_at"`
}

func viewRelease(origin string, d releasedb.Document, r releasedb.Release) releaseView {
	v := releaseView{
		ID: r.ID, DocumentID: d.ID, Active: d.Active == r.ID, WasLive: r.WasLive, Note: r.Note,
		CreatedBy: r.CreatedBy, CreatedAt: r.CreatedAt.UTC(),
	}
	if d.Kind != shop.SiteFolder {
		v.PreviewBase = origin + shop.ReleaseRoot(d.ID, r.ID)
	}
	if r.PublishedAt != nil {
		at := r.PublishedAt.UTC()
		v.PublishedAt = &at
	}
	return v
}

func (h holderEndpoints) list(ctx context.Context, c *api.Call, in holderPath) (api.Result[[]releaseView], error) {
	views := []releaseView{}
	r := h.store.Shop(c.Company)
	d, err := h.find(ctx, r, int64(in.ID))
	if err != nil {
		return api.Wrap(views), err
	}
	rows, err := releasedb.Releases(ctx, r, d.ID, listedReleases)
	if err != nil {
		return api.Wrap(views), err
	}
	origin, err := h.origin(ctx, r)
	for _, row := range rows {
		views = append(views, viewRelease(origin, d, row))
	}
	return api.Wrap(views), err
}

type releaseFileView struct {
	Path    string `json:"path"`
	SHA256  string `json:"sha256"`
	Size    int64  `json:"size"`
	MIME    string `json:"mime"`
	Pending bool   `json:"pending"` // its bytes have not been uploaded yet
}

// publishReport is a release.Report, or nothing before the publish.
type publishReport struct {
	Errors   []release.Finding `json:"errors,omitempty"`
	Warnings []release.Finding `json:"warnings,omitempty"`
	Info     []release.Finding `json:"info,omitempty"`
}

type releaseDetails struct {
	releaseView
	Pending int                      `json:"pending"` // number of files without bytes
	Files   []releaseFileView        `json:"files"`
	Report  shop.JSON[publishReport] `json:"report" doc:"of the publish; {} before that"`
}

func (h holderEndpoints) show(ctx context.Context, c *api.Call, in releasePath) (api.Result[releaseDetails], error) {
	var out releaseDetails
	r := h.store.Shop(c.Company)
	d, err := h.found(ctx, r, in.ID)
	if err != nil {
		return api.Wrap(out), err
	}
	row, err := releasedb.GetRelease(ctx, r, d.ID, in.Release)
	if err != nil {
		return api.Wrap(out), err
	}
	origin, err := h.origin(ctx, r)
	if err != nil {
		return api.Wrap(out), err
	}
	files, err := releasedb.ReleaseFiles(ctx, r, row.ID)
	out = releaseDetails{releaseView: viewRelease(origin, d, row), Files: []releaseFileView{}, Report: shop.JSON[publishReport](row.Report)}
	for _, f := range files {
		out.Files = append(out.Files, releaseFileView(f))
		if f.Pending {
			out.Pending++
		}
	}
	return api.Wrap(out), err
}

func fileOf(f releasedb.ReleaseFile) release.File {
	return release.File{Path: f.Path, SHA256: f.SHA256, Size: f.Size, MIME: f.MIME}
}

// manifestOf returns the manifest of a release, or FILES_PENDING if bytes are missing.
func manifestOf(ctx context.Context, r store.Reader, id shop.ReleaseID) ([]release.File, error) {
	rows, err := releasedb.ReleaseFiles(ctx, r, id)
	if err != nil {
		return nil, err
	}
	files := make([]release.File, len(rows))
	var pending []string
	for i, row := range rows {
		files[i] = fileOf(row)
		if row.Pending {
			pending = append(pending, row.Path)
		}
	}
	if len(pending) > 0 {
		return nil, release.ErrFilesPending.With("release "+id.String()+" waits for the upload of "+someOf(pending)).WithField("pending", pending)
	}
	return files, nil
}

// someOf lists the first of many paths.
func someOf(paths []string) string {
	const shown = 3
	if more := len(paths) - shown; more > 0 {
		return strings.Join(paths[:shown], ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(paths, ", ")
}

type rollbackRequest struct {
	documentPath
	Release shop.ReleaseID `json:"release_id" required:"always"`
}

func (rs *Releases) rollback(ctx context.Context, c *api.Call, in rollbackRequest) (api.Result[documentView], error) {
	d, err := rs.rollBack(ctx, c, releasedb.Document{ID: in.ID, Kind: shop.HTMLDocument}, in.Release)
	if err != nil {
		return api.Result[documentView]{}, err
	}
	return rs.answerDocument(ctx, rs.store.Shop(c.Company), d)
}

// rollBack makes a release live that was published before, so it is not validated again. In the
// draft a release that was published only there is sufficient; in the live shop it must have been
// live.
func (rs *Releases) rollBack(ctx context.Context, c *api.Call, d releasedb.Document, id shop.ReleaseID) (releasedb.Document, error) {
	if err := rs.checkRollback(ctx, rs.store.Shop(c.Company), d, id); err != nil {
		return d, err
	}
	err := rs.store.Write(ctx, c.Company, func(tx *store.Tx) error {
		if _, err := releasedb.LockDocument(ctx, tx, d.Kind, d.ID); err != nil {
			return err
		}
		target, err := releasedb.GetRelease(ctx, tx.Reader, d.ID, id)
		if err != nil {
			return err
		}
		if !target.WasLive && !(tx.Draft() && target.Validated()) {
			return release.ErrNotLive.At("release_id").With("release " + target.ID.String() + " has never been published")
		}
		if err := releasedb.Activate(ctx, tx, d.ID, target); err != nil {
			return err
		}
		d, err = releasedb.GetDocument(ctx, tx.Reader, d.Kind, d.ID)
		return err
	})
	return d, err
}

// checkRollback returns an error if a published release has lost bytes since.
func (rs *Releases) checkRollback(ctx context.Context, r store.Reader, d releasedb.Document, id shop.ReleaseID) error {
	row, err := releasedb.GetRelease(ctx, r, d.ID, id)
	if errors.Is(err, releasedb.ErrReleaseNotFound) || err == nil && !row.Validated() {
		return nil // the caller reports this error
	}
	if err != nil {
		return err
	}
	return rs.Whole(ctx, r, id)
}

func (h holderEndpoints) remove(ctx context.Context, c *api.Call, in releasePath) (api.None, error) {
	d, err := h.found(ctx, h.store.Shop(c.Company), in.ID)
	if err != nil {
		return api.None{}, err
	}
	return api.None{}, h.store.Write(ctx, c.Company, func(tx *store.Tx) error {
		if err := tx.LockDraft(ctx); err != nil { // prevents a concurrent publish of the release in the draft
			return err
		}
		d, err := releasedb.LockDocument(ctx, tx, d.Kind, d.ID)
		if err != nil {
			return err
		}
		if _, err := releasedb.GetRelease(ctx, tx.Reader, d.ID, in.Release); err != nil {
			return err
		}
		waits, err := draft.ActiveInDraft(ctx, tx, d.ID, in.Release)
		if err != nil {
			return err
		}
		if d.Active == in.Release {
			return release.ErrInUse.With("the release is live; publish or roll back to another first")
		}
		if waits {
			return release.ErrInUse.With("the release is the one of the draft; publish the draft or discard it first")
		}
		return releasedb.DeleteRelease(ctx, tx, d.ID, in.Release)
	})
}
