package push

import (
	"strings"
	"testing"

	"vitrine/compile/release"
)

// Of a kind of finding that occurs a hundred times in a folder, only a few are printed.
func TestFindingsAreGroupedByKind(t *testing.T) {
	t.Parallel()
	var r release.Report
	for n := range 100 {
		r.Warnings = append(r.Warnings, release.Finding{Code: "ref.external", Path: "a.css", Line: n + 1})
		if n%25 == 0 {
			r.Warnings = append(r.Warnings, release.Finding{Code: "img.alt", Path: "index.html", Line: n + 1})
		}
	}
	r.Errors = []release.Finding{{Code: "ref.missing", Path: "index.html", Line: 7, Detail: "x.png"}}
	var out strings.Builder
	printReport(&out, r)
	if want := `index.html:7: error ref.missing: x.png
a.css:1: warning ref.external
a.css:2: warning ref.external
a.css:3: warning ref.external
warning ref.external: 97 more in a.css
index.html:1: warning img.alt
index.html:26: warning img.alt
index.html:51: warning img.alt
index.html:76: warning img.alt
`; out.String() != want {
		t.Errorf("%s", out.String())
	}
}

func TestMenuNamesFitIntoAMenu(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Green | Tea": "Green | Tea",
		"The workshop — stoneware, thrown by hand since 1987 | Kiln & Co": "The workshop",
		"A title without any separator that goes on and on and on":        "Our kiln",
	} {
		if got := menuName(title, "/about/our-kiln"); got != want {
			t.Errorf("%s: %s, want %s", title, got, want)
		}
	}
}
