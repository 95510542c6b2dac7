package main

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/await"
	"vitrine/internal/store/storetest"
)

// newDemo is an installation that has the demo shops and all their pictures. It is a copy of
// one that is made once for each build of the program and day: creating the shops and
// resizing their pictures takes most of a minute of processor time.
func newDemo(t *testing.T) *program {
	t.Helper()
	p := newMachine(t)
	url, files := savedDemo(t)
	p.env = append(p.env, "VITRINE_DATABASE_URL="+url+fewConnections)
	if err := os.CopyFS(filepath.Join(p.dir, "var"), files); err != nil {
		t.Fatal(err)
	}
	return p
}

// keepDemoPictures gives an installation that will create or import the demo shops itself the
// resized pictures of a demo that was made before. They are found by the hashes of their
// sources: the program prepares all pictures, but need not decode these.
func (p *program) keepDemoPictures() {
	p.t.Helper()
	_, files := savedDemo(p.t)
	resized, err := fs.Sub(files, "variants")
	if err == nil {
		err = os.CopyFS(filepath.Join(p.dir, "var", "variants"), resized)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// savedDemo returns a new copy of the database of saveDemo, and its data dir.
func savedDemo(t testing.TB) (url string, files fs.FS) {
	t.Helper()
	build, err := buildOfTests()
	if err != nil {
		t.Fatal(err)
	}
	url = storetest.Clone(t, "demo "+build+time.Now().Format(time.DateOnly), func(ctx context.Context, url string) error { return saveDemo(ctx, t, url) })
	files, err = unpackDemo(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return url, files
}

// buildOfTests identifies the test binary, which is the program.
var buildOfTests = sync.OnceValues(func() (string, error) {
	file, err := os.Open(os.Args[0])
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return hex.EncodeToString(sum.Sum(nil)), err
})

// demoLimit is enough to create the demo shops, or to resize their pictures, on a busy machine.
const demoLimit = 5 * time.Minute

// saveDemo creates the demo shops in a database, and stores the data dir in a table of it. The
// resized pictures are kept from the build before: they are found by the rules of resizing and
// the bytes of their sources, so only the ones that changed are made again.
func saveDemo(ctx context.Context, t testing.TB, url string) error {
	p := newMachine(t)
	p.env = append(p.env, "VITRINE_DATABASE_URL="+url)
	kept, err := storetest.Kept("demo_pictures")
	if err != nil {
		return err
	}
	resized := filepath.Join(p.dir, "var", "variants")
	if err := os.MkdirAll(resized, 0o700); err != nil {
		return err
	}
	if err := os.CopyFS(resized, os.DirFS(kept)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.WriteFile(filepath.Join(p.dir, "var", demoMark), nil, 0o600); err != nil { // only a data dir that does not exist yet gets it
		return err
	}
	p.verb("migrate")
	r := p.start("--demo")
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if !await.Within(demoLimit, func() (done bool) {
		err = conn.QueryRow(ctx, "SELECT NOT EXISTS (SELECT FROM media_file WHERE mime LIKE 'image/%' AND mime <> 'image/svg+xml' AND prepared <> sha256)").Scan(&done)
		return done || err != nil
	}) {
		err = errors.New("the pictures of the demo shops were not prepared in time")
	}
	if err != nil {
		return err
	}
	r.stop()
	if err := replaceFolder(kept, resized); err != nil {
		return err
	}
	// A copy is an installation of its own.
	if _, err := conn.Exec(ctx, "DELETE FROM installation"); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(p.dir, "var", "blobs", "installation")); err != nil {
		return err
	}
	var files bytes.Buffer
	packed := zip.NewWriter(&files)
	if err := packed.AddFS(os.DirFS(filepath.Join(p.dir, "var"))); err != nil {
		return err
	}
	if err := packed.Close(); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "CREATE TABLE data_dir AS SELECT $1::bytea AS files", files.Bytes())
	return err
}

// replaceFolder makes one folder a copy of another.
func replaceFolder(old, fresh string) error {
	next, err := os.MkdirTemp(filepath.Dir(old), filepath.Base(old)+"_")
	if err != nil {
		return err
	}
	return errors.Join(os.CopyFS(next, os.DirFS(fresh)), os.RemoveAll(old), os.Rename(next, old))
}

// unpackDemo takes the data dir of saveDemo out of the database.
func unpackDemo(ctx context.Context, url string) (fs.FS, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var packed []byte
	if err := conn.QueryRow(ctx, "SELECT files FROM data_dir").Scan(&packed); err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "DROP TABLE data_dir"); err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
}
