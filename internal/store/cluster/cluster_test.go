package cluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"
)

// holdEnv makes the test binary a second vitrine process: it starts the cluster of the
// given data dir, prints the URL, and stops at the end of its input. With lingerEnv it
// leaves the stopping to Linger, with superviseEnv it supervises the server.
const (
	holdEnv      = "VITRINE_CLUSTER_TEST_HOLD"
	lingerEnv    = "VITRINE_CLUSTER_TEST_LINGER"
	superviseEnv = "VITRINE_CLUSTER_TEST_SUPERVISE"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(holdEnv); dir != "" {
		if err := hold(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if pattern.dir != "" {
			if err := os.RemoveAll(pattern.dir); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
		os.Exit(code)
	}))
}

func hold(dir string) error {
	ctx := context.Background()
	c, err := Start(ctx, Config{Dir: dir, Throwaway: true})
	if err != nil {
		return err
	}
	fmt.Println(c.URL())
	watched, end := context.WithCancel(ctx)
	var watch sync.WaitGroup
	if os.Getenv(superviseEnv) != "" {
		watch.Go(func() { c.Supervise(watched) })
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	end()
	watch.Wait()
	if os.Getenv(lingerEnv) != "" {
		return errors.Join(err, c.Linger(0))
	}
	return errors.Join(err, c.Stop(ctx))
}

// holder is the second process, which has the server running.
type holder struct {
	cmd   *exec.Cmd
	stdin io.Closer
	url   string
}

func startHolder(t *testing.T, dir string, env ...string) *holder {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), holdEnv+"="+dir), env...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	must(t, err)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	must(t, err)
	return &holder{cmd: cmd, stdin: stdin, url: strings.TrimSpace(line)}
}

// kill sends SIGKILL, and returns when the process has ended.
func (h *holder) kill(t *testing.T) {
	t.Helper()
	must(t, h.cmd.Process.Kill())
	if err := h.cmd.Wait(); err == nil {
		t.Fatal("the killed process exited without an error")
	}
}

func (h *holder) end(t *testing.T) {
	t.Helper()
	must(t, h.stdin.Close())
	must(t, h.cmd.Wait())
}

// dataDir returns a data dir that does not exist yet, in a folder that every user can
// enter: the parent of t.TempDir is closed.
func dataDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.Chmod(filepath.Dir(dir), 0o755))
	return filepath.Join(dir, "var")
}

// pattern is the data dir of a cluster that was created, started and stopped once.
var pattern struct {
	once sync.Once
	dir  string
	err  error
}

// stoppedCluster returns a data dir with a stopped cluster, a copy of pattern, for tests that do
// not test its creation. initdb takes most of the time of a start.
func stoppedCluster(t *testing.T) string {
	t.Helper()
	pattern.once.Do(makePattern)
	must(t, pattern.err)
	dir := dataDir(t)
	if out, err := exec.Command("cp", "-a", pattern.dir, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

func makePattern() {
	dir, err := os.MkdirTemp("", "vitrine-cluster-")
	if err != nil {
		pattern.err = err
		return
	}
	pattern.dir = dir
	if pattern.err = os.Chmod(dir, 0o755); pattern.err != nil {
		return
	}
	ctx := context.Background()
	c, err := Start(ctx, Config{Dir: dir, Throwaway: true})
	if err == nil {
		err = errors.Join(c.Stop(ctx), os.Remove(c.logPath())) // tests count lines of the log
	}
	pattern.err = err
}

func start(t *testing.T, cfg Config) *Cluster {
	t.Helper()
	cfg.Throwaway = true
	c, err := Start(t.Context(), cfg)
	must(t, err)
	t.Cleanup(func() { must(t, c.Stop(context.Background())) })
	return c
}

func stop(t *testing.T, c *Cluster) {
	t.Helper()
	must(t, c.Stop(t.Context()))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func query(t *testing.T, address, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	must(t, err)
	defer func() { must(t, conn.Close(context.Background())) }()
	var answer string
	must(t, conn.QueryRow(t.Context(), sql).Scan(&answer))
	return answer
}

func execute(t *testing.T, address, sql string) {
	t.Helper()
	must(t, withConnection(t.Context(), address, func(conn *pgx.Conn) error {
		_, err := conn.Exec(t.Context(), sql)
		return err
	}))
}

func expectRunning(t *testing.T, c *Cluster, want bool) {
	t.Helper()
	got, err := c.Alive()
	must(t, err)
	if got != want {
		t.Fatalf("server running: %v, want %v", got, want)
	}
}

func TestAFreshClusterAnswersOverItsSocketOnly(t *testing.T) {
	t.Parallel()
	c := start(t, Config{Dir: dataDir(t)})
	for sql, want := range map[string]string{
		"SHOW listen_addresses":     "",
		"SHOW server_encoding":      "UTF8",
		"SHOW data_checksums":       "on",
		"SELECT lower('ЖÄ')":        "жä",
		"SELECT current_database()": "vitrine",
		"SELECT auth_method FROM pg_hba_file_rules WHERE type = 'local' LIMIT 1": "scram-sha-256",
		"SHOW unix_socket_permissions":                                           "0700",
		"SHOW idle_in_transaction_session_timeout":                               "1min",
		"SHOW timezone": "UTC",
	} {
		if got := query(t, c.URL(), sql); got != want {
			t.Errorf("%s = %q, want %q", sql, got, want)
		}
	}
	for name, mode := range map[string]os.FileMode{"data": 0o700, "run": 0o700, "password": 0o600, "postgres.log": 0o600} {
		info, err := os.Lstat(filepath.Join(c.Dir(), name))
		must(t, err)
		if info.Mode().Perm() != mode {
			t.Errorf("%s has mode %o, want %o", name, info.Mode().Perm(), mode)
		}
	}
	wrong, err := url.Parse(c.URL())
	must(t, err)
	wrong.User = url.UserPassword(role, "guess")
	if conn, err := pgx.Connect(t.Context(), wrong.String()); code(err) != "28P01" {
		t.Errorf("a wrong password gave %v, %v", conn, err)
	}
	if !strings.Contains(c.Where(), c.Dir()) || !strings.Contains(c.Where(), "started") || strings.Contains(c.Where(), "not in") {
		t.Errorf("Where: %s", c.Where())
	}
}

func TestAServerIsDurableByDefault(t *testing.T) {
	t.Parallel()
	c, err := Start(t.Context(), Config{Dir: stoppedCluster(t)})
	must(t, err)
	defer func() { must(t, c.Stop(context.Background())) }()
	for _, setting := range []string{"fsync", "synchronous_commit", "full_page_writes"} {
		if got := query(t, c.URL(), "SHOW "+setting); got != "on" {
			t.Errorf("%s = %s", setting, got)
		}
	}
}

func TestASecondStartKeepsTheData(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	c := start(t, Config{Dir: dir})
	execute(t, c.URL(), "CREATE TABLE kept AS SELECT 'yes' AS it")
	stop(t, c)
	stop(t, c) // a second stop does nothing
	expectRunning(t, c, false)
	if got := query(t, start(t, Config{Dir: dir}).URL(), "SELECT it FROM kept"); got != "yes" {
		t.Fatalf("kept: %q", got)
	}
}

func TestTheLastUserStopsTheServer(t *testing.T) {
	t.Parallel()
	dir := stoppedCluster(t)
	serve := startHolder(t, dir)
	borrower := start(t, Config{Dir: dir})
	if borrower.URL() != serve.url {
		t.Fatalf("the second process got another server: %s", borrower.Where())
	}
	stop(t, borrower)
	expectRunning(t, borrower, true)
	query(t, serve.url, "SELECT ''")

	late := start(t, Config{Dir: dir})
	serve.end(t)
	expectRunning(t, late, true)
	query(t, late.URL(), "SELECT ''")
	stop(t, late)
	expectRunning(t, late, false)
}

func TestALingeringServerIsStoppedWhenItsLastUserIsGone(t *testing.T) {
	t.Parallel()
	dir := stoppedCluster(t)
	other := startHolder(t, dir, lingerEnv+"=1")
	c, err := Start(t.Context(), Config{Dir: dir, Throwaway: true})
	must(t, err)
	other.end(t)
	query(t, c.URL(), "SELECT ''")
	c.usersLock.release() // as the kernel does for a process that ends without Stop
	must(t, c.awaitEnd(t.Context()))
	// The watcher holds its lock to its end; it may still create the files of other locks.
	if out, err := exec.Command("flock", "-w", "60", filepath.Join(dir, "pg", "watcher.lock"), "true").CombinedOutput(); err != nil {
		t.Errorf("the watcher does not end: %v %s", err, out)
	}
}

func TestManyStartsAtOnceShareOneServer(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	var all sync.WaitGroup
	started := make([]*Cluster, 6)
	for i := range started {
		all.Go(func() {
			c, err := Start(t.Context(), Config{Dir: dir, Throwaway: true})
			if err != nil {
				t.Error(err)
				return
			}
			started[i] = c
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	spawned := 0
	for _, c := range started {
		if c.serverCmd != nil {
			spawned++
		}
		query(t, c.URL(), "SELECT ''")
	}
	if spawned != 1 {
		t.Errorf("%d servers were started", spawned)
	}
	for _, c := range started {
		all.Go(func() {
			if err := c.Stop(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	expectRunning(t, started[0], false)
}

func TestAnEndedContextLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Start(ctx, Config{Dir: dir, Throwaway: true}); !errors.Is(err, context.Canceled) {
		t.Fatalf("Start: %v", err)
	}
	c := start(t, Config{Dir: dir})
	query(t, c.URL(), "SELECT ''")
}
