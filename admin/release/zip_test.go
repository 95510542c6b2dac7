package release_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/internal/blob"
	"vitrine/internal/corpus"
)

func TestAZIPIsAReleaseAtOnce(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	folder := files{"site/index.html": html("one"), "site/css/a.css": "a{}", "site/.git/config": "secret", "__MACOSX/x": "x"}
	answer := zipped(a, doc, "?base=none", packed(t, folder))
	if answer.Status != 200 || active(a, doc) != "0" {
		t.Fatalf("without publish: %d %s", answer.Status, answer.Body)
	}
	if answer.JSON["url"] != nil || len(answer.JSON["upload"].(l)) != 0 {
		t.Errorf("answer without publish: %s", answer.Body)
	}
	id := answer.JSON["release_id"].(string)
	var paths []string
	for _, f := range a.Result("GET", path(doc, id), a.Owner, nil)["files"].(l) {
		paths = append(paths, fmt.Sprint(f.(m)["path"], f.(m)["pending"]))
	}
	if fmt.Sprint(paths) != "[css/a.cssfalse index.htmlfalse]" {
		t.Errorf("files: %v", paths)
	}

	answer = zipped(a, doc, "?publish=1&base=none", packed(t, folder))
	id = answer.JSON["release_id"].(string)
	if active(a, doc) != id || answer.JSON["embed_prefix"] != "/_html/"+doc+"/"+id+"/" || answer.JSON["report"] == nil {
		t.Errorf("with publish: %s", answer.Body)
	}
	// A multipart body, merged into the live release.
	body, kind := form(t, "file", packed(t, files{"new.css": "n{}"}))
	merged := a.Send(apitest.Request{
		Method: "POST", Path: "/html-documents/" + doc + "/releases/zip?base=active", Key: a.Owner, Body: body, Header: map[string]string{"Content-Type": kind},
	})
	if merged.Status != 200 || fmt.Sprint(merged.JSON["inherited"]) != "[css/a.css index.html]" {
		t.Errorf("merged: %d %s", merged.Status, merged.Body)
	}
}

func TestZIPsOmitIgnoredFiles(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	folder := files{"index.html": html("one"), ".env": "x", ".git/config": "x", "sub/.cache/x": "x", "draft/a.txt": "x", "kept.txt": "x"}
	skipped := func() string {
		answer := zipped(a, doc, "?base=none", packed(t, folder))
		var paths []string
		for _, s := range answer.JSON["skipped"].(l) {
			paths = append(paths, fmt.Sprint(s.(m)["path"], " ", s.(m)["reason"]))
		}
		slices.Sort(paths)
		return strings.Join(paths, ", ")
	}
	if got := skipped(); got != ".env ignored, sub/.cache/x ignored" {
		t.Errorf("by default: %s", got)
	}
	folder[".vizenignore"] = "# instead of the defaults\nkept.txt\ndraft/\n"
	if got := skipped(); got != "draft/a.txt ignored, kept.txt ignored" {
		t.Errorf("with its own ignore file: %s", got)
	}
}

func TestInvalidZIPsAreRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	live := publish(a, doc, files{"index.html": html("live")})
	good := packed(t, files{"index.html": html("zip")})
	cases := append(corpus.Archives(t, "document"),
		corpus.Archive{ID: "more than 60 MB", Zip: make([]byte, 60<<20+1), Error: "RELEASE_TOO_LARGE"},
		corpus.Archive{ID: "far more than 60 MB", Zip: make([]byte, 64<<20), Error: "RELEASE_TOO_LARGE"})
	for _, c := range cases {
		if c.Error == "" {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			if got := zipped(a, doc, "?publish=1&base=none", c.Zip); got.Status != 400 || apitest.Code(got.JSON) != c.Error {
				t.Errorf("%d %s, want 400 %s", got.Status, got.Body, c.Error)
			}
		})
	}
	body, kind := form(t, "archive", good)
	got := a.Send(
		apitest.Request{
			Method: "POST", Path: "/html-documents/" + doc + "/releases/zip", Key: a.Owner, Body: body,
			Header: map[string]string{"Content-Type": kind},
		},
	)
	if apitest.Code(got.JSON) != "INVALID_REQUEST" {
		t.Errorf("no part named file: %s", got.Body)
	}
	invalid := zipped(a, doc, "?publish=1&base=none", packed(t, files{"index.html": html(`<img src="no.png">`)}))
	if invalid.Status != 422 || invalid.JSON["report"] == nil || invalid.JSON["release_id"] == nil {
		t.Errorf("invalid content: %d %s", invalid.Status, invalid.Body)
	}
	if active(a, doc) != live {
		t.Error("a refused ZIP went live")
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "vitrine-*.zip")); err != nil || len(left) != 0 {
		t.Errorf("temporary files are left: %v %v", left, err)
	}
}

// interferingStore is a blob store that runs a function while one content is stored for the first
// time.
type interferingStore struct {
	blob.Store
	on        string // a hash
	meanwhile func()
	once      sync.Once
}

func (b *interferingStore) PutExpect(ctx context.Context, r io.Reader, sha string, size int64) error {
	if sha == b.on {
		b.once.Do(b.meanwhile)
	}
	return b.Store.PutExpect(ctx, r, sha, size)
}

func TestAZIPStoresBytesDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	dir, err := blob.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	blobs := &interferingStore{Store: dir, on: sum("new")}
	a := apitest.New(t, func(cfg *admin.Config) { cfg.Blobs = blobs })
	doc := newDocument(a)
	old := send(a, doc, files{"index.html": html("one"), "old.txt": "old"})
	blobs.meanwhile = func() { // the owner deletes the release and thereby its bytes
		a.OK("DELETE", path(doc, old), a.Owner, nil)
		if there, err := dir.Has(t.Context(), sum("old")); err != nil || there {
			t.Errorf("the bytes of a deleted release are still stored: %v", err)
		}
	}
	answer := zipped(a, doc, "?base=none&publish=1", packed(t, files{"index.html": html("two"), "old.txt": "old", "new.txt": "new"}))
	if answer.Status != 200 {
		t.Fatalf("%d %s", answer.Status, answer.Body)
	}
	if read := a.Send(apitest.Request{Method: "GET", Path: path(doc, answer.JSON["release_id"].(string)) + "/file?path=old.txt", Key: a.Owner}); string(read.Body) != "old" {
		t.Errorf("the file of an accepted release: %d %s", read.Status, read.Body)
	}
}
