package markup

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/golden"
)

// folder is a release with paths as keys.
type folder map[string]string

func (f folder) source() Source {
	return Source{
		Doc: "7", Release: "3", Index: []byte(f["index.html"]),
		Files: func(path string) bool { _, ok := f[path]; return ok },
		Read:  func(path string) ([]byte, bool) { text, ok := f[path]; return []byte(text), ok },
	}
}

func TestFindingsNameFileAndLine(t *testing.T) {
	tests := []struct {
		code string
		line int
		in   string
	}{
		{RefMissing, 3, "<!DOCTYPE html>\n<body>\n<img src=no.png>"},
		{RefMissing, 4, "<!DOCTYPE html>\n<body>\n<img\nsrc=no.png>"},
		{RefMissing, 3, "<!DOCTYPE html>\n<a href=a.png></a>\n<a href='sub/'></a>"},
		{RefMissing, 4, "<!DOCTYPE html>\n<style>\n\na{b:url(no.png)}</style>"},
		{RefMissing, 3, "<!DOCTYPE html>\n<style>\n/* a{b:url(no.png)} */</style>"},
		{RefMissing, 2, "<!DOCTYPE html>\n<noscript><img src=no.png></noscript>"},
		{RefMissing, 3, "<!DOCTYPE html>\n<script type=importmap>\n{\"imports\":{\"x\":\"./no.js\"}}</script>"},
		{RefOutside, 2, "<!DOCTYPE html>\n<img src=../x.png>"},
		{RefOutside, 2, "<!DOCTYPE html>\n<img srcset='a.png, a/%2e%2e/../x.png 2x'>"},
		{RefHTTP, 2, "<!DOCTYPE html>\n<img src=http://h/x.png>"},
		{RefHTTP, 2, "<!DOCTYPE html>\n<link rel=stylesheet href=HTTP://h/x.css>"},
		{RefRoot, 2, "<!DOCTYPE html>\n<script src=/a.js></script>"},
		{RefRoot, 2, "<!DOCTYPE html>\n<link rel=stylesheet href='/a.png?v=1'>"},
		{RefRoot, 3, "<!DOCTYPE html>\n<style>\na{b:url(/a.png)}</style>"},
		{SWRegister, 3, "<!DOCTYPE html>\n<script>\nnavigator.serviceWorker.register('/sw.js')</script>"},
		{SWRegister, 1, "<!DOCTYPE html><script>navigator['serviceWorker']['register']('/sw.js')</script>"},
		{SWRegister, 2, "<!DOCTYPE html>\n<button onclick=\"navigator.serviceWorker.register('/sw.js')\">x</button>"},
		{SWRegister, 2, "<!DOCTYPE html>\n<a href=\"javascript:navigator.serviceWorker.register('/sw.js')\">x</a>"},
		{HeadStripped, 3, "<!DOCTYPE html>\n<head>\n<meta property=og:title content=x>"},
		{HeadStripped, 2, "<!DOCTYPE html>\n<base href=/x/>"},
		{PageNoIndex, 2, "<!DOCTYPE html>\n<meta name=ROBOTS content='noindex, follow'>"},
		{PageNoIndex, 2, "<!DOCTYPE html>\n<meta name=robots content=none>"},
		{FormNoHandler, 2, "<!DOCTYPE html>\n<form><input></form>"},
		{JSAssets, 3, "<!DOCTYPE html>\n<script>\nfetch('a.png')</script>"},
		{JSAssets, 2, "<!DOCTYPE html>\n<script type=module>import './a.js'</script>"},
		{JSAssets, 2, "<!DOCTYPE html>\n<script>x.src = '/a.png'</script>"},
		{HTMLQuirks, 1, "<p>x"},
		{ImgNoSize, 2, "<!DOCTYPE html>\n<img src=a.png>"},
		{BindInvalid, 2, "<!DOCTYPE html>\n<p svc-if='a && b'>"},
		{BindInvalid, 3, "<!DOCTYPE html>\n<p>x</p>\n<p id=a>{{ p.name }} {{ products.length }}</p>"},
		{BindContext, 2, "<!DOCTYPE html>\n<p onclick='{{ product.id }}'>"},
		{BindForm, 2, "<!DOCTYPE html>\n<a href=form:x>x</a>"},
	}
	for _, tt := range tests {
		c, err := Compile(folder{"index.html": tt.in, "a.png": "", "a.js": ""}.source())
		if err != nil {
			t.Fatal(err)
		}
		all := slices.Concat(c.Report.Errors, c.Report.Warnings, c.Report.Infos)
		at := slices.IndexFunc(all, func(f Finding) bool { return f.Code == tt.code })
		if at < 0 || all[at].Line != tt.line || all[at].Path != "index.html" || all[at].Detail == "" {
			t.Errorf("%s on line %d of %q: %+v", tt.code, tt.line, tt.in, all)
		}
	}
}

func TestFindingsOfOneAttributeHaveItsLine(t *testing.T) {
	c, err := Compile(folder{"index.html": "<!DOCTYPE html>\n<img srcset='a.png, b.png 2x' width=1 height=1 src=x:y>\n" +
		"<p style='c:url(c.png),url(c.png),url(d.png)'>\n<img srcset='a.png, b.png 2x' width=1 height=1 src=x:y>\n" +
		"<form><template svc-for='no'></template>\n<template svc-for='no'></template></form><form></form>\n<form></form>"}.source())
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range slices.Concat(c.Report.Errors, c.Report.Warnings) {
		what, _, _ := strings.Cut(f.Detail, " is ")
		found = append(found, fmt.Sprint(f.Line, " ", what))
	}
	want := []string{
		`2 srcset "a.png"`, `2 srcset "b.png"`, `3 url("c.png")`, `3 url("d.png")`, `4 srcset "a.png"`, `4 srcset "b.png"`,
		`5 svc-for="no"`, `5 <form>: nothing handles this form; give it an address to send to or handle it in a script`,
		`6 svc-for="no"`, `6 <form>: nothing handles this form; give it an address to send to or handle it in a script`,
		`7 <form>: nothing handles this form; give it an address to send to or handle it in a script`,
	}
	golden.Rows(t, "findings", found, want)
}

func TestHarmlessDocumentsRaiseNothing(t *testing.T) {
	for _, in := range []string{
		`<a href="http://h/x">x</a><a href="#x">x</a><a href="?x">x</a><a href="/icon.png">x</a><a href="">x</a><a href="mailto:x@y">x</a>`,
		`<a href="index.html">x</a><a href="./">x</a><a href="a%20b.png?x#y">x</a><a href="mailto:x"></a>`,
		`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><a xlink:href="http://h/"></a></svg>`,
		`<img width=1 height=1 src="{{ item.image }}"><img width=1 height=1 src="img/{{ product.id }}.png"><img width=1 height=1 data-src="none.png" src="data:,x">`,
		`<script src="/other.js"></script><a href="/a b.png">x</a><style>a{b:url(/x.png)}</style>{{ item.name }}`,
		`<form></form><script>document.forms[0].addEventListener( "submit", send)</script>`,
		`<form></form><script>form.onsubmit = send</script>`,
		`<form></form><script>$("form").on('submit', send)</script>`,
		`<form></form><script>$("form").submit(function () {})</script>`,
		`<form @submit.prevent="send"></form><form hx-post="/x"></form><form onsubmit="send()"></form>`,
		`<form action="/search"><form action="https://h/"></form><form method=dialog></form>`,
		`<script>if('serviceWorker' in navigator){}</script><script type="text/template"><img src="no.png"></script>`,
		`<!-- <img src="no.png"> --><style>/* see <b style="a:url(no.png)">x</b> and ?x=url(no) */</style>`,
		`<p data-x="." data-y=".." data-z="a b">`,
	} {
		c, err := Compile(folder{"index.html": "<!DOCTYPE html><meta charset=utf-8><title>x</title>" + in, "a b.png": ""}.source())
		if err != nil {
			t.Fatal(err)
		}
		if r := c.Report; len(r.Errors)+len(r.Warnings)+len(r.Infos) > 0 {
			t.Errorf("%s: %+v", in, r)
		}
	}
}

// Files referenced by scripts count as used, also through the import map and from module to
// module; a form is handled if any script listens for its submission.
func TestFilesReferencedByScriptsAreUsed(t *testing.T) {
	f := folder{
		"index.html": `<!DOCTYPE html><script type=importmap>{"imports":{"ui/":"./js/ui/","store":"./js/store.js","cdn":"https://h/x.js"}}</script>
<script type=module src="js/main.js"></script><script type=module>import "store"</script><script src="js/old.js"></script><form></form>`,
		"js/main.js":     "import 'ui/parts.js';import x from './deep.mjs';fetch(new URL('hero.png',import.meta.url))",
		"js/ui/parts.js": "", "js/ui/spare.js": "", "js/store.js": "import '../js/main.js'", "js/hero.png": "", "js/lazy.js": "", "js/none.png": "",
		"js/deep.mjs": "form.addEventListener('submit', f)\nfetch('js/none.png')", "js/old.js": "import('./lazy.js')",
	}
	c, err := Compile(f.source())
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(c.Refs, " "); got != "js/deep.mjs js/hero.png js/lazy.js js/main.js js/none.png js/old.js js/store.js js/ui/parts.js" {
		t.Errorf("refs %s", got)
	}
	if w := c.Report.Warnings; len(w) != 1 || w[0].Code != JSAssets || w[0].Path != "js/deep.mjs" || w[0].Line != 2 {
		t.Errorf("%+v", w)
	}
	if c = compile(t, "<!DOCTYPE html><form></form><script>$('form').submit();f('submit');var submit == 1</script>"); !c.Report.Has(
		FormNoHandler,
	) {
		t.Error("a form without a handler is not reported")
	}
}

func TestReportPrintsEmptyLists(t *testing.T) {
	c := compile(t, "<!DOCTYPE html><p>x")
	got, err := json.Marshal(c.Report)
	if want := `{"errors":[],"warnings":[],"info":[]}`; err != nil || string(got) != want {
		t.Errorf("%s %v", got, err)
	}
}

func TestReportIsBounded(t *testing.T) {
	c, err := Compile(
		Source{
			Doc: "7", Release: "3",
			Index: []byte("<img srcset='" + strings.Repeat("a,b ", 200_000) + "'><style>" + strings.Repeat("a{b:url(x)}", 60_000)),
			Files: func(string) bool { return false },
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(c.Report.Errors); n == 0 || n > maxNotes {
		t.Errorf("%d errors", n)
	}
}

func TestLinkedSheetsAreEchoed(t *testing.T) {
	f := folder{
		"index.html": `<!DOCTYPE html><link rel=stylesheet href="css/a.css?v=1" media="screen" integrity="sha384-x"><script src=js/x.js></script>`,
		"css/a.css": "\ufeff@import 'b.css' layer(base) print;html,ul{margin:0}body>p,body .deep{x:url(../img/a.png)}.y{a:url(none.png)}" +
			"@media (width>1px){.q{a:b}:root{--c:d}}@supports (x:y){.z{a:b}}@font-face{src:url(f.woff)}body.dark{e:f}body::after{content:'</style>'}body{quotes:'</style>'}",
		"css/b.css": "body{from:b}", "img/a.png": "", "js/x.js": "\n\nnavigator.serviceWorker.register('sw.js')",
	}
	c, err := Compile(f.source())
	if err != nil {
		t.Fatal(err)
	}
	out := c.Normal.AppendTo(nil, nil)
	want := `<link rel="stylesheet" href="/_html/7/3/css/a.css?v=1" media="screen" integrity="sha384-x"><style media="screen">` +
		`@media print{@layer base{.svc-body-7{from:b}}}.svc-body-7{margin:0}.svc-body-7>p{x:url(/_html/7/3/img/a.png)}` +
		`@media (width>1px){.svc-body-7{--c:d}}.svc-body-7{quotes:'<\/style>'}</style>`
	if !strings.Contains(string(out), want) {
		t.Errorf("got  %s\nwant %s", out, want)
	}
	errors := ""
	for _, f := range c.Report.Errors {
		errors += fmt.Sprintln(f, f.Detail)
	}
	for _, want := range []string{"ref.missing css/a.css:1", "none.png", "f.woff", "sw.register js/x.js:3"} {
		if !strings.Contains(errors, want) {
			t.Errorf("%s is not in %s", want, errors)
		}
	}
	if guarded := c.Guarded.AppendTo(nil, nil); strings.Contains(string(guarded), "<style") || strings.Contains(string(guarded), "<link") {
		t.Errorf("guarded: %s", guarded)
	}
	if got := strings.Join(c.Refs, " "); got != "css/a.css css/b.css img/a.png js/x.js" {
		t.Errorf("refs %s", got)
	}
}

func TestLazySheetIsEchoedOnce(t *testing.T) {
	f := folder{
		"index.html": `<link rel=stylesheet href=a.css media=print onload="this.media='all'"><link rel=stylesheet disabled href=a.css>`,
		"a.css":      "body{a:b}",
	}
	c, err := Compile(f.source())
	if err != nil {
		t.Fatal(err)
	}
	out := c.Normal.AppendTo(nil, nil)
	if n := strings.Count(string(out), "<style>.svc-body-7{a:b}</style>"); n != 1 {
		t.Errorf("%d echoes: %s", n, out)
	}
}

// A style element that imports a sheet of the release, as older pages do, is preceded by the
// sheet's bare rules, because imports come before the element's own rules.
func TestImportsOfStyleElementsAreEchoed(t *testing.T) {
	files := folder{
		"css/b.css": "body{x:url(z.png)}p{q:r}", "css/z.png": "x",
		"c.css": "@charset 'utf-8';@import 'css/b.css';html{a:b}@import 'css/b.css';", // the second import follows a rule, so it is ignored
	}
	for in, want := range map[string]string{
		"<style media=screen>@import 'css/b.css' layer(l) print;body{c:d}</style>": `<style media="screen">@media print{@layer l{.svc-body-7{x:url(/_html/7/3/css/z.png)}}}</style>` +
			`<style media="screen">@import '/_html/7/3/css/b.css' layer(l) print;.svc-body-7{c:d}</style>`,
		"<style>@layer a;@import 'c.css' screen;</style>": `<style>@media screen{.svc-body-7{x:url(/_html/7/3/css/z.png)}.svc-body-7{a:b}}</style>` +
			`<style>@layer a;@import '/_html/7/3/c.css' screen;</style>`,
		"<style>p{a:b}@import 'c.css';</style>": `<style>p{a:b}@import '/_html/7/3/c.css';</style>`,
	} {
		files["index.html"] = "<!DOCTYPE html>" + in
		c, err := Compile(files.source())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []*Program{c.Normal, c.Guarded} {
			out := drawn(p)
			styles := out[max(strings.Index(out, "<style"), 0):]
			if !strings.HasPrefix(styles, want) {
				t.Errorf("%s: got %s", in, out)
			}
		}
	}
}

// A preloaded sheet that its link enables is echoed like any other.
func TestPreloadedSheetsAreEchoed(t *testing.T) {
	files := folder{
		"a.css":      "body{b:c}",
		"index.html": `<!DOCTYPE html><link rel=preload as=style href=a.css onload="this.rel='stylesheet'"><link rel=preload as=style href=a.css>`,
	}
	c, err := Compile(files.source())
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(drawn(c.Normal), "<style>.svc-body-7{b:c}</style><link"); n != 1 {
		t.Errorf("%d echoes: %s", n, drawn(c.Normal))
	}
	if out := drawn(c.Guarded); strings.Contains(out, "svc-body-7{") {
		t.Errorf("a preloaded sheet that is never enabled is echoed: %s", out)
	}
}
