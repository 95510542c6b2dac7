package inspect

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"vitrine/compile/icon"
	"vitrine/compile/release"
	"vitrine/internal/shop"
)

// of returns a release with these files.
func of(kind Kind, files map[string]string) Release {
	r := Release{Kind: kind, Doc: "7", ID: "3", Read: func(path string) ([]byte, error) {
		text, ok := files[path]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}}
	for path, text := range files {
		r.Files = append(r.Files, release.File{Path: path, Size: int64(len(text)), MIME: release.MIME(path)})
	}
	slices.SortFunc(r.Files, func(a, b release.File) int { return strings.Compare(a.Path, b.Path) })
	return r
}

// codes lists the findings as "ref.missing index.html:2".
func codes(t *testing.T, r Release) string {
	t.Helper()
	found, err := Check(r)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range slices.Concat(found.Report.Errors, found.Report.Warnings, found.Report.Info) {
		list = append(list, f.String())
	}
	return strings.Join(list, ", ")
}

const head = "<!DOCTYPE html><title>T</title>"

func TestFindingsByKind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  map[Kind]string
	}{
		"a missing file": {map[string]string{"index.html": head + "<script src=x.js></script>"}, map[Kind]string{
			Document: "ref.missing index.html:1", Layout: "ref.missing index.html:1", Folder: "",
		}},
		"a further page": {map[string]string{"index.html": head, "b.html": head}, map[Kind]string{
			Document: "page.extra b.html", Layout: "page.extra b.html", Folder: "",
		}},
		"icons of a layout": {map[string]string{"index.html": head, "icon.png": "", "svc-icons/icon-32.png": ""}, map[Kind]string{
			Document: "file.unused icon.png, file.unused svc-icons/icon-32.png", Layout: "", Folder: "",
		}},
		"an unreadable picture": {map[string]string{"index.html": head, "icon.png": "<svg/>"}, map[Kind]string{
			Document: "file.unused icon.png", Layout: "icon.unreadable icon.png", Folder: "",
		}},
		"a handler of the body": {map[string]string{"index.html": head + "<body onload=x()>"}, map[Kind]string{
			Document: "fidelity.handler index.html:1", Layout: "", Folder: "",
		}},
		"an address of the root": {map[string]string{"index.html": head + "\n<link rel=stylesheet href=/a.css>", "a.css": "\np{background:url(/b.png)}", "b.png": ""}, map[Kind]string{
			Document: "ref.root index.html:2, file.unused b.png", Layout: "ref.root index.html:2, file.unused b.png", Folder: "ref.root a.css:2, ref.root index.html:2",
		}},
		"storage": {map[string]string{"index.html": head + "\n<script src=a.js></script>", "a.js": "\nlocalStorage.a"}, map[Kind]string{
			Document: "", Layout: "", Folder: "sandbox.storage a.js:2",
		}},
		"no index": {map[string]string{"a.css": ""}, map[Kind]string{
			Document: "ref.missing index.html", Layout: "ref.missing index.html", Folder: "ref.missing index.html",
		}},
		"a worker in a linked script": {map[string]string{"index.html": head + "<script src=a.js></script>", "a.js": "\nnavigator.serviceWorker.register('/x')"}, map[Kind]string{
			Document: "sw.register a.js:2", Layout: "sw.register a.js:2", Folder: "sw.register a.js:2",
		}},
	} {
		for kind, want := range c.want {
			if got := codes(t, of(kind, c.files)); got != want {
				t.Errorf("%s, kind %d: %s, want %s", name, kind, got, want)
			}
		}
	}
}

func TestIconsAreMadeOnce(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 64, 64))); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"index.html": head, "icon.png": picture.String()}
	first, err := Check(of(Layout, files))
	if err != nil || len(first.Icons) != len(icon.Sizes) || len(first.Report.Warnings) != 0 {
		t.Fatalf("%d icons, %v, %v", len(first.Icons), first.Report, err)
	}
	for _, made := range first.Icons {
		files[made.Path] = string(made.PNG)
	}
	again, err := Check(of(Layout, files))
	if err != nil || len(again.Icons) != 0 || len(again.Report.Warnings) != 0 {
		t.Errorf("a release that has its icons: %d icons, %v, %v", len(again.Icons), again.Report, err)
	}
	if document, err := Check(of(Document, files)); err != nil || len(document.Icons) != 0 {
		t.Errorf("a document has no icons: %v", err)
	}
}

func TestMissingFileNamesASimilarOne(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`<img src="assets/LOGO.png" width=1 height=1>`:       `src "assets/LOGO.png" (the release has such a file at "img/logo.png") is not a file of the release; upload it or remove the reference`,
		`<a href="deep/">x</a>`:                              `href "deep/" is not a file of the release; upload it or remove the reference`,
		`<img src="Img/Logo.PNG" width=1 height=1>`:          `src "Img/Logo.PNG" (the release has "img/logo.png"; case matters) is not a file of the release; upload it or remove the reference`,
		`<p style="background:url(IMG/logo.png)">`:           `url("IMG/logo.png") (the release has "img/logo.png"; case matters) is not a file of the release; upload it or remove the reference`,
		`<img src="img/logo.jpg" width=1 height=1>`:          `src "img/logo.jpg" is not a file of the release; upload it or remove the reference`,
		`<link rel=stylesheet href="A.css?v=1"><p>`:          `href "A.css?v=1" (the release has "a.css"; case matters) is not a file of the release; upload it or remove the reference`,
		`<link rel=stylesheet href=a.css><p>` + "\n<!-- -->": `url("img/LOGO.png") (the release has "img/logo.png"; case matters) is not a file of the release; upload it or remove the reference`,
	} {
		found, err := Check(
			of(Document, map[string]string{"index.html": head + text, "img/logo.png": "", "a.css": "p{background:url(img/LOGO.png)}"}),
		)
		if err != nil || len(found.Report.Errors) != 1 || found.Report.Errors[0].Detail != want {
			t.Errorf("%s: %v, %v", text, found.Report.Errors, err)
		}
	}
}

func TestTheHeadOfADocumentIsRead(t *testing.T) {
	t.Parallel()
	found, err := Check(of(Document, map[string]string{"index.html": head + "<meta name=description content='D d'>"}))
	if err != nil || found.Title != "T" || found.Description != "D d" {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestFormsAreCheckedIfTheListIsKnown(t *testing.T) {
	t.Parallel()
	r := of(Layout, map[string]string{"index.html": head + "<a href=form:5>f</a>"})
	if got := codes(t, r); got != "" {
		t.Errorf("without a list of forms: %s", got)
	}
	r.Forms = func(id shop.FormID) bool { return id != 5 }
	if got := codes(t, r); got != "bind.form index.html:1" {
		t.Errorf("the shop has no such form: %s", got)
	}
}

func TestStorageFailuresAreNotFindings(t *testing.T) {
	t.Parallel()
	unavailable := errors.New("the disk is unavailable")
	for _, broken := range []string{"index.html", "a.js", "a.css"} {
		r := of(Document, map[string]string{"index.html": head + "<link rel=stylesheet href=a.css>", "a.js": "", "a.css": ""})
		read := r.Read
		r.Read = func(path string) ([]byte, error) {
			if path == broken {
				return nil, fmt.Errorf("%s: %w", path, unavailable)
			}
			return read(path)
		}
		if _, err := Check(r); !errors.Is(err, unavailable) {
			t.Errorf("%s: %v", broken, err)
		}
	}
}
