package markup

import (
	"strings"
	"testing"

	"vitrine/compile/markup/style"
)

// rewriteCSS rewrites the text of a style element.
func rewriteCSS(src, class string, address addressFunc) string {
	s := newSheet(src, class, address)
	s.items(0, fresh, false, true)
	return string(s.out)
}

func TestBareRootsBecomeTheWrapper(t *testing.T) {
	tests := []struct{ in, want string }{
		{"BODY{a:b}HTML{a:b}:ROOT{a:b}", "W{a:b}W{a:b}W{a:b}"},
		{"body.dark{a:b}body::before{a:b}:root[data-x]{a:b}body:hover{a:b}", "body.dark{a:b}body::before{a:b}:root[data-x]{a:b}body:hover{a:b}"},
		{"html.js body .x{a:b}", "html.js W .x{a:b}"},
		{"html.js > body .x,.js>body{a:b}", "html.js W .x,.js W{a:b}"},
		{":root[data-x] body{a:b}", ":root[data-x] W{a:b}"},
		{"html  >  body > main{a:b}", "W > main{a:b}"},
		{"html /*c*/ body{a:b}", "/*c*/W{a:b}"},
		{"html + body{a:b}", "W + W{a:b}"},
		{"* html .x{a:b}*+html{a:b}", "* html .x{a:b}*+html{a:b}"},
		{".a html{a:b}.a :root{a:b}", ".a html{a:b}.a :root{a:b}"},
		{"body body{a:b}", "W body{a:b}"},
		{"body/**/.a{a:b}", "body/**/.a{a:b}"},
		{".body,#body,[body],body-x,.html{a:b}", ".body,#body,[body],body-x,.html{a:b}"},
		{":is(html,body) .x{a:b}:where(:root){a:b}p:not(body){a:b}", ":is(W,W) .x{a:b}:where(W){a:b}p:not(W){a:b}"},
		{":is(:where(body,.y),.x){a:b}", ":is(:where(W,.y),.x){a:b}"},
		{"div :is(body){a:b}", "div :is(body){a:b}"},
		{"svg:not(:root){a:b}", "svg:not(W){a:b}"},
		{"svg|html{a:b}*|body{a:b}", "svg|html{a:b}*|body{a:b}"},
		{"@layer a,b;@layer body{body{a:b}}", "@layer a,b;@layer body{W{a:b}}"},
		{"@container (width>1px){html{a:b}}@starting-style{body{a:b}}", "@container (width>1px){W{a:b}}@starting-style{W{a:b}}"},
		{"@keyframes body{from{a:b}50%{a:b}}@counter-style html{system:body}", "@keyframes body{from{a:b}50%{a:b}}@counter-style html{system:body}"},
		{"@layer x;{a:b}body{c:d}", "@layer x;{a:b}W{c:d}"},
		{"html{& .x{a:b}&{body{c:d}}}", "W{& .x{a:b}&{&{c:d}}}"},
		{"div{body{a:b}}.x{body{a:b}}", "div{body{a:b}}.x{W{a:b}}"},
		{"html.js{body{a:b}& body{c:d}}", "html.js{W{a:b}& W{c:d}}"},
		{".x{color:red;body:hover{a:b}}", ".x{color:red;body:hover{a:b}}"},
		{"body{a:b", "W{a:b"},
		{"body", "body"},
		{"<!-- body{a:b} -->", "<!-- W{a:b} -->"},
		{"body{grid-area:body;font-family:html}", "W{grid-area:body;font-family:html}"},
		{"body,>x{a:b}", "W,>x{a:b}"},
		{"body 1{a:b}html{c:d}", "body 1{a:b}W{c:d}"},
		{"a{b:c;}/*}*/body{d:e}", "a{b:c;}/*}*/W{d:e}"},
		{"a[b=\"}body{\"]{c:d}body{e:f}", "a[b=\"}body{\"]{c:d}W{e:f}"},
	}
	for _, tt := range tests {
		want := strings.ReplaceAll(tt.want, "W", ".svc-body-7")
		if got := rewriteCSS(tt.in, ".svc-body-7", moveAll); got != want {
			t.Errorf("in   %s\ngot  %s\nwant %s", tt.in, got, want)
		}
	}
}

func TestAddressesInSheetsMove(t *testing.T) {
	tests := []struct{ in, want string }{
		{`a{b:url(data:x,url(y))}`, `a{b:url(data:x,url(y))}`},
		{`a{b:url()}a{b:url("")}a{b:url(#g)}a{b:url(?q)}a{b:url(/x.png)}a{b:url(//h/x.png)}`, `a{b:url()}a{b:url("")}a{b:url(#g)}a{b:url(?q)}a{b:url(/x.png)}a{b:url(//h/x.png)}`},
		{`a{b:url(./x/../y.png)}`, `a{b:url(R/y.png)}`},
		{`a{b:url('a\\b.png')}`, `a{b:url('R/a/b.png')}`},
		{`a{b:url(../x.png)}`, `a{b:url(../x.png)}`},
		{`a{b:url(a\29.png)}`, `a{b:url(R/a\29.png)}`},
		{`a{b:\75rl(a.png)}a{b:u\72l("b.png")}`, `a{b:\75rl(R/a.png)}a{b:u\72l("R/b.png")}`},
		{`a{b:\75rl( a.png )}`, `a{b:\75rl( R/a.png )}`},
		{`\75rl(! `, `\75rl(R/! `},
		{`@IMPORT 'a.css' screen;`, `@IMPORT 'R/a.css' screen;`},
		{`@namespace svg url(http://www.w3.org/2000/svg);`, `@namespace svg url(http://www.w3.org/2000/svg);`},
		{`@media print{a{b:url(x.png)}}@page{c:url(y.png)}@keyframes k{to{d:url(z.png)}}`, `@media print{a{b:url(R/x.png)}}@page{c:url(R/y.png)}@keyframes k{to{d:url(R/z.png)}}`},
		{`a{b:image-set("a.png" type("image/png"))}`, `a{b:image-set("R/a.png" type("image/png"))}`},
		{`}}a{b:url(x.png)}`, `}}a{b:url(R/x.png)}`},
	}
	for _, tt := range tests {
		want := strings.ReplaceAll(tt.want, "R/", "/_html/7/3/")
		if got := rewriteCSS(tt.in, ".svc-body-7", moveAll); got != want {
			t.Errorf("in   %s\ngot  %s\nwant %s", tt.in, got, want)
		}
	}
}

func TestDeepNestingIsCopied(t *testing.T) {
	in := strings.Repeat("a{", 100_000) + "body{c:d}"
	if got := rewriteCSS(in, ".w", moveAll); got != in {
		t.Errorf("changed below the limit")
	}
	in = strings.Repeat("(", 100_000) + strings.Repeat("[{", 50_000)
	if got := rewriteCSS(in, ".w", moveAll); got != in {
		t.Errorf("brackets changed")
	}
}

func FuzzCSS(f *testing.F) {
	for _, s := range []string{"html>body{a:url(b)}", "@media x{&{c:d}", "a{b:\\75rl('x", "/*", "@import \"", ":is(html", "}", "\ufeffbody{", "a{--x:{}", "\x00body{}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		keep := func(string, int, bool) (string, bool) { return "", false }
		out := rewriteCSS(src, ".svc-body-7", keep)
		src = strings.TrimPrefix(src, "\ufeff")
		folded := strings.ToLower(style.Unescape(src))
		named := strings.Contains(folded, "html") || strings.Contains(folded, "body") || strings.Contains(folded, "root")
		if !named && out != src {
			t.Errorf("%q became %q", src, out)
		}
		rewriteCSS(src, ".svc-body-7", moveAll)
	})
}

func FuzzSrcset(f *testing.F) {
	for _, s := range []string{"a 1x, b 2x", ",,a(b,c),d", "a, (", " \t,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, srcset string) {
		if got := rewriteSrcset(srcset, func(a string) string { return a }); got != srcset {
			t.Errorf("%q became %q", srcset, got)
		}
	})
}
