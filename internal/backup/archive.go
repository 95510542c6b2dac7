package backup

import (
	"archive/zip"
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"vitrine/internal/blob"
)

// archive is a verified backup file: it consists of exactly the entries in the manifest, with
// matching sizes and hashes.
type archive struct {
	manifest
	files map[string]*zip.File
}

// open verifies a file completely.
func open(ctx context.Context, r io.ReaderAt, size int64) (*archive, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrForeign, err)
	}
	a := &archive{files: map[string]*zip.File{}}
	for _, f := range z.File {
		if a.files[f.Name] != nil {
			return nil, fmt.Errorf("%w: it contains %q twice", ErrDamaged, f.Name)
		}
		a.files[f.Name] = f
	}
	if err := a.readManifest(z.Comment); err != nil {
		return nil, err
	}
	if len(a.files) != len(a.Entries)+1 {
		return nil, fmt.Errorf("%w: it has %d entries, its manifest %d", ErrDamaged, len(a.files)-1, len(a.Entries))
	}
	for name, e := range a.Entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := a.check(name, e); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *archive) readManifest(comment string) error {
	sum, ours := strings.CutPrefix(comment, format+" ")
	f := a.files[manifestName]
	if !ours || f == nil {
		return ErrForeign
	}
	r, err := f.Open()
	if err != nil {
		return fmt.Errorf("%w: %s: %v", ErrDamaged, manifestName, err)
	}
	text, err := io.ReadAll(io.LimitReader(r, maxManifest+1))
	if err := errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("%w: %s: %v", ErrDamaged, manifestName, err)
	}
	if len(text) > maxManifest || blob.Sum(text) != sum {
		return fmt.Errorf("%w: its manifest was changed", ErrDamaged)
	}
	if err := json.Unmarshal(text, &a.manifest); err != nil {
		return fmt.Errorf("%w: %s: %v", ErrDamaged, manifestName, err)
	}
	switch {
	case a.Format != format || a.Version < 1:
		return ErrForeign
	case a.Version > version:
		return fmt.Errorf("%w: format %d, this one reads %d", ErrNewer, a.Version, version)
	}
	return nil
}

// check reads one entry and compares it with the manifest. It unpacks no more than the size
// in the manifest, and only if the compression ratio is plausible.
func (a *archive) check(name string, e entry) error {
	f := a.files[name]
	damaged := func(what string) error { return fmt.Errorf("%w: %s %s", ErrDamaged, name, what) }
	sha, isBlob := strings.CutPrefix(name, blobDir)
	switch {
	case f == nil:
		return damaged("is missing")
	case e.Size < 0 || f.UncompressedSize64 != uint64(e.Size):
		return damaged("has another size")
	case isBlob && (f.Method != zip.Store || blob.CheckName(sha) != nil || sha != e.SHA256):
		return damaged("is not a file of a shop")
	case !isBlob && e.Size > freeRatio && uint64(e.Size) > maxRatio*f.CompressedSize64:
		return damaged("has an implausible compression ratio")
	case !isBlob && name != shopName && name != membersName && name != buyersName && !strings.HasPrefix(name, tableDir):
		return damaged("does not belong there")
	}
	r, err := f.Open()
	if err != nil {
		return damaged(err.Error())
	}
	m := &hashWriter{w: io.Discard, sum: sha256.New()}
	_, err = io.Copy(m, io.LimitReader(r, e.Size+1))
	if err := errors.Join(err, r.Close()); err != nil {
		return damaged(err.Error())
	}
	if m.n != e.Size || m.hex() != e.SHA256 {
		return damaged("was changed")
	}
	return nil
}

// rows calls each with the rows of an entry.
func (a *archive) rows(name string, each func(fields map[string]any) error) (err error) {
	f := a.files[name]
	if f == nil {
		return nil // a table that did not exist when the backup was made
	}
	r, err := f.Open()
	if err != nil {
		return fmt.Errorf("%w: %s: %v", ErrDamaged, name, err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	lines := bufio.NewScanner(io.LimitReader(r, a.Entries[name].Size))
	lines.Buffer(nil, maxRow)
	columns := a.Entries[name].Columns
	for lines.Scan() {
		fields, err := fieldsOf(lines.Bytes())
		if err != nil {
			return fmt.Errorf("%w: %s: %v", ErrDamaged, name, err)
		}
		for column := range fields {
			if columns != nil && !slices.Contains(columns, column) {
				return fmt.Errorf("%w: %s: column %q is not in the manifest", ErrDamaged, name, column)
			}
		}
		if err := each(fields); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%w: %s: %v", ErrDamaged, name, err)
	}
	return nil
}
