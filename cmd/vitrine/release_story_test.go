package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// releaseBefore builds the program of the commit that .ci/release names, once for each commit,
// and returns its path; empty if this checkout does not have the commit.
func releaseBefore(t *testing.T) string {
	t.Helper()
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, ".ci", "release"))
	if err != nil {
		t.Fatal(err)
	}
	commit := strings.TrimSpace(string(text))
	if exec.Command("git", "-C", root, "cat-file", "-e", commit+"^{commit}").Run() != nil {
		return ""
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	program := filepath.Join(cache, "vitrine-release", commit)
	if _, err := os.Stat(program); err == nil {
		return program
	}
	sources := t.TempDir()
	for _, step := range [][]string{
		{"sh", "-c", `git -C "$0" archive "$1" | tar -x -C "$2"`, root, commit, sources},
		{"mkdir", "-p", filepath.Dir(program)},
		{"go", "build", "-C", sources, "-buildvcs=false", "-o", program + ".new", "./cmd/vitrine"},
		{"mv", program + ".new", program}, // complete or not there
	} {
		if out, err := exec.Command(step[0], step[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", step, err, out)
		}
	}
	return program
}

// The release before and this one work side by side on the new schema, as they do while the
// processes of a platform are replaced: both list, edit and sell, without an error, and the edges of
// both show what either has written.
func TestTheReleaseBeforeWorksBesideThisOne(t *testing.T) {
	t.Parallel()
	before := releaseBefore(t)
	if before == "" {
		t.Log("the release before was not run: this checkout does not have its commit (a shallow clone?)")
		return
	}
	shared := []string{
		"VITRINE_DATABASE_URL=" + storetest.URL(t, store.Migrate) + fewConnections,
		"VITRINE_BLOB_URL=file://" + storetest.Dir(t), "VITRINE_SECRET_KEY=" + strings.Repeat("A", 43) + "=",
	}
	now, old := newProgram(t), newProgram(t)
	old.binary = before
	for _, p := range []*program{now, old} {
		p.env = append(p.env, shared...)
		p.env = append(p.env, "VITRINE_STOREFRONT_URL=http://{shop}.localhost:8080", "VITRINE_ADMIN_URL=http://localhost:8081")
	}
	key := now.shop("tea")
	company := shopID(t, now)
	running := []*running{old.start(), now.start()}
	product := func(p *program, name string) string {
		return itoa(p.must(key, "POST", "/products", map[string]any{"item": map[string]any{
			"name": name, "price": map[string]any{"price": 12}, "is_published": true}})["id"])
	}
	products := map[*program]string{now: product(now, "New tea"), old: product(old, "Old tea")}
	var work sync.WaitGroup
	for _, p := range []*program{now, old} {
		buyer := p.must("", "POST", "/v1/auth/register", map[string]any{"email": fmt.Sprintf("ann-%s@people.test", products[p]), "password": "a long password"})["token"].(string)
		work.Go(func() {
			for n := range 15 {
				for _, id := range products { // of both programs
					for _, c := range []struct {
						key, method, path string
						body              map[string]any
					}{
						{key, "GET", "/products", nil},
						{key, "GET", "/products?filter.query=tea", nil},
						{key, "PUT", "/products/" + id, map[string]any{"item": map[string]any{"description": fmt.Sprintf("Edit %d by %s", n, p.admin)}}},
						{buyer, "POST", "/cart/items/" + id + "/default", map[string]any{"quantity": 1}},
						{buyer, "POST", "/cart/confirm", map[string]any{"company_id": company, "contact": map[string]any{"name": "Ann", "phone": "1"}}},
						{key, "POST", "/orders", map[string]any{}},
					} {
						status, body, err := p.try(c.key, c.method, c.path, c.body)
						if err != nil || status != 200 {
							t.Errorf("%s %s: %d %s %v", c.method, c.path, status, bytes.TrimSpace(body), err)
						}
					}
				}
			}
		})
	}
	work.Wait()
	for _, writer := range []*program{now, old} {
		name := "Renamed by " + writer.admin
		writer.must(key, "PUT", "/products/"+products[now], map[string]any{"item": map[string]any{"name": name}})
		for _, p := range []*program{now, old} {
			wait(t, "both edges show an edit", func() bool {
				_, _, body := p.visit("tea", "/product/"+products[now])
				return strings.Contains(body, name)
			})
		}
	}
	for _, r := range running {
		r.stop()
		if out := r.stderr.String(); strings.Contains(out, "level=ERROR") {
			t.Error(out)
		}
	}
}

// shopID is the id of the only shop.
func shopID(t *testing.T, p *program) float64 {
	t.Helper()
	shops, ok := p.verb("shop", "list")["shops"].([]any)
	if !ok || len(shops) != 1 {
		t.Fatalf("shops: %v", shops)
	}
	return shops[0].(map[string]any)["company_id"].(float64)
}
