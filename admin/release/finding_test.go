package release_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/compile/release"
	"vitrine/internal/shop"
)

// faulty is a release that causes every finding of a report. The number after a code is its line.
var faulty = files{
	"index.html": `<html class="dark"><head>
<meta property="og:title" content="head.stripped 2">
<meta name="robots" content="noindex">
<style>.home{margin:1px}
body{margin:2px}
body.home{color:red} body.dark{color:blue}
html{font-size:62.5%} i{margin:1rem}
body{height:100%;display:grid} .deck{height:9px;color:red;z-index:-1} img{position:fixed;top:0}</style>
<link rel="stylesheet" href="css/a.css">
<script src="js/a.js" defer></script>
</head><body class="home"
 onload="f()" bgcolor="#fff">
<img src="../outside.png" width="1" height="1">
<img src="none.png" width="1" height="1">
<img src="http://cdn.test/x.png" width="1" height="1">
<img src="big.png">
<form><input formaction="form:999"></form>
<p svc-if="a && b" onclick="{{ product.id }}"></p>
<script>
const answer = fetch("big.png")
document.write("x")
addEventListener("load", f); document.body.className = "deck", f("/big.png")
</script>
<h1>Browsers make this large</h1>`,
	"css/a.css":   "a{b:url(/big.png)}\n/* url(gone.png) */",
	"js/a.js":     "var s = document.currentScript\nnavigator.serviceWorker.register('sw.js')",
	"second.html": "<p>x", "shell.php": "<?php", "big.png": strings.Repeat("x", 400<<10+1), "unused.txt": "x",
}

func TestADryRunReportsEveryFinding(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	live := publish(a, doc, files{"index.html": html("live")})
	id := send(a, doc, faulty)
	report := a.Result("POST", path(doc, id)+"/validate", a.Owner, nil)
	told := map[string]string{}
	for _, level := range []string{"errors", "warnings", "info"} {
		for _, f := range report[level].(l) {
			code := f.(m)["code"].(string)
			told[code] += fmt.Sprint(" ", f.(m)["path"], ":", f.(m)["line"])
			if want := release.LevelOf(code); string(want) != level {
				t.Errorf("%s is listed in %s", code, level)
			}
			if detail := f.(m)["detail"].(string); len(detail) < 30 {
				t.Errorf("the detail of %s is only %q", code, detail)
			}
		}
	}
	for code, want := range map[string]string{
		"ref.outside": "index.html:13", "ref.missing": "css/a.css:2 index.html:14", "ref.http": "index.html:15", "file.forbidden": "shell.php:0",
		"sw.register": "js/a.js:2", "page.extra": "second.html:0", "js.assets": "index.html:20 index.html:22", "ref.root": "css/a.css:1", "head.stripped": "index.html:2",
		"form.nohandler": "index.html:17", "page.noindex": "index.html:3", "file.unused": "unused.txt:0", "html.quirks": "index.html:1",
		"bind.invalid": "index.html:18", "bind.context": "index.html:18", "bind.form": "index.html:17", "img.large": "big.png:0", "img.nosize": "index.html:16",
		"fidelity.reset": "index.html:11 index.html:24", "fidelity.cascade": "index.html:5", "fidelity.selector": "index.html:6",
		"fidelity.rem": "index.html:7", "fidelity.height": "index.html:8", "fidelity.below": "index.html:8", "fidelity.class": "index.html:22", "fidelity.cover": "index.html:8", "fidelity.handler": "index.html:12", "fidelity.body": "index.html:12", "fidelity.root": "index.html:22", "fidelity.redeclare": "index.html:20",
		"fidelity.write": "index.html:21", "fidelity.ready": "index.html:22", "fidelity.currentscript": "js/a.js:1",
	} {
		if got := strings.TrimPrefix(told[code], " "); got != want {
			t.Errorf("%s: %s, want %s", code, got, want)
		}
		delete(told, code)
	}
	if len(told) > 0 {
		t.Errorf("besides: %v", told)
	}
	if active(a, doc) != live || a.Result("GET", path(doc, id), a.Owner, nil)["was_live"] != false {
		t.Error("a dry run changed something")
	}
	answer := a.Refused("POST", path(doc, id)+"/publish", a.Owner, nil, 422, "RELEASE_INVALID")
	for _, level := range []string{"errors", "warnings", "info"} {
		if said, dry := codes(answer["report"], level), codes(report, level); said != dry {
			t.Errorf("publishing reports %s, the dry run %s", said, dry)
		}
	}
}

func TestADryRunInTheDraft(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	id := send(a, doc, files{"index.html": html(`<img src="none.png" width="1" height="1">`)})
	dev := a.Key(a.Member(shop.Admin), shop.Admin, shop.Dev)
	if got := codes(a.Result("POST", path(doc, id)+"/validate", dev, nil), "errors"); got != "ref.missing index.html:1" {
		t.Error(got)
	}
}

// TestReleasesUpToTheLimitsAreAccepted announces and uploads the largest allowed sizes; one byte
// more is refused in TestInvalidManifestsAreRefused and TestInvalidZIPsAreRefused.
func TestReleasesUpToTheLimitsAreAccepted(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	row := func(path string, size any) m { return m{"path": path, "sha256": sum(path), "size": size} }
	for _, n := range []int{499, 500} {
		list := l{row("index.html", 1)}
		for i := range n - 1 {
			list = append(list, row(fmt.Sprintf("f%d.txt", i), 1))
		}
		a.OK("POST", "/html-documents/"+doc+"/releases", a.Owner, m{"base": "none", "files": list})
	}
	for _, d := range []int{-1, 0} {
		a.OK(
			"POST", "/html-documents/"+doc+"/releases", a.Owner,
			m{"base": "none", "files": l{row("index.html", 2<<20+d), row("film.mp4", 50<<20+d), row("rest.mp4", 8<<20)}},
		)
	}
	a.Refused(
		"POST", "/html-documents/"+doc+"/releases", a.Owner,
		m{"base": "none", "files": l{row("index.html", 2<<20), row("film.mp4", 50<<20), row("rest.mp4", 8<<20+1)}}, 400,
		"RELEASE_TOO_LARGE",
	)

	full := html(strings.Repeat("x", 2<<20-len(html(""))))
	if id := publish(a, doc, files{"index.html": full}); active(a, doc) != id {
		t.Error("an index.html of 2 MiB is not live")
	}
	answer := zipped(a, doc, "?base=none&publish=1", zipOf(t, 60<<20))
	if answer.Status != 200 || active(a, doc) != answer.JSON["release_id"] {
		t.Errorf("a ZIP of 60 MiB: %d %s", answer.Status, answer.Body)
	}
}

// zipOf returns an archive of the given size in bytes.
func zipOf(t testing.TB, size int) []byte {
	t.Helper()
	build := func(padding int) []byte {
		var buf bytes.Buffer
		w := zip.NewWriter(&buf)
		for _, f := range []struct {
			name string
			text []byte
		}{{"index.html", []byte(html("large"))}, {"a.bin", make([]byte, 49<<20)}, {"b.bin", make([]byte, padding)}} {
			entry, err := w.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Store})
			if err == nil {
				_, err = entry.Write(f.text)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return buf.Bytes()
	}
	return build(1 + size - len(build(1)))
}
