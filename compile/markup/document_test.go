package markup

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

func TestDocumentsAreDecoded(t *testing.T) {
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String("<p>Цена")
	if err != nil {
		t.Fatal(err)
	}
	koi8, err := charmap.KOI8R.NewEncoder().String(`<meta http-equiv="Content-Type" content="text/html; charset=koi8-r"><p>Цена`)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ in, want string }{
		{"\ufeff<!DOCTYPE html><p>Цена", "<p>Цена</p>"},
		{utf16, "<p>Цена</p>"},
		{koi8, "<p>Цена</p>"},
		{"<p>Цена", "<p>Цена</p>"},
		{strings.Repeat(" ", 2000) + "<p>Цена", "<p>Цена</p>"},
		{"<meta charset=utf-16><p>Цена", "<p>Цена</p>"},
		{"<p>caf\xe9", "<p>café</p>"},
		{"<meta charset=utf-8><p>caf\xe9", "<p>caf\ufffd</p>"},
		{"<meta charset=nonsense><p>Цена", "<p>Цена</p>"},
	}
	for _, tt := range tests {
		if got := draw(t, compile(t, tt.in).Normal, nil); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestMarkupKeepsItsMeaning(t *testing.T) {
	tests := []struct{ in, want string }{
		{`<!-- &amp; --&gt; <b> --><!--[if IE]>&lt;<![endif]-->x`, `<!-- &amp; --&gt; <b> --><!--[if IE]>&lt;<![endif]-->x`},
		{`<plaintext>a<b>`, `<pre>a&lt;b&gt;</pre>`},
		{`<BR/><IMG ALT=x SRC=/a><INPUT DISABLED>`, `<br><img alt="x" src="/a"><input disabled="">`},
		{`<noscript><img src=a.png>&lt;b&gt;</noscript>`, `<noscript><img src="/_html/7/3/a.png">&lt;b&gt;</noscript>`},
		{`<script type="application/ld+json">{"a":"<b>&"}</script>`, `<script type="application/ld+json">{"a":"<b>&"}</script>`},
		{`<script>x<!--<script>`, `<script></script>`},
		{`<script type=importmap>{ "imports": {"a": "./a.js", "b":"b.js", "./c/": "../out/c/", "d": "/d.js"} }</script>`,
			`<script type="importmap">{ "imports": {"a": "/_html/7/3/a.js", "b":"b.js", "/_html/7/3/c/": "../out/c/", "d": "/d.js"} }</script>`},
		{`<title>x</title><meta property=og:x><meta itemprop=name content=y><link rel=manifest href=m>`, `<meta itemprop="name" content="y">`},
		{`<div data-svc-x=1 svc-unknown=2 svc-cart-count>`, `<div data-svc-x="1" svc-cart-count=""></div>`},
		{`<a href=" img/a.png ">x</a><a href="img\a.png">x</a><a href="./b/../c">x</a>`, `<a href="/_html/7/3/img/a.png">x</a><a href="/_html/7/3/img/a.png">x</a><a href="/_html/7/3/c">x</a>`},
		{`<style type="text/x">body{}</style><style>body{}</style>`, `<style type="text/x">body{}</style><style>.svc-body-7{}</style>`},
	}
	for _, tt := range tests {
		if got := draw(t, compile(t, "<!DOCTYPE html><body>"+tt.in).Normal, nil); got != tt.want {
			t.Errorf("in   %s\ngot  %s\nwant %s", tt.in, got, tt.want)
		}
	}
}

func TestRelativeBaseApplies(t *testing.T) {
	for _, tt := range []struct{ base, want string }{
		{"assets/", "/_html/7/3/assets/a.png"}, {"assets/x.html", "/_html/7/3/assets/a.png"}, {"./", "/_html/7/3/a.png"},
		{"/x/", "/_html/7/3/a.png"}, {"https://h/x/", "/_html/7/3/a.png"}, {"../", "/_html/7/3/a.png"}, {"", "/_html/7/3/a.png"},
	} {
		got := draw(t, compile(t, `<base href="`+tt.base+`"><body><a href=a.png>x</a><a href=#y>y</a>`).Normal, nil)
		if want := `<a href="` + tt.want + `">x</a><a href="#y">y</a>`; got != want {
			t.Errorf("base %q: %s", tt.base, got)
		}
	}
}

func TestFramesAreRefused(t *testing.T) {
	for in, line := range map[string]int{
		"<!-- <frameset> -->\n\n<FRAMESET rows=1><frame src=a>": 3, strings.Repeat("<b>", 600): 0, "<noscript>" + strings.Repeat("<b>", 600): 0,
	} {
		c, err := Compile(Source{Doc: "7", Release: "3", Index: []byte(in)})
		if err == nil || !c.Report.Has(HTMLParse) || c.Normal != nil || c.Report.Errors[0].Line != line {
			t.Errorf("%.20s: %v %+v", in, err, c)
		}
	}
}

func TestTheWrapperIsTheBody(t *testing.T) {
	c := compile(
		t,
		`<html class="a b" lang=en dir=rtl style="x:y" data-t=1 id=no><body class=" c " style="z:url(q.png)" data-t=2 data-svc-base=no onload=f()>x`,
	)
	out := c.Normal.AppendTo(nil, nil)
	want := `<div class="svc-body svc-body-7 c a b" data-svc-base="/_html/7/3/" style="z:url(/_html/7/3/q.png)" data-t="2" onload="f()" lang="en" dir="rtl">x</div>`
	if !strings.HasSuffix(string(out), want) {
		t.Errorf("got %s\nwant %s", out, want)
	}
	guarded := c.Guarded.AppendTo(nil, nil)
	if strings.Contains(string(guarded), "onload") || strings.Contains(string(guarded), "SVC_ASSETS") {
		t.Errorf("guarded: %s", guarded)
	}
}

func TestCompilingTwiceGivesTheSameBytes(t *testing.T) {
	in := strings.Join(payloads, "")
	a, b := compile(t, in), compile(t, in)
	if string(a.Normal.arena) != string(b.Normal.arena) || string(a.Guarded.arena) != string(b.Guarded.arena) {
		t.Error("the arenas differ")
	}
}

func TestAbsoluteSheetsStayInGuardedZones(t *testing.T) {
	c := compile(
		t,
		`<link rel=stylesheet href=a.css><link rel="Stylesheet preload" href=https://h/x.css><link rel=stylesheet href=//h/y.css><link rel=icon href=i.png><i on-tap=x onclick=y></i>`,
	)
	got := c.Guarded.AppendTo(nil, nil)
	want := `<div class="svc-head svc-head-7" hidden><link rel="Stylesheet preload" href="https://h/x.css"><link rel="stylesheet" href="//h/y.css"><link rel="icon" href="/_html/7/3/i.png"></div>` +
		`<div class="svc-body svc-body-7" data-svc-base="/_html/7/3/"><i on-tap="x"></i></div>`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A frame with a document of this host would run its scripts next to the form where people pay
// (document 3, 4.6.6).
func TestFramesAreIsolatedInGuardedZones(t *testing.T) {
	boxed := `<iframe%s sandbox="allow-forms allow-popups allow-scripts"></iframe>`
	for source, want := range map[string]string{
		`<iframe src=f.svg></iframe>`:                        fmt.Sprintf(boxed, ""),
		`<iframe src=/first></iframe>`:                       fmt.Sprintf(boxed, ""),
		`<iframe src=\\h/first></iframe>`:                    fmt.Sprintf(boxed, ""),
		`<iframe src=//h/first></iframe>`:                    fmt.Sprintf(boxed, ` src="//h/first"`),
		`<iframe src=https://v/1></iframe>`:                  fmt.Sprintf(boxed, ` src="https://v/1"`),
		`<iframe name=n></iframe>`:                           fmt.Sprintf(boxed, ""), // a link can open its target in this frame by name
		`<iframe sandbox="allow-same-origin"></iframe>`:      fmt.Sprintf(boxed, ""),
		`<object data=https://v/1></object>`:                 `<object></object>`,
		`<object data=//v/f.png></object>`:                   `<object data="//v/f.png"></object>`,
		`<embed src=https://v/1><embed src=https://v/a.svg>`: `<embed><embed>`,
	} {
		got := compile(t, source).Guarded.AppendTo(nil, nil)
		if !strings.Contains(string(got), ">"+want+"</div>") {
			t.Errorf("%s: %s, want %s", source, got, want)
		}
	}
}
