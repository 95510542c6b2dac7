package backup

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"

	"vitrine/internal/blob"
	"vitrine/internal/store"
	"vitrine/internal/store/backup"
	companydb "vitrine/internal/store/company"
)

// Report counts what an export or import transferred.
type Report struct {
	Tables int `json:"tables"`
	Rows   int `json:"rows"`
	Blobs  int `json:"blobs"`
}

// Export writes a shop to w. It holds one row at a time; what grows with the shop is a line of the
// manifest for each file. progress is told how many tables and files of how many are written, of
// how many only once the rows are; it may be nil.
func Export(
	ctx context.Context, s *store.Store, blobs blob.Store, company companydb.Company, w io.Writer, progress func(done, total int64),
) (Report, error) {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	tables, err := companydb.TenantTables(ctx, s)
	if err != nil {
		return Report{}, err
	}
	x := &exporter{zip: zip.NewWriter(w), blobs: blobs, progress: progress, manifest: manifest{
		Format: format, Version: version, Slug: company.Slug, Entries: map[string]entry{},
	}}
	err = s.Snapshot(ctx, company.ID, func(r store.Reader) error { return x.rows(ctx, r, tables) })
	if err != nil {
		return x.report, err
	}
	for _, sha := range slices.Sorted(maps.Keys(x.sizes)) {
		if err := x.blob(ctx, sha, x.sizes[sha]); err != nil {
			return x.report, err
		}
		x.progress(int64(x.report.Tables+x.report.Blobs), int64(x.report.Tables+len(x.sizes)))
	}
	return x.report, x.close()
}

type exporter struct {
	zip      *zip.Writer
	blobs    blob.Store
	progress func(done, total int64)
	manifest manifest
	sizes    map[string]int64 // sizes of the blobs by hash
	report   Report
}

func (x *exporter) rows(ctx context.Context, r store.Reader, tables []companydb.TenantTable) error {
	if err := backup.AllowLong(ctx, r); err != nil {
		return err
	}
	row, err := backup.TenantShop(ctx, r)
	if err != nil {
		return err
	}
	columns := map[string]json.RawMessage{}
	if err := json.Unmarshal(row, &columns); err != nil {
		return err
	}
	if err := x.lines(shopName, slices.Sorted(maps.Keys(columns)), func(each func([]byte) error) error { return each(row) }); err != nil {
		return err
	}
	if err := x.lines(membersName, nil, func(each func([]byte) error) error { return backup.TenantMembers(ctx, r, each) }); err != nil {
		return err
	}
	if err := x.lines(buyersName, nil, func(each func([]byte) error) error { return backup.TenantBuyers(ctx, r, each) }); err != nil {
		return err
	}
	x.sizes = map[string]int64{}
	for _, t := range tables {
		if excludedTables[t.Base()] {
			continue
		}
		err := x.lines(tableDir+t.Name+".jsonl", t.Columns, func(each func([]byte) error) error {
			return backup.TenantRows(ctx, r, t, func(row []byte) error {
				row, err := x.row(t, row)
				if err != nil {
					return err
				}
				x.report.Rows++
				return each(row)
			})
		})
		if err != nil {
			return err
		}
		x.report.Tables++
		x.progress(int64(x.report.Tables), 0)
	}
	return nil
}

// row removes the secrets from a row and records its blob.
func (x *exporter) row(t companydb.TenantTable, row []byte) ([]byte, error) {
	if t.Name == "blob" {
		var b struct {
			SHA256 string `json:"sha256"`
			Size   int64  `json:"size"`
		}
		if err := json.Unmarshal(row, &b); err != nil {
			return nil, err
		}
		x.sizes[b.SHA256] = b.Size
		return row, nil
	}
	hide := hidden[t.Name]
	if slices.Contains(t.Columns, "upload_hash") {
		hide = append(hide, "upload_hash")
	}
	if len(hide) == 0 {
		return row, nil
	}
	fields, err := fieldsOf(row)
	if err != nil {
		return nil, err
	}
	if t.Name == "payment_method" && fields["sealed"] != nil {
		fields["is_active"] = false // it does not work without its secrets
	}
	for _, name := range hide {
		fields[name] = nil
	}
	return json.Marshal(fields)
}

// hidden are columns that a copy must not contain: secrets and what belongs to their account, and the times at which this
// installation polls providers about payments.
var hidden = map[string][]string{"payment_method": {"sealed", "public"}, "payment": {"look_at"}, "payment_refund": {"try_at"}}

// lines writes an entry of JSON lines.
func (x *exporter) lines(name string, columns []string, produce func(each func([]byte) error) error) error {
	w, err := x.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	if err != nil {
		return err
	}
	m := &hashWriter{w: w, sum: sha256.New()}
	rows := 0
	err = produce(func(row []byte) error {
		rows++
		_, err := m.Write(append(bytes.Clone(row), '\n'))
		return err
	})
	x.manifest.Entries[name] = entry{Size: m.n, SHA256: m.hex(), Rows: rows, Columns: columns}
	return err
}

func (x *exporter) blob(ctx context.Context, sha string, size int64) error {
	r, have, err := x.blobs.Open(ctx, sha)
	if err != nil {
		return fmt.Errorf("file %s: %w", sha, err)
	}
	defer r.Close()
	w, err := x.zip.CreateHeader(&zip.FileHeader{Name: blobDir + sha, Method: zip.Store})
	if err != nil {
		return err
	}
	m := &hashWriter{w: w, sum: sha256.New()}
	if _, err := io.Copy(m, r); err != nil {
		return fmt.Errorf("file %s: %w", sha, err)
	}
	if m.hex() != sha || m.n != size || have != size {
		return fmt.Errorf("file %s: %w", sha, blob.ErrDamaged)
	}
	x.manifest.Entries[blobDir+sha] = entry{Size: size, SHA256: sha}
	x.report.Blobs++
	return nil
}

func (x *exporter) close() error {
	text, err := json.Marshal(x.manifest)
	if err != nil {
		return err
	}
	w, err := x.zip.Create(manifestName)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := x.zip.SetComment(format + " " + blob.Sum(text)); err != nil {
		return err
	}
	return x.zip.Close()
}

// hashWriter counts and hashes the bytes written.
type hashWriter struct {
	w   io.Writer
	sum hash.Hash
	n   int64
}

func (m *hashWriter) Write(p []byte) (int, error) {
	n, err := m.w.Write(p)
	m.sum.Write(p[:n])
	m.n += int64(n)
	return n, err
}

func (m *hashWriter) hex() string { return hex.EncodeToString(m.sum.Sum(nil)) }
