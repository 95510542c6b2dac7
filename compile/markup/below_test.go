package markup

import (
	"strings"
	"testing"
)

// A negative z-index is found in every spelling and place; similar text is not mistaken for one.
func TestElementsBelowTheBackgroundAreMarked(t *testing.T) {
	below := []string{
		`z-index:-1`, `Z-INDEX : /* c */ -2!important`, `z-\69ndex:-1`, `z-index:calc(-1 * 2)`, `z-index:calc(var(--a) * -1)`,
		`z-index:var(--under)`, `z-index:calc(var(--under) * 2)`, `top:0;z-index:-1;left:0`,
	}
	above := []string{
		`z-index:1`, `z-index:-0`, `z-index:auto`, `--z-index:-1`, `z-index:calc(3 - 1)`, `z-index:var(--over)`,
		`margin:-1px`, `/*z-index:-1*/`, `content:"z-index:-1"`,
	}
	places := []string{
		`<style>:root{--under:-1;--over:2}.x{HERE}</style>`, `<style>:root{--under:-1;--over:2}@media (width>1px){.a{.b &{HERE}}}</style>`,
		`<p style='--under:-1;--over:2;HERE'>x</p>`, `<link rel=stylesheet href=a.css>`, `<style>@import "b.css"</style>`,
	}
	for i, in := range append(below, above...) {
		for _, place := range places {
			f := folder{
				"index.html": "<!DOCTYPE html><body>" + strings.ReplaceAll(place, "HERE", in), "a.css": ":root{--under:-1;--over:2}.x{" + in + "}", "b.css": `@import url(a.css) screen;p{margin:0}`,
			}
			c, err := Compile(f.source())
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range []*Program{c.Normal, c.Guarded} {
				if got := strings.Contains(string(p.AppendTo(nil, &Data{})), ` data-svc-base="/_html/7/3/" data-svc-below>`); got != (i < len(below)) {
					t.Errorf("%s in %s: %t", in, place, got)
				}
			}
		}
	}
}

// A document cannot set the mark itself, and import loops of sheets end.
func TestDocumentsCannotSetTheBelowMark(t *testing.T) {
	out := string(compile(t, `<!DOCTYPE html><html data-svc-below=1><body data-svc-below>x`).Normal.AppendTo(nil, &Data{}))
	if strings.Contains(out, belowMark) {
		t.Error(out)
	}
	f := folder{"index.html": "<!DOCTYPE html><link rel=stylesheet href=a.css>", "a.css": "@import 'b.css';", "b.css": "@import 'a.css';p{}"}
	if _, err := Compile(f.source()); err != nil {
		t.Error(err)
	}
	for _, hostile := range []string{strings.Repeat("z-index:", 1<<16), "a{z-index:" + strings.Repeat("-", 1<<18), strings.Repeat("@import 'a.css';", 1<<14), "z-index:var(" + strings.Repeat("--a,", 1<<16)} {
		f := folder{"index.html": "<!DOCTYPE html><style>" + hostile + "</style><p style='" + hostile[:1<<12] + "'>", "a.css": hostile}
		if _, err := Compile(f.source()); err != nil {
			t.Error(err)
		}
	}
}
