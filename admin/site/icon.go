package site

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"vitrine/compile/icon"
	"vitrine/compile/release"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// madeIcon is an icon that the platform made of a layout's picture.
type madeIcon struct {
	path, sha256 string
	png          []byte
}

func iconSource(files []release.File) string {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	return icon.Source(paths)
}

// makeIcons makes the icons of a layout, unless the release has them from an
// earlier publish. A picture that cannot be read gives none: the folder's own
// link elements stay as they are.
func (b *built) makeIcons(files []release.File, read func(path string) ([]byte, error)) error {
	source := iconSource(files)
	if _, made := release.Find(files, icon.Path(icon.Sizes[0])); source == "" || made {
		return nil
	}
	picture, err := read(source)
	if err != nil {
		return err
	}
	icons, err := icon.Make(picture)
	if err != nil {
		return nil
	}
	for i, size := range icon.Sizes {
		sum := sha256.Sum256(icons[i])
		b.icons = append(b.icons, madeIcon{icon.Path(size), hex.EncodeToString(sum[:]), icons[i]})
	}
	return nil
}

// storeIcons stores the bytes before the transaction that names them.
func (s *Site) storeIcons(ctx context.Context, icons []madeIcon) error {
	for _, i := range icons {
		if err := s.blobs.PutExpect(ctx, bytes.NewReader(i.png), i.sha256, int64(len(i.png))); err != nil {
			return err
		}
	}
	return nil
}

func keepIcons(ctx context.Context, tx *store.Tx, id shop.ReleaseID, icons []madeIcon) error {
	if len(icons) == 0 {
		return nil
	}
	files := make([]store.ReleaseFile, len(icons))
	hashes := make([]string, len(icons))
	for i, made := range icons {
		files[i] = store.ReleaseFile{Path: made.path, SHA256: made.sha256, Size: int64(len(made.png)), MIME: "image/png"}
		hashes[i] = made.sha256
	}
	if err := tx.HoldBlobs(ctx, hashes); err != nil {
		return err
	}
	return tx.AddReleaseFiles(ctx, id, files)
}

func generated(path string) bool { return strings.HasPrefix(path, icon.Folder) }
