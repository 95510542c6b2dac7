package main

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vitrine/internal/blob/blobtest"
)

// platform is an installation on several machines: processes of each role behind HAProxy, which share
// a database server and an S3 server.
type platform struct {
	*program // the first process
	t        *testing.T
	bucket   *blobtest.S3
	machines []*machine
	front    string // address of HAProxy
	url      string // of the database, for the test itself
	db       *replica
	cluster  *patroni
	pool     *pooler
	market   *market

	excused []stretch // in which a fault may lose what is acknowledged
	remark  string    // about a fault
}

// machine is one process of a platform.
type machine struct {
	*program
	role string
	*running
}

// roleCounts says how many processes a platform has.
type roleCounts struct{ edges, admins, workers int }

func newPlatform(t *testing.T, database string, bucket *blobtest.S3, n roleCounts, settings ...string) *platform {
	t.Helper()
	shared := append([]string{
		"VITRINE_DATABASE_URL=" + database, "VITRINE_BLOB_URL=" + bucket.URL(), "VITRINE_SECRET_KEY=" + aKey,
		"VITRINE_STOREFRONT_URL=http://{shop}.localhost", "VITRINE_ADMIN_URL=http://admin.localhost", "VITRINE_TRUSTED_PROXIES=127.0.0.1/32",
	}, settings...)
	p := &platform{t: t, bucket: bucket, front: freeAddress(t)}
	for _, of := range []struct {
		role string
		n    int
	}{{"edge", n.edges}, {"admin", n.admins}, {"worker", n.workers}} {
		for range of.n {
			one := newMachine(t)
			p.machines = append(p.machines, &machine{program: one, role: of.role})
			disk := mounted(t, filepath.Join(one.dir, "var"), 64<<20)
			one.env = append(append(one.env, "TMPDIR="+disk, "VITRINE_TEST_CLOCK=file:"+filepath.Join(one.dir, "clock")), shared...)
			if err := os.WriteFile(filepath.Join(one.dir, "var", demoMark), nil, 0o600); err != nil { // or the clock could not be moved
				t.Fatal(err)
			}
		}
	}
	p.program = p.machines[0].program
	return p
}

// start starts all processes and the front before them.
func (p *platform) start() {
	p.t.Helper()
	for _, m := range p.machines {
		m.running = m.launch(m.role)
	}
	for _, m := range p.machines {
		m.awaitReady()
	}
	background(p.t, "haproxy", "-f", p.haproxy())
}

var serverLine = regexp.MustCompile(`(?m)^\tserver (edge|admin)1 .*\n`)

// haproxy writes the printed configuration with a line for each process.
func (p *platform) haproxy() string {
	p.t.Helper()
	path := p.deployed("haproxy.cfg", "haproxy", "--http", p.front)
	text, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	text = serverLine.ReplaceAllFunc(text, func(line []byte) []byte {
		var all strings.Builder
		for n, m := range p.machines {
			if role := strings.Fields(string(line))[1]; strings.HasPrefix(role, m.role) {
				address := map[string]string{"edge": m.edge, "admin": m.admin}[m.role]
				fmt.Fprintf(&all, "\tserver %s%d %s check addr 127.0.0.1 port %s inter 1s fall 2 rise 1\n", m.role, n, address, portOf(p.t, m.ops))
			}
		}
		return []byte(all.String())
	})
	if err := os.WriteFile(path, text, 0o644); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// of are the processes of a role.
func (p *platform) of(role string) (list []*machine) {
	for _, m := range p.machines {
		if m.role == role {
			list = append(list, m)
		}
	}
	return list
}

// again starts a process that has ended, as systemd does.
func (m *machine) again() { m.running = m.launch(m.role) }

// shows waits until each edge process shows the name of the sign, and returns how long the last one took.
func (p *platform) shows(name string) time.Duration {
	p.t.Helper()
	begun := time.Now()
	for _, edge := range p.of("edge") {
		visitor := &customer{market: p.market, http: through(edge.edge, "127.0.0.2")}
		wait(p.t, "an edge shows "+name, func() bool {
			status, data, _, err := visitor.send("GET", "http://tea.localhost/product/"+p.market.sign, "", nil, nil)
			return err == nil && status == 200 && strings.Contains(string(data), "<h1>"+html.EscapeString(name)+"</h1>")
		})
	}
	return time.Since(begun)
}

// disk is the folder of a process in which it keeps its caches.
func (m *machine) disk() string { return filepath.Join(m.program.dir, "var") }

// smallDisk is a folder on a file system of a given size, so that it can be filled.
func smallDisk(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // the database's user must pass through
		t.Fatal(err)
	}
	return mounted(t, dir, size)
}

// mounted makes a folder a file system of its own, if the test may do that.
func mounted(t *testing.T, dir string, size int) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := syscall.Mount("vitrine-test", dir, "tmpfs", 0, fmt.Sprintf("mode=755,size=%d", size)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
				t.Error(err)
			}
		})
	}
	return dir
}

// fill leaves no space on the disk with a folder, until it is freed. Where the test may not mount disks,
// the processes that write there may not make any file larger.
func (p *platform) fill(dir string, pids []int) (free func()) {
	p.t.Helper()
	if os.Geteuid() != 0 {
		limit := func(size uint64) {
			for _, pid := range pids {
				if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: unix.RLIM_INFINITY}, nil); err != nil && err != syscall.ESRCH {
					p.t.Fatal(err)
				}
			}
		}
		limit(0)
		return func() { limit(unix.RLIM_INFINITY) }
	}
	path := filepath.Join(dir, "filling")
	f, err := os.Create(path)
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	for block := make([]byte, 1<<20); len(block) > 0; {
		if _, err := f.Write(block); err != nil {
			block = block[:len(block)/2] // to the last byte
		}
	}
	return func() {
		if err := os.Remove(path); err != nil {
			p.t.Fatal(err)
		}
	}
}
