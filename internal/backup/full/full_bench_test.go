package full

import (
	"bytes"
	"encoding/binary"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"vitrine/internal/blob"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// BenchmarkBackup measures a shop with 20,000 products, 20,000 orders and 4,000 files of 64 KB, beside
// pg_dump and a copy of the bucket without checks and flushes.
func BenchmarkBackup(b *testing.B) {
	const products, customers, orders, files, length = 20_000, 2_000, 20_000, 4_000, 64 << 10
	url := storetest.URL(b, store.Migrate)
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	s, err := store.Open(b.Context(), url)
	must(err)
	defer s.Close()
	bucket := b.TempDir()
	blobs, err := blob.OpenDir(bucket)
	must(err)
	must(s.CreateInstallation(b.Context(), store.Installation{ID: uuid.New(), Keys: []string{"k"}}))
	_, err = s.Pool.Exec(b.Context(), `INSERT INTO company (slug, name, currency) VALUES ('tea', 'Tea', 'EUR')`)
	must(err)
	storetest.Large(b, url, 1, products)
	storetest.Trade(b, url, 1, customers, orders)
	content := make([]byte, length)
	for n := range files {
		binary.BigEndian.PutUint64(content, uint64(n))
		ref, err := blobs.Put(b.Context(), bytes.NewReader(content), length)
		must(err)
		_, err = s.Pool.Exec(b.Context(), `INSERT INTO blob (company_id, sha256, size) VALUES (1, $1, $2)`, ref.SHA256, ref.Size)
		must(err)
	}
	from := Source{Store: s, DatabaseURL: url, Blobs: blobs}
	time := func(what string, do func()) time.Duration {
		begin := time.Now()
		do()
		took := time.Since(begin)
		b.ReportMetric(took.Seconds(), what+"-s")
		return took
	}
	for b.Loop() {
		dir := b.TempDir()
		plain := time("plain", func() {
			must(exec.Command("pg_dump", "--format=custom", "--compress=1", "--file="+filepath.Join(dir, "plain"), url).Run())
			must(exec.Command("cp", "-r", bucket, filepath.Join(dir, "bucket")).Run())
		})
		dir = b.TempDir()
		var report Report
		first := time("first", func() { report, err = Write(b.Context(), from, dir); must(err) })
		time("second", func() { _, err = Write(b.Context(), from, dir); must(err) })
		time("check", func() { _, err = Check(b.Context(), dir, slog.New(slog.DiscardHandler)); must(err) })
		to := storetest.URL(b, store.Migrate)
		target, err := store.Open(b.Context(), to)
		must(err)
		_, err = target.Pool.Exec(b.Context(), `DROP SCHEMA public, dev, draft CASCADE; CREATE SCHEMA public`)
		must(err)
		target.Close()
		m, err := Read(dir)
		must(err)
		empty, err := blob.OpenDir(filepath.Join(b.TempDir(), "bucket"))
		must(err)
		time("restore", func() { _, err = Restore(b.Context(), dir, m, to, empty); must(err) })
		b.ReportMetric(first.Seconds()/plain.Seconds(), "of-plain")
		b.ReportMetric(float64(report.DatabaseBytes)/1e6, "dump-MB")
		b.ReportMetric(float64(report.Rows), "rows")
		must(os.RemoveAll(dir))
	}
}
