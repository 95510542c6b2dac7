package cluster

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/await"
)

func TestAServerThatOutlivesAKilledProcessIsUsedAndStopped(t *testing.T) {
	t.Parallel()
	dir := stoppedCluster(t)
	killed := startHolder(t, dir)
	execute(t, killed.url, "CREATE TABLE kept AS SELECT pg_backend_pid()")
	killed.kill(t)

	c := start(t, Config{Dir: dir})
	if c.serverCmd != nil {
		t.Fatal("a second server was started")
	}
	if !strings.Contains(c.Where(), "found running") {
		t.Errorf("Where: %s", c.Where())
	}
	query(t, c.URL(), "SELECT count(*)::text FROM kept")
	stop(t, c)
	expectRunning(t, c, false)
}

func TestAKilledServerRecovers(t *testing.T) {
	t.Parallel()
	dir := stoppedCluster(t)
	c, err := Start(t.Context(), Config{Dir: dir}) // durable: committed data must survive
	must(t, err)
	execute(t, c.URL(), "CREATE TABLE kept AS SELECT 'yes' AS it")
	killPostmaster(t, c)
	must(t, c.Stop(t.Context())) // stopping a dead server is not an error
	if _, err := os.Stat(c.home.pidPath()); err != nil {
		t.Fatalf("the test lost its subject, a stale postmaster.pid: %v", err)
	}
	if got := query(t, start(t, Config{Dir: dir}).URL(), "SELECT it FROM kept"); got != "yes" {
		t.Fatalf("kept: %q", got)
	}
}

func TestAServerKilledWithABackendAtWorkRecovers(t *testing.T) {
	t.Parallel()
	dir := stoppedCluster(t)
	c, err := Start(t.Context(), Config{Dir: dir})
	must(t, err)
	conn, err := pgx.Connect(t.Context(), c.URL())
	must(t, err)
	execute(t, c.URL(), "CREATE TABLE kept AS SELECT 'yes' AS it")
	_, err = conn.Exec(t.Context(), "BEGIN; LOCK TABLE kept")
	must(t, err)
	killPostmaster(t, c)
	again := start(t, Config{Dir: dir}) // while the first one has not released its locks
	if got := query(t, again.URL(), "SELECT it FROM kept"); got != "yes" {
		t.Fatalf("kept: %q", got)
	}
	must(t, c.Stop(context.Background()))
	if err := conn.Close(context.Background()); err != nil {
		t.Logf("the old connection: %v", err)
	}
}

func killPostmaster(t *testing.T, c *Cluster) {
	t.Helper()
	killPostmasterNow(t, c)
	must(t, c.awaitEnd(t.Context()))
}

// killPostmasterNow sends SIGKILL to the postmaster.
func killPostmasterNow(t *testing.T, c *Cluster) {
	t.Helper()
	file, ok, err := c.home.pidFile()
	must(t, err)
	if !ok {
		t.Fatal("no postmaster.pid")
	}
	must(t, syscall.Kill(file.pid, syscall.SIGKILL))
}

func TestAStalePidFileIsNoObstacle(t *testing.T) {
	t.Parallel()
	dir := stoppedCluster(t)
	c := start(t, Config{Dir: dir})
	execute(t, c.URL(), "CREATE TABLE kept AS SELECT 'yes' AS it")
	stop(t, c)
	for name, pid := range map[string]string{
		"a process that has ended":             deadPid(t),
		"another program of the server's user": strangerPid(t, c.account),
		"this very process":                    fmt.Sprint(os.Getpid()),
		"garbage":                              "one thousand",
		"an empty file":                        "",
		"a whole process group":                "0",
		"single-user mode":                     "-5",
	} {
		socket, err := c.home.socketDir(c.account)
		must(t, err)
		content := pid + "\n" + c.home.data() + "\n1700000000\n5432\n" + socket + "\n\n  1234567         1\nready   \n"
		for _, path := range []string{c.home.pidPath(), filepath.Join(socket, ".s.PGSQL."+port+".lock")} {
			must(t, os.WriteFile(path, []byte(content), 0o600))
			must(t, c.account.chown(path))
		}
		again, err := Start(t.Context(), Config{Dir: dir, Throwaway: true})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := query(t, again.URL(), "SELECT it FROM kept"); got != "yes" {
			t.Errorf("%s: kept %q", name, got)
		}
		stop(t, again)
		expectRunning(t, again, false)
	}
}

func deadPid(t *testing.T) string {
	cmd := exec.Command("true")
	must(t, cmd.Run())
	return fmt.Sprint(cmd.Process.Pid)
}

// strangerPid returns a live process that PostgreSQL could mistake for a server, because it
// belongs to the same user.
func strangerPid(t *testing.T, a account) string {
	cmd := exec.Command("cat")
	a.applyTo(cmd)
	cmd.Dir = "/"
	stdin, err := cmd.StdinPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		must(t, stdin.Close())
		must(t, cmd.Wait())
	})
	return fmt.Sprint(cmd.Process.Pid)
}

func TestAManuallyStartedServerIsUsed(t *testing.T) {
	t.Parallel()
	dir := stoppedCluster(t)
	c := start(t, Config{Dir: dir})
	stop(t, c)
	cmd := exec.Command(c.server.path("postgres"), append([]string{"-D", c.home.data()}, settings(c.socket, true, 0)...)...)
	c.account.applyTo(cmd)
	cmd.Dir = c.home.path
	must(t, cmd.Start())
	if !await.Until(func() bool {
		ready, err := c.tryConnect(t.Context())
		must(t, err)
		return ready
	}) {
		t.Fatal("the server accepts no connection")
	}
	second := start(t, Config{Dir: dir})
	if second.serverCmd != nil {
		t.Error("a second server was started")
	}
	stop(t, second)
	must(t, cmd.Wait())
}

func TestAnUnfinishedInitdbIsDoneAgain(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	c, err := prepare(Config{Dir: dir, Throwaway: true})
	must(t, err)
	// State after initdb was killed: a version but no control file, and another password.
	half := filepath.Join(c.home.path, "new", "data")
	must(t, os.MkdirAll(filepath.Join(half, "base"), 0o700))
	must(t, os.WriteFile(filepath.Join(half, "PG_VERSION"), []byte("15\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(c.home.path, "new", "password"), []byte("old\n"), 0o600))
	must(t, os.WriteFile(c.home.password(), []byte("old\n"), 0o600))
	must(t, os.WriteFile(c.home.password()+".tmp", []byte("ol"), 0o600))
	must(t, os.Mkdir(c.home.data(), 0o700)) // and an empty data directory

	query(t, start(t, Config{Dir: dir}).URL(), "SELECT ''")
	if _, err := os.Lstat(filepath.Dir(half)); !os.IsNotExist(err) {
		t.Errorf("the unfinished folder is still there: %v", err)
	}
}

func TestAFailedStartReportsTheServersError(t *testing.T) {
	t.Parallel()
	dir := stoppedCluster(t)
	c := start(t, Config{Dir: dir})
	stop(t, c)
	conf := filepath.Join(c.home.data(), "postgresql.conf")
	must(t, os.WriteFile(conf, []byte("wal_level = sideways\n"), 0o600))
	must(t, c.account.chown(conf))
	_, err := Start(t.Context(), Config{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "sideways") || !strings.Contains(err.Error(), c.home.path) {
		t.Fatalf("Start: %v", err)
	}
	if running, err := c.Alive(); running || err != nil {
		t.Fatalf("running %v, %v", running, err)
	}
}

func TestABigLogIsRotated(t *testing.T) {
	t.Parallel()
	dir := stoppedCluster(t)
	c := start(t, Config{Dir: dir})
	stop(t, c)
	must(t, os.Truncate(c.logPath(), maxLogSize+1))
	stop(t, start(t, Config{Dir: dir, Log: slog.New(slog.DiscardHandler)}))
	old, err := os.Stat(c.logPath() + ".1")
	must(t, err)
	fresh, err := os.Stat(c.logPath())
	must(t, err)
	if old.Size() != maxLogSize+1 || fresh.Size() > 1<<20 {
		t.Errorf("sizes %d and %d", old.Size(), fresh.Size())
	}
}
