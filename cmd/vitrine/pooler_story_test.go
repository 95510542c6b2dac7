package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/await"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	"vitrine/internal/store/storetest"
)

// pooler is a pgbouncer in transaction mode, with few connections.
type pooler struct {
	t       *testing.T
	url     string // of the database behind it
	address string
	cmd     *exec.Cmd
	said    *transcript
}

// pooled starts a pooler before the server of a database and returns the address of the database
// behind it. settings are lines of its configuration.
func pooled(t *testing.T, database string, settings ...string) string {
	t.Helper()
	return newPooler(t, database, settings...).url
}

func newPooler(t *testing.T, database string, settings ...string) *pooler {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program = "/usr/sbin/pgbouncer" // which is not in everybody's path
	}
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	address := freeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	password, _ := u.User.Password()
	dir := storetest.Dir(t)
	files := map[string]string{
		"users": fmt.Sprintf("%q %q\n", u.User.Username(), password),
		"ini": fmt.Sprintf("[databases]\n* = host=%s port=%s\n[pgbouncer]\n", cmp.Or(u.Query().Get("host"), u.Hostname()), cmp.Or(u.Query().Get("port"), u.Port())) + strings.Join(append(settings,
			"listen_addr = 127.0.0.1", "listen_port = "+port, "unix_socket_dir =", "auth_type = trust", "auth_file = "+filepath.Join(dir, "users"),
			"pool_mode = transaction", "default_pool_size = 4", "server_tls_sslmode = disable"), "\n") + "\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := &pooler{t: t, address: address, cmd: exec.Command(program, filepath.Join(dir, "ini")), said: &transcript{}}
	p.url = fmt.Sprintf("postgres://%s@%s%s?default_query_exec_mode=exec", u.User.Username(), address, u.Path)
	if os.Geteuid() == 0 { // it refuses to run as root
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		p.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: serverUser(t)}
	}
	p.start()
	t.Cleanup(func() {
		if err := errors.Join(p.cmd.Process.Signal(syscall.SIGTERM), p.cmd.Wait()); err != nil && !strings.Contains(p.said.String(), "shutdown") {
			t.Logf("pgbouncer: %v\n%s", err, p.said)
		}
	})
	return p
}

// start starts the pooler, also after it was killed.
func (p *pooler) start() {
	p.t.Helper()
	p.cmd = &exec.Cmd{Path: p.cmd.Path, Args: p.cmd.Args, SysProcAttr: p.cmd.SysProcAttr, Stderr: p.said}
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	if !await.Until(func() bool {
		conn, err := net.DialTimeout("tcp", p.address, time.Second)
		if err == nil {
			err = conn.Close()
		}
		return err == nil
	}) {
		p.t.Fatalf("pgbouncer did not start\n%s", p.said)
	}
}

// kill ends the pooler like a power failure.
func (p *pooler) kill() {
	p.t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		p.t.Fatal(err)
	}
	_ = p.cmd.Wait() // it was killed
}

// poolable sets the program's settings for the database's user, as the program asks for behind a
// pooler that drops them, and starts such a pooler.
func poolable(t *testing.T, direct string, settings ...string) *pooler {
	t.Helper()
	p := newPooler(t, direct, append(settings, "ignore_startup_parameters = jit, enable_seqscan, pg_trgm.word_similarity_threshold, statement_timeout")...)
	var failed *store.SettingsError
	if _, err := store.Open(t.Context(), p.url); !errors.As(err, &failed) {
		t.Fatalf("opened without its settings: %v", err)
	}
	conn, err := pgx.Connect(t.Context(), direct)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	_, statements, _ := strings.Cut(failed.Error(), "restart the pooler: ")
	if _, err := conn.Exec(t.Context(), statements, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	p.kill() // its connections have the former settings
	p.start()
	return p
}

// serverUser is the user who runs PostgreSQL where the tests run as root.
func serverUser(t *testing.T) *syscall.Credential {
	t.Helper()
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Fatal(err)
	}
	uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// Behind a pooler that drops the settings of connections, every process refuses and says what to
// do. Once that is done, the stories of drafts pass.
func TestDraftsBehindAPooler(t *testing.T) {
	t.Parallel()
	direct := storetest.URL(t, store.Migrate)
	p := newProgram(t)
	refused := func(database string) string {
		t.Helper()
		p.env = append(p.env, "VITRINE_DATABASE_URL="+database)
		out, said, err := p.run("shop", "list")
		if err == nil || len(out) != 0 || !strings.Contains(said, "statement_timeout") {
			t.Errorf("%v, printed %q and %q", err, out, said)
		}
		if _, more, err := p.run("admin"); err == nil || !strings.Contains(more, "statement_timeout") {
			t.Errorf("an admin process: %v, printed %q", err, more)
		}
		return said
	}
	refused(pooled(t, direct))
	_, rest, _ := strings.Cut(refused(pooled(t, direct, "ignore_startup_parameters = jit, enable_seqscan, pg_trgm.word_similarity_threshold, statement_timeout")),
		"ignore_startup_parameters = ")
	names, rest, _ := strings.Cut(rest, ")")
	at := strings.Index(rest, "SELECT show_limit();")
	if at < 0 {
		t.Fatalf("no statements to run in %q", rest)
	}
	s, err := store.Open(t.Context(), direct)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Pool.Exec(t.Context(), strings.TrimSuffix(strings.TrimSpace(rest[at:]), "\"")); err != nil {
		t.Fatalf("%v: %s", err, rest[at:])
	}
	s.Close()
	database := pooled(t, direct, "ignore_startup_parameters = "+names)
	p.env = append(p.env, "VITRINE_DATABASE_URL="+database)
	if _, said, err := p.run("migrate"); err == nil || !strings.Contains(said, "pooler") {
		t.Errorf("migrate: %v, printed %q", err, said)
	}
	previewAndPublish(t, database)
}

// A key of the draft and one of the live shop write the same product over the same few
// connections. Neither contour shows what the other wrote.
func TestContoursShareAPooler(t *testing.T) {
	t.Parallel()
	direct := storetest.URL(t, store.Migrate)
	s, err := store.Open(t.Context(), direct)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	p := newProgram(t)
	p.env = append(p.env, "VITRINE_DATABASE_URL="+poolable(t, direct).url)
	prod := p.shop("tea")
	dev := p.verb("key", "issue", "--shop", "tea", "--scopes", "all", "--contour", "dev")["key"].(string)
	p.start()
	product := "/products/" + itoa(p.must(prod, "POST", "/products", map[string]any{"item": map[string]any{"name": "live 0"}})["id"])
	done := make(chan struct{})
	for contour, key := range map[string]string{"live": prod, "draft": dev} {
		go func() {
			defer func() { done <- struct{}{} }()
			for n := range 40 {
				name := fmt.Sprintf("%s %d", contour, n)
				status, body, err := p.try(key, "PUT", product, map[string]any{"item": map[string]any{"name": name}})
				if err != nil || status != 200 || !strings.Contains(string(body), `"name":"`+name+`"`) {
					t.Errorf("%s: %d %s %v", name, status, body, err)
				}
				for _, path := range []string{product, "/products", "/products?filter.query=" + contour} {
					status, body, err := p.try(key, "GET", path, nil)
					if err != nil || status != 200 || !strings.Contains(string(body), `"name":"`+name+`"`) {
						t.Errorf("%s of %s: %d %.300s %v", path, contour, status, body, err)
					}
				}
			}
		}()
	}
	<-done
	<-done
	info, err := company.CompanyBySlug(t.Context(), s, "tea")
	if err != nil {
		t.Fatal(err)
	}
	var name string
	if err := s.Pool.QueryRow(t.Context(), `SELECT name FROM product WHERE company_id = $1`, info.ID).Scan(&name); err != nil || name != "live 39" {
		t.Errorf("the live product is %q, %v", name, err)
	}
}
