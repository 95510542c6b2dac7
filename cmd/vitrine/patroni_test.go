package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/await"
	"vitrine/internal/store/storetest"
)

// patroni is a cluster of two database servers, of which etcd keeps which one leads.
type patroni struct {
	t     *testing.T
	dir   string
	nodes []*databaseNode
	front string // address of HAProxy, behind which the leader is
}

// databaseNode is one machine of the cluster.
type databaseNode struct {
	name, file     string
	postgres, rest string // addresses
	cmd            *exec.Cmd
	said           *transcript
	cluster        *patroni
}

const databasePassword = "a-long-password"

// newPatroni starts the cluster from what vitrine deploy prints. database is an address at which
// HAProxy listens for connections to the leader.
func newPatroni(t *testing.T, p *program, database string) *patroni {
	t.Helper()
	c := &patroni{t: t, dir: storetest.Dir(t), front: database}
	if err := os.Chmod(c.dir, 0o777); err != nil { // the server's user creates its folders there
		t.Fatal(err)
	}
	etcd, peer := freeAddress(t), freeAddress(t)
	background(t, "etcd", "--data-dir", filepath.Join(t.TempDir(), "etcd"), "--listen-client-urls", "http://"+etcd, "--advertise-client-urls", "http://"+etcd,
		"--listen-peer-urls", "http://"+peer, "--initial-advertise-peer-urls", "http://"+peer, "--initial-cluster", "default=http://"+peer)
	for _, name := range []string{"node1", "node2"} {
		n := &databaseNode{cluster: c, name: name, postgres: freeAddress(t), rest: freeAddress(t), said: &transcript{}}
		text, err := os.ReadFile(p.deployed(name+".yml", "patroni", "--name", name, "--etcd", etcd, "--postgres", n.postgres, "--patroni", n.rest, "--data", filepath.Join(c.dir, name)))
		if err != nil {
			t.Fatal(err)
		}
		// The passwords of replication are kept in a file of the user who runs Patroni. A test does not
		// wait as long as a cluster should.
		settings := strings.NewReplacer("  authentication:", "  pgpass: "+filepath.Join(c.dir, name+".pgpass")+"\n  authentication:",
			"ttl: 20", "ttl: 6", "loop_wait: 5", "loop_wait: 1", "retry_timeout: 5", "retry_timeout: 2",
			"# bin_dir: /usr/lib/postgresql/15/bin", "bin_dir: "+serverBinaries(t)).Replace(string(text))
		n.file = filepath.Join(c.dir, name+".yml")
		if err := os.WriteFile(n.file, []byte(settings), 0o644); err != nil {
			t.Fatal(err)
		}
		c.nodes = append(c.nodes, n)
		n.start()
		t.Cleanup(n.kill)
	}
	wait(t, "a leader and a standby", func() bool { return c.leader() != nil && c.standby() != nil })
	conn, err := pgx.Connect(t.Context(), "postgres://postgres:"+databasePassword+"@"+c.leader().postgres+"/postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	for _, statement := range []string{"CREATE ROLE vitrine LOGIN PASSWORD '" + databasePassword + "'", "CREATE DATABASE vitrine OWNER vitrine"} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	background(t, "haproxy", "-f", p.deployed("postgres.cfg", "haproxy", "--http", freeAddress(t), "--database", database,
		"--postgres", c.nodes[0].postgres, "--patroni", c.nodes[0].rest, "--postgres", c.nodes[1].postgres, "--patroni", c.nodes[1].rest))
	wait(t, "HAProxy knows the leader", func() bool { // at its start it believes in both
		for range 2 * len(c.nodes) {
			if !c.writable() {
				return false
			}
		}
		return true
	})
	return c
}

// serverBinaries is the folder of the newest server that is installed.
func serverBinaries(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("pg_config", "--bindir").Output()
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin"); len(found) > 0 {
		return found[len(found)-1]
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// url is the database at the leader.
func (c *patroni) url() string {
	return "postgres://vitrine:" + databasePassword + "@" + c.front + "/vitrine?sslmode=disable"
}

func (n *databaseNode) start() {
	n.cluster.t.Helper()
	n.cmd = exec.Command("patroni", n.file)
	n.cmd.Dir = n.cluster.dir
	n.cmd.Stdout, n.cmd.Stderr = n.said, n.said
	n.cmd.Env = append(os.Environ(), "PATRONI_SUPERUSER_PASSWORD="+databasePassword, "PATRONI_REPLICATION_PASSWORD="+databasePassword, "PATRONI_REWIND_PASSWORD="+databasePassword)
	n.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() == 0 { // PostgreSQL refuses to run as root
		n.cmd.SysProcAttr.Credential = serverUser(n.cluster.t)
	}
	if err := n.cmd.Start(); err != nil {
		n.cluster.t.Fatalf("patroni; make test installs it: %v", err)
	}
}

// kill ends the machine like a power failure.
func (n *databaseNode) kill() {
	n.cluster.t.Helper()
	if n.cmd == nil {
		return
	}
	server := n.processes()
	_ = syscall.Kill(-n.cmd.Process.Pid, syscall.SIGKILL) // it may have ended
	for _, pid := range server {
		_ = syscall.Kill(pid, syscall.SIGKILL) // a backend may have ended
	}
	_ = n.cmd.Wait() // it was killed
	n.cmd = nil
	if n.cluster.t.Failed() {
		n.cluster.t.Logf("%s: %.3000s", n.file, n.said)
	}
}

// processes are those of the machine's PostgreSQL, the postmaster first.
func (n *databaseNode) processes() []int {
	return serverProcesses(filepath.Join(n.cluster.dir, n.name))
}

// serverProcesses are the postmaster of a data directory and its children.
func serverProcesses(data string) (pids []int) {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return nil
	}
	first, _, _ := strings.Cut(string(text), "\n")
	postmaster, err := strconv.Atoi(first)
	if err != nil {
		return nil
	}
	pids = append(pids, postmaster)
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return pids
	}
	for _, file := range stats {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// pid (name) state parent …
		if fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:])); len(fields) > 1 && fields[1] == first {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			if err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// named are those of the processes whose title contains a text.
func named(pids []int, title string) (list []int) {
	for _, pid := range pids {
		if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && strings.Contains(string(text), title) {
			list = append(list, pid)
		}
	}
	return list
}

// ask asks the Patroni of a machine.
func (n *databaseNode) ask(method, path string, body any) (int, string) {
	data, err := json.Marshal(body)
	if err != nil {
		n.cluster.t.Fatal(err)
	}
	request, err := http.NewRequest(method, "http://"+n.rest+path, strings.NewReader(string(data)))
	if err != nil {
		n.cluster.t.Fatal(err)
	}
	response, err := direct.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(text)
}

// is returns the machine that Patroni answers 200 for; nil without one.
func (c *patroni) is(path string) *databaseNode {
	for _, n := range c.nodes {
		if status, _ := n.ask("GET", path, nil); status == http.StatusOK {
			return n
		}
	}
	return nil
}

func (c *patroni) leader() *databaseNode  { return c.is("/primary") }
func (c *patroni) standby() *databaseNode { return c.is("/replica") }

// configure changes settings of the whole cluster.
func (c *patroni) configure(settings map[string]any) {
	c.t.Helper()
	if status, text := c.leader().ask("PATCH", "/config", settings); status != http.StatusOK {
		c.t.Fatalf("%d %s", status, text)
	}
}

// writable reports whether there is a leader that accepts writes at the front.
func (c *patroni) writable() bool {
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.url())
	if err != nil {
		return false
	}
	defer conn.Close(ctx)
	var standby bool
	return conn.QueryRow(ctx, `SELECT pg_is_in_recovery()`).Scan(&standby) == nil && !standby
}

// members are the machines as the leader describes them.
func (c *patroni) members() string {
	leader := c.leader()
	if leader == nil {
		return ""
	}
	_, text := leader.ask("GET", "/cluster", nil)
	return text
}

// whole waits until there are a leader and a standby that has all of its writes.
func (c *patroni) whole() {
	c.t.Helper()
	if !await.Within(2*await.Limit, func() bool {
		var cluster struct {
			Members []struct {
				Role, State string
				Lag         any
			}
		}
		if json.Unmarshal([]byte(c.members()), &cluster) != nil || len(cluster.Members) != len(c.nodes) {
			return false
		}
		for _, m := range cluster.Members {
			if m.State != "running" && m.State != "streaming" || m.Role != "leader" && m.Lag != 0.0 {
				return false
			}
		}
		return true
	}) {
		c.t.Fatalf("the cluster does not recover: %s", c.members())
	}
}
