package release

import (
	"context"

	"vitrine/compile/inspect"
	"vitrine/compile/release"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/form"
	releasedb "vitrine/internal/store/release"
)

// built is the result of inspecting a whole release.
type built struct {
	inspect.Result
	files  []release.File
	icons  []releasedb.ReleaseFile // of a layout, already stored
	packed []releasedb.PackedFile  // of a site folder
}

// build inspects a release. It returns FILES_PENDING if bytes are missing; faults of the content
// are in the report.
func (rs *Releases) build(ctx context.Context, r store.Reader, d releasedb.Document, id shop.ReleaseID) (b built, err error) {
	if _, err := releasedb.GetRelease(ctx, r, d.ID, id); err != nil {
		return b, err
	}
	if b.files, err = manifestOf(ctx, r, id); err != nil {
		return b, err
	}
	if err := rs.checkNotLost(ctx, id, b.files); err != nil {
		return b, err
	}
	read := func(path string) ([]byte, error) {
		f, ok := release.Find(b.files, path)
		if !ok {
			return nil, releasedb.ErrReleaseNotFound
		}
		return rs.blobs.ReadAll(ctx, f.SHA256, limitsOf(d.Kind).File)
	}
	forms, err := rs.formIDs(ctx, r)
	if err != nil {
		return b, err
	}
	b.Result, err = inspect.Check(inspect.Release{
		Kind: kindOf(d.Kind), Doc: d.ID.String(), ID: id.String(), Files: b.files, Read: read,
		Forms: func(id shop.FormID) bool { return forms[id] },
	})
	for i, f := range b.files {
		if mime := b.Types[f.Path]; mime != "" {
			b.files[i].MIME = mime
		}
	}
	return b, err
}

// kindOf returns how a release of a kind of document is inspected.
func kindOf(kind shop.DocumentKind) inspect.Kind {
	switch kind {
	case shop.SiteFolder:
		return inspect.Folder
	case shop.LayoutFolder:
		return inspect.Layout
	}
	return inspect.Document
}

// formIDs returns the lead forms that documents of the shop may open. Forms have no draft.
func (rs *Releases) formIDs(ctx context.Context, r store.Reader) (map[shop.FormID]bool, error) {
	rows, err := form.List(ctx, rs.store.Shop(r.Company))
	ids := make(map[shop.FormID]bool, len(rows))
	for _, f := range rows {
		ids[f.ID] = true
	}
	return ids, err
}
