package release

import (
	"bytes"
	"context"
	"strings"

	"vitrine/admin/intake"
	"vitrine/compile/icon"
	"vitrine/compile/inspect"
	"vitrine/compile/release"
	"vitrine/internal/blob"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	releasedb "vitrine/internal/store/release"
	"vitrine/internal/store/sweep"
)

// storeIcons stores the bytes of a layout's icons before the transaction that refers to them, and
// returns their rows.
func (rs *Releases) storeIcons(
	ctx context.Context, company shop.CompanyID, icons []inspect.Icon,
) (rows []releasedb.ReleaseFile, reservation *intake.Reservation, err error) {
	var contents []blob.Ref
	for _, i := range icons {
		ref := blob.Ref{SHA256: blob.Sum(i.PNG), Size: int64(len(i.PNG))}
		contents = append(contents, ref)
		rows = append(rows, releasedb.ReleaseFile{Path: i.Path, SHA256: ref.SHA256, Size: ref.Size, MIME: release.MIME(i.Path)})
	}
	if len(icons) == 0 {
		return nil, nil, nil
	}
	reservation, err = rs.intake.ReserveMade(ctx, company, contents...)
	for n, i := range icons {
		if err == nil {
			err = reservation.PutExpect(ctx, bytes.NewReader(i.PNG), rows[n].SHA256, rows[n].Size)
		}
	}
	return rows, reservation, err
}

func keepIcons(ctx context.Context, tx *store.Tx, id shop.ReleaseID, icons []releasedb.ReleaseFile) error {
	if len(icons) == 0 {
		return nil
	}
	hashes := make([]string, len(icons))
	for i, made := range icons {
		hashes[i] = made.SHA256
	}
	if err := sweep.LockBlobs(ctx, tx, hashes); err != nil {
		return err
	}
	return releasedb.AddReleaseFiles(ctx, tx, id, icons)
}

// notGenerated refuses files in the folder of generated icons, because they would be mistaken for
// generated ones.
func notGenerated(files []release.File) error {
	for _, f := range files {
		if generated(f.Path) {
			return release.ErrPath.With("the folder "+icon.Folder+" is reserved for generated icons; put "+f.Path+" elsewhere").
				WithField("path", f.Path)
		}
	}
	return nil
}

func generated(path string) bool { return strings.HasPrefix(path, icon.Folder) }
