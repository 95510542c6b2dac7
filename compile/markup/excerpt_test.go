package markup

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// In a minified file every finding is on line 1, so the finding shows an excerpt of the line, for
// every kind of place.
func TestFindingInALongLineHasAnExcerpt(t *testing.T) {
	long := strings.Repeat("é{color:red}", 2000)
	tests := []struct{ code, in, piece string }{
		{RefMissing, `<img src="no.png" id=here>`, `src="no.png" id=here`},
		{RefMissing, `<p style="background:url(no.png)" id=here>`, `url(no.png)" id=here`},
		{RefMissing, `<style>` + long + `.here{background:url(no.png)}` + long + `</style>`, `.here{background:url(no.png)}é`},
		{RefMissing, `<style>.here{background:url(no.png)}</style>`, `.here{background:url(no.png)}`},
		{RefMissing, `<link rel=stylesheet href=a.css>`, `.here{background:url(no.png)}é`},
		{RefMissing, `<noscript><img src=no.png id=here></noscript>`, `src=no.png id=here`},
		{RefMissing, `<script type=importmap>{"imports":{"here":"./no.js"}}</script>`, `"here":"./no.js"`},
		{JSAssets, `<script>here("a.css")</script>`, `here("a.css")`},
		{JSAssets, `<script src=a.js></script>`, `here("a.css")`},
		{SWRegister, `<script>navigator.serviceWorker.register(here)</script>`, `serviceWorker.register(here)`},
		{ImgNoSize, `<img src=a.css id=here>`, `<img src=a.css id=here>`},
	}
	for _, tt := range tests {
		f := folder{
			"a.css": long + ".here{background:url(no.png)}" + long, "a.js": strings.Repeat("f();", 900) + `here("a.css");` + strings.Repeat("f();", 900),
			"index.html": "<!DOCTYPE html><!-- " + strings.Repeat("-= ", 400) + "-->" + tt.in + strings.Repeat("<b>x</b>", 400),
		}
		c, err := Compile(f.source())
		if err != nil {
			t.Fatal(err)
		}
		found := slices.DeleteFunc(slices.Concat(c.Report.Errors, c.Report.Warnings, c.Report.Infos),
			func(x Finding) bool { return x.Code != tt.code || !strings.Contains(x.Detail, tt.piece) })
		if len(found) == 0 {
			t.Errorf("%s of %.60s shows no %s: %+v", tt.code, tt.in, tt.piece, c.Report)
		}
		for _, x := range found {
			if len(x.Detail) > 500 || !utf8.ValidString(x.Detail) || x.Line != 1 {
				t.Errorf("%s at line %d: %q", x.Code, x.Line, x.Detail)
			}
		}
	}
}

func TestShortLinesHaveNoExcerpt(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		strings.Repeat("x", longLine): "",
		strings.Repeat("x", 1000) + "\nshort\n" + strings.Repeat("y", 1000): "",
		"\n" + strings.Repeat("x", longLine+1):                              "…" + strings.Repeat("x", pieceBehind) + "…",
	} {
		at := strings.Index(text, "\n") + 1
		if got := excerpt(text, at); got != want {
			t.Errorf("%.20q at %d: %q", text, at, got)
		}
	}
	if got := excerpt("abc", 99); got != "" { // an offset beyond the decoded text
		t.Error(got)
	}
}
