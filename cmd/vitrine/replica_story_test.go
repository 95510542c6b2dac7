package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/await"
	"vitrine/internal/store/storetest"
)

// standby is a streaming standby of a database server.
type standby struct {
	t         *testing.T
	dir, port string
	address   url.URL // of the database there
	cmd       *exec.Cmd
	said      *transcript
}

// newStandby copies a server and follows it.
func newStandby(t *testing.T, primary string) *standby {
	t.Helper()
	s := &standby{t: t, dir: storetest.Dir(t)}
	if err := os.Chmod(s.dir, 0o777); err != nil { // the server's user creates its folder there
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(freeAddress(t), ":")
	s.port = port
	at, err := url.Parse(primary)
	if err != nil {
		t.Fatal(err)
	}
	s.address = url.URL{Scheme: "postgres", User: at.User, Host: "127.0.0.1:" + port, Path: at.Path, RawQuery: "sslmode=disable&pool_max_conns=8"}
	copied := s.command("pg_basebackup", "--dbname="+primary, "--pgdata="+s.data(), "--write-recovery-conf", "--checkpoint=fast", "--wal-method=stream")
	if out, err := copied.CombinedOutput(); err != nil {
		t.Fatalf("pg_basebackup: %v\n%s", err, out)
	}
	t.Cleanup(s.kill)
	s.start()
	return s
}

func (s *standby) data() string { return filepath.Join(s.dir, "data") }

func (s *standby) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(serverBinaries(s.t), name), args...)
	cmd.Dir = s.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr.Credential = serverUser(s.t)
	}
	return cmd
}

func (s *standby) start() {
	s.t.Helper()
	s.said = &transcript{}
	s.cmd = s.command("postgres", "-D", s.data(), "-p", s.port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "max_connections=300",
		"-c", "fsync=off", "-c", "wal_receiver_status_interval=1s", "-c", "wal_retrieve_retry_interval=200ms")
	s.cmd.Stderr, s.cmd.Stdout = s.said, s.said
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	wait(s.t, "the standby answers", func() bool { return s.ask(`SELECT 'yes'`) == "yes" })
}

// processes are the postmaster and its children.
func (s *standby) processes() []int { return serverProcesses(s.data()) }

func (s *standby) kill() {
	if s.cmd == nil {
		return
	}
	for _, pid := range append(s.processes(), s.cmd.Process.Pid) {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	}
	_ = s.cmd.Wait() // it was killed
	s.cmd = nil
	if s.t.Failed() {
		s.t.Logf("%.3000s", s.said)
	}
}

// ask runs a statement with one result; empty if the server does not answer.
func (s *standby) ask(sql string) (answer string) {
	ctx := await.Context(s.t)
	at := s.address
	at.RawQuery = "sslmode=disable&connect_timeout=5"
	conn, err := pgx.Connect(ctx, at.String())
	if err != nil {
		return ""
	}
	defer conn.Close(ctx)
	if err := conn.QueryRow(ctx, "SELECT ("+sql+")::text").Scan(&answer); err != nil {
		return ""
	}
	return answer
}

// series is the value of a metric of a process.
func (p *program) series(name string) float64 {
	_, text := p.askOps("/metrics")
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindStringSubmatch(text)
	if found == nil {
		return -1
	}
	n, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

// Pages come from a standby that has what they show. One that is paused, killed, frozen or promoted is
// not read, and visitors notice nothing.
func TestPagesComeFromAReplica(t *testing.T) {
	t.Parallel()
	db := newReplica(t)
	processes := sharing(t, 2)
	writer, visitor := processes[0], processes[1]
	for _, p := range processes {
		p.env = append(p.env, "VITRINE_DATABASE_URL="+db.cluster.URL()+fewConnections)
	}
	key := writer.shop("tea")
	copied := newStandby(t, db.cluster.URL())
	for _, p := range processes {
		p.env = append(p.env, "VITRINE_REPLICA_URL="+copied.address.String())
	}
	one := writer.startRole("serve")
	edge := visitor.startRole("edge")
	const (
		up       = "vitrine_replica_up"
		answered = `vitrine_replica_reads_total{outcome="answered"}`
	)
	var products []string
	for i := range 30 {
		products = append(products, itoa(writer.must(key, "POST", "/products", map[string]any{"item": map[string]any{"name": fmt.Sprintf("Tea %d", i), "is_published": true}})["id"]))
	}
	shows := func(p *program, product, name string) bool {
		status, _, body := p.visit("tea", "/product/"+product)
		return status == 200 && strings.Contains(body, "<h1>"+name)
	}
	rename := func(name string) {
		t.Helper()
		writer.must(key, "PUT", "/products/"+products[0], map[string]any{"item": map[string]any{"name": name}})
	}
	// Cold pages, all of which are right.
	cold := 0
	visits := func() {
		t.Helper()
		for i, product := range products[1:] {
			cold++
			if status, _, body := visitor.visit("tea", fmt.Sprintf("/product/%s?reviews=%d", product, 2+cold%40)); status != 200 || !strings.Contains(body, fmt.Sprintf("Tea %d", i+1)) {
				t.Fatalf("%s: %d", product, status)
			}
		}
	}
	isRead := func() {
		t.Helper()
		before := visitor.series(answered)
		wait(t, "the replica answers", func() bool { visits(); rename(fmt.Sprintf("Warm %d", cold)); return visitor.series(answered) > before })
	}
	isRead()
	wait(t, "the replica counts statements about products", func() bool {
		n, _ := strconv.Atoi(copied.ask(`SELECT sum(coalesce(idx_scan, 0)) FROM pg_stat_user_tables WHERE relname = 'product'`))
		return n > 0
	})

	var late []time.Duration
	for i := range 12 {
		name := fmt.Sprintf("Edit %d", i)
		rename(name)
		began := time.Now()
		if !shows(writer, products[0], name) {
			t.Errorf("the process that wrote %q does not show it", name)
		}
		wait(t, "the edge shows an edit", func() bool { return shows(visitor, products[0], name) })
		late = append(late, time.Since(began))
	}
	slices.Sort(late)
	t.Logf("an edit is seen after %v, at most %v", late[len(late)/2], late[len(late)-1])

	// Paused.
	copied.ask(`SELECT pg_wal_replay_pause() IS NULL`)
	wait(t, "the replica is paused", func() bool { return copied.ask(`SELECT pg_get_wal_replay_pause_state()`) == "paused" })
	rename("During the pause")
	wait(t, "the edge shows an edit", func() bool { return shows(visitor, products[0], "During the pause") })
	before := visitor.series(answered)
	visits()
	if now := visitor.series(answered); now != before {
		t.Errorf("a replica that lacks an edit answered %v reads", now-before)
	}
	wait(t, "the replica is too far behind", func() bool { return visitor.series(up) == 0 && visitor.series("vitrine_replica_behind_seconds") > 0 })
	copied.ask(`SELECT pg_wal_replay_resume() IS NULL`)
	isRead()

	// Killed and frozen, while people visit.
	var seen tally
	stop := make(chan struct{})
	var visiting sync.WaitGroup
	leave := sync.OnceFunc(func() { close(stop); visiting.Wait() })
	t.Cleanup(leave)
	for v := range 2 {
		visiting.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				case <-time.After(20 * time.Millisecond):
				}
				status, _, _ := visitor.visit("tea", fmt.Sprintf("/product/%s?questions=%d", products[n%len(products)], 2+(n+v*20)%40))
				seen.add(status)
			}
		})
	}
	copied.kill()
	wait(t, "the replica is down", func() bool { return visitor.series(up) == 0 })
	rename("Without the replica")
	wait(t, "the edge shows an edit", func() bool { return shows(visitor, products[0], "Without the replica") })
	out, _, err := visitor.run("doctor")
	var said struct{ Checks []diagnosis }
	if err == nil || json.Unmarshal(out, &said) != nil || !slices.ContainsFunc(said.Checks, func(d diagnosis) bool { return d.Check == "replica" && !d.OK }) {
		t.Errorf("the doctor: %v %s", err, out)
	}
	copied.start()
	isRead()
	if out, said, err := visitor.run("doctor"); err != nil {
		t.Errorf("the doctor: %v %s %s", err, out, said)
	}
	frozen := copied.processes()
	for _, pid := range frozen {
		_ = syscall.Kill(pid, syscall.SIGSTOP) // a backend may have ended
	}
	wait(t, "the replica is frozen", func() bool { return visitor.series(up) == 0 })
	rename("Beside a frozen replica")
	wait(t, "the edge shows an edit", func() bool { return shows(visitor, products[0], "Beside a frozen replica") })
	for _, pid := range frozen {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
	isRead()

	// It becomes a server of its own, with other content.
	copied.ask(`SELECT pg_promote()`)
	wait(t, "the server is no replica any more", func() bool { return visitor.series(up) == 0 })
	rename("Beside another server")
	wait(t, "the edge shows an edit", func() bool { return shows(visitor, products[0], "Beside another server") })
	leave()
	seen.only(t, "visitors", 200)
	for _, r := range []*running{one, edge} {
		if strings.Contains(r.stderr.String(), "level=ERROR") {
			t.Errorf("%.3000s", r.stderr)
		}
	}
}
