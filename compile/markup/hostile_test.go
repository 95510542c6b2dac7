package markup

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"vitrine/internal/await"
)

// payloads are attacks on sanitizers, similar to the lists of DOMPurify and html5sec.
var payloads = []string{
	`<img src=x onerror=alert(1)>`,
	`<svg/onload=alert(1)>`,
	`<svg><script>alert(1)</script></svg>`,
	`<svg><a xlink:href="javascript:alert(1)"><rect width=9 height=9 /></a></svg>`,
	`<a href="jAvAsCrIpT&colon;alert(1)">x</a>`,
	"<a href=\" java\tscr\nipt:alert(1)\">x</a>",
	"<a href=\"\x01javascript:alert(1)\">x</a>",
	`<iframe srcdoc="<script>alert(1)</script>"></iframe>`,
	`<iframe src="javascript:alert(1)"></iframe>`,
	`<object data="javascript:alert(1)"></object><embed src="javascript:alert(1)">`,
	`<form action="javascript:alert(1)"><button formaction="vbscript:alert(1)">b</button></form>`,
	`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`,
	`<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">`,
	`<noscript><p title="</noscript><img src=x onerror=alert(1)>">`,
	`<noscript><style></noscript><img src=x onerror=alert(1)></style>`,
	`<noscript>&lt;/noscript&gt;&lt;script&gt;alert(1)&lt;/script&gt;</noscript>`,
	`<noscript><noscript>x</noscript><img src=x onerror=alert(1)></noscript>`,
	`<template><script>alert(1)</script><img onerror=alert(1)></template>`,
	`<xmp><p title="</xmp><img src=x onerror=alert(1)>">`,
	`<noembed><img title="</noembed><img src onerror=alert(1)>"></noembed>`,
	`<!--&gt;<img src=x onerror=alert(1)>-->`,
	`<!-- --&gt; <img src=x onerror=alert(1)> -->`,
	`<!-- --!> <img src=x onerror=alert(1)> -->`,
	`<svg><style><!-- a&#45;-> <img src=x onerror=alert(1)></style>`,
	`<svg><![CDATA[><img src=x onerror=alert(1)>]]></svg>`,
	`<svg><set attributeName="xlink:href" to="javascript:alert(1)"/><animate attributename=href values="javascript:alert(1)"/></svg>`,
	`<plaintext><script>alert(1)</script>`,
	`<script><!--<script>`,
	`<script><!--<script></script>alert(1)`,
	`<style><!--</style><script>alert(1)</script>`,
	`<textarea><img src=x onerror=alert(1)></textarea>`,
	`<title></title><script>alert(1)</script>`,
	`<select><option><script>alert(1)</script></select>`,
	`<table><script>alert(1)</script><tr><td><svg onload=alert(1)>`,
	`<form><form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>`,
	`<link rel=stylesheet href=a.css onload=alert(1)>`,
	`<body onload=alert(1)><body onresize=alert(2)>`,
	`<p id=x {{ product.name }} onclick="{{ product.name }}">`,
	`<div svc-if="product"><div></div></div></div></div><p svc-for="p in products">`,
	`<a href="{{ product.url }}">x</a><a href="{{ product.url }}{{ product.name }}">y</a>`,
	`<img src="{{ product.image }}" srcset="{{ product.image }} 1x, a{{ product.name }} 2x">`,
	`<i style="background:url({{ product.image }});width:{{ product.name }}">`,
}

// worst is data that tries to break out of every context.
func worst() *Data {
	nasty := `"'><script>alert(1)</script></textarea></title></style>);}*/javascript:`
	p := Product{ID: 5, Name: nasty, URL: " java\tscript:alert(1)", Image: "/files/a b,c.png\"><script>", PriceText: nasty, Description: nasty}
	p.Gallery = []Picture{{nasty}}
	return &Data{Products: []Product{p, p}, Product: &p, Menu: []MenuItem{{Name: nasty, URL: nasty}}, Category: &Category{1, nasty, nasty}}
}

// holds checks the invariants of every document: both programs leave the page around them intact,
// and nothing runs in the guarded one.
func holds(t testing.TB, c *Compiled) {
	t.Helper()
	for _, data := range []*Data{{}, worst()} {
		normal, guarded := string(c.Normal.AppendTo(nil, data)), string(c.Guarded.AppendTo(nil, data))
		for _, scripts := range []bool{true, false} {
			if !balanced(around(t, normal, scripts)) {
				t.Errorf("the normal program, scripts %v, is not closed: %s", scripts, normal)
			}
			tree := around(t, guarded, scripts)
			if !balanced(tree) {
				t.Errorf("the guarded program, scripts %v, is not closed: %s", scripts, guarded)
			}
			if found := live(tree); found != "" {
				t.Errorf("the guarded program, scripts %v, runs %s: %s", scripts, found, guarded)
			}
		}
	}
}

func TestNothingRunsInGuardedZones(t *testing.T) {
	refused := 0
	for _, p := range payloads {
		for _, place := range []string{"%", "<body>%", "<head>%", "<div>%</div>", "<noscript>%</noscript>", "<svg>%</svg>", "<table>%</table>", "<template>%</template>", "<math><mi>%"} {
			c, err := Compile(Source{Doc: "7", Release: "3", Index: []byte(strings.ReplaceAll(place, "%", p))})
			if errors.Is(err, errUnstable) {
				refused++
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			holds(t, c)
		}
	}
	t.Logf("%d refused", refused)
	if refused > 5 {
		t.Errorf("%d documents are refused", refused)
	}
}

// The parser makes no body of these.
func TestDocumentsWithoutABodyAreCompiled(t *testing.T) {
	for _, index := range []string{"<template><math><mtext><template>", "<template><svg><desc><template>x"} {
		if _, err := Compile(Source{Doc: "7", Release: "3", Index: []byte(index)}); err != nil {
			t.Errorf("%s: %v", index, err)
		}
	}
}

func TestNothingRunsInGuardedZonesForCombinedPayloads(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(append(payloads, tags...)), 1, 6).Draw(r, "parts")
		c, err := Compile(Source{Doc: "7", Release: "3", Index: []byte(strings.Join(parts, ""))})
		if err != nil {
			r.Fatal(err)
		}
		for _, data := range []*Data{{}, worst()} {
			guarded := string(c.Guarded.AppendTo(nil, data))
			for _, scripts := range []bool{true, false} {
				if found := live(around(t, guarded, scripts)); found != "" {
					r.Errorf("runs %s: %s", found, guarded)
				}
			}
		}
	})
}

// With sheets that import the next one twenty times, and one sheet and one script under many
// links, the number of reads is bounded independently of the number of references.
func TestRepeatedReferencesAreReadAFewTimes(t *testing.T) {
	files := folder{"many.css": "body{a:b}", "many.js": "x()", "s40.css": "body{c:d}"}
	for i := range 40 {
		files[fmt.Sprintf("s%d.css", i)] = strings.Repeat(fmt.Sprintf("@import 's%d.css';", i+1), 20)
	}
	files["index.html"] = "<!DOCTYPE html><link rel=stylesheet href=s0.css><link rel=stylesheet href=s33.css>" +
		strings.Repeat("<link rel=stylesheet href=many.css><script src=many.js></script>", 1000)
	src := files.source()
	reads := 0
	read := src.Read
	src.Read = func(path string) ([]byte, bool) { reads++; return read(path) }
	c, err := Compile(src)
	if err != nil {
		t.Fatal(err)
	}
	if most := maxReads * len(files); reads > most {
		t.Errorf("%d reads of %d files", reads, len(files))
	}
	if out := drawn(c.Normal); !strings.Contains(out, "{a:b}") || !strings.Contains(out, "{c:d}") {
		t.Errorf("a file with few references is not read: %.2000s", out)
	}
}

// tags are combined in random order.
var tags = []string{
	"<div>", "</div>", "<b>", "</b>", "<i class=x>", "</i>", "<p>", "</p>", "<ul><li>", "</ul>", "<svg>", "</svg>", "<pre>\n\n", "</pre>",
	"<form id=f>", "</form>", "<template>", "</template>", "<section>", "</section>", "text & more", "&nbsp;&#13;", "<!-- c &amp; c -->",
	"<textarea>\n\na", "</textarea>", "<math><mi>", "</math>", "<noscript><p>n</noscript>", "<style>a{b:c}</style>", "<script>a<b&&c</script>",
	"<input disabled value='a\"b'>", "<br>", "</foreignObject>", "<foreignObject>", "<desc>", "<span title='<>&'>", "</span>", "</body>", "</main>",
}

func TestOutputParsesToTheSameTree(t *testing.T) {
	none := func(string) bool { return false }
	rapid.Check(t, func(r *rapid.T) {
		index := "<!DOCTYPE html><body>" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(tags), 0, 14).Draw(r, "tags"), "")
		c, err := Compile(Source{Doc: "7", Release: "3", Index: []byte(index), Files: none})
		if err != nil {
			r.Fatal(err)
		}
		want, err := parseDocument(index)
		if err != nil {
			r.Fatal(err)
		}
		out := c.Normal.AppendTo(nil, nil)
		got, err := parseDocument("<!DOCTYPE html><body>" + string(out))
		if err != nil {
			r.Fatal(err)
		}
		_, _, body := landmarks(want)
		_, _, page := landmarks(got)
		alike(body, false, false)
		alike(page, false, false)
		if g, w := dump(page.LastChild), dump(body); g != w {
			r.Errorf("in  %s\nout %s\ngot\n%s\nwant\n%s", index, out, g, w)
		}
	})
}

// alike removes differences that no markup can avoid. In foreign content a form in another form
// cannot be written, and the parser resolves references in some comments.
func alike(n *html.Node, form, foreign bool) {
	if n.Type == html.CommentNode && foreign {
		n.Data = html.UnescapeString(n.Data)
	}
	inForm := form || n.Data == "form"
	for _, c := range slices.Collect(n.ChildNodes()) {
		alike(c, inForm && n.Data != "template", foreign || n.Namespace != "")
	}
	if n.Data == "form" && form && foreign {
		for _, c := range slices.Collect(n.ChildNodes()) {
			n.RemoveChild(c)
			n.Parent.InsertBefore(c, n)
		}
		n.Parent.RemoveChild(n)
	}
}

// TestTreeConstructionSuites runs the inputs of the html5lib suites that are shipped with the
// parser.
func TestTreeConstructionSuites(t *testing.T) {
	dir, err := exec.CommandContext(await.Context(t), "go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/net").Output()
	if err != nil {
		t.Fatal(err)
	}
	n, refused := 0, 0
	err = filepath.WalkDir(filepath.Join(strings.TrimSpace(string(dir)), "html", "testdata"), func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".dat" {
			return err
		}
		body, err := os.ReadFile(path)
		for _, test := range strings.Split("\n"+string(body), "\n#data\n")[1:] {
			input, _, _ := strings.Cut(test, "\n#errors")
			n++
			c, bad := Compile(Source{Doc: "7", Release: "3", Index: []byte(input)})
			if bad != nil {
				refused++
				continue
			}
			holds(t, c)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d inputs, %d refused", n, refused)
	if n == 0 || refused > n/10 {
		t.Errorf("%d of %d refused", refused, n)
	}
}

func FuzzCompile(f *testing.F) {
	for _, p := range payloads {
		f.Add([]byte(p))
	}
	f.Fuzz(func(t *testing.T, index []byte) {
		c, err := Compile(Source{Doc: "7", Release: "3", Index: index})
		if err != nil {
			if !c.Report.Has(HTMLParse) || strings.Contains(err.Error(), "compiler failed") {
				t.Error(err)
			}
			return
		}
		for _, data := range []*Data{{}, worst()} {
			guarded := string(c.Guarded.AppendTo(nil, data))
			if found := live(around(t, guarded, true)); found != "" {
				t.Errorf("runs %s: %s", found, guarded)
			}
			c.Normal.AppendTo(nil, data)
		}
	})
}
