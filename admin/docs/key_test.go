package docs

import (
	"slices"
	"strings"
	"testing"

	"vitrine/compile/markup"
	"vitrine/internal/golden"
)

// shopData has a value for every field that bindings can read.
var shopData = &markup.Data{
	Products: []markup.Product{{ID: 12, Name: "Sencha", URL: "/tea/sencha", Image: "/files/s.webp", PriceText: "€14"}},
	Product: &markup.Product{
		ID: 12, Name: "Sencha", URL: "/tea/sencha", Image: "/files/s.webp", PriceText: "€14", Description: "Green.",
		Gallery: []markup.Picture{{URL: "/files/s.webp"}}, Attributes: []markup.Attribute{{Name: "Origin", Value: "Uji"}},
		Variants: []markup.Variant{{ID: 5, Name: "200 g", SKU: "s-200", PriceText: "€16", Image: "/files/v.webp"}},
	},
	Menu:     []markup.MenuItem{{Name: "Tea", URL: "/tea", Children: []markup.MenuItem{{Name: "Green", URL: "/tea/green"}}}},
	Category: &markup.Category{ID: 3, Name: "Tea", URL: "/tea"},
	Crumbs:   []markup.Link{{Name: "Home", URL: "/"}},
	PageURL:  func(id int64) string { return "/page" },
}

// drawn compiles a document and renders it.
func drawn(t *testing.T, body string) (string, markup.Report) {
	t.Helper()
	c, err := markup.Compile(markup.Source{Doc: "7", Release: "3", Index: []byte("<!doctype html><html><body>" + body + "</body></html>")})
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return string(c.Normal.AppendTo(nil, shopData)), c.Report
}

func TestEveryExampleCompiles(t *testing.T) {
	for _, k := range keys {
		got, report := drawn(t, k.Example)
		if !strings.Contains(got, k.result) {
			t.Errorf("%s gives %s, want %s", k.Example, got, k.result)
		}
		if report.Has(markup.BindInvalid) || report.Has(markup.BindContext) || len(report.Errors) > 0 {
			t.Errorf("%s: %+v", k.Example, report)
		}
		if strings.Contains(got, k.Name) != (k.By != byServer) {
			t.Errorf("%s is handled by %s, and the page contains %s", k.Name, k.By, got)
		}
	}
	if got, _ := drawn(t, `<b svc-nonsense="1">x</b>`); strings.Contains(got, "nonsense") {
		t.Errorf("an unknown attribute was not removed: %s", got)
	}
}

// The table matches that of the compiler and describes each name.
func TestTheTableMatchesTheCompiler(t *testing.T) {
	var names []string
	for _, k := range keys {
		names = append(names, k.Name)
	}
	golden.Rows(t, "attributes", names, markup.Attributes())
	for _, r := range roots() {
		if r.Where == "" || len(r.Fields) == 0 {
			t.Errorf("%s is not described", r.Name)
		}
	}
}

func TestEveryPlaceholderPrints(t *testing.T) {
	for _, r := range roots() {
		for _, name := range r.Fields {
			body := "<i>{{ " + r.Name + "." + name + " }}</i>"
			if r.List {
				body = `<i svc-for="x in ` + r.Name + `">{{ x.` + name + " }}</i>"
			}
			if got, _ := drawn(t, body); strings.Contains(got, "<i></i>") || strings.Contains(got, "{{") || !strings.Contains(got, "<i>") {
				t.Errorf("%s gives %s", body, got)
			}
		}
	}
	for body, want := range map[string]string{"{{ nobody.name }}": "{{ nobody.name }}", "<i>{{ category.length }}</i>": "<i></i>"} {
		if got, _ := drawn(t, body); !strings.Contains(got, want) {
			t.Errorf("%s gives %s, want %s", body, got, want)
		}
	}
}

func TestLinksOfDocuments(t *testing.T) {
	for address, want := range map[string]string{"/path": `href="/path"`, "svc:page/12": `href="/page"`, "form:3": `href="/_vitrine/form/3"`} {
		if !slices.ContainsFunc(links, func(l bindingLink) bool { return l.Address == address }) {
			t.Errorf("%s is not in the table", address)
		}
		if got, _ := drawn(t, `<a href="`+address+`">x</a>`); !strings.Contains(got, want) {
			t.Errorf("%s gives %s", address, got)
		}
	}
}

func TestDirectivesOfGuidesAreClosed(t *testing.T) {
	for _, g := range guides {
		text, err := g.source()
		if err != nil {
			t.Fatal(err)
		}
		inside := false
		for line := range strings.Lines(text) {
			word, rest, ok := directiveOf(line)
			switch {
			case !ok:
			case word == "unless" && !inside && len(strings.Fields(rest)) == 2, word == "end" && inside:
				inside = !inside
			case word == "endpoints" && !inside && rest != "", word == "findings" && rest == "", word == "carriers" && rest == "", word == "language" && rest == "":
			default:
				t.Errorf("%s: %q", g.Path, line)
			}
		}
		if inside {
			t.Errorf("%s: unless without end", g.Path)
		}
	}
}

func FuzzPrefersHTML(f *testing.F) {
	for _, accept := range []string{"", "*/*", "text/html", "text/html;q=0.5, text/markdown", "text/html;q=NaN", ";,=;q"} {
		f.Add(accept)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		if prefersHTML(accept) && !strings.Contains(strings.ToLower(accept), "text/html") {
			t.Errorf("%q prefers HTML", accept)
		}
	})
}
