package markup

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

func foundIn(f folder) (found []string) {
	look := NewFolder(f.source().Files)
	for path, text := range f {
		look.Check(path, []byte(text))
	}
	r := look.Report()
	for _, x := range slices.Concat(r.Errors, r.Warnings, r.Infos) {
		thing, _, _ := strings.Cut(x.Detail, " throws")
		thing, _, _ = strings.Cut(thing, " leads to")
		found = append(found, x.Code+" "+x.Path+":"+strconv.Itoa(x.Line)+" "+thing)
	}
	return found
}

// Addresses and storage that a site folder cannot use are reported with their line, in every
// spelling and kind of file.
func TestSiteFolderFindings(t *testing.T) {
	for in, want := range map[string]string{
		"\n<link rel=stylesheet href=/assets/a.css>":                "ref.root index.html:2 href \"/assets/a.css\"",
		"<script type=module crossorigin\nSRC='/assets/a&#46;js'>":  "ref.root index.html:1 src \"/assets/a.js\"",
		"<img srcset='/assets/p.png 1x, https://h/p.png 2x'>":       "ref.root index.html:1 srcset \"/assets/p.png\"",
		"\n<p style='background:url(/assets/p.png)'>":               "ref.root index.html:2 url(\"/assets/p.png\")",
		"<style>\n\np{background:url('/assets/p.png?v=1')}</style>": "ref.root index.html:3 url(\"/assets/p.png?v=1\")",
		"<a href=/about.html>x</a>":                                 "ref.root index.html:1 href \"/about.html\"",
		"<script>\nimport('/assets/a.js')</script>":                 "ref.root index.html:2 \"/assets/a.js\"",
		"<script>f()\ndocument.cookie = 'a=1'</script>":             "sandbox.storage index.html:2 document.cookie",
		"<script>\n\nwindow.localStorage.x</script>":                "sandbox.storage index.html:3 localStorage",
		"<button onclick='sessionStorage.clear()'>":                 "sandbox.storage index.html:1 sessionStorage",
		"<script>typeof indexedDB</script>":                         "sandbox.storage index.html:1 indexedDB",
		"<script>localStorage.a;localStorage.b</script>":            "sandbox.storage index.html:1 localStorage",
		"<link href=assets/a.css><a href=/>x</a><a href=/other>x</a><img src=//h/assets/p.png><img src=/docs/assets/p.png>": "",
		"<p>localStorage and document.cookie, /assets/a.js</p><!-- <script src=/assets/a.js></script> -->":                  "",
		"<script>// localStorage\nf('localStorage', x.localStorage, {localStorage: 1}, jar.cookie)</script>":                "",
	} {
		f := folder{"index.html": in, "about.html": "", "assets/a.css": "", "assets/a.js": "", "assets/p.png": ""}
		if got := strings.Join(foundIn(f), ", "); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", in, got, want)
		}
	}
	f := folder{
		"deep/a.css": "p{}\n.x{background:url(/p.png)}/* url(/p.png) */", "deep/b.mjs": "\nlocalStorage.setItem('/p.png', 1)",
		"p.png": "document.cookie", "deep/a.txt": "localStorage",
	}
	want := []string{"ref.root deep/a.css:2 url(\"/p.png\")", "ref.root deep/b.mjs:2 \"/p.png\"", "sandbox.storage deep/b.mjs:2 localStorage"}
	if got := foundIn(f); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestSiteFolderCheckIsBounded(t *testing.T) {
	many := ""
	f := folder{}
	for i := range 100 {
		name := strconv.Itoa(i) + ".png"
		many += "<img src=/" + name + ">"
		f[name] = ""
	}
	f["index.html"] = many
	if got := foundIn(f); len(got) != maxFolderNotes {
		t.Errorf("%d findings", len(got))
	}
	for _, hostile := range []string{strings.Repeat("<a href=/a", 1<<16), strings.Repeat("`${", 1<<16), strings.Repeat("localStorage(", 1<<15), "url(" + strings.Repeat("(", 1<<16), strings.Repeat("a{", 1<<16)} {
		for _, around := range []string{"", "<script>", "<style>", "<p onclick='", "<p style='"} {
			foundIn(folder{"index.html": around + hostile, "a.js": hostile, "a.css": hostile})
		}
	}
	large := folder{"index.html": strings.Repeat(" ", MaxScript) + "<img src=/index.html>"}
	if got := foundIn(large); len(got) > 0 {
		t.Error(got)
	}
}

func FuzzFolder(f *testing.F) {
	f.Add("<a href=/a.js style='b:url(/a.js)' srcset=/a.js>", "@import '/a.js';", "localStorage['/a.js']")
	f.Fuzz(func(t *testing.T, page, sheet, script string) {
		files := folder{"index.html": page + "<style>" + sheet + "</style><script>" + script + "</script>", "a.css": sheet, "a.js": script}
		for _, line := range foundIn(files) {
			if strings.Contains(line, ":0 ") {
				t.Error(line)
			}
		}
	})
}
