package feed

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

// named returns a shop with one product of this name.
func named(name string) *Catalogue {
	return NewCatalogue(Contents{Items: []Item{{Product: Product{ID: 7, Name: name, Price: -5, Rating: 1.5}, Pictures: []string{name, "b"}}}})
}

func put(t testing.TB, file, body, name string) (string, Result) {
	t.Helper()
	out, result, problem := render(file, `{{range products}}`+body+`{{end}}`, named(name), Options{})
	if problem != nil {
		t.Fatalf("%s: %v", body, problem)
	}
	return out, result
}

var escapes = []struct{ file, body, name, want string }{
	{"a.xml", `<a>{{.Name}}</a>`, `<&>"'`, `<a>&lt;&amp;&gt;&quot;&apos;</a>`},
	{"a.xml", `<a>{{.Name}}</a>`, "a\x01\x1f\ufffe\xffb\n\tc", "<a>ab\n\tc</a>"},
	{"a.xml", `<a b="{{.Name}}"/>`, "\"\n<", `<a b="&quot;&#10;&lt;"/>`},
	{"a.xml", `<a b='{{.Name}}'/>`, `'`, `<a b='&apos;'/>`},
	{"a.xml", `<a b={{.Name}}/>`, `x" c="`, `<a b="x&quot; c=&quot;"/>`},
	{"a.xml", `<a b={{.ID}}/>`, ``, `<a b="7"/>`},
	{"a.xml", `<a><!-- {{.Name}} --></a>`, `-->x`, `<a><!-- &#45;&#45;&gt;x --></a>`},
	{"a.xml", `<a><![CDATA[{{.Name}}]]></a>`, `]]>x`, `<a><![CDATA[]]]]><![CDATA[>x]]></a>`},
	{"a.xml", `<a {{.Name}}="1"/>`, `b="1" c`, `<a b1c="1"/>`},
	{"a.xml", `<a>{{pictures .}}</a>`, `<`, `<a>[&lt; b]</a>`},
	{"a.yml", `<a>{{.Name}}</a>`, `<`, `<a>&lt;</a>`},
	{"a.yml", `a: {{.Name}}`, `<`, `a: <`},
	{"a.txt", `{{.Name}}`, `<&"`, `<&"`},
	{"a.json", `{"a": "{{.Name}}"}`, "\"\\\n</\u2028\x01\xff", `{"a": "\"\\\n<\/\u2028\u0001\ufffd"}`},
	{"a.json", `{"a": {{.Name}}, "b": {{.Price}}, "c": {{.Rating}}, "d": {{eq 1 1}}, "e": {{and nil 1}}}`, `x"`, `{"a": "x\"", "b": -5, "c": 1.5, "d": true, "e": null}`},
	{"a.json", `{{"{"}}`, ``, `"{"`},
	{"a.json", `[{{.ID}}, 1{{.ID}}, {{pictures .}}]`, `"`, `[7, 17, ["\"","b"]]`},
	{"a.json", `{ {{.ID}}: 1}`, ``, `{ "7": 1}`},
	{"a.csv", `{{.Name}};{{.ID}}`, `a;b"c`, `"a;b""c";7`},
	{"a.csv", "Имя;{{.Name}} шт;\n", `é`, "Имя;é шт;\n"},
	{"a.csv", `{{.Name}},{{.Price}}`, `plain`, `plain,-5`},
	{"a.csv", `"{{.Name}}",x`, `a"b,c`, `"a""b,c",x`},
	{"a.csv", `{{.Name}}{{.Name}} x,{{.ID}}`, `a,b`, `"a,ba,b x",7`},
	{"a.csv", `{{.Name}},`, `=1+1`, `'=1+1,`},
	{"a.csv", `"{{.Name}}",`, `@x`, `"'@x",`},
	{"a.csv", `{{.Name}},`, `+49 30 12`, `'+49 30 12,`},
	{"a.csv", `{{.Name}},`, `-5`, `-5,`},
	{"a.csv", `{{.Name}},`, `-1,5`, `"-1,5",`},
	{"a.csv", `{{.Name}},`, `-cmd|x`, `'-cmd|x,`},
	{"a.csv", `{{.Name}},`, "\tx", "\"'\tx\","},
	{"a.csv", `x{{.Name}},`, `=1`, `x=1,`},
	{"a.html", `<p>{{.Name}}</p>`, `<b>&"`, `<p>&lt;b&gt;&amp;&#34;</p>`},
	{"a.html", `<a href="{{.Name}}">`, `javascript:alert(1)`, `<a href="#">`},
	{"a.html", `<a href="{{.Name}}">`, `https://a.test/?a="b`, `<a href="https://a.test/?a=&#34;b">`},
	{"a.html", `<a href="/x?q={{.Name}}">`, `a:b"`, `<a href="/x?q=a:b&#34;">`},
	{"a.html", `<a href="java{{.Name}}">`, `script:x`, `<a href="javascript%3Ax">`},
	{"a.html", `<a href={{.Name}}>`, `/a b`, `<a href="/a b">`},
	{"a.html", `<a href=/{{.Name}}>`, `a b>`, `<a href=/a&#x20;b&#x3e;>`},
	{"a.html", `<a onclick="f({{.Name}})">`, `');x('`, `<a onclick="f(&#34;\u0027\u0029\u003bx\u0028\u0027&#34;)">`},
	{"a.html", `<a style="color:{{.Name}}">`, `red;x:url(y)`, `<a style="color:redxurly">`},
	{"a.html", `<script>var a = {{.Name}}, b = '{{.Name}}', c = {{.ID}}</script>`, `</script>'`, `<script>var a = "\u003c\u002fscript\u003e\u0027", b = '\u003c\u002fscript\u003e\u0027', c = 7</script>`},
	{"a.html", `<style>a{color:{{.Name}}}</style><p>{{.Name}}</p>`, `</style><x>`, `<style>a{color:stylex}</style><p>&lt;/style&gt;&lt;x&gt;</p>`},
	{"a.html", `<title>{{.Name}}</title>`, `</title>`, `<title>&lt;/title&gt;</title>`},
	{"a.html", `<!-- {{.Name}} -->`, `--><x>`, `<!-- x -->`},
	{"a.html", `<iframe srcdoc="{{.Name}}"></iframe>`, `<x>`, `<iframe srcdoc="&amp;lt;x&amp;gt;"></iframe>`},
}

func TestValuesAreEscapedForTheirContext(t *testing.T) {
	for _, c := range escapes {
		if got, _ := put(t, c.file, c.body, c.name); got != c.want {
			t.Errorf("%s %s of %q\n got %q\nwant %q", c.file, c.body, c.name, got, c.want)
		}
	}
}

var broken = []struct {
	file, body string
	line       int // 0: it is well-formed
}{
	{"a.xml", "<a>\n<b/></a>\n", 0},
	{"a.xml", `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "y">]><a b='1' c = "&amp;&#x41;"><!-- - x --><![CDATA[ <]] ]]>&lt;</a>`, 0},
	{"a.xml", "\ufeff<?xml version='1.0'?><a/>", 0},
	{"a.xml", "\ufeff<a/>", 0},
	{"a.xml", "{{/* c */ -}}\n<?xml version='1.0'?><a/>", 0},
	{"a.xml", "{{/* c */}}\n<?xml version='1.0'?><a/>", 2},
	{"a.xml", "<a/>\n<?xml version='1.0'?>", 2},
	{"a.xml", "{{range 2}}\ufeff{{end}}<a/>", 1},
	{"a.xml", "<a>\n<b></a>", 2},
	{"a.xml", "<a>\n\n&nbsp;</a>", 3},
	{"a.xml", "<a>\n& b</a>", 2},
	{"a.xml", "<a/>\n<b/>", 2},
	{"a.xml", "<a/>\ntext", 2},
	{"a.xml", "\n{{1}}<a/>", 2},
	{"a.xml", "<a b=1/>", 1},
	{"a.xml", "<a>{{range 3}}<b c='{{.}}'\nd ='' c=''/>{{end}}</a>", 2},
	{"a.xml", "<a b=''>{{range 3}}<b c='{{.}}' d=''><c d='' c=''/></b>{{end}}</a>", 0},
	{"a.xml", "<a>\n", 2},
	{"a.xml", "<a><!-- -- --></a>", 1},
	{"a.xml", "<a b=\"<\"/>", 1},
	{"a.xml", "", 1},
	{"a.xml", "<a></a b>", 1},
	{"a.xml", "<a\n{{range 2}}>x</b>{{end}}", 2},
	{"a.json", ` {"a": [1, -2.5e3, true, null, "x\u00e9\n"], "b": {}, "c": []} `, 0},
	{"a.json", `{{range 2}}[{{end}}{{range 2}}]{{end}}`, 0},
	{"a.json", `[{{range 2}}{{.}},{{end}}]`, 1},
	{"a.json", "{\"a\":\n 01}", 2},
	{"a.json", "[1\n2]", 2},
	{"a.json", `{"a"}`, 1},
	{"a.json", `["\x"]`, 1},
	{"a.json", `["a`, 1},
	{"a.json", ``, 1},
	{"a.json", `{} {}`, 1},
	{"a.jsonl", "", 0},
	{"a.jsonl", "\n{\"a\": 1} \r\n\n[2]\n3", 0},
	{"a.jsonl", `{{range 2}}{"a": {{.}}}{{"\n"}}{{end}}`, 1},
	{"a.jsonl", "{{range 2}}{\"a\": {{.}}}\n{{end}}", 0},
	{"a.jsonl", "{}\n{\"a\":\n 1}", 2},
	{"a.jsonl", "{} {}", 1},
	{"a.jsonl", "{}\n{\"a\": 1", 2},
	{"a.jsonl", "1\n\"a\nb\"", 2},
	{"a.csv", "a,\"b\"\"\nc\",d\n", 0},
	{"a.csv", "a,\"b\nc", 2},
	{"a.csv", "\"a\"b,", 1},
	{"a.html", "<!doctype html><p>x<br></p><script>if (a<b) {}</script><!-- - -- x -->", 0},
	{"a.html", "<p>\n<script>x", 2},
	{"a.html", "<p", 1},
	{"a.html", "<!-- x", 1},
	{"a.txt", "<a> {", 0},
}

func TestBrokenDocumentsAreReported(t *testing.T) {
	for _, c := range broken {
		_, result, problem := render(c.file, c.body, small(), Options{})
		if problem != nil {
			t.Fatalf("%s: %v", c.body, problem)
		}
		switch {
		case c.line == 0 && result.Broken != nil:
			t.Errorf("%s %q: %v", c.file, c.body, result.Broken)
		case c.line > 0 && result.Broken == nil:
			t.Errorf("%s %q is taken for well-formed", c.file, c.body)
		case c.line > 0 && result.Broken.Line != c.line:
			t.Errorf("%s %q: line %d, want %d (%v)", c.file, c.body, result.Broken.Line, c.line, result.Broken)
		}
	}
}

// hostile draws texts made of pieces that break formats.
func hostile() *rapid.Generator[string] {
	piece := rapid.SampledFrom(
		[]string{
			"<", ">", "&", `"`, "'", "]]>", "]]", "]", "-->", "--", "-", "?>", "<!--", "<![CDATA[", "</a>", "\\", "\n", "\r",
			"\t", ",", ";", "=", "+", "@", "\x00", "\x01", "\xff", "\xd0", "\ufffe", "\u2028", "{{", "a", "é", "𝄞", " ", "/",
			":", "javascript:", "</script>", "&amp;", "#",
		},
	)
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "text"), "") })
}

const everywhere = `<?xml version="1.0"?><a><b c="{{.Name}}" d='{{.Name}}' e={{.Name}} f="x">{{.Name}}<!-- {{.Name}}{{.Name}} --><![CDATA[{{.Name}}{{.Name}}]]>{{printf "%.3s" .Name}}</b></a>`

// shape returns the element and attribute names of a document without its text.
func shape(t testing.TB, document string) string {
	var b strings.Builder
	for d := xml.NewDecoder(strings.NewReader(document)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return b.String()
		}
		if err != nil {
			t.Fatalf("%v\n%q", err, document)
		}
		switch token := token.(type) {
		case xml.StartElement:
			b.WriteString("<" + token.Name.Local)
			for _, attr := range token.Attr {
				b.WriteString(" " + attr.Name.Local)
			}
		case xml.EndElement:
			b.WriteString(">")
		case xml.Comment:
			b.WriteString("!")
		}
	}
}

func TestNoTextChangesTheShapeOfXML(t *testing.T) {
	plain, _ := put(t, "a.xml", everywhere, "plain")
	want := shape(t, plain)
	rapid.Check(t, func(rt *rapid.T) {
		out, result := put(t, "a.xml", everywhere, hostile().Draw(rt, "name"))
		if got := shape(t, out); got != want || result.Broken != nil {
			rt.Fatalf("%q: shape %s, %v", out, got, result.Broken)
		}
	})
}

func TestXMLParsesBackToTheSameText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		name := hostile().Draw(rt, "name")
		out, _ := put(t, "a.xml", `<a b="{{.Name}}">{{.Name}}</a>`, name)
		var a struct {
			B    string `xml:"b,attr"`
			Text string `xml:",chardata"`
		}
		if err := xml.Unmarshal([]byte(out), &a); err != nil {
			rt.Fatal(err)
		}
		want := strings.Map(func(r rune) rune {
			if !xmlChar(r) {
				return -1
			}
			return r
		}, strings.ToValidUTF8(name, ""))
		lines := strings.NewReplacer("\r\n", "\n", "\r", "\n")
		if a.B != want || a.Text != lines.Replace(want) {
			rt.Fatalf("%q: %q and %q, want %q", out, a.B, a.Text, want)
		}
	})
}

func TestJSONParsesBackToTheSameText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		name := hostile().Draw(rt, "name")
		out, result := put(t, "a.json", `{"a": "{{.Name}}", "b": {{.Name}}, {{.Name}}: [{{pictures .}}, "x{{.Name}}{{.ID}}"]}`, name)
		var got map[string]any
		if err := json.Unmarshal([]byte(out), &got); err != nil || result.Broken != nil {
			rt.Fatalf("%q: %v, %v", out, err, result.Broken)
		}
		var want any
		coded, _ := json.Marshal(name)
		if err := json.Unmarshal(coded, &want); err != nil {
			rt.Fatal(err)
		}
		if name != "a" && name != "b" && (got["a"] != want || got["b"] != want) {
			rt.Fatalf("%q: %q", out, got)
		}
	})
}

// A line end in a value would end the record.
func TestEachJSONLineParsesBackToTheSameText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		name := hostile().Draw(rt, "name")
		out, result := put(t, "a.jsonl", "{\"a\": {{.Name}}}\n[\"{{.Name}}\", {{.Price}}]\n", name)
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if len(lines) != 2 || result.Broken != nil {
			rt.Fatalf("%q: %v", out, result.Broken)
		}
		var first struct{ A string }
		var second []any
		if err := errors.Join(json.Unmarshal([]byte(lines[0]), &first), json.Unmarshal([]byte(lines[1]), &second)); err != nil {
			rt.Fatalf("%q: %v", out, err)
		}
		if want := strings.ToValidUTF8(name, "\ufffd"); len(second) != 2 || first.A != second[0] || !strings.Contains(name, "\xff") && utf8.ValidString(name) && first.A != want {
			rt.Fatalf("%q: %q and %q", out, first.A, second)
		}
	})
}

func TestCSVParsesBackToTheSameCells(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		name := hostile().Draw(rt, "name")
		out, result := put(t, "a.csv", "{{.Name}};\"{{.Name}}\";x{{.Name}}{{.Name}};{{.Price}}\n", name)
		if result.Broken != nil {
			rt.Fatal(result.Broken)
		}
		r := csv.NewReader(strings.NewReader(out))
		r.Comma = ';'
		row, err := r.Read()
		if err != nil || len(row) != 4 {
			rt.Fatalf("%q: %v, %q", out, err, row)
		}
		if _, err := r.Read(); !errors.Is(err, io.EOF) {
			rt.Fatalf("%q: a second row", out)
		}
		want := strings.ReplaceAll(strings.ReplaceAll(name, "\x00", ""), "\r\n", "\n") // as package csv reads line ends
		first := strings.TrimPrefix(row[0], "'")
		if strings.HasPrefix(want, "'") {
			first = row[0]
		}
		if first != want || row[3] != "-5" {
			rt.Fatalf("%q: %q, want %q", out, row, want)
		}
		if row[0] != "" && strings.ContainsRune("=@\t\r\n", rune(row[0][0])) {
			rt.Fatalf("%q starts a formula", row[0])
		}
	})
}

const page = `<!doctype html><title>{{.Name}}</title><a href="{{.Name}}" title='{{.Name}}' onclick="f('{{.Name}}', {{.Name}})" style="x:{{.Name}}" class={{.Name}} {{.Name}}>{{.Name}}</a><script>var a = {{.Name}}, b = "{{.Name}}"</script><style>a{x:{{.Name}}}</style><!-- {{.Name}} --><p>`

func TestNoTextChangesTheShapeOfAPage(t *testing.T) {
	tags := func(document string) string {
		var b strings.Builder
		for z := html.NewTokenizer(strings.NewReader(document)); ; {
			if z.Next() == html.ErrorToken {
				return b.String()
			}
			if token := z.Token(); token.Type != html.TextToken {
				b.WriteString(token.Type.String() + token.Data[:min(len(token.Data), 1)] + " ")
				for _, attr := range token.Attr {
					if attr.Key == "href" && strings.HasPrefix(strings.ToLower(strings.TrimSpace(attr.Val)), "javascript:") {
						return "an address that runs a script: " + attr.Val
					}
				}
			}
		}
	}
	plain, _ := put(t, "a.html", page, "plain")
	want := tags(plain)
	rapid.Check(t, func(rt *rapid.T) {
		out, _ := put(t, "a.html", page, hostile().Draw(rt, "name"))
		if got := tags(out); got != want {
			rt.Fatalf("%q: %s, want %s", out, got, want)
		}
	})
}
