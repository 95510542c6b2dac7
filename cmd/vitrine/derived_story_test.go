package main

import (
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/blob"
	"vitrine/internal/blob/blobtest"
)

// Two edges with disks of their own have one bucket: what one has resized, the other reads. When the bucket
// does not answer, pictures that a machine has are still served.
func TestEdgesShareResizedPictures(t *testing.T) {
	for _, kind := range []string{"directory", "bucket"} {
		t.Run(kind, func(t *testing.T) {
			var server *blobtest.S3
			if kind == "bucket" {
				server = blobtest.Start(t)
			}
			processes := sharing(t, 3)
			admin, first, second := processes[0], processes[1], processes[2]
			address := "file://" + filepath.Join(admin.dir, "blobs")
			if server != nil {
				address = server.URL()
				for _, p := range processes {
					p.env = append(p.env, "VITRINE_BLOB_URL="+address)
				}
			}
			key := admin.shop("tea")
			admin.startRole("admin")
			path := itoa(admin.must(key, "GET", "/v1/storages/files/"+admin.picture(key), nil)["public_path"])
			store, err := blob.Open(address)
			if err != nil {
				t.Fatal(err)
			}
			derived := func() (all []string) {
				for shard := range blob.Shards() {
					some, err := store.DerivedSources(t.Context(), shard)
					if err != nil {
						t.Fatal(err)
					}
					all = append(all, some...)
				}
				return all
			}
			first.startRole("edge")
			second.startRole("edge")
			status, _, made := first.visit("tea", "/w/320/webp"+path)
			if status != http.StatusOK {
				t.Fatal(status, made)
			}
			wait(t, "the picture is in the bucket", func() bool { return len(derived()) == 1 })
			if status, _, body := second.visit("tea", "/w/320/webp"+path); status != http.StatusOK || body != made {
				t.Errorf("the other edge: %d, %d bytes", status, len(body))
			}
			if got := second.wishes(); got["fetched"] != "1" {
				t.Errorf("the other edge: %v", got)
			}
			if server != nil {
				server.Proxy.Freeze()
				for _, p := range []*program{first, second} {
					if status, _, body := p.visit("tea", "/w/320/webp"+path); status != http.StatusOK || body != made {
						t.Errorf("with a frozen bucket: %d, %d bytes", status, len(body))
					}
				}
				server.Proxy.Restore()
			}
			gone := derived()
			kept, err := blob.OpenCache(t.TempDir(), 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := (collectingStore{store, kept}).Collect(t.Context(), gone[0], time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
			if left := derived(); slices.Contains(left, gone[0]) {
				t.Errorf("the original was deleted, and %v stays", left)
			}
		})
	}
}

// wishes are the result of the requested variants, by outcome.
func (p *program) wishes() map[string]string {
	p.t.Helper()
	response, err := http.Get("http://" + p.ops + "/metrics")
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	all := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if rest, is := strings.CutPrefix(line, `vitrine_resizer_wishes_total{outcome="`); is {
			outcome, count, _ := strings.Cut(rest, `"} `)
			all[outcome] = strings.TrimSpace(count)
		}
	}
	if len(all) == 0 {
		p.t.Fatalf("no metric in %.300s", text)
	}
	return all
}
