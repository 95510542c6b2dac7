package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vitrine/internal/await"
)

// HAProxy sends the visitors of each shop to its installation by the tables of both, also after a
// shop has gone from one to the other.
func TestHAProxyFollowsTheTableOfPods(t *testing.T) {
	t.Parallel()
	front := freeAddress(t)
	one, two := newProgram(t), newProgram(t)
	for _, p := range []*program{one, two} {
		p.env = append(p.env, "VITRINE_TRUSTED_PROXIES=127.0.0.0/8", "VITRINE_STOREFRONT_URL=http://{shop}.localhost:"+portOf(t, front))
	}
	tea, cups := one.shop("tea"), two.shop("cups")
	one.verb("shop", "domain", "--shop", "tea", "--domain", "tea.example.test", "--at-once")
	one.start()
	two.start()
	page := func(p *program, key, name string) {
		t.Helper()
		p.must(key, "POST", "/categories", map[string]any{"item": map[string]any{"name": name, "type": "page", "is_published": true}})
	}
	page(one, tea, "First")
	page(two, cups, "Second")
	hosts := filepath.Join(one.dir, "hosts.map")
	write := func(want string) {
		t.Helper()
		var table []byte
		for name, p := range map[string]*program{"a": one, "b": two} {
			lines, stderr, err := p.run("shop", "hosts", "--pod", name)
			if err != nil {
				t.Fatal(stderr)
			}
			table = append(table, lines...)
		}
		lines := strings.Split(strings.TrimSpace(string(table)), "\n")
		slices.Sort(lines)
		if got := strings.Join(lines, ", "); got != want {
			t.Errorf("the table is %s, want %s", got, want)
		}
		if err := os.WriteFile(hosts, table, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("cups.localhost b, tea.example.test a, tea.localhost a")
	config := one.deployed("haproxy.cfg", "haproxy", "--http", front, "--hosts", hosts, "--pod", "a="+one.edge, "--pod", "b="+two.edge)
	haproxy := background(t, "haproxy", "-W", "-f", config)
	shows := func(host, path, text string) {
		t.Helper()
		last := ""
		if !await.Until(func() bool {
			request, err := http.NewRequest("GET", "http://"+front+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Host, request.Close = host, true
			response, err := direct.Do(request)
			if err != nil {
				last = err.Error()
				return false
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			last = response.Status
			return err == nil && response.StatusCode == 200 && strings.Contains(string(body), text)
		}) {
			t.Fatalf("%s%s answers %s", host, path, last)
		}
	}
	shows("tea.example.test", "/first", "First")
	shows("CUPS.localhost:"+portOf(t, front), "/second", "Second")

	file := filepath.Join(one.dir, "tea.zip")
	one.verb("shop", "export", "--shop", "tea", "--to", file)
	one.verb("shop", "delete", "--shop", "tea", "--yes", "tea")
	two.verb("shop", "import", "--from", file)
	page(two, two.verb("key", "issue", "--shop", "tea", "--scopes", "all")["key"].(string), "Third")
	write("cups.localhost b, tea.localhost b")
	if err := haproxy.Signal(syscall.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	shows("tea.localhost", "/third", "Third")
	for _, args := range [][]string{{"haproxy", "--hosts", hosts}, {"haproxy", "--pod", "a=" + front}, {"nginx", "--hosts", hosts, "--pod", "a=" + front},
		{"haproxy", "--hosts", hosts, "--pod", "A b=" + front}, {"haproxy", "--hosts", hosts, "--pod", "a=nowhere"}} {
		if out, _, err := one.run(append([]string{"deploy"}, args...)...); err == nil {
			t.Errorf("deploy %v printed %s", args, out)
		}
	}
	if out, _, err := one.run("shop", "hosts", "--pod", "a b"); err == nil {
		t.Errorf("a name with a space: %s", out)
	}
}

// Caddy sends the visitors of each shop to its installation by the table, others to that of the settings,
// and knows the hosts of the table without asking.
func TestCaddyFollowsTheTableOfPods(t *testing.T) {
	t.Parallel()
	pod := func(name string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, name) }))
		t.Cleanup(s.Close)
		return strings.TrimPrefix(s.URL, "http://")
	}
	p := newMachine(t)
	own := p.with("VITRINE_EDGE_LISTEN="+pod("own"), "VITRINE_OPS_LISTEN="+pod("ops"))
	hosts := filepath.Join(p.dir, "hosts.map")
	if err := os.WriteFile(hosts, []byte("tea.localhost a\ncups.localhost b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	config := own.deployed("Caddyfile", "caddy", "--hosts", hosts, "--pod", "a="+pod("a"), "--pod", "b="+pod("b"))
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	// Without certificates, at free addresses.
	front, ask := freeAddress(t), freeAddress(t)
	plain := strings.NewReplacer("https:// {\n\ttls {\n\t\ton_demand\n\t}", "http://:"+portOf(t, front)+" {", "127.0.0.1:8084", ask, "{\n\ton_demand_tls", "{\n\tadmin off\n\tauto_https off\n\ton_demand_tls").Replace(string(text))
	if err := os.WriteFile(config, []byte(plain), 0o644); err != nil {
		t.Fatal(err)
	}
	background(t, "caddy", "run", "--adapter", "caddyfile", "--config", config)
	for _, c := range []struct{ at, host, path, want string }{
		{front, "tea.localhost", "/", "a"}, {front, "cups.localhost", "/", "b"}, {front, "other.localhost", "/", "own"},
		{ask, ask, "/ask?domain=tea.localhost", ""}, {ask, ask, "/ask?domain=other.localhost", "ops"},
	} {
		last := ""
		if !await.Until(func() bool {
			request, err := http.NewRequest("GET", "http://"+c.at+c.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Host = c.host
			response, err := direct.Do(request)
			if err != nil {
				last = err.Error()
				return false
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			last = response.Status + " " + string(body)
			return err == nil && response.StatusCode == 200 && string(body) == c.want
		}) {
			t.Errorf("%s%s: %s, want %q", c.host, c.path, last, c.want)
		}
	}
}
