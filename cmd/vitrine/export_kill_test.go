package main

import (
	"archive/zip"
	"bytes"
	"flag"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/await"
)

var exportKills = flag.Int("export-kills", 2, "how often the worker that exports a shop is killed; the third attempt is the last")

// A worker killed while it exports a shop leaves the job to another one. A job is done only once its
// whole file can be read.
func TestAnExportSurvivesKilledWorkers(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	p.startRole("admin")
	key := p.shop("tea")
	owner := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "tea@example.test", "password": "a long password"})["token"].(string)
	content := make([]byte, 8<<20)
	for n := range 4 { // some milliseconds of work for a worker
		content[0] = byte(n)
		p.uploadAs(key, "file", "tea.bin", content)
	}
	w := *p
	w.ops = freeAddress(t)
	w.env = append(append([]string{}, p.env...), "VITRINE_OPS_LISTEN="+w.ops)

	id := itoa(p.must(owner, "POST", "/v1/shop/export", nil)["id"])
	job := func() map[string]any { return p.must(owner, "GET", "/v1/jobs/"+id, nil) }
	killed := 0
	for killed < *exportKills {
		worker := w.startRole("worker")
		wait(t, "the export is taken", func() bool { return job()["state"] != "queued" })
		time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond) // the moment of the kill, not a wait
		worker.kill()
		killed++
		if job()["state"] == "done" {
			break
		}
	}
	w.startRole("worker")
	if !await.Within(2*await.Limit, func() bool { return job()["state"] == "done" }) { // a killed worker leaves a lease
		t.Fatalf("after %d kills: %v", killed, job())
	}
	result := job()["result"].(map[string]any)
	response, err := http.Get(itoa(result["url"]))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil || response.Body.Close() != nil || response.StatusCode != 200 || itoa(len(body)) != itoa(result["size"]) {
		t.Fatalf("%d, %d bytes of %v, %v", response.StatusCode, len(body), result["size"], err)
	}
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil || !strings.HasPrefix(z.Comment, "vitrine shop ") {
		t.Errorf("the file is not complete: %v", err)
	}
	t.Logf("%d kills, %d bytes", killed, len(body))
}
