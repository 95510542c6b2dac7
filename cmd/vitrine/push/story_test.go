package push_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/cmd/vitrine/push"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
)

// through sends requests to the API of a test.
type through struct{ api *apitest.API }

func (t through) RoundTrip(r *http.Request) (*http.Response, error) {
	headers := map[string]string{}
	for name := range r.Header {
		headers[name] = r.Header.Get(name)
	}
	var body any
	if r.Body != nil {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		body = text
	}
	out := t.api.Send(apitest.Request{Method: r.Method, Path: r.URL.String(), Header: headers, Body: body})
	return &http.Response{
		StatusCode: out.Status, Header: out.Header, Body: io.NopCloser(bytes.NewReader(out.Body)), Request: r,
	}, nil
}

func write(t *testing.T, dir, path, text string) {
	t.Helper()
	path = filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// pushTo runs a push against the real API.
func pushTo(t *testing.T, a *apitest.API, key, dir, to string, overwrite bool) (result push.Result, log string, err error) {
	t.Helper()
	var out, report bytes.Buffer
	err = push.Run(t.Context(), push.Options{
		Dir: dir, To: to, Admin: apitest.AdminURL, Key: key, SEOOverwrite: overwrite, Out: &out, Log: &report, Client: &http.Client{Transport: through{a}},
	})
	if err == nil {
		if err := json.Unmarshal(out.Bytes(), &result); err != nil {
			t.Errorf("%q: %v", out.String(), err)
		}
	}
	return result, report.String(), err
}

func title(t *testing.T, a *apitest.API, slug string) string {
	t.Helper()
	return a.Result("GET", "/categories/by-slug/"+slug, a.Owner, nil)["seo"].(apitest.Map)["meta_title"].(string)
}

func TestFolderIsPublishedAsAPageOfARealShop(t *testing.T) {
	t.Parallel()
	a, dir := apitest.New(t), t.TempDir()
	write(
		t, dir, "index.html",
		`<!DOCTYPE html><html><head><title>About tea</title><link rel="stylesheet" href="a.css"></head><body>Tea</body></html>`,
	)
	write(t, dir, "a.css", "body{color:red}")
	write(t, dir, "unused.txt", "x")

	first, log, err := pushTo(t, a, a.Owner, dir, "page:/about", false)
	if err != nil {
		t.Fatal(err, log)
	}
	if first.URL != "http://tea.shops.test/about" || first.Uploaded != 3 || !strings.Contains(log, "unused.txt: warning file.unused") {
		t.Errorf("%+v\n%s", first, log)
	}
	if got := title(t, a, "about"); got != "About tea" {
		t.Errorf("the page's title is %q", got)
	}

	write(
		t, dir, "index.html",
		`<!DOCTYPE html><html><head><title>All about tea</title><link rel="stylesheet" href="a.css"></head><body>Tea</body></html>`,
	)
	second, log, err := pushTo(t, a, a.Owner, dir, "page:/about", true)
	if err != nil || second.DocumentID != first.DocumentID || second.ReleaseID == first.ReleaseID || second.Uploaded != 1 ||
		second.Reused != 2 {
		t.Errorf("%+v %v\n%s", second, err, log)
	}
	if got := title(t, a, "about"); got != "All about tea" {
		t.Errorf("the page's title is %q", got)
	}

	write(t, dir, "a.css", "body{background:url(none.png)}")
	if _, log, err := pushTo(t, a, a.Owner, dir, "page:/about", false); err == nil || !strings.Contains(log, "a.css:1: error ref.missing") {
		t.Errorf("%v\n%s", err, log)
	}
	if _, _, err := pushTo(t, a, a.Owner, dir, "page:/other", false); err == nil || !strings.Contains(err.Error(), "RELEASE_INVALID") {
		t.Errorf("%v", err)
	}
	a.Refused("GET", "/categories/by-slug/other", a.Owner, nil, 404, "CATEGORY_NOT_FOUND")
	if list := a.OK("GET", "/html-documents", a.Owner, nil)["result"].([]any); len(list) != 1 {
		t.Errorf("documents left behind: %v", list)
	}
}

func TestRefusalsOfARealShop(t *testing.T) {
	t.Parallel()
	a, dir := apitest.New(t), t.TempDir()
	write(t, dir, "index.html", "<!DOCTYPE html><title>x</title>"+strings.Repeat("tea ", 100))
	made, _, err := pushTo(t, a, a.Owner, dir, "page:/", false)
	if err != nil || made.Path != "/" {
		t.Fatal(made, err)
	}
	for _, c := range []struct{ key, to, want string }{
		{a.Stranger, "doc:" + made.DocumentID.String(), "HTML_DOCUMENT_NOT_FOUND"},
		{a.Editor, "page:/new", "HTML_SCRIPT_ROLE_REQUIRED"},
		{a.Scoped("catalog:read"), "page:/new", "PAT_SCOPE_MISSING"},
		{a.Owner, "site:999", "SITE_FOLDER_NOT_FOUND"},
		{a.Owner, "theme:1", "BLOCK_NOT_FOUND"},
		{"", "doc:1", push.ErrKey.Error()},
	} {
		if _, _, err := pushTo(t, a, c.key, dir, c.to, false); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.to, err)
		}
	}
	write(t, dir, "big.txt", strings.Repeat("x", 5000))
	a.Limit(company.Limits{store.LimitStorage: 1000})
	if _, _, err := pushTo(t, a, a.Owner, dir, "page:/", false); err == nil || !strings.Contains(err.Error(), "STORAGE_LIMIT_REACHED") {
		t.Errorf("%v", err)
	}
}

func TestFolderIsPublishedAsASiteOfARealShop(t *testing.T) {
	t.Parallel()
	a, dir := apitest.New(t), t.TempDir()
	write(t, dir, "index.html", `<!DOCTYPE html><a href="docs/">Docs</a><img src="gone.png">`)
	write(t, dir, "docs/index.html", "<p>docs</p>")
	section := a.Result("POST", "/categories", a.Owner, apitest.Map{"item": apitest.Map{"name": "Docs", "type": "site", "seo": apitest.Map{"slug": "docs"}}})["id"]
	first, log, err := pushTo(t, a, a.Owner, dir, fmt.Sprint("site:", section), false)
	if err != nil || first.Path != "/docs/" || first.Uploaded != 2 {
		t.Fatal(first, err, log)
	}
	write(t, dir, "new.css", "a{}")
	second, log, err := pushTo(t, a, a.Owner, dir, fmt.Sprint("site:", section), false)
	if err != nil || second.Uploaded != 1 || second.Reused != 2 {
		t.Fatal(second, err, log)
	}
}

func TestDryRunFindsTheSameAsPublishing(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	kept, broken := t.TempDir(), t.TempDir()
	write(
		t, kept, "index.html",
		"<!DOCTYPE html>\n<head>\n<link rel=icon href=icon.svg><script src=a.js></script><body onload=x()><h1>One</h1>\n<img src=icon.svg>",
	)
	write(t, kept, "icon.svg", `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"/>`)
	write(t, kept, "a.js", "const kept = 1\nfetch('unused.txt')")
	write(t, kept, "unused.txt", "x")
	write(t, kept, "about.html", "<p>")
	write(t, broken, "index.html", "<!DOCTYPE html>\n<img src=gone.png><script src=sw.js></script>")
	write(t, broken, "sw.js", "\nnavigator.serviceWorker.register('/x')")
	write(t, broken, "run.php", "<?php")
	group := a.Result("POST", "/content-blocks", a.Owner, apitest.Map{"item": apitest.Map{"name": "Layout", "group_type": "theme"}})["id"]
	section := a.Result("POST", "/categories", a.Owner, apitest.Map{"item": apitest.Map{"name": "Docs", "type": "site"}})["id"]
	doc := a.Result("POST", "/html-documents", a.Owner, apitest.Map{"item": apitest.Map{"name": "Doc"}})["id"]
	// said extracts the findings printed by a push, "css/a.css:12: error …".
	said := func(log string) (findings []string) {
		for line := range strings.Lines(log) {
			if strings.Contains(line, ": error ") || strings.Contains(line, ": warning ") || strings.Contains(line, ": info ") {
				findings = append(findings, line)
			}
		}
		return findings
	}
	for _, to := range []string{fmt.Sprint("doc:", doc), fmt.Sprint("theme:", group), fmt.Sprint("site:", section)} {
		for _, dir := range []string{kept, broken} {
			_, log, failed := pushTo(t, a, a.Owner, dir, to, false)
			var dry bytes.Buffer
			err := push.Run(t.Context(), push.Options{Dir: dir, To: to, DryRun: true, Out: io.Discard, Log: &dry})
			if (err == nil) != (failed == nil) || len(said(log)) == 0 && dir == broken {
				t.Errorf("%s: the dry run ends with %v, the push with %v\n%s", to, err, failed, log)
			}
			if got, want := said(dry.String()), said(log); !slices.Equal(got, want) {
				t.Errorf("%s: the dry run finds\n%s\npublishing finds\n%s", to, got, want)
			}
		}
	}
}
