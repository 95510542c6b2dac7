package feed

import (
	"bytes"
	"strings"
	"testing"
)

func TestOffsetsLeadToLineAndProduct(t *testing.T) {
	for _, c := range []struct {
		body    string
		of      string
		last    bool
		line    int
		product int64
	}{
		{nested, "<a>", false, 1, 0},
		{nested, "<b>", false, 3, 1},
		{nested, "<b>", true, 3, 2},
		{nested, "<c", false, 4, 1},
		{nested, "d=", true, 5, 2},
		{nested, "</a>", false, 6, 0},
		{"{{range products}}\n{{range products}}{{.ID}},{{end}};{{end}}", "1,", true, 2, 2},
		{"{{range products}}{{end}}x", "x", false, 1, 0},
		{"{{range products}}\nx\n{{end}}{{.Shop.Currency}}", "EUR", false, 3, 0},
		{"{{.Shop.Currency}}", "EUR", false, 1, 0},
	} {
		tmpl, problems := Compile("a.xml", c.body)
		if problems != nil {
			t.Fatal(problems)
		}
		var b bytes.Buffer
		result, problem := tmpl.Render(&b, small(), Options{Now: noon, Trace: true})
		if problem != nil {
			t.Fatal(problem)
		}
		at := strings.Index(b.String(), c.of)
		if c.last {
			at = strings.LastIndex(b.String(), c.of)
		}
		if line, product := result.Line(b.Bytes(), at), result.Product(at); line != c.line || product != c.product {
			t.Errorf("%q at %s: line %d, product %d, want %d, %d", c.body, c.of, line, product, c.line, c.product)
		}
	}
}

const nested = "<a>\n{{range products}}\n<b>{{.Name}}</b>\n<c\n d=\"{{.ID}}\"/>{{end}}\n</a>"

func TestUntracedRendersHaveNoLinesAndProducts(t *testing.T) {
	out, result, _ := render("a.xml", nested, small(), Options{})
	if line, product := result.Line([]byte(out), 10), result.Product(10); line != 0 || product != 0 {
		t.Errorf("line %d, product %d, want 0, 0", line, product)
	}
}
