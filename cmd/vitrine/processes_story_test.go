package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/await"
	"vitrine/internal/certificate/certtest"
)

// visitors are clients that load a page in a loop, each time over a new connection.
type visitors struct {
	seen, failed atomic.Int64
	mu           sync.Mutex
	last         error
	stop         func()
}

// visiting begins to load a page until the test stops it.
func (p *program) visiting(slug, path string, clients int) *visitors {
	v := &visitors{}
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	v.stop = func() { cancel(); group.Wait() }
	p.t.Cleanup(v.stop)
	client := &http.Client{Timeout: await.Limit, Transport: &http.Transport{DisableKeepAlives: true}}
	for range clients {
		group.Go(func() {
			for ctx.Err() == nil {
				if err := p.loads(client, slug, path); err != nil {
					v.failed.Add(1)
					v.mu.Lock()
					v.last = err
					v.mu.Unlock()
				}
				v.seen.Add(1)
			}
		})
	}
	return v
}

func (p *program) loads(client *http.Client, slug, path string) error {
	request, err := http.NewRequest("GET", "http://"+p.edge+path, nil)
	if err != nil {
		return err
	}
	request.Host = slug + ".localhost"
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s", response.Status)
	}
	return nil
}

// more waits until the visitors have loaded more pages.
func (v *visitors) more(t *testing.T, n int64) {
	t.Helper()
	want := v.seen.Load() + n
	wait(t, "visitors load pages", func() bool { return v.seen.Load() >= want })
}

// children are the ids of the processes of an edge.
func (r *running) children() (pids []int) {
	r.t.Helper()
	all, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", r.cmd.Process.Pid))
	if err != nil || len(all) == 0 {
		r.t.Fatalf("%d threads, %v", len(all), err)
	}
	for _, file := range all {
		text, _ := os.ReadFile(file) // the thread may have ended
		for _, field := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(field)
			if err != nil {
				r.t.Fatal(err)
			}
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids
}

// isAlive reports whether a process runs.
func isAlive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !bytes.Contains(stat, []byte(") Z "))
}

// asked gets an address of the ops listener.
func (p *program) asked(path string) (int, string) {
	p.t.Helper()
	response, err := http.Get("http://" + p.ops + path)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// ofProcesses sums a metric of the processes of an edge by the label process.
func (p *program) ofProcesses(name string) map[string]float64 {
	p.t.Helper()
	sums := map[string]float64{}
	_, text := p.asked("/metrics")
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, name+"{") {
			continue
		}
		_, rest, _ := strings.Cut(line, `process="`)
		process, _, _ := strings.Cut(rest, `"`)
		value, err := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:], 64)
		if err != nil {
			p.t.Fatal(line, err)
		}
		sums[process] += value
	}
	return sums
}

// several is an installation whose edge has several processes.
func several(t *testing.T, n int) *program {
	p := newProgram(t)
	p.env = append(p.env, "VITRINE_EDGE_PROCESSES="+strconv.Itoa(n))
	p.shop("tea")
	return p
}

// All processes of an edge serve, and one listener speaks for them. One that is killed is replaced,
// and new connections go to those that are left. SIGTERM ends all of them, with status 0.
func TestAnEdgeOfSeveralProcessesServes(t *testing.T) {
	t.Parallel()
	p := several(t, 3)
	r := p.startRole("edge")
	wait(t, "all processes answer", func() bool { return len(r.children()) == 3 && len(p.ofProcesses("vitrine_edge_answers_total")) == 3 })
	v := p.visiting("tea", "/", 4)
	wait(t, "all processes serve", func() bool {
		sums := p.ofProcesses("vitrine_edge_answers_total")
		return sums["0"] > 0 && sums["1"] > 0 && sums["2"] > 0
	})
	for path, want := range map[string]string{"/readyz": "ready\n", "/healthz": "ok\n", "/ask?domain=tea.localhost": "ok\n", "/processes/2/readyz": "ready\n"} {
		if status, body := p.asked(path); status != 200 || body != want {
			t.Errorf("%s: %d %q", path, status, body)
		}
	}
	for _, path := range []string{"/processes/3/readyz", "/processes/-1/readyz", "/processes/x/readyz", "/ask?domain=none.localhost"} {
		if status, _ := p.asked(path); status != 404 {
			t.Errorf("%s: %d", path, status)
		}
	}
	if status, body := p.asked("/processes/1/debug/pprof/heap?debug=1"); status != 200 || !strings.HasPrefix(body, "heap profile") {
		t.Errorf("the profile of a process: %d %.50q", status, body)
	}
	_, text := p.asked("/metrics")
	for _, want := range []string{"vitrine_edge_processes 3\n", "vitrine_edge_process_deaths_total 0\n", `go_goroutines{process="parent"}`, `go_sched_gomaxprocs_threads{process="2"} 1`, `vitrine_build_info{`} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}

	before := r.children()
	v.more(t, 20)
	failed := v.failed.Load()
	if err := syscall.Kill(before[1], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	wait(t, "the process is replaced", func() bool {
		now := r.children()
		return len(now) == 3 && !slices.Contains(now, before[1]) && len(p.ofProcesses("vitrine_edge_answers_total")) == 3
	})
	v.more(t, 50)
	if lost := v.failed.Load() - failed; lost > 8 { // of each of the four visitors, one that it was serving and one that waited at its socket
		t.Errorf("%d requests failed: %v", lost, v.last)
	}
	if _, text := p.asked("/metrics"); !strings.Contains(text, "vitrine_edge_process_deaths_total 1\n") {
		t.Error("the death was not counted")
	}
	v.stop()

	last := r.children()
	r.stop()
	for _, pid := range last {
		if isAlive(pid) {
			t.Errorf("process %d has outlived its parent", pid)
		}
	}
	if !strings.Contains(r.stderr.String(), "process=2") {
		t.Error("the lines of the log do not name the process")
	}
}

// The processes end with their parent, however it ends.
func TestNoProcessOutlivesItsParent(t *testing.T) {
	t.Parallel()
	p := several(t, 2)
	r := p.startRole("edge")
	wait(t, "both processes answer", func() bool { return len(p.ofProcesses("vitrine_edge_answers_total")) == 2 })
	pids := r.children()
	r.kill()
	wait(t, "the processes end", func() bool { return !slices.ContainsFunc(pids, isAlive) })
}

// An edge is replaced by another one at the same address under traffic, and back, and no visitor
// notices, whether they have several processes or one.
func TestARestartRefusesNobody(t *testing.T) {
	for _, n := range []int{1, 2} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			p := several(t, n)
			p.env = append(p.env, "VITRINE_REUSE_PORT=true")
			next := *p
			next.ops = freeAddress(t)
			next.env = append(slices.Clip(p.env), "VITRINE_OPS_LISTEN="+next.ops)
			r := p.startRole("edge")
			v := p.visiting("tea", "/", 8)
			for round := range 4 {
				v.more(t, 100)
				follower := []*program{&next, p}[round%2].startRole("edge")
				v.more(t, 100)
				r.stop()
				r = follower
			}
			v.more(t, 100)
			v.stop()
			if failed := v.failed.Load(); failed > 0 {
				t.Errorf("%d of %d requests failed: %v", failed, v.seen.Load(), v.last)
			}
			t.Logf("%d requests", v.seen.Load())
		})
	}
}

// Without the setting an address belongs to one edge, and values that cannot be meant are refused.
func TestSettingsOfProcessesAreRefused(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	with := p.env
	for value, want := range map[string]string{
		"0": "must be from 1 to 64", "-1": "must be from 1 to 64", "65": "must be from 1 to 64", "10000": "must be from 1 to 64", "two": "expected a valid", "": "", "2.5": "expected a valid",
		"99999999999999999999": "expected a valid",
	} {
		p.env = append(slices.Clip(with), "VITRINE_EDGE_PROCESSES="+value)
		for _, role := range []string{"edge", "admin", "serve"} {
			if want == "" {
				continue
			}
			if _, stderr, err := p.run(role); err == nil || !strings.Contains(stderr, want) {
				t.Errorf("%s with %q: %v\n%s", role, value, err, stderr)
			}
		}
	}
	p.env = append(slices.Clip(with), "VITRINE_EDGE_PROCESSES=2")
	if _, stderr, err := p.run("serve"); err == nil || !strings.Contains(stderr, "run vitrine edge") {
		t.Errorf("serve: %v\n%s", err, stderr)
	}
	if _, stderr, err := p.run("edge", "--process", "0"); err == nil || !strings.Contains(stderr, "parent") {
		t.Errorf("a process without a parent: %v\n%s", err, stderr)
	}
	l, err := net.Listen("tcp", p.edge)
	if err != nil {
		t.Fatal(err)
	}
	for _, more := range []string{"VITRINE_REUSE_PORT=false", "VITRINE_REUSE_PORT=true"} { // the other one does not share
		p.env = append(slices.Clip(with), "VITRINE_EDGE_PROCESSES=2", more)
		if _, stderr, err := p.run("edge"); err == nil || !strings.Contains(stderr, "address already in use") {
			t.Errorf("an address in use, %s: %v\n%s", more, err, stderr)
		}
	}
	p.env = append(slices.Clip(with), "VITRINE_EDGE_PROCESSES=2", "VITRINE_EDGE_CACHE_BYTES=1")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, stderr, err := p.run("edge"); err == nil || strings.Count(stderr, "VITRINE_EDGE_CACHE_BYTES") != 1 {
		t.Errorf("a mistake is not said once: %v\n%s", err, stderr)
	}
}

// What visitors do at any process is counted once, and changes arrive at all of them.
func TestProcessesCountAndFollowTogether(t *testing.T) {
	t.Parallel()
	processes := sharing(t, 2)
	admin, edge := processes[0], processes[1]
	edge.env = append(edge.env, "VITRINE_EDGE_PROCESSES=2")
	key := admin.shop("tea")
	admin.startRole("admin")
	r := edge.startRole("edge")
	wait(t, "both processes answer", func() bool { return len(edge.ofProcesses("vitrine_edge_answers_total")) == 2 })
	const views = 40
	client := &http.Client{Timeout: await.Limit, Transport: &http.Transport{DisableKeepAlives: true}}
	for i := range views {
		request, err := http.NewRequest("GET", "http://"+edge.edge+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = "tea.localhost"
		request.Header.Set("User-Agent", fmt.Sprintf("Mozilla/5.0 (X11; Linux x86_64; rv:%d.0) Gecko/20100101 Firefox/133.0", 100+i%2))
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}
	if sums := edge.ofProcesses("vitrine_edge_answers_total"); sums["0"] == 0 || sums["1"] == 0 || sums["0"]+sums["1"] != views {
		t.Fatalf("answers by process: %v", sums)
	}
	today := time.Now().UTC().Format(time.DateOnly)
	wait(t, "visits are counted once", func() bool {
		_, body := admin.call(key, "GET", "/stats?from="+today+"&to="+today, nil)
		text := fmt.Sprint(body)
		return strings.Contains(text, "views:40") && strings.Contains(text, "visits:2")
	})
	admin.must(key, "POST", "/categories", map[string]any{"item": map[string]any{"type": "product", "name": "Teas", "is_published": true}})
	fresh := 0
	wait(t, "all processes show a change", func() bool {
		if edge.loads(client, "tea", "/teas") != nil {
			fresh = 0
			return false
		}
		fresh++
		return fresh >= 20
	})
	r.stop()
}

// Processes resume each other's TLS sessions, and answer with HTTP/2.
func TestProcessesShareTLSSessions(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	authority := certtest.New(t)
	cert, key := authority.Files(t, p.dir, "*.localhost", "localhost")
	p.env = append(p.env, "VITRINE_TLS=files", "VITRINE_TLS_CERT="+cert, "VITRINE_TLS_KEY="+key, "VITRINE_EDGE_PROCESSES=2")
	p.shop("tea")
	p.startRole("edge")
	wait(t, "both processes answer", func() bool { return len(p.ofProcesses("vitrine_edge_answers_total")) == 2 })
	config := &tls.Config{RootCAs: authority.Roots, ServerName: "tea.localhost", ClientSessionCache: tls.NewLRUClientSessionCache(1), NextProtos: []string{"http/1.1"}}
	resumed := 0
	const connections = 20
	for range connections {
		conn, err := tls.Dial("tcp", p.edge, config)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: tea.localhost\r\nConnection: close\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, conn); err != nil {
			t.Fatal(err)
		}
		if conn.ConnectionState().DidResume {
			resumed++
		}
		conn.Close()
	}
	if sums := p.ofProcesses("vitrine_edge_answers_total"); sums["0"] == 0 || sums["1"] == 0 || resumed != connections-1 {
		t.Errorf("%d of %d connections were resumed; answers by process: %v", resumed, connections, sums)
	}
	if response, _ := fetched(t, securely(authority, p.edge, 2), "https://tea.localhost:"+portOf(t, p.edge)+"/"); response.ProtoMajor != 2 || response.StatusCode != 200 {
		t.Errorf("%s %s", response.Proto, response.Status)
	}
}

// An edge serves at the socket that systemd has opened, called edge or the only one. The socket
// stays open between two edges, so connections wait for the next.
func TestAnEdgeServesAtASocketOfSystemd(t *testing.T) {
	for name, c := range map[string]struct {
		processes int
		names     []string // of the sockets; the first is the edge's
		refused   string
	}{
		"one": {1, []string{"vitrine.socket"}, ""}, "several processes": {2, []string{"edge"}, ""},
		"two sockets": {1, []string{"edge", "admin"}, `called "admin"`}, "unknown names": {1, []string{"a", "b"}, "no use for"}, "the same name": {2, []string{"edge", "edge"}, "two listening sockets"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := several(t, c.processes)
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			p.edge = l.Addr().String()
			var files []*os.File
			for range c.names {
				file, err := l.(*net.TCPListener).File()
				if err != nil {
					t.Fatal(err)
				}
				defer file.Close()
				files = append(files, file)
			}
			begin := func() *running {
				r := &running{program: p, stderr: &transcript{}, done: make(chan struct{})}
				// The id of the process is known in the process only.
				r.cmd = exec.Command("/bin/sh", "-c", `LISTEN_PID=$$ exec "$0" edge`, p.binary)
				r.cmd.Env = append(slices.Clip(p.env), "LISTEN_FDS="+strconv.Itoa(len(files)), "LISTEN_FDNAMES="+strings.Join(c.names, ":"))
				r.cmd.ExtraFiles, r.cmd.Stderr = files, r.stderr
				if err := r.cmd.Start(); err != nil {
					t.Fatal(err)
				}
				go func() { r.exit = r.cmd.Wait(); close(r.done) }()
				t.Cleanup(func() {
					if r.killed = c.refused != ""; r.killed {
						_ = r.cmd.Process.Kill() // it may have ended
					}
					r.stop()
				})
				return r
			}
			r := begin()
			if c.refused != "" {
				await.Next(t, r.done)
				if r.exit == nil || !strings.Contains(r.stderr.String(), c.refused) {
					t.Errorf("%v\n%s", r.exit, r.stderr)
				}
				return
			}
			r.awaitReady()
			v := p.visiting("tea", "/", 4)
			for range 2 {
				v.more(t, 20)
				r.stop()
				r = begin()
				r.awaitReady()
			}
			v.more(t, 20)
			v.stop()
			if failed := v.failed.Load(); failed > 0 {
				t.Errorf("%d of %d requests failed: %v", failed, v.seen.Load(), v.last)
			}
		})
	}
}
