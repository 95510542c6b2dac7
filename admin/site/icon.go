package site

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"vitrine/compile/icon"
	"vitrine/compile/inspect"
	"vitrine/compile/release"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// storeIcons stores the bytes of a layout's icons before the transaction that
// names them, and returns their rows.
func (s *Site) storeIcons(ctx context.Context, icons []inspect.Icon) (rows []store.ReleaseFile, err error) {
	for _, i := range icons {
		sum := sha256.Sum256(i.PNG)
		row := store.ReleaseFile{Path: i.Path, SHA256: hex.EncodeToString(sum[:]), Size: int64(len(i.PNG)), MIME: release.MIME(i.Path)}
		if err := s.blobs.PutExpect(ctx, bytes.NewReader(i.PNG), row.SHA256, row.Size); err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func keepIcons(ctx context.Context, tx *store.Tx, id shop.ReleaseID, icons []store.ReleaseFile) error {
	if len(icons) == 0 {
		return nil
	}
	hashes := make([]string, len(icons))
	for i, made := range icons {
		hashes[i] = made.SHA256
	}
	if err := tx.HoldBlobs(ctx, hashes); err != nil {
		return err
	}
	return tx.AddReleaseFiles(ctx, id, icons)
}

// notGenerated refuses files where the platform puts the icons of a layout: they
// would be taken for its own.
func notGenerated(files []release.File) error {
	for _, f := range files {
		if generated(f.Path) {
			return release.ErrPath.With("the folder "+icon.Folder+" is for the icons that the platform makes; put "+f.Path+" elsewhere").WithField("path", f.Path)
		}
	}
	return nil
}

func generated(path string) bool { return strings.HasPrefix(path, icon.Folder) }
