package inspect

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"vitrine/internal/golden"
)

// saved is a website saved by a browser or wget: files named by whole addresses, many without an
// extension.
func saved(t *testing.T) map[string]string {
	t.Helper()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"index.html": head + `<base href="a/"><link rel=stylesheet href="../css"><script src="load"></script><script type=module src="../m"></script>` +
			`<script type=application/ld+json src="data"></script><img src="../pic" srcset="../wide 2x"><div style="background:url(../pic2)"></div>` +
			`<a href="../about">x</a><a href="../list">y</a><video poster="../vector"></video><img src="../odd"><img src="../odd"><iframe src="../inner"></iframe>` +
			`<link rel=preload as=script href="../ahead"><script src="../both"></script><link rel=stylesheet href="../both">`,
		"a/load": "run()", "a/data": "{}", "m": "import './x'", "ahead": "1", "both": "1", "css": `@import "more";@font-face{src:url(font)}`, "more": "p{background:url(pic3)}",
		"font": "wOF2....................................", "pic": picture.String(), "pic2": picture.String(), "pic3": picture.String(), "wide": "GIF89a....",
		"about": "<!doctype html><script src=late></script>", "inner": "<html><p>", "late": "2", "list": "1,2,3", "vector": `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>`,
		"odd": "bytes of no known type", "unused": "x",
	}
}

func TestFileHasTheTypeOfItsUse(t *testing.T) {
	t.Parallel()
	const script, sheet, page, picture = "text/javascript; charset=utf-8", "text/css; charset=utf-8", "text/html; charset=utf-8", "image/png"
	want := map[string]string{
		"a/load": script, "m": script, "ahead": script, "both": script, "css": sheet, "more": sheet, "font": "font/woff2", "pic": picture, "pic2": picture,
		"pic3": picture, "wide": "image/gif", "vector": "image/svg+xml", "about": page, "inner": page, "late": script,
	}
	for _, kind := range []Kind{Document, Layout, Folder} {
		found, err := Check(of(kind, saved(t)))
		if err != nil {
			t.Fatal(err)
		}
		golden.Map(t, fmt.Sprint("kind ", kind), found.Types, want)
		if got := strings.Count(codes(t, of(kind, saved(t))), "type.unknown odd"); got != 1 {
			t.Errorf("kind %d: the unknown file is reported %d times", kind, got)
		}
	}
}

func TestScriptWithoutAnExtensionIsChecked(t *testing.T) {
	t.Parallel()
	files := map[string]string{"index.html": head + "<script src=load></script>", "load": "navigator.serviceWorker.register('/w')"}
	for _, kind := range []Kind{Document, Layout, Folder} {
		if got := codes(t, of(kind, files)); !strings.Contains(got, "sw.register load:1") {
			t.Errorf("kind %d: %s", kind, got)
		}
	}
}

// A website without such files costs nothing extra.
func TestNamesThatDetermineTheTypeAreTrusted(t *testing.T) {
	t.Parallel()
	found, err := Check(of(Folder, map[string]string{"index.html": head + "<script src=a.txt></script><img src=b.js>", "a.txt": "", "b.js": ""}))
	if err != nil || found.Types != nil {
		t.Errorf("%v, %v", found.Types, err)
	}
}

// A file is read once for each use, regardless of the number of pages that refer to it.
func TestALinkedFileIsReadOnce(t *testing.T) {
	t.Parallel()
	files := map[string]string{"index.html": head, "data": "1,2,3"}
	for i := range 40 {
		files[fmt.Sprint("p", i, ".html")] = "<a href=data>x</a><img src=data>"
	}
	r := of(Folder, files)
	read, reads := r.Read, 0
	r.Read = func(path string) ([]byte, error) {
		if path == "data" {
			reads++
		}
		return read(path)
	}
	if _, err := Check(r); err != nil || reads > 2 {
		t.Errorf("read %d times, %v", reads, err)
	}
}

// A file that one page shows and another runs is a script, and not unknown.
func TestStrongestUseOfAFileWins(t *testing.T) {
	t.Parallel()
	r := of(Folder, map[string]string{"a.html": "<img src=x>", "b.html": "<script src=x></script>", "index.html": head, "x": "run()"})
	found, err := Check(r)
	if err != nil || found.Types["x"] != "text/javascript; charset=utf-8" || strings.Contains(codes(t, r), "type.unknown") {
		t.Errorf("%v, %s, %v", found.Types, codes(t, r), err)
	}
}
