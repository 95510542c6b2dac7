package feed

import (
	"strings"
	"testing"
)

func TestARecordIsTheDotAtTheTop(t *testing.T) {
	about := Record{
		"Shop": Record{"Name": "Tea & Co", "URL": "https://tea.test"}, "Order": Record{"Number": int64(1001), "Paid": true, "Tags": []string{"a", "b"}},
		"Lines": []Record{{"Name": "<b>Earl</b>", "Quantity": int64(2)}, {"Name": "Scoop", "Quantity": int64(1)}}, "Gone": []Record{},
	}
	for body, want := range map[string]string{
		`{{.Shop.Name}} {{.Order.Number}}`:                                               "Tea &amp; Co 1001",
		`{{range .Lines}}{{.Quantity}} × {{.Name}}; {{end}}`:                             "2 × &lt;b&gt;Earl&lt;/b&gt;; 1 × Scoop; ",
		`{{range $i, $l := .Lines}}{{if $i}}, {{end}}{{$l.Name}} {{$.Shop.Name}}{{end}}`: "&lt;b&gt;Earl&lt;/b&gt; Tea &amp; Co, Scoop Tea &amp; Co",
		`{{len .Lines}} {{(index .Lines 1).Name}}`:                                       "2 Scoop",
		`{{range .Gone}}x{{else}}none{{end}}{{if .Gone}}y{{end}}`:                        "none",
		`{{with .Order}}{{if .Paid}}paid{{end}}{{range .Tags}}{{.}}{{end}}{{end}}`:       "paidab",
		`{{define "x"}}{{.Name}}{{end}}{{template "x" .Shop}}`:                           "Tea &amp; Co",
		`<a href="{{.Shop.URL}}/x">x</a>`:                                                `<a href="https://tea.test/x">x</a>`,
	} {
		template, problems := Compile("letter.html", body)
		if template == nil {
			t.Fatalf("%s: %v", body, problems)
		}
		var b strings.Builder
		if _, problem := template.Render(&b, NewCatalogue(Contents{}), Options{About: about}); problem != nil || b.String() != want {
			t.Errorf("%s: %q, %v; want %q", body, b.String(), problem, want)
		}
	}
	for _, body := range []string{`{{.Nothing}}`, `{{.Shop}}`, `{{.Lines}}`, `{{.Lines.Name}}`, `{{slice .Lines 0 1}}`, `{{eq .Shop .Shop}}`, `{{eq .Lines .Lines}}`} {
		template, _ := Compile("letter.txt", body)
		_, problem := template.Render(&strings.Builder{}, NewCatalogue(Contents{}), Options{About: about})
		if problem == nil || problem.Cause == InProgram {
			t.Errorf("%s: %v", body, problem)
		}
	}
}
