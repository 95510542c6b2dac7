package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"vitrine/internal/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func on(t testing.TB, address string, do func(*pgx.Conn) error) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), address)
	must(t, err)
	must(t, errors.Join(do(conn), conn.Close(context.Background())))
}

func scan(t testing.TB, address, sql string) (answer string) {
	t.Helper()
	on(t, address, func(conn *pgx.Conn) error { return conn.QueryRow(t.Context(), sql).Scan(&answer) })
	return answer
}

// notes returns an initial state with one table of one row, with a unique key.
func notes(t testing.TB, builds *atomic.Int32) (string, Build) {
	return t.Name() + t.TempDir(), func(ctx context.Context, url string) error {
		builds.Add(1)
		on(t, url, func(conn *pgx.Conn) error { return run(ctx, conn, "CREATE TABLE notes AS SELECT 'first' AS text") })
		return nil
	}
}

func TestADatabaseHasTheNewestSchema(t *testing.T) {
	t.Parallel()
	address := URL(t, store.Migrate)
	must(t, store.Migrate(t.Context(), address)) // nothing left to do
	if got := scan(t, address, "SELECT (count(*) > 10)::text FROM pg_tables WHERE schemaname = 'public'"); got != "true" {
		t.Error("the schema is missing")
	}
}

func TestDatabasesAreIsolated(t *testing.T) {
	t.Parallel()
	var builds atomic.Int32
	key, build := notes(t, &builds)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			address := Clone(t, key, build)
			on(t, address, func(conn *pgx.Conn) error {
				return run(t.Context(), conn, fmt.Sprintf("INSERT INTO notes VALUES ('%d')", i))
			})
			if got := scan(t, address, "SELECT string_agg(text, ' ') FROM notes"); got != fmt.Sprintf("first %d", i) {
				t.Errorf("notes: %s", got)
			}
		})
	}
	all.Wait()
	if builds.Load() != 1 {
		t.Errorf("the template was built %d times", builds.Load())
	}
}

func TestADatabaseIsDroppedWithItsTestEvenWhenInUse(t *testing.T) {
	t.Parallel()
	var builds atomic.Int32
	key, build := notes(t, &builds)
	var address string
	var left *pgx.Conn
	t.Run("inner", func(t *testing.T) {
		address = Clone(t, key, build)
		conn, err := pgx.Connect(t.Context(), address)
		must(t, err)
		left = conn
	})
	if conn, err := pgx.Connect(t.Context(), address); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("the database is still there: %v %v", conn, err)
	}
	if err := left.Close(context.Background()); err != nil {
		t.Logf("the cut connection: %v", err)
	}
}

func TestAFailedBuildIsNotKept(t *testing.T) {
	t.Parallel()
	s, err := sharedServer()
	must(t, err)
	ctx, key, name := t.Context(), t.Name()+t.TempDir(), fmt.Sprintf("%s%d_failed", clonePrefix, os.Getpid())
	broken := errors.New("broken migration")
	err = s.clone(ctx, name, key, func(ctx context.Context, url string) error {
		on(t, url, func(conn *pgx.Conn) error { return run(ctx, conn, "CREATE TABLE half ()") })
		return broken
	})
	if !errors.Is(err, broken) {
		t.Fatalf("clone: %v", err)
	}
	address := Clone(t, key, func(context.Context, string) error { return nil })
	if got := scan(t, address, "SELECT count(*)::text FROM pg_tables WHERE schemaname = 'public'"); got != "0" {
		t.Errorf("%s tables of the failed build", got)
	}
}

func TestDatabasesOfKilledTestsAreSwept(t *testing.T) {
	t.Parallel()
	s, err := sharedServer()
	must(t, err)
	gone := exec.Command("true")
	must(t, gone.Run())
	orphan := fmt.Sprintf("%s%d_orphan", clonePrefix, gone.Process.Pid)
	alive := fmt.Sprintf("%s%d_alive", clonePrefix, os.Getpid())
	must(t, s.maintain(t.Context(), func(conn *pgx.Conn) error {
		ctx := t.Context()
		for _, name := range []string{orphan, alive} {
			must(t, run(ctx, conn, "CREATE DATABASE "+name))
		}
		must(t, sweep(ctx, conn))
		for name, want := range map[string]bool{orphan: false, alive: true} {
			found, err := exists(ctx, conn, name)
			must(t, err)
			if found != want {
				t.Errorf("%s exists: %v", name, found)
			}
		}
		return drop(ctx, conn, alive)
	}))
}

func TestFoldersOfKilledTestsAreSwept(t *testing.T) {
	t.Parallel()
	gone := exec.Command("true")
	must(t, gone.Run())
	dir, mine := t.TempDir(), Dir(t)
	left, other := filepath.Join(dir, fmt.Sprintf("%s%d_x", clonePrefix, gone.Process.Pid)), filepath.Join(dir, filepath.Base(mine))
	for _, path := range []string{left, other} {
		must(t, os.MkdirAll(filepath.Join(path, "objects"), 0o755))
	}
	must(t, sweepDirs(dir))
	for path, want := range map[string]bool{left: false, other: true, mine: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestASharedFolderOfSomebodyElseIsNotUsed(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	dir, err := sharedDir(base)
	must(t, err)
	must(t, os.Chmod(dir, 0o777))
	if _, err := sharedDir(base); err == nil {
		t.Error("a folder that others can write to was taken")
	}
	must(t, os.Remove(dir))
	must(t, os.Symlink(t.TempDir(), dir))
	if _, err := sharedDir(base); err == nil {
		t.Error("a link was taken")
	}
	if _, err := sharedDir(filepath.Join(base, "missing")); err == nil {
		t.Error("a folder was made below a missing one")
	}
}

func TestTheHashDependsOnNamesContentsAndBoundaries(t *testing.T) {
	t.Parallel()
	seen := map[string]fstest.MapFS{}
	for _, files := range []fstest.MapFS{
		{},
		{"a": {Data: []byte("bc")}},
		{"ab": {Data: []byte("c")}},
		{"a": {Data: []byte("b")}, "c": {}},
		{"a": {}, "c": {Data: []byte("b")}},
	} {
		hash, err := hashFiles(files)
		must(t, err)
		if other, ok := seen[hash]; ok {
			t.Errorf("%v and %v have the same hash", files, other)
		}
		seen[hash] = files
	}
}

// BenchmarkClone measures the cost for a test: a copy of the migrated template, and its
// removal. The reference is a connection to the server, opened and closed.
func BenchmarkClone(b *testing.B) {
	URL(b, store.Migrate)
	s, err := sharedServer()
	must(b, err)
	key := "benchmark"
	begin := time.Now()
	for range 20 {
		conn, err := pgx.Connect(b.Context(), s.address("postgres"))
		must(b, err)
		must(b, conn.Close(b.Context()))
	}
	ceiling := time.Since(begin) / 20
	for b.Loop() {
		name := fmt.Sprintf("%s%d_benchmark", clonePrefix, os.Getpid())
		must(b, s.clone(b.Context(), name, key, store.Migrate))
		must(b, s.maintain(b.Context(), func(conn *pgx.Conn) error { return drop(b.Context(), conn, name) }))
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(ceiling), "x-connection")
}
