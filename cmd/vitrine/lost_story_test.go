package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/await"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/cluster"
	"vitrine/internal/store/company"
	"vitrine/internal/store/storetest"
)

// replica is a database server of its own that can go back to a copy of its data.
type replica struct {
	t       *testing.T
	dir     string
	most    int // max_connections; 0: many
	cluster *cluster.Cluster
}

func newReplica(t *testing.T) *replica {
	t.Helper()
	return newReplicaIn(t, storetest.Dir(t))
}

func newReplicaIn(t *testing.T, dir string) *replica {
	t.Helper()
	return (&replica{t: t, dir: dir}).create()
}

func (r *replica) create() *replica {
	r.t.Helper()
	r.do(os.Chmod(r.dir, 0o755)) // as root, the server's user must pass through
	r.start()
	r.t.Cleanup(r.stop)
	r.do(store.Migrate(r.t.Context(), r.cluster.URL()))
	return r
}

func (r *replica) do(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *replica) start() {
	r.t.Helper()
	var err error
	r.cluster, err = cluster.Start(await.Context(r.t), cluster.Config{Dir: r.dir, Throwaway: true, Connections: r.most})
	r.do(err)
}

func (r *replica) stop() {
	if err := r.cluster.Stop(r.t.Context()); err != nil && r.t.Context().Err() == nil {
		r.t.Error(err)
	}
}

func (r *replica) shell(name string, args ...string) {
	r.t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		r.t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// copy takes a copy of the stopped server's data.
func (r *replica) copy() {
	r.t.Helper()
	r.stop()
	r.shell("cp", "-a", filepath.Join(r.dir, "pg", "data"), filepath.Join(r.dir, "copy"))
	r.start()
}

// goBack replaces the server by the copy, which begins another timeline, as a standby does that had
// not received the last writes.
func (r *replica) goBack() {
	r.t.Helper()
	r.stop()
	data, copied := filepath.Join(r.dir, "pg", "data"), filepath.Join(r.dir, "copy")
	r.do(os.RemoveAll(data))
	r.shell("cp", "-a", copied, data)
	r.demote()
	r.promote()
}

// demote starts the server again as a standby, which answers reads only.
func (r *replica) demote() {
	r.t.Helper()
	r.stop()
	data := filepath.Join(r.dir, "pg", "data")
	r.shell("cp", "-a", filepath.Join(data, "PG_VERSION"), filepath.Join(data, "standby.signal")) // of the same owner
	r.start()
}

// promote lets a standby accept writes.
func (r *replica) promote() {
	r.t.Helper()
	s := r.open()
	defer s.Close()
	var promoted bool
	r.do(s.Pool.QueryRow(r.t.Context(), `SELECT pg_promote()`).Scan(&promoted))
}

// archive keeps all WAL from a copy on, so that the server can go back to a moment.
func (r *replica) archive() {
	r.t.Helper()
	r.do(os.Mkdir(filepath.Join(r.dir, "archive"), 0o777))
	r.do(os.Chmod(filepath.Join(r.dir, "archive"), 0o777)) // for the server's user
	s := r.open()
	for _, setting := range []string{"archive_mode = on", "archive_command = 'cp %p " + filepath.Join(r.dir, "archive") + "/%f'"} {
		_, err := s.Pool.Exec(r.t.Context(), "ALTER SYSTEM SET "+setting)
		r.do(err)
	}
	s.Close()
	r.copy()
}

// goBackTo replaces the server by the copy with the archived WAL up to a moment.
func (r *replica) goBackTo(moment time.Time) {
	r.t.Helper()
	s := r.open()
	var last string
	r.do(s.Pool.QueryRow(r.t.Context(), `SELECT pg_walfile_name(pg_switch_wal())`).Scan(&last))
	s.Close()
	wait(r.t, "the WAL is archived", func() bool { _, err := os.Stat(filepath.Join(r.dir, "archive", last)); return err == nil })
	r.stop()
	data := filepath.Join(r.dir, "pg", "data")
	r.do(os.RemoveAll(data))
	r.shell("cp", "-a", filepath.Join(r.dir, "copy"), data)
	r.shell("cp", "-a", filepath.Join(data, "PG_VERSION"), filepath.Join(data, "recovery.signal")) // of the same owner
	settings, err := os.OpenFile(filepath.Join(data, "postgresql.auto.conf"), os.O_APPEND|os.O_WRONLY, 0)
	r.do(err)
	_, err = fmt.Fprintf(settings, "restore_command = 'cp %s/%%f %%p'\nrecovery_target_time = '%s'\nrecovery_target_action = promote\n",
		filepath.Join(r.dir, "archive"), moment.UTC().Format("2006-01-02 15:04:05.999999+00"))
	r.do(errors.Join(err, settings.Close()))
	r.start()
	wait(r.t, "the server accepts writes", func() bool {
		s := r.open()
		defer s.Close()
		var recovers bool
		return s.Pool.QueryRow(r.t.Context(), `SELECT pg_is_in_recovery()`).Scan(&recovers) == nil && !recovers
	})
}

// processes are those of the server, the postmaster first.
func (r *replica) processes() []int { return serverProcesses(filepath.Join(r.dir, "pg", "data")) }

// lives reports whether the server accepts connections, or will after its recovery.
func (r *replica) lives() bool {
	pids := r.processes()
	return len(pids) > 0 && syscall.Kill(pids[0], 0) == nil
}

func (r *replica) open() *store.Store {
	r.t.Helper()
	s, err := store.Open(r.t.Context(), r.cluster.URL())
	r.do(err)
	return s
}

func (r *replica) version(id shop.CompanyID) int64 {
	r.t.Helper()
	s := r.open()
	defer s.Close()
	info, err := company.Info(r.t.Context(), s.Shop(id))
	r.do(err)
	return info.Version
}

// Edge and admin as two processes whose database fails over to a standby that lacks the last
// writes, then gets as many others, so that the shop has the same version again.
func TestProcessesShowWhatADatabaseThatLostWritesSays(t *testing.T) {
	t.Parallel()
	db := newReplica(t)
	processes := sharing(t, 2)
	writer, visitor := processes[0], processes[1]
	for _, p := range processes {
		p.env = append(p.env, "VITRINE_DATABASE_URL="+db.cluster.URL()+fewConnections)
	}
	key := writer.shop("tea")
	writer.startRole("admin")
	edge := visitor.startRole("edge")
	page := "/categories/" + itoa(writer.must(key, "POST", "/categories",
		map[string]any{"item": map[string]any{"name": "About", "type": "page", "is_published": true}})["id"])
	product := "/products/" + itoa(writer.must(key, "POST", "/products", map[string]any{"item": map[string]any{"name": "First tea"}})["id"])
	id := shop.CompanyID(shopID(t, writer))
	db.copy()

	rename := func(name string) {
		t.Helper()
		for _, object := range []string{page, product} {
			wait(t, "a write", func() bool {
				status, _, err := writer.try(key, "PUT", object, map[string]any{"item": map[string]any{"name": name}})
				return err == nil && status == 200
			})
		}
	}
	shows := func(name string) bool {
		status, _, body := visitor.visit("tea", "/about")
		return status == 200 && strings.Contains(body, "<h1>"+name)
	}
	listed := func() string {
		_, data, err := writer.try(key, "GET", "/products?filter.query=tea", nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	rename("Lost tea")
	wait(t, "the edge shows an edit", func() bool { return shows("Lost tea") })
	if !strings.Contains(listed(), "Lost tea") {
		t.Errorf("the list of products is %s", listed())
	}
	lost := db.version(id)
	db.goBack()
	wait(t, "the edge shows the page as it was", func() bool { return shows("About") })
	wait(t, "so does the list of products", func() bool { return strings.Contains(listed(), "First tea") })
	rename("Other tea")
	if now := db.version(id); now != lost {
		t.Errorf("version %d, but the test needs %d again", now, lost)
	}
	wait(t, "the edge shows an edit", func() bool { return shows("Other tea") })
	wait(t, "so does the list of products", func() bool { return strings.Contains(listed(), "Other tea") })

	// The edge sees nothing of the time at which the version is lower.
	if err := edge.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	db.goBack()
	rename("Last tea")
	if now := db.version(id); now != lost {
		t.Errorf("version %d, but the test needs %d again", now, lost)
	}
	if err := edge.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	wait(t, "the edge shows the later of two edits with the same version", func() bool { return shows("Last tea") })
	wait(t, "so does the list of products", func() bool { return strings.Contains(listed(), "Last tea") })
}

// A dump is restored over the database that edge and admin go on using.
func TestProcessesShowWhatARestoredDumpSays(t *testing.T) {
	t.Parallel()
	processes := sharing(t, 2)
	writer, visitor := processes[0], processes[1]
	url := storetest.URL(t, store.Migrate)
	for _, p := range processes {
		p.env = append(p.env, "VITRINE_DATABASE_URL="+url+fewConnections)
	}
	key := writer.shop("tea")
	writer.startRole("admin")
	visitor.startRole("edge")
	page := "/categories/" + itoa(writer.must(key, "POST", "/categories",
		map[string]any{"item": map[string]any{"name": "About", "type": "page", "is_published": true}})["id"])
	shell := func(name string, args ...string) {
		t.Helper()
		if out, err := exec.CommandContext(await.Context(t), name, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
	shows := func(name string) bool {
		status, _, body := visitor.visit("tea", "/about")
		return status == 200 && strings.Contains(body, "<h1>"+name)
	}
	dump := filepath.Join(t.TempDir(), "dump")
	shell("pg_dump", "--format=custom", "--no-owner", "--file="+dump, url)
	writer.must(key, "PUT", page, map[string]any{"item": map[string]any{"name": "Lost"}})
	wait(t, "the edge shows an edit", func() bool { return shows("Lost") })
	shell("pg_restore", "--clean", "--if-exists", "--single-transaction", "--no-owner", "--dbname="+url, dump)
	wait(t, "the edge shows the page as it was", func() bool { return shows("About") })
	writer.must(key, "PUT", page, map[string]any{"item": map[string]any{"name": "Another"}})
	wait(t, "the edge shows an edit with the version of the lost one", func() bool { return shows("Another") })
}
