package main

import (
	"io"
	"net/http"
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
