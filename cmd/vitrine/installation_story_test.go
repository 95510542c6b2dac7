package main

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/await"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

const anotherKey = "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA="

// with is a copy of a program with other settings.
func (p *program) with(settings ...string) *program {
	other := *p
	other.env = append(slices.Clone(p.env), settings...)
	return &other
}

// refusedStart returns what a process prints that must not start.
func (p *program) refusedStart(args ...string) string {
	p.t.Helper()
	out, stderr, err := p.run(args...)
	if err == nil {
		p.t.Fatalf("vitrine %v started: %s", args, out)
	}
	return stderr
}

// A process with another key, bucket or public address refuses to start and names the setting, but
// no key; the others go on.
func TestAProcessOfAnotherInstallationRefusesToStart(t *testing.T) {
	t.Parallel()
	processes := sharing(t, 2)
	first, second := processes[0], processes[1]
	first.shop("tea")
	first.startRole("admin")
	stranger := newProgram(t) // another installation, with its own bucket
	stranger.verb("shop", "list")
	var blobs string
	for _, e := range first.env {
		if dir, found := strings.CutPrefix(e, "VITRINE_BLOB_URL=file://"); found {
			blobs = dir
		}
	}
	mine, err := os.ReadFile(filepath.Join(blobs, "installation"))
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := os.ReadFile(filepath.Join(stranger.dir, "var", "blobs", "installation"))
	if err != nil || string(mine) == string(theirs) {
		t.Fatalf("%s %s %v", mine, theirs, err)
	}
	for _, c := range []struct{ settings, want string }{
		{"VITRINE_SECRET_KEY=" + anotherKey, "VITRINE_SECRET_KEY"},
		{"VITRINE_SECRET_KEY=", "no secret key (VITRINE_SECRET_KEY"},
		{"VITRINE_BLOB_URL=file://" + filepath.Join(second.dir, "none"), "VITRINE_BLOB_URL) is another one, which belongs to no installation"},
		{"VITRINE_BLOB_URL=file://" + filepath.Join(stranger.dir, "var", "blobs"), "VITRINE_BLOB_URL) belongs to the installation " + strings.TrimSpace(string(theirs))},
		{"VITRINE_STOREFRONT_URL=https://{shop}.shops.example", "VITRINE_STOREFRONT_URL is https://{shop}.shops.example and was http://{shop}.localhost:"},
		{"VITRINE_ADMIN_URL=https://admin.example", "VITRINE_ADMIN_URL is https://admin.example and was http://localhost:"},
	} {
		other := second.with(c.settings)
		for _, verb := range [][]string{{"edge"}, {"admin"}, {"worker"}, {"serve"}, {"shop", "list"}} {
			said := other.refusedStart(verb...)
			if !strings.Contains(said, "installation: ") || !strings.Contains(said, c.want) || strings.Contains(said, aKey[:20]) || strings.Contains(said, anotherKey[:20]) {
				t.Errorf("%s %v: %s", c.settings, verb, said)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(second.dir, "var", "secret.key")); err == nil {
		t.Error("a refused process has created a key")
	}
	both := second.with("VITRINE_SECRET_KEY="+anotherKey, "VITRINE_ADMIN_URL=https://admin.example").refusedStart("edge")
	if !strings.Contains(both, "VITRINE_SECRET_KEY") || !strings.Contains(both, "VITRINE_ADMIN_URL") {
		t.Error(both)
	}
	if said := newProgram(t).with("VITRINE_BLOB_URL=file://"+blobs).refusedStart("shop", "list"); !strings.Contains(said, "installation: the bucket (VITRINE_BLOB_URL) belongs to") {
		t.Error(said)
	}
	second.startRole("edge")
}

// New addresses are accepted by a command, which shows the old ones; another key or bucket never is.
func TestAcceptTakesNewAddressesOver(t *testing.T) {
	t.Parallel()
	p := sharing(t, 1)[0]
	p.shop("tea")
	moved := p.with("VITRINE_STOREFRONT_URL=https://{shop}.shops.example", "VITRINE_ADMIN_URL=https://admin.example/")
	moved.refusedStart("shop", "list")
	for _, settings := range []string{"VITRINE_SECRET_KEY=" + anotherKey, "VITRINE_BLOB_URL=file://" + filepath.Join(p.dir, "none")} {
		if said := moved.with(settings).refusedStart("installation", "accept"); !strings.Contains(said, "installation: ") {
			t.Error(said)
		}
	}
	moved.refusedStart("shop", "list")
	answer := moved.verb("installation", "accept")
	was, now := answer["old"].(map[string]any), answer["new"].(map[string]any)
	if !strings.HasPrefix(was["storefront_url"].(string), "http://{shop}.localhost:") || !strings.HasPrefix(was["admin_url"].(string), "http://localhost:") ||
		now["storefront_url"] != "https://{shop}.shops.example" || now["admin_url"] != "https://admin.example" || answer["installation"] == "" {
		t.Errorf("%v", answer)
	}
	moved.verb("shop", "list")
	p.refusedStart("shop", "list")
}

// serve alone on its own database is the installation: it takes new addresses over and says so.
func TestServeOnItsOwnDatabaseTakesNewAddressesOver(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	p.shop("tea")
	p.start().stop()
	moved := p.with("VITRINE_STOREFRONT_URL=http://{shop}.shops.localhost:80")
	if said := moved.refusedStart("shop", "list"); !strings.Contains(said, "VITRINE_STOREFRONT_URL") {
		t.Error(said)
	}
	r := moved.start()
	if said := r.stderr.String(); !strings.Contains(said, "new public addresses") || !strings.Contains(said, "http://{shop}.shops.localhost:80") {
		t.Error(said)
	}
	if list := moved.verb("shop", "list")["shops"].([]any); list[0].(map[string]any)["storefront_url"] != "http://tea.shops.localhost:80" {
		t.Errorf("%v", list)
	}
	r.stop()
	if said := moved.with("VITRINE_SECRET_KEY=" + anotherKey).refusedStart("serve"); !strings.Contains(said, "VITRINE_SECRET_KEY") {
		t.Error(said)
	}
}

// A key is rotated process by process: the new one with the former, then the new one alone. The
// former one alone is refused from then on. What the former one has signed stays valid.
func TestASecretKeyIsRotated(t *testing.T) {
	t.Parallel()
	processes := sharing(t, 2)
	p, other := processes[0], processes[1]
	key := p.shop("tea")
	first := p.startRole("admin")
	owner := itoa(p.must("", "POST", "/v1/auth/login", map[string]any{"email": "tea@example.test", "password": "a long password"})["token"])
	p.must(owner, "POST", "/webhooks", map[string]any{"url": "https://hooks.example.com/", "events": []string{"product.updated"}})
	p.must(owner, "PUT", "/v1/shop/payment-methods/stripe", map[string]any{"title": "By card", "is_active": true, "settings": map[string]any{"secret_key": "sk_test", "webhook_secret": "whsec_test"}})
	first.stop()
	both := p.with("VITRINE_SECRET_KEY=" + anotherKey + "," + aKey)
	both.startRole("admin")
	both.must(key, "GET", "/products", nil)
	other.with("VITRINE_SECRET_KEY="+aKey+","+anotherKey).verb("shop", "list") // not restarted with the new order yet
	if said := other.refusedStart("shop", "list"); !strings.Contains(said, "VITRINE_SECRET_KEY") {
		t.Error(said)
	}
	worker := other.with("VITRINE_SECRET_KEY=" + anotherKey + "," + aKey).startRole("worker")
	wait(t, "the stored secrets are sealed with the new key", func() bool {
		return strings.Contains(worker.stderr.String(), "can be removed") && strings.Contains(worker.stderr.String(), "changed=2")
	})
	worker.stop()
	other.with("VITRINE_SECRET_KEY="+anotherKey).verb("shop", "list")
}

// An installation from before the record gets one at its first start, whichever of several
// processes that is, and nothing in it reveals the key.
func TestTheFirstProcessWritesTheRecord(t *testing.T) {
	t.Parallel()
	processes := sharing(t, 3)
	var starts sync.WaitGroup
	for _, p := range processes {
		starts.Go(func() { p.verb("shop", "list") })
	}
	starts.Wait()
	var url string
	for _, e := range processes[0].env {
		if value, found := strings.CutPrefix(e, "VITRINE_DATABASE_URL="); found {
			url = strings.TrimSuffix(value, fewConnections)
		}
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	var n int
	var record string
	if err := conn.QueryRow(t.Context(), `SELECT count(*), min(i::text) FROM installation i`).Scan(&n, &record); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	raw, err := base64.StdEncoding.DecodeString(aKey)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{aKey, string(raw), hex.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw)} {
		if strings.Contains(record, secret) {
			t.Errorf("the record has the key: %s", record)
		}
	}
	if _, err := conn.Exec(t.Context(), `DELETE FROM installation`); err != nil {
		t.Fatal(err)
	}
	if said := processes[1].refusedStart("edge"); !strings.Contains(said, "installation: the bucket (VITRINE_BLOB_URL) belongs to") {
		t.Error(said)
	}
}

// Of two processes with different buckets that start at once on a new database, one is refused.
func TestTwoBucketsAreNeverBothTaken(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.env = append(p.env, "VITRINE_DATABASE_URL="+storetest.URL(t, store.Migrate)+fewConnections, "VITRINE_SECRET_KEY="+aKey)
	var mu sync.Mutex
	var said []string
	var starts sync.WaitGroup
	for _, bucket := range []string{"a", "b"} {
		starts.Go(func() {
			cmd := exec.CommandContext(await.Context(t), os.Args[0], "shop", "list")
			cmd.Env = p.with("VITRINE_BLOB_URL=file://" + filepath.Join(p.dir, bucket)).env
			out, err := cmd.CombinedOutput()
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				said = append(said, string(out))
			}
		})
	}
	starts.Wait()
	if len(said) != 1 || !strings.Contains(said[0], "installation: ") {
		t.Errorf("%d refusals: %q", len(said), said)
	}
}
