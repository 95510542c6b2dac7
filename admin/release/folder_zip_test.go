package release_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/corpus"
)

func many(n int) files {
	f := files{}
	for i := range n {
		f[fmt.Sprintf("d%d/%d.txt", i%7, i)] = fmt.Sprint(i)
	}
	return f
}

func TestHostileArchivesChangeNothing(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	at := newSection(a, "docs")
	live := show(a, at, a.Owner, files{"index.html": "live"})
	before := a.Result("GET", at, a.Owner, nil)["storage_usage"]
	for _, c := range corpus.Archives(t, "folder") {
		if c.Error == "" {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			if got := zipTo(a, at, "?base=none&publish=1", c.Zip); got.Status != 400 || apitest.Code(got.JSON) != c.Error {
				t.Errorf("%d %s, want 400 %s", got.Status, got.Body, c.Error)
			}
		})
	}
	if got := a.Result("GET", at, a.Owner, nil); got["active_release_id"] != live || fmt.Sprint(got["storage_usage"]) != fmt.Sprint(before) {
		t.Errorf("a refused archive left files: %v", got)
	}
	for _, forbidden := range []string{"x.php", "bin/x.exe", "a/b/run.SH"} {
		got := zipTo(a, at, "?base=none&publish=1", packed(t, files{"index.html": "x", forbidden: "x"}))
		if got.Status != 422 || apitest.Code(got.JSON) != "RELEASE_INVALID" ||
			codes(got.JSON["report"], "errors") != "file.forbidden "+forbidden+":0" {
			t.Errorf("%s: %d %s", forbidden, got.Status, got.Body)
		}
	}
	if got := a.Result("GET", at, a.Owner, nil)["active_release_id"]; got != live {
		t.Errorf("live is %v, not %s", got, live)
	}
	if left := leftovers(t); len(left) != 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

func TestAZIPBecomesASiteFolder(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	at := newSection(a, "docs")
	website := files{
		"dist/index.html": "one", "dist/css/a.css": "a{}", "dist/docs/index.html": "docs",
		"dist/empty.txt": "", "dist/.git/config": "x", "__MACOSX/dist/._a": "x",
	}
	first := zipTo(a, at, "?publish=1", packed(t, website)) // without an active release the base is none
	if first.Status != 200 || first.JSON["path"] != "/docs/" || len(first.JSON["upload"].(l)) != 0 {
		t.Fatalf("%d %s", first.Status, first.Body)
	}
	now := func() string { return apitest.Values(a.Result("GET", at, a.Owner, nil)["files"], "path") }
	if got := now(); got != "css/a.css docs/index.html index.html" {
		t.Errorf("the outer directory should be removed, hidden and empty files omitted: %s", got)
	}
	merged := zipTo(a, at, "?base=active&publish=1", packed(t, files{"new.css": "n{}"}))
	if merged.Status != 200 || now() != "css/a.css docs/index.html index.html new.css" {
		t.Errorf("merged: %d %s", merged.Status, now())
	}
	body, kind := form(t, "file", packed(t, files{"index.html": "all new"}))
	replaced := a.Send(
		apitest.Request{
			Method: "POST", Path: at + "/releases/zip?base=none&publish=1", Key: a.Owner, Body: body,
			Header: map[string]string{"Content-Type": kind},
		},
	)
	if replaced.Status != 200 || now() != "index.html" {
		t.Errorf("replaced: %d %s", replaced.Status, now())
	}
	waiting := zipTo(a, at, "?base=none", packed(t, files{"index.html": "later"}))
	if waiting.Status != 200 || waiting.JSON["url"] != nil || now() != "index.html" {
		t.Errorf("without publish=1: %d %s", waiting.Status, waiting.Body)
	}
	if got := a.Result("GET", at, a.Owner, nil)["active_release_id"]; got != replaced.JSON["release_id"] {
		t.Errorf("without publish=1 %v is live", got)
	}
}

// The limits of document 3, section 8: one below, at and above each of them.
func TestTheLimitsOfASiteFolder(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	at := newSection(a, "docs")
	holds := func(what string, d int, got apitest.Answer) {
		t.Helper()
		if d <= 0 && got.Status != 200 || d > 0 && got.Status != 400 {
			t.Errorf("%s, n%+d: %d %.200s", what, d, got.Status, got.Body)
		}
	}
	announce := func(list l) apitest.Answer {
		return a.Send(apitest.Request{Method: "POST", Path: at + "/releases", Key: a.Owner, Body: m{"base": "none", "files": list}})
	}
	index := m{"path": "index.html", "sha256": sum("x"), "size": 1}
	for d := -1; d <= 1; d++ {
		list := l{index}
		for n := range 1999 + d {
			list = append(list, m{"path": fmt.Sprint(n), "sha256": sum("x"), "size": 1})
		}
		holds("files", d, announce(list))
		for path, size := range map[string]int{"index.html": 20 << 20, "a.html": 20 << 20, "film.mp4": 100 << 20, "a.css": 100 << 20, "a.png": 10 << 20} {
			holds(path, d, announce(l{m{"path": path, "sha256": sum(path), "size": size + d}}))
		}
		holds("path", d, announce(l{index, m{"path": strings.Repeat("é", 254) + strings.Repeat("x", 4+d), "sha256": sum("x"), "size": 1}}))
		holds("entries", d, zipTo(a, at, "?base=none", packed(t, many(2000+d))))
		of := func(size int) []byte {
			return corpus.Zip(
				t, corpus.Entry{Name: "index.html", Text: "zip", Stored: true},
				corpus.Entry{Name: "a.bin", Text: strings.Repeat("z", size), Stored: true},
			)
		}
		holds("ZIP", d, zipTo(a, at, "?base=none", of(60<<20-len(of(0))+d)))
	}
}

func TestTheLimitOfUnpackedBytesOfASiteFolder(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	at := newSection(a, "docs")
	zeros := strings.Repeat("\x00", 100<<20)
	once := packed(t, files{"0.bin": zeros})
	for d := -1; d <= 1; d++ {
		var website bytes.Buffer
		w := zip.NewWriter(&website)
		for _, f := range unpacked(t, packed(t, files{"index.html": "x", "last.bin": zeros[:12<<20-1+d]})) {
			copyAs(t, w, f, f.Name)
		}
		for n := range 5 {
			copyAs(t, w, unpacked(t, once)[0], fmt.Sprint(n, ".bin"))
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got := zipTo(a, at, "?base=none", website.Bytes())
		if d <= 0 && got.Status != 200 || d > 0 && apitest.Code(got.JSON) != "RELEASE_TOO_LARGE" {
			t.Errorf("512 MiB%+d: %d %.200s", d, got.Status, got.Body)
		}
	}
}

func unpacked(t testing.TB, archive []byte) []*zip.File {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	return r.File
}

// copyAs copies a file of an archive without compressing it again.
func copyAs(t testing.TB, w *zip.Writer, f *zip.File, name string) {
	t.Helper()
	header := f.FileHeader
	header.Name = name
	from, err := f.OpenRaw()
	if err != nil {
		t.Fatal(err)
	}
	to, err := w.CreateRaw(&header)
	if err == nil {
		_, err = io.Copy(to, from)
	}
	if err != nil {
		t.Fatal(err)
	}
}
