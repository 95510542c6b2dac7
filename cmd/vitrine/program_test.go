package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/await"
	"vitrine/internal/outbound/dnstest"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// The tests of this package run the program itself: the test binary, started with runMain
// set, is vitrine.
const runMain = "VITRINE_TEST_RUN_MAIN"

func TestMain(m *testing.M) {
	// The program starts itself again to decode pictures, without environment.
	if os.Getenv(runMain) != "" || len(os.Args) == 2 && os.Args[1] == "decode-pictures" {
		main()
		return
	}
	if settings := os.Getenv(bareServer); settings != "" {
		fmt.Fprintln(os.Stderr, serveBare(settings))
		os.Exit(1)
	}
	http.DefaultClient.Timeout = await.Limit
	code := m.Run()
	chromium.end()
	os.Exit(code)
}

// program is the installation of one test: a database or a data dir with one, and addresses.
type program struct {
	t     testing.TB
	dir   string
	env   []string
	edge  string
	admin string
	ops   string
	dns   *dnstest.Zone // that domains are looked up in

	binary string // that is started as the program
}

// newProgram is an installation on a database of the server shared by the tests. Its data dir
// has no PostgreSQL, which would take longer to start than most stories.
func newProgram(t testing.TB) *program {
	t.Helper()
	p := newMachine(t)
	p.env = append(p.env, "VITRINE_DATABASE_URL="+storetest.URL(t, store.Migrate)+fewConnections)
	return p
}

// sharing is an installation of several processes: each has its own data dir and addresses to listen
// at, and all have the same database, files, key and public addresses: those of the first.
func sharing(t testing.TB, processes int) (list []*program) {
	t.Helper()
	first := newMachine(t)
	shared := []string{
		"VITRINE_DATABASE_URL=" + storetest.URL(t, store.Migrate) + fewConnections, "VITRINE_BLOB_URL=file://" + filepath.Join(first.dir, "blobs"),
		"VITRINE_SECRET_KEY=" + aKey, "VITRINE_STOREFRONT_URL=http://{shop}.localhost:" + portOf(t, first.edge),
		"VITRINE_ADMIN_URL=http://localhost:" + portOf(t, first.admin),
	}
	list = append(list, first)
	for len(list) < processes {
		list = append(list, newMachine(t))
	}
	for _, p := range list {
		p.env = append(p.env, shared...)
	}
	return list
}

const aKey = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

// fewConnections is for the URL of a database what storetest.FewConnections is for a store.
const fewConnections = "&pool_max_conns=8"

// newMachine is an installation with default settings, as a new user has it: the private
// PostgreSQL is created by the first command. It is for tests of that.
func newMachine(t testing.TB) *program {
	t.Helper()
	p := &program{t: t, dir: t.TempDir(), edge: freeAddress(t), admin: freeAddress(t), ops: freeAddress(t), dns: &dnstest.Zone{}, binary: os.Args[0]}
	p.env = append(os.Environ(), runMain+"=1", "VITRINE_DATA_DIR="+filepath.Join(p.dir, "var"), "VITRINE_EDGE_LISTEN="+p.edge,
		"VITRINE_ADMIN_LISTEN="+p.admin, "VITRINE_OPS_LISTEN="+p.ops, "VITRINE_DNS="+p.dns.Serve(t), "VITRINE_ADMIN_URL=", "VITRINE_KEY=")
	t.Cleanup(p.clear)
	return p
}

// clear removes a database that had to be placed outside the test's folder.
func (p *program) clear() {
	text, err := os.ReadFile(filepath.Join(p.dir, "var", "pg.location"))
	if place := filepath.Dir(strings.TrimSpace(string(text))); err == nil && strings.HasPrefix(place, "/var/lib/vitrine/") {
		if err := os.RemoveAll(place); err != nil {
			p.t.Error(err)
		}
	}
}

// given are the addresses assigned to tests, even if their programs do not listen yet.
var given sync.Map

// freeAddress is an address that is not in use and not assigned to another test. It is
// outside of the range of ephemeral ports, because a connection could take such a port before
// the program listens.
func freeAddress(t testing.TB) string {
	t.Helper()
	for range 1000 {
		address := fmt.Sprintf("127.0.0.1:%d", 10000+rand.IntN(22000))
		if _, known := given.LoadOrStore(address, true); known {
			continue
		}
		if l, err := net.Listen("tcp", address); err == nil {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			return address
		}
	}
	t.Fatal("no address is free")
	return ""
}

// running is a vitrine serve in the background.
type running struct {
	*program
	cmd    *exec.Cmd
	stderr *transcript
	done   chan struct{}
	exit   error // valid once done is closed
	killed bool
}

// transcript is the output of a program, readable while it runs.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(p)
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

// start runs "vitrine serve" and waits until it is ready.
func (p *program) start(args ...string) *running {
	p.t.Helper()
	return p.startRole("serve", args...)
}

func (p *program) startRole(role string, args ...string) *running {
	p.t.Helper()
	r := p.launch(role, args...)
	r.awaitReady()
	return r
}

// launch starts a role without waiting for it.
func (p *program) launch(role string, args ...string) *running {
	p.t.Helper()
	r := &running{program: p, stderr: &transcript{}, done: make(chan struct{})}
	r.cmd = exec.Command(r.binary, append([]string{role}, args...)...)
	r.cmd.Env, r.cmd.Stderr, r.cmd.Stdout = p.env, r.stderr, io.Discard
	if err := r.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	go func() { r.exit = r.cmd.Wait(); close(r.done) }()
	p.t.Cleanup(func() { r.stop() })
	return r
}

func (r *running) awaitReady() {
	r.t.Helper()
	limit := await.Limit
	if slices.Contains(r.cmd.Args, "--demo") {
		limit = demoLimit
	}
	ready := await.Within(limit, func() bool {
		select {
		case <-r.done:
			r.t.Fatalf("serve ended: %v\n%s", r.exit, r.stderr)
		default:
		}
		response, err := http.Get("http://" + r.ops + "/readyz")
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
	if !ready {
		r.t.Fatalf("serve did not get ready\n%s", r.stderr)
	}
}

// kill ends the program like a power failure.
func (r *running) kill() {
	r.t.Helper()
	if !r.killUnlessDone() {
		r.t.Fatal("it had ended before it was killed")
	}
}

// killUnlessDone reports whether the program still ran.
func (r *running) killUnlessDone() bool {
	r.t.Helper()
	err := r.cmd.Process.Signal(syscall.SIGKILL)
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		r.t.Fatal(err)
	}
	r.killed = err == nil
	await.Next(r.t, r.done)
	return r.killed
}

// stop asks the program to end and waits for it.
func (r *running) stop() {
	r.t.Helper()
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		r.t.Error(err)
	}
	select {
	case <-r.done:
		if r.exit != nil && !r.killed {
			r.t.Errorf("serve ended with %v\n%s", r.exit, r.stderr)
		}
	case <-time.After(await.Limit):
		r.t.Errorf("serve did not stop\n%s", r.stderr)
		r.kill()
	}
}

// verb runs one command and returns its JSON output.
func (p *program) verb(args ...string) map[string]any {
	p.t.Helper()
	out, stderr, err := p.run(args...)
	if err != nil {
		p.t.Fatalf("vitrine %s: %v\n%s", strings.Join(args, " "), err, stderr)
	}
	var answer map[string]any
	if err := json.Unmarshal(out, &answer); err != nil {
		p.t.Fatalf("vitrine %s printed %q: %v", strings.Join(args, " "), out, err)
	}
	return answer
}

func (p *program) run(args ...string) (stdout []byte, stderr string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.binary, args...)
	var failed bytes.Buffer
	cmd.Env, cmd.Stderr = p.env, &failed
	stdout, err = cmd.Output()
	return stdout, failed.String(), err
}

// shop creates a shop and a key for it.
func (p *program) shop(slug string) (key string) {
	p.t.Helper()
	p.verb(
		"shop", "create", "--slug", slug, "--name", "Shop "+slug, "--currency", "EUR", "--owner-email", slug+"@example.test",
		"--owner-password", "a long password",
	)
	return p.verb("key", "issue", "--shop", slug, "--scopes", "all")["key"].(string)
}

// call calls the admin API.
func (p *program) call(key, method, path string, body any) (int, map[string]any) {
	p.t.Helper()
	status, data, err := p.try(key, method, path, body)
	if err != nil {
		p.t.Fatal(err)
	}
	var answer map[string]any
	if err := json.Unmarshal(data, &answer); err != nil {
		p.t.Fatalf("%s %s answered %d %q", method, path, status, data)
	}
	return status, answer
}

func (p *program) try(key, method, path string, body any) (int, []byte, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	url := path
	if strings.HasPrefix(path, "/") {
		url = "http://" + p.admin + path
	}
	request, err := http.NewRequest(method, url, bytes.NewReader(data))
	if err != nil {
		return 0, nil, err
	}
	if raw, ok := body.([]byte); ok {
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	}
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	data, err = io.ReadAll(response.Body)
	return response.StatusCode, data, err
}

// must is call for requests that have to succeed; it returns the result.
func (p *program) must(key, method, path string, body any) map[string]any {
	p.t.Helper()
	status, answer := p.call(key, method, path, body)
	if status >= 300 {
		p.t.Fatalf("%s %s: %d %v", method, path, status, answer)
	}
	if result, ok := answer["result"].(map[string]any); ok {
		return result
	}
	return answer
}

// visit requests a path of a shop's storefront without following redirects.
func (p *program) visit(slug, path string) (int, http.Header, string) {
	p.t.Helper()
	response, err := p.ask(slug, path)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(body)
}

// ask is visit for a program that may not be running.
func (p *program) ask(slug, path string) (*http.Response, error) {
	request, err := http.NewRequest("GET", "http://"+p.edge, nil)
	if err != nil {
		return nil, err
	}
	request.URL.Opaque = path // sent byte for byte
	request.Host = slug + ".localhost"
	return direct.Do(request)
}

// direct follows no redirects.
var direct = http.Client{
	Timeout: await.Limit, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// wait polls a condition caused by another process.
func wait(t testing.TB, what string, done func() bool) {
	t.Helper()
	if !await.Until(done) {
		t.Fatal("timed out waiting for: " + what)
	}
}

// itoa formats an id or a text of a response.
func itoa(v any) string {
	if f, ok := v.(float64); ok && f == math.Trunc(f) {
		return strconv.FormatInt(int64(f), 10) // not 7.65e+08
	}
	return fmt.Sprint(v)
}

// releaseOf parses the response to a release with one new file.
func releaseOf(data []byte) (id, uploadURL string) {
	var answer struct {
		ID     string `json:"release_id"`
		Upload []struct {
			URL string `json:"upload_url"`
		} `json:"upload"`
	}
	if json.Unmarshal(data, &answer) != nil || len(answer.Upload) == 0 {
		return answer.ID, ""
	}
	return answer.ID, answer.Upload[0].URL
}
