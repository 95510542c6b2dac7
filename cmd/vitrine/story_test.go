package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A shop from the command line to the storefront: every write is visible to the next visitor.
func TestShopFromTheCommandLineToTheStorefront(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	key := p.shop("tea")
	r := p.start()
	category := p.must(key, "POST", "/categories", map[string]any{"item": map[string]any{"name": "Green tea", "type": "product"}})
	id := category["id"]
	if status, _, _ := p.visit("tea", "/green-tea"); status != 404 {
		t.Errorf("an unpublished section answers %d", status)
	}
	p.must(key, "PUT", "/categories/"+itoa(id), map[string]any{"item": map[string]any{"is_published": true}})
	product := p.must(key, "POST", "/products", map[string]any{"item": map[string]any{
		"name": "Sencha <b>", "price": map[string]any{"price": 1290}, "category_id": id, "is_published": true, "seo": map[string]any{"slug": "sencha"}}})
	status, header, body := p.visit("tea", "/green-tea/sencha")
	if status != 200 || !strings.Contains(body, "Sencha &lt;b&gt;") ||
		!strings.Contains(header.Get("Surrogate-Key"), "product-"+itoa(product["id"])) {
		t.Errorf("the product page: %d %v %.300s", status, header, body)
	}
	p.must(
		key, "PUT", "/products/"+itoa(product["id"]),
		map[string]any{"item": map[string]any{"seo": map[string]any{"slug": "sencha-first-flush"}}},
	)
	if status, header, _ := p.visit("tea", "/green-tea/sencha?utm_source=x"); status != 308 ||
		header.Get("Location") != "/green-tea/sencha-first-flush?utm_source=x" ||
		header.Get("X-Redirect-By") != "slug-journal" {
		t.Errorf("the old slug: %d %v", status, header)
	}
	if status, _, body := p.visit("tea", "/green-tea"); status != 200 || !strings.Contains(body, "/green-tea/sencha-first-flush") {
		t.Errorf("the listing shows the new address: %d", status)
	}
	p.must(key, "DELETE", "/products/"+itoa(product["id"]), nil)
	if status, header, _ := p.visit("tea", "/green-tea/sencha-first-flush"); status != 308 || header.Get("X-Redirect-By") != "fallback" {
		t.Errorf("a deleted product does not redirect to its last section: %d %v", status, header)
	}
	if status, _, _ := p.visit("coffee", "/"); status != 404 {
		t.Errorf("an unknown host answers %d", status)
	}
	p.verb("shop", "close", "--shop", "tea", "--pin", "1234")
	wait(t, "another process closed the shop", func() bool { status, _, _ := p.visit("tea", "/green-tea"); return status == 403 })
	p.verb("shop", "open", "--shop", "tea")
	wait(t, "it is open again", func() bool { status, _, _ := p.visit("tea", "/green-tea"); return status == 200 })
	p.verb("shop", "domain", "--shop", "tea", "--domain", "tea.example.test")
	p.movesToItsDomain("tea", "tea.example.test")
	p.verb("shop", "domain", "--shop", "tea", "--remove")
	wait(t, "it is back at its slug", func() bool { status, _, _ := p.visit("tea", "/green-tea"); return status == 200 })
	p.verb("shop", "domain", "--shop", "tea", "--domain", "tea.example.test", "--at-once")
	wait(t, "the canonical host moved at once", func() bool {
		status, header, _ := p.visit("tea", "/green-tea")
		return status == 308 && strings.HasPrefix(header.Get("Location"), "http://tea.example.test:") &&
			header.Get("X-Redirect-By") == "canonical"
	})
	r.stop()
	if out := r.stderr.String(); strings.Contains(out, "level=ERROR") {
		t.Error(out)
	}
}

// Edge and admin as two processes with one configured database and one blob directory: a
// write becomes visible to the other process.
func TestEdgeAndAdminInTwoProcesses(t *testing.T) {
	t.Parallel()
	processes := sharing(t, 2)
	writer, visitor := processes[0], processes[1]
	key := writer.shop("tea")
	writer.startRole("admin")
	visitor.startRole("edge")
	page := writer.must(
		key, "POST", "/categories",
		map[string]any{"item": map[string]any{"name": "About", "type": "page", "is_published": true}},
	)
	wait(t, "the page is visible", func() bool { status, _, _ := visitor.visit("tea", "/about"); return status == 200 })
	writer.must(key, "PUT", "/categories/"+itoa(page["id"]), map[string]any{"item": map[string]any{"name": "About tea"}})
	wait(t, "its new name is visible", func() bool { _, _, body := visitor.visit("tea", "/about"); return strings.Contains(body, "About tea") })
	if _, err := http.Get("http://" + visitor.admin); err == nil {
		t.Error("the edge role listens for the admin API too")
	}
	if entries, err := os.ReadDir(filepath.Join(visitor.dir, "var")); err == nil {
		for _, e := range entries {
			if e.Name() == "pg" {
				t.Error("a private database was created in addition to the configured one")
			}
		}
	}
}

func TestErrorsOfVerbsAreReadable(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.shop("tea")
	for _, args := range [][]string{
		{"shop", "create", "--slug", "tea", "--name", "N", "--currency", "EUR", "--owner-email", "x@example.test", "--owner-password", "a long password"},
		{"shop", "create", "--slug", "Tea!", "--name", "N", "--currency", "EUR", "--owner-email", "x@example.test", "--owner-password", "a long password"},
		{"shop", "create", "--slug", "new", "--name", "N", "--currency", "euro", "--owner-email", "x@example.test", "--owner-password", "a long password"},
		{"shop", "create", "--slug", "new", "--name", "N", "--currency", "EUR", "--owner-email", "nobody", "--owner-password", "a long password"},
		{"shop", "create", "--slug", "new", "--name", "N", "--currency", "EUR", "--owner-email", "x@example.test", "--owner-password", "short"},
		{"shop", "limit", "--shop", "tea", "bananas=5"},
		{"shop", "limit", "--shop", "tea", "products_max=-1"},
		{"shop", "close", "--shop", "tea", "--pin", "abcd"},
		{"shop", "close", "--shop", "none", "--pin", "1234"},
		{"shop", "domain", "--shop", "tea", "--domain", "no host"},
		{"shop", "domain", "--shop", "tea", "--domain", "x.localhost"},
		{"key", "issue", "--shop", "tea", "--scopes", "catalog:fly"},
		{"key", "issue", "--shop", "tea", "--scopes", "all", "--contour", "moon"},
		{"key", "issue", "--shop", "tea", "--scopes", "orders:read", "--role", "editor"},
		{"member", "add", "--shop", "tea", "--email", "a@example.test", "--password", "a long password", "--role", "owner"},
		{"member", "role", "--shop", "tea", "--email", "tea@example.test", "--role", "editor"},
		{"member", "role", "--shop", "tea", "--email", "nobody@example.test", "--role", "editor"},
		{"member", "remove", "--shop", "tea", "--email", "tea@example.test"},
		{"member", "remove", "--shop", "none", "--email", "tea@example.test"},
	} {
		stdout, stderr, err := p.run(args...)
		if err == nil || len(stdout) != 0 || !strings.HasPrefix(stderr, "vitrine: ") {
			t.Errorf("%v: %v, printed %q and %q", args, err, stdout, stderr)
		}
	}
	if got := p.verb("shop", "limit", "--shop", "tea", "products_max=1", "storage_bytes=none")["limits"].(map[string]any)["products_max"]; got != 1.0 {
		t.Errorf("limit %v", got)
	}
}

// release announces a release of one page and uploads it.
func (p *program) release(key, doc, html string) (id string) {
	p.t.Helper()
	sum := sha256.Sum256([]byte(html))
	answer := p.must(key, "POST", "/html-documents/"+doc+"/releases", map[string]any{"base": "none", "files": []any{
		map[string]any{"path": "index.html", "sha256": hex.EncodeToString(sum[:]), "size": len(html)}}})
	for _, u := range answer["upload"].([]any) {
		if status, body, err := p.try("", "PUT", u.(map[string]any)["upload_url"].(string), []byte(html)); err != nil || status >= 300 {
			p.t.Fatalf("upload: %d %s %v", status, body, err)
		}
	}
	return answer["release_id"].(string)
}

// An address in use is reported before anything is created.
func TestAddressInUseIsReportedFirst(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, role := range []string{"OPS", "ADMIN", "EDGE"} {
		p := newMachine(t)
		p.env = append(p.env, "VITRINE_"+role+"_LISTEN="+taken.Addr().String())
		if _, stderr, err := p.run("serve"); err == nil || !strings.Contains(stderr, strings.ToLower(role)+": ") ||
			!strings.Contains(stderr, "in use") {
			t.Errorf("%s: %v, %s", role, err, stderr)
		}
		if made, _ := os.ReadDir(p.dir); len(made) > 0 {
			t.Errorf("%s: %v was created", role, made)
		}
	}
}

// kill -9 during a publication under load: after a restart the page is the old or the new
// release, without intervention, and acknowledged releases stay.
func TestKillDuringPublication(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	key := p.shop("tea")
	r := p.start()
	doc := itoa(p.must(key, "POST", "/html-documents", map[string]any{"item": map[string]any{"name": "landing", "level": 3}})["id"])
	html := func(n int) string {
		return fmt.Sprintf("<!doctype html><title>t</title><body><p>release %d.</p></body>", n)
	}
	p.must(key, "POST", "/html-documents/"+doc+"/releases/"+p.release(key, doc, html(0))+"/publish", map[string]any{})
	page := p.must(
		key, "POST", "/categories",
		map[string]any{"item": map[string]any{"name": "Welcome", "type": "page", "is_published": true, "seo": map[string]any{"slug": "welcome"}}},
	)
	block := p.must(key, "POST", "/content-blocks", map[string]any{"item": map[string]any{"name": "landing", "sections": []any{
		map[string]any{
			"type":    "text",
			"payload": map[string]any{"v": 2, "kind": "html", "props": map[string]any{"html": map[string]any{"documentId": doc}}},
		}}}})
	p.must(
		key, "PUT", "/categories/"+itoa(page["id"])+"/content-blocks",
		map[string]any{"items": []any{map[string]any{"block_id": block["id"], "sort_order": 1}}},
	)
	if status, _, body := p.visit("tea", "/welcome"); status != 200 || !strings.Contains(body, "release 0.") {
		t.Fatalf("the previous page: %d %.200s", status, body)
	}
	for round := range 3 {
		acknowledged, attempted := p.publishUntilKilled(r, key, doc, html, round)
		r = p.start()
		status, _, body := p.visit("tea", "/welcome")
		shown := -1
		for n := range attempted + 1 {
			if strings.Contains(body, fmt.Sprintf("release %d.", n)) {
				shown = n
			}
		}
		if status != 200 || shown < acknowledged {
			t.Errorf("round %d: release %d was acknowledged, the page shows %d (%d)", round, acknowledged, shown, status)
		}
	}
}

// publishUntilKilled publishes release after release under visitors' load and kills the
// program meanwhile; it returns the last acknowledged release.
func (p *program) publishUntilKilled(r *running, key, doc string, html func(int) string, round int) (acknowledged, attempted int) {
	base := (round + 1) * 1000
	var last, tried atomic.Int64
	var writers sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		writers.Add(1)
		go func() {
			defer writers.Done()
			for {
				select {
				case <-stop:
					return
				default:
				}
				request, err := http.NewRequest("GET", "http://"+p.edge+"/welcome", nil)
				if err != nil {
					return
				}
				request.Host = "tea.localhost"
				if response, err := http.DefaultClient.Do(request); err == nil {
					response.Body.Close()
				}
			}
		}()
	}
	writers.Add(1)
	go func() {
		defer writers.Done()
		for n := base; ; n++ {
			tried.Store(int64(n))
			text := html(n)
			sum := sha256.Sum256([]byte(text))
			status, data, err := p.try(key, "POST", "/html-documents/"+doc+"/releases", map[string]any{"base": "none", "files": []any{
				map[string]any{"path": "index.html", "sha256": hex.EncodeToString(sum[:]), "size": len(text)}}})
			if err != nil || status >= 300 {
				return
			}
			release, upload := releaseOf(data)
			if status, _, err = p.try("", "PUT", upload, []byte(text)); err != nil || status >= 300 {
				return
			}
			if status, _, err = p.try(key, "POST", "/html-documents/"+doc+"/releases/"+release+"/publish", map[string]any{}); err != nil ||
				status >= 300 {
				return
			}
			last.Store(int64(n))
		}
	}()
	wait(p.t, "some releases are out", func() bool { return int(last.Load()) >= base+4+round })
	r.kill()
	close(stop)
	writers.Wait()
	return int(last.Load()), int(tried.Load())
}

func TestPushOfAFolder(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	dir := filepath.Join(p.dir, "site")
	for path, text := range map[string]string{
		"index.html":    `<!doctype html><title>Our landing</title><link rel="stylesheet" href="css/a.css"><body><h1>Hello</h1><img src="img/a.svg" width="10" height="10" alt="">`,
		"css/a.css":     `body { background: url(../img/a.svg) }`,
		"img/a.svg":     `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>`,
		"README.md":     `not published`,
		".git/HEAD":     `ref: x`,
		"node_modules/": ``,
	} {
		name := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, "/") {
			continue
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	first := p.verb("push", dir, "--to", "page:/landing", "--admin", "http://"+p.admin, "--key", key)
	status, _, body := p.visit("tea", "/landing")
	if status != 200 || !strings.Contains(body, "<h1>Hello</h1>") || !strings.Contains(body, "<title>Our landing") {
		t.Fatalf("%v\n%d %.500s", first, status, body)
	}
	second := p.verb("push", dir, "--to", "page:/landing", "--admin", "http://"+p.admin, "--key", key)
	if second["uploaded"] != 0.0 {
		t.Errorf("an unchanged folder was uploaded: %v", second)
	}
	_, stderr, err := p.run("push", filepath.Join(dir, "css"), "--to", "page:/landing", "--admin", "http://"+p.admin, "--key", key)
	if err == nil || !strings.Contains(stderr, "index.html") {
		t.Errorf("a folder without index.html: %v %s", err, stderr)
	}
	if status, _, body := p.visit("tea", "/landing"); status != 200 || !strings.Contains(body, "<h1>Hello</h1>") {
		t.Errorf("a failed push changed the page: %d", status)
	}
}
