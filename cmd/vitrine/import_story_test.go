package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/await"
)

// exported exports a shop by the API and returns the file.
func (p *program) exported(owner string) []byte {
	p.t.Helper()
	id := itoa(p.must(owner, "POST", "/v1/shop/export", nil)["id"])
	result := p.ended(owner, id)["result"].(map[string]any)
	response, err := http.Get(itoa(result["url"]))
	if err != nil {
		p.t.Fatal(err)
	}
	file, err := io.ReadAll(response.Body)
	if err != nil || response.Body.Close() != nil || response.StatusCode != 200 {
		p.t.Fatal(response.StatusCode, err)
	}
	return file
}

// ended waits for the end of a job.
func (p *program) ended(who, id string) (job map[string]any) {
	p.t.Helper()
	done := func() bool {
		job = p.must(who, "GET", "/v1/jobs/"+id, nil)
		return job["state"] == "done" || job["state"] == "failed"
	}
	if !await.Within(4*await.Limit, done) { // a killed worker leaves a lease
		p.t.Fatalf("the job does not end: %v", job)
	}
	return job
}

// importing begins an import with a form, as a browser does.
func (p *program) importing(who, slug string, file []byte) (int, map[string]any) {
	p.t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for name, value := range map[string]string{"slug": slug, "name": "Morrow & Fern"} {
		if err := w.WriteField(name, value); err != nil {
			p.t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("file", "shop.zip")
	if err == nil {
		_, err = part.Write(file)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	request, err := http.NewRequest("POST", "http://"+p.admin+"/v1/shop/import", &form)
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+who)
	request.Header.Set("Content-Type", w.FormDataContentType())
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		p.t.Fatal(err)
	}
	return response.StatusCode, answer
}

// person registers somebody at the admin origin.
func (p *program) person(email string) (session string) {
	p.t.Helper()
	return itoa(p.must("", "POST", "/v1/auth/register", map[string]any{"email": email, "password": "a long password", "name": "Ann"})["token"])
}

var (
	uuids   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	stamps  = regexp.MustCompile(`"dateModified":"[^"]*"|<lastmod>[^<]*</lastmod>`)
	ranged  = regexp.MustCompile(`7654\d{5}`) // ids of apartProgram
	ownKeys = regexp.MustCompile(`^(id|.*_(id|ids|by|at)|row_version|hits|version|etag|order|dev_dirty|rating|rating_count|used|spent|leads)$`)
)

// same replaces what differs between a shop and its copy.
func same(text, slug string) string {
	text = stamps.ReplaceAllString(ranged.ReplaceAllString(uuids.ReplaceAllString(text, "FILE"), "ID"), "TIME")
	return strings.ReplaceAll(text, slug+".localhost", "HOST")
}

// shown is a list of a shop without ids and times, in an order that does not depend on them.
func (p *program) shown(who, slug, path string) (rows []string) {
	p.t.Helper()
	var bare func(v any) any
	bare = func(v any) any {
		switch v := v.(type) {
		case []any:
			for i := range v {
				v[i] = bare(v[i])
			}
		case map[string]any:
			for name := range v {
				if ownKeys.MatchString(name) && name != "published_at" {
					delete(v, name)
					continue
				}
				v[name] = bare(v[name])
			}
		}
		return v
	}
	for page := 1; ; page++ {
		at := path
		if path == "/products" || path == "/articles" {
			at += fmt.Sprintf("?page.number=%d&page.limit=100", page)
		}
		status, answer := p.call(who, "GET", at, nil)
		list, ok := answer["items"].([]any)
		switch result := answer["result"].(type) {
		case []any:
			list, ok = result, true
		case map[string]any:
			if list, ok = result["items"].([]any); !ok {
				list, ok = []any{result}, true
			}
		}
		if status != 200 || !ok {
			p.t.Fatalf("%s: %d, no list in %.300v", path, status, answer)
		}
		for _, row := range list {
			text, err := json.Marshal(bare(row))
			if err != nil {
				p.t.Fatal(err)
			}
			rows = append(rows, same(string(text), slug))
		}
		if at == path || len(list) < 100 {
			slices.Sort(rows)
			return rows
		}
	}
}

// A shop with everything is exported by its owner and imported by somebody else, both by the API. The
// copy shows the same, except for ids and what the result names.
func TestAShopIsImportedByTheAPI(t *testing.T) {
	t.Parallel()
	p, conn := apartProgram(t, 7654)
	p.keepDemoPictures()
	r := p.start("--demo")
	everything(p, conn, p.verb("key", "issue", "--shop", "demo", "--scopes", "all")["key"].(string))
	r.stop()
	for _, sql := range []string{`UPDATE remark SET status = 'rejected'`, `UPDATE product SET rating = 0, rating_count = 0`} { // they are not imported
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	p.start()
	owner := itoa(p.must("", "POST", "/v1/auth/login", map[string]any{"email": "owner@demo.example", "password": "tea-at-four"})["token"])
	file := p.exported(owner)
	ann := p.person("ann-who-imports@people.test")
	if status, answer := p.importing(ann, "atelier", file); status != 409 || answer["code"] != "SLUG_TAKEN" {
		t.Errorf("somebody else's slug: %d %v", status, answer)
	}
	_, answer := p.importing(ann, "half", file[:len(file)/2])
	if job := p.ended(ann, itoa(answer["result"].(map[string]any)["id"])); job["state"] != "failed" || !strings.Contains(itoa(job["error"]), "SHOP_FILE_INVALID") {
		t.Errorf("half a file: %v", job)
	}
	status, answer := p.importing(ann, "copy", file)
	if status != 202 {
		t.Fatalf("%d %v", status, answer)
	}
	job := p.ended(ann, itoa(answer["result"].(map[string]any)["id"]))
	if job["state"] != "done" {
		t.Fatalf("the import failed: %v", job["error"])
	}
	for _, path := range []string{
		"/products", "/categories", "/articles", "/storefront-redirects", "/site-files", "/attributes", "/galleries", "/forms", "/content-blocks", "/html-documents",
		"/promotions", "/pricing-rules", "/product-groups", "/customer-groups", "/access-policies", "/v1/shop/settings", "/v1/shop/delivery-options",
		"/v1/shop/payment-methods", "/v1/storages/collections",
	} {
		want, got := p.shown(owner, "demo", path), p.shown(ann, "copy", path)
		if len(want) == 0 {
			t.Errorf("%s: nothing to compare", path)
		}
		sameRows(t, path, want, got)
	}
	pages := 0
	for _, path := range slices.Sorted(maps.Keys(crawl(p, "demo", 120, "/", "/tea/green/sencha", "/about", "/old", "/everything", "/ids.xml"))) {
		if strings.HasPrefix(path, "/files/") || strings.HasPrefix(path, "/w/") || strings.Contains(path, "/_") {
			continue // addresses with ids
		}
		status, header, body := p.visit("demo", path)
		copied, its, text := p.visit("copy", path)
		if copied != status || same(its.Get("Location"), "copy") != same(header.Get("Location"), "demo") || same(text, "copy") != same(body, "demo") {
			t.Errorf("%s: %d %s became %d %s\n%s", path, status, header.Get("Location"), copied, its.Get("Location"), firstDifference(same(body, "demo"), same(text, "copy")))
		}
		pages++
	}
	if pages < 40 {
		t.Errorf("only %d pages were compared", pages)
	}
}

// sameRows reports rows that only one of two sorted lists has.
func sameRows(t *testing.T, what string, want, got []string) {
	t.Helper()
	for i, j := 0, 0; i < len(want) || j < len(got); {
		switch {
		case j == len(got) || i < len(want) && want[i] < got[j]:
			t.Errorf("%s: missing %s", what, want[i])
			i++
		case i == len(want) || got[j] < want[i]:
			t.Errorf("%s: additional %s", what, got[j])
			j++
		default:
			i, j = i+1, j+1
		}
	}
}

func firstDifference(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return "was  " + a[max(0, i-100):min(len(a), i+200)] + "\nnow  " + b[max(0, i-100):min(len(b), i+200)]
}

var importKills = flag.Int("import-kills", 2, "how often the worker that imports a shop is killed; the third attempt is the last")

// A worker killed while it imports a shop leaves the job to another one, which makes one complete shop.
// Nobody finds the shop before.
func TestAnImportSurvivesKilledWorkers(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	serving := p.start()
	key := p.shop("tea")
	furnish(p, key)
	sheet := "name,price\n"
	for n := range 400 { // some seconds of work for a worker
		sheet += fmt.Sprintf("Tea %d,7\n", n)
	}
	p.must(key, "POST", "/products/import", map[string]any{"text": sheet})
	file := p.exported(itoa(p.must("", "POST", "/v1/auth/login", map[string]any{"email": "tea@example.test", "password": "a long password"})["token"]))
	serving.stop()
	p.startRole("admin")
	w := *p
	w.ops = freeAddress(t)
	w.env = append(slices.Clone(p.env), "VITRINE_OPS_LISTEN="+w.ops)

	ann := p.person("ann@people.test")
	status, answer := p.importing(ann, "copy", file)
	if status != 202 {
		t.Fatalf("%d %v", status, answer)
	}
	id := itoa(answer["result"].(map[string]any)["id"])
	job := func() map[string]any { return p.must(ann, "GET", "/v1/jobs/"+id, nil) }
	shops := func() []any {
		_, answer := p.call(ann, "GET", "/v1/orgs", nil)
		return answer["result"].([]any)
	}
	killed, partly := 0, 0
	for killed < *importKills && job()["state"] != "done" {
		worker := w.startRole("worker")
		wait(t, "the import is taken", func() bool { return job()["state"] != "queued" })
		time.Sleep(time.Duration(200+rand.IntN(1000)) * time.Millisecond) // the moment of the kill, not a wait
		worker.kill()
		killed++
		if job()["state"] != "done" {
			partly++
			if found := shops(); len(found) > 0 {
				t.Errorf("an incomplete shop is found: %v", found)
			}
			if status, _ := p.call("", "GET", "/v1/storefronts/resolve?slug=copy", nil); status != 404 {
				t.Errorf("an incomplete shop is served: %d", status)
			}
			if status, answer := p.importing(ann, "copy", file); status != 409 {
				t.Errorf("the slug of an incomplete shop: %d %v", status, answer)
			}
		}
	}
	w.startRole("worker")
	if done := p.ended(ann, id); done["state"] != "done" {
		t.Fatalf("after %d kills: %v", killed, done)
	}
	if found := shops(); len(found) != 1 || found[0].(map[string]any)["slug"] != "copy" {
		t.Errorf("the person has the shops %v", found)
	}
	if list := p.verb("shop", "list")["shops"].([]any); len(list) != 2 {
		t.Errorf("the installation has the shops %v", list)
	}
	owner := itoa(p.must("", "POST", "/v1/auth/login", map[string]any{"email": "tea@example.test", "password": "a long password"})["token"])
	if want, got := p.shown(owner, "tea", "/products"), p.shown(ann, "copy", "/products"); len(want) != len(got) || len(got) < 400 {
		t.Errorf("%d products became %d", len(want), len(got))
	}
	t.Logf("%d kills, %d of them during the work", killed, partly)
}
