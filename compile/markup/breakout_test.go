package markup

import (
	"strings"
	"testing"

	"github.com/tdewolff/parse/v2/css"
	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"vitrine/compile/markup/dom"
	"vitrine/compile/markup/style"
)

// contexts is a document with a hole in every context that allows one.
const contexts = `<!DOCTYPE html><body><p id=text>{{ product.name }}</p><textarea id=area>{{ product.name }}</textarea>
<i id=attr title="{{ product.name }}" data-x="a{{ product.name }}b" class="c {{ product.name }}"></i>
<a id=lead href="{{ product.url }}">x</a><a id=tail href="/s/{{ product.name }}?q={{ product.name }}">x</a><form id=form action="{{ product.url }}"></form>
<img id=set src="{{ product.image }}" srcset="{{ product.image }} 1x, a{{ product.name }}.png 2x"><img id=head src="img/{{ product.name }}.png">
<b id=style style="color:{{ product.name }};background:url({{ product.image }});--x:'{{ product.name }}'">x</b>
<svg><a xlink:href="{{ product.url }}" fill="{{ product.name }}"><text>{{ product.name }}</text></a></svg>
<noscript><u title="{{ product.name }}">{{ product.name }}</u></noscript><template><s title="{{ product.name }}">{{ product.name }}</s></template>
<ul><li svc-for="p in products" title="{{ p.name }}"><a href="{{ p.url }}">{{ p.name }}</a><img src="{{ p.image }}"></li></ul>
<select><option value="{{ product.name }}">{{ product.name }}</select><pre>{{ product.description }}</pre>`

// breakers are the parts of values that try to break out of their context.
var breakers = []string{
	`"`, `'`, "`", "<", ">", "</p>", "</textarea>", "</noscript>", "</template>", "</svg>", "</style>", "<script>alert(1)</script>", "<!--", "-->", "]]>",
	"javascript:alert(1)", " java\tscript:", "JAVASCRIPT&colon;", "&#106;avascript:", "data:text/html,<script>", "vbscript:", "//evil.test", `\\evil.test`,
	" onload=alert(1) ", " srcset=x ", ";", "}", ")", "/*", "*/", `\`, `\27`, "expression(", "url(", "@import", "\n", "\r\n", "\f", "\x00", "\u00a0", "\u2028",
	",", " ", "%22", "%3C", "?", "#", "=", "&", "&quot;", "&lt;script&gt;", "{{ product.url }}", "{{", "}}", "svc-for", "é", "\xff", "😀", "a", "1",
}

// skeleton prints the structure of a tree without its values: elements and attribute names.
func skeleton(n *html.Node) string {
	var b strings.Builder
	var walk func(n *html.Node, depth int)
	walk = func(n *html.Node, depth int) {
		for c := range n.ChildNodes() {
			if c.Type == html.CommentNode {
				b.WriteString("<!---->")
			}
			if c.Type != html.ElementNode {
				continue
			}
			b.WriteString(strings.Repeat(" ", depth) + c.Data)
			for _, a := range c.Attr {
				if a.Key != "srcset" || c.Data != "img" { // whether one is added depends on the image
					b.WriteString(" " + attrName(a))
				}
			}
			b.WriteString("\n")
			walk(c, depth+1)
		}
	}
	walk(n, 0)
	return b.String()
}

// productOf returns data with one text in every field.
func productOf(text string) *Data {
	p := Product{ID: 5, Name: text, URL: text, Image: text, PriceText: text, Description: text}
	return &Data{Product: &p, Products: []Product{p, p}}
}

// dangerous returns an attribute that a browser would run, by the browser's rules instead of
// ours: controls and blanks do not hide a scheme.
func dangerous(doc *html.Node) string {
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			value := strings.ToLower(strings.Map(func(r rune) rune {
				if r <= ' ' {
					return -1
				}
				return r
			}, a.Val))
			name := attrName(a)
			switch {
			case name == "title" || name == "class" || name == "value" || name == "fill" || strings.HasPrefix(name, "data-"): // plain text
			case strings.HasPrefix(value, "javascript:"), strings.HasPrefix(value, "vbscript:"), strings.HasPrefix(value, "data:text/html"):
				return n.Data + " " + name + "=" + a.Val
			case strings.HasPrefix(name, "on") || name == "srcdoc":
				return n.Data + " " + name
			}
		}
	}
	return ""
}

// styleShape lists the tokens of style attributes that separate values or call functions.
func styleShape(doc *html.Node) (shape string) {
	for n := range doc.Descendants() {
		value, _ := dom.Attr(n, "style")
		for _, tok := range style.Lex(value) {
			switch tok.Type {
			case css.IdentToken,
				css.CustomPropertyNameToken, css.WhitespaceToken, css.DelimToken, css.NumberToken, css.DimensionToken,
				css.PercentageToken, css.HashToken, css.ColonToken, css.CommaToken, css.StringToken, css.UnicodeRangeToken,
				css.ColumnToken, css.IncludeMatchToken, css.DashMatchToken, css.PrefixMatchToken, css.SuffixMatchToken,
				css.SubstringMatchToken:
			default:
				shape += " " + tok.Type.String()
			}
		}
	}
	return shape
}

func TestValuesStayInTheirPlace(t *testing.T) {
	c := compile(t, contexts)
	for _, p := range []*Program{c.Normal, c.Guarded} {
		for _, scripts := range []bool{true, false} {
			benign := around(t, string(p.AppendTo(nil, productOf("harmless"))), scripts)
			want, shape := skeleton(benign), styleShape(benign)
			rapid.Check(t, func(r *rapid.T) {
				text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(breakers), 1, 6).Draw(r, "text"), "")
				out := string(p.AppendTo(nil, productOf(text)))
				tree := around(t, out, scripts)
				if got := skeleton(tree); got != want {
					r.Fatalf("%q changes the tree:\n%s\nwant\n%s\nout %s", text, got, want, out)
				}
				if found := dangerous(tree); found != "" {
					r.Fatalf("%q runs: %s", text, found)
				}
				if got := styleShape(tree); got != shape {
					r.Fatalf("%q changes the style: %s, want %s, out %s", text, got, shape, out)
				}
			})
		}
	}
}

// addressPlaces lists every attribute that takes an address.
var addressPlaces = []string{
	`<a href="%">x</a>`, `<area href="%">`, `<a xlink:href="%">x</a>`, `<a ping="%" href="#">x</a>`, `<form action="%"></form>`, `<button formaction="%">x</button>`,
	`<input type=image src="%" formaction="%">`, `<img src="%" lowsrc="%" dynsrc="%" longdesc="%">`, `<iframe src="%"></iframe>`, `<iframe srcdoc="%"></iframe>`,
	`<embed src="%">`, `<object data="%" codebase="%"></object>`, `<object><param name=src value="%"></object>`, `<video src="%" poster="%"><source src="%"><track src="%"></video>`, `<table background="%"></table>`,
	`<blockquote cite="%">x</blockquote>`, `<link rel=stylesheet href="%">`, `<link rel=modulepreload href="%">`, `<script src="%"></script>`, `<base href="%">`,
	`<meta http-equiv=refresh content="0;url=%">`, `<svg><a href="%"><text>x</text></a></svg>`, `<svg><a xlink:href="%">x</a></svg>`, `<svg><use href="%"></use></svg>`,
	`<svg><script href="%"></script></svg>`, `<svg><a><set attributeName="href" to="%"></set></a></svg>`, `<svg><a><animate attributeName="xlink:href" values="#;%" from="%" by="%"></animate></a></svg>`,
	`<math href="%"><mi xlink:href="%">x</mi></math>`, `<body background="%" onload="%">`, `<html manifest="%" onclick="%">`, `<div onclick="%" onpointerrawupdate="%">x</div>`,
	`<noscript><a href="%">x</a></noscript>`, `<template><a href="%">x</a></template>`,
}

// programSchemes lists ways to write an address that runs.
var programSchemes = []string{
	"javascript:alert(1)", "JaVaScRiPt:alert(1)", " \njavascript:alert(1)", "\x01\x1fjavascript:alert(1)", "java\tscript:alert(1)", "java&#10;script:alert(1)",
	"&#106;&#x61;vascript:alert(1)", "javascript&colon;alert(1)", "java&Tab;script:alert(1)", "vbscript:x", "data:text/html,&lt;script&gt;alert(1)&lt;/script&gt;",
}

// opens reports whether browsers open a scheme in a place: documents in data: only where they are
// framed.
func opens(place, scheme string) bool {
	return !strings.HasPrefix(scheme, "data:") || strings.Contains(place, "iframe") || strings.Contains(place, "embed") ||
		strings.Contains(place, "object data") ||
		strings.Contains(place, "<use")
}

func TestNoAddressRunsInGuardedZones(t *testing.T) {
	for _, place := range addressPlaces {
		for _, scheme := range programSchemes {
			if !opens(place, scheme) {
				continue
			}
			c := compile(t, "<!DOCTYPE html>"+strings.ReplaceAll(place, "%", scheme))
			out := string(c.Guarded.AppendTo(nil, &Data{}))
			for _, scripts := range []bool{true, false} {
				tree := around(t, out, scripts)
				if found := dangerousIn(tree); found != "" {
					t.Errorf("%s with %q: %s", place, scheme, found)
				}
			}
		}
	}
}

// Author and value may each contribute a part of a scheme, and a value may be empty.
func TestNoAddressIsPutTogetherInGuardedZones(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		place := rapid.SampledFrom(addressPlaces).Draw(r, "place")
		scheme := rapid.SampledFrom(programSchemes).Filter(func(scheme string) bool { return opens(place, scheme) }).Draw(r, "scheme")
		from := rapid.IntRange(0, len(scheme)).Draw(r, "from")
		to := rapid.IntRange(from, len(scheme)).Draw(r, "to")
		hole := rapid.SampledFrom([]string{"{{ product.name }}", "{{ product.nope }}{{ product.name }}", "{{ product.name }}{{product.nope}}"}).
			Draw(r, "hole")
		c := compile(t, "<!DOCTYPE html>"+strings.ReplaceAll(place, "%", scheme[:from]+hole+scheme[to:]))
		out := string(c.Guarded.AppendTo(nil, productOf(html.UnescapeString(scheme[from:to]))))
		if found := dangerousIn(around(t, out, true)); found != "" {
			r.Fatalf("%s: %s", found, out)
		}
	})
}

// dangerousIn is dangerous, and also refuses any script element.
func dangerousIn(doc *html.Node) string {
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && strings.EqualFold(n.Data, "script") {
			return "<script>"
		}
	}
	return dangerous(doc)
}
