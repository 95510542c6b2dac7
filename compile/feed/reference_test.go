package feed

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"text/template"
	"time"

	"vitrine/internal/shop"
)

// reference renders a body with text/template on the same data. Tests compare the
// compiled template with it: the same bytes, the same error lines.
func reference(w io.Writer, body string, c *Catalogue) error {
	t, err := template.New(mainName).Funcs(referenceFuncs(c)).Parse(body)
	if err != nil {
		return err
	}
	return t.Execute(w, struct{ Shop Shop }{c.Shop()})
}

// view is a product as text/template reads it.
type view struct {
	Product
	*viewTraits // a pointer, so that products stay comparable
}

type viewTraits struct{ Options, Attributes []shop.Trait }

func referenceFuncs(c *Catalogue) template.FuncMap {
	traits := map[*Item]*viewTraits{}
	viewOf := func(p *Item) view {
		if traits[p] == nil {
			traits[p] = &viewTraits{p.Options, p.Attributes}
		}
		return view{p.Product, traits[p]}
	}
	byID := map[int64]*Item{}
	for i := range c.contents.Items {
		byID[c.contents.Items[i].ID] = &c.contents.Items[i]
	}
	link := func(path, host string) func(id any) (string, error) {
		return func(id any) (string, error) {
			switch fmt.Sprintf("%T", id) {
			case "int", "int64", "string":
			default:
				return "", errors.New("no id")
			}
			if fmt.Sprint(id) == "1" {
				return host + path, nil
			}
			return "", nil
		}
	}
	return template.FuncMap{
		"products": func(options ...string) ([]view, error) {
			selected, why := c.filter(slices.Sorted(slices.Values(options)))
			if why != "" {
				return nil, errors.New(why)
			}
			out := []view{}
			for _, place := range first(selected.indexes(c.contents.Items)) {
				out = append(out, viewOf(&c.contents.Items[place]))
			}
			return out, nil
		},
		"categories":   func() []Category { return c.contents.Categories },
		"file_url":     link("/ads.txt", c.contents.Shop.URL),
		"file_path":    link("/ads.txt", ""),
		"category_url": link("/clothes", c.contents.Shop.URL),
		"product_url":  link("/clothes/boots", c.contents.Shop.URL),
		"pictures": func(p any, rest ...any) ([]string, error) {
			product, ok := p.(view)
			if !ok {
				return nil, errors.New("no product")
			}
			return referencePictures(byID[product.ID], rest)
		},
		"offers": func(p any) ([]view, error) {
			product, ok := p.(view)
			if !ok {
				return nil, errors.New("no product")
			}
			var out []view
			for i := range byID[product.ID].Variants {
				out = append(out, viewOf(&byID[product.ID].Variants[i]))
			}
			if out == nil {
				out = []view{product}
			}
			return out, nil
		},
		"now": func(layout ...string) string {
			if len(layout) == 0 {
				return noon.Format(time.RFC3339)
			}
			return noon.Format(layout[0])
		},
	}
}

func referencePictures(p *Item, rest []any) ([]string, error) {
	found := append([]string{}, p.Pictures...)
	most := len(found)
	for i, arg := range rest {
		switch arg := arg.(type) {
		case int:
			if arg <= 0 || i > 0 {
				return nil, errors.New("number")
			}
			most = arg
		case string:
			found = append([]string{}, p.gallery(arg)...)
			if i == 0 {
				most = len(found)
			}
		default:
			return nil, errors.New("argument")
		}
	}
	return found[:min(most, len(found))], nil
}

// agree lists bodies that both engines render to the same bytes.
var agree = []string{
	``,
	`plain`,
	`{{.Shop.Name}} {{.Shop.URL}} {{.Shop.Currency}} {{$.Shop.Name}}`,
	`{{range products}}{{.ID}} {{.Name}} {{.Description}} {{.URL}} {{.SKU}} {{.Price}} {{.OldPrice}} {{.Currency}} {{.CategoryID}} {{.CategoryName}} {{.CategoryPath}} {{.Rating}} {{.RatingCount}} {{.Kind}};{{end}}`,
	`{{range $i, $p := products}}{{if $i}},{{end}}{{$i}}:{{$p.ID}}{{else}}none{{end}}`,
	`{{range categories}}{{.ID}} {{.ParentID}} {{.Name}} {{.Slug}} {{.URL}};{{end}}`,
	`{{range products "category=hidden"}}x{{else}}none {{.Shop.Name}}{{end}}`,
	`{{range $x := products "category=hidden"}}x{{else}}none {{len $x}}{{end}}`,
	`{{range 5}}{{.}},{{end}} {{range $i := 3}}{{$i}}{{end}}{{range 0}}x{{else}}zero{{end}}`,
	`{{range products}}{{range pictures . 1}}{{.}} {{end}}{{range $n, $u := pictures .}}{{$n}}={{$u}} {{end}}{{end}}`,
	`{{range products}}{{pictures . 5 "Square"}}{{pictures . "Square"}}{{end}}`,
	`{{$n := 0}}{{range products}}{{$n = .ID}}{{end}}{{$n}}`,
	`{{range products}}{{if eq .ID 2}}{{continue}}{{end}}{{.ID}}{{end}}|{{range products}}{{.ID}}{{break}}{{end}}`,
	`{{with .Shop}}{{.Name}}{{else}}no{{end}}{{with ""}}x{{else}}empty{{end}}{{with $x := 5}}{{$x}}{{.}}{{end}}`,
	`{{if and 1 0}}a{{else if or 0 "x"}}b{{else}}c{{end}}{{and 1 "" 3}}{{or 0 "" 7}}{{not 0}}{{not "x"}}`,
	`{{define "x"}}[{{.}}{{$}}]{{end}}{{template "x" 5}}{{template "x" "a"}}{{block "y" .Shop}}{{.Name}}{{end}}`,
	`{{define "n"}}[{{.}}]{{end}}{{template "n"}}`,
	`{{eq 1 1}}{{eq 1 2 1}}{{ne 1 2}}{{lt 1 2}}{{le 2 2}}{{gt "b" "a"}}{{ge 1.5 1.5}}{{eq "a" "a"}}{{eq true true}}`,
	`{{len "abc"}} {{len (products)}} {{index "abc" 1}} {{(index (products) 0).Name}} {{index (pictures (index (products) 0)) 1}} {{slice "abcdef" 1 3}} {{slice "abc" 2}}`,
	`{{printf "%d %s %v %q %.2f %5d|%-5s|%05d" 1 "a" true "q" 1.5 3 "b" 42}}{{printf "%*d|%-*d|%.*f %%" 5 3 4 7 2 1.234}}{{printf "%[3]*.[2]*[1]f" 1.234 2 8}}`,
	`{{printf "%[2]s %[1]s" "a" "b"}}{{printf "%x %X %08b %o %c %U" 255 255 5 8 65 66}}{{printf "%e %g %t" 1.5 2.5 false}}{{"x" | printf "%s-%s" "y"}}`,
	`{{print 1 2 "a" "b" 3}}{{println "x" 1}}{{html "<a>" 1}}{{js "it's"}}{{urlquery "a b&c"}}{{"<" | html}}`,
	`{{1.5}} {{1e3}} {{0x10}} {{'a'}} {{1_000}} {{-3}} {{true}} {{"s"}} {{` + "`raw`" + `}}`,
	`{{and nil 1}}|{{print nil}}|{{eq nil nil}}|{{eq 1 nil}}|{{html nil}}|{{printf "%v" nil}}|{{with and nil 1}}x{{else}}y{{end}}`,
	`{{now}} {{now "2006-01-02 15:04"}} {{file_url 1}} {{file_path "1"}} {{category_url 1}} {{product_url 1}}|{{product_url 99}}|`,
	`{{$p := "ab"}}{{with $p := len $p}}{{$p}}{{end}}{{$p := print $p $p}}{{$p}}`,
	`{{- /* comment */ -}} a {{- "b" -}} c`,
	`{{range $i, $c := categories}}{{$c.Name}}{{range products (printf "category=%d" $c.ID)}}{{.ID}}{{end}};{{end}}`,
	`{{(index (categories) 0).Name | printf "%s!" | print "x"}}{{slice (products) 1 | len}}`,
	"{{range products}}\n{{.ID}}\n{{end}}\n{{$x := .Shop}}{{$x.Name}}{{$x = 5}}{{$x}}",
	`{{range products "limit=1" "include_zero_price=true"}}{{.ID}}{{end}}{{range products "include_zero_price=true" "exclude_category=shoes"}}{{.ID}}{{end}}`,
	`{{$p := index (products) 0}}{{eq $p $p}}{{eq $p (index (products) 1)}}{{eq .Shop .Shop}}`,
	`{{printf "%s" "\xff\x00"}}{{index "é" 0}}{{eq (index "a" 0) 97}}{{lt (index "a" 0) 98}}`,
}

// fail lists bodies that both engines refuse in the same line.
var fail = []string{
	"{{.Nope}}", "a\n{{.Shop.Nope}}", "\n\n{{range products}}\n{{.Slug}}{{end}}", "{{.Shop.Name.X}}",
	"\n{{range .Shop}}{{end}}", "{{range \"abc\"}}{{end}}", "\n{{range $i, $x := 5}}{{end}}",
	"\n{{lt 1 2.5}}", "{{eq 1 \"a\"}}", "{{lt true false}}", "\n{{lt nil 1}}", "{{eq 1}}", "\n{{len 5}}",
	"{{index \"abc\" 3}}", "{{index (products) -1}}", "{{slice \"abc\" 2 1}}", "\n{{index 5 1}}",
	"\n{{products \"limit=0\"}}", "\n\n{{products \"category=nope\"}}", "{{range products \"colour=red\"}}{{end}}", "{{range products 5}}{{end}}",
	"\n{{pictures 5}}", "\n{{range products}}\n{{pictures . 0}}{{end}}", "{{file_url .Shop}}", "{{nil}}", "{{5 6}}", "{{.Shop.Name 1}}",
	"{{1 | .Shop.Name}}", "{{not}}", "{{ne 1}}", "\n{{printf 5}}", "{{99999999999999999999}}", "{{define \"x\"}}\n{{.Nope.X}}{{end}}{{template \"x\" 5}}",
	"{{index nil 1}}", "{{eq (products) (products)}}", "{{slice 5 1}}", "{{(products).Name}}", "{{now 5}}", "\n{{$p := len $p}}",
}

func TestSameBytesAsTextTemplate(t *testing.T) {
	for _, body := range agree {
		var want strings.Builder
		if err := reference(&want, body, small()); err != nil {
			t.Fatalf("%s: the reference itself fails: %v", body, err)
		}
		got, _, problem := render("x.txt", body, small(), Options{})
		if problem != nil {
			t.Errorf("%s: %v", body, problem)
		} else if got != want.String() {
			t.Errorf("%s\n got %q\nwant %q", body, got, want.String())
		}
	}
}

func TestSameErrorLinesAsTextTemplate(t *testing.T) {
	for _, body := range fail {
		err := reference(io.Discard, body, small())
		if err == nil {
			t.Fatalf("%s: the reference accepts it", body)
		}
		_, _, problem := render("x.txt", body, small(), Options{})
		if problem == nil {
			t.Errorf("%q: want %v", body, err)
		} else if want := located(err).Line; problem.Line != want || problem.Code != CodeInvalid {
			t.Errorf("%q: line %d (%v), want %d (%v)", body, problem.Line, problem, want, err)
		}
	}
}

func first[T any](value T, _ bool) T { return value }
