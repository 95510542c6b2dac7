package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/await"
)

// deployed writes what `vitrine deploy` prints for the addresses of an installation into a file.
func (p *program) deployed(file string, args ...string) string {
	p.t.Helper()
	text, stderr, err := p.run(append([]string{"deploy"}, args...)...)
	if err != nil {
		p.t.Fatal(err, stderr)
	}
	path := filepath.Join(p.dir, file)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// background runs a program until the test ends.
func background(t *testing.T, name string, args ...string) *os.Process {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		path = "/usr/sbin/" + name // which is not in the PATH of every account
	}
	cmd := exec.Command(path, args...)
	out := &transcript{}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // its children end with it
	if err := cmd.Start(); err != nil {
		t.Fatalf("%s; make test installs it: %v", name, err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended
		_ = cmd.Wait()                                      // it was killed
		if t.Failed() {
			t.Logf("%s: %.2000s", name, out)
		}
	})
	return cmd.Process
}

// through is an installation as visitors see it through a front.
func (p *program) through(address string) *program {
	front := *p
	front.edge = address
	return &front
}

// A cache in front of the edges shows each kind of change to visitors soon, keeps what has not
// changed, and is told of what changed while the worker was dead.
func TestVarnishIsToldWhatHasChanged(t *testing.T) {
	t.Parallel()
	processes := sharing(t, 3)
	admin, edge, worker := processes[0], processes[1], processes[2]
	address := freeAddress(t)
	for _, p := range processes {
		p.env = append(p.env, "VITRINE_PURGE=varnish:http://"+address, "VITRINE_TRUSTED_PROXIES=127.0.0.0/8")
	}
	key, other := admin.shop("tea"), admin.shop("other")
	admin.startRole("admin")
	edge.startRole("edge")
	running := worker.startRole("worker")
	background(t, "varnishd", "-F", "-j", "none", "-n", t.TempDir(), "-a", address, "-s", "malloc,40m", "-f", edge.deployed("default.vcl", "varnish"))
	front := edge.through(address)

	section := itoa(admin.must(key, "POST", "/categories", map[string]any{"item": map[string]any{"type": "product", "name": "Teas", "is_published": true}})["id"])
	product := itoa(admin.must(key, "POST", "/products", map[string]any{"item": map[string]any{"name": "Puerh", "category_id": section, "is_published": true}})["id"])
	admin.must(other, "POST", "/categories", map[string]any{"item": map[string]any{"type": "product", "name": "Cups", "is_published": true}})
	see := func(slug, path string, as func(status int, header http.Header, body string) bool) {
		t.Helper()
		last := ""
		if !await.Until(func() bool {
			response, err := front.ask(slug, path)
			if err != nil {
				return false // Varnish is not there yet
			}
			response.Body.Close()
			status, header, body := front.visit(slug, path)
			last = fmt.Sprint(status, " ", header)
			return as(status, header, body)
		}) {
			t.Fatalf("%s%s shows %s", slug, path, last)
		}
	}
	shows := func(text string) func(int, http.Header, string) bool {
		return func(status int, _ http.Header, body string) bool {
			return status == 200 && strings.Contains(body, text)
		}
	}
	kept := func(slug, path string) bool {
		_, header, _ := front.visit(slug, path)
		return strings.Contains(header.Get("X-Varnish"), " ") // the request and the one that fetched it
	}
	see("tea", "/teas/puerh", shows("Puerh"))
	see("other", "/cups", shows("Cups"))
	wait(t, "both pages are kept", func() bool { return kept("tea", "/teas/puerh") && kept("other", "/cups") })

	for _, c := range []struct {
		what         string
		method, path string
		body         map[string]any
		at           string
		as           func(int, http.Header, string) bool
	}{
		{"a product", "PUT", "/products/" + product, map[string]any{"item": map[string]any{"name": "Old puerh"}}, "/teas/puerh", shows("Old puerh")},
		{"a section", "PUT", "/categories/" + section, map[string]any{"item": map[string]any{"name": "Fine teas"}}, "/teas", shows("Fine teas")},
		{"an address", "PUT", "/categories/" + section, map[string]any{"item": map[string]any{"seo": map[string]any{"slug": "fine-teas"}}}, "/teas", func(status int, header http.Header, _ string) bool {
			return status == 308 && strings.HasSuffix(header.Get("Location"), "/fine-teas")
		}},
		{"a rule", "POST", "/storefront-redirects", map[string]any{"item": map[string]any{"from_path": "/old", "to_target": "/fine-teas", "enabled": true}}, "/old", func(status int, header http.Header, _ string) bool {
			return status == 308 && strings.HasSuffix(header.Get("Location"), "/fine-teas")
		}},
		{"a deletion", "DELETE", "/products/" + product, nil, "/fine-teas/puerh", func(status int, _ http.Header, _ string) bool { return status != 200 }},
	} {
		front.visit("tea", c.at)
		front.visit("tea", c.at)
		admin.must(key, c.method, c.path, c.body)
		begin := time.Now()
		see("tea", c.at, c.as)
		t.Logf("%s is seen after %v", c.what, time.Since(begin).Round(10*time.Millisecond))
		if c.what == "a section" { // by now the worker has purged everything, because the target is new
			front.visit("other", "/cups")
		}
	}
	if !kept("other", "/cups") {
		t.Error("a page of another shop was purged")
	}

	running.kill()
	admin.must(key, "PUT", "/categories/"+section, map[string]any{"item": map[string]any{"name": "Rare teas"}})
	worker.startRole("worker")
	see("tea", "/fine-teas", shows("Rare teas"))

	for what, c := range map[string]struct {
		header map[string]string
		status int
	}{
		"a purge without keys":                        {nil, 400},
		"a purge of a visitor that a front passes on": {map[string]string{"Surrogate-Key": "vitrine", "X-Forwarded-For": "203.0.113.1"}, 403},
	} {
		request, err := http.NewRequest("PURGE", "http://"+address+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range c.header {
			request.Header.Set(name, value)
		}
		response, err := direct.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != c.status {
			t.Errorf("%s: %s", what, response.Status)
		}
	}
	signed := strings.Join([]string{"vitrine-session=x", "other=1"}, "; ")
	for cookie, passes := range map[string]bool{signed: true, "other=1; more=2": false, "a=vitrine-session=x": false} {
		_, header, _ := front.browse("GET", "other", "/cups", cookie)
		if passes == strings.Contains(header.Get("X-Varnish"), " ") {
			t.Errorf("with the cookies %q: X-Varnish %q", cookie, header.Get("X-Varnish"))
		}
	}
}

// units writes the units of systemd into the files that they name.
func (p *program) units() map[string]string {
	p.t.Helper()
	text, err := os.ReadFile(p.deployed("units", "systemd"))
	if err != nil {
		p.t.Fatal(err)
	}
	files := map[string]string{}
	for unit := range strings.SplitSeq("\n"+string(text), "\n# /etc/systemd/system/") {
		if name, rest, ok := strings.Cut(unit, "\n"); ok {
			files[name] = filepath.Join(p.dir, name)
			if err := os.WriteFile(files[name], []byte(rest), 0o644); err != nil {
				p.t.Fatal(err)
			}
		}
	}
	return files
}

// The other fronts reach the storefronts and the admin API by their host names, and name the
// visitor's address.
func TestFrontsServeAsPrinted(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.env = append(p.env, "VITRINE_TRUSTED_PROXIES=127.0.0.0/8", "VITRINE_ADMIN_URL=http://admin.localhost")
	p.shop("tea")
	p.start()
	nginx, haproxy := freeAddress(t), freeAddress(t)
	conf := filepath.Join(p.dir, "main.conf")
	text := fmt.Sprintf("daemon off; pid %[1]s/nginx.pid; error_log stderr; events {} http { access_log off; client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; include %[2]s; }",
		p.dir, p.deployed("vitrine.conf", "nginx", "--http", nginx))
	if err := os.WriteFile(conf, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	background(t, "nginx", "-c", conf, "-p", p.dir)
	background(t, "haproxy", "-f", p.deployed("haproxy.cfg", "haproxy", "--http", haproxy))
	for name, address := range map[string]string{"nginx": nginx, "haproxy": haproxy} {
		front := p.through(address)
		wait(t, name, func() bool {
			response, err := front.ask("tea", "/")
			if err != nil {
				return false
			}
			response.Body.Close()
			return response.StatusCode == 200
		})
		request, err := http.NewRequest("GET", "http://"+address+"/llms.txt", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = "admin.localhost"
		response, err := direct.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != 200 {
			t.Errorf("%s: the admin API answers %s", name, response.Status)
		}
	}
	deployed := filepath.Join(p.dir, "deployed") // checks what container engines read
	if out, err := exec.Command("go", "build", "-C", filepath.Join("..", "..", ".ci", "deployed"), "-o", deployed, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	units := p.units()
	for name, check := range map[string][]string{
		"compose":   {deployed, "compose", p.deployed("compose.yaml", "compose")},
		"container": {deployed, "container", filepath.Join("..", "..", "Containerfile")},
		"caddy":     {"caddy", "validate", "--adapter", "caddyfile", "--config", p.deployed("Caddyfile", "caddy")},
		"systemd":   {"systemd-analyze", "verify", units["vitrine.service"], units["vitrine.socket"]},
	} {
		if out, err := exec.Command(check[0], check[1:]...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v %s", name, err, out)
		}
	}
}

// What would print an unusable configuration is refused.
func TestDeployRefuses(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	for line, want := range map[string]string{
		"nginx --cert a":                   "--key",
		"patroni":                          "--postgres",
		"patroni --postgres 10.0.0.1:5432": "belong together",
		"patroni --postgres 10.0.0.1 --patroni a:8008":                 "--postgres",
		"haproxy --postgres a:5432 --patroni b":                        "--patroni",
		"haproxy --postgres a:5432 --postgres b:5432 --patroni a:8008": "belong together",
		"patroni --postgres a:1,b:1 --patroni a:2,b:2":                 "of its machine",
	} {
		if _, stderr, err := p.run(append([]string{"deploy"}, strings.Fields(line)...)...); err == nil || !strings.Contains(stderr, want) {
			t.Errorf("vitrine deploy %s: %v %s", line, err, stderr)
		}
	}
}
