package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/await"
)

// imports begins an import of a file and returns the id of its job.
func (p *program) imports(key, text string) string {
	p.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("files[]", "export.csv")
	if err == nil {
		_, err = io.WriteString(part, text)
	}
	if err != nil || form.Close() != nil {
		p.t.Fatal(err)
	}
	request, err := http.NewRequest("POST", "http://"+p.admin+"/v1/imports", &body)
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Content-Type", form.FormDataContentType())
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	var begun struct {
		Result struct {
			ID string `json:"id"`
		} `json:"result"`
	}
	if err != nil || response.StatusCode != 202 || json.Unmarshal(answer, &begun) != nil {
		p.t.Fatalf("POST /v1/imports: %d %s %v", response.StatusCode, answer, err)
	}
	return begun.Result.ID
}

// idOfSet is the id of a variant set in a cell.
var idOfSet = regexp.MustCompile(`"id": ?"?[0-9]+"?,?`)

// catalogue returns the products of a shop without their ids.
func (p *program) catalogue(key string) (lines []string) {
	p.t.Helper()
	_, text, err := p.try(key, "GET", "/products/export", nil)
	if err != nil {
		p.t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		p.t.Fatal(err)
	}
	at := slices.Index(records[0], "id")
	for _, r := range records[1:] {
		if at >= 0 {
			r[at] = ""
		}
		lines = append(lines, idOfSet.ReplaceAllString(strings.Join(r, ","), ""))
	}
	slices.Sort(lines)
	return lines
}

// A worker killed while it imports leaves the job to another one. The shop is then the same as after
// an import by command line that nothing disturbed.
func TestAMoveInSurvivesKilledWorkers(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	p.startRole("admin")
	keys, owners := map[string]string{}, map[string]string{}
	for _, slug := range []string{"tea", "twin"} {
		keys[slug] = p.shop(slug)
		owners[slug] = p.must("", "POST", "/v1/auth/login", map[string]any{"email": slug + "@example.test", "password": "a long password"})["token"].(string)
	}
	var file strings.Builder
	file.WriteString("Handle,Title,Body (HTML),Vendor,Type,Published,Option1 Name,Option1 Value,Variant SKU,Variant Price,Status\n")
	for n := range 1500 {
		fmt.Fprintf(&file, "shirt-%d,Shirt %d,Text,Acme,Kind %d,true,Size,S,S%d,10,active\nshirt-%d,,,,,,,M,M%d,12,\n", n, n, n%20, n, n, n)
	}
	w := *p
	w.ops = freeAddress(t)
	w.env = append(append([]string{}, p.env...), "VITRINE_OPS_LISTEN="+w.ops)
	id := p.imports(owners["tea"], file.String())
	job := func(slug, id string) map[string]any { return p.must(owners[slug], "GET", "/v1/jobs/"+id, nil) }
	killed := 0
	for killed < 2 { // the third attempt is the last
		worker := w.startRole("worker")
		wait(t, "the import is taken", func() bool { return job("tea", id)["state"] != "queued" })
		time.Sleep(time.Duration(200+rand.IntN(800)) * time.Millisecond) // the moment of the kill, not a wait
		worker.kill()
		killed++
		if job("tea", id)["state"] == "done" {
			break
		}
	}
	w.startRole("worker")
	if !await.Within(4*await.Limit, func() bool { return job("tea", id)["state"] == "done" }) {
		t.Fatal(job("tea", id))
	}
	at := filepath.Join(p.dir, "export.csv")
	if err := os.WriteFile(at, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	plan := p.verb("move-in", at, "--shop", "twin", "--dry-run", "--choose", "type=type")
	if plan["system"] != "shopify" || plan["counts"].(map[string]any)["products"] != 1500.0 || len(p.catalogue(keys["twin"])) != 0 {
		t.Fatal(plan)
	}
	twin := itoa(p.verb("move-in", at, "--shop", "twin")["id"])
	if a, b := p.catalogue(keys["tea"]), p.catalogue(keys["twin"]); !slices.Equal(a, b) || len(a) != 1500 {
		t.Errorf("%d products after %d kills, %d undisturbed, such as %v", len(a), killed, len(b), slices.Concat(a[:1], b[:1]))
	}
	written := func(slug, id string) string {
		return fmt.Sprint(job(slug, id)["result"].(map[string]any)["written"])
	}
	if a, b := written("tea", id), written("twin", twin); a != b {
		t.Errorf("the reports differ: %s, %s", a, b)
	}
	t.Logf("%d kills", killed)
}
