package fidelity

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vitrine/compile/markup"
	"vitrine/compile/release"
)

// folder is a release: files by path.
type folder map[string]string

func (f folder) source() markup.Source {
	return markup.Source{
		Doc: "7", Release: "3", Index: []byte(f["index.html"]),
		Files: func(path string) bool { _, ok := f[path]; return ok },
		Read:  func(path string) ([]byte, bool) { text, ok := f[path]; return []byte(text), ok },
	}
}

// settled is a style sheet that leaves no property to the browser.
const settled = `<style>*{margin:0;padding:0;font:16px serif;list-style:none;color:#000;text-decoration:none;border:0}</style>`

// deck is a class that turns its element into a slide deck.
const deck = "<style>.deck{height:100vh;background:#000}.ready{color:red}</style>"

// lost returns the findings of a folder: "fidelity.reset index.html:3".
func lost(f folder) (found []string) {
	r := Check(f.source())
	for _, x := range slices.Concat(r.Errors, r.Warnings, r.Infos) {
		found = append(found, x.Code+" "+x.Path+":"+strconv.Itoa(x.Line))
	}
	return found
}

func TestFindingsWithLines(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"onload", "\n<body\nonload=f()>x", "fidelity.handler index.html:3"},
		{"handlers of html", "\n<html onclick=f()><body onclick=g() onresize=h()>x", "fidelity.handler index.html:2 fidelity.handler index.html:2"},
		{"colours of body", "\n<body\nbgcolor=red\nmarginwidth=0 link=blue>x", "fidelity.body index.html:3 fidelity.body index.html:4"},
		{"class of body by script", "<style>body.dark{a:b}</style><script>\ndocument.body.classList.add('dark')</script>", "fidelity.root index.html:2"},
		{"data of html by script", "<style>:root[data-theme]{a:b}</style><script>\ndocument.documentElement.dataset.theme = 1</script>", "fidelity.root index.html:2"},
		{"const", "\n<script>\nconst a = 1</script>", "fidelity.redeclare index.html:3"},
		{"class", "\n<script>f()\nclass A {}</script>", "fidelity.redeclare index.html:3"},
		{"let behind a block", "<script>{const a=1}let [b]=[2]</script>", "fidelity.redeclare index.html:1"},
		{"linked const", "<script src=top.js></script>", "fidelity.redeclare top.js:2"},
		{"write", "<script>\n\ndocument.write('<p>')</script>", "fidelity.write index.html:3"},
		{"ready", "<script>\ndocument.addEventListener('DOMContentLoaded', f)</script>", "fidelity.ready index.html:2"},
		{"load", "<script>\nwindow.addEventListener(\"load\", f)</script>", "fidelity.ready index.html:2"},
		{"window.onload", "<script>\nwindow.onload = f</script>", "fidelity.ready index.html:2"},
		{"current script of a file", "<script defer src=current.js></script>", "fidelity.currentscript current.js:1"},
		{"current script of a module", "<script type=module>document.currentScript.src</script>", "fidelity.currentscript index.html:1"},
		{"class of body beaten", "<style>.home{margin:20px}\nbody{margin:1px}</style><body class=home>x", "fidelity.cascade index.html:2"},
		{"by the shorthand", "<style>.home{margin-top:20px}\nbody{margin:1px}</style><body class=home>x", "fidelity.cascade index.html:2"},
		{"body beaten by html", "<style>body{color:red}\n:root{color:blue}</style>x", "fidelity.cascade index.html:2"},
		{"in a file", `<link rel=stylesheet href=flip.css><body class=home>x`, "fidelity.cascade flip.css:3"},
		{"in a file, where bare rules come last", `<link rel=stylesheet href=last.css><body class=home>x`, "fidelity.cascade last.css:2"},
		{"or html with a class", `<html class=dark><link rel=stylesheet href=last.css>x`, "fidelity.cascade last.css:1"},
		{"imported", "<style>@import 'flip.css';</style><body class=home>x", "fidelity.cascade flip.css:3"},
		{"body with a class", "<style>\nbody.home .x{a:b}</style><body class=home>x", "fidelity.selector index.html:2"},
		{"html with data", "<html data-theme=dark><style>\n:root[data-theme=dark]{--a:b}</style>x", "fidelity.selector index.html:2"},
		{"body with an id", "<style>@media (width>1px){\nbody#top{a:b}}</style><body id=top>x", "fidelity.selector index.html:2"},
		{"rem", "<style>\nhtml{font-size:62.5%}p{margin:1.6rem}</style>x", "fidelity.rem index.html:2"},
		{"height", "<style>html,\nbody{height:100%}body{display:flex}</style>x", "fidelity.height index.html:2"},
		{"below", "<style>\n.x{color:red;z-index:-1}.y{z-index:-2}</style>x", "fidelity.below index.html:2"},
		{"below by a variable", "<style>\n.x{z-index:var(--z)}:root{--z:-1}</style>x", "fidelity.below index.html:2"},
		{"below in a file", "<link rel=stylesheet href=below.css>x", "fidelity.below below.css:2"},
		{"below inline", "\n<p style='z-index:-1'>x</p><p style='z-index:-1'>x</p>", "fidelity.below index.html:2"},
		{"fixed at the top", "<style>\n.bar{position:fixed;top:0;left:0}</style><p class=bar>x</p>", "fidelity.cover index.html:2"},
		{"sticky by two rules", "<style>.bar{top:10px}\nnav .bar{position:sticky!important}</style><nav><p class=bar>x</p></nav>", "fidelity.cover index.html:2"},
		{"fixed inline", "\n<p style='position: fixed; top: 0'>x</p>", "fidelity.cover index.html:2"},
		{"fixed at the bottom, over all, out of sight, on nothing", "<style>.a{position:fixed;bottom:0}.b{position:fixed;inset:0;top:0}.c{position:fixed;top:-90px}.d{position:fixed;top:0;bottom:0}.e{position:fixed;top:0}</style><p class=a>x</p><p class=b>x</p><p class=c>x</p><p class=d>x</p>", ""},
		{"class that sets a height", deck + "<script>\ndocument.body.classList.add('ready','deck')</script>", "fidelity.class index.html:2"},
		{"by toggle and by name", deck + "<script>document.documentElement.classList.toggle(\"deck\")\ndocument.body.className+=' deck'</script>", "fidelity.class index.html:1"},
		{"by className", deck + "<script>\ndocument.body.className = 'ready deck'</script>", "fidelity.class index.html:2"},
		{"by jQuery", deck + "<script>\n$('body').addClass('ready deck')</script>", "fidelity.class index.html:2"},
		{"height of a child", "<style>body{min-height:100%}#a{height:100%}</style><div id=a>x</div>", "fidelity.height index.html:1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := folder{
				"index.html": "<!DOCTYPE html>" + settled + tt.in, "top.js": "f();\nconst a = 1", "current.js": "var s = document.currentScript",
				"last.css": ":root{--a:1}\nbody{color:red}.home{color:blue}.dark{--a:2;color:blue}",
				"flip.css": ".home{margin:20px}\n\nbody{margin:1px}", "below.css": "\n.x{Z-INDEX:-1}",
			}
			if got := strings.Join(lost(f), " "); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestBrowserDefaultsAreReported(t *testing.T) {
	tests := []struct{ css, in, want string }{
		{"*{font-family:x}", "x", "body{margin:8px}"},
		{"body{margin:0}", "x", "body{font-family:serif}"},
		{"body{margin:0;font-size:2em}", "x", "body{font-family:serif}"},
		{"body{margin:0}p{font:1em x}", "<p style=margin:0>x</p>", ""},
		{"*{margin:0;font-family:x}", "<h1>x</h1>", "h1{font-size:2em}"},
		{"*{margin:0;font:1em x}", "<h4>x</h4>", ""},
		{"body{margin:0;font-family:x}h4{margin:0}", "<h4>x</h4>", ""},
		{"body{margin:0;font-family:x}p{margin-top:1em}", "<p>x</p>", ""},
		{"body{margin:0;font-family:x}p.a{margin:1em}", "<p class=a>x</p><p>y</p>", "p{margin:1em 0}"},
		{"body{margin:0;font-family:x}", "<p></p><template><p>x</p></template><noscript><p>x</p></noscript>", ""},
		{"body{margin:0;font-family:x}@media print{p{margin:0}}", "<p>x</p>", "p{margin:1em 0}"},
		{"body{margin:0;font-family:x}@media (width>1px){p{margin:0}}", "<p>x</p>", ""},
		{"body{margin:0;font-family:x}main{p{margin:0}}", "<main><p>x</p></main>", ""},
		{"*{margin:0;font-family:x}nav > ul{padding:0}", "<nav><ul><li>x</ul></nav>", "ul{list-style:disc}"},
		{"*{margin:0;font-family:x}nav > ul{padding:0}li{display:inline}", "<nav><ul><li>x</ul></nav>", ""},
		{"*{margin:0;padding:0;font-family:x}", "<ol><li>x</ol>", "ol{list-style:decimal}"},
		{"*{margin:0;font-family:x}a:link{color:red}", "<a name=n>x</a><a href=/x><img></a><a href=/x>x</a>", ""},
		{"*{margin:0;font-family:x}a:hover{color:red;text-decoration:none}", "<a href=/x>x</a>", "a{color:linktext}"},
		{"*{margin:0;font-family:x}", "<button>x</button>", "button{border:2px outset buttonborder;background:buttonface;padding:1px 6px}"},
		{"*{margin:0;font-family:x}button{background:red}", "<button>x</button>", ""},
		{"*{margin:0;padding:0;border:0;font-family:x}", "<input><input type=SUBMIT>", ""},
		{"*{margin:0;padding:0;border:0}body{font-family:x}", "<input><input type=SUBMIT>", "input{font:13.3px system-ui}"},
		{"body{margin:0;font-family:x}:where(h2,p){all:unset}", "<p>x</p>", ""},
		{"body{margin:0;font-family:x}:is(p{margin:0}", "<p>x</p>", "p{margin:1em 0}"},
		{"@import 'https://cdn.test/framework.css';", "<p>x</p>", ""},
		{"@import 'https://fonts.test/x.css';*{font-family:x}", "x", "body{margin:8px}"},
	}
	for _, tt := range tests {
		r := Check(folder{"index.html": "<!DOCTYPE html><style>" + tt.css + "</style><body>" + tt.in}.source())
		var got []string
		for _, f := range r.Warnings {
			thing, _, _ := strings.Cut(f.Detail, " is the browser's own rule")
			got = append(got, thing)
		}
		if all := strings.Join(got, " "); all != tt.want {
			t.Errorf("%s %s:\ngot  %s\nwant %s", tt.css, tt.in, all, tt.want)
		}
	}
}

func TestNoFalsePositives(t *testing.T) {
	for _, in := range []string{
		`<script>var a=1;function f(){const b=1;let c;class D{}}</script>`,
		`<script type=module>const a=1;let b</script><script type=text/x>const a=1</script>`,
		`<script>(()=>{const a=1})();x=class{};y={class:1,let:2};"const z";/const [q]/.test(x);` + "`const ${'let'} w`" + `</script>`,
		`<script>const a = {</script>`, // incomplete: nothing is certain
		`<script>if(document.readyState!=="loading")f();else document.addEventListener("DOMContentLoaded",f)</script>`,
		`<script>f();document.addEventListener("svc:navigate",f);document.addEventListener("DOMContentLoaded",f)</script>`,
		`<style>.dark{a:b}body.dark .x{a:b}</style><script>document.body.classList.add("dark")</script>`,
		`<style>body.dark{a:b}</style><script>box.classList.add("dark");x.document.body.classList.add("y")</script>`,
		`<script>popup.document.write("x");popup.document.writeln("x")</script>`,
		`<script>img.addEventListener("load",f);img.onload=f;log.write("x");document.currentScript.remove()</script>`,
		`<script src=https://cdn.test/x.js></script><script src=none.js></script>`,
		`<body onclick=f() class=home><style>body{margin:1px}.home{margin:2px}</style>`,
		`<body class=home><style>.home{margin:2px}body{padding:1px}</style>`,
		`<body class=home><style>.home{margin:2px!important}body{margin:1px}</style>`,
		`<body class=home><style>.home.home{margin:2px}body{margin:1px}</style>`,
		`<body class=home><style>.home{margin:2px}body{margin:2px}</style>`,
		`<body class=home><style>@layer x{.home{margin:2px}}body{margin:1px}</style>`,
		`<body class=home><style>@media (width>9px){.home{margin:2px}}@media (width<9px){body{margin:1px}}</style>`,
		`<style>html,body{margin:1px}body{margin:2px}html,body{margin:3px}</style>`,
		`<style>body.other{a:b}html[lang=en]{a:b}html.js .x{a:b}body:hover{a:b}</style>`,
		`<style>html{font-size:100%}p{margin:1rem}</style>`, `<style>html{font-size:10px}p{margin:1em}</style>`,
		`<link rel=stylesheet href=root.css>`,
		`<style>html,body{height:100%}</style>`,
		`<style>.x{z-index:2}.y{z-index:var(--z)}:root{--z:3;--under:-1}</style><p style="margin:-1px">x</p>`,
		`<style>.lock{overflow:hidden;height:100%}.dark{color:red}.deck .x{height:1px;color:red}</style><script>document.body.classList.add("lock","dark","deck","none")</script>`,
		deck + `<script>box.classList.add("deck");x.document.body.classList.add("deck");$(".x").addClass("deck");document.body.classList.remove("deck")</script>`,
	} {
		f := folder{"index.html": "<!DOCTYPE html><html lang=en>" + settled + in, "root.css": "html{font-size:62.5%}p{margin:1rem}"}
		if got := lost(f); len(got) > 0 {
			t.Errorf("%s: %v", in, got)
		}
	}
}

// In a minified file every finding is on line 1, so the finding shows an excerpt of the line, for
// every kind of place.
func TestFindingInALongLineHasAnExcerpt(t *testing.T) {
	for in, want := range map[string]string{
		`<script>const here = 1</script>`: release.FidelityRedeclare + " const here = 1",
		`<h1 id=here>x</h1>`:              release.FidelityReset + " <h1 id=here>",
		`<body onload=here()>`:            release.FidelityHandler + " here()",
	} {
		long := "<!DOCTYPE html><!-- " + strings.Repeat("-= ", 400) + "-->" + in + strings.Repeat("<b>x</b>", 400)
		code, piece, _ := strings.Cut(want, " ")
		r := Check(folder{"index.html": long}.source())
		if !slices.ContainsFunc(
			r.Warnings,
			func(x markup.Finding) bool { return x.Code == code && x.Line == 1 && strings.Contains(x.Detail, piece) },
		) {
			t.Errorf("%s shows no %s: %+v", in, piece, r.Warnings)
		}
	}
}

// Every finding tells the author how to fix it.
func TestEveryCodeHasAdvice(t *testing.T) {
	for _, c := range release.Codes {
		if strings.HasPrefix(c.Code, "fidelity.") != (mend[c.Code] != "") {
			t.Errorf("%s: %q", c.Code, mend[c.Code])
		}
	}
}

// TestPreflightMatchesTheStorefront compares the table with the style sheet that it describes.
func TestPreflightMatchesTheStorefront(t *testing.T) {
	sheet, err := os.ReadFile("../../../render/assets/storefront.css")
	if err != nil {
		t.Fatal(err)
	}
	_, layer, _ := strings.Cut(string(sheet), "@layer base {")
	layer, _, _ = strings.Cut(layer, "\n}")
	named := map[string]bool{}
	for _, word := range strings.FieldsFunc(layer, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789", r) }) {
		named[word] = true
	}
	for _, rule := range slices.Concat(headings(), preflight) {
		for tag := range strings.FieldsSeq(rule.tags) {
			if !named[tag] && (tag != "input" || !named["submit"]) { // inputs are named by their type
				t.Errorf("the storefront does not reset %s", tag)
			}
		}
	}
}

func TestCheckIsBounded(t *testing.T) {
	deep := strings.Repeat("<div>", 500) + "<p>x</p>"
	rules := strings.Repeat("div div div div div div div i{margin:0}div p{margin:0}", 20_000)
	r := Check(folder{"index.html": "<!DOCTYPE html><style>" + rules + "</style>" + deep}.source())
	if n := len(r.Warnings); n > 0 {
		t.Errorf("%d findings of a sheet that is too large", n)
	}
	for _, hostile := range []string{
		strings.Repeat("a,", 1<<19) + "a{b:c}", "a{" + strings.Repeat("b:c;", 1<<19), strings.Repeat("a{", 1<<19), strings.Repeat("@media x{", 1<<17),
		strings.Repeat("a:is(", 1<<18), "a{b:url(" + strings.Repeat("x", 1<<20), strings.Repeat(`\`, 1<<20), strings.Repeat("[a=", 1<<18), "@import '" + strings.Repeat("a", 1<<20),
	} {
		r := Check(folder{"index.html": "<!DOCTYPE html><style>" + hostile + "</style><body><p>x</p>"}.source())
		if n := len(r.Warnings); n > 2 {
			t.Errorf("%.20s: %d findings", hostile, n)
		}
	}
	many := strings.Repeat(".home{color:red}body{color:blue}body.home{x:y}", 5000)
	r = Check(folder{"index.html": "<!DOCTYPE html><style>" + many + "</style><body class=home>"}.source())
	if n := len(r.Warnings); n == 0 || n > 1000 {
		t.Errorf("%d findings", n)
	}
}

// With sheets that import the next one twenty times, and one sheet and one script under many
// links, the number of reads is bounded independently of the number of references.
func TestRepeatedReferencesAreReadAFewTimes(t *testing.T) {
	files := folder{"many.css": "body{a:b}", "many.js": "x()", "s40.css": "body{c:d}"}
	for i := range 40 {
		files[fmt.Sprintf("s%d.css", i)] = strings.Repeat(fmt.Sprintf("@import 's%d.css';", i+1), 20)
	}
	files["index.html"] = "<!DOCTYPE html><link rel=stylesheet href=s0.css>" +
		strings.Repeat("<link rel=stylesheet href=many.css><script src=many.js></script>", 1000)
	src := files.source()
	reads, read := 0, src.Read
	src.Read = func(path string) ([]byte, bool) { reads++; return read(path) }
	if Check(src); reads > 8*len(files) {
		t.Errorf("%d reads of %d files", reads, len(files))
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("<h1 id=a style='z-index:-1'>x<p>y<template><p>z", "body{a:b}h1 > p{margin:0}", "const a=1;document.body.className='a'")
	f.Add("<html class=x><frameset><noscript></style><svg><style>", "@media print{", "document.write(/[/")
	f.Add("<body class=a onload=f()>", "@media x{.a{b:c}&{d:e", "`${/x/}")
	f.Add("<link rel=stylesheet href=a.css>", "@import 'a.css' layer(x);:is(body,[a=", "class{")
	breaks := strings.NewReplacer("\r\n", "\n", "\r", "\n")
	f.Fuzz(func(t *testing.T, index, sheet, script string) {
		files := folder{
			"index.html": index + "<style>" + sheet + "</style><link rel=stylesheet href=a.css><script src=a.js></script><script>" + script + "</script>",
			"a.css":      sheet, "a.js": script,
		}
		for _, x := range Check(files.source()).Warnings {
			if x.Line < 0 || x.Line > 1+strings.Count(breaks.Replace(files[x.Path]), "\n") || x.Detail == "" {
				t.Errorf("%+v", x)
			}
		}
	})
}
