package main

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/await"
)

// buyers place orders, one after another, until they are told to stop.
type buyers struct {
	placed atomic.Int64
	stop   func()
}

// come lets buyers place orders of a product until stop.
func (p *program) come(company any, product string) *buyers {
	b := &buyers{}
	done := make(chan struct{})
	var all sync.WaitGroup
	line := "/cart/items/" + product + "/default"
	try := func(guest, method, path string, body any) {
		var status int
		var said []byte
		var err error
		admitted := await.Until(func() bool { // all processes share the limits of an address
			status, said, err = p.try(guest, method, path, body)
			return status != http.StatusTooManyRequests
		})
		if !admitted || err != nil || status != http.StatusOK {
			p.t.Errorf("a buyer: %d %s %v", status, said, err)
		}
	}
	for range 2 {
		_, answer := p.call("", "POST", "/v1/auth/guest", map[string]any{})
		guest := itoa(answer["result"].(map[string]any)["token"])
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				case <-time.After(150 * time.Millisecond): // a session may write 600 times a minute
				}
				try(guest, "POST", line, map[string]any{"quantity": 1})
				try(guest, "POST", "/cart/confirm", map[string]any{"company_id": company, "contact": map[string]any{"name": "Ann", "phone": "1"}})
				b.placed.Add(1)
			}
		})
	}
	b.stop = sync.OnceFunc(func() { close(done); all.Wait() })
	p.t.Cleanup(b.stop)
	return b
}

// orders are the orders of a shop by id.
func (p *program) orders(key string) map[string]any {
	p.t.Helper()
	found := map[string]any{}
	for page := 1; ; page++ {
		list := p.must(key, "POST", "/orders", map[string]any{"page": map[string]any{"number": page, "limit": 100}})
		items := list["items"].([]any)
		for _, o := range items {
			found[itoa(o.(map[string]any)["id"])] = o
		}
		if len(items) < 100 {
			return found
		}
	}
}

func (p *program) signIn(email string) string {
	p.t.Helper()
	return itoa(p.must("", "POST", "/v1/auth/login", map[string]any{"email": email, "password": "a long password"})["token"])
}

// killedWhen starts a verb and kills it at the moment that a condition describes. It reports false
// if the verb was quicker.
func (p *program) killedWhen(moment func() bool, args ...string) bool {
	p.t.Helper()
	r := p.launch(args[0], args[1:]...)
	for {
		select {
		case <-r.done:
			return false
		default:
		}
		if moment() {
			return r.killUnlessDone()
		}
	}
}

func some(t *testing.T, pattern string) int {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

// A shop sells while the installation is backed up, and the backup and its restore are killed at
// several moments. Elsewhere the shop is as it was: pages, pictures, orders, sign-in, keys.
func TestAnInstallationIsRestoredElsewhere(t *testing.T) {
	t.Parallel()
	from := newMachine(t)
	key := from.shop("tea")
	serving := from.start()
	furnish(from, key)
	product := itoa(from.must(key, "POST", "/products", map[string]any{"item": map[string]any{"name": "Sold", "price": map[string]any{"price": 5}, "is_published": true}})["id"])
	content := make([]byte, 4<<20)
	for n := range 12 { // so that there is a middle of the copy
		content[0] = byte(n)
		from.uploadAs(key, "file", fmt.Sprintf("tea%d.bin", n), content)
	}
	company := from.must(key, "GET", "/v1/orgs/current", nil)["id"]
	want := crawl(from, "tea", 80, slices.Sorted(maps.Keys(kinds))...)
	owner := from.signIn("tea@example.test")
	buying := from.come(company, product)
	wait(t, "buyers buy", func() bool { return buying.placed.Load() > 3 })

	dir := filepath.Join(from.dir, "backup")
	files := filepath.Join(dir, "objects", "sha256", "*", "*")
	manifest := filepath.Join(dir, "backup.json")
	for what, moment := range map[string]func() bool{
		"the list":    func() bool { return some(t, filepath.Join(dir, "objects-*")) > 0 },
		"the dump":    func() bool { return some(t, filepath.Join(dir, "database-*")) > 0 },
		"the objects": func() bool { return some(t, files) > 3 },
	} {
		killed := from.killedWhen(moment, "backup", "--to", dir)
		if _, err := os.Stat(manifest); killed == (err == nil) {
			t.Errorf("a backup killed during %s (%t): %v", what, killed, err)
		}
		if _, stderr, err := from.run("backup", "--check", dir); killed && (err == nil || !strings.Contains(stderr, "no complete backup")) {
			t.Errorf("a check of a part: %s", stderr)
		}
		if err := os.RemoveAll(manifest); err != nil {
			t.Fatal(err)
		}
	}
	before := buying.placed.Load()
	report := from.verb("backup", "--to", dir)
	if report["lacking"] != 0.0 || report["objects"].(float64) < 13 {
		t.Errorf("%v", report)
	}
	during := buying.placed.Load()
	if from.killedWhen(func() bool { return some(t, filepath.Join(dir, "database-*")) > 1 }, "backup", "--to", dir) {
		t.Log("the second backup was killed; the first is still one")
	}
	buying.stop()
	all := from.orders(key)
	checked := from.verb("backup", "--check", dir)
	if checked["tables"].(float64) < 100 || checked["objects"].(float64) < 13 {
		t.Errorf("%v", checked)
	}
	scratch := filepath.Join(dir, "scratch")
	if from.killedWhen(func() bool { return some(t, scratch) > 0 }, "backup", "--check", dir) {
		left, err := os.ReadFile(scratch)
		if err != nil {
			t.Fatal(err)
		}
		from.verb("backup", "--check", dir)
		for _, name := range []string{scratch, strings.TrimSpace(string(left))} {
			if _, err := os.Lstat(name); err == nil {
				t.Errorf("%s is left of a killed check", name)
			}
		}
	}
	serving.stop()
	idle := from.verb("backup", "--to", filepath.Join(from.dir, "idle")) // starts the private server itself
	if idle["rows"].(float64) < checked["rows"].(float64) {
		t.Errorf("%v, with buyers %v", idle, checked)
	}

	to := newMachine(t)
	if said := to.refusedStart("restore", "--from", dir); !strings.Contains(said, "no secret key") {
		t.Error(said)
	}
	if said := to.with("VITRINE_SECRET_KEY="+anotherKey).refusedStart("restore", "--from", dir); !strings.Contains(said, "is another one") {
		t.Error(said)
	}
	secret, err := os.ReadFile(filepath.Join(from.dir, "var", "secret.key"))
	if err != nil {
		t.Fatal(err)
	}
	to.env = append(to.env, "VITRINE_SECRET_KEY="+strings.TrimSpace(string(secret)))
	arrived := filepath.Join(to.dir, "var", "blobs", "sha256", "*", "*")
	if to.killedWhen(func() bool { return some(t, arrived) > 3 }, "restore", "--from", dir) {
		for _, verb := range [][]string{{"serve"}, {"shop", "list"}, {"migrate"}} {
			if said := to.refusedStart(verb...); !strings.Contains(said, "run vitrine restore again") {
				t.Errorf("%v after a killed restore: %s", verb, said)
			}
		}
	}
	if restored := to.verb("restore", "--from", dir); restored["objects"] != checked["objects"] {
		t.Errorf("%v, the backup has %v", restored, checked)
	}
	if said := to.refusedStart("restore", "--from", dir); !strings.Contains(said, "not empty") {
		t.Error(said)
	}
	to.start()
	for path, page := range want {
		if got := seen(to.served("tea", path)); hostless(to, "tea", got) != hostless(from, "tea", page) {
			_, difference := moved{}.difference(hostless(from, "tea", page), hostless(to, "tea", got))
			t.Errorf("%s differs:\n%s", path, difference)
		}
	}
	to.signIn("tea@example.test")
	restored := to.orders(key)
	if n := int64(len(restored)); n < before || n > during+2 {
		t.Errorf("%d orders; %d were acknowledged before the backup and %d when it ended", n, before, during)
	}
	for id, order := range restored {
		if !reflect.DeepEqual(order, all[id]) {
			t.Errorf("order %s is %v and was %v", id, order, all[id])
		}
	}
	to.must(owner, "GET", "/v1/auth/me", nil)
	more := to.come(company, product)
	wait(t, "the restored shop sells", func() bool { return more.placed.Load() > 0 })
	more.stop()
	t.Logf("%d pages, %d orders of %d; %v", len(want), len(restored), len(all), report)
}

// A full disk ends a backup with its name, and leaves the one before. Here a limit on the length of
// files stands for it.
func TestABackupThatDoesNotFitLeavesTheOneBefore(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.shop("tea")
	dir := filepath.Join(p.dir, "backup")
	first := p.verb("backup", "--to", dir)
	cmd := exec.CommandContext(await.Context(t), "sh", "-c", `ulimit -f 8; exec "$0" "$@"`, p.binary, "backup", "--to", dir)
	cmd.Env = p.env
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "file too large") {
		t.Errorf("%v: %s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "backup.json"))
	if err != nil || !strings.Contains(string(text), itoa(first["id"])) {
		t.Errorf("%s %v", text, err)
	}
	p.verb("backup", "--check", dir)
}

// Edge and admin go on while their database is replaced by a restored one. The edge shows what the
// database says, and edits made afterwards.
func TestProcessesShowWhatARestoreSays(t *testing.T) {
	t.Parallel()
	processes := sharing(t, 2)
	writer, visitor := processes[0], processes[1]
	key := writer.shop("tea")
	writer.startRole("admin")
	visitor.startRole("edge")
	page := "/categories/" + itoa(writer.must(key, "POST", "/categories",
		map[string]any{"item": map[string]any{"name": "About", "type": "page", "is_published": true}})["id"])
	shows := func(name string) bool {
		status, _, body := visitor.visit("tea", "/about")
		return status == 200 && strings.Contains(body, "<h1>"+name)
	}
	wait(t, "the edge shows the page", func() bool { return shows("About") })
	dir := filepath.Join(writer.dir, "backup")
	writer.verb("backup", "--to", dir)
	writer.must(key, "PUT", page, map[string]any{"item": map[string]any{"name": "Lost"}})
	wait(t, "the edge shows an edit", func() bool { return shows("Lost") })

	database := ""
	for _, e := range writer.env {
		if value, found := strings.CutPrefix(e, "VITRINE_DATABASE_URL="); found {
			database = strings.TrimSuffix(value, fewConnections)
		}
	}
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), `DROP SCHEMA public, dev, draft CASCADE; CREATE SCHEMA public`); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(writer.dir, "blobs")); err != nil {
		t.Fatal(err)
	}
	writer.verb("restore", "--from", dir)
	wait(t, "the edge shows the page as it was", func() bool { return shows("About") })
	wait(t, "an edit", func() bool {
		status, _, err := writer.try(key, "PUT", page, map[string]any{"item": map[string]any{"name": "Another"}})
		return err == nil && status == 200
	})
	wait(t, "the edge shows an edit with the version of the lost one", func() bool { return shows("Another") })
}
