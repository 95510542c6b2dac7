// Package storetest gives every test a separate PostgreSQL database.
//
//	func TestOrders(t *testing.T) {
//		t.Parallel()
//		db, err := store.Open(t.Context(), storetest.URL(t, store.Migrate))
//
// All test processes of one user share one private server (package cluster), with
// durability off, in /dev/shm/vitrine-test-<user id>, or below the folder for temporary
// files where memory is scarce. The first test process starts it, and a small background
// process stops it ten seconds after the last one has ended, even if that was killed: no
// server is left running, and the packages of one "go test ./..." start it only once.
//
// The schema is applied once, to a template database named by the hash of the migrations; a
// test gets a copy of the template, which takes some tens of milliseconds, and the copy is
// dropped when the test ends. Databases of killed test processes are dropped by the next
// process. The newest few templates are kept for the next run.
//
// The package imports the migrations but not package store, so that tests inside store can
// use it too.
package storetest

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"vitrine/internal/store/migrations"
)

// Build brings an empty database at the URL into the initial state of tests. It must close
// its connections before it returns. store.Migrate is one.
type Build func(ctx context.Context, url string) error

// stepTimeout bounds each step for which a test waits; a first start on a busy machine
// takes some seconds.
const stepTimeout = 2 * time.Minute

// cloneTimeout bounds the copy of a template, which may have to be built: the largest one
// takes a minute of processor time.
const cloneTimeout = 5 * time.Minute

// URL returns the URL of a fresh database with the newest schema, dropped when t ends,
// along with connections that are still open. migrate is store.Migrate; it runs only when
// the migrations have changed since the last run on this machine.
func URL(t testing.TB, migrate Build) string {
	t.Helper()
	key, err := hashFiles(migrations.FS)
	if err != nil {
		t.Fatal(err)
	}
	return Clone(t, key, migrate)
}

// FewConnections is a store.ConnOption for tests. Every new connection plans the program's
// statements again: with as many connections as in production, that takes a third of the
// server's time.
func FewConnections(cfg *pgxpool.Config) { cfg.MaxConns = 8 }

// Dir returns a folder for the blobs of a test, removed when it ends: next to the server's
// files, where writes do not wait for a disk. Folders left by killed processes are removed
// by the next one.
func Dir(t testing.TB) string {
	t.Helper()
	s, err := sharedServer()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(s.dir, fmt.Sprintf("%s%d_", clonePrefix, os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// Kept returns the path of a folder, next to the server's files, in which test processes can
// leave files for later ones. It does not exist before one of them has made it.
func Kept(name string) (string, error) {
	s, err := sharedServer()
	if err != nil {
		return "", err
	}
	return filepath.Join(s.dir, "kept_"+name), nil
}

// Clone is URL for any initial state: key identifies it, and must change when build does.
// Tests with the same key share one template, also across processes and runs.
func Clone(t testing.TB, key string, build Build) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), cloneTimeout)
	defer cancel()
	s, err := sharedServer()
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("%s%d_%s", clonePrefix, os.Getpid(), strings.ToLower(rand.Text()[:10]))
	if err := s.clone(ctx, name, key, build); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stepTimeout)
		defer cancel()
		if err := s.maintain(ctx, func(conn *pgx.Conn) error { return drop(ctx, conn, name) }); err != nil {
			t.Errorf("drop the test's database: %v", err)
		}
	})
	return s.address(name)
}
