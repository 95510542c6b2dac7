package full

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/blob"
	"vitrine/internal/blob/blobtest"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// place is an installation: a database and a bucket.
type place struct {
	*testing.T
	url   string
	store *store.Store
	blobs blob.Store
	sql   *pgx.Conn
}

func (p *place) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// empty is a place that nothing was written to.
func empty(t *testing.T, bucket string) *place {
	t.Helper()
	p := &place{T: t, url: storetest.URL(t, store.Migrate)}
	p.open(bucket)
	p.do(`DROP SCHEMA public, dev, draft CASCADE; CREATE SCHEMA public`)
	return p
}

func (p *place) open(bucket string) {
	p.Helper()
	var err error
	p.store, err = store.Open(p.Context(), p.url)
	p.must(err)
	p.Cleanup(p.store.Close)
	p.blobs, err = blob.Open(bucket)
	p.must(err)
	p.sql, err = pgx.Connect(p.Context(), p.url)
	p.must(err)
	p.Cleanup(func() { p.must(p.sql.Close(context.Background())) })
}

// used is an installation with a shop.
func used(t *testing.T, bucket string) *place {
	t.Helper()
	p := &place{T: t, url: storetest.URL(t, store.Migrate)}
	p.open(bucket)
	p.must(p.store.CreateInstallation(t.Context(), store.Installation{ID: uuid.New(), Keys: []string{"k"}}))
	p.do(`INSERT INTO company (slug, name, currency) VALUES ('tea', 'Tea', 'EUR')`)
	return p
}

func (p *place) do(sql string, args ...any) {
	p.Helper()
	_, err := p.sql.Exec(p.Context(), sql, args...)
	p.must(err)
}

// keep stores an object that a row needs.
func (p *place) keep(text string) (sha string) {
	p.Helper()
	ref, err := p.blobs.Put(p.Context(), strings.NewReader(text), 1<<20)
	p.must(err)
	p.do(`INSERT INTO blob (company_id, sha256, size) SELECT id, $1, $2 FROM company`, ref.SHA256, ref.Size)
	return ref.SHA256
}

func (p *place) backup(dir string) Report {
	p.Helper()
	report, err := Write(p.Context(), Source{Store: p.store, DatabaseURL: p.url, Blobs: p.blobs}, dir)
	p.must(err)
	return report
}

func (p *place) restore(dir string) error {
	p.Helper()
	m, err := Read(dir)
	if err == nil {
		_, err = Restore(p.Context(), dir, m, p.url, p.blobs)
	}
	return err
}

func (p *place) has(sha string) bool {
	p.Helper()
	has, err := p.blobs.Has(p.Context(), sha)
	p.must(err)
	return has
}

// A backup of an installation in S3 is restored into another bucket and into a directory. A second
// one copies only new objects and removes those that only the first one needed.
func TestABackupIsIncrementalAndRestoresFromAndToABucket(t *testing.T) {
	s3 := blobtest.Start(t)
	from := used(t, s3.URL())
	one, two := from.keep("one"), from.keep("two")
	dir := filepath.Join(t.TempDir(), "backup")
	if r := from.backup(dir); r.Objects != 2 || r.Copied != 2 || r.CopiedBytes != 6 || r.Lacking != 0 || r.Tables < 100 {
		t.Errorf("%+v", r)
	}
	three := from.keep("three")
	from.do(`DELETE FROM blob WHERE sha256 = $1`, one)
	if r := from.backup(dir); r.Objects != 2 || r.Copied != 1 || r.CopiedBytes != 5 {
		t.Errorf("%+v", r)
	}
	kept, err := objects(dir)
	from.must(err)
	for sha, want := range map[string]bool{one: false, two: true, three: true} {
		if has, err := kept.Has(t.Context(), sha); has != want || err != nil {
			t.Errorf("%s is kept: %t %v", sha, has, err)
		}
	}
	if files, err := os.ReadDir(dir); len(files) != 4 || err != nil {
		t.Errorf("%v %v", files, err)
	}
	for _, bucket := range []string{strings.Replace(s3.URL(), "/some/prefix", "/another", 1), "file://" + t.TempDir()} {
		to := empty(t, bucket)
		to.must(to.restore(dir))
		if to.has(one) || !to.has(two) || !to.has(three) {
			t.Error("other objects were restored")
		}
		var name string
		to.must(to.sql.QueryRow(t.Context(), `SELECT name FROM company`).Scan(&name))
		in, _, err := to.store.Installation(t.Context())
		to.must(err)
		owner, err := to.blobs.Owner(t.Context())
		if name != "Tea" || err != nil || owner != in.ID.String() {
			t.Errorf("%s, %s, %s, %v", name, in.ID, owner, err)
		}
		if err := to.restore(dir); err == nil || !strings.Contains(err.Error(), "not empty") {
			t.Errorf("a second restore: %v", err)
		}
	}
}

// What a bucket has lost does not prevent a backup, which names it.
func TestABackupNamesWhatTheBucketHasLost(t *testing.T) {
	t.Parallel()
	bucket := t.TempDir()
	from := used(t, "file://"+bucket)
	gone, damaged := from.keep("gone"), from.keep("damaged")
	path := func(sha string) string { return filepath.Join(bucket, "sha256", sha[:2], sha) }
	from.must(os.Remove(path(gone)))
	from.must(os.WriteFile(path(damaged), []byte("changed"), 0o600))
	dir := t.TempDir()
	r, err := Write(t.Context(), Source{Store: from.store, DatabaseURL: from.url, Blobs: from.blobs}, dir)
	if !errors.Is(err, ErrIncomplete) || r.Lacking != 2 || len(r.Lost) != 2 {
		t.Errorf("%v %+v", err, r)
	}
	to := empty(t, "file://"+t.TempDir())
	to.must(to.restore(dir))
}

// An object that rows of the snapshot need cannot be removed before it is copied.
func TestABackupWaitsForRemovalsAndHoldsThem(t *testing.T) {
	t.Parallel()
	from := used(t, "file://"+t.TempDir())
	from.keep("one")
	dir := t.TempDir()
	done := make(chan error, 1)
	from.must(from.store.RunBeside(t.Context(), store.Backup, func(context.Context) error {
		go func() {
			_, err := Write(t.Context(), Source{Store: from.store, DatabaseURL: from.url, Blobs: from.blobs}, dir)
			done <- err
		}()
		ran := false
		_, err := from.store.RunExclusive(t.Context(), store.Backup, func(context.Context) error { ran = true; return nil })
		if ran || err != nil {
			t.Errorf("exclusive work began beside a removal: %v", err)
		}
		if _, err := Read(dir); !errors.Is(err, ErrNoBackup) {
			t.Error("the backup did not wait")
		}
		return nil
	}))
	from.must(<-done)
	ran, err := from.store.RunExclusive(t.Context(), store.Backup, func(ctx context.Context) error {
		return from.store.RunBeside(ctx, store.Backup, func(context.Context) error {
			t.Error("objects are removed while a backup is made")
			return nil
		})
	})
	if !ran || err != nil {
		t.Error(ran, err)
	}
}

// A damaged or unfinished backup, one of another schema, and a target in use are refused; the target
// stays as it was.
func TestARestoreRefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	from := used(t, "file://"+t.TempDir())
	sha := from.keep("one")
	whole := t.TempDir()
	from.backup(whole)
	m, err := Read(whole)
	from.must(err)
	object := filepath.Join(objectsDir, "sha256", sha[:2], sha)
	replace := func(name, old, new string) func(dir string) error {
		return func(dir string) error {
			text, err := os.ReadFile(filepath.Join(dir, name))
			return errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(strings.Replace(string(text), old, new, 1)), 0o600))
		}
	}
	for what, c := range map[string]struct {
		change func(dir string) error
		want   string
	}{
		"no manifest":         {func(dir string) error { return os.Remove(filepath.Join(dir, manifestName)) }, "no complete backup"},
		"a cut manifest":      {func(dir string) error { return os.Truncate(filepath.Join(dir, manifestName), 100) }, "is damaged"},
		"a cut dump":          {func(dir string) error { return os.Truncate(filepath.Join(dir, m.Database.Name), m.Database.Bytes-1) }, "is damaged"},
		"a cut list":          {func(dir string) error { return os.Truncate(filepath.Join(dir, m.Objects.Name), 10) }, "is damaged"},
		"no dump":             {func(dir string) error { return os.Remove(filepath.Join(dir, m.Database.Name)) }, "is damaged"},
		"a missing object":    {func(dir string) error { return os.Remove(filepath.Join(dir, object)) }, sha},
		"a changed object":    {replace(object, "one", "two"), sha},
		"a path in a name":    {replace(manifestName, `"name": "database-`, `"name": "../database-`), "is damaged"},
		"another format":      {replace(manifestName, `"format": 1`, `"format": 2`), "format 2"},
		"a newer schema":      {replace(manifestName, `"needs": 0`, `"needs": 9000`), "schema: it is newer"},
		"a schema far beyond": {replace(manifestName, `"version": 1`, `"version": 91`), "schema: it is newer"},
	} {
		dir := filepath.Join(t.TempDir(), "b")
		from.must(os.CopyFS(dir, os.DirFS(whole)))
		from.must(c.change(dir))
		to := empty(t, "file://"+t.TempDir())
		err := to.restore(dir)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
		owner, err := to.blobs.Owner(t.Context())
		to.must(err)
		if fresh, err := to.store.SchemaIsEmpty(t.Context()); !fresh || err != nil || owner != "" || to.has(sha) {
			t.Errorf("%s: something was restored (%v)", what, err)
		}
	}
	for what, to := range map[string]*place{"not empty, it has": used(t, "file://"+t.TempDir()), "bucket is not empty": empty(t, "file://"+t.TempDir()), "belongs to the installation x": empty(t, "file://"+t.TempDir())} {
		switch what {
		case "bucket is not empty":
			_, err := to.blobs.Put(t.Context(), strings.NewReader("x"), 1)
			to.must(err)
		case "belongs to the installation x":
			to.must(to.blobs.Mark(t.Context(), "x"))
		}
		if err := to.restore(whole); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A restore that was interrupted at any step is continued, and only from the same backup.
func TestAnInterruptedRestoreIsContinued(t *testing.T) {
	t.Parallel()
	from := used(t, "file://"+t.TempDir())
	sha := from.keep("one")
	dir, later := t.TempDir(), t.TempDir()
	from.backup(dir)
	from.backup(later)
	m, err := Read(dir)
	from.must(err)
	for what, interrupted := range map[string]func(to *place) error{
		"the bucket was marked": func(to *place) error { return to.blobs.Mark(t.Context(), restoring+m.ID.String()) },
		"a part of it was filled": func(to *place) error {
			to.must(to.blobs.Mark(t.Context(), restoring+m.ID.String()))
			_, err := to.blobs.Put(t.Context(), strings.NewReader("one"), 3)
			return err
		},
		"the database was filled": func(to *place) error {
			to.must(to.restore(dir))
			return to.blobs.Mark(t.Context(), restoring+m.ID.String())
		},
	} {
		to := empty(t, "file://"+t.TempDir())
		to.must(interrupted(to))
		if err := to.restore(later); err == nil {
			t.Errorf("%s: another backup was restored", what)
		}
		if err := to.restore(dir); err != nil || !to.has(sha) {
			t.Errorf("%s: %v", what, err)
		}
		if owner, err := to.blobs.Owner(t.Context()); owner != m.Installation.ID.String() || err != nil {
			t.Errorf("%s: the bucket is marked with %q, %v", what, owner, err)
		}
	}
}

// A folder of something else, and that of another installation, are not written to.
func TestABackupRefusesForeignFolders(t *testing.T) {
	t.Parallel()
	from, other := used(t, "file://"+t.TempDir()), used(t, "file://"+t.TempDir())
	dir := t.TempDir()
	from.backup(dir)
	foreign := t.TempDir()
	from.must(os.WriteFile(filepath.Join(foreign, "letter.txt"), nil, 0o600))
	for _, c := range []struct{ dir, want string }{{dir, "another folder"}, {foreign, "letter.txt"}} {
		_, err := Write(t.Context(), Source{Store: other.store, DatabaseURL: other.url, Blobs: other.blobs}, c.dir)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.dir, err)
		}
	}
}
