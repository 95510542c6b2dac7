package markup

import (
	"strings"
	"testing"
)

func layout(t testing.TB, index string) *Compiled {
	t.Helper()
	c, err := CompileLayout(Source{
		Doc: "7", Release: "9", Index: []byte(index),
		Files: func(path string) bool { return path == "css/site.css" || path == "js/foot.js" },
		Read: func(path string) ([]byte, bool) {
			return []byte(`body{margin:0}:root{--brand:#a00}.card{color:red}`), path == "css/site.css"
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func drawn(p *Program) string {
	return string(p.AppendTo(nil, &Data{Menu: []MenuItem{{Name: "Tea", URL: "/tea"}}}))
}

func TestLayoutHasHeadFootAndClass(t *testing.T) {
	c := layout(t, `<!doctype html><html class="dark"><head><title>Site</title><meta name="x"><link rel="stylesheet" href="css/site.css">
<style>body { background: url(css/site.css) } .a { color: red }</style></head>
<body class="brand"><p svc-for="m in menu">{{ m.name }}</p><script src="js/foot.js"></script></body></html>`)
	head, foot := drawn(c.Normal), drawn(c.Foot)
	for _, want := range []string{
		`<div class="svc-head svc-head-7" hidden>`, `href="/_html/7/9/css/site.css"`, `.svc-body-7{margin:0}`, `.svc-body-7 { background: url(/_html/7/9/css/site.css) }`,
	} {
		if !strings.Contains(head, want) {
			t.Errorf("the head lacks %s:\n%s", want, head)
		}
	}
	if strings.Contains(head, "<title") || strings.Contains(head, "<meta") || strings.Contains(head, "svc-foot") {
		t.Errorf("the head has forbidden elements: %s", head)
	}
	want := `<div class="svc-foot svc-foot-7"><p>Tea</p><script src="/_html/7/9/js/foot.js"></script>`
	if !strings.HasPrefix(foot, want) || !strings.HasSuffix(foot, "</div>") || strings.Contains(foot, "svc-body") {
		t.Errorf("foot %s, want %s", foot, want)
	}
	if c.Class != "svc-body svc-body-7 brand dark" || c.Title != "Site" || !c.Foot.Needs().Menu || c.Normal.Needs().Any() || c.Guarded != nil {
		t.Errorf("class %q, title %q, needs %+v", c.Class, c.Title, c.Foot.Needs())
	}
	if strings.Join(c.Refs, " ") != "css/site.css js/foot.js" {
		t.Errorf("refs %v", c.Refs)
	}
}

func TestALayoutWithoutBodyHasNoFoot(t *testing.T) {
	for _, body := range []string{"", " \n ", "<body></body>", "<body><!-- nothing --></body>"} {
		if foot := drawn(layout(t, "<!doctype html><title>x</title>"+body).Foot); foot != "" {
			t.Errorf("%q: %s", body, foot)
		}
	}
}

// The foot closes everything it opens, so that what follows stays outside.
func FuzzLayoutStaysClosed(f *testing.F) {
	for _, s := range []string{"<body><plaintext>x", "<body><table><svg><style></div>", "<frameset>", "<body></div></div><form><form>", "<body><select><textarea>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, index string) {
		c, err := CompileLayout(Source{Doc: "7", Release: "9", Index: []byte(index)})
		if err != nil {
			return
		}
		for _, p := range []*Program{c.Normal, c.Foot} {
			if len(drawn(p)) > 0 && !survives(p, false) {
				t.Fatalf("%q leaves something open: %s", index, drawn(p))
			}
		}
	})
}
