package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/blob/blobtest"
)

// noise is unique random bytes.
func noise(seed uint64, size int) []byte {
	source := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16)})
	data := make([]byte, size)
	source.Read(data) // never fails (math/rand/v2)
	return append([]byte("%PDF-1.7 "), data...)
}

// upload is an announced file of the library.
type upload struct{ file, id, url string }

func (p *program) announce(key, path string, body map[string]any) (upload, error) {
	status, data, err := p.try(key, "POST", path, body)
	if err != nil || status >= 300 {
		return upload{}, fmt.Errorf("%s: %d %s %w", path, status, data, err)
	}
	answer := object(data)
	result, up := answer["result"].(map[string]any), answer["upload"].(map[string]any)
	return upload{itoa(result["id"]), itoa(up["id"]), itoa(up["url"])}, nil
}

// finish sends the bytes and confirms them; it returns the path of the file.
func (p *program) finish(key string, u upload, data []byte) (path string, err error) {
	if status, answer, err := p.try("", "PUT", u.url, data); err != nil || status >= 300 {
		return "", fmt.Errorf("put: %d %s %w", status, answer, err)
	}
	status, answer, err := p.try(key, "POST", "/v1/storages/files/"+u.id+"/done", map[string]any{})
	if err != nil || status >= 300 {
		return "", fmt.Errorf("done: %d %s %w", status, answer, err)
	}
	return itoa(object(answer)["result"].(map[string]any)["public_path"]), nil
}

var announcement = map[string]any{"section": "content", "file_type": "file", "original_name": "list.pdf"}

// kill -9 during uploads and replacements: after a restart, acknowledged files are served
// with their bytes, and an upload whose bytes were acknowledged can still be confirmed.
func TestKillDuringUploads(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	r := p.start()
	first, err := p.announce(key, "/v1/storages/files", announcement)
	if err == nil {
		_, err = p.finish(key, first, noise(1, 1000))
	}
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(1)
	for range 2 {
		waiting, err := p.announce(key, "/v1/storages/files", announcement)
		if err != nil {
			t.Fatal(err)
		}
		p.must("", "PUT", waiting.url, noise(7, 5000))
		served := p.uploadUntilKilled(r, key, first.file, &seed)
		r = p.start()
		for path, want := range served {
			if status, _, body := p.visit("tea", path); status != http.StatusOK || body != string(want) {
				t.Errorf("%s: %d, %d bytes of %d", path, status, len(body), len(want))
			}
		}
		replaced := p.must(key, "GET", "/v1/storages/files/"+first.file, nil)
		if _, _, body := p.visit("tea", itoa(replaced["public_path"])); itoa(replaced["size"]) != fmt.Sprint(len(body)) ||
			!strings.HasPrefix(body, "%PDF") {
			t.Errorf("the file that was being replaced: %v, %d bytes", replaced, len(body))
		}
		path := itoa(p.must(key, "POST", "/v1/storages/files/"+waiting.id+"/done", map[string]any{})["public_path"])
		if _, _, body := p.visit("tea", path); body != string(noise(7, 5000)) {
			t.Errorf("bytes that were acknowledged before the end: %d of them", len(body))
		}
	}
}

// uploadUntilKilled uploads and replaces files in parallel and kills the program meanwhile;
// it returns the acknowledged new files, by path.
func (p *program) uploadUntilKilled(r *running, key, replaced string, seed *uint64) (served map[string][]byte) {
	p.t.Helper()
	var mu sync.Mutex
	var writers sync.WaitGroup
	served = map[string][]byte{}
	next := func() uint64 {
		mu.Lock()
		defer mu.Unlock()
		*seed++
		return *seed
	}
	for range 3 {
		writers.Go(func() {
			for {
				data := noise(next(), 20_000)
				u, err := p.announce(key, "/v1/storages/files", announcement)
				if err != nil {
					return
				}
				path, err := p.finish(key, u, data)
				if err != nil {
					return
				}
				mu.Lock()
				served[path] = data
				mu.Unlock()
			}
		})
	}
	writers.Go(func() {
		for {
			u, err := p.announce(key, "/v1/storages/files/"+replaced+"/replace", map[string]any{})
			if err != nil {
				return
			}
			if _, err := p.finish(key, u, noise(next(), 10_000)); err != nil {
				return
			}
		}
	})
	wait(p.t, "some files are stored", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(served) >= 5
	})
	r.kill()
	writers.Wait()
	return served
}

// If a bucket becomes unreachable during an upload and a resize, these calls get a clear
// error; pages keep working, and when it is back everything works again, in the same process.
func TestUnreachableBucket(t *testing.T) {
	server := blobtest.Start(t)
	p := newProgram(t)
	p.env = append(p.env, "VITRINE_BLOB_URL="+server.URL())
	key := p.shop("tea")
	p.start()
	picture := p.picture(key)
	path := itoa(p.must(key, "GET", "/v1/storages/files/"+picture, nil)["public_path"])
	if status, _, _ := p.visit("tea", "/w/320/webp"+path); status != http.StatusOK {
		t.Fatalf("a picture out of the bucket: %d", status)
	}
	u, err := p.announce(key, "/v1/storages/files", announcement)
	if err != nil {
		t.Fatal(err)
	}
	data := noise(3, 500_000)
	server.Proxy.CutAfter(100_000, 1<<20)
	if status, answer := p.call("", "PUT", u.url, data); status != http.StatusServiceUnavailable ||
		!strings.Contains(itoa(answer["error"]), "UNAVAILABLE") {
		t.Errorf("an upload into an unreachable bucket: %d %v", status, answer)
	}
	server.Proxy.CutAfter(1<<20, 2_000)
	if status, _, body := p.visit("tea", "/w/777/webp"+path); status != http.StatusServiceUnavailable {
		t.Errorf("a new width of a picture in an unreachable bucket: %d %.100s", status, body)
	}
	if status, _, _ := p.visit("tea", "/w/320/webp"+path); status != http.StatusOK {
		t.Errorf("a cached width: %d", status)
	}
	if status, _, _ := p.visit("tea", "/"); status != http.StatusOK {
		t.Errorf("a page: %d", status)
	}
	server.Proxy.Restore()
	if status, _, _ := p.visit("tea", "/w/777/webp"+path); status != http.StatusOK {
		t.Errorf("the width when the bucket is back: %d", status)
	}
	file, err := p.finish(key, u, data)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, body := p.visit("tea", file); body != string(data) {
		t.Errorf("%d bytes of %d are served", len(body), len(data))
	}
}

func object(data []byte) (v map[string]any) {
	if json.Unmarshal(data, &v) != nil {
		return nil
	}
	return v
}
