package feed

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// kept is bodies whose fragments may be kept, and those where they may not.
var keptBodies = []struct {
	name, body string
	kept       bool
}{
	{"a.yml", yandex, true},
	{"a.xml", google, true},
	{"a.csv", "id;name\n{{range products}}{{.ID}};{{.Name}}\n{{end}}", true},
	{"a.txt", "{{range $p := products}}{{$p.Name}} {{$.Shop.Name}} {{$x := .ID}}{{$x = 5}}{{$x}}{{end}}", true},
	{
		"a.txt",
		`{{define "x"}}{{.Name}}{{$}}{{end}}{{range products "limit=2"}}{{template "x" .Name}}{{range pictures .}}{{if eq . "a"}}{{break}}{{end}}{{.}}{{end}}{{if eq .ID 2}}{{continue}}{{end}}!{{end}}`,
		false,
	}, // .Name of a text fails
	{
		"a.txt",
		`{{define "x"}}{{.Name}}{{end}}{{range products "limit=2"}}{{template "x" .}}{{range pictures .}}{{if eq . "a"}}{{break}}{{end}}{{.}}{{end}}{{if eq .ID 2}}{{continue}}{{end}}!{{end}}`,
		true,
	},
	{"a.json", `[{{range $i, $p := products}}{{if $i}},{{end}}{"name": {{.Name}}}{{end}}]`, false},
	{"a.json", `{"items": {{"x"}}{{range products}}, "p{{.ID}}": {{.Name}}{{end}}}`, true},
	{"a.txt", `{{$n := 0}}{{range products}}{{$n = .ID}}{{end}}{{$n}}`, false},
	{"a.txt", `{{$n := 0}}{{range products}}{{$n}}{{end}}`, false},
	{"a.txt", `{{range products}}{{break}}{{end}}`, false},
	{"a.txt", `{{range products}}{{now}}{{end}}`, false},
	{"a.txt", `{{range products}}{{category_url .CategoryID}}{{end}}`, false},
	{"a.txt", `{{range products}}{{len (products)}}{{end}}`, false},
	{"a.txt", `{{define "x"}}{{len (products)}}{{end}}{{range products}}{{template "x"}}{{end}}`, false},
	{"a.txt", `{{if 1}}{{range products}}{{.ID}}{{end}}{{end}}`, false},
	{"a.xml", `<a>{{range products}}<b>{{end}}{{range products}}</b>{{end}}</a>`, false},
}

// failer is what *testing.T and *rapid.T share.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// build renders traced, with what was kept before.
func build(t failer, name, body string, c *Catalogue, kept *Kept) (string, Result) {
	t.Helper()
	tmpl, problems := Compile(name, body)
	if problems != nil {
		t.Fatal(problems)
	}
	var b bytes.Buffer
	result, problem := tmpl.Render(&b, c, Options{Now: noon, Trace: true, Kept: kept})
	if problem != nil {
		return "problem", result
	}
	return b.String(), result
}

func TestOnlyWhatDependsOnTheProductAloneIsKept(t *testing.T) {
	for _, c := range keptBodies {
		out, result := build(t, c.name, c.body, small(), nil)
		kept := result.Keep([]byte(out))
		if (kept != nil) != c.kept {
			t.Errorf("%.80s: kept is %v, broken %v", c.body, kept != nil, result.Broken)
		}
		again, second := build(t, c.name, c.body, small(), kept)
		if again != out || c.kept && second.Reused == 0 || second.Steps != result.Steps || second.Items != result.Items {
			t.Errorf("%.80s\n got %q (%d reused, %d steps)\nwant %q (%d steps)", c.body, again, second.Reused, second.Steps, out, result.Steps)
		}
	}
}

// changed is a shop after some changes: other prices, products that are gone,
// products that came.
func changed(t *rapid.T, items []Item, next *int64) []Item {
	out := append([]Item(nil), items...)
	for range rapid.IntRange(0, 4).Draw(t, "changes") {
		switch at := rapid.IntRange(0, len(out)).Draw(t, "at"); {
		case at == len(out) || rapid.Bool().Draw(t, "add"):
			*next++
			out = append(out, Item{Product: Product{ID: *next, Name: fmt.Sprintf("<%d>", *next), Price: 5}})
		case rapid.Bool().Draw(t, "drop"):
			out = append(out[:at], out[at+1:]...)
		default:
			out[at].Price = rapid.Int64Range(0, 3).Draw(t, "price")
			out[at].Pictures = []string{"a", "b"}[:rapid.IntRange(0, 2).Draw(t, "pictures")]
			out[at].Version = 0
		}
	}
	return out
}

// TestARebuildIsAFullRender holds a chain of rebuilds against full renders.
func TestARebuildIsAFullRender(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		body := rapid.SampledFrom(keptBodies).Draw(rt, "body")
		shop := Shop{Name: "A", URL: "https://a.test"}
		var items []Item
		var next int64
		var kept *Kept
		for range rapid.IntRange(2, 5).Draw(rt, "builds") {
			items = changed(rt, items, &next)
			if rapid.IntRange(0, 9).Draw(rt, "rename") == 0 {
				shop.Name += "x"
			}
			c := NewCatalogue(Contents{Shop: shop, Items: items})
			want, whole := build(rt, body.name, body.body, c, nil)
			got, result := build(rt, body.name, body.body, c, kept)
			if got != want || result.Steps != whole.Steps || result.Items != whole.Items {
				rt.Fatalf("%s\n got %q, %d steps\nwant %q, %d steps", body.body, got, result.Steps, want, whole.Steps)
			}
			for at := 0; at < len(got); at += 7 {
				if result.Line([]byte(got), at) != whole.Line([]byte(got), at) || result.Product(at) != whole.Product(at) {
					rt.Fatalf(
						"%s: offset %d is of line %d and product %d, want %d and %d", body.body, at, result.Line([]byte(got), at),
						result.Product(at), whole.Line([]byte(got), at), whole.Product(at),
					)
				}
			}
			kept = result.Keep([]byte(got))
		}
	})
}

func TestAnotherShopOrTemplateKeepsNothing(t *testing.T) {
	out, result := build(t, "a.yml", yandex, small(), nil)
	kept := result.Keep([]byte(out))
	contents := small().contents
	contents.Shop.Name = "B"
	if _, again := build(t, "a.yml", yandex, NewCatalogue(contents), kept); again.Reused != 0 {
		t.Error("fragments of a shop of another name are used")
	}
	if _, again := build(t, "a.yml", yandex+" ", small(), kept); again.Reused != 0 {
		t.Error("fragments of another body are used")
	}
	if result.Keep([]byte(out)[1:]) != nil {
		t.Error("a part of the output is kept")
	}
}

func TestOffsetsLeadToLineAndProduct(t *testing.T) {
	body := "<a>\n{{range products}}\n<b>{{.Name}}</b>\n<c\n d=\"{{.ID}}\"/>{{end}}\n</a>"
	out, result := build(t, "a.xml", body, small(), nil)
	for _, c := range []struct {
		of      string
		last    bool
		line    int
		product int64
	}{{"<a>", false, 1, 0}, {"<b>", false, 3, 1}, {"<b>", true, 3, 2}, {"<c", false, 4, 1}, {"d=", true, 5, 2}, {"</a>", false, 6, 0}} {
		at := strings.Index(out, c.of)
		if c.last {
			at = strings.LastIndex(out, c.of)
		}
		if line, product := result.Line([]byte(out), at), result.Product(at); line != c.line || product != c.product {
			t.Errorf("%s: line %d, product %d, want %d, %d", c.of, line, product, c.line, c.product)
		}
	}
}
