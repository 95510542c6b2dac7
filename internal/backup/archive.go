package backup

import (
	"archive/zip"
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"vitrine/internal/blob"
)

// Archive is a verified backup file: it consists of exactly the entries in the manifest, with
// matching sizes and hashes.
type Archive struct {
	manifest
	files  map[string]*zip.File
	limits Limits
	blobs  int64 // bytes of contents that the file may still have
}

// Limits bound what reading a file may cost.
type Limits struct {
	Entries  int   // files of the zip
	Manifest int64 // bytes
	Row      int   // bytes
	Rows     int64 // bytes of all rows, unpacked
}

// operators are the limits for files that an operator passes.
var operators = Limits{Entries: 10_000_000, Manifest: 64 << 20, Row: 64 << 20, Rows: math.MaxInt64}

// Open verifies a file completely.
func Open(ctx context.Context, r io.ReaderAt, size int64, limits Limits) (*Archive, error) {
	if err := checkEnd(r, size, limits.Entries); err != nil {
		return nil, err
	}
	// The library reads entries regardless of the count in the end record.
	directory := &budgeted{r, endBytes + int64(limits.Entries)*entryBytes}
	z, err := zip.NewReader(directory, size)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrForeign, err)
	}
	directory.left = math.MaxInt64
	a := &Archive{files: map[string]*zip.File{}, limits: limits, blobs: size}
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

const (
	endBytes   = 128 << 10 // of the end of a zip: what the library searches for its end records
	entryBytes = 512       // of an entry in the directory: its header, a name of ours, extra fields
)

// checkEnd reads the end record of the zip, which is followed by the comment of a backup and
// nothing else. It refuses too many entries before the library allocates memory for as many as the
// record claims.
func checkEnd(r io.ReaderAt, size int64, most int) error {
	const comment = len(format) + 1 + 2*sha256.Size
	const record, locator, record64 = 22, 20, 56
	var b [record64 + locator + record + comment]byte
	if size < int64(len(b)) {
		return ErrForeign
	}
	if _, err := r.ReadAt(b[:], size-int64(len(b))); err != nil {
		return err
	}
	end := b[record64+locator:]
	if _, err := hex.DecodeString(string(end[record+len(format)+1:])); err != nil || string(end[:4]) != "PK\x05\x06" ||
		int(binary.LittleEndian.Uint16(end[20:])) != comment || string(end[record:record+len(format)+1]) != format+" " {
		return ErrForeign
	}
	entries := uint64(binary.LittleEndian.Uint16(end[10:]))
	if string(b[record64:record64+4]) == "PK\x06\x07" { // a directory with 64-bit numbers
		entries = max(entries, binary.LittleEndian.Uint64(b[32:]))
	}
	if entries > uint64(most) {
		return fmt.Errorf("%w: more than %d entries", ErrTooLarge, most)
	}
	return nil
}

// budgeted limits how many bytes are read.
type budgeted struct {
	io.ReaderAt
	left int64
}

func (b *budgeted) ReadAt(p []byte, at int64) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, fmt.Errorf("%w: too many entries", ErrTooLarge)
	}
	return b.ReaderAt.ReadAt(p, at)
}

func (a *Archive) readManifest(comment string) error {
	sum, ours := strings.CutPrefix(comment, format+" ")
	f := a.files[manifestName]
	if !ours || f == nil {
		return ErrForeign
	}
	r, err := f.Open()
	if err != nil {
		return fmt.Errorf("%w: %s: %v", ErrDamaged, manifestName, err)
	}
	text, err := io.ReadAll(io.LimitReader(r, a.limits.Manifest+1))
	if err := errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("%w: %s: %v", ErrDamaged, manifestName, err)
	}
	if int64(len(text)) > a.limits.Manifest || blob.Sum(text) != sum {
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
func (a *Archive) check(name string, e entry) error {
	f := a.files[name]
	damaged := func(what string) error { return fmt.Errorf("%w: %s %s", ErrDamaged, name, what) }
	sha, isBlob := strings.CutPrefix(name, blobDir)
	switch {
	case f == nil:
		return damaged("is missing")
	case e.Size < 0 || f.UncompressedSize64 != uint64(e.Size):
		return damaged("has another size")
	case f.Flags&1 != 0:
		return damaged("is encrypted")
	case isBlob && (f.Method != zip.Store || blob.CheckName(sha) != nil || sha != e.SHA256):
		return damaged("is not a file of a shop")
	case !isBlob && e.Size > freeRatio && uint64(e.Size) > maxRatio*f.CompressedSize64:
		return damaged("has an implausible compression ratio")
	case !isBlob && name != shopName && name != membersName && name != buyersName && !strings.HasPrefix(name, tableDir):
		return damaged("does not belong there")
	}
	if isBlob {
		a.blobs -= e.Size
	} else {
		a.limits.Rows -= e.Size
	}
	switch {
	case a.blobs < 0: // they are not compressed
		return damaged("overlaps another entry")
	case a.limits.Rows < 0:
		return fmt.Errorf("%w: too many bytes of rows", ErrTooLarge)
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

// Rows calls each with the rows of a table. A line that is longer than the limit is ErrTooLarge.
func (a *Archive) Rows(table string, each func(row []byte) error) error {
	return a.lines(tableDir+table+".jsonl", each)
}

// Shop returns the row of the shop itself.
func (a *Archive) Shop() (fields map[string]any, err error) {
	err = a.rows(shopName, func(row map[string]any) error {
		fields = row
		return nil
	})
	if err == nil && fields == nil {
		err = fmt.Errorf("%w: %s is empty", ErrDamaged, shopName)
	}
	return fields, err
}

// Members calls each with the members of the shop.
func (a *Archive) Members(each func(fields map[string]any) error) error {
	return a.rows(membersName, each)
}

// Tables returns how many rows the manifest counts of each table, and of members and buyers.
func (a *Archive) Tables() map[string]int {
	rows := map[string]int{}
	for name, e := range a.Entries {
		if table, ok := strings.CutSuffix(strings.TrimPrefix(name, tableDir), ".jsonl"); ok {
			rows[table] = e.Rows
		}
	}
	return rows
}

// Blob opens the content of a file, and returns its size. There is none for files that were never
// uploaded.
func (a *Archive) Blob(sha string) (r io.ReadCloser, size int64, err error) {
	f := a.files[blobDir+sha]
	if f == nil {
		return nil, 0, fmt.Errorf("%w: it lacks the content %s", ErrDamaged, sha)
	}
	r, err = f.Open()
	return r, a.Entries[blobDir+sha].Size, err
}

// rows calls each with the decoded rows of an entry.
func (a *Archive) rows(name string, each func(fields map[string]any) error) error {
	columns := a.Entries[name].Columns
	return a.lines(name, func(row []byte) error {
		fields, err := fieldsOf(row)
		if err != nil {
			return fmt.Errorf("%w: %s: %v", ErrDamaged, name, err)
		}
		for column := range fields {
			if columns != nil && !slices.Contains(columns, column) {
				return fmt.Errorf("%w: %s: column %q is not in the manifest", ErrDamaged, name, column)
			}
		}
		return each(fields)
	})
}

// lines calls each with the lines of an entry. A line is valid until each returns.
func (a *Archive) lines(name string, each func(line []byte) error) (err error) {
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
	lines.Buffer(nil, a.limits.Row)
	for lines.Scan() {
		if err := each(lines.Bytes()); err != nil {
			return err
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("%w: a row of %s has more than %d bytes", ErrTooLarge, name, a.limits.Row)
	case err != nil:
		return fmt.Errorf("%w: %s: %v", ErrDamaged, name, err)
	}
	return nil
}
